//! Which key does what while the focus is in the stepper. Not here: listening, and what the action does.

import type { Action } from './steps-state.ts';

const FIRST = 'A'.charCodeAt(0);

/** The letter of a thread by its place: it names the key, too. */
export function threadName(thread: number): string {
  return String.fromCharCode(FIRST + thread);
}

/** What a key does; undefined where it is none of the stepper's, or belongs to the control that has the focus. */
export function actionOfKey(event: KeyboardEvent, nThreads: number): Action | undefined {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const { key } = event;
  const thread = /^[a-z]$/i.test(key)
    ? key.toUpperCase().charCodeAt(0) - FIRST
    : /^[1-9]$/.test(key)
      ? Number(key) - 1
      : undefined;
  if (thread !== undefined) return thread < nThreads ? { type: 'choose', thread } : undefined;
  if (key === 'Backspace') return { type: 'move', by: -1 };
  // The slider has arrows and ends of its own, with the same meaning.
  const [inner] = event.composedPath();
  if (inner instanceof HTMLInputElement) return undefined;
  switch (key) {
    case 'ArrowLeft':
      return { type: 'move', by: -1 };
    case 'ArrowRight':
      return { type: 'move', by: 1 };
    case 'Home':
      return { type: 'jump', at: 0 };
    case 'End':
      return { type: 'jump', at: Number.MAX_SAFE_INTEGER };
    default:
      return undefined;
  }
}
