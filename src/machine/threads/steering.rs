//! Another schedule: at chosen steps another thread goes on than the scheduler would let.
//!
//! "What if" is a run again: the same machine and seed do the same up to the first [`Switch`], step by step, and what
//! comes after is what would have come of it. Worked example, one core, no interpreter lock, A and B both reading a cell
//! and writing it: left alone, A does all of it before B; with a switch to B after A's read, both read the same value.
//!
//! Under an interpreter lock a switch is a request to drop it, as a waiter makes after its interval: the holder lets go
//! at its next place where it may, so that no schedule does what the runtime rules out.
//!
//! Not here: choosing a schedule.

use super::thread::Phase;
use super::{Machine, ThreadId};

/// At a step, this thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// When so many effects have been made by all programs: before the next one.
    pub at_step: u64,
    /// Who goes on.
    pub to: ThreadId,
}

/// The switches of a run, and what became of them.
#[derive(Debug, Default)]
pub(super) struct Steering {
    /// In order; the next one last.
    ahead: Vec<Switch>,
    missed: Vec<Switch>,
}

impl Steering {
    pub fn new(switches: &[Switch]) -> Self {
        let mut ahead = switches.to_vec();
        ahead.reverse();
        ahead.sort_by_key(|switch| std::cmp::Reverse(switch.at_step));
        Self {
            ahead,
            missed: Vec::new(),
        }
    }

    /// The step of the next switch; beyond all steps if there is none.
    #[inline]
    pub fn next_at(&self) -> u64 {
        self.ahead.last().map_or(u64::MAX, |switch| switch.at_step)
    }
}

impl Machine {
    /// Makes the switches that are due, between two effects.
    pub(super) fn steer(&mut self) {
        while self.steering.next_at() <= self.steps {
            let Some(switch) = self.steering.ahead.pop() else {
                return;
            };
            if !self.switch_to(switch.to) {
                self.steering.missed.push(switch);
            }
        }
    }

    /// Switches that were not possible, as the thread was blocked, had ended or was not there, in the order in which they
    /// were due; and those whose step was not reached yet.
    #[must_use]
    pub fn switches_not_made(&self) -> Vec<Switch> {
        let ahead = self.steering.ahead.iter().rev();
        self.steering.missed.iter().chain(ahead).copied().collect()
    }

    /// False if the thread cannot go on.
    fn switch_to(&mut self, to: ThreadId) -> bool {
        match self.threads.get(to.index()).map(|thread| &thread.phase) {
            Some(Phase::Running(_)) => true,
            Some(Phase::NeedsCore) => self.take_core_for(to),
            Some(Phase::NeedsLock) => {
                self.ask_lock_for(to);
                true
            }
            Some(Phase::New | Phase::Blocked(_) | Phase::Ended) | None => false,
        }
    }

    /// The thread that would be asked next gives its core to another that waits for one.
    fn take_core_for(&mut self, to: ThreadId) -> bool {
        let Some(thread) = self.paused.take() else { return false };
        self.cores.queue.retain(|waiting| *waiting != to);
        self.cores.queue.push_front(to);
        self.give_way(thread);
        self.agenda.retain(|next| *next != to);
        self.agenda.push_front(to);
        true
    }

    /// Asks whoever has the interpreter lock to drop it, and lets the thread have it first.
    fn ask_lock_for(&mut self, to: ThreadId) {
        let interpreter = self.thread(to).interpreter;
        let lock = &mut self.interpreter_mut(interpreter).lock;
        lock.waiters.retain(|waiting| *waiting != to);
        lock.waiters.push_front(to);
        if let Some(holder) = lock.holder {
            self.request_drop(holder);
        }
    }
}
