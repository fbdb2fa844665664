//! What a row looks like: a colour of Wong's palette and a hatch of its own, so that rows differ without colour too.

import { svg } from 'lit';
import type { Row } from '#glue';

/** One look a strategy; threads have one a runtime, since that is what their lab compares. */
export type Look = 'serial' | 'gil' | 'gil-legacy' | 'free' | 'interpreters' | 'processes' | 'loop' | 'to-thread';

const LOOKS: readonly Look[] = [
  'serial',
  'gil',
  'gil-legacy',
  'free',
  'interpreters',
  'processes',
  'loop',
  'to-thread',
];

/** The look of a row. */
export function lookOf({ strategy, runtime }: Pick<Row, 'strategy' | 'runtime'>): Look {
  switch (strategy) {
    case 'serial':
      return 'serial';
    case 'threads':
      return runtime === 'gil' || runtime === 'gil-legacy' ? runtime : 'free';
    case 'processes':
    case 'interpreters':
    case 'to-thread':
      return strategy;
    case 'event-loop':
      return 'loop';
  }
}

/** The `fill` of a shape with this look. */
export function fillOf(look: Look): string {
  return `url(#fill-${look})`;
}

/** The hatches, once per element: `fillOf` refers to them. */
export function hatches() {
  return svg`<defs>${LOOKS.map(
    (look) => svg`<pattern id="fill-${look}" class="look ${look}" width="8" height="8" patternUnits="userSpaceOnUse">
      <rect class="ground" width="8" height="8"></rect><path class="lines" d="${LINES[look]}"></path></pattern>`,
  )}<pattern id="fill-missing" class="look missing" width="6" height="6" patternUnits="userSpaceOnUse">
      <path class="lines" d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5"></path></pattern></defs>`;
}

const LINES: Record<Look, string> = {
  serial: '',
  gil: 'M-1 9L9 -1M-1 1L1 -1M7 9L9 7',
  'gil-legacy': 'M-1 -1L9 9M-1 7L1 9M7 -1L9 1',
  free: 'M0 4H8',
  interpreters: 'M4 0V8',
  processes: 'M0 4H8M4 0V8',
  loop: 'M0 2L4 6L8 2',
  'to-thread': 'M2 4H5',
};
