//! Starvation: a thread is ready, or waits for a lock, while others get what it wants again and again.
//!
//! The rule: for at least a second others had it at least a hundred times, and at least four times as often as there are
//! threads that could have it. Where everybody has a turn after all others, as with a fair row, nobody starves, however
//! long the row is.
//!
//! Not here: tasks, whose ready queue is fair.

use crate::machine::Nanoseconds;
use crate::machine::threads::thread::{Phase, Wait};
use crate::machine::threads::{Machine, ThreadId};
use crate::machine::trace::LaneId;

/// A thread that others went before for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overtaken {
    /// Which.
    pub thread: ThreadId,
    /// Its lane.
    pub lane: LaneId,
    /// What it had not got.
    pub lacks: Lacks,
    /// Since when.
    pub since: Nanoseconds,
    /// For how long, or until now.
    pub length: Nanoseconds,
    /// How often others got it meanwhile.
    pub n_times: u64,
}

/// What a thread is starved of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacks {
    /// A core.
    Core,
    /// The interpreter lock.
    InterpreterLock,
    /// A lock, by its number.
    Lock(u32),
}

/// From this length on.
const LENGTH: Nanoseconds = Nanoseconds::seconds(1);
/// So often at least.
const TIMES: u64 = 100;
/// And so many times as often as there are rivals.
const TIMES_A_RIVAL: u64 = 4;

impl Machine {
    /// How often others got what a thread lacks, in all, and how many could have it.
    #[inline(always)]
    fn turns_of_others(&self, thread: ThreadId) -> Option<(Lacks, u64, u64)> {
        let of = self.thread(thread);
        match &of.phase {
            Phase::NeedsCore => {
                let rivals = self.cores.queue.len() + self.cores.cores.len();
                Some((Lacks::Core, self.cores.turns, rivals as u64))
            }
            Phase::NeedsLock => {
                let lock = &self.interpreter(of.interpreter).lock;
                Some((Lacks::InterpreterLock, lock.switches, lock.waiters.len() as u64 + 1))
            }
            Phase::Blocked(Wait::Mutex(number)) => {
                let mutex = self.primitives.mutexes.get(*number as usize)?;
                Some((Lacks::Lock(*number), mutex.n_acquired, mutex.waiters.len() as u64 + 1))
            }
            _ => None,
        }
    }

    fn overtaken(&self, thread: ThreadId) -> Option<Overtaken> {
        let of = self.thread(thread);
        let length = self.now.since(of.since);
        if length < LENGTH {
            return None;
        }
        let (lacks, turns, rivals) = self.turns_of_others(thread)?;
        let n_times = turns.saturating_sub(of.turns_seen);
        let is_starved = n_times >= TIMES.max(rivals.saturating_mul(TIMES_A_RIVAL));
        is_starved.then_some(Overtaken {
            thread,
            lane: of.lane,
            lacks,
            since: of.since,
            length,
            n_times,
        })
    }

    /// A thread leaves its phase: if it was starved, that is over.
    pub(in crate::machine::threads) fn left_phase(&mut self, thread: ThreadId) {
        let now = self.now;
        let of = self.thread_mut(thread);
        let length = now.since(of.since);
        if let Phase::Running(_) = of.phase {
            of.used.on_core += length;
        } else if length >= LENGTH
            && let Some(overtaken) = self.overtaken(thread)
        {
            self.watch.overtaken.push(overtaken);
        }
    }

    /// A thread is in a new phase.
    pub(in crate::machine::threads) fn entered_phase(&mut self, thread: ThreadId) {
        if let Some((_, turns, _)) = self.turns_of_others(thread) {
            self.thread_mut(thread).turns_seen = turns;
        }
    }

    /// Threads that were starved, and such as still are, in the order of its end.
    #[must_use]
    pub fn starved(&self) -> Vec<Overtaken> {
        let ended = self.watch.overtaken.iter().copied();
        ended.chain(self.starving()).collect()
    }

    /// Threads that are starved now.
    pub(in crate::machine::threads) fn starving(&self) -> Vec<Overtaken> {
        let all = 0..self.threads.len() as u32;
        all.filter_map(|number| self.overtaken(ThreadId(number))).collect()
    }
}
