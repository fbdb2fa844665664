//! What one worker is asked to do, and what it answers.
//!
//! Not here: what belongs to one kind of job alone; each kind has a file.

mod compute;
mod count;
mod fault;
mod hash;
mod isolation;
mod request;
mod scene;
mod stall;
mod waits;

pub use compute::*;
pub use count::*;
pub use fault::*;
pub use hash::*;
pub use isolation::*;
pub use request::*;
pub use scene::*;
pub use stall::*;
pub use waits::*;

use super::shape::shape;

shape! {
    /// One piece of work for one worker.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Job {
        /// Does nothing; every thread of the pool answers once.
        Ping,
        /// Computes tasks of a workload.
        Compute(ComputeJob),
        /// Counts with several threads of the pool.
        Count(CountJob),
        /// How long one addition of a single thread takes at this cost, undisturbed: sizes a counting run.
        CalibrateCount {
            /// Additions to time, four times over.
            additions: u32,
            /// Multiply-adds in each of its seven bytecodes.
            work_per_bytecode: u32,
        },
        /// The heartbeat on a real-time event loop in this worker.
        Stall(StallJob),
        /// A scene on a real-time event loop in this worker.
        Scene {
            /// Which.
            scene: Scene,
            /// A fault, in tests only.
            sabotage: Option<Sabotage>,
        },
        /// Jobs that wait and compute on a real-time event loop in this worker. Answered by `played`, which prints nothing.
        Waits(WaitsJob),
        /// The blocking call itself, as handed to another worker: blocks for this long.
        Block {
            /// Milliseconds.
            ms: u32,
        },
        /// A call that computes, as handed to another worker: keeps it busy for this long.
        Busy {
            /// Milliseconds.
            ms: u32,
        },
        /// Hashes inputs, alone or with several threads of the pool.
        Hash(HashJob),
        /// A batch of requests on a real-time event loop in this worker.
        Batch(BatchJob),
        /// One request that this worker waits for.
        Request(RequestJob),
        /// Appends to this instance's list.
        Append(AppendJob),
        /// Sends a payload to the other worker of a pair; the workers do it themselves, without Rust.
        Cross(CrossJob),
        /// Hashes one buffer on this worker, SHA-256; the benchmarks compare it with the native one.
        Digest {
            /// The buffer's length in KiB, 1 to 262144.
            kibibytes: u32,
            /// How often, from 1. Hash a small buffer some 16 times first: one long first call stays unoptimised.
            repeats: u32,
        },
        /// Breaks a pool thread, or this worker where it has no pool; tests of crashes only.
        Fault {
            /// What breaks.
            fault: Fault,
        },
    }
}

shape! {
    /// What a job answers.
    #[derive(Clone, Debug, PartialEq)]
    pub enum JobOutcome {
        /// The worker is there.
        Pinged {
            /// Threads of the pool that answered; 0 without a pool.
            threads: u32,
        },
        /// Tasks were computed.
        Computed {
            /// From handing out the first task to the last result, seen by the worker that got the job.
            elapsed_ms: f64,
            /// Each task's result as a decimal number, in the order asked.
            totals: Vec<String>,
            /// When each task ran, and where.
            spans: Vec<WorkSpan>,
            /// How often the interpreter lock went from one thread to another.
            hand_overs: u32,
        },
        /// Threads counted.
        Counted {
            /// From the barrier to the last thread's end.
            elapsed_ms: f64,
            /// The counter's final value.
            value: u32,
            /// Threads × additions.
            expected: u32,
            /// Share of the elapsed time, 0 to 1, in which at least two threads were counting.
            overlap: f64,
            /// Threads that were counting at the same time, at most.
            at_once: u32,
            /// How often the interpreter lock went from one thread to another.
            hand_overs: u32,
        },
        /// One thread's additions were timed.
        Calibrated {
            /// Nanoseconds an addition.
            nanoseconds: f64,
        },
        /// The heartbeat program ended.
        Stalled(StallSeen),
        /// The scene ended.
        Played {
            /// When, in milliseconds after its start.
            elapsed_ms: f64,
            /// What it printed, and what the loop complained of.
            log: Vec<LogLine>,
        },
        /// The blocking or computing call returned.
        Blocked {
            /// Milliseconds it really took.
            elapsed_ms: f64,
        },
        /// Inputs were hashed.
        Hashed(HashesSeen),
        /// The batch ended.
        Batched(BatchSeen),
        /// The request ended.
        Requested {
            /// Each try.
            tries: Vec<RequestTry>,
        },
        /// Items were appended.
        Appended(ListSeen),
        /// A payload crossed.
        Crossed {
            /// Milliseconds from sending it to the answer: the mean.
            crossing_ms: f64,
            /// How often it crossed.
            rounds: u32,
            /// Its size, as the other worker saw it.
            bytes: u32,
        },
        /// The process that had the job trapped, and is gone.
        Died {
            /// What it or the browser said.
            detail: String,
        },
        /// The buffer was hashed.
        Digested {
            /// Milliseconds each time.
            elapsed_ms: Vec<f64>,
            /// The digest as 64 hexadecimal digits.
            digest: String,
        },
    }
}
