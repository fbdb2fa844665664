//! Calls that are done elsewhere and answered later: by a pool's thread, by the network, by a concurrent future.
//!
//! The loop makes a future and has the machine begin the call; the machine posts the outcome. A future that is cancelled
//! before has the call taken back, which ends one that has not begun and no other.
//!
//! Source: `run_in_executor` in `base_events.py`, `to_thread` in `threads.py`, `_chain_future` in `futures.py`.
//!
//! Not here: pools and networks, which are the machine's.

use super::callbacks::Callback;
use super::contexts::Context;
use super::effects::WaitsFor;
use super::futures::{Of, Settled};
use super::ids::{FutureId, Waitable};
use super::settings::Posted;
use super::state::{Activity, Next, Step, Turn, Who};
use super::tasks::runtime_error;
use crate::machine::threads::{
    ConcurrentCall, ConcurrentFutureId, EndpointId, NetworkCall, Payload, Pool, PoolCall, Shutdown, Submit, ThreadCall,
    Work,
};
use crate::machine::{Effect, Input, Nanoseconds, Program, Value};

impl Turn<'_> {
    /// `loop.create_future()`
    pub(super) fn create_future(&mut self, waits_for: WaitsFor) -> FutureId {
        let id = self.add_future(Of::Plain(waits_for));
        if waits_for != WaitsFor::Task {
            if let Ok(future) = self.state.futures.get_mut(id) {
                future.is_due = true;
            }
            self.state.n_due += 1;
            self.when_done(id, Callback::TakeBack(id));
        }
        id
    }

    /// Has a call begun. Its future is given to the program, or awaited and then forgotten.
    fn begin_call(&mut self, id: FutureId, call: ThreadCall, is_awaited: bool) -> Step {
        if let Some(activity) = self.state.running.last_mut() {
            activity.next = Next::Begun(id, is_awaited);
        }
        Step::Perform(Effect::Thread(call))
    }

    /// The machine has begun the call, or refuses to.
    pub(super) fn begun(&mut self, id: FutureId, is_awaited: bool, answer: Input) -> Step {
        if let Input::Throw(exception) = answer {
            self.no_answer(id);
            self.settle(id, Settled::Ok(Value::None));
            // Nobody has its name.
            let _ = self.forget(id);
            return Step::Go(Input::Throw(exception));
        }
        if !is_awaited {
            return Step::Go(Input::Value(id.into()));
        }
        let Some(task) = self.state.current_task() else {
            return Step::Go(Input::Throw(super::making::no_task()));
        };
        let step = self.await_future(task, id);
        let _ = self.forget(id);
        step
    }

    /// `loop.run_in_executor(executor, function)`
    pub(super) fn run_in_executor(&mut self, submit: Submit, is_awaited: bool) -> Step {
        if submit.pool == Pool::Default {
            if self.state.phase.has_shut_pool_down() {
                return Step::Go(Input::Throw(runtime_error("Executor shutdown has been called")));
            }
            self.state.has_used_pool = true;
        }
        let id = self.create_future(WaitsFor::Thread);
        let submit = Submit {
            answer_to: Some(id),
            ..submit
        };
        self.begin_call(id, ThreadCall::Pool(PoolCall::Submit(Box::new(submit))), is_awaited)
    }

    /// `asyncio.to_thread(function)`
    pub(super) fn begin_on_thread(&mut self, program: Box<dyn Program>) -> Step {
        let submit = Submit {
            pool: Pool::Default,
            work: Work::One(program),
            payload: Payload::default(),
            answer_to: None,
        };
        self.run_in_executor(submit, true)
    }

    /// One request to an endpoint.
    pub(super) fn request(&mut self, endpoint: EndpointId, timeout: Option<Nanoseconds>) -> Step {
        let id = self.create_future(WaitsFor::Io);
        let call = NetworkCall::Request {
            endpoint,
            timeout,
            answer_to: Some(id),
        };
        self.begin_call(id, ThreadCall::Network(call), true)
    }

    /// `asyncio.wrap_future(future)`
    pub(super) fn wrap_future(&mut self, future: ConcurrentFutureId) -> Step {
        let id = self.create_future(WaitsFor::Thread);
        let call = ConcurrentCall::Wrap(future, id);
        self.begin_call(id, ThreadCall::Future(call), false)
    }

    /// The future of a call is done: by its answer, or by a cancellation that the machine is told of.
    pub(super) fn take_back(&mut self, id: FutureId) {
        if self
            .state
            .futures
            .get(id)
            .is_ok_and(|future| future.is_cancelled() && future.is_due)
        {
            let mut activity = Activity::new(Who::Callback(Context::default()));
            activity.program = Some(Box::new(Once(None)));
            activity.next = Next::TakenBack(id);
            self.state.running.push(activity);
        }
    }

    /// The machine says whether a call was still open: then it will not answer.
    pub(super) fn taken_back(&mut self, id: FutureId, answer: &Input) {
        if matches!(answer, Input::Value(Value::Bool(true))) {
            self.no_answer(id);
            self.collect(id);
        }
    }

    fn no_answer(&mut self, id: FutureId) {
        if let Ok(future) = self.state.futures.get_mut(id)
            && std::mem::replace(&mut future.is_due, false)
        {
            self.state.n_due = self.state.n_due.saturating_sub(1);
        }
    }

    /// Something from another thread, when its turn has come.
    pub(super) fn posted(&mut self, posted: Posted) {
        match posted {
            Posted::Settle(id, outcome) => {
                self.no_answer(id);
                self.settle(id, outcome.map_or_else(Settled::Failed, Settled::Ok));
                self.collect(id);
            }
            Posted::Call(program) => self.begin_callback(program, Context::default()),
            Posted::Cancel(id, message) => {
                self.cancel(id, message);
            }
            Posted::Start(program, report) => {
                let Ok((task, _)) = self.create_task(Waitable::Program(program), None) else {
                    return;
                };
                if let Some(report) = report {
                    self.when_done(task, Callback::Report(Box::new((task, report))));
                }
                let _ = self.forget(task);
            }
        }
    }

    /// A task that another thread started is done: that thread is told.
    pub(super) fn report(&mut self, id: FutureId, report: super::settings::Report) {
        let Ok(future) = self.state.futures.get_mut(id) else {
            return;
        };
        let call = report(future.result());
        self.begin_callback(Box::new(Once(Some(Effect::Thread(call)))), Context::default());
    }

    /// The workers of the default pool are to end.
    pub(super) fn shut_pool_down(&mut self) {
        let id = self.create_future(WaitsFor::Thread);
        self.when_done(id, Callback::Ending);
        let _ = self.forget(id);
        let shutdown = Shutdown {
            pool: Pool::Default,
            wait: true,
            cancel_futures: false,
            answer_to: Some(id),
        };
        let effect = Effect::Thread(ThreadCall::Pool(PoolCall::Shutdown(shutdown)));
        self.begin_callback(Box::new(Once(Some(effect))), Context::default());
    }
}

/// A program of a single effect, or of none.
struct Once(Option<Effect>);

impl Program for Once {
    fn resume(&mut self, input: Input) -> Effect {
        match (self.0.take(), input) {
            (Some(effect), _) => effect,
            (None, Input::Throw(exception)) => Effect::Raise(exception),
            (None, Input::Start | Input::Value(_)) => Effect::Return(Value::None),
        }
    }
}
