// Time limits for everything that a test waits for. No polling and no pauses: what is waited for says so itself.

/** What a wait ends in when its time is over; names what did not happen. */
export class TooSlow extends Error {
  constructor(what, ms) {
    super(`${what}: nothing after ${ms} ms`);
    this.name = 'TooSlow';
  }
}

/** The promise's outcome, or a `TooSlow` that says what was waited for. */
export async function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new TooSlow(what, ms)), ms);
  });
  // Whoever loses the race may still fail later; nobody listens then, and that must not end the process.
  promise.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
