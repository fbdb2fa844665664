//! Time limits around a part of a task, and `wait_for`, which is one around a single await.
//!
//! Source: `Lib/asyncio/timeouts.py`, `wait_for` in `tasks.py`.

use super::callbacks::Callback;
use super::effects::{Awaitable, LoopCall};
use super::ids::{CoroutineId, FutureId, TimeoutId, Waitable};
use super::making::Then;
use super::settings::Fault;
use super::state::{Step, Turn};
use super::tasks::runtime_error;
use super::timers::{Timed, TimerRef};
use super::waits::Waiting;
use crate::machine::trace::Instant;
use crate::machine::{Effect, Exception, Input, Kind, Nanoseconds, Outcome, Program, Value};

/// One time limit.
pub(super) struct Timeout {
    state: TimeoutState,
    when: Option<Nanoseconds>,
    task: Option<FutureId>,
    /// How many cancellations were asked of the task when the block began.
    n_cancels: u32,
    timer: Option<TimerRef>,
    /// Counts how often it was set: a call of an earlier setting is cancelled.
    pub(super) armed: u32,
}

/// Where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeoutState {
    /// Made; the block has not begun.
    Created,
    /// In the block, in time.
    Entered,
    /// In the block, and the task was cancelled because the time was over.
    Expiring,
    /// The block ended after the time was over.
    Expired,
    /// The block ended in time.
    Exited,
}

impl TimeoutState {
    const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Entered => "active",
            Self::Expiring => "expiring",
            Self::Expired => "expired",
            Self::Exited => "finished",
        }
    }
}

impl Turn<'_> {
    /// `asyncio.timeout_at(when)`
    pub(super) fn new_timeout(&mut self, when: Option<Nanoseconds>) -> TimeoutId {
        self.state.count_object();
        self.state.timeouts.push(Timeout {
            state: TimeoutState::Created,
            when,
            task: None,
            n_cancels: 0,
            timer: None,
            armed: 0,
        })
    }

    /// The beginning of `async with timeout`.
    ///
    /// # Errors
    /// It was entered before, or this is no task.
    pub(super) fn enter_timeout(&mut self, id: TimeoutId) -> Outcome {
        let task = self.state.current_task();
        let timeout = self.state.timeouts.get_mut(id)?;
        if timeout.state != TimeoutState::Created {
            return Err(runtime_error("Timeout has already been entered"));
        }
        let Some(task) = task else {
            return Err(runtime_error("Timeout should be used inside a task"));
        };
        timeout.state = TimeoutState::Entered;
        timeout.task = Some(task);
        timeout.n_cancels = self.state.futures.task(task)?.n_cancels;
        let when = timeout.when;
        self.reschedule(id, when)
    }

    /// `timeout.reschedule(when)`
    ///
    /// # Errors
    /// It is not in its block, or the time is over.
    pub(super) fn reschedule(&mut self, id: TimeoutId, when: Option<Nanoseconds>) -> Outcome {
        let never = self.state.has(Fault::TimeoutNeverFires);
        let timeout = self.state.timeouts.get_mut(id)?;
        match timeout.state {
            TimeoutState::Entered => {}
            TimeoutState::Created => return Err(runtime_error("Timeout has not been entered")),
            other => {
                return Err(runtime_error(format!(
                    "Cannot change state of {} Timeout",
                    other.name()
                )));
            }
        }
        timeout.when = when;
        timeout.armed += 1;
        let armed = timeout.armed;
        let timer = timeout.timer.take();
        self.cancel_timer(timer);
        match when {
            Some(when) if !never && when <= self.state.now => self.schedule(Callback::Expire(id, armed)),
            Some(when) if !never => {
                let timer = self.schedule_at(when, Timed::Expire(id, armed));
                self.state.timeouts.get_mut(id)?.timer = timer;
            }
            _ => {}
        }
        Ok(Value::None)
    }

    /// The time is over.
    pub(super) fn expire(&mut self, id: TimeoutId) {
        let Ok(timeout) = self.state.timeouts.get_mut(id) else {
            return;
        };
        timeout.state = TimeoutState::Expiring;
        timeout.timer = None;
        let Some(task) = timeout.task else { return };
        if let Some(lane) = self.state.lane_of(task) {
            self.recorder
                .instant(self.state.now, lane, Instant::Timeout, String::new);
        }
        self.cancel(task, None);
    }

    /// The end of `async with timeout`, with what came out of the block.
    ///
    /// # Errors
    /// `TimeoutError` in the place of the cancellation that the time limit was.
    pub(super) fn exit_timeout(&mut self, id: TimeoutId, body: Option<Exception>) -> Outcome {
        let timeout = self.state.timeouts.get_mut(id)?;
        let timer = timeout.timer.take();
        timeout.armed += 1;
        let (state, task, n_before) = (timeout.state, timeout.task, timeout.n_cancels);
        timeout.state = match state {
            TimeoutState::Entered => TimeoutState::Exited,
            TimeoutState::Expiring => TimeoutState::Expired,
            _ => return Err(Exception::own("AssertionError", Value::None)),
        };
        self.cancel_timer(timer);
        if state != TimeoutState::Expiring {
            return Ok(Value::None);
        }
        let n_cancels = match task {
            Some(_) if self.state.has(Fault::TimeoutKeepsCount) => n_before,
            Some(task) => self.uncancel(task)?,
            None => 0,
        };
        // No more requests than when the block began: this one was the time limit's own.
        if let Some(body) = body
            && n_cancels <= n_before
        {
            if body.is_cancelled() {
                return Err(Exception::new(Kind::Timeout, "").from_cause(body));
            }
            insert_timeout(&body);
            body.exceptions().iter().for_each(insert_timeout);
        }
        Ok(Value::None)
    }

    /// `timeout.when()`
    ///
    /// # Errors
    /// There is no such time limit.
    pub(super) fn timeout_when(&self, id: TimeoutId) -> Outcome {
        let when = self.state.timeouts.get(id)?.when;
        Ok(when.map_or(Value::None, |when| Value::Int(when.0 as i64)))
    }

    /// `timeout.expired()`
    ///
    /// # Errors
    /// There is no such time limit.
    pub(super) fn timeout_expired(&self, id: TimeoutId) -> Outcome {
        let state = self.state.timeouts.get(id)?.state;
        Ok(Value::Bool(matches!(
            state,
            TimeoutState::Expiring | TimeoutState::Expired
        )))
    }

    /// `asyncio.wait_for`
    pub(super) fn wait_for(&mut self, task: FutureId, of: Waitable, delay: Option<Nanoseconds>) -> Step {
        if delay == Some(Nanoseconds::ZERO) {
            return self.make(vec![of], Then::CancelAndWait);
        }
        match of {
            Waitable::Future(id) => {
                let timeout = self.new_timeout(delay.map(|delay| self.state.now + delay));
                if let Err(exception) = self.enter_timeout(timeout) {
                    return Step::Go(Input::Throw(exception));
                }
                match self.result_if_done(id) {
                    Some(outcome) => self.leave_wait_for(timeout, outcome).into(),
                    None => self.wait_future(task, id, Waiting::WaitFor(timeout, id)),
                }
            }
            Waitable::Coroutine(id) => self.limit(id, delay),
            Waitable::Program(program) => {
                let id = self.coroutine(program, None);
                self.limit(id, delay)
            }
        }
    }

    pub(super) fn leave_wait_for(&mut self, timeout: TimeoutId, outcome: Outcome) -> Outcome {
        self.exit_timeout(timeout, outcome.as_ref().err().cloned())?;
        outcome
    }

    /// There is no time at all: what is not done is cancelled, and its end awaited.
    pub(super) fn cancel_and_wait(&mut self, task: FutureId, id: FutureId) -> Step {
        if let Some(outcome) = self.result_if_done(id) {
            return outcome.into();
        }
        self.pin(id);
        let wait = self.next_wait(task);
        self.when_done(id, Callback::Release(task, wait));
        self.cancel(id, None);
        self.wait_for_waiter(task, Waiting::CancelAndWait(id))
    }

    pub(super) fn cancelled_and_waited(&mut self, task: FutureId, id: FutureId, woke: Outcome) -> Outcome {
        let future = self.state.futures.get_mut(id)?;
        future
            .callbacks
            .remove(|callback| matches!(callback, Callback::Release(waiter, _) if *waiter == task));
        let outcome = match woke {
            Ok(_) => future.result().map_err(|error| {
                if error.is_cancelled() {
                    Exception::new(Kind::Timeout, "").from_cause(error)
                } else {
                    error
                }
            }),
            Err(exception) => Err(exception),
        };
        self.unpin(id);
        outcome
    }

    /// A coroutine is awaited within a time limit.
    fn limit(&mut self, inner: CoroutineId, delay: Option<Nanoseconds>) -> Step {
        let limited = Limited {
            inner,
            delay,
            timeout: None,
            stage: Stage::Make,
            outcome: None,
        };
        let outer = self.coroutine(Box::new(limited), None);
        match self.open(outer) {
            Ok(program) => Step::Into(program, outer),
            Err(exception) => Step::Go(Input::Throw(exception)),
        }
    }
}

/// Where an exception was raised while the time limit's cancellation was handled, that is said to be a `TimeoutError`.
fn insert_timeout(exception: &Exception) {
    let mut at = exception.clone();
    while let Some(context) = at.context() {
        if context.is_cancelled() {
            at.set_context(Some(Exception::new(Kind::Timeout, "").from_cause(context)));
            return;
        }
        at = context;
    }
}

/// `async with timeout(delay): return await coroutine`, as a coroutine of its own.
struct Limited {
    inner: CoroutineId,
    delay: Option<Nanoseconds>,
    timeout: Option<TimeoutId>,
    stage: Stage,
    outcome: Option<Outcome>,
}

/// How far it is.
enum Stage {
    Make,
    Enter,
    Await,
    Exit,
    End,
}

impl Program for Limited {
    fn resume(&mut self, input: Input) -> Effect {
        let input = match input {
            Input::Start => Ok(Value::None),
            Input::Value(value) => Ok(value),
            Input::Throw(exception) => Err(exception),
        };
        match std::mem::replace(&mut self.stage, Stage::End) {
            Stage::Make => {
                self.stage = Stage::Enter;
                Effect::Loop(LoopCall::NewTimeout(self.delay))
            }
            Stage::Enter => match input.and_then(TimeoutId::try_from) {
                Ok(timeout) => {
                    self.timeout = Some(timeout);
                    self.stage = Stage::Await;
                    Effect::Loop(LoopCall::EnterTimeout(timeout))
                }
                Err(exception) => Effect::Raise(exception),
            },
            Stage::Await => match input {
                Ok(_) => {
                    self.stage = Stage::Exit;
                    Effect::Await(Awaitable::Coroutine(self.inner))
                }
                Err(exception) => Effect::Raise(exception),
            },
            Stage::Exit => {
                let body = input.as_ref().err().cloned();
                self.outcome = Some(input);
                match self.timeout {
                    Some(timeout) => Effect::Loop(LoopCall::ExitTimeout(timeout, body)),
                    None => Effect::Return(Value::None),
                }
            }
            Stage::End => match input.and_then(|_| self.outcome.take().unwrap_or(Ok(Value::None))) {
                Ok(value) => Effect::Return(value),
                Err(exception) => Effect::Raise(exception),
            },
        }
    }
}
