//! A small real-time event loop.

use super::Host;
use crate::wire::{JobOutcome, LoopTurn, StallJob};

/// A program on the loop.
#[derive(Debug)]
pub struct Program {}

impl Program {
    /// Made, not started.
    #[must_use]
    pub fn new(_job: StallJob, _callers: u32, _host: Host) -> Self {
        Self {}
    }

    /// One turn.
    pub fn turn(&mut self) -> LoopTurn {
        LoopTurn { calls: Vec::new(), wake_after_ms: None, outcome: Some(JobOutcome::Pinged { threads: 0 }) }
    }

    /// A call ended.
    pub fn answered(&mut self, _id: u32, _outcome: JobOutcome) {}
}
