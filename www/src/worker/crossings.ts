//! Payloads between the two workers of a pair, straight through a channel: the page sees none of them.
//!
//! Both ends are the same. Whoever gets a payload looks at its first and last byte and answers with its size; one that
//! was handed over goes back with the answer, so that it can be handed over again.

import type { CrossJob, JobOutcome } from '#glue';

type Memory = ArrayBuffer | SharedArrayBuffer;

type Message =
  | { type: 'payload'; memory: Memory; back: boolean }
  | { type: 'seen'; bytes: number; memory?: ArrayBuffer };

/** What the ends of a payload hold, so that the other worker knows that it got all of it. */
const MARK = 0x5a;

/** One end of a pair's channel. */
export class Crossings {
  readonly #port: MessagePort;
  #seen: ((message: Extract<Message, { type: 'seen' }>) => void) | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.type === 'payload') this.#answer(data.memory, data.back);
      else this.#seen?.(data);
    };
  }

  /** No message is heard any more. */
  close(): void {
    this.#port.close();
  }

  /** Sends the payload until the time is over, at least once; gives the mean time of a crossing with its answer. */
  async send({ way, bytes, leastMs }: CrossJob): Promise<JobOutcome> {
    let memory: Memory = way === 'share' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
    const view = new Uint8Array(memory);
    // Every byte is written: memory that was never touched is not there yet, and costs nothing to copy.
    view.fill(MARK);
    const start = performance.now();
    let elapsed = 0;
    let rounds = 0;
    let seen = 0;
    do {
      const answer = await this.#cross(memory, way === 'transfer');
      seen = answer.bytes;
      memory = answer.memory ?? memory;
      rounds += 1;
      elapsed = performance.now() - start;
    } while (elapsed < leastMs);
    return { type: 'crossed', crossingMs: elapsed / rounds, rounds, bytes: seen };
  }

  #cross(memory: Memory, back: boolean): Promise<Extract<Message, { type: 'seen' }>> {
    return new Promise((resolve) => {
      this.#seen = resolve;
      const transfer = back && memory instanceof ArrayBuffer ? [memory] : [];
      this.#say({ type: 'payload', memory, back }, transfer);
    });
  }

  #answer(memory: Memory, back: boolean): void {
    const view = new Uint8Array(memory);
    const whole = view[0] === MARK && view[view.length - 1] === MARK;
    const bytes = whole ? view.length : 0;
    if (back && memory instanceof ArrayBuffer) this.#say({ type: 'seen', bytes, memory }, [memory]);
    else this.#say({ type: 'seen', bytes });
  }

  #say(message: Message, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}
