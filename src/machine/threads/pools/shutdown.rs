//! The end of a pool.
//!
//! Not here: the workers' last rounds.

use super::{Pool, PoolCall, Shutdown};
use crate::machine::event_loop::{FutureId, Posted};
use crate::machine::threads::blocking::Answer;
use crate::machine::threads::thread::{Then, Wait};
use crate::machine::threads::{ExecutorId, Machine, ProcessId, ThreadCall, ThreadId};
use crate::machine::{Effect, Input, Program, Value};

/// Makes one call, and ends with what that gives.
struct Afterwards(Option<ThreadCall>);

impl Program for Afterwards {
    fn resume(&mut self, input: Input) -> Effect {
        match (self.0.take(), input) {
            (Some(call), _) => Effect::Thread(call),
            (None, Input::Throw(exception)) => Effect::Raise(exception),
            (None, Input::Value(value)) => Effect::Return(value),
            (None, Input::Start) => Effect::Return(Value::None),
        }
    }
}

impl Machine {
    pub(super) fn shutdown_call(&mut self, thread: ThreadId, shutdown: Shutdown) -> Answer {
        let Some(id) = self.pool_meant(thread, shutdown.pool) else {
            return match shutdown.pool {
                Pool::Of(_) => Answer::unknown(),
                // There never was a call for it.
                Pool::Default => {
                    if let Some(answer_to) = shutdown.answer_to {
                        self.settle_later(thread, answer_to);
                    }
                    Value::None.into()
                }
            };
        };
        self.pool(id).is_shut = true;
        if shutdown.cancel_futures && self.cancel_calls(id) {
            let rest = Shutdown {
                cancel_futures: false,
                ..shutdown
            };
            return self.run_cancelled(thread, id, rest);
        }
        self.nudge(id);
        if let Some(answer_to) = shutdown.answer_to {
            self.pool(id).end_answers.push((thread, answer_to));
            self.told_of_end(id);
        } else if shutdown.wait && !self.has_no_workers(id) {
            self.pool(id).enders.push_back(thread);
            return Answer::Blocks(Wait::Workers(id), None);
        }
        Value::None.into()
    }

    /// Cancels what nobody has begun; true if done callbacks are to run.
    fn cancel_calls(&mut self, id: ExecutorId) -> bool {
        let calls = std::mem::take(&mut self.pool(id).calls);
        for call in calls {
            if self.future_mut(call.future).outcome().is_none() {
                self.cancel_pending(call.future);
                let callbacks = std::mem::take(&mut self.future_mut(call.future).callbacks);
                self.pool(id).callbacks.extend(callbacks);
            }
        }
        self.record_pool(id);
        !self.pool(id).callbacks.is_empty()
    }

    /// Runs the callbacks of what was cancelled, one after the other, and then the rest of the shutdown.
    fn run_cancelled(&mut self, thread: ThreadId, id: ExecutorId, rest: Shutdown) -> Answer {
        let callbacks = std::mem::take(&mut self.pool(id).callbacks);
        let Some(carrier) = self.new_future(Some(id)) else {
            return Answer::Stops;
        };
        self.future_mut(carrier).callbacks = callbacks;
        let afterwards = Afterwards(Some(ThreadCall::Pool(PoolCall::Shutdown(rest))));
        self.push_program(thread, Box::new(afterwards), Then::Below);
        self.run_callbacks(thread, carrier, Ok(Value::None))
    }

    /// Lets workers and manager see that the pool is at its end.
    fn nudge(&mut self, id: ExecutorId) {
        let pool = self.pool(id);
        if let Some(manager) = pool.manager {
            self.wake(manager);
        } else if !pool.is_of_processes() {
            let waiting = pool.waiting.clone();
            self.wake_first(&waiting, usize::MAX);
        }
    }

    /// A process only waits for its end: its pools do what they have, and take no more.
    pub(in crate::machine::threads) fn shut_pools_of(&mut self, process: ProcessId) {
        for id in self.process(process).pools.clone() {
            self.pool(id).is_exiting = true;
            self.nudge(id);
        }
    }

    /// A future of a loop's gets nothing as its result.
    pub(super) fn settle_later(&mut self, thread: ThreadId, answer_to: FutureId) {
        self.post(thread, Posted::Settle(answer_to, Ok(Value::None)));
    }
}
