//! The state of a pool.
//!
//! Not here: what moves it.

use std::collections::VecDeque;
use std::fmt;

use super::{Initializer, Payload, Work, Workers};
use crate::machine::event_loop::FutureId;
use crate::machine::threads::costs::Costs;
use crate::machine::threads::{ConcurrentFutureId, ExecutorId, Machine, ProcessId, ThreadId};
use crate::machine::trace::CounterKind;
use crate::machine::{Exception, Kind, Nanoseconds, Outcome, Program};

/// A pool.
pub(in crate::machine::threads) struct Executor {
    /// Whose it is.
    pub process: ProcessId,
    pub workers: Workers,
    pub max_workers: u32,
    /// What its threads' names begin with.
    pub name: String,
    pub initializer: Option<Initializer>,
    pub max_calls: Option<u32>,
    /// Of processes: whose copies they are.
    pub copies_of: Option<ProcessId>,
    /// Calls that nobody has begun.
    pub calls: VecDeque<Call>,
    /// Workers alive, and ever started.
    pub n_workers: u32,
    pub n_started: u32,
    /// Workers that have said that they are idle, less the calls that were meant for them.
    pub n_idle: u32,
    pub n_busy: u32,
    /// No call is taken any more.
    pub is_shut: bool,
    /// Its process only waits for its end.
    pub is_exiting: bool,
    pub broken: Option<Exception>,
    /// Workers that wait for a call.
    pub waiting: VecDeque<ThreadId>,
    /// Threads that wait for the workers' end, and futures of loops that are told of it.
    pub enders: VecDeque<ThreadId>,
    pub end_answers: Vec<(ThreadId, FutureId)>,

    /// Done callbacks of cancelled calls, to be run by the thread that shuts it down.
    pub callbacks: VecDeque<Box<dyn Program>>,

    /// Of processes: the thread that hands calls over and collects results.
    pub manager: Option<ThreadId>,
    /// Of processes: calls in the workers' pipe.
    pub pipe: VecDeque<Call>,
    /// Of processes: what workers have sent back.
    pub results: VecDeque<Done>,
    /// Of processes: calls that are in the pipe, in work or among the results.
    pub sent: Vec<ConcurrentFutureId>,
    /// Of processes: whether the workers are to end when the pipe is empty.
    pub is_closing: bool,
    /// Of processes: whether a worker has ended that should not have.
    pub has_lost_worker: bool,
}

/// A call in a pool's row.
#[derive(Debug)]
pub(in crate::machine::threads) struct Call {
    pub future: ConcurrentFutureId,
    pub work: Work,
    pub payload: Payload,
}

/// What a process has sent back.
#[derive(Debug)]
pub(in crate::machine::threads) struct Done {
    pub future: ConcurrentFutureId,
    pub outcome: Outcome,
    pub returned: u64,
    /// Whether the worker has ended with it, having done all the calls it may.
    pub was_last: bool,
}

impl fmt::Debug for Executor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Executor")
            .field("workers", &self.workers)
            .field("n_workers", &self.n_workers)
            .field("n_calls", &self.calls.len())
            .finish_non_exhaustive()
    }
}

impl Executor {
    /// Why it takes no more calls, if it does not.
    pub fn refusal(&self) -> Option<Exception> {
        let message = if let Some(broken) = &self.broken {
            return Some(broken.clone());
        } else if self.is_exiting {
            "cannot schedule new futures after interpreter shutdown"
        } else if self.is_shut {
            "cannot schedule new futures after shutdown"
        } else {
            return None;
        };
        Some(Exception::new(Kind::RuntimeError, message))
    }

    pub fn is_of_processes(&self) -> bool {
        matches!(self.workers, Workers::Processes(_))
    }

    /// Whether the pipe to the workers takes one more: there is one place more than workers.
    pub fn has_room_in_pipe(&self) -> bool {
        self.pipe.len() <= self.max_workers as usize
    }
}

/// What packing or unpacking so many bytes takes.
pub(super) fn crossing(costs: &Costs, workers: Workers, bytes: u64) -> Nanoseconds {
    let (item, kibibyte) = match workers {
        Workers::Threads => return Nanoseconds::ZERO,
        Workers::Processes(_) => (costs.process_item, costs.process_kibibyte),
        Workers::Interpreters => (costs.interpreter_item, costs.interpreter_kibibyte),
    };
    let moving = u128::from(kibibyte.0) * u128::from(bytes) / 1024;
    item + Nanoseconds(u64::try_from(moving).unwrap_or(u64::MAX))
}

impl Machine {
    pub(in crate::machine::threads) fn pool(&mut self, id: ExecutorId) -> &mut Executor {
        self.pools
            .get_mut(id.index())
            .expect("ids of pools are checked where programs hand them in")
    }

    /// Counts a pool's row and its busy workers, on its process's lane.
    pub(super) fn record_pool(&mut self, id: ExecutorId) {
        if !self.recorder.is_on() {
            return;
        }
        let pool = self.pool(id);
        let (process, n_calls, n_busy) = (pool.process, pool.calls.len() as u64, u64::from(pool.n_busy));
        let (now, lane) = (self.now, self.process(process).lane);
        self.recorder.count(now, lane, CounterKind::PoolQueue, n_calls);
        self.recorder.count(now, lane, CounterKind::PoolBusy, n_busy);
    }

    /// A worker of a pool is no more.
    pub(super) fn one_worker_less(&mut self, id: ExecutorId) {
        let pool = self.pool(id);
        pool.n_workers = pool.n_workers.saturating_sub(1);
        self.told_of_end(id);
    }

    /// Whether a pool has neither workers nor a manager.
    pub(in crate::machine::threads) fn has_no_workers(&self, id: ExecutorId) -> bool {
        self.pools
            .get(id.index())
            .is_none_or(|pool| pool.n_workers == 0 && pool.manager.is_none())
    }

    /// Tells who waits for the end of a pool's workers, if they have ended.
    pub(super) fn told_of_end(&mut self, id: ExecutorId) {
        if !self.has_no_workers(id) {
            return;
        }
        let pool = self.pool(id);
        let enders = pool.enders.clone();
        let answers = std::mem::take(&mut pool.end_answers);
        self.wake_first(&enders, usize::MAX);
        for (thread, answer_to) in answers {
            self.settle_later(thread, answer_to);
        }
    }
}
