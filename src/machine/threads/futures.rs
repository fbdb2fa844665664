//! `concurrent.futures.Future`: what a call to a pool gives, waited for by threads and event loops.
//!
//! Not here: its calls one by one (`future_calls`), waiting for several (`several`), and who settles it (`pools`).

use std::collections::VecDeque;

use super::blocking::Answer;
use super::machine::Answers;
use super::thread::{Then, Wait};
use super::{CompletionsId, ConcurrentFutureId, ExecutorId, Machine, ThreadId};
use crate::machine::event_loop::{FutureId, Posted, Until};
use crate::machine::{Exception, Kind, Nanoseconds, Outcome, Program, Value};

/// What a concurrent future is asked.
#[derive(Debug)]
pub enum ConcurrentCall {
    /// `Future()`, settled by hand. Gives a [`ConcurrentFutureId`].
    New,
    /// `future.result(timeout)`. Raises what the call raised, `Cancelled` if it was cancelled, `Timeout` if the time was
    /// up.
    Result(ConcurrentFutureId, Option<Nanoseconds>),
    /// `future.exception(timeout)`. Gives the exception, or nothing.
    Exception(ConcurrentFutureId, Option<Nanoseconds>),
    /// `future.cancel()`. Gives whether it is cancelled: one that runs or is done is not.
    Cancel(ConcurrentFutureId),
    /// `future.cancelled()`
    Cancelled(ConcurrentFutureId),
    /// `future.running()`
    Running(ConcurrentFutureId),
    /// `future.done()`
    Done(ConcurrentFutureId),
    /// `future.set_running_or_notify_cancel()`. Gives whether it is to be run.
    SetRunning(ConcurrentFutureId),
    /// `future.set_result(value)`. `InvalidState` if it is done.
    SetResult(ConcurrentFutureId, Value),
    /// `future.set_exception(exception)`. `InvalidState` if it is done.
    SetException(ConcurrentFutureId, Exception),
    /// The outcome of a task that this future stands for; ignored if it was cancelled meanwhile.
    Settle(ConcurrentFutureId, Outcome),
    /// It stands for this task of the running loop's: cancelling it cancels the task.
    StandFor(ConcurrentFutureId, FutureId),
    /// `future.add_done_callback(callback)`: run by the thread that settles it, in order; at once if it is done. What it
    /// raises is written to the log and ignored.
    AddDoneCallback(ConcurrentFutureId, Box<dyn Program>),
    /// `wait(futures, …)`. Gives two lists, done and not done, both in the order given.
    Wait(Box<WaitFutures>),
    /// `as_completed(futures, timeout)`. Gives a [`CompletionsId`].
    AsCompleted(Vec<ConcurrentFutureId>, Option<Nanoseconds>),
    /// The next that is done: gives a [`ConcurrentFutureId`], or nothing after the last; `Timeout` if the time was up.
    Next(CompletionsId),
    /// `asyncio.wrap_future(future)`: its outcome goes to this future of the running loop's.
    Wrap(ConcurrentFutureId, FutureId),
}

/// The arguments of `concurrent.futures.wait`.
#[derive(Debug)]
pub struct WaitFutures {
    /// What is waited for.
    pub of: Vec<ConcurrentFutureId>,
    /// When it is enough.
    pub until: Until,
    /// At most so long.
    pub timeout: Option<Nanoseconds>,
}

/// A concurrent future.
#[derive(Debug, Default)]
pub(super) struct ConcurrentFuture {
    pub state: FutureState,
    /// Threads that wait for it, alone or among others.
    pub waiters: VecDeque<ThreadId>,
    pub callbacks: VecDeque<Box<dyn Program>>,
    /// Futures of loops that get its outcome.
    pub answers: Vec<(ThreadId, FutureId)>,
    /// Iterations that it is part of.
    pub completions: Vec<CompletionsId>,
    /// The task it stands for.
    pub stands_for: Option<(ThreadId, FutureId)>,
    /// The pool that is to run it.
    pub pool: Option<ExecutorId>,
    /// The thread that runs it.
    pub runner: Option<ThreadId>,
    /// In which order futures were done.
    pub place: u64,
}

/// What a concurrent future is.
#[derive(Clone, Debug, Default)]
pub(super) enum FutureState {
    /// Nobody has begun it. Next: any.
    #[default]
    Pending,
    /// Somebody works on it; it cannot be cancelled any more. Next: `Done`.
    Running,
    /// Cancelled; true once its pool has seen that, from when on `wait` counts it as done.
    Cancelled(bool),
    /// Done.
    Done(Outcome),
}

impl ConcurrentFuture {
    /// What `result()` gives, if it need not wait.
    pub fn outcome(&self) -> Option<Outcome> {
        match &self.state {
            FutureState::Done(outcome) => Some(outcome.clone()),
            FutureState::Cancelled(_) => Some(Err(Exception::new(Kind::Cancelled, ""))),
            FutureState::Pending | FutureState::Running => None,
        }
    }

    /// Whether `wait` and `as_completed` count it as done.
    pub fn counts_as_done(&self) -> bool {
        matches!(self.state, FutureState::Done(_) | FutureState::Cancelled(true))
    }

    /// What `exception()` gives, if it need not wait.
    pub fn exception(&self) -> Option<Outcome> {
        match &self.state {
            FutureState::Done(Ok(_)) => Some(Ok(Value::None)),
            FutureState::Done(Err(exception)) => Some(Ok(Value::Exception(exception.clone()))),
            FutureState::Pending | FutureState::Running | FutureState::Cancelled(_) => self.outcome(),
        }
    }
}

impl Machine {
    /// A new future, of a pool's or not; none if there are too many objects.
    pub(super) fn new_future(&mut self, pool: Option<ExecutorId>) -> Option<ConcurrentFutureId> {
        if self.is_too_many(self.futures.len()) {
            return None;
        }
        self.futures.push(ConcurrentFuture {
            pool,
            ..ConcurrentFuture::default()
        });
        Some(ConcurrentFutureId(self.futures.len() as u32 - 1))
    }

    pub(super) fn future_mut(&mut self, id: ConcurrentFutureId) -> &mut ConcurrentFuture {
        self.futures
            .get_mut(id.index())
            .expect("ids of futures are checked where programs hand them in")
    }

    /// The outcome of a future goes to a future of the loop's on this thread.
    pub(super) fn answer_later(&mut self, thread: ThreadId, id: ConcurrentFutureId, answer_to: FutureId) {
        if let Some(outcome) = self.future_mut(id).outcome() {
            self.post(thread, Posted::Settle(answer_to, outcome));
            return;
        }
        self.future_mut(id).answers.push((thread, answer_to));
        self.open_answers.insert((thread, answer_to), Answers::Call(id));
    }

    /// What was to answer to a future of the loop's on this thread is no longer wanted; false if nothing was.
    pub(super) fn take_back(&mut self, thread: ThreadId, answer_to: FutureId) -> Answer {
        match self.open_answers.remove(&(thread, answer_to)) {
            None => false.into(),
            Some(Answers::Request(request)) => {
                self.drop_request(request);
                true.into()
            }
            Some(Answers::Call(id)) => {
                let answers = &mut self.future_mut(id).answers;
                answers.retain(|answer| *answer != (thread, answer_to));
                self.cancel_future(thread, id)
            }
        }
    }

    /// Whether a future is to be run; from now on it is, by this thread.
    pub(super) fn set_running(&mut self, id: ConcurrentFutureId, runner: Option<ThreadId>) -> bool {
        let future = self.future_mut(id);
        match future.state {
            FutureState::Pending => {
                future.state = FutureState::Running;
                future.runner = runner;
                true
            }
            FutureState::Cancelled(false) => {
                future.state = FutureState::Cancelled(true);
                self.count_as_done(id);
                false
            }
            FutureState::Running | FutureState::Cancelled(true) | FutureState::Done(_) => false,
        }
    }

    pub(super) fn set_outcome(&mut self, thread: ThreadId, id: ConcurrentFutureId, outcome: Outcome) -> Answer {
        if self.future_mut(id).outcome().is_some() {
            return Answer::raises(Kind::InvalidState, "the future is done");
        }
        self.settle(id, outcome);
        self.run_callbacks(thread, id, Ok(Value::None))
    }

    /// A future is done. Its callbacks have not run yet.
    pub(super) fn settle(&mut self, id: ConcurrentFutureId, outcome: Outcome) {
        self.future_mut(id).state = FutureState::Done(outcome);
        self.tell(id);
        self.count_as_done(id);
    }

    /// `future.cancel()`
    pub(super) fn cancel_future(&mut self, thread: ThreadId, id: ConcurrentFutureId) -> Answer {
        let future = self.future_mut(id);
        match future.state {
            FutureState::Running | FutureState::Done(_) => false.into(),
            FutureState::Cancelled(_) => true.into(),
            FutureState::Pending => {
                self.cancel_pending(id);
                self.run_callbacks(thread, id, Ok(Value::Bool(true)))
            }
        }
    }

    /// Cancels a future that nobody has begun; its callbacks have not run yet.
    pub(super) fn cancel_pending(&mut self, id: ConcurrentFutureId) {
        let future = self.future_mut(id);
        future.state = FutureState::Cancelled(false);
        let stands_for = future.stands_for;
        self.tell(id);
        if let Some((on, task)) = stands_for {
            self.post(on, Posted::Cancel(task, None));
        }
    }

    /// Who waits for this future alone goes on, and loops get its outcome.
    fn tell(&mut self, id: ConcurrentFutureId) {
        let future = self.future_mut(id);
        let outcome = future.outcome();
        let waiters = future.waiters.clone();
        let answers = std::mem::take(&mut future.answers);
        for waiter in waiters {
            if matches!(self.thread(waiter).wait(), Some(Wait::Result(_) | Wait::Exception(_))) {
                self.wake(waiter);
            }
        }
        for (thread, answer_to) in answers {
            self.open_answers.remove(&(thread, answer_to));
            if let Some(outcome) = &outcome {
                self.post(thread, Posted::Settle(answer_to, outcome.clone()));
            }
        }
    }

    /// Runs a done future's callbacks on this thread, one after the other; then its call gives this.
    pub(super) fn run_callbacks(&mut self, thread: ThreadId, id: ConcurrentFutureId, answer: Outcome) -> Answer {
        match self.future_mut(id).callbacks.pop_front() {
            Some(callback) => {
                self.push_program(thread, callback, Then::Callback(id, answer));
                Answer::Runs
            }
            None => answer.into(),
        }
    }

    pub(super) fn attempt_result(&mut self, thread: ThreadId, id: ConcurrentFutureId) -> Option<Outcome> {
        let outcome = self.future_mut(id).outcome()?;
        self.leave_future(thread, id);
        Some(outcome)
    }

    pub(super) fn attempt_exception(&mut self, thread: ThreadId, id: ConcurrentFutureId) -> Option<Outcome> {
        let outcome = self.future_mut(id).exception()?;
        self.leave_future(thread, id);
        Some(outcome)
    }

    pub(super) fn leave_future(&mut self, thread: ThreadId, id: ConcurrentFutureId) {
        self.future_mut(id).waiters.retain(|waiter| *waiter != thread);
    }
}
