//! The timers of one loop at one event, quick to copy and to change; in order only when they are shown.
//!
//! They lie by number, and a loop numbers its timers upwards: a new one goes to the end. One that is gone leaves its
//! place, and the places are closed once they are more than half of all.
//!
//! Not here: the loop's own heap.

use super::LaneId;
use crate::machine::Nanoseconds;

/// A timer in a loop's heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerView {
    /// When it is due.
    pub due: Nanoseconds,
    /// Its number within the loop: of two due at the same time the lower comes first.
    pub number: u64,
    /// The task that waits for it.
    pub task: Option<LaneId>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    number: u64,
    due: Nanoseconds,
    /// A task's number and one, 0 for none.
    task: u32,
    is_gone: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Timers {
    entries: Vec<Entry>,
    n_gone: usize,
}

impl Timers {
    pub fn put(&mut self, due: Nanoseconds, number: u64, task: Option<LaneId>) {
        let entry = Entry {
            number,
            due,
            task: task.map_or(0, |task| task.0 + 1),
            is_gone: false,
        };
        if self.entries.last().is_none_or(|last| last.number < number) {
            self.entries.push(entry);
            return;
        }
        match self.entries.binary_search_by_key(&number, |known| known.number) {
            Ok(place) => {
                if let Some(known) = self.entries.get_mut(place) {
                    self.n_gone -= usize::from(known.is_gone);
                    *known = entry;
                }
            }
            Err(place) => self.entries.insert(place, entry),
        }
    }

    pub fn remove(&mut self, number: u64) {
        let place = self.entries.binary_search_by_key(&number, |known| known.number);
        let entry = place.ok().and_then(|place| self.entries.get_mut(place));
        if let Some(entry) = entry.filter(|entry| !entry.is_gone) {
            entry.is_gone = true;
            self.n_gone += 1;
            if self.n_gone > 16 + self.entries.len() / 2 {
                self.entries.retain(|entry| !entry.is_gone);
                self.n_gone = 0;
            }
        }
    }

    /// By due time, then by number: as they will go off.
    pub fn in_order(&self) -> Vec<TimerView> {
        let mut timers: Vec<_> = self.iter().collect();
        timers.sort_unstable_by_key(|timer| (timer.due, timer.number));
        timers
    }

    pub fn len(&self) -> usize {
        self.entries.len() - self.n_gone
    }

    /// By number.
    pub fn iter(&self) -> impl Iterator<Item = TimerView> {
        let there = self.entries.iter().filter(|entry| !entry.is_gone);
        there.map(|entry| TimerView {
            due: entry.due,
            number: entry.number,
            task: entry.task.checked_sub(1).map(LaneId),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_are_a_map_by_number(steps in prop::collection::vec((any::<bool>(), 0..40_u64, 0..9_u64), 0..300)) {
            let (mut timers, mut expected) = (Timers::default(), BTreeMap::new());
            for (is_put, number, due) in steps {
                if is_put {
                    timers.put(Nanoseconds(due), number, None);
                    expected.insert(number, due);
                } else {
                    timers.remove(number);
                    expected.remove(&number);
                }
            }
            let mut sorted: Vec<_> = expected.into_iter().map(|(number, due)| (due, number)).collect();
            sorted.sort_unstable();
            let shown: Vec<_> = timers.in_order().iter().map(|timer| (timer.due.0, timer.number)).collect();
            prop_assert_eq!(shown, sorted);
            prop_assert!(timers.entries.len() <= 2 * timers.len() + 34);
        }
    }
}
