//! The event loop as its worker drives it. Not here: the loop, and what runs on it.

use tsify::Ts;
use wasm_bindgen::prelude::*;

use super::HOST;
use super::values::{from_js, to_js};
use crate::live::event_loop::Program;
use crate::wire::{Job, JobOutcome, LoopTurn, RequestEnd};

/// A program on the event loop, driven by the worker's timers.
#[wasm_bindgen]
pub struct LoopDriver(Program);

#[wasm_bindgen]
impl LoopDriver {
    /// A program that hands its calls to at most `callers` other workers.
    ///
    /// # Errors
    /// The job does not have the shape of `Job`, or is another than `stall`, `scene`, `waits` and `batch`.
    #[wasm_bindgen(constructor)]
    pub fn new(job: Ts<Job>, callers: u32) -> Result<Self, JsError> {
        match from_js(&job)? {
            Job::Stall(stall) => Ok(Self(Program::new(stall, callers, HOST))),
            Job::Scene { scene, sabotage } => Ok(Self(Program::scene(scene, sabotage, HOST))),
            Job::Batch(batch) => Ok(Self(Program::batch(batch, callers, HOST))),
            Job::Waits(job) => Ok(Self(Program::waits(job, HOST))),
            _ => Err(JsError::new("only a stall, a scene, waits or a batch run turn by turn")),
        }
    }

    /// One turn of the loop: runs what is ready and says what it waits for.
    pub fn turn(&mut self) -> Ts<LoopTurn> {
        to_js(&self.0.turn())
    }

    /// Tells the loop that a call handed over has ended; the next turn sees it.
    ///
    /// # Errors
    /// The outcome does not have the shape of `JobOutcome`.
    pub fn answered(&mut self, id: u32, outcome: Ts<JobOutcome>) -> Result<(), JsError> {
        self.0.answered(id, from_js(&outcome)?);
        Ok(())
    }

    /// Tells the loop that a request has ended that a turn had asked to begin; the next turn sees it.
    ///
    /// # Errors
    /// The end does not have the shape of `RequestEnd`.
    #[wasm_bindgen(js_name = requestEnded)]
    pub fn request_ended(&mut self, id: u32, end: Ts<RequestEnd>) -> Result<(), JsError> {
        self.0.request_ended(id, from_js(&end)?);
        Ok(())
    }
}
