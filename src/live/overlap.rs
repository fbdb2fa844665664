//! How much of a race was really run at once, from what each thread noted of itself.
//!
//! Between its first and its last addition a thread need not be running: it waits for the interpreter lock, for the
//! counter's own lock or queue, or the operating system has taken its core away (four threads on two cores). So each
//! thread notes the time after every 256th part of its work, and when it had to wait. From that:
//!
//! * a wait is no progress, exactly as noted; from the 32nd wait within one part on, all until the part's last wait is
//!   none;
//! * a part that took over four times the thread's median part, waits not counted, holds a pause at an unknown place:
//!   all of it counts as no progress;
//! * two threads at once for less than 0.2 ms count as one after the other: so far the clocks of two workers may differ.
//!
//! Worked example: A progresses from 0 to 10 ms, B from 0 to 4 and from 8 to 20: two at once for 4 + 2 of 20 ms, an
//! overlap of 0.3, at most 2 at once. The tests assert it.
//!
//! So the overlap is rather too small than too large. Not here: what it means for a claim.

/// Parts of a thread's work.
pub const PARTS: u32 = 256;
/// A part this many times longer than the median holds a pause.
const PAUSED_FROM: f64 = 4.0;
/// Shorter parts than this never count as paused: the clock's own steps are of that order.
const SHORTEST_PAUSE_MS: f64 = 0.1;
/// How far the clocks of two workers may differ.
const CLOCKS_DIFFER_MS: f64 = 0.2;
/// Waits kept apart within one part; later ones prolong the last.
const PAUSES_A_PART: u32 = 32;

/// What one thread noted, in milliseconds.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// The start, then the end of each part.
    marks: Vec<f64>,
    pauses: Vec<Span>,
    pauses_in_part: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    from: f64,
    to: f64,
}

/// How much ran at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// From the first start to the last end, in milliseconds.
    pub elapsed_ms: f64,
    /// Share of that, 0 to 1, in which at least two threads progressed.
    pub share: f64,
    /// Threads that progressed at the same time, at most.
    pub at_once: u32,
}

impl Track {
    /// A thread that starts now.
    pub fn starting(now_ms: f64) -> Self {
        let mut marks = Vec::with_capacity(PARTS as usize + 2);
        marks.push(now_ms);
        Self {
            marks,
            ..Self::default()
        }
    }

    /// A part of the work ends now.
    pub fn mark(&mut self, now_ms: f64) {
        self.marks.push(now_ms);
        self.pauses_in_part = 0;
    }

    /// The thread waited.
    pub fn pause(&mut self, from: f64, to: f64) {
        self.pauses_in_part += 1;
        match self.pauses.last_mut() {
            Some(last) if self.pauses_in_part > PAUSES_A_PART => last.to = to,
            _ => self.pauses.push(Span { from, to }),
        }
    }

    /// The latest time noted.
    pub fn last_noted(&self) -> f64 {
        let mark = self.marks.last().copied().unwrap_or(0.0);
        self.pauses.last().map_or(mark, |pause| pause.to.max(mark))
    }

    /// When the thread really progressed, in order.
    fn progress(&self) -> Vec<Span> {
        let parts = self.marks.windows(2).filter_map(|pair| match *pair {
            [from, to] => Some(Span { from, to }),
            _ => None,
        });
        let mut pauses = self.pauses.as_slice();
        let worked: Vec<Vec<Span>> = parts
            .map(|part| {
                while let [first, rest @ ..] = pauses
                    && first.to <= part.from
                {
                    pauses = rest;
                }
                without(part, pauses)
            })
            .collect();
        let length = |spans: &Vec<Span>| spans.iter().map(|span| span.to - span.from).sum::<f64>();
        let mut lengths: Vec<f64> = worked.iter().map(length).collect();
        lengths.sort_unstable_by(f64::total_cmp);
        let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0.0);
        let limit = (PAUSED_FROM * median).max(SHORTEST_PAUSE_MS);
        joined(worked.into_iter().filter(|spans| length(spans) <= limit).flatten())
    }
}

/// Parts that follow each other without a break are one piece: otherwise work cut into parts shorter than the clocks
/// differ would never count as done at once.
fn joined(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut pieces: Vec<Span> = Vec::new();
    for span in spans {
        match pieces.last_mut() {
            Some(last) if span.from <= last.to => last.to = span.to,
            _ => pieces.push(span),
        }
    }
    pieces
}

/// What is left of a part without the pauses, which are in order.
fn without(part: Span, pauses: &[Span]) -> Vec<Span> {
    let mut left = Vec::new();
    let mut from = part.from;
    for pause in pauses.iter().take_while(|pause| pause.from < part.to) {
        if pause.from > from {
            left.push(Span { from, to: pause.from });
        }
        from = from.max(pause.to);
    }
    if from < part.to {
        left.push(Span { from, to: part.to });
    }
    left
}

/// Judges a race.
pub fn overlap(tracks: &[Track]) -> Overlap {
    let start = tracks
        .iter()
        .filter_map(|track| track.marks.first())
        .copied()
        .fold(f64::INFINITY, f64::min);
    let end = tracks
        .iter()
        .filter_map(|track| track.marks.last())
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let elapsed_ms = (end - start).max(0.0);
    // At equal times ends come first: one thread that stops as another begins is no overlap.
    let mut changes: Vec<(f64, i32)> = tracks
        .iter()
        .flat_map(Track::progress)
        .flat_map(|span| [(span.from, 1), (span.to, -1)])
        .collect();
    changes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let together = |at_least: i32| -> f64 {
        let mut running = 0;
        let mut since = None;
        let mut total = 0.0;
        for &(at, change) in &changes {
            running += change;
            match since {
                None if running >= at_least => since = Some(at),
                Some(from) if running < at_least => {
                    since = None;
                    total += if at - from > CLOCKS_DIFFER_MS { at - from } else { 0.0 };
                }
                _ => {}
            }
        }
        total
    };
    let share = if elapsed_ms > 0.0 {
        (together(2) / elapsed_ms).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let at_once = (2..=i32::try_from(tracks.len()).unwrap_or(i32::MAX))
        .take_while(|&at_least| together(at_least) > 0.0)
        .last()
        .unwrap_or(i32::from(!tracks.is_empty()));
    Overlap {
        elapsed_ms,
        share,
        at_once: at_once.unsigned_abs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that marks every millisecond.
    fn steady(from: u32, to: u32, pauses: &[(f64, f64)]) -> Track {
        let mut track = Track::starting(from.into());
        (from + 1..=to).for_each(|ms| track.mark(ms.into()));
        pauses.iter().for_each(|&(from, to)| track.pause(from, to));
        track
    }

    fn close(seen: Overlap, elapsed_ms: f64, share: f64, at_once: u32) {
        let near = (seen.elapsed_ms - elapsed_ms).abs() < 1e-9 && (seen.share - share).abs() < 1e-9;
        assert!(near && seen.at_once == at_once, "{seen:?}");
    }

    #[test]
    fn the_worked_example() {
        close(
            overlap(&[steady(0, 10, &[]), steady(0, 20, &[(4.0, 8.0)])]),
            20.0,
            0.3,
            2,
        );
    }

    #[test]
    fn a_lock_passed_to_and_fro_is_no_overlap() {
        // Two threads that hold the lock 5 ms each in turn; the second's clock is 20 µs behind.
        let first = steady(0, 20, &[(5.0, 10.0), (15.0, 20.0)]);
        let second = steady(0, 20, &[(0.0, 4.98), (9.98, 14.98)]);
        close(overlap(&[first, second]), 20.0, 0.0, 1);
    }

    #[test]
    fn a_core_taken_away_is_no_progress() {
        // Both run 0 to 20; the second has no mark between 5 and 11: it was not running.
        let mut second = steady(0, 5, &[]);
        (11..=20).for_each(|ms| second.mark(ms.into()));
        close(overlap(&[steady(0, 20, &[]), second]), 20.0, 0.7, 2);
    }

    #[test]
    fn one_after_another_and_nobody() {
        close(overlap(&[steady(0, 10, &[]), steady(10, 20, &[])]), 20.0, 0.0, 1);
        close(overlap(&[]), 0.0, 0.0, 0);
    }

    #[test]
    fn parts_shorter_than_the_clocks_differ_still_overlap() {
        // 256 parts of 30 µs, as a quick run has them; the second thread's marks lie between the first one's.
        let quick = |from: f64| {
            let mut track = Track::starting(from);
            (1..=PARTS).for_each(|part| track.mark(from + 0.03 * f64::from(part)));
            track
        };
        let seen = overlap(&[quick(0.0), quick(0.01)]);
        assert!(seen.share > 0.99 && seen.at_once == 2, "{seen:?}");
    }

    #[test]
    fn three_at_once() {
        close(
            overlap(&[steady(0, 9, &[]), steady(3, 12, &[]), steady(6, 10, &[])]),
            12.0,
            7.0 / 12.0,
            3,
        );
    }

    #[test]
    fn too_many_waits_in_a_part_become_one() {
        let mut track = Track::starting(0.0);
        (0..100).map(f64::from).for_each(|ms| track.pause(ms, ms + 0.5));
        track.mark(100.0);
        track.pause(100.0, 100.5);
        let kept = PAUSES_A_PART as usize;
        assert_eq!(track.pauses.len(), kept + 1);
        assert_eq!(track.pauses[kept - 1], Span { from: 31.0, to: 99.5 });
        assert_eq!(track.pauses[kept], Span { from: 100.0, to: 100.5 });
    }
}
