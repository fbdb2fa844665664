//! The whole visible state of one lab element, and the one pure function that changes it. No effects here: workers,
// events and the DOM are the element's business.

import type { LabDescription, LabResult, Mode, Named, ParameterDescription, Refusal, RunState } from '#glue';
import type { RunProgress } from '../engine/run-options.ts';
import type { Wish } from './steps/steps-state.ts';

/** Everything that decides what a lab element shows. */
export interface LabState {
  /** The state of the run, in the words that element, page and frame share. */
  readonly phase: RunState;
  /** The lab, once its description has arrived. */
  readonly lab: LabDescription | undefined;
  /** The `lab` attribute where no lab has that id. */
  readonly unknownLab: string | undefined;
  /** How the next run is done, and which of the results is shown. */
  readonly mode: Mode;
  /** What each control holds, as text: the session judges it, not the page. Empty: not given. */
  readonly values: Values;
  /** What the seed's control holds. */
  readonly seed: string;
  /** How far the run is; only while warming up or running. */
  readonly progress: RunProgress | undefined;
  /** Why nothing ran; only in `unavailable`. */
  readonly refusal: Refusal | undefined;
  /** Why the run ended without a result, in words; only in `failed`. */
  readonly failure: string | undefined;
  /** The last result of each mode. It stays while the next run goes on, marked as the earlier one. */
  readonly results: Readonly<Partial<Record<Mode, LabResult>>>;
  /** The one line that screen readers are told: `started` when a run began, `ended` when it did. */
  readonly announced: 'nothing' | 'started' | 'ended';
  /** The stepper, where the lab has one. */
  readonly steps: Steps;
  /** The width for drawing, in CSS pixels. */
  readonly width: number;
}

/** The stepper's part of a lab. */
export interface Steps {
  /** Its script: `wanted` from the first wish to step until it is here. */
  readonly script: 'none' | 'wanted' | 'here' | 'failed';
  /** Why its script did not arrive; only in `failed`. */
  readonly failure: string | undefined;
  /** Whether it is shown. Closed, it keeps what it knows. */
  readonly isOpen: boolean;
  /** The schedule to open; a new object is a new wish. None: the program's beginning. */
  readonly wish: Wish | undefined;
  /** The row of a result whose program it shows, with the result's values; none: the program that the controls name. */
  readonly of: { readonly row: string; readonly values: Values } | undefined;
}

/** Parameter id to the text in its control. */
export type Values = Readonly<Record<string, string>>;

/** What can happen to a lab element. */
export type LabEvent =
  | { readonly type: 'described'; readonly lab: LabDescription; readonly mode: string; readonly seed: string }
  | { readonly type: 'not-found'; readonly lab: string }
  | { readonly type: 'set'; readonly values: Values }
  | { readonly type: 'seeded'; readonly seed: string }
  | { readonly type: 'switched'; readonly mode: string }
  | { readonly type: 'reset' }
  | { readonly type: 'started' }
  | { readonly type: 'progressed'; readonly progress: RunProgress }
  | { readonly type: 'finished'; readonly result: LabResult }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'stopped' }
  | { readonly type: 'steps-opened' }
  | { readonly type: 'steps-closed' }
  | { readonly type: 'steps-wished'; readonly wish: Wish; readonly of: Steps['of'] }
  | { readonly type: 'steps-arrived' }
  | { readonly type: 'steps-failed'; readonly message: string }
  | { readonly type: 'resized'; readonly width: number };

const NO_STEPS: Steps = { script: 'none', failure: undefined, isOpen: false, wish: undefined, of: undefined };

export const INITIAL: LabState = {
  phase: 'idle',
  lab: undefined,
  unknownLab: undefined,
  mode: 'measured',
  values: {},
  seed: '1',
  progress: undefined,
  refusal: undefined,
  failure: undefined,
  results: {},
  announced: 'nothing',
  steps: NO_STEPS,
  width: 0,
};

/** The state after an event. */
export function update(state: LabState, event: LabEvent): LabState {
  switch (event.type) {
    case 'described': {
      // What was set before the element knew its lab was meant for this one; what belonged to another lab goes.
      const kept = state.lab || state.unknownLab !== undefined ? { ...INITIAL, width: state.width } : state;
      const values = { ...openingValues(event.lab), ...kept.values };
      return { ...kept, lab: event.lab, mode: offered(event.lab, event.mode), seed: event.seed, values };
    }
    case 'not-found':
      return { ...INITIAL, width: state.width, unknownLab: event.lab, phase: 'unavailable' };
    case 'set':
      // A refusal speaks of values that are gone now; leaving it would accuse the corrected ones.
      return { ...withoutRefusal(state), values: { ...state.values, ...event.values }, steps: ofControls(state.steps) };
    case 'seeded':
      return { ...withoutRefusal(state), seed: event.seed };
    case 'switched': {
      if (!state.lab || isUnderWay(state)) return state;
      const switched = { ...withoutRefusal(state), failure: undefined, mode: offered(state.lab, event.mode) };
      return { ...switched, phase: resultOf(switched) ? 'done' : 'idle' };
    }
    case 'reset':
      return {
        ...withoutRefusal(state),
        values: state.lab ? openingValues(state.lab) : {},
        seed: '1',
        steps: ofControls(state.steps),
      };
    case 'started':
      return { ...state, ...NOTHING_SAID, phase: 'warming', announced: 'started' };
    case 'progressed':
      if (!isUnderWay(state)) return state;
      return { ...state, phase: event.progress.sampling ? 'running' : 'warming', progress: event.progress };
    case 'finished':
      return {
        ...state,
        ...NOTHING_SAID,
        phase: 'done',
        mode: event.result.mode,
        results: { ...state.results, [event.result.mode]: event.result },
        announced: 'ended',
      };
    case 'refused':
      return { ...state, ...NOTHING_SAID, phase: 'unavailable', refusal: event.refusal, announced: 'ended' };
    case 'failed':
      return { ...state, ...NOTHING_SAID, phase: 'failed', failure: event.message, announced: 'ended' };
    case 'stopped':
      return { ...state, ...NOTHING_SAID, phase: 'stopped', announced: 'ended' };
    case 'steps-opened':
      return { ...state, steps: wanted(state.steps) };
    case 'steps-closed':
      return { ...state, steps: { ...state.steps, isOpen: false } };
    case 'steps-wished':
      return { ...state, steps: { ...wanted(state.steps), wish: event.wish, of: event.of } };
    case 'steps-arrived':
      return { ...state, steps: { ...state.steps, script: 'here' } };
    case 'steps-failed':
      return { ...state, steps: { ...state.steps, script: 'failed', failure: event.message } };
    case 'resized':
      return { ...state, width: event.width };
  }
}

function wanted(steps: Steps): Steps {
  return { ...steps, isOpen: true, script: steps.script === 'here' ? 'here' : 'wanted', failure: undefined };
}

/** Whoever changes a control wants the controls' program, and no schedule of another. */
function ofControls(steps: Steps): Steps {
  return { ...steps, wish: undefined, of: undefined };
}

const NOTHING_SAID = { progress: undefined, refusal: undefined, failure: undefined } as const;

function withoutRefusal(state: LabState): LabState {
  if (!state.refusal) return state;
  return { ...state, refusal: undefined, phase: resultOf(state) ? 'done' : 'idle' };
}

/** The result that is shown: the last one of the mode that is chosen. */
export function resultOf(state: LabState): LabResult | undefined {
  return state.results[state.mode];
}

/** The mode asked for where the lab offers it, else its first. */
function offered({ modes }: LabDescription, asked: string): Mode {
  return modes.find((mode) => mode === asked) ?? modes[0] ?? 'measured';
}

/** The parameters that a run in the chosen mode takes. */
export function parametersOf({ parameters }: LabDescription, mode: Mode): readonly ParameterDescription[] {
  // Described in JSON, a mode that is none may be null.
  return parameters.filter((parameter) => (parameter.mode ?? mode) === mode);
}

/** Whether a run has begun and not ended. */
export function isUnderWay(state: LabState): boolean {
  return state.phase === 'warming' || state.phase === 'running';
}

/** Whether a control differs from what the page opened with. */
export function isChanged(state: LabState): boolean {
  if (!state.lab) return false;
  const opening = openingValues(state.lab);
  return state.seed !== '1' || Object.keys(state.values).some((id) => opening[id] !== state.values[id]);
}

/** What the controls hold at first: the lab's opening, then the defaults, then nothing. */
export function openingValues(lab: LabDescription): Values {
  const values: Record<string, string> = {};
  for (const { id, default: fallback } of lab.parameters) {
    values[id] = String(named(lab.opening, id) ?? fallback ?? '');
  }
  return values;
}

/** Values as a page may set them, in the form in which controls hold them. Whatever is no object holds nothing. */
export function asTexts(values: unknown): Values {
  if (typeof values !== 'object' || values === null) return {};
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [id, String(value ?? '')]));
}

/**
 * The parameters of a request: controls left empty are left out, so that the lab's own default holds, and so are those
 * of the other mode. A name that the lab does not have goes on: the session refuses it and says which there are.
 */
export function requestedParams(lab: LabDescription, mode: Mode, values: Values): Named {
  const find = (id: string) => lab.parameters.find((parameter) => parameter.id === id);
  const isFor = (id: string) => (find(id)?.mode ?? mode) === mode;
  const given = Object.entries(values).map(([id, value]) => [id, value.trim()] as const);
  const typed = (id: string, text: string): string | number | boolean => {
    const takes = find(id)?.takes.type;
    if (takes === 'flag' && (text === 'true' || text === 'false')) return text === 'true';
    // Text that is no number goes on as text: the session refuses it and says what would be right.
    return takes === 'unsigned' && Number.isFinite(Number(text)) ? Number(text) : text;
  };
  return Object.fromEntries(
    given.filter(([id, text]) => text !== '' && isFor(id)).map(([id, text]) => [id, typed(id, text)]),
  );
}

function named(values: Named, id: string): string | number | boolean | undefined {
  return Object.hasOwn(values, id) ? values[id] : undefined;
}
