//! Hashing: the lab `lock-release`.

use super::{Sabotage, WorkSpan};
use crate::wire::Runtime;
use crate::wire::shape::shape;

shape! {
    /// Inputs to hash with SHA-256, all of them alike: a text of 64 bytes, over and over up to the input's length.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct HashJob {
        /// Tasks, from 1, among which the inputs are shared out in order.
        pub tasks: u32,
        /// Inputs of all tasks together.
        pub inputs: u32,
        /// Bytes of one.
        pub input_bytes: u32,
        /// Whether each is read before it is hashed: copied out of memory, as the read of a cached file is.
        pub reads: bool,
        /// Threads of the pool that take tasks as they get free; with 1 the worker that got the job hashes alone.
        pub workers: u32,
        /// Under which runtime's lock, with one worker too.
        pub runtime: Runtime,
        /// The interpreter lock's switch interval in microseconds, from 1.
        pub switch_interval_us: u32,
        /// A fault, in tests only.
        pub sabotage: Option<Sabotage>,
    }
}

impl HashJob {
    /// How many of the inputs are this task's: they are shared out as evenly as they go.
    #[must_use]
    pub fn share(&self, task: u32) -> u32 {
        let up_to = |n: u32| u64::from(self.inputs) * u64::from(n) / u64::from(self.tasks.max(1));
        u32::try_from(up_to(task + 1) - up_to(task)).unwrap_or(u32::MAX)
    }
}

shape! {
    /// What became of the inputs.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HashesSeen {
        /// From handing out the first task to the last result, seen by the worker that got the job.
        pub elapsed_ms: f64,
        /// Of each task that had inputs their digest, 64 hexadecimal digits; where not all are equal, one that differs.
        pub digests: Vec<String>,
        /// Inputs that were hashed.
        pub inputs: u32,
        /// Bytes of one.
        pub input_bytes: u32,
        /// How often the interpreter lock was let go of for a hash; reads are not counted.
        pub releases: u32,
        /// When each task ran, and where.
        pub spans: Vec<WorkSpan>,
        /// How often the interpreter lock went from one thread to another.
        pub hand_overs: u32,
    }
}
