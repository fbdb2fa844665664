//! Each thread counts for itself, and the sums are added at the end.

use std::sync::atomic::{AtomicU32, Ordering};

use super::plain::PlainCounter;
use super::race::Variant;

/// A counter with a cache line to itself, so that two neighbours do not slow each other down.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart(AtomicU32);

/// The threads' own counters.
#[derive(Debug)]
pub struct OwnThenMerge(Vec<Apart>);

impl OwnThenMerge {
    /// One counter a thread; or, as a fault, one for all of them.
    pub fn new(threads: u32, shared: bool) -> Self {
        let counters = if shared { 1 } else { threads.max(1) };
        Self((0..counters).map(|_| Apart::default()).collect())
    }
}

impl Variant for OwnThenMerge {
    type Counter<'a> = PlainCounter<'a>;

    fn counter(&self, thread: u32) -> PlainCounter<'_> {
        let own = self.0.get(thread as usize).or_else(|| self.0.first());
        PlainCounter(&own.expect("there is at least one counter").0)
    }

    /// The merge. All threads have ended, so it needs no care.
    fn value(&self) -> u32 {
        self.0.iter().map(|own| own.0.load(Ordering::Relaxed)).sum()
    }
}
