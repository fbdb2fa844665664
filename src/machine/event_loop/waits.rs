//! What a task can wait for, and how its program goes on when that is over.
//!
//! asyncio's own coroutines that suspend (acquiring a lock, getting from a queue and so on) are cases of one enum here
//! instead of coroutines: a task is in at most one of them, and they need no memory of their own but for the rare ones.
//! Where asyncio makes a future to wait for, the task itself is what waits: a [`Waiter`].
//!
//! Not here: the objects that are waited for.

use std::rc::Rc;

use super::callbacks::Callback;
use super::conditions::{BarrierUse, ConditionWait};
use super::effects::Awaitable;
use super::futures::cancelled;
use super::groups::GroupExit;
use super::ids::{AsCompletedId, BarrierId, EventId, FutureId, LockId, QueueId, SemaphoreId, TimeoutId};
use super::settings::Fault;
use super::several::Several;
use super::state::{Step, Turn};
use super::tasks::runtime_error;
use super::timers::{Timed, TimerRef};
use crate::machine::{Exception, Input, Nanoseconds, Outcome, Value};

/// What a task waits for.
#[derive(Default)]
pub(super) enum Waiting {
    /// Nothing: it runs, has not begun, gave way for one iteration, or is done.
    #[default]
    Nothing,
    /// For its next step, which raises this.
    Raise(Exception),
    /// A future, whose own callback wakes it.
    Future(FutureId),
    /// A future, within a time limit.
    WaitFor(TimeoutId, FutureId),
    /// The end of a future that was cancelled because there was no time.
    CancelAndWait(FutureId),
    /// A time.
    Sleep(Option<TimerRef>),
    /// Several futures.
    Several(Box<Several>),
    /// An item of an as-completed's queue: to be given, or its result.
    Completed(AsCompletedId, QueueId, bool),
    /// The tasks of a group, at the end of its body.
    Group(Box<GroupExit>),
    /// A lock.
    Lock(LockId),
    /// An event.
    Event(EventId),
    /// A semaphore.
    Semaphore(SemaphoreId),
    /// To be notified by a condition.
    Notified(Box<ConditionWait>),
    /// The lock of a condition, which it held before it waited there.
    Reacquire(Box<ConditionWait>),
    /// The lock of a barrier's condition.
    BarrierLock(BarrierId, BarrierUse),
    /// Room in a queue, for this item.
    Put(Box<(QueueId, Value)>),
    /// An item of a queue.
    Get(QueueId),
    /// The end of a queue's work.
    Join(QueueId),
}

/// Stands where asyncio makes a future to wait for: whether a task's wait for one of the loop's own objects is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiter {
    /// It waits.
    Pending,
    /// It has been woken; its step is scheduled. Or it does not wait this way at all.
    Over,
    /// It has been cancelled; its step is scheduled.
    Cancelled,
}

impl Turn<'_> {
    /// A task awaits this.
    pub(super) fn begin(&mut self, task: FutureId, awaitable: Awaitable) -> Step {
        match awaitable {
            Awaitable::Sleep(delay) => self.sleep(task, delay),
            Awaitable::Future(future) => self.await_future(task, future),
            Awaitable::Coroutine(coroutine) => match self.open(coroutine) {
                Ok(program) => Step::Into(program, coroutine),
                Err(exception) => Step::Go(Input::Throw(exception)),
            },
            Awaitable::Wait(wait) => self.wait_several(task, *wait),
            Awaitable::WaitFor(arguments) => {
                let (of, delay) = *arguments;
                self.wait_for(task, of, delay)
            }
            Awaitable::NextCompleted(id) => self.next_completed(task, id, false),
            Awaitable::NextResult(id) => self.next_completed(task, id, true),
            Awaitable::ExitGroup(group, exception) => self.exit_group(task, group, exception),
            Awaitable::Acquire(lock) => match self.try_acquire(task, lock) {
                Ok(true) => Step::Go(Input::Value(Value::Bool(true))),
                Ok(false) => self.wait_for_waiter(task, Waiting::Lock(lock)),
                Err(exception) => Step::Go(Input::Throw(exception)),
            },
            Awaitable::WaitEvent(event) => self.wait_event(task, event),
            Awaitable::WaitCondition(condition) => self.wait_condition(task, condition, None),
            Awaitable::AcquireSemaphore(semaphore) => self.acquire_semaphore(task, semaphore),
            Awaitable::WaitBarrier(barrier) => self.enter_barrier(task, barrier, BarrierUse::Wait),
            Awaitable::ResetBarrier(barrier) => self.enter_barrier(task, barrier, BarrierUse::Reset),
            Awaitable::AbortBarrier(barrier) => self.enter_barrier(task, barrier, BarrierUse::Abort),
            Awaitable::Put(queue, item) => self.put(task, queue, item),
            Awaitable::Get(queue) => self.get(task, queue),
            Awaitable::Join(queue) => self.join(task, queue),
            Awaitable::ToThread(program) => self.begin_on_thread(program),
            Awaitable::Request(endpoint, timeout) => self.request(endpoint, timeout),
        }
    }

    /// What a task waited for is over, or a cancellation came: how its program goes on.
    pub(super) fn resume(&mut self, task: FutureId, waiting: Waiting, woke: Outcome) -> Step {
        match waiting {
            Waiting::Nothing | Waiting::Future(_) => woke.into(),
            Waiting::Raise(exception) => Step::Go(Input::Throw(woke.err().unwrap_or(exception))),
            Waiting::WaitFor(timeout, _) => self.leave_wait_for(timeout, woke).into(),
            Waiting::CancelAndWait(future) => self.cancelled_and_waited(task, future, woke).into(),
            Waiting::Sleep(timer) => {
                self.cancel_timer(timer);
                woke.into()
            }
            Waiting::Several(several) => self.waited_several(task, *several, woke).into(),
            Waiting::Completed(id, queue, is_result) => {
                let got = self.got(task, queue, woke);
                self.completed(task, id, is_result, got)
            }
            Waiting::Group(exit) => self.group_woke(task, exit, woke),
            Waiting::Lock(lock) => self.acquired(task, lock, woke).map(|()| Value::Bool(true)).into(),
            Waiting::Event(event) => self.event_woke(task, event, woke).into(),
            Waiting::Semaphore(semaphore) => self.semaphore_woke(task, semaphore, woke).into(),
            Waiting::Notified(wait) => self.notified(task, wait, woke),
            Waiting::Reacquire(wait) => self.reacquired(task, wait, woke),
            Waiting::BarrierLock(barrier, purpose) => self.barrier_locked(task, barrier, purpose, woke),
            Waiting::Put(put) => {
                let (queue, item) = *put;
                self.put_woke(task, queue, item, woke)
            }
            Waiting::Get(queue) => match self.got(task, queue, woke) {
                Some(outcome) => outcome.into(),
                None => self.wait_for_waiter(task, Waiting::Get(queue)),
            },
            Waiting::Join(queue) => self.joined(task, queue, woke).into(),
        }
    }

    /// The task waits until somebody releases it.
    pub(super) fn wait_for_waiter(&mut self, id: FutureId, waiting: Waiting) -> Step {
        if let Ok(task) = self.state.futures.task_mut(id) {
            task.waiter = Waiter::Pending;
        }
        self.wait(id, waiting)
    }

    /// Wakes a task that waits for one of the loop's own objects; false if that is already over.
    pub(super) fn release(&mut self, id: FutureId) -> bool {
        self.end_wait(id, None)
    }

    fn end_wait(&mut self, id: FutureId, error: Option<Exception>) -> bool {
        match self.state.futures.task_mut(id) {
            Ok(task) if task.waiter == Waiter::Pending => {
                task.waiter = if error.is_some() {
                    Waiter::Cancelled
                } else {
                    Waiter::Over
                };
                task.wait_error = error;
                self.schedule(Callback::WaiterDone(id));
                true
            }
            _ => false,
        }
    }

    /// Wakes a task if it is still in this wait.
    pub(super) fn release_wait(&mut self, id: FutureId, wait: u32) {
        if self.state.futures.get(id).is_ok_and(|future| future.wait == wait) {
            self.release(id);
        }
    }

    pub(super) fn waiter_of(&self, id: FutureId) -> Waiter {
        self.state.futures.task(id).map_or(Waiter::Over, |task| task.waiter)
    }

    /// The number of the wait that a task is going to begin.
    pub(super) fn next_wait(&self, id: FutureId) -> u32 {
        self.state
            .futures
            .get(id)
            .map_or(0, |future| future.wait.wrapping_add(1))
    }

    /// Cancels a task's wait; false if there is none, or it is already over.
    pub(super) fn cancel_waiter(&mut self, id: FutureId, message: Option<&str>) -> bool {
        self.waiter_of(id) == Waiter::Pending && self.end_wait(id, Some(cancelled(message)))
    }

    /// The step after a wait for one of the loop's own objects.
    pub(super) fn waiter_done(&mut self, id: FutureId) {
        let error = self
            .state
            .futures
            .task_mut(id)
            .ok()
            .and_then(|task| task.wait_error.take());
        self.begin_step(id, error.map_or(Ok(Value::None), Err));
    }

    fn sleep(&mut self, task: FutureId, delay: Nanoseconds) -> Step {
        if delay == Nanoseconds::ZERO {
            if self.state.has(Fault::SleepZeroKeepsOn) {
                return Step::Go(Input::Value(Value::None));
            }
            self.schedule(Callback::Step(task));
            return Step::Wait;
        }
        let timed = Timed::Release(task, self.next_wait(task));
        let timer = self.schedule_at(self.state.now + delay, timed);
        self.wait_for_waiter(task, Waiting::Sleep(timer))
    }

    pub(super) fn await_future(&mut self, task: FutureId, id: FutureId) -> Step {
        if let Some(outcome) = self.result_if_done(id) {
            return outcome.into();
        }
        self.wait_future(task, id, Waiting::Future(id))
    }

    pub(super) fn result_if_done(&mut self, id: FutureId) -> Option<Outcome> {
        match self.state.futures.get_mut(id) {
            Ok(future) if future.is_done() => Some(future.result()),
            Ok(_) => None,
            Err(exception) => Some(Err(exception)),
        }
    }

    pub(super) fn wait_future(&mut self, task: FutureId, id: FutureId, waiting: Waiting) -> Step {
        if task == id {
            let name = self.state.futures.task(id).map(|task| task.name()).unwrap_or_default();
            let error = runtime_error(format!("Task cannot await on itself: <Task {name}>"));
            if let Ok(task) = self.state.futures.task_mut(id) {
                if task.awaits_itself() {
                    return Step::Go(Input::Throw(spoilt()));
                }
                task.waiting = Waiting::Raise(error);
            }
            self.schedule(Callback::Step(task));
            return Step::Wait;
        }
        if self.state.futures.task(id).is_ok_and(|task| task.has_awaited_itself()) {
            return Step::Go(Input::Throw(spoilt()));
        }
        self.when_done(id, Callback::Wake(task, id));
        self.wait(task, waiting)
    }

    /// Cancels what a task waits for, if that can be: `task._fut_waiter.cancel(message)`.
    pub(super) fn cancel_wait(&mut self, id: FutureId, message: Option<Rc<str>>) -> bool {
        match self.state.futures.task(id).map(|task| &task.waiting) {
            Ok(Waiting::Future(future) | Waiting::WaitFor(_, future)) => {
                let future = *future;
                self.try_cancel(future, message).unwrap_or(false)
            }
            _ => self.cancel_waiter(id, message.as_deref()),
        }
    }
}

/// What awaiting a task raises, by whomever, once the task has awaited itself: _asynciomodule.c then takes it for awaited.
fn spoilt() -> Exception {
    runtime_error("await wasn't used with future")
}
