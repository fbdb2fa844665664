//! The loop itself: one ready queue, timers in the order of their time, and tasks.
//!
//! It follows CPython's `base_events.py` (`_run_once`): timers that are due go behind what is ready, and exactly as
//! many callbacks run as were ready then; what they add runs in the next iteration. Equal times wake in the order of
//! their making, so timers are keyed by (nanoseconds, number). Not here: what a task awaits, see `waits`.

use std::cell::RefCell;
use std::fmt;
use std::task::{Context, Poll, Waker};

use super::super::Host;
use super::state::{Body, Callback, Inner, State, Task, TaskId, Timeout, Timer, Wait};
use crate::wire::{HandedCall, Job, SlowStep};

/// A step at least this long is written down as slow, in milliseconds.
const SLOW_MS: f64 = 50.0;
const NANOSECONDS_PER_MS: f64 = 1e6;

/// The loop.
pub struct Scheduler {
    host: Host,
    inner: RefCell<Inner>,
}

impl Scheduler {
    /// An empty loop.
    pub fn new(callers: u32, host: Host) -> Self {
        Self {
            host,
            inner: RefCell::new(Inner::new(callers)),
        }
    }

    /// One iteration.
    pub fn run_once(&self) {
        let now = self.now_ns();
        let n_callbacks = {
            let inner = &mut *self.inner.borrow_mut();
            while let Some(timer) = inner.timers.pop_front_if(|timer| timer.due_ns <= now) {
                inner.ready.push_back(timer.callback);
            }
            inner.ready.len()
        };
        for _ in 0..n_callbacks {
            let callback = self.inner.borrow_mut().ready.pop_front();
            match callback {
                Some(Callback::Step(task)) => self.step(task),
                Some(Callback::Wake(task, wait)) => self.wake(task, wait),
                Some(Callback::Expire(timeout)) => self.expire(timeout),
                None => break,
            }
        }
    }

    /// Milliseconds since the loop was first looked at.
    pub fn now_ms(&self) -> f64 {
        let now = self.host.now();
        now - *self.inner.borrow_mut().started_ms.get_or_insert(now)
    }

    /// When the next iteration is due; none: only when a call is answered.
    pub fn wake_after_ms(&self) -> Option<f64> {
        let now = self.now_ns();
        let inner = self.inner.borrow();
        if !inner.ready.is_empty() {
            return Some(0.0);
        }
        let due_ns = inner.timers.front()?.due_ns;
        Some(due_ns.saturating_sub(now) as f64 / NANOSECONDS_PER_MS)
    }

    /// Makes a task; its first step runs in the next iteration.
    pub fn spawn(&self, name: String, body: impl Future<Output = ()> + 'static) -> TaskId {
        let inner = &mut *self.inner.borrow_mut();
        let id = TaskId(inner.tasks.len());
        let body: Body = Box::pin(body);
        inner.tasks.push(Task {
            name,
            state: State::Ready,
            body: Some(body),
            started: false,
            cancelled: false,
        });
        inner.ready.push_back(Callback::Step(id));
        id
    }

    /// Asks a task to end: what it awaits ends with a cancellation at its next step.
    pub fn cancel(&self, task: TaskId) {
        let inner = &mut *self.inner.borrow_mut();
        let Some(found) = inner.tasks.get_mut(task.0) else {
            return;
        };
        match found.state {
            State::Done => return,
            State::Waiting(wait) => {
                found.state = State::Ready;
                inner.timers.retain(|timer| timer.number != wait);
                inner.ready.push_back(Callback::Step(task));
            }
            State::Ready | State::Running => {}
        }
        found.cancelled = true;
    }

    /// Blocks the loop, under a name by which a slow step can be explained.
    pub fn block(&self, call: &'static str, ms: f64) {
        self.inner.borrow_mut().call_in_step = call;
        self.host.block(ms);
    }

    /// The steps that were slow, in order.
    pub fn slow_steps(&self) -> Vec<SlowStep> {
        self.inner.borrow().slow_steps.clone()
    }

    /// Whether no task will ever run again.
    pub fn all_tasks_done(&self) -> bool {
        self.inner.borrow().tasks.iter().all(|task| task.state == State::Done)
    }

    /// Whether no call is with another worker or waits for one.
    pub fn no_call_runs(&self) -> bool {
        self.inner.borrow().calls.is_empty()
    }

    /// The running task gives way and is ready again at once.
    pub(super) fn give_way(&self) {
        let inner = &mut *self.inner.borrow_mut();
        if let Some((id, task)) = inner.running_task() {
            task.state = State::Ready;
            inner.ready.push_back(Callback::Step(id));
        }
    }

    /// The running task waits; for a time, or until somebody wakes it.
    pub(super) fn suspend(&self, for_ms: Option<f64>) -> Option<(TaskId, Wait)> {
        let due = for_ms.map(|ms| self.due_ns(ms));
        let inner = &mut *self.inner.borrow_mut();
        let wait = inner.number();
        let (id, task) = inner.running_task()?;
        task.state = State::Waiting(wait);
        if let Some(due_ns) = due {
            inner.set(Timer {
                due_ns,
                number: wait,
                callback: Callback::Wake(id, wait),
            });
        }
        Some((id, wait))
    }

    /// Takes the cancellation that is to be delivered to the running task, if there is one.
    pub(super) fn take_cancellation(&self) -> bool {
        let inner = &mut *self.inner.borrow_mut();
        inner
            .running_task()
            .is_some_and(|(_, task)| std::mem::take(&mut task.cancelled))
    }

    /// Whoever waits this way is due in the iteration after the next callback.
    pub(super) fn wake_soon(&self, (task, wait): (TaskId, Wait)) {
        self.inner.borrow_mut().ready.push_back(Callback::Wake(task, wait));
    }

    /// Sets a timeout for the running task.
    pub(super) fn set_timeout(&self, ms: f64) -> Option<Wait> {
        let due_ns = self.due_ns(ms);
        let inner = &mut *self.inner.borrow_mut();
        let number = inner.number();
        let (task, _) = inner.running_task()?;
        inner.timeouts.push(Timeout {
            number,
            task,
            expired_ms: None,
        });
        let callback = Callback::Expire(number);
        if ms > 0.0 {
            inner.set(Timer {
                due_ns,
                number,
                callback,
            });
        } else {
            inner.ready.push_back(callback);
        }
        Some(number)
    }

    /// Leaves a timeout; says when it expired, if it did.
    pub(super) fn leave_timeout(&self, timeout: Wait) -> Option<f64> {
        let inner = &mut *self.inner.borrow_mut();
        inner.timers.retain(|timer| timer.number != timeout);
        let index = inner.timeouts.iter().position(|found| found.number == timeout)?;
        inner.timeouts.swap_remove(index).expired_ms
    }

    /// Hands a call over, now or when a caller is free; the running task waits for it.
    pub(super) fn hand_over(&self, job: Job) -> Option<u32> {
        let waiter = self.suspend(None)?;
        Some(self.inner.borrow_mut().calls.hand_over(job, waiter))
    }

    /// Nobody waits for a call any more: one that is queued never starts, one that runs goes on.
    pub(super) fn abandon(&self, id: u32) {
        self.inner.borrow_mut().calls.abandon(id);
    }

    /// Calls to be handed to other workers now.
    pub(super) fn take_calls(&self) -> Vec<HandedCall> {
        self.inner.borrow_mut().calls.take_starting()
    }

    /// A call has ended: whoever waits for it wakes, and the next one in the queue starts.
    pub(super) fn answered(&self, id: u32) {
        let waiter = self.inner.borrow_mut().calls.answered(id);
        if let Some(waiter) = waiter {
            self.wake_soon(waiter);
        }
    }

    fn step(&self, id: TaskId) {
        let (body, cancelled_before_start) = {
            let inner = &mut *self.inner.borrow_mut();
            inner.running = Some(id);
            inner.call_in_step = "";
            let Some((_, task)) = inner.running_task() else { return };
            let cancelled_before_start = task.cancelled && !task.started;
            task.started = true;
            task.state = State::Running;
            (task.body.take(), cancelled_before_start)
        };
        let Some(mut body) = body else { return };
        let began = self.now_ms();
        let pending =
            !cancelled_before_start && body.as_mut().poll(&mut Context::from_waker(Waker::noop())) == Poll::Pending;
        let length_ms = self.now_ms() - began;
        let inner = &mut *self.inner.borrow_mut();
        let call = inner.call_in_step.to_owned();
        if let Some((_, task)) = inner.running_task() {
            if pending {
                task.body = Some(body);
            } else {
                task.state = State::Done;
            }
            if length_ms >= SLOW_MS {
                let slow = SlowStep {
                    task: task.name.clone(),
                    call,
                    at_ms: began,
                    length_ms,
                };
                inner.slow_steps.push(slow);
            }
        }
        inner.running = None;
    }

    fn wake(&self, id: TaskId, wait: Wait) {
        let inner = &mut *self.inner.borrow_mut();
        if let Some(task) = inner.tasks.get_mut(id.0)
            && task.state == State::Waiting(wait)
        {
            task.state = State::Ready;
            inner.ready.push_back(Callback::Step(id));
        }
    }

    fn expire(&self, timeout: Wait) {
        let now = self.now_ms();
        let task = self
            .inner
            .borrow_mut()
            .timeouts
            .iter_mut()
            .find(|found| found.number == timeout)
            .map(|found| {
                found.expired_ms = Some(now);
                found.task
            });
        if let Some(task) = task {
            self.cancel(task);
        }
    }

    fn now_ns(&self) -> u64 {
        (self.now_ms() * NANOSECONDS_PER_MS).round() as u64
    }

    fn due_ns(&self, after_ms: f64) -> u64 {
        self.now_ns()
            .saturating_add((after_ms * NANOSECONDS_PER_MS).round() as u64)
    }
}

impl fmt::Debug for Scheduler {
    /// Task bodies cannot be shown; their number can.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_tasks = self.inner.try_borrow().map(|inner| inner.tasks.len()).ok();
        formatter
            .debug_struct("Scheduler")
            .field("n_tasks", &n_tasks)
            .finish_non_exhaustive()
    }
}
