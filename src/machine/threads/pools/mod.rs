//! `ThreadPoolExecutor`, `ProcessPoolExecutor` and `InterpreterPoolExecutor`
//!
//! Worked example, a pool of two threads: the first call starts a worker, the second another, for none is idle; the
//! third waits in the row. A worker that has done a call takes the next of the row, and when there is none it says that
//! it is idle; a call that finds somebody idle starts no worker.
//!
//! A pool of processes has one thread more, its manager, which packs calls, hands them to the workers' pipe (one more
//! than there may be workers, and what is in it cannot be cancelled), unpacks results and runs done callbacks.
//!
//! Not here: `map`, which is a submit for each item or chunk and their results in order.

mod executor;
mod manager;
mod shutdown;
mod submit;
mod worker;

use std::fmt;

use super::processes::StartMethod;
use super::{ExecutorId, ProcessId};
use crate::machine::Program;
use crate::machine::event_loop::FutureId;

pub(super) use executor::Executor;
pub(super) use manager::Manager;
pub(super) use worker::Worker;

/// What a pool is asked.
#[derive(Debug)]
pub enum PoolCall {
    /// A new pool. Gives an [`ExecutorId`].
    New(Box<NewPool>),
    /// `executor.submit(…)`. Gives a [`ConcurrentFutureId`](super::ConcurrentFutureId); a `RuntimeError` after its
    /// shutdown.
    Submit(Box<Submit>),
    /// `executor.shutdown(…)`
    Shutdown(Shutdown),
}

/// Which pool is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pool {
    /// The default pool of the event loop on this thread, made at the first call: min(32, CPUs + 4) threads named
    /// `asyncio_0` and so on.
    #[default]
    Default,
    /// This one.
    Of(ExecutorId),
}

/// What the workers of a pool are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Workers {
    /// Threads of the interpreter that made it.
    #[default]
    Threads,
    /// Processes, one thread each.
    Processes(StartMethod),
    /// Threads with an interpreter of their own each.
    Interpreters,
}

/// Makes the program that every worker runs first.
pub type Initializer = Box<dyn FnMut() -> Box<dyn Program>>;

/// What a pool is made with.
#[derive(Default)]
pub struct NewPool {
    /// What its workers are.
    pub workers: Workers,
    /// At most so many; else min(32, CPUs + 4) threads or interpreters, or as many processes as CPUs. None at all is a
    /// `ValueError`.
    pub max_workers: Option<u32>,
    /// What its threads' names begin with.
    pub name: Option<String>,
    /// What every worker runs first; if it raises, the pool is broken.
    pub initializer: Option<Initializer>,
    /// A process is replaced after so many calls.
    pub max_calls_per_process: Option<u32>,
    /// Of processes: whose copies they are, as those of a fork server are; else the start method says what they are.
    pub copies_of: Option<ProcessId>,
}

/// One call for a pool.
#[derive(Debug)]
pub struct Submit {
    /// Which.
    pub pool: Pool,
    /// What to run; several are a chunk, one after the other, and give a list.
    pub work: Work,
    /// What crosses to another process or interpreter.
    pub payload: Payload,
    /// A future of the running loop's that gets the outcome.
    pub answer_to: Option<FutureId>,
}

/// What a call runs.
#[derive(Debug)]
pub enum Work {
    /// One program. Gives what it gives.
    One(Box<dyn Program>),
    /// A chunk of `map`: one after the other. Gives a list.
    Chunk(Vec<Box<dyn Program>>),
}

/// What crosses to a worker that shares no memory, and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// Bytes of the arguments.
    pub sent: u64,
    /// Bytes of the result.
    pub returned: u64,
}

/// The arguments of `executor.shutdown`.
#[derive(Clone, Copy, Debug)]
pub struct Shutdown {
    /// Which.
    pub pool: Pool,
    /// Whether the thread waits for the workers to end.
    pub wait: bool,
    /// Whether calls that have not begun are cancelled.
    pub cancel_futures: bool,
    /// A future of the running loop's that is told when the workers have ended; the thread itself then does not wait.
    pub answer_to: Option<FutureId>,
}

impl fmt::Debug for NewPool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("NewPool")
            .field("workers", &self.workers)
            .field("max_workers", &self.max_workers)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
