//! Futures: results to come, with what is to be called when they have come. Tasks, gathers and shields are futures too.
//!
//! Source: `Lib/asyncio/futures.py`. Not here: what tasks, gathers and shields add to it.

use std::rc::Rc;

use super::callbacks::Callback;
use super::effects::WaitsFor;
use super::gather::Gather;
use super::ids::{FutureId, Id};
use super::table::unknown;
use super::tasks::Task;
use crate::machine::trace::LaneId;
use crate::machine::{Exception, Kind, Outcome, Value};

/// One row. A task's is at most 72 bytes, and its [`Task`] beside it.
pub(super) struct Future {
    pub(super) settled: Settled,
    pub(super) callbacks: Callbacks,
    pub(super) of: Of,
    /// The task's lane in the trace; of no meaning for others.
    pub(super) lane: LaneId,
    /// It has an exception that nobody has asked for.
    pub(super) is_unretrieved: bool,
    /// Nobody holds it: its row is free when it is done.
    pub(super) is_forgotten: bool,
    /// A post will settle it, so its row may not be used again before.
    pub(super) is_due: bool,
    /// How many parts of the loop still look at it.
    pub(super) n_pins: u32,
    /// The number of its task's latest wait; it goes on counting when the row is used again.
    pub(super) wait: u32,
}

/// Whether it is done, and how.
#[derive(Debug)]
pub(super) enum Settled {
    /// Not yet.
    Pending,
    /// With a result.
    Ok(Value),
    /// With an exception.
    Failed(Exception),
    /// By a cancellation.
    Cancelled(Box<Cancellation>),
    /// There is no future in this row.
    Free,
}

/// What is left of a cancellation.
#[derive(Debug, Default)]
pub(super) struct Cancellation {
    /// What ended the task: whoever asks first gets the same.
    pub(super) kept: Option<Exception>,
    /// What was said with it.
    pub(super) message: Option<Rc<str>>,
}

/// Whose result it is.
pub(super) enum Of {
    /// Whoever sets it.
    Plain(WaitsFor),
    /// A task's.
    Task(Task),
    /// Several futures'.
    Gather(Box<Gather>),
    /// Another future's, which a cancellation does not reach.
    Shield(FutureId),
}

/// What is called when a future is done, in the order of adding. Most have one.
#[derive(Default)]
pub(super) enum Callbacks {
    #[default]
    None,
    One(Callback),
    Many(Box<Several>),
}

/// Two callbacks or more, behind a pointer: most futures never have them.
pub(super) struct Several(Vec<Callback>);

impl Several {
    pub(super) fn into_list(self) -> Vec<Callback> {
        self.0
    }
}

impl Callbacks {
    pub(super) fn add(&mut self, callback: Callback) {
        *self = match std::mem::take(self) {
            Self::None => Self::One(callback),
            Self::One(first) => Self::Many(Box::new(Several(vec![first, callback]))),
            Self::Many(mut all) => {
                all.0.push(callback);
                Self::Many(all)
            }
        };
    }

    /// Removes all that are so; gives how many.
    pub(super) fn remove(&mut self, is_so: impl Fn(&Callback) -> bool) -> usize {
        match self {
            Self::One(callback) if is_so(callback) => {
                *self = Self::None;
                1
            }
            Self::None | Self::One(_) => 0,
            Self::Many(all) => {
                let before = all.0.len();
                all.0.retain(|callback| !is_so(callback));
                before - all.0.len()
            }
        }
    }
}

impl Future {
    pub(super) fn new(of: Of) -> Self {
        Self {
            settled: Settled::Pending,
            callbacks: Callbacks::None,
            of,
            lane: LaneId::default(),
            is_unretrieved: false,
            is_forgotten: false,
            is_due: false,
            n_pins: 0,
            wait: 0,
        }
    }

    pub(super) const fn is_done(&self) -> bool {
        !matches!(self.settled, Settled::Pending)
    }

    pub(super) const fn is_cancelled(&self) -> bool {
        matches!(self.settled, Settled::Cancelled(_))
    }

    pub(super) fn task(&self) -> Option<&Task> {
        match &self.of {
            Of::Task(task) => Some(task),
            _ => None,
        }
    }

    pub(super) fn task_mut(&mut self) -> Option<&mut Task> {
        match &mut self.of {
            Of::Task(task) => Some(task),
            _ => None,
        }
    }

    /// `future.result()`
    pub(super) fn result(&mut self) -> Outcome {
        match &mut self.settled {
            Settled::Ok(value) => Ok(value.clone()),
            Settled::Failed(exception) => {
                self.is_unretrieved = false;
                Err(exception.clone())
            }
            Settled::Cancelled(cancellation) => Err(cancellation.raise()),
            Settled::Pending | Settled::Free => Err(Exception::new(Kind::InvalidState, "Result is not set.")),
        }
    }

    /// `future.exception()`
    pub(super) fn exception(&mut self) -> Result<Option<Exception>, Exception> {
        match &mut self.settled {
            Settled::Ok(_) => Ok(None),
            Settled::Failed(exception) => {
                self.is_unretrieved = false;
                Ok(Some(exception.clone()))
            }
            Settled::Cancelled(cancellation) => Err(cancellation.raise()),
            Settled::Pending | Settled::Free => Err(Exception::new(Kind::InvalidState, "Exception is not set.")),
        }
    }

    /// The exception it failed with, without asking for it.
    pub(super) fn failure(&self) -> Option<&Exception> {
        match &self.settled {
            Settled::Failed(exception) => Some(exception),
            _ => None,
        }
    }

    /// `future._make_cancelled_error()`, which is not asked only of what was cancelled.
    pub(super) fn cancelled_error(&mut self) -> Exception {
        match &mut self.settled {
            Settled::Cancelled(cancellation) => cancellation.raise(),
            _ => cancelled(self.task().and_then(Task::cancel_message)),
        }
    }
}

impl Cancellation {
    fn raise(&mut self) -> Exception {
        let kept = self.kept.take();
        kept.unwrap_or_else(|| cancelled(self.message.as_deref()))
    }
}

/// A new `CancelledError`.
pub(super) fn cancelled(message: Option<&str>) -> Exception {
    Exception::new(Kind::Cancelled, message.unwrap_or_default())
}

/// Rows in a page: pages are never moved, so that growing copies nothing and wastes less than a page.
const PAGE: usize = 128;

/// All futures. A row is used again when its future is done and nobody holds it.
#[derive(Default)]
pub(super) struct Futures {
    pages: Vec<Vec<Future>>,
    free: Vec<FutureId>,
    n_rows: usize,
}

impl Futures {
    pub(super) fn add(&mut self, future: Future) -> FutureId {
        if let Some(id) = self.free.pop()
            && let Some(row) = self.row_mut(id)
        {
            let wait = row.wait;
            *row = Future { wait, ..future };
            return id;
        }
        let id = FutureId::at(u32::try_from(self.n_rows).expect("ceilings are below that"));
        self.n_rows += 1;
        match self.pages.last_mut() {
            Some(page) if page.len() < PAGE => page.push(future),
            _ => {
                let mut page = Vec::with_capacity(PAGE);
                page.push(future);
                self.pages.push(page);
            }
        }
        id
    }

    #[inline(always)]
    fn row(&self, id: FutureId) -> Option<&Future> {
        self.pages.get(id.place() / PAGE)?.get(id.place() % PAGE)
    }

    #[inline(always)]
    fn row_mut(&mut self, id: FutureId) -> Option<&mut Future> {
        self.pages.get_mut(id.place() / PAGE)?.get_mut(id.place() % PAGE)
    }

    /// Brings a row into the processor's caches.
    #[inline(always)]
    pub(super) fn look_at(&self, id: FutureId) {
        if let Some(row) = self.row(id) {
            std::hint::black_box((row.is_done(), row.wait));
        }
    }

    /// Brings a task's program into the processor's caches.
    #[inline(always)]
    pub(super) fn look_at_program(&self, id: FutureId) {
        if let Some(program) = self
            .row(id)
            .and_then(Future::task)
            .and_then(|task| task.program.as_ref())
        {
            program.look_at();
        }
    }

    /// How many somebody may still ask.
    pub(super) fn n_kept(&self) -> usize {
        self.n_rows - self.free.len()
    }

    /// Empties a row.
    pub(super) fn free(&mut self, id: FutureId) {
        if let Ok(future) = self.get_mut(id) {
            *future = Future {
                settled: Settled::Free,
                wait: future.wait,
                ..Future::new(Of::Plain(WaitsFor::Task))
            };
            self.free.push(id);
        }
    }

    /// # Errors
    /// The program named a future of another loop, made the number up, or has forgotten it.
    #[inline(always)]
    pub(super) fn get(&self, id: FutureId) -> Result<&Future, Exception> {
        let row = self.row(id);
        row.filter(|row| !matches!(row.settled, Settled::Free))
            .ok_or_else(unknown)
    }

    /// # Errors
    /// The program named a future of another loop, made the number up, or has forgotten it.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, id: FutureId) -> Result<&mut Future, Exception> {
        let row = self.row_mut(id);
        row.filter(|row| !matches!(row.settled, Settled::Free))
            .ok_or_else(unknown)
    }

    /// # Errors
    /// It is no task of this loop.
    #[inline(always)]
    pub(super) fn task(&self, id: FutureId) -> Result<&Task, Exception> {
        self.get(id)?.task().ok_or_else(no_task)
    }

    /// # Errors
    /// It is no task of this loop.
    #[inline(always)]
    pub(super) fn task_mut(&mut self, id: FutureId) -> Result<&mut Task, Exception> {
        self.get_mut(id)?.task_mut().ok_or_else(no_task)
    }

    pub(super) fn is_done(&self, id: FutureId) -> bool {
        self.get(id).is_ok_and(Future::is_done)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (FutureId, &Future)> {
        let all = (0..).map(FutureId::at).zip(self.pages.iter().flatten());
        all.filter(|(_, future)| !matches!(future.settled, Settled::Free))
    }

    /// Tasks that are not done, in the order of their making.
    pub(super) fn live_tasks(&self) -> Vec<FutureId> {
        let live = self.iter().filter(|(_, future)| !future.is_done());
        let mut live: Vec<(u32, FutureId)> = live
            .filter_map(|(id, future)| Some((future.task()?.sequence, id)))
            .collect();
        live.sort_unstable();
        live.into_iter().map(|(_, id)| id).collect()
    }
}

#[cold]
fn no_task() -> Exception {
    Exception::own("TypeError", Value::None)
}
