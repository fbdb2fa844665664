//! Computing tasks: the lab `cpu-bound`.

use super::Sabotage;
use crate::wire::Runtime;
use crate::wire::shape::shape;

shape! {
    /// The three ways to compute of the lab `cpu-bound`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Workload {
        /// Random 16-character names over 36 characters; counts those of more than 3.6 bits of entropy.
        Names,
        /// `total += i * i` for i below the size.
        Squares,
        /// `total += i * i % 7` for i below the size.
        Modulo,
    }
}

shape! {
    /// Who computes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Hands {
        /// The worker that got the job, one task after another.
        Alone,
        /// Threads of the pool that take the next task as they get free.
        Threads {
            /// How many threads of the pool take part: 1 to the pool's size.
            workers: u32,
            /// Under which runtime's lock and check points.
            runtime: Runtime,
            /// The interpreter lock's switch interval in microseconds, from 1.
            switch_interval_us: u32,
        },
    }
}

shape! {
    /// Tasks of a workload. In an isolate `hands` is always `alone`.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ComputeJob {
        /// What to compute.
        pub workload: Workload,
        /// The tasks' numbers; for `names` also their seeds.
        pub tasks: Vec<u32>,
        /// Names or loop steps a task.
        pub size: u32,
        /// Who computes.
        pub hands: Hands,
        /// A fault, in tests only.
        pub sabotage: Option<Sabotage>,
    }
}

shape! {
    /// When one worker worked on one task, on the clock `timeOrigin + now()` that all workers share.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WorkSpan {
        /// The worker's number within its pool, from 0.
        pub worker: u32,
        /// The task's number.
        pub task: u32,
        /// Milliseconds since the epoch.
        pub start_ms: f64,
        /// Milliseconds since the epoch.
        pub end_ms: f64,
    }
}
