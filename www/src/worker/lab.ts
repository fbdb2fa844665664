//! What the lab worker does with a job: computes it at once, or, for a heartbeat, a scene or a batch of requests, drives
//! the event loop's program.

import * as glue from '#glue';
import * as loopGlue from '#loop-glue';
import { type Order, type Report, runsOnLoop } from '../engine/messages.ts';
import { drive, type Loop } from './loop.ts';

/** Takes the page's orders; a failure inside the loop's own turns is reported by `tell` as well. */
export function labWorker(
  tell: (report: Report) => void,
  reasonOf: (error: unknown) => string,
): (order: Order) => void {
  let loop: Loop | undefined;
  return (order) => {
    switch (order.type) {
      case 'job':
        if (!runsOnLoop(order.job)) {
          tell({ type: 'job-done', outcome: glue.perform(order.job) });
          return;
        }
        loop = drive(new loopGlue.LoopDriver(order.job, order.callers), {
          hand: (call) => tell({ type: 'call', call }),
          end: (outcome) => {
            loop = undefined;
            tell({ type: 'job-done', outcome });
          },
          fail: (error) => tell({ type: 'died', reason: reasonOf(error) }),
        });
        return;
      case 'call-answered':
        loop?.answered(order.id, order.outcome);
        return;
    }
  };
}
