//! The interpreter lock, after CPython's `Python/ceval_gil.c`; the live one is in `live::interpreter_lock`.
//!
//! Worked example, with a switch interval of 5 ms and no costs; A computes in bytecode, B wants the lock at 1 ms:
//!
//! ```text
//! 1 ms   B waits, at most one interval.
//! 6 ms   The interval is over and nobody else has had the lock meanwhile: B asks A to drop it. A is in bytecode, so it
//!        drops at once; in a call into C it would at its next check point. B has the lock. A may have it again only
//!        after that: it waits behind all others.
//! 11 ms  A has waited for an interval and asks B.
//! ```
//!
//! Had a third thread had the lock between 1 and 6 ms, B would have begun a new interval. A thread that lets the lock go
//! by itself (sleep, input and output, a big hash) forces nothing: with a wake-up that takes time, whoever is on a core
//! first has it, be it the same thread again.
//!
//! Not here: cores. The lock is given to threads without a core, which then ask for one.

use std::collections::VecDeque;

use super::events::Event;
use super::thread::{Phase, WorkKind};
use super::{InterpreterId, Machine, MachineFault, ThreadId};
use crate::machine::Nanoseconds;
use crate::machine::program::Computing;
use crate::machine::trace::{Instant, LaneId, State};
use crate::switch_points::{Operation, may_switch};

#[derive(Debug, Default)]
pub(super) struct InterpreterLock {
    pub holder: Option<ThreadId>,
    last_holder: Option<ThreadId>,
    /// Set when a waiter has waited long enough, cleared by whoever takes the lock next.
    pub drop_requested: bool,
    /// Who let go because it was asked to, until another has had the lock.
    forced: Option<ThreadId>,
    /// Whether the last release was asked for.
    was_forced: bool,
    /// Who waits, in the order of coming.
    pub waiters: VecDeque<ThreadId>,
    /// Whether the first waiter was signalled that the lock is free, and has not tried yet.
    is_signalled: bool,
    /// How often the lock went from one thread to another.
    pub switches: u64,
    pub hand_overs: HandOvers,
}

/// How often an interpreter lock went from one thread to another, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandOvers {
    /// Because the other had waited for a whole switch interval.
    pub forced: u64,
    /// Because the one let go by itself.
    pub voluntary: u64,
}

impl InterpreterLock {
    /// A waiter waits no more: in nearly all cases the first, so that a long row is not gone through.
    fn leave_row(&mut self, thread: ThreadId) {
        if self.waiters.front() == Some(&thread) {
            self.waiters.pop_front();
        } else {
            self.waiters.retain(|waiter| *waiter != thread);
        }
    }
}

impl Machine {
    /// The thread has everything but the interpreter lock and a core: it gets the lock if it is free, or waits.
    pub(super) fn want_lock(&mut self, thread: ThreadId) {
        if self.take_if_free(thread) {
            self.want_core(thread);
        } else {
            self.wait_for_lock(thread);
        }
    }

    /// As [`want_lock`](Self::want_lock), of a thread that is on a core and stays there if it gets the lock.
    pub(super) fn want_lock_on_core(&mut self, thread: ThreadId) {
        self.thread_mut(thread).work.has_released = false;
        if self.take_if_free(thread) {
            self.agenda.push_back(thread);
        } else {
            self.leave_core(thread);
            self.wait_for_lock(thread);
        }
    }

    fn take_if_free(&mut self, thread: ThreadId) -> bool {
        if !self.has_interpreter_lock() {
            return true;
        }
        let interpreter = self.thread(thread).interpreter;
        let lock = &self.interpreter(interpreter).lock;
        let is_free = lock.holder.is_none() && lock.forced != Some(thread);
        if is_free {
            self.hold(thread, interpreter);
        }
        is_free
    }

    fn wait_for_lock(&mut self, thread: ThreadId) {
        self.enter(thread, Phase::NeedsLock);
        let interpreter = self.thread(thread).interpreter;
        self.interpreter_mut(interpreter).lock.waiters.push_back(thread);
        self.begin_interval(thread, interpreter);
    }

    fn begin_interval(&mut self, thread: ThreadId, interpreter: InterpreterId) {
        let switches = self.interpreter(interpreter).lock.switches;
        let end = self.now + self.settings.switch_interval.max(Nanoseconds(1));
        let waiter = self.thread_mut(thread);
        waiter.switches_seen = switches;
        let epoch = waiter.epoch;
        self.events.add(end, Event::Interval(thread, epoch));
    }

    fn hold(&mut self, thread: ThreadId, interpreter: InterpreterId) {
        let now = self.now;
        let lock = &mut self.interpreter_mut(interpreter).lock;
        lock.holder = Some(thread);
        lock.drop_requested = false;
        if lock.last_holder != Some(thread) {
            if lock.last_holder.is_some() {
                lock.switches += 1;
                if lock.was_forced {
                    lock.hand_overs.forced += 1;
                } else {
                    lock.hand_overs.voluntary += 1;
                }
            }
            lock.last_holder = Some(thread);
        }
        // Who was made to let go may ask again from now on.
        let forced = lock.forced.take();
        let lane = self.interpreter(interpreter).lane;
        self.recorder.enter(now, lane, State::Running);
        if let Some(forced) = forced {
            self.interpreter_mut(interpreter).lock.waiters.push_back(forced);
            self.begin_interval(forced, interpreter);
        }
    }

    /// Whether a thread has its interpreter's lock; where there is none, no.
    pub(super) fn holds_lock(&self, thread: ThreadId) -> bool {
        let interpreter = self.thread(thread).interpreter;
        self.interpreter(interpreter).lock.holder == Some(thread)
    }

    /// Gives the lock up, if the thread has it. The caller says where the thread goes; one that was asked to let go is
    /// not among the waiters before another has had the lock.
    pub(super) fn release_lock(&mut self, thread: ThreadId, was_forced: bool) {
        if !self.holds_lock(thread) {
            return;
        }
        let now = self.now;
        let interpreter = self.thread(thread).interpreter;
        let lock = &mut self.interpreter_mut(interpreter).lock;
        lock.holder = None;
        lock.was_forced = was_forced;
        lock.forced = was_forced.then_some(thread);
        let (first, is_signalled) = (lock.waiters.front().copied(), lock.is_signalled);
        let lane = self.interpreter(interpreter).lane;
        self.recorder.enter(now, lane, State::Idle);
        if let Some(first) = first.filter(|_| !is_signalled) {
            self.signal(first, interpreter);
        }
    }

    fn signal(&mut self, thread: ThreadId, interpreter: InterpreterId) {
        self.interpreter_mut(interpreter).lock.is_signalled = true;
        let delay = self.wake_up_delay();
        if delay == Nanoseconds::ZERO {
            self.lock_signalled(thread);
        } else {
            let epoch = self.thread(thread).epoch;
            self.events.add(self.now + delay, Event::LockWake(thread, epoch));
        }
    }

    /// A waiter that was signalled tries to take the lock; if another was quicker, it waits for a new interval.
    pub(super) fn lock_signalled(&mut self, thread: ThreadId) {
        let interpreter = self.thread(thread).interpreter;
        let lock = &mut self.interpreter_mut(interpreter).lock;
        lock.is_signalled = false;
        if lock.holder.is_some() {
            let waiter = self.thread_mut(thread);
            waiter.epoch = waiter.epoch.wrapping_add(1);
            self.begin_interval(thread, interpreter);
            return;
        }
        if let Some(giver) = lock.last_holder {
            lock.leave_row(thread);
            self.record_wake(giver, thread);
        }
        self.hold(thread, interpreter);
        self.want_core(thread);
    }

    /// A waiter has waited for a whole interval: it asks for the lock, unless another thread has had it meanwhile.
    pub(super) fn interval_over(&mut self, thread: ThreadId) {
        let waiter = self.thread(thread);
        let (interpreter, seen) = (waiter.interpreter, waiter.switches_seen);
        self.begin_interval(thread, interpreter);
        let lock = &mut self.interpreter_mut(interpreter).lock;
        if let Some(holder) = lock.holder.filter(|_| lock.switches == seen) {
            self.request_drop(holder);
        }
    }

    /// Asks the holder of an interpreter lock to drop it.
    pub(super) fn request_drop(&mut self, holder: ThreadId) {
        let interpreter = self.thread(holder).interpreter;
        let lock = &mut self.interpreter_mut(interpreter).lock;
        let was_requested = std::mem::replace(&mut lock.drop_requested, true);
        let now = self.now;
        if !was_requested {
            let lane = self.thread(holder).lane;
            self.recorder.instant(now, lane, Instant::DropRequest, String::new);
        }
        let work = &self.thread(holder).work;
        let is_in_bytecode = work.rate > 0 && work.kind == WorkKind::Program(Computing::Bytecode);
        // Between bytecodes it sees the request at once; anything else has to end first.
        if is_in_bytecode && now >= work.keeps_lock_until {
            self.hand_over(holder);
        }
    }

    /// The holder, on a core, lets go because it was asked to.
    pub(super) fn hand_over(&mut self, thread: ThreadId) {
        let interpreter = self.thread(thread).interpreter;
        if self.interpreter(interpreter).lock.waiters.is_empty() {
            // Who asked has ended with its process.
            self.interpreter_mut(interpreter).lock.drop_requested = false;
            self.agenda.push_back(thread);
            return;
        }
        self.leave_core(thread);
        self.enter(thread, Phase::NeedsLock);
        self.release_lock(thread, true);
    }

    /// The acting thread is at a place of this kind; true if it has let go there.
    pub(super) fn passes(&mut self, thread: ThreadId, operation: Operation) -> bool {
        let interpreter = self.thread(thread).interpreter;
        let lets_go = self.is_drop_requested(interpreter) && may_switch(self.settings.runtime, operation);
        if lets_go {
            self.hand_over(thread);
        }
        lets_go
    }

    pub(super) fn is_drop_requested(&self, interpreter: InterpreterId) -> bool {
        self.interpreter(interpreter).lock.drop_requested
    }

    /// Whether computing of this kind would let the lock go to somebody who waits for it.
    pub(super) fn lock_is_asked_for(&self, interpreter: InterpreterId, kind: WorkKind) -> bool {
        let lock = &self.interpreter(interpreter).lock;
        match kind {
            WorkKind::Program(Computing::Bytecode) => lock.drop_requested,
            WorkKind::Program(Computing::ReleasesLock) => !lock.waiters.is_empty(),
            WorkKind::Program(Computing::KeepsLock) | WorkKind::Overhead => false,
        }
    }

    /// A loop that has nothing to wait for looks at the selector: the lock is free for that long. True if a waiter gets
    /// it meanwhile; then the thread is back behind it.
    pub(super) fn lets_go_to_poll(&mut self, thread: ThreadId) -> bool {
        let poll = self.settings.costs.poll;
        let interpreter = self.thread(thread).interpreter;
        if poll == Nanoseconds::ZERO || self.interpreter(interpreter).lock.waiters.is_empty() {
            return false;
        }
        if self.wake_up_delay() >= poll {
            return false;
        }
        self.leave_core(thread);
        self.enter(thread, Phase::NeedsLock);
        let lock = &mut self.interpreter_mut(interpreter).lock;
        lock.holder = None;
        lock.was_forced = false;
        lock.forced = Some(thread);
        if let Some(first) = lock.waiters.front().copied() {
            self.lock_signalled(first);
        }
        true
    }

    /// A thread is no more: it neither has the lock nor waits for it.
    pub(super) fn forget_lock(&mut self, thread: ThreadId) {
        let interpreter = self.thread(thread).interpreter;
        self.release_lock(thread, false);
        let lock = &mut self.interpreter_mut(interpreter).lock;
        let was_first = lock.waiters.front() == Some(&thread);
        lock.leave_row(thread);
        if lock.forced == Some(thread) {
            lock.forced = None;
        }
        if was_first && lock.is_signalled {
            lock.is_signalled = false;
            if let (None, Some(next)) = (lock.holder, lock.waiters.front().copied()) {
                self.signal(next, interpreter);
            }
        }
    }

    /// How long it takes from a signal until a thread tries to go on.
    pub(super) fn wake_up_delay(&mut self) -> Nanoseconds {
        let mean = self.settings.costs.wake_up;
        if mean == Nanoseconds::ZERO || self.settings.costs.compute_jitter_permille == 0 {
            mean
        } else {
            self.random.exponential(mean)
        }
    }

    /// The trace's word for: the one makes the other go on.
    pub(super) fn record_wake(&mut self, from: ThreadId, to: ThreadId) {
        let (from, to): (LaneId, LaneId) = (self.thread(from).lane, self.thread(to).lane);
        self.recorder.wake(self.now, from, to);
    }

    /// Whether programs' check points are looked at.
    pub(super) fn heeds_check_points(&self) -> bool {
        !self.has_fault(MachineFault::CheckPointsIgnored)
    }
}
