//! How a run of a small program ended. The same for runs that differ only by the names of alike threads.
//!
//! Not here: whether that is right; a lab knows what its program is for.

use super::phase::Failure;
use crate::explore::system::Thread;

/// A thread that did not come to its end, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Short {
    /// The first of the threads with its code: which of them it was makes no difference.
    pub like: Thread,
    /// The line before which it stands, or that failed it, or inside which it waits for a notification; from 0.
    pub line: u8,
    /// Why it failed; nothing where it is blocked.
    pub failure: Option<Failure>,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// All threads came to their ends.
    Finished {
        /// What the cells hold, in the program's order.
        cells: Vec<i32>,
    },
    /// Some threads failed, the others came to their ends.
    Failed {
        /// Those that failed, in order.
        failed: Vec<Short>,
        /// What the cells hold.
        cells: Vec<i32>,
    },
    /// Some threads are blocked, and nobody is left to let them go on.
    Deadlock {
        /// Those that are blocked, in order.
        stuck: Vec<Short>,
        /// Those that failed, in order: they keep their locks.
        failed: Vec<Short>,
    },
}
