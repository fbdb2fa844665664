//! How a run stands, in words: state, what is measured now, time left, and why there is no result.

import { html, nothing, type TemplateResult } from 'lit';
import { isUnderWay, type LabState, resultOf } from '../lab-state.ts';
import type { Words } from '../laboratory.ts';

/** The status line and what belongs under it. */
export function status(state: LabState, words: Words): TemplateResult {
  const { phase } = state;
  return html`<div class="status ${phase}">
    <p class="state"><span class="lamp" aria-hidden="true"></span><span class="word">${words(`ui.state.${phase}`)}</span>
      <span class="doing">${doing(state, words)}</span></p>
    ${isUnderWay(state) ? bar(state, words) : nothing}
    ${state.progress && state.progress.holdsPageMs > 0 ? hold(state.progress.holdsPageMs, words) : nothing}
  </div>`;
}

function doing({ phase, progress, lab }: LabState, words: Words): string {
  if (phase === 'idle' || phase === 'done' || phase === 'unavailable') return words(`ui.doing.${phase}`);
  if (phase === 'stopped' || phase === 'failed') return words(`ui.doing.${phase}`);
  if (!progress) return words('ui.doing.starting');
  if (progress.queued > 0) return words('ui.doing.queued', { n: progress.queued });
  const label = progress.label || lab?.title || '';
  if (progress.leftMs === undefined || progress.leftMs === null) return label;
  return words('ui.doing.left', { label, seconds: Math.max(1, Math.ceil(progress.leftMs / 1000)) });
}

function bar({ progress }: LabState, words: Words): TemplateResult {
  // Without a value the bar is "indeterminate": honest while nobody knows how long the start takes.
  if (!progress || progress.total === 0) return html`<progress aria-label=${words('ui.progress')}></progress>`;
  return html`<progress aria-label=${words('ui.progress')} max=${progress.total} .value=${Math.min(progress.done, progress.total)}></progress>`;
}

function hold(ms: number, words: Words): TemplateResult {
  return html`<p class="hold">${words('ui.stall.now', { seconds: (ms / 1000).toFixed(1) })} <frame-clock></frame-clock></p>`;
}

/**
 * Why nothing ran, or why it ended without a result. At a parameter's fault the control says it; here too, in short.
 * `known` names the labs that there are.
 */
export function trouble(state: LabState, words: Words, known: readonly string[] = []): TemplateResult | typeof nothing {
  if (state.phase === 'failed') {
    return html`<div class="trouble"><h3>${words('ui.failed.heading')}</h3><p>${state.failure}</p><p>${words('ui.failed.next')}</p></div>`;
  }
  if (state.unknownLab !== undefined) {
    return html`<div class="trouble"><h3>${words('ui.unknown-lab.heading')}</h3>
      <p>${words('ui.unknown-lab.text', { lab: state.unknownLab.slice(0, 60), known: known.join(', ') })}</p></div>`;
  }
  if (state.refusal) {
    return html`<div class="trouble"><h3>${words('ui.refused.heading')}</h3><p>${state.refusal.message}</p>
      <p class="code">${words('ui.refused.code', { code: state.refusal.code, parameter: state.refusal.parameter ?? '–' })}</p></div>`;
  }
  return nothing;
}

/** The line for screen readers: a run has started, the page will be held, and how the run ended. */
export function announcement(state: LabState, words: Words): string {
  if (state.announced === 'nothing') return '';
  const held = state.progress?.holdsPageMs ?? 0;
  // The page is about to stand still: whoever does not see the warning must hear it, and nothing could be said during.
  if (held > 0) return words('ui.stall.now', { seconds: (held / 1000).toFixed(1) });
  if (state.announced === 'started') return words('ui.announce.started');
  const result = resultOf(state);
  if (state.phase === 'done' && result) return result.finding.text;
  if (state.phase === 'failed') return `${words('ui.state.failed')}: ${state.failure ?? ''}`;
  if (state.phase === 'unavailable') return `${words('ui.state.unavailable')}: ${state.refusal?.message ?? ''}`;
  return words('ui.announce.stopped');
}
