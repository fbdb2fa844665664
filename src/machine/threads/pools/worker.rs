//! The rounds of a worker: the initializer, then call after call.
//!
//! Not here: the thread it is on.

use super::executor::{Call, Done, crossing};
use super::{Work, Workers};
use crate::machine::threads::advance::Flow;
use crate::machine::threads::thread::{FrameBody, Then, Wait};
use crate::machine::threads::{ConcurrentFutureId, ExecutorId, Machine, ThreadId};
use crate::machine::{Exception, Input, Kind, Outcome, Program, Value};

/// A worker of a pool.
#[derive(Debug)]
pub(in crate::machine::threads) struct Worker {
    pool: ExecutorId,
    stage: Stage,
    n_calls: u32,
}

/// Where a worker is in its rounds.
#[derive(Debug)]
enum Stage {
    /// It has done nothing yet. Next: `Initializing` or `Free`.
    Fresh,
    /// It runs the initializer. Next: `Free`, or the end.
    Initializing,
    /// It has just begun or done a call. Next: `Working`, or `Waiting`, or the end.
    Free,
    /// It found no call and has said that it is idle. Next: `Working`, or the end.
    Waiting,
    /// It runs a call. Next: `Returning`.
    Working(Task),
    /// It has packed the outcome. Next: `Free`.
    Returning(Task, Outcome),
}

/// A call in work.
#[derive(Debug)]
struct Task {
    future: ConcurrentFutureId,
    returned: u64,
    /// The rest of a chunk, and what came of its beginning; none of a single call.
    chunk: Option<Chunk>,
}

/// A chunk in work.
#[derive(Debug)]
struct Chunk {
    rest: std::vec::IntoIter<Box<dyn Program>>,
    values: Vec<Value>,
}

impl Worker {
    pub fn new(pool: ExecutorId) -> Self {
        Self {
            pool,
            stage: Stage::Fresh,
            n_calls: 0,
        }
    }
}

impl Machine {
    /// One round of the worker on a thread.
    pub(in crate::machine::threads) fn worker_round(&mut self, thread: ThreadId) -> Flow {
        let worker = self.worker(thread);
        let id = worker.pool;
        let stage = std::mem::replace(&mut worker.stage, Stage::Free);
        let outcome = match self.thread_mut(thread).take_input() {
            Input::Value(value) => Ok(value),
            Input::Start => Ok(Value::None),
            Input::Throw(exception) => Err(exception),
        };
        match stage {
            Stage::Fresh => match self.pool(id).initializer.as_mut().map(|make| make()) {
                Some(initializer) => {
                    self.worker(thread).stage = Stage::Initializing;
                    self.push_program(thread, initializer, Then::Below);
                    Flow::On
                }
                None => Flow::On,
            },
            Stage::Initializing => match outcome {
                Ok(_) => Flow::On,
                Err(exception) => self.initializer_failed(thread, id, exception),
            },
            Stage::Free => self.take_call(thread, id, false),
            Stage::Waiting => self.take_call(thread, id, true),
            Stage::Working(task) => self.program_ended(thread, id, task, outcome),
            Stage::Returning(task, outcome) => self.return_outcome(thread, id, &task, outcome),
        }
    }

    fn worker(&mut self, thread: ThreadId) -> &mut Worker {
        let frame = self.thread_mut(thread).frames.last_mut();
        match frame.map(|frame| &mut frame.body) {
            Some(FrameBody::Worker(worker)) => worker,
            _ => unreachable!("a round is asked of the worker on top of its thread"),
        }
    }

    /// The next call of the row, if this thread may have it.
    fn next_call_of(&mut self, id: ExecutorId) -> Option<Call> {
        let pool = self.pool(id);
        if pool.is_of_processes() {
            pool.pipe.pop_front()
        } else {
            pool.calls.pop_front()
        }
    }

    fn take_call(&mut self, thread: ThreadId, id: ExecutorId, was_idle: bool) -> Flow {
        if let Some(call) = self.next_call_of(id) {
            return self.begin_call(thread, id, call);
        }
        let pool = self.pool(id);
        let is_over = if pool.is_of_processes() {
            pool.is_closing
        } else {
            pool.is_shut || pool.is_exiting
        };
        if is_over {
            let waiting = pool.waiting.clone();
            self.wake_first(&waiting, 1);
            return self.frame_ended(thread, Ok(Value::None));
        }
        if !was_idle && !pool.is_of_processes() {
            pool.n_idle += 1;
        }
        pool.waiting.push_back(thread);
        self.worker(thread).stage = Stage::Waiting;
        self.block(thread, Wait::Work(id), None);
        Flow::Off
    }

    /// Whether a worker or a manager that waits has something to do.
    pub(in crate::machine::threads) fn attempt_work(&mut self, thread: ThreadId, id: ExecutorId) -> Option<Outcome> {
        if self.pool(id).manager == Some(thread) {
            return self.has_traffic(id).then_some(Ok(Value::None));
        }
        let pool = self.pool(id);
        let has_call = if pool.is_of_processes() {
            !pool.pipe.is_empty() || pool.is_closing
        } else {
            !pool.calls.is_empty() || pool.is_shut || pool.is_exiting
        };
        has_call.then(|| {
            pool.waiting.retain(|waiter| *waiter != thread);
            Ok(Value::None)
        })
    }

    fn begin_call(&mut self, thread: ThreadId, id: ExecutorId, call: Call) -> Flow {
        // A process's call was set running when it was put in the pipe.
        let is_of_processes = self.pool(id).is_of_processes();
        if is_of_processes {
            self.future_mut(call.future).runner = Some(thread);
        } else if !self.set_running(call.future, Some(thread)) {
            self.settle_woken();
            return Flow::On;
        }
        self.pool(id).n_busy += 1;
        self.record_pool(id);
        let workers = self.pool(id).workers;
        let costs = &self.settings.costs;
        let owed = costs.pool_call + crossing(costs, workers, call.payload.sent);
        self.thread_mut(thread).owed += owed;
        let (first, chunk) = match call.work {
            Work::One(program) => (Some(program), None),
            Work::Chunk(programs) => {
                let mut rest = programs.into_iter();
                let first = rest.next();
                let values = Vec::new();
                (first, Some(Chunk { rest, values }))
            }
        };
        let task = Task {
            future: call.future,
            returned: call.payload.returned,
            chunk,
        };
        match first {
            Some(program) => {
                self.worker(thread).stage = Stage::Working(task);
                self.push_program(thread, program, Then::Below);
            }
            None => self.worker(thread).stage = Stage::Returning(task, Ok(Vec::new().into())),
        }
        Flow::On
    }

    /// A program of a call has ended: the next of its chunk, or the outcome is packed.
    fn program_ended(&mut self, thread: ThreadId, id: ExecutorId, mut task: Task, outcome: Outcome) -> Flow {
        let outcome = match (outcome, &mut task.chunk) {
            (Ok(value), Some(chunk)) => {
                chunk.values.push(value);
                if let Some(next) = chunk.rest.next() {
                    self.worker(thread).stage = Stage::Working(task);
                    self.push_program(thread, next, Then::Below);
                    return Flow::On;
                }
                Ok(std::mem::take(&mut chunk.values).into())
            }
            (outcome, _) => outcome,
        };
        let workers = self.pool(id).workers;
        let owed = crossing(&self.settings.costs, workers, task.returned);
        let worker = self.thread_mut(thread);
        worker.owed += owed;
        self.worker(thread).stage = Stage::Returning(task, outcome);
        Flow::On
    }

    fn return_outcome(&mut self, thread: ThreadId, id: ExecutorId, task: &Task, outcome: Outcome) -> Flow {
        let worker = self.worker(thread);
        worker.n_calls += 1;
        let n_calls = worker.n_calls;
        let pool = self.pool(id);
        pool.n_busy = pool.n_busy.saturating_sub(1);
        self.record_pool(id);
        if !self.pool(id).is_of_processes() {
            self.settle(task.future, outcome);
            let answer = self.run_callbacks(thread, task.future, Ok(Value::None));
            self.settle_woken();
            return self.goes_on(thread, answer);
        }
        let pool = self.pool(id);
        let is_used_up = pool.max_calls.is_some_and(|max| n_calls >= max);
        pool.results.push_back(Done {
            future: task.future,
            outcome,
            returned: task.returned,
            was_last: is_used_up,
        });
        if let Some(manager) = pool.manager {
            self.wake(manager);
            self.settle_woken();
        }
        if is_used_up {
            self.frame_ended(thread, Ok(Value::None))
        } else {
            Flow::On
        }
    }

    /// A worker that cannot begin breaks its pool: in a thread, whatever waits is told; a process just ends.
    fn initializer_failed(&mut self, thread: ThreadId, id: ExecutorId, exception: Exception) -> Flow {
        self.watch.complaints.push(exception);
        let pool = self.pool(id);
        if !pool.is_of_processes() {
            let (kind, message) = match pool.workers {
                Workers::Interpreters => (
                    Kind::BrokenInterpreterPool,
                    "An interpreter initializer failed, the interpreter pool is not usable anymore",
                ),
                _ => (
                    Kind::BrokenThreadPool,
                    "A thread initializer failed, the thread pool is not usable anymore",
                ),
            };
            let broken = Exception::new(kind, message);
            pool.broken = Some(broken.clone());
            for call in std::mem::take(&mut self.pool(id).calls) {
                if self.set_running(call.future, None) {
                    self.settle(call.future, Err(broken.clone()));
                }
            }
            self.settle_woken();
            return self.frame_ended(thread, Ok(Value::None));
        }
        let process = self.thread(thread).process;
        self.end_process(process, Some(1));
        Flow::Off
    }

    /// A thread that worked for a pool is no more.
    pub(in crate::machine::threads) fn worker_ended(&mut self, thread: ThreadId) {
        let Some(id) = self.thread(thread).works_for else {
            return;
        };
        if self.pool(id).manager == Some(thread) {
            self.pool(id).manager = None;
            self.told_of_end(id);
            return;
        }
        if self.pool(id).workers == Workers::Interpreters {
            self.end_interpreter(self.thread(thread).interpreter);
        }
        self.one_worker_less(id);
    }

    pub(in crate::machine::threads) fn leave_pool(&mut self, thread: ThreadId, id: ExecutorId) {
        let pool = self.pool(id);
        pool.waiting.retain(|waiter| *waiter != thread);
        pool.enders.retain(|waiter| *waiter != thread);
    }
}
