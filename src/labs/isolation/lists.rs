//! What a sample's lists came to. Not here: what that proves.
//!
//! Worked example, two isolates and three calls of 10 items: isolate 0 had 20 items from earlier samples and answers
//! 20 → 30 and 30 → 40, isolate 1 answers 20 → 30. The lists grew by 20 and 10, which is all that was appended, and the
//! second call of isolate 0 found what its first had left.

use crate::measure::Sample;
use crate::wire::{JobOutcome, ListSeen, MOST_ITEMS};

/// The workers' lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    /// By how much each worker's list grew; of threads, each one's whole list.
    pub lengths: Vec<u32>,
    /// Whether each call found what the same worker's last call had left.
    pub is_kept: bool,
    /// Whether it is one list, which all threads see.
    pub is_one: bool,
}

impl Lists {
    /// Items that were added to all lists together.
    pub fn added(&self) -> u32 {
        if self.is_one {
            return self.lengths.iter().copied().max().unwrap_or_default();
        }
        self.lengths.iter().fold(0, |sum, length| sum.saturating_add(*length))
    }
}

fn seen(job: &JobOutcome) -> Option<&ListSeen> {
    match job {
        JobOutcome::Appended(seen) => Some(seen),
        _ => None,
    }
}

/// The length of the list of a worker that appended nothing.
pub fn parent(sample: &Sample) -> Option<u32> {
    seen(sample.jobs.first()?)?.lists.first().copied()
}

/// The lists of a sample.
pub fn of(sample: &Sample) -> Lists {
    // One job of several threads says all; the page tells of isolates who did which of their jobs.
    if sample.spans.is_empty() {
        let lengths = sample.jobs.first().and_then(seen).map(|seen| seen.lists.clone());
        return Lists {
            lengths: lengths.unwrap_or_default(),
            is_kept: true,
            is_one: true,
        };
    }
    let mut calls: Vec<(f64, u32, &ListSeen)> = sample
        .spans
        .iter()
        .filter_map(|span| Some((span.start_ms, span.worker, seen(sample.jobs.get(span.task as usize)?)?)))
        .collect();
    calls.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut workers: Vec<(u32, u32)> = Vec::new();
    let mut lists = Lists {
        is_kept: true,
        ..Lists::default()
    };
    for (_, worker, seen) in calls {
        let after = seen.lists.first().copied().unwrap_or_default();
        let grown = after.saturating_sub(seen.before);
        if let Some(place) = workers.iter().position(|(known, _)| *known == worker) {
            if let Some((_, last)) = workers.get_mut(place) {
                // A list that has become too long is begun anew.
                lists.is_kept &= seen.before == *last || (*last >= MOST_ITEMS && seen.before == 0);
                *last = after;
            }
            if let Some(length) = lists.lengths.get_mut(place) {
                *length = length.saturating_add(grown);
            }
        } else {
            workers.push((worker, after));
            lists.lengths.push(grown);
        }
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::WorkSpan;

    fn sample(calls: &[(u32, u32, u32)]) -> Sample {
        let jobs = calls.iter().map(|(_, before, after)| {
            JobOutcome::Appended(ListSeen {
                elapsed_ms: 0.0,
                before: *before,
                lists: vec![*after],
            })
        });
        let spans = (0..).zip(calls).map(|(task, (worker, ..))| WorkSpan {
            worker: *worker,
            task,
            start_ms: f64::from(task),
            end_ms: f64::from(task) + 1.0,
        });
        Sample {
            ms: 1.0,
            elapsed_ms: 1.0,
            jobs: jobs.collect(),
            spans: spans.collect(),
            started: 2,
            hidden: false,
        }
    }

    #[test]
    fn lists_grow_by_what_their_worker_appended() {
        let lists = of(&sample(&[(0, 20, 30), (1, 20, 30), (0, 30, 40)]));
        assert_eq!(
            (lists.lengths.as_slice(), lists.is_kept, lists.added()),
            ([20, 10].as_slice(), true, 30)
        );
    }

    #[test]
    fn a_list_that_is_forgotten_or_shared_is_seen() {
        assert!(!of(&sample(&[(0, 0, 10), (0, 0, 10)])).is_kept);
        assert!(!of(&sample(&[(0, 0, 10), (1, 10, 20), (0, 20, 30)])).is_kept);
        assert!(of(&sample(&[(0, 0, MOST_ITEMS), (0, 0, 10)])).is_kept);
    }
}
