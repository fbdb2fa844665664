//! The whole visible state of a stepper, the one pure function that changes it, and what each action asks the session.
//! The session keeps nothing of it: a schedule and a place in it are all there is. Not here: asking, timers, the DOM.

import type { Choice, Position } from '#glue';

/** A place in a schedule, as a link holds both. */
export interface Place {
  /** The schedule; empty: its beginning, with nothing decided. */
  readonly schedule: string;
  /** How many of its steps are shown; undefined: all of them. */
  readonly at: number | undefined;
}

/** A place that is opened from outside. */
export interface Wish extends Place {
  /** Whether the learner asked to be brought there. */
  readonly brings?: boolean;
}

/** What the learner can do. */
export type Action =
  | { readonly type: 'open'; readonly place: Wish }
  | { readonly type: 'restart' }
  | { readonly type: 'choose'; readonly thread: number }
  | { readonly type: 'finish' }
  /** The seed decides who goes. */
  | { readonly type: 'draw'; readonly seed: number }
  | { readonly type: 'jump'; readonly at: number }
  | { readonly type: 'move'; readonly by: 1 | -1 }
  | { readonly type: 'return' };

/** What is asked of the session. */
export interface Question {
  readonly place: Place;
  readonly choice: Choice;
}

/** Everything that decides what a stepper shows. */
export interface StepsState {
  /** Which program it is: goals that were reached belong to it. */
  readonly program: string;
  /** Where it stands; undefined before the first answer. */
  readonly position: Position | undefined;
  /** Why the last question has no answer, in words. */
  readonly trouble: string | undefined;
  /** Whether the known schedule goes on by itself. */
  readonly playing: boolean;
  /** The place that was left by choosing another way; it can be returned to. */
  readonly left: Place | undefined;
  /** The goals reached so far, for every program. */
  readonly reached: Readonly<Record<string, readonly string[]>>;
  /** The last thing that happened, for the one line that is read aloud. */
  readonly news: News;
}

/** What the line for screen readers is about. */
export type News =
  | { readonly type: 'nothing' }
  /** A step was made or shown; `dropped` where the rest of a schedule was given up for it. */
  | { readonly type: 'on' | 'back'; readonly dropped: boolean; readonly goals: readonly string[] }
  /** Somebody was chosen who cannot go on. */
  | { readonly type: 'cannot'; readonly thread: number; readonly times: number }
  /** The controls were changed: another program. */
  | { readonly type: 'other-program' }
  | { readonly type: 'refused' };

/** What can happen to a stepper. */
export type StepsEvent =
  | { readonly type: 'program'; readonly program: string }
  | { readonly type: 'answered'; readonly action: Action; readonly position: Position }
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'cannot'; readonly thread: number }
  | { readonly type: 'played' }
  | { readonly type: 'paused' };

export const INITIAL: StepsState = {
  program: '',
  position: undefined,
  trouble: undefined,
  playing: false,
  left: undefined,
  reached: {},
  news: { type: 'nothing' },
};

const LOOK: Choice = { type: 'look' };

/** The state after an event. */
export function update(state: StepsState, event: StepsEvent): StepsState {
  switch (event.type) {
    case 'program': {
      const news: News = state.position ? { type: 'other-program' } : { type: 'nothing' };
      return { ...INITIAL, program: event.program, reached: state.reached, news };
    }
    case 'answered':
      return answered(state, event.action, event.position);
    case 'refused':
      return { ...state, trouble: event.message, playing: false, news: { type: 'refused' } };
    case 'cannot': {
      const times = state.news.type === 'cannot' ? state.news.times + 1 : 1;
      return { ...state, playing: false, news: { type: 'cannot', thread: event.thread, times } };
    }
    case 'played':
      return { ...state, playing: canMove(state, 1) };
    case 'paused':
      return state.playing ? { ...state, playing: false } : state;
  }
}

function answered(state: StepsState, action: Action, answer: Position): StepsState {
  // Started again: the steps that were decided before are not known any more.
  const position = action.type === 'restart' ? { ...answer, steps: [] } : answer;
  const old = state.reached[state.program] ?? [];
  const goals = position.goals.filter(({ id, reached }) => reached && !old.includes(id));
  const next: StepsState = {
    ...state,
    position,
    trouble: undefined,
    left: leftBehind(state, action),
    reached: { ...state.reached, [state.program]: [...old, ...goals.map(({ id }) => id)] },
    news: {
      type: position.at < (state.position?.at ?? 0) ? 'back' : 'on',
      dropped: drops(state, action),
      goals: goals.map(({ text }) => text),
    },
  };
  return { ...next, playing: state.playing && canMove(next, 1) };
}

/** Whether an action gives up steps that the open schedule still has. */
function drops(state: StepsState, action: Action): boolean {
  if (!canMove(state, 1)) return false;
  return (
    action.type === 'finish' ||
    action.type === 'draw' ||
    (action.type === 'choose' && action.thread !== knownNext(state))
  );
}

/** The place to return to: the first one that was left, until somebody returns or opens another. */
function leftBehind(state: StepsState, action: Action): Place | undefined {
  if (action.type === 'open' || action.type === 'return') return undefined;
  const { position, left } = state;
  if (left || !position) return left;
  const starts = action.type === 'restart' && position.steps.length > 0;
  return drops(state, action) || starts ? { schedule: position.schedule, at: position.at } : undefined;
}

/** Whether the known schedule has a step in this direction. */
export function canMove({ position }: StepsState, by: 1 | -1): boolean {
  if (!position) return false;
  return by === 1 ? position.at < position.steps.length : position.at > 0;
}

/** Who goes next in the known schedule. */
export function knownNext({ position }: StepsState): number | undefined {
  return position?.steps[position.at]?.thread;
}

/** What an action asks the session; undefined where it would change nothing. */
export function questionOf(state: StepsState, action: Action): Question | undefined {
  const { position, left } = state;
  if (action.type === 'open') return { place: action.place, choice: LOOK };
  // The text of a schedule says of which of a lab's programs it is, so it is kept: what is chosen next drops its steps.
  if (action.type === 'restart') return { place: { schedule: position?.schedule ?? '', at: 0 }, choice: LOOK };
  if (!position) return undefined;
  const { schedule, at, steps } = position;
  const jump = (to: number): Question | undefined =>
    to === at ? undefined : { place: { schedule, at: to }, choice: LOOK };
  switch (action.type) {
    case 'return':
      return left && { place: left, choice: LOOK };
    case 'jump':
      return jump(Math.min(steps.length, Math.max(0, action.at)));
    case 'move':
      return canMove(state, action.by) ? jump(at + action.by) : undefined;
    case 'finish':
      return position.ending ? undefined : { place: { schedule, at }, choice: { type: 'finish' } };
    case 'draw':
      return position.ending ? undefined : { place: { schedule, at }, choice: { type: 'draw', seed: action.seed } };
    case 'choose':
      // Who goes on anyway changes nothing of the schedule: its rest is kept.
      if (knownNext(state) === action.thread) return jump(at + 1);
      return { place: { schedule, at }, choice: { type: 'thread', thread: action.thread } };
  }
}
