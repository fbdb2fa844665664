//! As many counters as threads, each under a mutex of its own, and the sum of them at the end.
//!
//! A thread's additions go round all counters, each thread beginning at another: addition `i` of thread `t` of `n` goes to
//! counter `(t + i) mod n`. So two threads meet only where one has overtaken the other.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

use super::race::Variant;
use crate::workloads::counting::{Counter, Turn};

/// One of the counters, with a cache line to itself.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard {
    mutex: Mutex<()>,
    cell: AtomicU32,
}

/// The counters.
#[derive(Debug)]
pub struct Sharded {
    shards: Vec<Shard>,
    locks: bool,
}

/// A thread's hands on them.
#[derive(Debug)]
pub struct ShardedCounter<'a> {
    sharded: &'a Sharded,
    current: &'a Shard,
    next: usize,
    held: Option<MutexGuard<'a, ()>>,
}

impl Sharded {
    /// One a thread; `locks`: unless, as a fault, nobody takes the mutexes.
    pub fn new(threads: u32, locks: bool) -> Self {
        Self {
            shards: (0..threads.max(1)).map(|_| Shard::default()).collect(),
            locks,
        }
    }

    fn shard(&self, number: usize) -> &Shard {
        let shard = self.shards.get(number).or_else(|| self.shards.first());
        shard.expect("there is at least one counter")
    }
}

impl Variant for Sharded {
    type Counter<'a> = ShardedCounter<'a>;

    fn counter(&self, thread: u32) -> ShardedCounter<'_> {
        ShardedCounter {
            sharded: self,
            current: self.shard(0),
            next: thread as usize,
            held: None,
        }
    }

    /// The merge. All threads have ended, so it needs no care.
    fn value(&self) -> u32 {
        self.shards.iter().map(|shard| shard.cell.load(Ordering::Relaxed)).sum()
    }
}

impl Counter for ShardedCounter<'_> {
    #[inline(always)]
    fn before(&mut self, turn: &mut impl Turn) {
        let shard = self.sharded.shard(self.next);
        self.current = shard;
        self.next += 1;
        if self.next >= self.sharded.shards.len() {
            self.next = 0;
        }
        if !self.sharded.locks {
            return;
        }
        self.held = Some(match shard.mutex.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => turn.wait(|| shard.mutex.lock().unwrap_or_else(PoisonError::into_inner)),
        });
    }

    #[inline(always)]
    fn read(&mut self) -> u32 {
        self.current.cell.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn write(&mut self, sum: u32, _turn: &mut impl Turn) {
        self.current.cell.store(sum, Ordering::Relaxed);
    }

    #[inline(always)]
    fn after(&mut self) {
        self.held = None;
    }
}
