//! Tasks: coroutines that the loop steps, each a future of its result.
//!
//! Source: `Lib/asyncio/tasks.py`, class `Task`. The invariant there holds here too: a task that is not done waits for
//! something that is not over, or has a step scheduled, or runs.
//!
//! Not here: what it waits for, see `waits`; how it is cancelled, see `cancel`.

use std::rc::Rc;

use super::callbacks::Callback;
use super::contexts::Context;
use super::effects::TaskOptions;
use super::futures::{Cancellation, Future, Of, Settled, cancelled};
use super::ids::{CoroutineId, FutureId, Waitable};
use super::settings::{Ceiling, Fault};
use super::state::{Activity, Next, Step, Turn, Who};
use super::waits::{Waiter, Waiting};
use crate::machine::trace::{Instant, LaneKind, ReadyCause, State as LaneState};
use crate::machine::{Exception, Kind, Outcome, Program, Value};

/// What a task has besides its future. Memory is counted here: there may be a million of them.
pub(super) struct Task {
    /// What it runs, while it does not; nothing once it is done.
    pub(super) program: Option<Box<dyn Program>>,
    /// What it waits for.
    pub(super) waiting: Waiting,
    /// A cancellation to be thrown in at the next step.
    pub(super) must_cancel: Option<Exception>,
    pub(super) context: Context,
    rare: Option<Box<Rare>>,
    /// `Task-1` and so on; of no meaning where it was given a name.
    number: u32,
    /// Requests to cancel, less those taken back.
    pub(super) n_cancels: u32,
    /// In the order of making.
    pub(super) sequence: u32,
    /// Whether the wait for one of the loop's own objects is over.
    pub(super) waiter: Waiter,
    /// What ended that wait, if it was a cancellation.
    pub(super) wait_error: Option<Exception>,
    pub(super) has_begun: bool,
}

/// What few tasks have.
#[derive(Default)]
struct Rare {
    name: Option<Rc<str>>,
    /// The coroutines that wait for the one that runs, the innermost first.
    outer: Option<Box<Outer>>,
    /// What was said with the latest cancellation that was due; a gather may ask for it later.
    cancel_message: Option<Rc<str>>,
    /// It has tried to await itself.
    has_awaited_itself: bool,
}

/// A coroutine that awaits another one in the same task.
struct Outer {
    program: Box<dyn Program>,
    next: Option<Box<Outer>>,
    depth: u32,
    /// The one it awaits.
    inner: CoroutineId,
}

impl Task {
    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// `task.get_name()`
    pub(super) fn name(&self) -> Rc<str> {
        let given = self.rare.as_ref().and_then(|rare| rare.name.clone());
        given.unwrap_or_else(|| format!("Task-{}", self.number).into())
    }

    /// `task.set_name(name)`
    pub(super) fn set_name(&mut self, name: Rc<str>) {
        self.rare().name = Some(name);
    }

    /// What was said with the latest cancellation that was due.
    pub(super) fn cancel_message(&self) -> Option<&str> {
        self.rare.as_ref().and_then(|rare| rare.cancel_message.as_deref())
    }

    /// A cancellation is due at the next step.
    pub(super) fn set_must_cancel(&mut self, message: &Option<Rc<str>>) {
        self.must_cancel = Some(cancelled(message.as_deref()));
        if message.is_some() || self.rare.is_some() {
            self.rare().cancel_message.clone_from(message);
        }
    }

    /// Whether it had already tried to await itself; it has from now on.
    pub(super) fn awaits_itself(&mut self) -> bool {
        std::mem::replace(&mut self.rare().has_awaited_itself, true)
    }

    pub(super) fn has_awaited_itself(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.has_awaited_itself)
    }
}

/// A coroutine object.
pub(super) struct Coroutine {
    pub(super) name: Rc<str>,
    pub(super) state: CoroutineState,
}

/// How far it is.
pub(super) enum CoroutineState {
    /// Made, not awaited.
    Fresh(Box<dyn Program>),
    /// Some task runs it.
    Running,
    /// It has ended, or was closed.
    Used,
}

impl Turn<'_> {
    /// `coroutine()`
    pub(super) fn coroutine(&mut self, program: Box<dyn Program>, name: Option<Rc<str>>) -> CoroutineId {
        self.state.count_object();
        self.state.coroutines.push(Coroutine {
            name: name.unwrap_or_else(|| "coroutine".into()),
            state: CoroutineState::Fresh(program),
        })
    }

    /// The program of a coroutine object that is awaited now.
    ///
    /// # Errors
    /// It already is, or was.
    pub(super) fn open(&mut self, id: CoroutineId) -> Result<Box<dyn Program>, Exception> {
        let coroutine = self.state.coroutines.get_mut(id)?;
        match std::mem::replace(&mut coroutine.state, CoroutineState::Running) {
            CoroutineState::Fresh(program) => Ok(program),
            CoroutineState::Running => Err(runtime_error("coroutine is being awaited already")),
            CoroutineState::Used => {
                coroutine.state = CoroutineState::Used;
                Err(runtime_error("cannot reuse already awaited coroutine"))
            }
        }
    }

    /// `coroutine.close()`, of one that is refused.
    pub(super) fn close(&mut self, of: Waitable) {
        if let Waitable::Coroutine(id) = of
            && let Ok(coroutine) = self.state.coroutines.get_mut(id)
        {
            coroutine.state = CoroutineState::Used;
        }
    }

    /// `loop.create_task`: gives the task, and whether its first step comes at once.
    ///
    /// # Errors
    /// It is no coroutine, or one that was awaited; or there is no such context.
    pub(super) fn create_task(
        &mut self,
        of: Waitable,
        options: Option<Box<TaskOptions>>,
    ) -> Result<(FutureId, bool), Exception> {
        let program = match of {
            Waitable::Program(program) => program,
            Waitable::Coroutine(id) => self.open(id)?,
            Waitable::Future(id) => return Err(Exception::own("TypeError", id.into())),
        };
        let TaskOptions { name, context, eager } = options.map_or_else(TaskOptions::default, |options| *options);
        let context = self.context_for(context)?;
        let is_eager = eager.unwrap_or(self.state.settings.eager_tasks) && self.state.main.is_some();
        let id = self.add_task(program, name, context);
        if is_eager {
            self.begin_step(id, Ok(Value::None));
        } else {
            self.schedule(Callback::Step(id));
        }
        Ok((id, is_eager))
    }

    /// The main program becomes a task, and the loop runs until it is done.
    pub(super) fn create_main(&mut self, program: Box<dyn Program>) {
        if let Ok((main, _)) = self.create_task(Waitable::Program(program), None) {
            self.when_done(main, Callback::Stop);
            self.state.main = Some(main);
        }
    }

    fn add_task(&mut self, program: Box<dyn Program>, name: Option<Rc<str>>, context: Context) -> FutureId {
        self.state.n_names += u32::from(name.is_none());
        let task = Task {
            program: Some(program),
            waiting: Waiting::Nothing,
            must_cancel: None,
            context,
            rare: name.map(|name| {
                let name = Some(name);
                Box::new(Rare {
                    name,
                    ..Rare::default()
                })
            }),
            number: self.state.n_names,
            n_cancels: 0,
            sequence: self.state.n_tasks,
            waiter: Waiter::Over,
            wait_error: None,
            has_begun: false,
        };
        let (now, parent) = (self.state.now, self.state.lane);
        let lane = self
            .recorder
            .lane(now, LaneKind::Task, Some(parent), || task.name().to_string());
        self.recorder.enter(now, lane, LaneState::Ready(ReadyCause::Turn));
        self.state.n_tasks += 1;
        self.state.n_live_tasks += 1;
        self.state.owed += self.state.settings.costs.task;
        if self.state.n_live_tasks > self.state.settings.ceilings.tasks {
            self.state.exceeded = Some(Ceiling::Tasks);
        }
        let id = self.add_future(Of::Task(task));
        if let Ok(future) = self.state.futures.get_mut(id) {
            future.lane = lane;
        }
        id
    }

    pub(super) fn add_future(&mut self, of: Of) -> FutureId {
        let id = self.state.futures.add(Future::new(of));
        if self.state.futures.n_kept() > self.state.settings.ceilings.futures as usize {
            self.state.exceeded = Some(Ceiling::Futures);
        }
        id
    }

    /// `task.__step(…)`: the task goes on with the outcome of its wait, or with the cancellation that is due.
    pub(super) fn begin_step(&mut self, id: FutureId, woke: Outcome) {
        let Ok(future) = self.state.futures.get_mut(id) else {
            return;
        };
        let (lane, is_done) = (future.lane, future.is_done());
        let Some(task) = future.task_mut() else { return };
        if is_done {
            return;
        }
        let woke = match (task.must_cancel.take(), woke) {
            (Some(_), Err(exception)) if exception.is_cancelled() => Err(exception),
            (Some(error), _) => Err(error),
            (None, woke) => woke,
        };
        let mut activity = Activity::new(Who::Task(id));
        activity.program = task.program.take();
        activity.next = Next::Wake(std::mem::take(&mut task.waiting), woke);
        self.state.running.push(activity);
        self.recorder.enter(self.state.now, lane, LaneState::Running);
    }

    /// The task goes on inside a coroutine that it awaits; the one that awaits it is put aside.
    pub(super) fn put_aside(
        &mut self,
        id: FutureId,
        program: Box<dyn Program>,
        inner: CoroutineId,
    ) -> Result<(), Exception> {
        let limit = self.state.settings.ceilings.depth;
        let task = self.state.futures.task_mut(id)?;
        let rare = task.rare();
        let next = rare.outer.take();
        let depth = next.as_ref().map_or(0, |outer| outer.depth) + 1;
        rare.outer = Some(Box::new(Outer {
            program,
            next,
            depth,
            inner,
        }));
        if depth < limit {
            Ok(())
        } else {
            Err(Exception::own("RecursionError", Value::None))
        }
    }

    /// The coroutine that awaits the one which has just ended, if there is one.
    pub(super) fn take_outer(&mut self, id: FutureId) -> Option<Box<dyn Program>> {
        let task = self.state.futures.task_mut(id).ok()?;
        let Outer {
            program, next, inner, ..
        } = *task.rare.as_mut()?.outer.take()?;
        task.rare().outer = next;
        if let Ok(coroutine) = self.state.coroutines.get_mut(inner) {
            coroutine.state = CoroutineState::Used;
        }
        Some(program)
    }

    /// A task's program has ended.
    pub(super) fn finish(&mut self, id: FutureId, outcome: Outcome) {
        let Ok(future) = self.state.futures.get_mut(id) else {
            return;
        };
        let lane = future.lane;
        let Some(task) = future.task_mut() else { return };
        if let Some(rare) = &mut task.rare {
            rare.outer = None;
        }
        let settled = match outcome {
            Ok(value) => match task.must_cancel.take() {
                // It was cancelled right before it ended.
                Some(error) => Settled::Cancelled(Box::new(Cancellation {
                    kept: None,
                    message: message_of(&error),
                })),
                None => Settled::Ok(value),
            },
            Err(exception) if exception.is_cancelled() => Settled::Cancelled(Box::new(Cancellation {
                kept: Some(exception),
                message: None,
            })),
            Err(exception) => Settled::Failed(exception),
        };
        let end = match &settled {
            Settled::Cancelled(_) => LaneState::Cancelled,
            Settled::Failed(_) => LaneState::Failed,
            _ => LaneState::Done,
        };
        if let Settled::Failed(exception) = &settled {
            let (now, exception) = (self.state.now, exception.clone());
            self.recorder
                .instant(now, lane, Instant::Exception, || exception.message().to_owned());
        }
        self.state.n_live_tasks -= 1;
        self.settle(id, settled);
        self.recorder.enter(self.state.now, lane, end);
    }

    /// `current_task().uncancel()` and the like.
    ///
    /// # Errors
    /// It is no task.
    pub(super) fn uncancel(&mut self, id: FutureId) -> Result<u32, Exception> {
        let is_ignored = self.state.has(Fault::UncancelIgnored);
        let task = self.state.futures.task_mut(id)?;
        if task.n_cancels > 0 && !is_ignored {
            task.n_cancels -= 1;
            if task.n_cancels == 0 {
                task.must_cancel = None;
            }
        }
        Ok(task.n_cancels)
    }

    /// What a task waits for from now on: `begin_step` gives it back. A cancellation that is due ends it at once.
    pub(super) fn wait(&mut self, id: FutureId, waiting: Waiting) -> Step {
        if let Ok(future) = self.state.futures.get_mut(id) {
            future.wait = future.wait.wrapping_add(1);
            if let Some(task) = future.task_mut() {
                task.waiting = waiting;
            }
        }
        if self.recorder.is_on() {
            self.trace_wait(id);
        }
        let due = self
            .state
            .futures
            .task(id)
            .ok()
            .and_then(|task| task.must_cancel.clone());
        if let Some(error) = due
            && self.cancel_wait(id, message_of(&error))
            && let Ok(task) = self.state.futures.task_mut(id)
        {
            task.must_cancel = None;
        }
        Step::Wait
    }
}

/// What was said with a cancellation, if anything was.
pub(super) fn message_of(error: &Exception) -> Option<Rc<str>> {
    Some(error.message())
        .filter(|message| !message.is_empty())
        .map(Rc::from)
}

/// Python's `RuntimeError`.
pub(super) fn runtime_error(message: impl Into<String>) -> Exception {
    Exception::new(Kind::RuntimeError, message)
}
