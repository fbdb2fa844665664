//! The workload `names` in plain JavaScript, for comparison only: what a page without WebAssembly would take.

const WORDS = 624;
const SHIFT = 397;
const ALPHABET = 36;
const LENGTH = 16;
const FLAGGED_ABOVE_BITS = 3.6;

/** `random.Random(seed)` of CPython for a seed below 2³²: the generator's state, set by an array of one word. */
function seeded(seed: number): Uint32Array {
  const state = new Uint32Array(WORDS);
  state[0] = 19650218;
  for (let i = 1; i < WORDS; i += 1) {
    const before = state[i - 1] ?? 0;
    state[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i;
  }
  let i = 1;
  for (let left = WORDS; left > 0; left -= 1) {
    const before = state[i - 1] ?? 0;
    state[i] = ((state[i] ?? 0) ^ Math.imul(before ^ (before >>> 30), 1664525)) + seed;
    i += 1;
    if (i >= WORDS) {
      state[0] = state[WORDS - 1] ?? 0;
      i = 1;
    }
  }
  for (let left = WORDS - 1; left > 0; left -= 1) {
    const before = state[i - 1] ?? 0;
    state[i] = ((state[i] ?? 0) ^ Math.imul(before ^ (before >>> 30), 1566083941)) - i;
    i += 1;
    if (i >= WORDS) {
      state[0] = state[WORDS - 1] ?? 0;
      i = 1;
    }
  }
  state[0] = 0x80000000;
  return state;
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < WORDS; i += 1) {
    const mixed = ((state[i] ?? 0) & 0x80000000) | ((state[(i + 1) % WORDS] ?? 0) & 0x7fffffff);
    state[i] = (state[(i + SHIFT) % WORDS] ?? 0) ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
  }
}

/** How many of `size` random names have more than 3.6 bits of entropy a character. */
export function names(seed: number, size: number): number {
  const state = seeded(seed);
  let at = WORDS;
  const next = (): number => {
    if (at === WORDS) {
      twist(state);
      at = 0;
    }
    let word = state[at] ?? 0;
    at += 1;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  };
  const counts = new Uint8Array(ALPHABET);
  let flagged = 0;
  for (let name = 0; name < size; name += 1) {
    counts.fill(0);
    for (let character = 0; character < LENGTH; character += 1) {
      const high = next() >>> 5;
      const low = next() >>> 6;
      const index = Math.floor(((high * 67108864 + low) / 9007199254740992) * ALPHABET);
      counts[index] = (counts[index] ?? 0) + 1;
    }
    let bits = 0;
    for (const count of counts) {
      if (count > 0) bits -= (count / LENGTH) * Math.log2(count / LENGTH);
    }
    if (bits > FLAGGED_ABOVE_BITS) flagged += 1;
  }
  return flagged;
}
