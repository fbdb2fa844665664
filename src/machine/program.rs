//! What runs on the machine: a program answers each input with one effect, and is then asked again.
//!
//! `async fn`s are one front end ([`super::front`]), a learner's script another; the tests keep a third, a small stack
//! interpreter, so that nothing here is bent to one of them. Worked example: a thread that computes for a millisecond
//! and ends is `Start → Compute(1 ms)`, `Value(None) → Return(None)`: two effects, two steps.
//!
//! Not here: what an effect does. Not here either: `Clone`; a run is gone back in by its log, never by undoing programs.

use std::fmt;

use super::event_loop::{Awaitable, LoopCall};
use super::threads::ThreadCall;
use super::{Exception, Nanoseconds, Value};
use crate::switch_points::Operation;

/// A thread's, a task's or a callback's code, in the middle of its work.
pub trait Program {
    /// Goes on with the answer to the last effect, up to the next. After `Return` or `Raise` it is never asked again.
    fn resume(&mut self, input: Input) -> Effect;

    /// It goes on soon: reads what it will read first, and does nothing. Only for speed, where programs are many.
    fn look_at(&self) {}
}

impl fmt::Debug for dyn Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Program")
    }
}

/// What a program goes on with.
#[derive(Clone, Debug)]
pub enum Input {
    /// The first of all: begin.
    Start,
    /// The last effect gave this.
    Value(Value),
    /// The last effect raised this, or the program is cancelled where it waited; it may catch it.
    Throw(Exception),
}

/// How something ended.
pub type Outcome = Result<Value, Exception>;

impl From<Outcome> for Input {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Ok(value) => Self::Value(value),
            Err(exception) => Self::Throw(exception),
        }
    }
}

/// One step of a program.
#[derive(Debug)]
pub enum Effect {
    /// Uses a core.
    Compute(Compute),
    /// A place where another thread may run: the table of switch points says under which runtime.
    CheckPoint(Operation),
    /// Touches a shared cell.
    Access(Access),
    /// Something of the thread's: it may block the whole thread, and with it its event loop.
    Thread(ThreadCall),
    /// Something that may suspend the task, and only the task. Outside an event loop it raises.
    Await(Awaitable),
    /// Something of the running event loop's that is done at once. Outside an event loop it raises.
    Loop(LoopCall),
    /// For the trace alone.
    Note(Note),
    /// The end, well.
    Return(Value),
    /// The end, not well.
    Raise(Exception),
}

/// Work on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compute {
    /// Time on a core of this machine that nothing else uses; preemption splits it exactly.
    pub cost: Nanoseconds,
    /// What it is made of.
    pub kind: Computing,
}

/// What computing is made of, as far as the interpreter lock is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computing {
    /// Many bytecodes with check points among them: the lock can be asked for at any time.
    Bytecode,
    /// One call into C that keeps the lock to its end, or a few bytecodes without a check point among them. Its end is no
    /// check point either: a program states its own.
    KeepsLock,
    /// Code that lets the lock go for its length and takes it again (a big hash).
    ReleasesLock,
}

/// A shared cell: one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

/// Touches a cell. Cells belong to an interpreter, and so to a process; they start as nothing.
#[derive(Clone, Debug)]
pub enum Access {
    /// Gives its value.
    Read(CellId),
    /// Sets its value.
    Write(CellId, Value),
    /// Adds to its number in one indivisible step; gives the number before.
    Add(CellId, i64),
    /// Sets it to the second if it equals the first, in one indivisible step; gives whether it did.
    CompareAndSwap(CellId, Box<(Value, Value)>),
}

impl Access {
    /// The cell it touches.
    #[must_use]
    pub const fn cell(&self) -> CellId {
        match self {
            Self::Read(cell) | Self::Write(cell, _) | Self::Add(cell, _) | Self::CompareAndSwap(cell, _) => *cell,
        }
    }
}

/// What a program tells the trace and nobody else.
#[derive(Clone, Debug)]
pub enum Note {
    /// It is at this line of its source, from 1.
    Line(u32),
    /// What it does until it says otherwise: the name of a call, as a stall is explained by.
    Doing(&'static str),
    /// Something worth a mark.
    Mark(String),
}
