//! What an isolate does with an order: a job in wasm, or a payload to or from the other isolate of a pair.

import * as glue from '#glue';
import type { Order, Report } from '../engine/messages.ts';
import { Crossings } from './crossings.ts';

/** Takes the page's orders; a failure outside an order's own call is reported by `tell` as well. */
export function isolate(tell: (report: Report) => void, reasonOf: (error: unknown) => string): (order: Order) => void {
  let crossings: Crossings | undefined;
  return (order) => {
    switch (order.type) {
      case 'connect':
        crossings?.close();
        crossings = new Crossings(order.port);
        return;
      case 'job': {
        const { job } = order;
        if (job.type !== 'cross') {
          tell({ type: 'job-done', outcome: glue.perform(job) });
          return;
        }
        if (!crossings) throw new Error('a payload was to cross before the pair was connected');
        crossings.send(job).then(
          (outcome) => tell({ type: 'job-done', outcome }),
          (error: unknown) => tell({ type: 'died', reason: reasonOf(error) }),
        );
        return;
      }
    }
  };
}
