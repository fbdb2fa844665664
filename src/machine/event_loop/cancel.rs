//! Cancellation: what `cancel()` does to a future, a gather and a task, and through a task to what it awaits.
//!
//! Worked example: task A awaits task B, B awaits a gather of C and a future. Cancelling A asks B, B asks the gather, the
//! gather asks C and cancels the future; everybody counts one request. asyncio does this by recursion; here a list of
//! what waits for an answer does, so that a long chain of tasks is no danger.
//!
//! Source: `Task.cancel`, `_GatheringFuture.cancel`, `Future.cancel`.

use std::rc::Rc;

use super::futures::{Cancellation, Of, Settled};
use super::ids::FutureId;
use super::settings::{Complaint, Fault};
use super::state::Turn;
use super::waits::Waiting;
use crate::machine::trace::Instant;
use crate::machine::{Exception, Value};

/// What waits for the answer of something that was asked.
enum Asking {
    /// A task, to know whether what it waits for was cancelled.
    Task(FutureId),
    /// A gather, with the place of the next child to ask, and whether any was cancelled.
    Gather(FutureId, usize, bool),
}

/// What one future makes of it.
enum Asked {
    /// The answer.
    Answer(bool),
    /// It depends on this one; a task waits for the answer.
    Ask(FutureId),
    /// It depends on the gather's children.
    Children,
}

type Message = Option<Rc<str>>;

impl Turn<'_> {
    /// What a callback of the loop cancels; an exception is complained of, as there is nobody to throw it at.
    pub(super) fn cancel(&mut self, id: FutureId, message: Message) {
        if let Err(exception) = self.try_cancel(id, message) {
            self.state.complaints.push(Complaint::Callback(exception));
        }
    }

    /// `future.cancel(message)`: whether the cancellation was asked for.
    ///
    /// # Errors
    /// `RecursionError` where tasks await each other in a circle.
    pub(super) fn try_cancel(&mut self, id: FutureId, message: Message) -> Result<bool, Exception> {
        let mut asking: Vec<Asking> = Vec::new();
        let mut at = id;
        // A longer chain than there are futures is a circle.
        let limit = 2 * self.state.futures.n_kept() + 2;
        loop {
            let mut answer = match self.ask(at, &message) {
                Asked::Answer(answer) => answer,
                Asked::Ask(next) if asking.len() < limit => {
                    asking.push(Asking::Task(at));
                    at = next;
                    continue;
                }
                Asked::Ask(_) => return Err(Exception::own("RecursionError", Value::None)),
                Asked::Children => {
                    asking.push(Asking::Gather(at, 0, false));
                    false
                }
            };
            // The answer goes to whoever waits for it, and on from there, up to a gather with another child to ask.
            loop {
                match asking.pop() {
                    None => return Ok(answer),
                    Some(Asking::Task(task)) => {
                        if !answer {
                            self.must_cancel(task, &message);
                        }
                        answer = true;
                    }
                    Some(Asking::Gather(gather, next, any)) => {
                        let any = any || answer;
                        if let Some(child) = self.child(gather, next) {
                            asking.push(Asking::Gather(gather, next + 1, any));
                            at = child;
                            break;
                        }
                        if any
                            && let Ok(future) = self.state.futures.get_mut(gather)
                            && let Of::Gather(gather) = &mut future.of
                        {
                            gather.is_cancel_requested = true;
                        }
                        answer = any;
                    }
                }
            }
        }
    }

    fn child(&self, gather: FutureId, place: usize) -> Option<FutureId> {
        match &self.state.futures.get(gather).ok()?.of {
            Of::Gather(gather) => gather.children.get(place).copied(),
            _ => None,
        }
    }

    fn ask(&mut self, id: FutureId, message: &Message) -> Asked {
        let passes_on = !self.state.has(Fault::CancelNotPassedOn);
        let shields = !self.state.has(Fault::ShieldLetsThrough);
        let Ok(future) = self.state.futures.get_mut(id) else {
            return Asked::Answer(false);
        };
        if !matches!(future.of, Of::Gather(_)) {
            future.is_unretrieved = false;
        }
        if future.is_done() {
            return Asked::Answer(false);
        }
        let lane = future.lane;
        match &mut future.of {
            Of::Gather(_) => return Asked::Children,
            Of::Shield(inner) if !shields => {
                let inner = *inner;
                self.cancel_plain(id, message);
                return Asked::Ask(inner);
            }
            Of::Plain(_) | Of::Shield(_) => {
                self.cancel_plain(id, message);
                return Asked::Answer(true);
            }
            Of::Task(task) => task.n_cancels += 1,
        }
        let now = self.state.now;
        self.recorder.instant(now, lane, Instant::Cancel, String::new);
        if !passes_on {
            return Asked::Answer(true);
        }
        if let Ok(task) = self.state.futures.task(id)
            && let Waiting::Future(awaited) | Waiting::WaitFor(_, awaited) = task.waiting
        {
            return Asked::Ask(awaited);
        }
        if !self.cancel_waiter(id, message.as_deref()) {
            // Its step is scheduled, or it runs.
            self.must_cancel(id, message);
        }
        Asked::Answer(true)
    }

    fn cancel_plain(&mut self, id: FutureId, message: &Message) {
        let cancellation = Cancellation {
            kept: None,
            message: message.clone(),
        };
        self.settle(id, Settled::Cancelled(Box::new(cancellation)));
    }

    fn must_cancel(&mut self, id: FutureId, message: &Message) {
        let forgets = self.state.has(Fault::EarlyCancelForgotten);
        if let Ok(task) = self.state.futures.task_mut(id)
            && (!forgets || task.has_begun)
        {
            task.set_must_cancel(message);
        }
    }
}
