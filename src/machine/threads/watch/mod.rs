//! What goes on that no program sees: long steps of loops, threads that are passed over, circles without progress.
//!
//! All of it works untraced. Not here: who waits for whom (`diagnosis`).

mod repetition;
mod stalls;
mod starvation;

pub use repetition::Repetition;
pub use stalls::Stalled;
pub use starvation::{Lacks, Overtaken};

pub(super) use repetition::CallMark;
pub(super) use stalls::{LoopWatch, add_stall};

use super::Machine;
use crate::machine::Exception;
use crate::machine::event_loop::{Complaint, EventLoop};

#[derive(Debug, Default)]
pub(super) struct Watch {
    /// What was raised where nobody could catch it: in threads, done callbacks and initializers.
    pub complaints: Vec<Exception>,
    /// What loops that are over complained of.
    pub loop_complaints: Vec<Complaint>,
    /// How many concurrent futures are done.
    pub n_done: u64,
    pub repetition: repetition::Recent,
    pub stalls: Vec<Stalled>,
    pub overtaken: Vec<Overtaken>,
}

impl Machine {
    /// Exceptions that ended a thread, or were raised by a done callback or an initializer, in order: what Python writes
    /// to its log.
    #[must_use]
    pub fn complaints(&self) -> &[Exception] {
        &self.watch.complaints
    }

    /// What event loops that are over complained of: coroutines never awaited, exceptions never asked for.
    #[must_use]
    pub fn loop_complaints(&self) -> &[Complaint] {
        &self.watch.loop_complaints
    }
}

impl Watch {
    /// A loop is about to go.
    pub fn keep_complaints(&mut self, event_loop: &EventLoop) {
        self.loop_complaints.extend_from_slice(event_loop.complaints());
    }
}
