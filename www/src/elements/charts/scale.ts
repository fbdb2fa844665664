//! Where a number lies on a picture. Every scale starts at zero: a bar's length is its number.

/** Positions between 0 and `length` for values between 0 and `most`. */
export interface Scale {
  readonly most: number;
  readonly length: number;
  /** The position of a value, in pixels; beyond `most` it stays at the end. */
  at(value: number): number;
  /** Round values to mark. */
  readonly ticks: readonly number[];
}

const PIXELS_PER_TICK = 80;

/** A scale from zero to at least `longest`, ending on a round mark. */
export function zeroBased(longest: number, length: number): Scale {
  const step = roundStep((longest || 1) / Math.max(2, Math.floor(length / PIXELS_PER_TICK)));
  const nSteps = Math.max(1, Math.ceil((longest || 1) / step - 1e-9));
  return scale(step * nSteps, length, step, nSteps);
}

/** A scale from zero to exactly `longest`; its last mark may lie before the end. */
export function zeroTo(longest: number, length: number): Scale {
  const step = roundStep((longest || 1) / Math.max(2, Math.floor(length / PIXELS_PER_TICK)));
  return scale(longest || 1, length, step, Math.floor((longest || 1) / step + 1e-9));
}

function scale(most: number, length: number, step: number, nSteps: number): Scale {
  return {
    most,
    length,
    at: (value) => round((Math.min(most, Math.max(0, value)) / most) * length),
    ticks: Array.from({ length: nSteps + 1 }, (_, index) => Number((index * step).toPrecision(12))),
  };
}

/** The next of 1, 2, 5, 10, 20, 50 … that is no smaller: 37 → 50, 0.13 → 0.2. */
export function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const fraction = atLeast / power;
  return power * ([1, 2, 5].find((step) => step >= fraction - 1e-9) ?? 10);
}

/** Tenths of a pixel are enough, and keep the markup short. */
export function round(position: number): number {
  return Math.round(position * 10) / 10;
}
