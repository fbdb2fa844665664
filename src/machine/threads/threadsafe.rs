//! `asyncio.run_coroutine_threadsafe`: a task for another thread's loop, and a concurrent future for this thread.
//!
//! Both directions are programs of ordinary effects that run as callbacks of that loop: one makes the task and tells the
//! machine which it is, the other hands its outcome over.
//!
//! Not here: the loop.

use super::blocking::Answer;
use super::{ConcurrentCall, ConcurrentFutureId, Machine, ThreadCall, ThreadId};
use crate::machine::event_loop::{FutureId, LoopCall, Posted, Waitable};
use crate::machine::{Effect, Input, Kind, Program, Value};

impl Machine {
    pub(super) fn run_threadsafe(&mut self, other: ThreadId, program: Box<dyn Program>) -> Answer {
        let Some(future) = self.new_future(None) else {
            return Answer::Stops;
        };
        let starter = Starter::Fresh(future, program);
        if self.post(other, Posted::Call(Box::new(starter))) {
            future.into()
        } else {
            Answer::raises(Kind::RuntimeError, "Event loop is closed")
        }
    }
}

/// Makes the task.
enum Starter {
    /// Nothing has happened.
    Fresh(ConcurrentFutureId, Box<dyn Program>),
    /// The task is being made.
    Making(ConcurrentFutureId),
    /// The machine is being told which task it is.
    Telling(ConcurrentFutureId, FutureId),
    /// All is done.
    Ended,
}

impl Program for Starter {
    fn resume(&mut self, input: Input) -> Effect {
        let made = match input {
            Input::Throw(exception) => return Effect::Raise(exception),
            Input::Value(value) => FutureId::try_from(&value).ok(),
            Input::Start => None,
        };
        match (std::mem::replace(self, Self::Ended), made) {
            (Self::Fresh(future, program), _) => {
                *self = Self::Making(future);
                Effect::Loop(LoopCall::CreateTask(Waitable::Program(program), None))
            }
            (Self::Making(future), Some(task)) => {
                *self = Self::Telling(future, task);
                Effect::Thread(ThreadCall::Future(ConcurrentCall::StandFor(future, task)))
            }
            (Self::Telling(future, task), _) => {
                let reporter = Reporter::Fresh(future, task);
                Effect::Loop(LoopCall::AddDoneCallback(task, Box::new(reporter), None))
            }
            (Self::Making(_) | Self::Ended, _) => Effect::Return(Value::None),
        }
    }
}

/// Hands the task's outcome over.
enum Reporter {
    /// Nothing has happened.
    Fresh(ConcurrentFutureId, FutureId),
    /// The task is being asked.
    Asking(ConcurrentFutureId),
    /// All is done.
    Ended,
}

impl Program for Reporter {
    fn resume(&mut self, input: Input) -> Effect {
        match std::mem::replace(self, Self::Ended) {
            Self::Fresh(future, task) => {
                *self = Self::Asking(future);
                Effect::Loop(LoopCall::Result(task))
            }
            Self::Asking(future) => {
                let outcome = match input {
                    Input::Value(value) => Ok(value),
                    Input::Throw(exception) => Err(exception),
                    Input::Start => Ok(Value::None),
                };
                Effect::Thread(ThreadCall::Future(ConcurrentCall::Settle(future, outcome)))
            }
            Self::Ended => Effect::Return(Value::None),
        }
    }
}
