//! Waiting and going on: the one way in which threads block, are woken, try again and run out of time.
//!
//! Every object that threads wait for keeps them in a row. Whoever makes something possible wakes as many as can go on;
//! a woken thread tries after the wake-up's delay, and if another was quicker it goes on waiting in its place. Without a
//! delay it tries at once, before the waking thread does anything else.
//!
//! Worked example: A has a lock, B and C wait for it. A releases and wakes B; B tries 10 µs later. Had A taken the lock
//! again by then, B would wait on, first in the row.
//!
//! Not here: what each object needs for a thread to go on.

use std::collections::VecDeque;

use super::events::Event;
use super::thread::{Phase, Wait};
use super::{Machine, MachineFault, ThreadId};
use crate::machine::trace::{BlockCause, Instant, ReadyCause, State, WaitCause};
use crate::machine::{Exception, Input, Kind, Nanoseconds, Outcome, Value};

/// What becomes of a call.
#[derive(Debug)]
pub(super) enum Answer {
    /// The thread goes on with this at once.
    Gives(Value),
    /// The thread goes on with this at once.
    Raises(Exception),
    /// The thread blocks, at most so long.
    Blocks(Wait, Option<Nanoseconds>),
    /// A program was put on the thread's stack; what comes of the call is known when it ends.
    Runs,
    /// The run is over.
    Stops,
}

impl From<Outcome> for Answer {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Ok(value) => Self::Gives(value),
            Err(exception) => Self::Raises(exception),
        }
    }
}

impl<T: Into<Value>> From<T> for Answer {
    fn from(value: T) -> Self {
        Self::Gives(value.into())
    }
}

impl Answer {
    /// An exception with Python's message.
    pub fn raises(kind: Kind, message: &str) -> Self {
        Self::Raises(Exception::new(kind, message))
    }

    /// What is said to an id that names nothing.
    pub fn unknown() -> Self {
        Self::raises(Kind::ValueError, "no such object on this machine")
    }
}

impl Machine {
    /// A thread's phase from now on, wherever it was before.
    pub(super) fn enter(&mut self, thread: ThreadId, phase: Phase) {
        self.left_phase(thread);
        let now = self.now;
        let entered = self.thread_mut(thread);
        entered.phase = phase;
        entered.epoch = entered.epoch.wrapping_add(1);
        entered.since = now;
        entered.waking = false;
        entered.deadline = None;
        self.entered_phase(thread);
        self.record_phase(thread);
    }

    fn record_phase(&mut self, thread: ThreadId) {
        if !self.recorder.is_on() {
            return;
        }
        let state = self.state_of(thread);
        let (now, lane) = (self.now, self.thread(thread).lane);
        self.recorder.enter(now, lane, state);
        if let State::Waiting(WaitCause::Thread) = state
            && let Some(wait) = self.thread(thread).wait()
            && let Some(on) = self.holder_of(wait)
        {
            let on = self.thread(on).lane;
            self.recorder.awaits(now, lane, on);
        }
    }

    /// What a thread is doing, in the words of a trace.
    pub(super) fn state_of(&self, thread: ThreadId) -> State {
        let of = self.thread(thread);
        match &of.phase {
            Phase::New | Phase::NeedsCore => State::Ready(ReadyCause::Core),
            Phase::NeedsLock => State::Ready(ReadyCause::InterpreterLock),
            Phase::Running(_) => State::Running,
            Phase::Ended => match &of.outcome {
                Some(Err(exception)) if exception.is_cancelled() => State::Cancelled,
                Some(Err(_)) => State::Failed,
                Some(Ok(_)) | None => State::Done,
            },
            Phase::Blocked(_) if of.waking => State::Ready(ReadyCause::Core),
            Phase::Blocked(wait) => {
                let holder = self.holder_of(wait).map(|holder| self.thread(holder).lane);
                match wait {
                    Wait::Sleep | Wait::Poll => State::Waiting(WaitCause::Timer),
                    Wait::Request(_) => State::Waiting(WaitCause::Io),
                    Wait::Mutex(_) | Wait::Reacquire { .. } => State::Blocked(BlockCause::Lock, holder),
                    Wait::Semaphore(_) => State::Blocked(BlockCause::Semaphore, None),
                    Wait::Condition(..) | Wait::Event(_) | Wait::Barrier(_) => {
                        State::Blocked(BlockCause::Condition, None)
                    }
                    Wait::Put(..) | Wait::Get(_) | Wait::AllDone(_) => State::Blocked(BlockCause::Queue, None),
                    Wait::Work(_) | Wait::Traffic(_) => State::Idle,
                    Wait::Given(_) => State::Ready(ReadyCause::Core),
                    Wait::Started(..)
                    | Wait::Join(_)
                    | Wait::Result(_)
                    | Wait::Exception(_)
                    | Wait::Several(_)
                    | Wait::Next(_)
                    | Wait::Process(_)
                    | Wait::Exit
                    | Wait::Workers(_) => State::Waiting(WaitCause::Thread),
                }
            }
        }
    }

    /// The acting thread waits, without core and interpreter lock.
    pub(super) fn block(&mut self, thread: ThreadId, wait: Wait, limit: Option<Nanoseconds>) {
        let is_sleep = matches!(wait, Wait::Sleep | Wait::Poll);
        self.leave_core(thread);
        self.enter(thread, Phase::Blocked(wait));
        if let Some(limit) = limit.filter(|_| is_sleep || !self.has_fault(MachineFault::TimeoutNeverFires)) {
            let epoch = self.thread(thread).epoch;
            let at = self.now + limit + self.settings.costs.timer_slack;
            self.events.add(at, Event::Timeout(thread, epoch));
            self.thread_mut(thread).deadline = Some(at);
        }
        self.release_lock(thread, false);
    }

    /// A waiting thread is to look whether it can go on.
    pub(super) fn wake(&mut self, thread: ThreadId) {
        if self.thread(thread).wait().is_none() || self.thread(thread).waking {
            return;
        }
        self.thread_mut(thread).waking = true;
        if let Some(by) = self.acting.filter(|by| *by != thread) {
            self.record_wake(by, thread);
        }
        let delay = self.wake_up_delay();
        if delay == Nanoseconds::ZERO {
            self.woken.push_back(thread);
        } else {
            let epoch = self.thread(thread).epoch;
            self.events.add(self.now + delay, Event::Wake(thread, epoch));
            self.record_phase(thread);
        }
    }

    /// Wakes the first n of a row that have not been woken yet.
    pub(super) fn wake_first(&mut self, row: &VecDeque<ThreadId>, n: usize) {
        let asleep = row.iter().copied().filter(|waiter| !self.thread(*waiter).waking);
        for waiter in asleep.take(n).collect::<Vec<ThreadId>>() {
            self.wake(waiter);
        }
    }

    /// A waiting thread is given what it waits for, whatever it does not have to look for itself.
    pub(super) fn give(&mut self, thread: ThreadId, outcome: Outcome) {
        let given = self.thread_mut(thread);
        if let Phase::Blocked(wait) = &mut given.phase {
            *wait = Wait::Given(outcome);
            self.wake(thread);
        }
    }

    /// A woken thread goes on if it can, or waits on.
    pub(super) fn try_again(&mut self, thread: ThreadId) {
        if self.thread(thread).wait().is_none() {
            return;
        }
        match self.attempt(thread) {
            Some(outcome) => self.unblock(thread, outcome),
            None => {
                self.thread_mut(thread).waking = false;
                self.record_phase(thread);
            }
        }
    }

    /// The time of a waiting thread is up.
    pub(super) fn time_is_up(&mut self, thread: ThreadId) {
        if let Some(outcome) = self.attempt(thread).or_else(|| self.give_up(thread)) {
            self.unblock(thread, outcome);
        }
    }

    fn unblock(&mut self, thread: ThreadId, outcome: Outcome) {
        self.thread_mut(thread).input = Input::from(outcome);
        self.want_lock(thread);
    }

    /// What a thread's call gives, if it need not wait any longer. It has then left the row it waited in.
    pub(super) fn attempt(&mut self, thread: ThreadId) -> Option<Outcome> {
        let Phase::Blocked(wait) = &mut self.thread_mut(thread).phase else {
            return None;
        };
        let wait = std::mem::replace(wait, Wait::Sleep);
        let outcome = self.attempt_for(thread, &wait);
        if let Phase::Blocked(place) = &mut self.thread_mut(thread).phase {
            *place = wait;
        }
        outcome
    }

    fn attempt_for(&mut self, thread: ThreadId, wait: &Wait) -> Option<Outcome> {
        match wait {
            Wait::Given(outcome) => Some(outcome.clone()),
            // These are given their outcome, or their time is up.
            Wait::Sleep | Wait::Condition(..) | Wait::Event(_) | Wait::Barrier(_) | Wait::Request(_) => None,
            Wait::Poll => self.thread(thread).waking.then_some(Ok(Value::None)),
            Wait::Started(other, answer) => {
                let other = self.thread_mut(*other);
                other.has_begun.then(|| {
                    other.watchers.retain(|waiter| *waiter != thread);
                    Ok(answer.clone())
                })
            }
            Wait::Join(other) => self.thread(*other).has_finished().then_some(Ok(Value::None)),
            Wait::Mutex(mutex) => self.acquire(thread, *mutex, 1).then_some(Ok(Value::Bool(true))),
            Wait::Reacquire { mutex, depth, notified } => {
                let is_acquired = self.acquire(thread, *mutex, *depth);
                is_acquired.then_some(Ok(Value::Bool(*notified)))
            }
            Wait::Semaphore(semaphore) => self.attempt_semaphore(thread, *semaphore),
            Wait::Put(queue, item) => self.attempt_put(thread, *queue, item),
            Wait::Get(queue) => self.attempt_get(thread, *queue),
            Wait::AllDone(queue) => self.attempt_join(thread, *queue),
            Wait::Result(future) => self.attempt_result(thread, *future),
            Wait::Exception(future) => self.attempt_exception(thread, *future),
            Wait::Several(several) => self.attempt_several(thread, several),
            Wait::Next(completions) => self.attempt_next(thread, *completions),
            Wait::Process(process) => self.process(*process).has_ended().then_some(Ok(Value::None)),
            Wait::Exit => self.may_exit(thread).then_some(Ok(Value::None)),
            Wait::Work(pool) | Wait::Traffic(pool) => self.attempt_work(thread, *pool),
            Wait::Workers(pool) => self.has_no_workers(*pool).then_some(Ok(Value::None)),
        }
    }

    /// What a thread's call gives when its time is up; nothing if it has to wait for something else first. It has then
    /// left the row it waited in.
    fn give_up(&mut self, thread: ThreadId) -> Option<Outcome> {
        let Phase::Blocked(wait) = &mut self.thread_mut(thread).phase else {
            return None;
        };
        let wait = std::mem::replace(wait, Wait::Sleep);
        self.forget_wait(thread, &wait);
        if !matches!(wait, Wait::Sleep | Wait::Poll) {
            self.saw_timeout(thread);
            let (now, lane) = (self.now, self.thread(thread).lane);
            self.recorder.instant(now, lane, Instant::Timeout, String::new);
        }
        Some(match wait {
            Wait::Mutex(_) | Wait::Semaphore(_) | Wait::Event(_) => Ok(Value::Bool(false)),
            Wait::Condition(condition, depth) => {
                self.reacquire(thread, condition, depth, false);
                return None;
            }
            Wait::Barrier(barrier) => self.barrier_timed_out(barrier),
            Wait::Put(..) => Err(Exception::new(Kind::QueueFull, "")),
            Wait::Get(_) => Err(Exception::new(Kind::QueueEmpty, "")),
            Wait::Result(_) | Wait::Exception(_) => Err(Exception::new(Kind::Timeout, "")),
            Wait::Next(completions) => Err(self.completions_timeout(completions)),
            Wait::Several(several) => Ok(self.sorted(&several.of)),
            // These have no time of their own, or end with nothing.
            _ => Ok(Value::None),
        })
    }

    /// Takes a thread out of the row that it waits in.
    pub(super) fn forget_wait(&mut self, thread: ThreadId, wait: &Wait) {
        match wait {
            Wait::Mutex(mutex) | Wait::Reacquire { mutex, .. } => self.leave_mutex(thread, *mutex),
            Wait::Condition(..) | Wait::Semaphore(_) | Wait::Event(_) | Wait::Barrier(_) => {
                self.leave_primitive(thread, wait);
            }
            Wait::Put(..) | Wait::Get(_) | Wait::AllDone(_) => self.leave_queue(thread, wait),
            Wait::Result(future) | Wait::Exception(future) => self.leave_future(thread, *future),
            Wait::Several(several) => {
                for future in &several.of {
                    self.leave_future(thread, *future);
                }
            }
            Wait::Next(completions) => self.leave_completions(thread, *completions),
            Wait::Started(other, _) | Wait::Join(other) => {
                self.thread_mut(*other).watchers.retain(|waiter| *waiter != thread);
            }
            Wait::Process(process) => self.leave_process(thread, *process),
            Wait::Work(pool) | Wait::Traffic(pool) | Wait::Workers(pool) => self.leave_pool(thread, *pool),
            Wait::Request(request) => self.drop_request(*request),
            Wait::Sleep | Wait::Poll | Wait::Exit | Wait::Given(_) => {}
        }
    }
}
