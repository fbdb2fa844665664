//! Programs written as `async fn` over one small handle: the front end of the labs.
//!
//! Worked example: `program(&here, |here| async move { here.compute(Nanoseconds::millis(1)).await; Ok(Value::None) })`
//! is a [`Program`] of two effects. Each `await` on the handle is one effect; an `await` of another `async fn` is a plain
//! call. Calls of the event loop are in [`mod@tasks`], calls of the thread in [`mod@threads`].
//!
//! Not here: any scheduling. A future is polled only when its program is resumed, and its waker does nothing.

mod tasks;
mod threads;

pub use threads::{DoneAndNotDone, MapOptions};

use std::cell::Cell;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::program::CellId;
use super::{Access, Compute, Computing, Effect, Exception, Input, Nanoseconds, Note, Outcome, Program, Value};
use crate::switch_points::Operation;

/// Where the one program that runs puts its effect and finds its input. One a machine is enough.
#[derive(Default)]
struct Slot {
    effect: Cell<Option<Effect>>,
    input: Cell<Option<Input>>,
}

/// The handle through which an `async fn` acts.
#[derive(Clone, Default)]
pub struct Here(Rc<Slot>);

impl fmt::Debug for Here {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Here")
    }
}

impl Here {
    /// A handle for the programs of one machine.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One effect, and what it gives.
    ///
    /// # Errors
    /// The effect raises, or the program is cancelled where it waits.
    pub async fn perform(&self, effect: Effect) -> Outcome {
        self.act(effect).await
    }

    /// The same for the calls below, which await it where they make it: the effect is in the slot at once, and the future
    /// holds nothing but the handle.
    #[inline(always)]
    fn act(&self, effect: Effect) -> impl Future<Output = Outcome> + '_ {
        self.0.effect.set(Some(effect));
        // Polled once with the effect in the slot, and once more with the answer.
        poll_fn(|_| match self.0.input.take() {
            Some(Input::Value(value)) => Poll::Ready(Ok(value)),
            Some(Input::Throw(exception)) => Poll::Ready(Err(exception)),
            Some(Input::Start) | None => Poll::Pending,
        })
    }

    /// Computes in bytecode for a time on a free core.
    pub async fn compute(&self, cost: Nanoseconds) {
        self.compute_as(cost, Computing::Bytecode).await;
    }

    /// Computes for a time on a free core.
    pub async fn compute_as(&self, cost: Nanoseconds, kind: Computing) {
        // Computing raises nothing, and nobody is cancelled in it.
        let _ = self.act(Effect::Compute(Compute { cost, kind })).await;
    }

    /// A place where another thread may run.
    pub async fn check_point(&self, operation: Operation) {
        let _ = self.act(Effect::CheckPoint(operation)).await;
    }

    /// Reads a shared cell.
    pub async fn read(&self, cell: CellId) -> Value {
        self.access(Access::Read(cell)).await
    }

    /// Writes a shared cell.
    pub async fn write(&self, cell: CellId, value: impl Into<Value>) {
        self.access(Access::Write(cell, value.into())).await;
    }

    /// Touches a shared cell.
    pub async fn access(&self, access: Access) -> Value {
        // No access raises.
        self.act(Effect::Access(access)).await.unwrap_or_default()
    }

    /// Tells the trace something.
    pub async fn note(&self, note: Note) {
        let _ = self.act(Effect::Note(note)).await;
    }
}

/// Makes a program of an async closure.
pub fn program<Body>(here: &Here, body: impl FnOnce(Here) -> Body) -> Box<dyn Program>
where
    Body: Future<Output = Outcome> + 'static,
{
    Box::new(AsyncProgram {
        here: here.clone(),
        body: Box::pin(body(here.clone())),
        begun: false,
    })
}

struct AsyncProgram<Body> {
    here: Here,
    body: Pin<Box<Body>>,
    begun: bool,
}

impl<Body: Future<Output = Outcome>> Program for AsyncProgram<Body> {
    fn look_at(&self) {
        std::hint::black_box(self.begun);
    }

    fn resume(&mut self, input: Input) -> Effect {
        match input {
            // What is thrown into a program that has not begun ends it before its first line.
            Input::Throw(exception) if !self.begun => return Effect::Raise(exception),
            Input::Start => self.here.0.input.set(None),
            Input::Value(_) | Input::Throw(_) => self.here.0.input.set(Some(input)),
        }
        self.begun = true;
        match self.body.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(value)) => Effect::Return(value),
            Poll::Ready(Err(exception)) => Effect::Raise(exception),
            Poll::Pending => self
                .here
                .0
                .effect
                .take()
                .expect("a program only waits in `perform`, which leaves an effect"),
        }
    }
}

/// `Err` for an `async fn` that raises a kind of its own.
///
/// # Errors
/// Always.
pub fn raise<T>(name: &str) -> Result<T, Exception> {
    Err(Exception::own(name, Value::None))
}
