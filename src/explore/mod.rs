//! The explorer: every schedule of a small program, found and counted exactly.
//!
//! Equal states are merged, so that millions of interleavings are thousands of states; each state carries the exact
//! number of ways into it. From the bottom up:
//!
//! * [`system`]: what can be explored: who may go next, what a step does, who waits for whom, how it ended.
//! * [`small`]: small programs of threads with atomic steps, as such a system.
//!
//! Not here: any lab's program, and the machine in virtual time. The two agree because both ask one table of switch
//! points where another thread may come in; tests replay schedules of this one there.

pub mod small;
pub mod system;

pub use system::{System, Thread, Threads};
