//! What is going to happen and when: one heap keyed by (time, sequence), so that ties fall in the order of their making.
//!
//! Events are never taken out when they no longer hold: each carries the epoch of the thread it is about, and a thread
//! moves on to another epoch when its state changes. Now and then the stale ones are swept.
//!
//! Not here: what an event does.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::ThreadId;
use crate::machine::Nanoseconds;

/// Something that is going to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A thread's computing is over.
    ComputeEnd(ThreadId, Epoch),
    /// A woken thread tries to go on.
    Wake(ThreadId, Epoch),
    /// A waiting thread's time is up.
    Timeout(ThreadId, Epoch),
    /// A thread has waited for the interpreter lock for one switch interval.
    Interval(ThreadId, Epoch),
    /// A thread that was signalled that the interpreter lock is free tries to take it.
    LockWake(ThreadId, Epoch),
    /// The slice of the thread on this core is over, if others wait for a core.
    Slice(u32),
    /// An endpoint has worked on a request for as long as it takes.
    Answered(u32),
    /// A client's patience with a request is over.
    RequestTimeout(u32),
}

/// Counts the changes of a thread's state; an event of an earlier one is stale.
pub(super) type Epoch = u32;

#[derive(Debug, Default)]
pub(super) struct Events {
    heap: BinaryHeap<Entry>,
    sequence: u64,
    /// At this length stale events are swept.
    sweep_at: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: u64,
    sequence: u64,
    event: Event,
}

impl Events {
    /// Later than all that were added for the same time.
    pub fn add(&mut self, at: Nanoseconds, event: Event) {
        let sequence = self.sequence;
        self.sequence += 1;
        self.heap.push(Entry {
            at: at.0,
            sequence,
            event,
        });
    }

    /// When the first is due; [`Nanoseconds::MAX`] if there is none.
    pub fn next_at(&self) -> Nanoseconds {
        self.heap.peek().map_or(Nanoseconds::MAX, |entry| Nanoseconds(entry.at))
    }

    /// Takes the first.
    pub fn next(&mut self) -> Option<(Nanoseconds, Event)> {
        self.heap.pop().map(|entry| (Nanoseconds(entry.at), entry.event))
    }

    /// Whether so many have gathered that sweeping pays.
    pub fn is_crowded(&self) -> bool {
        self.heap.len() > self.sweep_at.max(1024)
    }

    /// Drops those that no longer hold.
    pub fn sweep(&mut self, holds: impl Fn(Event) -> bool) {
        self.heap.retain(|entry| holds(entry.event));
        self.sweep_at = self.heap.len() * 2;
    }

    /// All of them, in no order.
    pub fn all(&self) -> impl Iterator<Item = (Nanoseconds, Event)> + '_ {
        self.heap.iter().map(|entry| (Nanoseconds(entry.at), entry.event))
    }
}

/// The earlier is the greater, for a heap gives its greatest first.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.sequence).cmp(&(self.at, self.sequence))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.sequence == other.sequence
    }
}

impl Eq for Entry {}
