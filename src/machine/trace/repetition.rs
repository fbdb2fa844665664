//! Whether a run goes round in a circle: its last events are one pattern again and again.
//!
//! The pattern is found as the shortest period of the longest periodic end (Knuth, Morris and Pratt's failure function,
//! read backwards). Worked example: of `x a b a b a b` the last six are periodic with period two.
//!
//! Not here: other troubles, see `diagnosis`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem::discriminant;

use super::event::Event;
use super::view::View;
use super::{Instant, LaneId, LaneKind, State};
use crate::machine::Nanoseconds;

/// Events looked at.
const WINDOW: usize = 8192;
/// So often a pattern must have come, in a row.
const REPEATS: usize = 8;

/// A pattern without progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Livelock {
    /// Who takes part.
    pub lanes: Vec<LaneId>,
    /// How many events one round has.
    pub n_events: u32,
    /// How many rounds were seen, in a row up to here; there may have been more before.
    pub n_rounds: u32,
    /// Since when, at least.
    pub since: Nanoseconds,
}

/// The pattern that the run repeats up to here, if it is a livelock.
pub(super) fn livelock(view: View<'_>) -> Option<Livelock> {
    let mut tail: VecDeque<(Nanoseconds, Event)> = VecDeque::new();
    let index = view.index() as usize;
    for happened in view.log().events().take(index) {
        if tail.len() == WINDOW {
            tail.pop_front();
        }
        tail.push_back((happened.at, without_numbers(happened.event)));
    }
    let backwards: Vec<&Event> = tail.iter().rev().map(|(_, event)| event).collect();
    let (length, period) = periodic_start(&backwards)?;
    let round: Vec<&Event> = backwards.iter().take(period).copied().collect();
    let lanes = without_progress(view, &round)?;
    let since = tail.get(tail.len() - length).map_or(Nanoseconds::ZERO, |(at, _)| *at);
    Some(Livelock {
        lanes,
        n_events: period as u32,
        n_rounds: (length / period) as u32,
        since,
    })
}

/// What differs from round to round though nothing gets on: the numbers and the times of timers.
fn without_numbers(event: Event) -> Event {
    match event {
        Event::Timer { event_loop, task, .. } => Event::Timer {
            event_loop,
            due: Nanoseconds::ZERO,
            number: 0,
            task,
        },
        Event::TimerGone { event_loop, .. } => Event::TimerGone { event_loop, number: 0 },
        other => other,
    }
}

/// The longest start that repeats often enough, and its period.
pub(in crate::machine) fn periodic_start<T: PartialEq>(items: &[T]) -> Option<(usize, usize)> {
    // borders[n]: the longest proper start of the first n + 1 items that is also their end.
    let mut borders: Vec<usize> = Vec::with_capacity(items.len());
    let mut found = None;
    for (place, item) in items.iter().enumerate() {
        let mut border = borders.last().copied().unwrap_or(0);
        while border > 0 && items.get(border) != Some(item) {
            border = border
                .checked_sub(1)
                .and_then(|last| borders.get(last))
                .copied()
                .unwrap_or(0);
        }
        if place > 0 && items.get(border) == Some(item) {
            border += 1;
        }
        borders.push(border);
        let (length, period) = (place + 1, place + 1 - border);
        if length / period >= REPEATS {
            found = Some((length, period));
        }
    }
    found
}

/// The lanes of a round in which nobody gets on though several are at odds; none if it is no such round.
fn without_progress(view: View<'_>, round: &[&Event]) -> Option<Vec<LaneId>> {
    let mut touched: BTreeMap<_, BTreeSet<LaneId>> = BTreeMap::new();
    let mut actors = BTreeSet::new();
    let mut is_anyone_blocked = false;
    for event in round {
        match event {
            Event::Lane { .. } => return None,
            Event::Instant {
                instant: Instant::Mark, ..
            } => return None,
            Event::Enter { state, .. } if state.is_end() => return None,
            Event::Enter { lane, state } => {
                let kind = view.log().made(*lane).map(|made| made.kind);
                if matches!(kind, Some(LaneKind::Thread | LaneKind::Task)) {
                    actors.insert(*lane);
                    is_anyone_blocked |= discriminant(state) == discriminant(&BLOCKED);
                }
            }
            Event::Access { lane, cell, .. } => {
                let process = view.log().made(*lane).and_then(|made| made.process);
                touched.entry((process, *cell)).or_default().insert(*lane);
                actors.insert(*lane);
            }
            _ => {}
        }
    }
    let is_at_odds = is_anyone_blocked || touched.values().any(|lanes| lanes.len() > 1);
    (is_at_odds && actors.len() > 1).then(|| actors.into_iter().collect())
}

const BLOCKED: State = State::Blocked(super::BlockCause::Lock, None);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example() {
        let repeated: Vec<char> = "ab".repeat(REPEATS).chars().collect();
        let backwards: Vec<char> = "x".chars().chain(repeated).rev().collect();
        assert_eq!(periodic_start(&backwards), Some((2 * REPEATS, 2)));
        assert_eq!(periodic_start(&['a'; REPEATS]), Some((REPEATS, 1)));
        assert_eq!(periodic_start(&['a'; REPEATS - 1]), None);
        assert_eq!(periodic_start(&Vec::from_iter(0..1_000)), None);
    }
}
