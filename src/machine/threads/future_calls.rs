//! What each call on a concurrent future does.
//!
//! Not here: the future.

use super::blocking::Answer;
use super::futures::{ConcurrentCall, FutureState};
use super::thread::{Then, Wait};
use super::{Machine, Patience, ThreadId};
use crate::machine::event_loop::Posted;
use crate::machine::{Kind, Value};

impl Machine {
    pub(super) fn future_call(&mut self, thread: ThreadId, call: ConcurrentCall) -> Answer {
        let id = match &call {
            ConcurrentCall::New => return self.new_future(None).map_or(Answer::Stops, Answer::from),
            ConcurrentCall::Wait(_) | ConcurrentCall::AsCompleted(..) | ConcurrentCall::Next(_) => {
                return self.several_call(thread, call);
            }
            ConcurrentCall::Result(id, _)
            | ConcurrentCall::Exception(id, _)
            | ConcurrentCall::Cancel(id)
            | ConcurrentCall::Cancelled(id)
            | ConcurrentCall::Running(id)
            | ConcurrentCall::Done(id)
            | ConcurrentCall::SetRunning(id)
            | ConcurrentCall::SetResult(id, _)
            | ConcurrentCall::SetException(id, _)
            | ConcurrentCall::Settle(id, _)
            | ConcurrentCall::StandFor(id, _)
            | ConcurrentCall::AddDoneCallback(id, _)
            | ConcurrentCall::Wrap(id, _) => *id,
        };
        let Some(future) = self.futures.get_mut(id.index()) else {
            return Answer::unknown();
        };
        match call {
            ConcurrentCall::Result(_, limit) => {
                let outcome = future.outcome();
                if outcome.is_none() {
                    future.waiters.push_back(thread);
                }
                Self::now_or_wait(outcome, Patience::from(limit), Wait::Result(id), Ok(Value::None))
            }
            ConcurrentCall::Exception(_, limit) => {
                let outcome = future.exception();
                if outcome.is_none() {
                    future.waiters.push_back(thread);
                }
                Self::now_or_wait(outcome, Patience::from(limit), Wait::Exception(id), Ok(Value::None))
            }
            ConcurrentCall::Cancel(_) => self.cancel_future(thread, id),
            ConcurrentCall::Cancelled(_) => matches!(future.state, FutureState::Cancelled(_)).into(),
            ConcurrentCall::Running(_) => matches!(future.state, FutureState::Running).into(),
            ConcurrentCall::Done(_) => future.outcome().is_some().into(),
            ConcurrentCall::SetRunning(_) => match future.state {
                FutureState::Pending | FutureState::Cancelled(false) => self.set_running(id, None).into(),
                _ => Answer::raises(Kind::RuntimeError, "Future in unexpected state"),
            },
            ConcurrentCall::SetResult(_, value) => self.set_outcome(thread, id, Ok(value)),
            ConcurrentCall::SetException(_, exception) => self.set_outcome(thread, id, Err(exception)),
            ConcurrentCall::Settle(_, outcome) => match (&future.state, outcome) {
                (FutureState::Pending, Err(exception)) if exception.is_cancelled() => self.cancel_future(thread, id),
                (FutureState::Pending | FutureState::Running, outcome) => self.set_outcome(thread, id, outcome),
                (FutureState::Cancelled(_) | FutureState::Done(_), _) => Value::None.into(),
            },
            ConcurrentCall::StandFor(_, task) => {
                future.stands_for = Some((thread, task));
                if matches!(future.state, FutureState::Cancelled(_)) {
                    self.post(thread, Posted::Cancel(task, None));
                }
                Value::None.into()
            }
            ConcurrentCall::AddDoneCallback(_, callback) if future.outcome().is_some() => {
                self.push_program(thread, callback, Then::Callback(id, Ok(Value::None)));
                Answer::Runs
            }
            ConcurrentCall::AddDoneCallback(_, callback) => {
                future.callbacks.push_back(callback);
                Value::None.into()
            }
            ConcurrentCall::Wrap(_, answer_to) => {
                self.answer_later(thread, id, answer_to);
                Value::None.into()
            }
            ConcurrentCall::New
            | ConcurrentCall::Wait(_)
            | ConcurrentCall::AsCompleted(..)
            | ConcurrentCall::Next(_) => Answer::unknown(),
        }
    }
}
