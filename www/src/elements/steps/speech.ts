//! The one line that screen readers are told of each step: what happened, who can go on, and how it ended. It is made of
// the same words that are shown.

import type { Position, PositionThread } from '#glue';
import type { Words } from '../laboratory.ts';
import type { StepsState } from './steps-state.ts';

/** The line; empty before anything has happened. */
export function spoken({ position, news, trouble }: StepsState, words: Words): string {
  if (news.type === 'refused') return `${words('ui.steps.refused')}. ${trouble ?? ''}`;
  if (!position) return news.type === 'other-program' ? words('ui.steps.said.changed') : '';
  switch (news.type) {
    case 'nothing':
    case 'other-program':
      return words('ui.steps.said.changed');
    case 'cannot': {
      const one = position.threads[news.thread];
      // Said again when it is tried again: a text that stays the same is not read.
      const again = news.times % 2 === 0 ? '\u00a0' : '';
      return one ? `${cannot(one, words)}${again}` : '';
    }
    case 'on':
    case 'back':
      return [
        step(position, news.type === 'back' ? 'back' : 'step', words),
        position.drawn ?? '',
        ...news.goals.map((text) => words('ui.steps.goal', { text })),
        news.dropped ? words('ui.steps.said.dropped') : '',
      ]
        .filter((sentence) => sentence !== '')
        .join(' ');
  }
}

function step(position: Position, kind: 'step' | 'back', words: Words): string {
  const others = followed(position, words);
  const last = position.steps[position.at - 1];
  if (!last) return words('ui.steps.said.start', { others });
  return words(`ui.steps.said.${kind}`, { at: position.at, text: bare(last.text), others });
}

/** How it goes on from here: the ending, or what each thread can do. */
function followed({ ending, threads }: Position, words: Words): string {
  if (ending) return `${words(`ui.grade.${ending.grade}`)}: ${bare(ending.text)}.`;
  return `${threads.map((one) => can(one, words)).join('; ')}.`;
}

function can(one: PositionThread, words: Words): string {
  return one.state === 'ready' ? words('ui.steps.said.ready', { name: one.name }) : cannot(one, words);
}

/** Why somebody cannot go on, with the holder. */
function cannot({ name, says }: PositionThread, words: Words): string {
  return words('ui.steps.said.cannot', { name, says: bare(says) });
}

/** A sentence without its full stop, to stand inside another. */
export function bare(text: string): string {
  return text.replace(/\.$/, '');
}
