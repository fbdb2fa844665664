//! What a batch of requests is: how many, made how, against what.
//!
//! Not here: making them (the program), and which batches a lab shows.

use crate::machine::Nanoseconds;
use crate::machine::threads::StartMethod;
use crate::wire::{BatchHow, BatchJob, Sabotage};

/// How requests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A plain loop.
    OneByOne,
    /// A pool of threads, or of processes.
    Pool {
        /// Whether of processes.
        processes: bool,
    },
    /// A task each, in a group.
    Tasks,
    /// The same, with a semaphore around each request.
    Limited,
    /// The same, each making a call that blocks.
    Blocking,
    /// A task each that hands the blocking call to a thread, in a group.
    ToThread,
    /// The same, gathered.
    GatherToThread,
}

/// All requests of a row.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// How they are made.
    pub how: How,
    /// How many.
    pub requests: u32,
    /// How long the other side takes for one.
    pub delay: Nanoseconds,
    /// Workers of the pool.
    pub workers: u32,
    /// Places of the semaphore.
    pub limit: u32,
    /// When the whole batch is given up, after its start.
    pub deadline: Option<Nanoseconds>,
    /// When one request is given up.
    pub patience: Option<Nanoseconds>,
    /// The first so many requests fail, each after its time.
    pub failing: u32,
    /// How many the other side works on at once.
    pub capacity: Option<u32>,
    /// How many more may wait there.
    pub backlog: u32,
    /// How often a request that failed is made again.
    pub retries: u32,
    /// Whether each request's error is kept, as results are, instead of ending the batch.
    pub keeps_errors: bool,
    /// How processes are started.
    pub start_method: StartMethod,
    /// A fault of the client's own.
    pub sabotage: Option<Sabotage>,
}

impl Batch {
    /// How many requests are under way at once where nobody fails; `n_threads` for the threads of the default pool.
    pub fn at_once(&self, n_threads: u32) -> u32 {
        let most = match self.how {
            How::OneByOne | How::Blocking => 1,
            How::Pool { .. } => self.workers,
            How::Tasks => self.requests,
            How::Limited => self.limit,
            How::ToThread | How::GatherToThread => n_threads,
        };
        most.min(self.requests).min(self.capacity.unwrap_or(u32::MAX)).max(1)
    }
}

impl From<BatchHow> for How {
    fn from(how: BatchHow) -> Self {
        match how {
            BatchHow::OneByOne => Self::OneByOne,
            BatchHow::Tasks => Self::Tasks,
            BatchHow::Limited => Self::Limited,
            BatchHow::Blocking => Self::Blocking,
            BatchHow::ToThread => Self::ToThread,
            BatchHow::GatherToThread => Self::GatherToThread,
        }
    }
}

/// The batch on the real clock.
impl From<&BatchJob> for Batch {
    fn from(job: &BatchJob) -> Self {
        let ms = |ms: u32| Nanoseconds::millis(ms.into());
        Self {
            how: job.how.into(),
            requests: job.requests,
            delay: ms(job.request.delay_ms),
            // Pools are no loop's: others than this program make their requests.
            workers: 1,
            limit: job.limit,
            deadline: job.deadline_ms.map(ms),
            patience: None,
            failing: job.failing,
            capacity: (job.request.capacity > 0).then_some(job.request.capacity),
            backlog: job.request.backlog,
            retries: job.retries,
            keeps_errors: false,
            start_method: StartMethod::default(),
            sabotage: job.sabotage,
        }
    }
}
