//! Jobs that wait and compute, on one worker: the labs `waiters` and `server`.

use super::Sabotage;
use crate::wire::shape::shape;

shape! {
    /// How one worker goes through its jobs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum WaitsHow {
        /// A task awaits one job after another.
        OneByOne,
        /// Each job is a task of its own.
        AtOnce,
        /// Each wait blocks the worker.
        Blocking,
    }
}

shape! {
    /// Jobs that are all alike: each waits, then computes.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WaitsJob {
        /// How they are gone through.
        pub how: WaitsHow,
        /// How many, 1 to 1000.
        pub jobs: u32,
        /// How long each waits, in milliseconds.
        pub wait_ms: u32,
        /// How long each keeps the worker busy after that, in milliseconds.
        pub compute_ms: u32,
        /// A fault, in tests only.
        pub sabotage: Option<Sabotage>,
    }
}
