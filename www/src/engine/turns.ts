//! Who may run now: one at a time, in the order in which they came. Not here: what they run.

/** A place in the line. */
export interface Turn {
  /** Resolves when it is this one's turn. */
  readonly come: Promise<void>;
  /** Whether it has been this one's turn at any time. */
  hasCome(): boolean;
  /** Leaves the line, whether the turn has come or not. May be called twice. */
  leave(): void;
}

interface Place {
  come(): void;
  moved: (before: number) => void;
}

/** A line of runs. */
export class Turns {
  readonly #line: Place[] = [];

  /** Joins the line; `moved` hears at once, and after each change, how many go before. */
  join(moved: (before: number) => void): Turn {
    let came = false;
    let resolve = (): void => {};
    const promise = new Promise<void>((settle) => {
      resolve = settle;
    });
    const come = (): void => {
      came = true;
      resolve();
    };
    const place: Place = { come, moved };
    this.#line.push(place);
    const before = this.#line.length - 1;
    moved(before);
    if (before === 0) come();
    return { come: promise, hasCome: () => came, leave: () => this.#leave(place) };
  }

  #leave(place: Place): void {
    const left = this.#line.indexOf(place);
    if (left < 0) return;
    this.#line.splice(left, 1);
    for (const [index, { moved }] of this.#line.entries()) if (index >= left) moved(index);
    this.#line[0]?.come();
  }
}
