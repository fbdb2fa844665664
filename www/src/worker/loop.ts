//! Drives a program on the event loop with the worker's own timers and requests. It decides nothing: the program says
//! after each turn how long to wait, which calls to hand over, what to ask or give up, and when it has ended.

import type { BegunRequest, HandedCall, JobOutcome } from '#glue';
import type { LoopDriver } from '#loop-glue';
import { ask } from './asking.ts';

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
  const asking = new Map<number, AbortController>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;

  function begin({ id, request }: BegunRequest): void {
    const giveUp = new AbortController();
    asking.set(id, giveUp);
    ask(request, giveUp.signal)
      .then((end) => {
        // Nobody waits for the answer of one that was given up.
        if (ended || !asking.delete(id)) return;
        program.requestEnded(id, end);
        step();
      })
      .catch((error: unknown) => {
        ended = true;
        host.fail(error);
      });
  }

  function drop(id: number): void {
    asking.get(id)?.abort();
    asking.delete(id);
  }

  function step(): void {
    clearTimeout(timer);
    timer = undefined;
    if (ended) return;
    try {
      const turn = program.turn();
      for (const call of turn.calls) host.hand(call);
      for (const id of turn.dropped) drop(id);
      for (const request of turn.requests) begin(request);
      if (turn.outcome != null) {
        ended = true;
        for (const id of [...asking.keys()]) drop(id);
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
