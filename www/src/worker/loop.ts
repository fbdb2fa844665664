//! Drives a program on the event loop with the worker's own timers. It decides nothing: the program says after each
//! turn how long to wait, which calls to hand over, and when it has ended.

import type { HandedCall, JobOutcome } from '#glue';
import type { LoopDriver } from '#loop-glue';

/** A running program, as far as others may touch it. */
export interface Loop {
  /** A call that was handed over has ended. */
  answered(id: number, outcome: JobOutcome): void;
}

/** What the driver does for the program. */
export interface LoopHost {
  /** Gives a call to another worker. */
  hand(call: HandedCall): void;
  /** The program has ended. */
  end(outcome: JobOutcome): void;
  /** The program trapped. */
  fail(error: unknown): void;
}

/** Starts the program; its first turn runs at once. */
export function drive(program: LoopDriver, host: LoopHost): Loop {
  // A timer of 0 ms waits 4 ms once timers are nested five deep; a message to oneself does not wait.
  const soon = new MessageChannel();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;

  function step(): void {
    clearTimeout(timer);
    timer = undefined;
    if (ended) return;
    try {
      const turn = program.turn();
      for (const call of turn.calls) host.hand(call);
      if (turn.outcome != null) {
        ended = true;
        soon.port1.close();
        program.free();
        host.end(turn.outcome);
      } else if (turn.wakeAfterMs != null) {
        if (turn.wakeAfterMs <= 0) soon.port2.postMessage(null);
        else timer = setTimeout(step, turn.wakeAfterMs);
      }
    } catch (error) {
      ended = true;
      host.fail(error);
    }
  }

  soon.port1.onmessage = step;
  step();
  return {
    answered(id, outcome) {
      if (ended) return;
      program.answered(id, outcome);
      step();
    },
  };
}
