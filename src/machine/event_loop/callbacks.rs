//! The ready queue: what is to be called, in order; and the callbacks that programs schedule, which can be cancelled.
//!
//! Source: `Lib/asyncio/events.py`, `BaseEventLoop.call_soon` and `call_at`. Not here: when they are called.

use super::contexts::Context;
use super::ids::{AsCompletedId, CallbackId, ContextId, FutureId, GroupId, HandleId, TimeoutId};
use super::settings::{Ceiling, Posted, Report};
use super::state::{Activity, Next, Turn, Who};
use super::timers::{Timed, TimerRef};
use crate::machine::trace::{ReadyCause, State as LaneState};
use crate::machine::{Exception, Nanoseconds, Outcome, Program, Value};

/// One entry of the ready queue, of the timer heap or of a future's callbacks. A wait is named by its task and its
/// number there, so that a late call finds a wait that is over.
pub(super) enum Callback {
    /// A task's first step, or the one after it gave way.
    Step(FutureId),
    /// The first waits for the second, which is done.
    Wake(FutureId, FutureId),
    /// A task's wait for one of the loop's own objects is over.
    WaiterDone(FutureId),
    /// A task's wait is over unless it already is: its time has come, or what it waits for is done.
    Release(FutureId, u32),
    /// One of the futures that a task's `wait` waits for is done.
    Waited(FutureId, u32, FutureId),
    /// A gather's child is done.
    Gathered(FutureId, FutureId),
    /// A shield's inner future is done: outer, inner.
    ShieldInner(FutureId, FutureId),
    /// A shield itself is done: outer, inner.
    ShieldOuter(FutureId, FutureId),
    /// A future whose shield was cancelled is done.
    ShieldLog(FutureId),
    /// A task of a group is done.
    GroupTaskDone(GroupId, FutureId),
    /// A future of an as-completed is done.
    Completed(AsCompletedId, FutureId),
    /// The time of an as-completed is over.
    CompletedOver(AsCompletedId),
    /// A time limit has passed, if it was not set anew.
    Expire(TimeoutId, u32),
    /// A callback that a program scheduled.
    Handle(HandleId),
    /// A done callback that a program added.
    Done(CallbackId),
    /// What answers to this future is no longer wanted, if the future was cancelled.
    TakeBack(FutureId),
    /// Something from another thread.
    Posted(Box<Posted>),
    /// Another thread is told how a task of its ended.
    Report(Box<(FutureId, Report)>),
    /// What the loop runs for is done.
    Stop,
    /// A step of the loop's end.
    Ending,
}

impl Callback {
    /// The task that goes on by it.
    pub(super) const fn task(&self) -> Option<FutureId> {
        match self {
            Self::Step(task) | Self::Wake(task, _) | Self::WaiterDone(task) => Some(*task),
            _ => None,
        }
    }

    /// The future whose end it is about.
    pub(super) fn source(&self) -> Option<FutureId> {
        match self {
            Self::Wake(_, source)
            | Self::Waited(.., source)
            | Self::Gathered(_, source)
            | Self::ShieldInner(_, source)
            | Self::ShieldOuter(source, _)
            | Self::ShieldLog(source)
            | Self::GroupTaskDone(_, source)
            | Self::Completed(_, source)
            | Self::TakeBack(source) => Some(*source),
            Self::Report(report) => Some(report.0),
            _ => None,
        }
    }
}

/// A callback that a program scheduled and that has not run. Cancelled, it stays, to say that it was.
pub(super) struct Handle {
    /// What it runs; nothing once it is cancelled.
    call: Option<(Box<dyn Program>, Context)>,
    timer: Option<TimerRef>,
}

impl Handle {
    /// Brings the program into the processor's caches.
    #[inline(always)]
    pub(super) fn look_at_program(&self) {
        if let Some((program, _)) = &self.call {
            program.look_at();
        }
    }
}

impl Turn<'_> {
    /// `loop.call_soon`
    pub(super) fn schedule(&mut self, callback: Callback) {
        if self.recorder.is_on() {
            self.trace_ready(&callback);
        }
        if let Some(source) = callback.source() {
            self.pin(source);
        }
        self.state.ready.push_back(callback);
    }

    fn trace_ready(&mut self, callback: &Callback) {
        let lane = callback.task().and_then(|task| self.lane_of(task));
        self.recorder.ready(self.state.now, self.state.lane, lane);
        if let Some(lane) = lane {
            let from = self.current_lane();
            self.recorder
                .enter(self.state.now, lane, LaneState::Ready(ReadyCause::Turn));
            self.recorder.wake(self.state.now, from, lane);
        }
    }

    /// `loop.call_at`
    pub(super) fn schedule_at(&mut self, when: Nanoseconds, timed: Timed) -> Option<TimerRef> {
        self.state.owed += self.state.settings.costs.timer;
        let Some(timer) = self.state.timers.set(when, timed) else {
            self.state.exceeded = Some(Ceiling::Timers);
            return None;
        };
        if self.state.timers.len() > self.state.settings.ceilings.timers as usize {
            self.state.exceeded = Some(Ceiling::Timers);
        }
        if self.recorder.is_on() {
            let task = match timed {
                Timed::Release(task, _) => self.lane_of(task),
                _ => None,
            };
            let (now, lane) = (self.state.now, self.state.lane);
            self.recorder.timer(now, lane, when, timer.number().into(), task);
        }
        Some(timer)
    }

    pub(super) fn cancel_timer(&mut self, timer: Option<TimerRef>) {
        if let Some(timer) = timer {
            self.state.timers.cancel(timer);
        }
    }

    /// A program's `call_soon`.
    ///
    /// # Errors
    /// There is no such context.
    pub(super) fn call_soon(&mut self, program: Box<dyn Program>, context: Option<ContextId>) -> Outcome {
        let handle = self.handle(program, context)?;
        self.schedule(Callback::Handle(handle));
        Ok(handle.into())
    }

    /// A program's `call_at`.
    ///
    /// # Errors
    /// There is no such context.
    pub(super) fn call_at(&mut self, when: Nanoseconds, program: Box<dyn Program>) -> Outcome {
        let id = self.handle(program, None)?;
        let timer = self.schedule_at(when, Timed::Handle(id));
        if let Some(handle) = self.state.handles.get_mut(id) {
            handle.timer = timer;
        }
        Ok(id.into())
    }

    fn handle(&mut self, program: Box<dyn Program>, context: Option<ContextId>) -> Result<HandleId, Exception> {
        let call = Some((program, self.context_for(context)?));
        let handle = self.state.handles.push(Handle { call, timer: None });
        handle.ok_or_else(|| self.no_room())
    }

    /// There are too many callbacks to count: the run ends.
    pub(super) fn no_room(&mut self) -> Exception {
        self.state.exceeded = Some(Ceiling::Objects);
        Exception::own("MemoryError", Value::None)
    }

    /// `handle.cancel()`; nothing where it has run.
    pub(super) fn cancel_handle(&mut self, id: HandleId) -> Outcome {
        if let Some(handle) = self.state.handles.get_mut(id) {
            handle.call = None;
            let timer = handle.timer.take();
            self.cancel_timer(timer);
        }
        Ok(Value::None)
    }

    /// `handle.cancelled()`
    pub(super) fn is_handle_cancelled(&mut self, id: HandleId) -> bool {
        self.state
            .handles
            .get_mut(id)
            .is_some_and(|handle| handle.call.is_none())
    }

    /// Whether a ready callback is one that was cancelled: it is dropped, not called.
    pub(super) fn is_cancelled(&mut self, callback: &Callback) -> bool {
        match callback {
            Callback::Handle(id) => self.is_handle_cancelled(*id),
            Callback::Expire(id, armed) => self
                .state
                .timeouts
                .get(*id)
                .is_ok_and(|timeout| timeout.armed != *armed),
            _ => false,
        }
    }

    pub(super) fn run_handle(&mut self, id: HandleId) {
        if let Some((program, context)) = self.state.handles.take(id).and_then(|handle| handle.call) {
            self.begin_callback(program, context);
        }
    }

    pub(super) fn run_done_callback(&mut self, id: CallbackId) {
        if let Some((program, context)) = self.state.done_callbacks.take(id) {
            self.begin_callback(program, context);
        }
    }

    pub(super) fn begin_callback(&mut self, program: Box<dyn Program>, context: Context) {
        let mut activity = Activity::new(Who::Callback(context));
        activity.program = Some(program);
        activity.next = Next::Go(crate::machine::Input::Start);
        self.state.running.push(activity);
    }
}
