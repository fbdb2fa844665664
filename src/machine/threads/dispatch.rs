//! From a call to the file of its object, and what a call takes before it is done.
//!
//! Not here: any object.

use super::advance::Flow;
use super::blocking::Answer;
use super::network::NetworkCall;
use super::pools::PoolCall;
use super::processes::ProcessCall;
use super::thread::Wait;
use super::watch::CallMark;
use super::{Machine, Patience, StartMethod, ThreadCall, ThreadId};
use crate::machine::event_loop::Posted;
use crate::machine::{Effect, Kind, Nanoseconds, Outcome, Value};

impl Machine {
    /// What the acting thread computes before a call is done.
    pub(super) fn price(&self, effect: &Effect) -> Nanoseconds {
        let Effect::Thread(call) = effect else {
            return Nanoseconds::ZERO;
        };
        let costs = &self.settings.costs;
        match call {
            ThreadCall::Sleep(_)
            | ThreadCall::Now
            | ThreadCall::Join(..)
            | ThreadCall::IsAlive(_)
            | ThreadCall::CurrentThread
            | ThreadCall::TakeBack(_) => Nanoseconds::ZERO,
            ThreadCall::Spawn(_) => costs.thread_start,
            ThreadCall::CallSoonThreadsafe(..) | ThreadCall::RunThreadsafe(..) => costs.post,
            ThreadCall::NewInterpreter => costs.interpreter_start,
            ThreadCall::Process(ProcessCall::Start(start)) => match start.method {
                StartMethod::Fork => costs.fork.parent,
                StartMethod::ForkServer => costs.fork_server.parent,
                StartMethod::Spawn => costs.spawn.parent,
            },
            ThreadCall::Process(_) => Nanoseconds::ZERO,
            ThreadCall::Lock(_)
            | ThreadCall::ReentrantLock(_)
            | ThreadCall::Condition(_)
            | ThreadCall::Semaphore(_)
            | ThreadCall::Event(_)
            | ThreadCall::Barrier(_)
            | ThreadCall::Future(_) => costs.lock_call,
            ThreadCall::Queue(_) => costs.queue_call,
            ThreadCall::Pool(PoolCall::Submit(_)) => costs.submit,
            ThreadCall::Pool(_) | ThreadCall::Network(NetworkCall::New(_)) => Nanoseconds::ZERO,
            ThreadCall::Network(NetworkCall::Request { answer_to: None, .. }) => costs.request_on_thread,
            ThreadCall::Network(NetworkCall::Request { .. }) => costs.request_in_task,
        }
    }

    /// Does a call of the acting thread.
    pub(super) fn call(&mut self, thread: ThreadId, call: ThreadCall) -> Flow {
        let mark = CallMark::new(&call);
        let answer = self.answer(thread, call);
        self.called(thread, mark, &answer);
        self.goes_on(thread, answer)
    }

    fn answer(&mut self, thread: ThreadId, call: ThreadCall) -> Answer {
        match call {
            ThreadCall::Sleep(delay) => Answer::Blocks(Wait::Sleep, Some(delay)),
            ThreadCall::Now => Value::Int(i64::try_from(self.now.0).unwrap_or(i64::MAX)).into(),
            ThreadCall::Spawn(spawn) => self.spawn(thread, *spawn),
            ThreadCall::Join(other, limit) => self.join_thread(thread, other, limit),
            ThreadCall::IsAlive(other) => match self.threads.get(other.index()) {
                Some(other) => (!other.has_finished()).into(),
                None => Answer::unknown(),
            },
            ThreadCall::CurrentThread => thread.into(),
            ThreadCall::CallSoonThreadsafe(other, callback) => {
                if self.post(other, Posted::Call(callback)) {
                    Value::None.into()
                } else {
                    Answer::raises(Kind::RuntimeError, "Event loop is closed")
                }
            }
            ThreadCall::RunThreadsafe(other, program) => self.run_threadsafe(other, program),
            ThreadCall::TakeBack(future) => self.take_back(thread, future),
            ThreadCall::NewInterpreter => self.new_interpreter(thread),
            ThreadCall::Process(call) => self.process_call(thread, call),
            ThreadCall::Lock(call) => self.lock_call(thread, call),
            ThreadCall::ReentrantLock(call) => self.reentrant_call(thread, call),
            ThreadCall::Condition(call) => self.condition_call(thread, call),
            ThreadCall::Semaphore(call) => self.semaphore_call(thread, call),
            ThreadCall::Event(call) => self.event_call(thread, call),
            ThreadCall::Barrier(call) => self.barrier_call(thread, call),
            ThreadCall::Queue(call) => self.queue_call(thread, call),
            ThreadCall::Future(call) => self.future_call(thread, call),
            ThreadCall::Pool(call) => self.pool_call(thread, call),
            ThreadCall::Network(call) => self.network_call(thread, call),
        }
    }

    /// What a call gives if that is known at once; else it blocks as patience allows.
    pub(super) fn now_or_wait(outcome: Option<Outcome>, patience: Patience, wait: Wait, else_gives: Outcome) -> Answer {
        match (outcome, patience) {
            (Some(outcome), _) => outcome.into(),
            (None, Patience::No) => else_gives.into(),
            (None, Patience::For(limit)) => Answer::Blocks(wait, Some(limit)),
            (None, Patience::Forever) => Answer::Blocks(wait, None),
        }
    }

    /// Tells the loop that runs on a thread something; false if there is none.
    pub(super) fn post(&mut self, thread: ThreadId, posted: Posted) -> bool {
        let Some(event_loop) = self.threads.get_mut(thread.index()).and_then(|of| of.event_loop_mut()) else {
            return false;
        };
        event_loop.post(posted);
        if matches!(self.thread(thread).wait(), Some(Wait::Poll)) {
            self.wake(thread);
        }
        true
    }

    fn join_thread(&mut self, thread: ThreadId, other: ThreadId, limit: Option<Nanoseconds>) -> Answer {
        if other == thread {
            return Answer::raises(Kind::RuntimeError, "cannot join current thread");
        }
        match self.threads.get_mut(other.index()) {
            None => Answer::unknown(),
            Some(of) if !of.has_finished() => {
                of.watchers.push_back(thread);
                Answer::Blocks(Wait::Join(other), limit)
            }
            Some(_) => Value::None.into(),
        }
    }

    /// Whether so many objects are too many; then the run is over.
    pub(super) fn is_too_many(&mut self, n_objects: usize) -> bool {
        let is_over = n_objects >= self.settings.limits.objects as usize;
        if is_over {
            self.exceed(super::Limit::Objects);
        }
        is_over
    }
}
