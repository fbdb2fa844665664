//! Another schedule: at chosen steps another thread goes on than the scheduler would let.
//!
//! "What if" is a run again: the same machine and seed do the same up to the first [`Switch`], step by step, and what
//! comes after is what would have come of it. Worked example, one core, no interpreter lock, A and B both reading a cell
//! and writing it: left alone, A does all of it before B; with a switch to B after A's read, both read the same value.
//!
//! Under an interpreter lock a switch is a request to drop it, as a waiter makes after its interval: the holder lets go
//! at its next place where it may, so that no schedule does what the runtime rules out. Whoever is called has the lock
//! without the delay of a wake-up, for else another could come in between.
//!
//! A thread that waits can be called too: it looks at once whether it can go on, be it woken or not, and if its time is
//! up it gives up. A thread that finds a lock held is on its way into the lock's row for a while, and nothing says who
//! gets there first; so every order in which waiting threads look is one that may be. A switch that is due when the
//! thread that ran has stopped by itself is made before any time passes.
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
    made: Vec<Switch>,
    missed: Vec<Switch>,
    /// Who gets the interpreter lock as soon as its holder lets go.
    called: Option<ThreadId>,
}

impl Steering {
    pub fn new(switches: &[Switch]) -> Self {
        let mut ahead = switches.to_vec();
        ahead.reverse();
        ahead.sort_by_key(|switch| std::cmp::Reverse(switch.at_step));
        Self {
            ahead,
            ..Self::default()
        }
    }

    /// The step of the next switch; beyond all steps if there is none.
    #[inline]
    pub fn next_at(&self) -> u64 {
        self.ahead.last().map_or(u64::MAX, |switch| switch.at_step)
    }
}

impl Machine {
    /// Asks for a switch from outside, between two slices of the run: as if it had been among the settings' from the start.
    /// One whose step is past is due at once.
    pub fn ask_for(&mut self, switch: Switch) {
        // Behind those of the same step that were asked for before.
        let place = self
            .steering
            .ahead
            .partition_point(|other| other.at_step > switch.at_step);
        self.steering.ahead.insert(place, switch);
    }

    /// Takes back the switches that are not due yet.
    pub fn take_back_switches(&mut self) {
        self.steering.ahead.clear();
    }

    /// The thread that is to be asked for its next effect when the run goes on; none if the last slice did not end
    /// between two effects of one.
    #[must_use]
    pub fn next_to_go(&self) -> Option<ThreadId> {
        self.paused
    }

    /// The switches that changed who went on, in order: the same run, given these in its settings, makes them again.
    #[must_use]
    pub fn switches_made(&self) -> &[Switch] {
        &self.steering.made
    }

    /// Switches that were not possible, as the thread was blocked, had ended or was not there, in the order in which they
    /// were due; and those whose step was not reached yet.
    #[must_use]
    pub fn switches_not_made(&self) -> Vec<Switch> {
        let ahead = self.steering.ahead.iter().rev();
        self.steering.missed.iter().chain(ahead).copied().collect()
    }

    /// Whether a switch is due and can be looked at: between two effects, or when nobody is left to be asked now.
    #[inline]
    pub(super) fn is_steered_now(&self) -> bool {
        let is_due = self.steering.next_at() <= self.steps || self.steering.called.is_some();
        is_due && (self.paused.is_some() || self.agenda.is_empty())
    }

    /// Makes the switches that are due.
    pub(super) fn steer(&mut self) {
        self.lock_goes_to_called();
        while self.steering.next_at() <= self.steps {
            let Some(switch) = self.steering.ahead.last().copied() else {
                return;
            };
            if !self.can_be_looked_at(switch.to) {
                return;
            }
            self.steering.ahead.pop();
            let is_going = matches!(self.phase_of(switch.to), Some(Phase::Running(_)));
            if !self.switch_to(switch.to) {
                self.steering.missed.push(switch);
            } else if !is_going {
                self.steering.made.push(switch);
            }
        }
    }

    fn phase_of(&self, thread: ThreadId) -> Option<&Phase> {
        self.threads.get(thread.index()).map(|thread| &thread.phase)
    }

    /// Whether a switch to this thread need not wait until another thread is between two effects.
    fn can_be_looked_at(&self, to: ThreadId) -> bool {
        self.paused.is_some() || matches!(self.phase_of(to), Some(Phase::Blocked(_) | Phase::NeedsLock))
    }

    /// False if the thread cannot go on.
    fn switch_to(&mut self, to: ThreadId) -> bool {
        if matches!(self.phase_of(to), Some(Phase::Blocked(_))) {
            self.look_now(to);
        }
        match self.phase_of(to) {
            Some(Phase::Running(_)) => true,
            // Without anybody to take the core from, all cores are busy computing: it is the next that gets one.
            Some(Phase::NeedsCore) => self.take_core_for(to),
            Some(Phase::NeedsLock) => {
                self.ask_lock_for(to);
                true
            }
            Some(Phase::New | Phase::Blocked(_) | Phase::Ended) | None => false,
        }
    }

    /// A waiting thread looks whether it can go on, or gives up if its time is up at this very moment.
    fn look_now(&mut self, thread: ThreadId) {
        let is_up = self
            .thread(thread)
            .deadline
            .is_some_and(|deadline| deadline <= self.now);
        if is_up {
            self.time_is_up(thread);
        } else {
            self.try_again(thread);
        }
        self.settle_woken();
    }

    /// The thread that would be asked next gives its core to another that waits for one.
    fn take_core_for(&mut self, to: ThreadId) -> bool {
        self.cores.queue.retain(|waiting| *waiting != to);
        self.cores.queue.push_front(to);
        let Some(thread) = self.paused.take() else { return true };
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
        let holder = lock.holder;
        self.steering.called = Some(to);
        match holder {
            Some(holder) => self.request_drop(holder),
            None => self.lock_goes_to_called(),
        }
    }

    /// Who was called has the interpreter lock, once it is free.
    fn lock_goes_to_called(&mut self) {
        let Some(called) = self.steering.called else { return };
        if !matches!(self.phase_of(called), Some(Phase::NeedsLock)) {
            self.steering.called = None;
            return;
        }
        let interpreter = self.thread(called).interpreter;
        if self.interpreter(interpreter).lock.holder.is_none() {
            self.steering.called = None;
            self.lock_signalled(called);
        }
    }
}
