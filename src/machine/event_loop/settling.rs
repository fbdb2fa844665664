//! Futures are settled, asked, called back and forgotten.
//!
//! Source: `Lib/asyncio/futures.py`. A future that a program has said to forget is emptied when it is done and no part of
//! the loop looks at it any more: a callback that is about it is on its way, a gather still wants its result, a lock
//! names it as its holder. Each of these pins it. Not here: cancellation.

use super::callbacks::Callback;
use super::futures::{Callbacks, Of, Settled};
use super::ids::{CallbackId, ContextId, FutureId};
use super::settings::Complaint;
use super::state::Turn;
use super::tasks::runtime_error;
use crate::machine::{Exception, Kind, Outcome, Program, Value};

impl Turn<'_> {
    /// Sets a future that is pending, and has its callbacks called in the next iteration.
    pub(super) fn settle(&mut self, id: FutureId, settled: Settled) {
        let Ok(future) = self.state.futures.get_mut(id) else {
            return;
        };
        if future.is_done() {
            return;
        }
        future.is_unretrieved = matches!(settled, Settled::Failed(_));
        future.settled = settled;
        match std::mem::take(&mut future.callbacks) {
            Callbacks::None => {}
            Callbacks::One(callback) => self.schedule(callback),
            Callbacks::Many(all) => all.into_list().into_iter().for_each(|callback| self.schedule(callback)),
        }
        self.collect(id);
    }

    /// Has a callback called once a future is done: in the next iteration if it is.
    pub(super) fn when_done(&mut self, id: FutureId, callback: Callback) {
        match self.state.futures.get_mut(id) {
            Ok(future) if !future.is_done() => future.callbacks.add(callback),
            _ => self.schedule(callback),
        }
    }

    /// `future.set_result` and `future.set_exception`, by a program.
    ///
    /// # Errors
    /// It is done, or it is a task.
    pub(super) fn set(&mut self, id: FutureId, outcome: Outcome) -> Outcome {
        let future = self.state.futures.get(id)?;
        if matches!(future.of, Of::Task(_)) {
            let call = if outcome.is_ok() { "set_result" } else { "set_exception" };
            return Err(runtime_error(format!("Task does not support {call} operation")));
        }
        if future.is_done() {
            // The words of _asynciomodule.c, which CPython runs; futures.py says more.
            return Err(Exception::new(Kind::InvalidState, "invalid state"));
        }
        let settled = match outcome {
            Ok(value) => Settled::Ok(value),
            Err(exception) if exception.kind() == Kind::Own && exception.message() == "StopIteration" => {
                let message = "StopIteration interacts badly with generators and cannot be raised into a Future";
                Settled::Failed(runtime_error(message).from_cause(exception))
            }
            Err(exception) => Settled::Failed(exception),
        };
        self.settle(id, settled);
        Ok(Value::None)
    }

    /// `future.add_done_callback`
    ///
    /// # Errors
    /// There is no such future or context.
    pub(super) fn add_done_callback(
        &mut self,
        id: FutureId,
        program: Box<dyn Program>,
        context: Option<ContextId>,
    ) -> Outcome {
        self.state.futures.get(id)?;
        let context = self.context_for(context)?;
        let callback = self.state.done_callbacks.push((program, context));
        let callback = callback.ok_or_else(|| self.no_room())?;
        self.when_done(id, Callback::Done(callback));
        Ok(callback.into())
    }

    /// `future.remove_done_callback`
    ///
    /// # Errors
    /// There is no such future.
    pub(super) fn remove_done_callback(&mut self, id: FutureId, callback: CallbackId) -> Outcome {
        let future = self.state.futures.get_mut(id)?;
        let is_it = |found: &Callback| matches!(found, Callback::Done(found) if *found == callback);
        let n_removed = future.callbacks.remove(is_it);
        if n_removed > 0 {
            self.state.done_callbacks.take(callback);
        }
        Ok(Value::Int(n_removed as i64))
    }

    /// A part of the loop looks at this future from now on.
    pub(super) fn pin(&mut self, id: FutureId) {
        if let Ok(future) = self.state.futures.get_mut(id) {
            future.n_pins += 1;
        }
    }

    /// A part of the loop does not look at this future any more.
    pub(super) fn unpin(&mut self, id: FutureId) {
        if let Ok(future) = self.state.futures.get_mut(id) {
            future.n_pins = future.n_pins.saturating_sub(1);
            self.collect(id);
        }
    }

    /// The program does not hold this future any more.
    ///
    /// # Errors
    /// There is no such future.
    pub(super) fn forget(&mut self, id: FutureId) -> Outcome {
        self.state.futures.get_mut(id)?.is_forgotten = true;
        self.collect(id);
        Ok(Value::None)
    }

    /// Empties a future's row if nobody will ask for it again.
    pub(super) fn collect(&mut self, id: FutureId) {
        let Ok(future) = self.state.futures.get(id) else { return };
        if !future.is_forgotten || !future.is_done() || future.is_due || future.n_pins > 0 {
            return;
        }
        if future.is_unretrieved
            && let Some(exception) = future.failure()
        {
            let complaint = Complaint::NeverRetrieved(id, exception.clone());
            self.state.complaints.push(complaint);
        }
        self.state.futures.free(id);
    }
}
