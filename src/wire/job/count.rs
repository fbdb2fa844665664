//! Counting together: the labs `lost-updates` and `locks`.

use super::Sabotage;
use crate::wire::Runtime;
use crate::wire::shape::shape;

shape! {
    /// How a counter is incremented in the labs `lost-updates` and `locks`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CountVariant {
        /// `x += 1`: read, add, write.
        Plain,
        /// A function call, and with it a check point, between the read and the write.
        Call,
        /// The lock is given up between the read and the write.
        Wide,
        /// Each addition under one mutex.
        Lock,
        /// One atomic addition.
        Atomic,
        /// Each thread counts for itself; the sums are added at the end.
        OwnThenMerge,
        /// Threads put additions into a queue; one consumer owns the counter.
        Queue,
        /// The same, but each thread puts in the sum of a hundred additions at a time.
        Batches,
        /// As many counters as threads, each with a mutex of its own; a thread takes the next one at every addition.
        Sharded,
    }
}

shape! {
    /// Threads of the pool that count together, started behind a barrier.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CountJob {
        /// How a counter is incremented.
        pub variant: CountVariant,
        /// Under which runtime's lock and check points.
        pub runtime: Runtime,
        /// Racing threads, 2 to 16; the pool has at least as many.
        pub threads: u32,
        /// Additions a thread.
        pub additions: u32,
        /// The interpreter lock's switch interval in microseconds, from 1.
        pub switch_interval_us: u32,
        /// What one addition costs: multiply-adds in each of its seven bytecodes.
        pub work_per_bytecode: u32,
        /// A fault, in tests only.
        pub sabotage: Option<Sabotage>,
    }
}
