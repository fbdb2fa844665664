//! The race itself: threads that start together, count under a runtime's rules, and note what they did.
//!
//! Not here: how an addition is made; each variant says that for itself.

use std::sync::{Barrier, Mutex, PoisonError};

use crate::live::overlap::{self, Track};
use crate::live::turn::{Free, Gil, GilLegacy, Rules, UnderLock};
use crate::live::{Host, InterpreterLock, pool};
use crate::wire::{CountJob, JobOutcome, Runtime, Sabotage};
use crate::workloads::counting::{Counter, Turn, Unlocked, count};

/// A way to count together.
pub trait Variant: Sync {
    /// One thread's hands on the counter.
    type Counter<'a>: Counter
    where
        Self: 'a;
    /// Whether somebody beside the racing threads does a part: then [`Variant::consume`] runs on the calling worker.
    const CONSUMES: bool = false;

    /// For a thread, by its number from 0.
    fn counter(&self, thread: u32) -> Self::Counter<'_>;

    /// Counts where there is no interpreter lock.
    fn count_unlocked(
        &self,
        counter: &mut Self::Counter<'_>,
        additions: u32,
        work_per_bytecode: u32,
        turn: &mut Free<'_>,
    ) {
        count(additions, work_per_bytecode, counter, turn);
    }

    /// A thread has made its last addition and holds nothing any more.
    fn ended(&self) {}

    /// The part of the one who does not race.
    fn consume(&self, _turn: &mut impl Turn) {}

    /// What the counter shows after the race.
    fn value(&self) -> u32;
}

/// What all threads of one race share.
struct Race<'a, V> {
    count: &'a CountJob,
    variant: &'a V,
    host: Host,
    lock: InterpreterLock,
    barrier: Barrier,
    /// Held by a thread for all its counting when, as a fault, the pool runs one after another.
    one_at_a_time: Mutex<()>,
    tracks: Mutex<Vec<Track>>,
}

/// Runs it.
pub fn run<V: Variant>(count: &CountJob, variant: &V, host: Host) -> JobOutcome {
    let race = Race {
        count,
        variant,
        host,
        lock: InterpreterLock::new(count.switch_interval_us),
        barrier: Barrier::new(count.threads as usize),
        one_at_a_time: Mutex::new(()),
        tracks: Mutex::new(Vec::with_capacity(count.threads as usize)),
    };
    let unlocked = count.sabotage == Some(Sabotage::NoInterpreterLock);
    match count.runtime {
        Runtime::Gil if !unlocked => race.locked::<Gil>(),
        Runtime::GilLegacy if !unlocked => race.locked::<GilLegacy>(),
        Runtime::FreeThreaded | Runtime::Gil | Runtime::GilLegacy => race.unlocked(),
    }
    let tracks = race.tracks.into_inner().unwrap_or_else(PoisonError::into_inner);
    judge(count, variant.value(), race.lock.hand_overs(), &tracks)
}

impl<V: Variant> Race<'_, V> {
    fn locked<R: Rules>(&self) {
        let thread = |thread| {
            self.one_thread(|track| {
                let mut counter = self.variant.counter(thread);
                let mut turn = UnderLock::<R>::take(&self.lock, thread, track, self.host);
                for additions in self.parts() {
                    count(additions, self.count.work_per_bytecode, &mut counter, &mut turn);
                    turn.mark();
                }
            });
        };
        let mut consumer = || {
            if V::CONSUMES {
                let mut unread = Track::default();
                let number = self.count.threads;
                self.variant
                    .consume(&mut UnderLock::<R>::take(&self.lock, number, &mut unread, self.host));
            }
        };
        pool::run(self.count.threads, &thread, &mut consumer);
    }

    fn unlocked(&self) {
        let thread = |thread| {
            self.one_thread(|track| {
                let mut counter = self.variant.counter(thread);
                let mut turn = Free::new(track, self.host);
                for additions in self.parts() {
                    self.variant
                        .count_unlocked(&mut counter, additions, self.count.work_per_bytecode, &mut turn);
                    turn.mark();
                }
            });
        };
        pool::run(self.count.threads, &thread, &mut || self.variant.consume(&mut Unlocked));
    }

    /// Waits for the others, counts, and keeps what was noted. Everything is allocated before the barrier.
    fn one_thread(&self, count: impl FnOnce(&mut Track)) {
        self.barrier.wait();
        let one_after_another = self.count.sabotage == Some(Sabotage::PoolThatRunsOneAfterAnother);
        let turn = one_after_another.then(|| self.one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner));
        let mut track = Track::starting(self.host.now());
        count(&mut track);
        drop(turn);
        self.variant.ended();
        self.tracks.lock().unwrap_or_else(PoisonError::into_inner).push(track);
    }

    /// A thread's additions, cut so that the time can be noted after each part; as even as whole numbers allow.
    fn parts(&self) -> impl Iterator<Item = u32> + use<V> {
        let (all, parts) = (u64::from(self.count.additions), u64::from(overlap::PARTS));
        let upto = move |part: u64| u32::try_from(all * part / parts).expect("at most all additions, which are u32");
        (0..parts)
            .map(move |part| upto(part + 1) - upto(part))
            .filter(|&additions| additions > 0)
    }
}

/// Not part of the generic race, so that it is compiled once.
fn judge(count: &CountJob, value: u32, hand_overs: u32, tracks: &[Track]) -> JobOutcome {
    let seen = overlap::overlap(tracks);
    JobOutcome::Counted {
        elapsed_ms: seen.elapsed_ms,
        value,
        expected: count.threads.saturating_mul(count.additions),
        overlap: seen.share,
        at_once: seen.at_once,
        hand_overs,
    }
}
