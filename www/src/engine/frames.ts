//! The page's animation frames: waiting for one to be painted, and recording the longest time between two of them.
//! A hidden page paints nothing, so nothing here waits for frames alone.

const PAINT_LIMIT_MS = 250;

/** Resolves once a frame drawn after this call has been painted, or after 250 ms where none is. */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    let second = 0;
    // The first callback runs before that frame is painted; when the next one runs, it has been.
    const first = requestAnimationFrame(() => {
      second = requestAnimationFrame(done);
    });
    const timer = setTimeout(done, PAINT_LIMIT_MS);
    function done(): void {
      clearTimeout(timer);
      cancelAnimationFrame(first);
      cancelAnimationFrame(second);
      resolve();
    }
  });
}

/** Records frames until it is stopped. */
export class FrameRecorder {
  #last: number | undefined;
  #longest: number | undefined;
  #request: number;

  constructor() {
    const frame = (): void => {
      this.#note();
      this.#request = requestAnimationFrame(frame);
    };
    this.#request = requestAnimationFrame(frame);
  }

  #note(): void {
    // Not the callback's own argument: that is when the frame was due, which may lie before the page was held.
    const now = performance.now();
    if (this.#last !== undefined) this.#longest = Math.max(this.#longest ?? 0, now - this.#last);
    this.#last = now;
  }

  /** The longest time between two frames in milliseconds; none where fewer than two came. */
  stop(): number | undefined {
    cancelAnimationFrame(this.#request);
    return this.#longest;
  }
}
