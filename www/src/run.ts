//! The page for machines: its link says what to run, and the result or the refusal stands in it as JSON. It is the one
//! page whose link starts a measured run, so it runs nothing in another site's frame.

import type { LabResult, Refusal, RunState } from '#glue';
import { runEach } from './engine/all-labs.ts';
import { framed } from './engine/framed.ts';
import { PlaygroundError, stateAfter } from './engine/playground-error.ts';
import { prepareIsolation } from './isolation.ts';
import { parseLink, requestOfLink } from './link.ts';
import { defaultEngine, labs } from './playground.ts';
import { failure, failureWords } from './words.ts';

function show(state: RunState, content?: unknown): void {
  const place = document.querySelector('#result');
  if (place && content !== undefined) place.textContent = JSON.stringify(content, null, 2);
  // Last, so that whoever waits for the state finds the result there.
  document.documentElement.dataset.state = state;
}

function showError({ code, message, parameter }: Refusal | PlaygroundError, state: RunState): void {
  show(state, { error: parameter === undefined ? { code, message } : { code, message, parameter } });
}

async function runLink(): Promise<void> {
  if (framed() === 'cross-site') return showError(failure('unavailable', 'machine-page.framed'), 'unavailable');
  const link = parseLink(location.hash);
  if ('refusal' in link) return showError(link.refusal, 'unavailable');
  const { state } = link;
  if (state.lab === undefined)
    return showError(failure('unknown-lab', 'machine-page.no-lab', {}, 'lab'), 'unavailable');
  const { reloading } = await prepareIsolation(new URL('.', import.meta.url));
  if (reloading) return;
  show('warming');
  const onProgress = ({ sampling }: { sampling: boolean }): void => show(sampling ? 'running' : 'warming');
  try {
    const one = (lab: string): Promise<LabResult> =>
      defaultEngine().runRequest(requestOfLink({ ...state, lab }), { onProgress });
    show('done', state.lab === 'all' ? await runEach(labs, state.mode, one) : await one(state.lab));
  } catch (error) {
    if (error instanceof PlaygroundError) showError(error, stateAfter(error));
    else showError({ code: 'crashed', message: failureWords(error) }, 'failed');
  }
}

show('idle');
// Another link in the same tab is another run; a fresh page is the surest way to stop the one before.
addEventListener('hashchange', () => location.reload());
runLink();
