//! A small real-time event loop without input and output, and the heartbeat program that runs on it.
//!
//! Worked example, with a heartbeat every 100 ms, 300 ms of quiet and a call of 1,500 ms that blocks the loop: beats
//! at 0, 100 and 200, then at 1,800, because nothing else runs while the call's step lasts: a gap of 1,600 ms. The
//! timeout of 500 ms around the call is due at 800, but only the loop can fire it, and by the time the loop has
//! control again the call has ended. A test asserts this on a clock of its own.
//!
//! The loop never waits: [`Program::turn`] runs one iteration and says when the next is due; whoever drives it sleeps,
//! and hands calls to other workers. Not here: a browser's timers; and no more of asyncio than the program needs.

mod calls;
mod heartbeat;
mod scheduler;
mod state;
mod waits;

use std::cell::RefCell;
use std::rc::Rc;

use super::Host;
use crate::wire::{JobOutcome, LoopTurn, Sabotage, StallJob, StallSeen, StallVariant};
use scheduler::Scheduler;

/// The heartbeat program on a loop of its own.
#[derive(Debug)]
pub struct Program {
    scheduler: Rc<Scheduler>,
    seen: Rc<RefCell<StallSeen>>,
    ended: bool,
}

impl Program {
    /// Made, not started: times count from the first turn. At most `callers` calls are with other workers at a time;
    /// further ones wait their turn.
    ///
    /// # Panics
    /// The job hands calls over and there is nobody to take them, a bug of the caller.
    #[must_use]
    pub fn new(job: StallJob, callers: u32, host: Host) -> Self {
        let hands_over = matches!(job.variant, StallVariant::ToThread | StallVariant::OwnTimeout)
            && job.sabotage != Some(Sabotage::ToThreadThatBlocks);
        assert!(
            callers > 0 || !hands_over,
            "{:?} hands its call over and needs at least one caller",
            job.variant
        );
        let scheduler = Rc::new(Scheduler::new(callers, host));
        let seen = Rc::default();
        heartbeat::start(&scheduler, job, &seen);
        Self {
            scheduler,
            seen,
            ended: false,
        }
    }

    /// One iteration of the loop: runs what is ready, says what it waits for. After the end it only repeats the
    /// outcome.
    pub fn turn(&mut self) -> LoopTurn {
        if !self.ended {
            self.scheduler.run_once();
            // As `asyncio.run` does: the program ends with its main task and with the threads it has called.
            if self.scheduler.all_tasks_done() && self.scheduler.no_call_runs() {
                self.ended = true;
                let mut seen = self.seen.borrow_mut();
                seen.program_ended_ms = self.scheduler.now_ms();
                seen.slow_steps = self.scheduler.slow_steps();
            }
        }
        if self.ended {
            let outcome = Some(JobOutcome::Stalled(self.seen.borrow().clone()));
            return LoopTurn {
                calls: Vec::new(),
                wake_after_ms: None,
                outcome,
            };
        }
        LoopTurn {
            calls: self.scheduler.take_calls(),
            wake_after_ms: self.scheduler.wake_after_ms(),
            outcome: None,
        }
    }

    /// A call handed over has ended; the next turn sees it. A turn is due at once.
    pub fn answered(&mut self, id: u32, _outcome: JobOutcome) {
        self.scheduler.answered(id);
    }
}

#[cfg(test)]
mod tests;
