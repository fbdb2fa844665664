//! The plainest system there is: threads that add to one counter without a lock, packed into one word.
//!
//! Each does so many increments of two steps (read, write) or three (read, add, write). From the low end: 8 bits of the
//! counter, then 14 bits a thread: 7 of its steps done, 7 of what it has read; 0 where it holds nothing.

use concurrency_playground::explore::{System, Thread, Threads};

/// Threads that count.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    pub n_threads: u8,
    pub n_increments: u8,
    /// 2 or 3.
    pub n_steps: u8,
    pub sorted: bool,
}

const COUNTER_BITS: u32 = 8;
const RECORD_BITS: u32 = 14;
const RECORD: u64 = (1 << RECORD_BITS) - 1;

impl Counter {
    pub const fn new(n_threads: u8, n_increments: u8, n_steps: u8, sorted: bool) -> Self {
        Self {
            n_threads,
            n_increments,
            n_steps,
            sorted,
        }
    }

    fn all_steps(&self) -> u64 {
        u64::from(self.n_increments) * u64::from(self.n_steps)
    }

    fn records(&self, state: u64) -> [u64; 4] {
        [0, 1, 2, 3].map(|thread| state >> (COUNTER_BITS + RECORD_BITS * thread) & RECORD)
    }
}

impl System for Counter {
    type State = u64;
    type Outcome = u64;

    fn n_threads(&self) -> u8 {
        self.n_threads
    }

    fn start(&self) -> u64 {
        0
    }

    fn enabled(&self, state: &u64) -> Threads {
        let mut enabled = 0;
        for thread in 0..u32::from(self.n_threads) {
            let done = state >> (COUNTER_BITS + RECORD_BITS * thread) & 127;
            enabled |= u32::from(done < self.all_steps()) << thread;
        }
        Threads(enabled)
    }

    fn step(&self, state: &mut u64, thread: Thread) {
        let shift = COUNTER_BITS + RECORD_BITS * u32::from(thread.0);
        let (done, held) = (*state >> shift & 127, *state >> (shift + 7) & 127);
        let (mut counter, mut now_held) = (*state & 255, 0);
        match (done % u64::from(self.n_steps), self.n_steps) {
            (0, _) => now_held = counter,
            (1, 3) => now_held = held + 1,
            (1, _) => counter = held + 1,
            _ => counter = held,
        }
        *state &= !(RECORD << shift | 255);
        *state |= counter | (now_held << 7 | (done + 1)) << shift;
    }

    fn has_ended(&self, state: &u64, thread: Thread) -> bool {
        !self.enabled(state).has(thread)
    }

    fn waits_for(&self, _state: &u64, _thread: Thread) -> Threads {
        Threads::NONE
    }

    fn outcome(&self, state: &u64) -> u64 {
        state & 255
    }

    fn sort(&self, state: &mut u64) {
        if self.sorted {
            let mut records = self.records(*state);
            let (records_used, _) = records.split_at_mut(usize::from(self.n_threads));
            records_used.sort_unstable();
            *state &= 255;
            for (thread, record) in (0..).zip(records) {
                *state |= record << (COUNTER_BITS + RECORD_BITS * thread);
            }
        }
    }

    fn sort_following(&self, state: &mut u64, thread: Thread) -> Thread {
        if !self.sorted {
            return thread;
        }
        let records = self.records(*state);
        self.sort(state);
        let own = (records[thread.index()], thread.index());
        let before = records.iter().take(usize::from(self.n_threads)).enumerate();
        Thread(before.filter(|(at, record)| (**record, *at) < own).count() as u8)
    }

    fn are_alike(&self, _one: Thread, _other: Thread) -> bool {
        self.sorted
    }

    fn may_repeat(&self) -> bool {
        false
    }
}
