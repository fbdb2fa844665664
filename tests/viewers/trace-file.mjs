// What a trace file says, counted from the file itself: what every viewer must show of it.

import { readFile } from 'node:fs/promises';

const nanoseconds = (us) => Math.round(us * 1000);

/** Spans of a track that look alike and follow each other without a gap are one frame, if any of them has a length. */
function framesOf(events) {
  const last = new Map();
  let nFrames = 0;
  for (const [place, begin] of events.entries()) {
    if (begin.ph !== 'B') continue;
    const track = `${begin.pid}:${begin.tid}`;
    const looks = `${begin.name} ${JSON.stringify(begin.args)}`;
    const before = last.get(track);
    const goesOn = before?.looks === looks && before.end === begin.ts;
    const { ts: end } = events[place + 1];
    const wasLong = goesOn && before.isLong;
    const isLong = wasLong || end > begin.ts;
    if (isLong && !wasLong) nFrames += 1;
    last.set(track, { looks, end, isLong });
  }
  return nFrames;
}

/** Reads a file in Chrome's Trace Event Format as the exports write it. */
export async function readTrace(path) {
  const { traceEvents: events } = JSON.parse(await readFile(path, 'utf8'));
  const ofPhase = (...phases) => events.filter(({ ph }) => phases.includes(ph));
  const track = ({ pid, tid }) => `${pid}:${tid}`;
  const named = (what) => events.filter(({ ph, name }) => ph === 'M' && name === what);
  const lengths = new Map();
  for (const { ph, ts, ...event } of ofPhase('B', 'E')) {
    const sign = ph === 'E' ? 1 : -1;
    lengths.set(track(event), (lengths.get(track(event)) ?? 0) + sign * nanoseconds(ts));
  }
  const names = new Map(named('thread_name').map((event) => [track(event), event.args.name]));
  return {
    /** Names of tracks on which something lies, one for each. */
    tracks: [...new Set(ofPhase('B', 'i').map(track))].map((of) => names.get(of)).sort(),
    /** How long all spans of a track are together, in nanoseconds, by the tracks that have spans. */
    lengths: [...lengths].map(([of, length]) => ({ name: names.get(of), length })),
    processes: named('process_name').map(({ args }) => args.name),
    nSpans: ofPhase('B').length,
    nFrames: framesOf(events),
    nInstants: ofPhase('i').length,
    nArrows: ofPhase('s').length,
    nCounts: ofPhase('C').length,
  };
}
