//! Where a result was taken, and what to be careful of: warnings in sight, the rest folded away.

import { html, nothing, type TemplateResult } from 'lit';
import type { LabResult, Named } from '#glue';
import type { Words } from '../laboratory.ts';
import { formatCount, formatTime } from '../numbers.ts';
import { paramsInWords } from './names.ts';

/** Warnings, and a void run said before anything else. */
export function warnings({ environment }: LabResult, words: Words): TemplateResult | typeof nothing {
  if (environment.warnings.length === 0 && !environment.void) return nothing;
  return html`<div class="warnings"><h3>${words('ui.warnings.heading')}</h3>
    <ul>
      ${environment.void ? html`<li><strong>${words('ui.warnings.void')}</strong></li>` : nothing}
      ${environment.warnings.map(({ text }) => html`<li>${text}</li>`)}
    </ul>
  </div>`;
}

/** The browser and the run's parameters. */
export function environment({ lab, environment: where, params, seed }: LabResult, words: Words): TemplateResult {
  const { page } = where;
  const yes = (flag: boolean) => words(flag ? 'ui.yes' : 'ui.no');
  const facts: readonly (readonly [string, string])[] = [
    ['browser', `${page.engine} ${page.engineVersion}`],
    ['isolated', yes(page.isolated)],
    ['shared-memory', words(`ui.shared-memory.${page.sharedMemory}`)],
    [
      'threads',
      where.threadsAsked === undefined
        ? words('ui.none-needed')
        : words('ui.of', { n: where.threadsStarted ?? 0, all: where.threadsAsked }),
    ],
    ['simd', yes(page.simd)],
    ['cores', page.coresClaimed === 0 ? words('ui.not-told') : formatCount(page.coresClaimed)],
    ['clock', `${formatCount(page.clockStepMs)} ms`],
    ['service-worker', words(`ui.service-worker.${page.serviceWorker}`)],
    ['opened', `${words(`ui.scheme.${page.scheme}`)}, ${words(`ui.framed.${page.framed}`)}`],
    ...foundHere(where.found),
    ['params', paramsInWords(lab, params, words)],
    ['seed', String(seed)],
  ];
  return html`<details class="environment"><summary>${words('ui.environment.heading')}</summary>
    <dl>${facts.map(([id, text]) => html`<div><dt>${words(`ui.environment.${id}`)}</dt><dd data-provenance="measured">${text}</dd></div>`)}</dl>
  </details>`;
}

/** What a model of this browser was made from: the times that were found, each with its name. */
function foundHere(found: Named | undefined): readonly (readonly [string, string])[] {
  return Object.entries(found ?? {}).flatMap(([name, value]) => {
    // The cores are among the parameters.
    if (typeof value !== 'number' || name === 'cores') return [];
    const nanoseconds = name.endsWith('_ps') ? value / 1e3 : value;
    const time = nanoseconds < 1e5 ? `${formatCount(nanoseconds)}\u00a0ns` : formatTime(nanoseconds / 1e6, 'ms');
    return [[`found.${name}`, time] as const];
  });
}
