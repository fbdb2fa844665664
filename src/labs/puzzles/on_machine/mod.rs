//! Small programs on the machine in virtual time: the same program that is explored, run by threads or tasks.
//!
//! At the grain of check points they are threads under an interpreter lock, at that of accesses free threads, at that of
//! awaits tasks of one event loop. Locks, conditions, semaphores and queues are the machine's own.
//!
//! * [`ready`]: a machine that runs a program as its settings and seed will have it; [`seeded`] is one of many.
//! * [`replay`](mod@replay): a machine that follows one schedule of the explorer.
//!
//! Worked example, two threads that add one by a read and a write: the schedule `BAAB` is B's read, A's read and write,
//! B's write. The machine lets B make effects until its read is done, then A until its write is, then B; the cell holds 1.
//!
//! Not here: which schedules there are (`explore`), and what a lab shows of a run.

mod objects;
mod plan;
mod record;
mod registers;
pub mod replay;
mod start;
mod worker;

pub use plan::{Plan, Turn};
pub use record::{Record, RunLine};
pub use replay::{Astray, Replayed, replay, what_if};
pub use start::{OnMachine, ready, seeded};
pub use worker::Pace;
