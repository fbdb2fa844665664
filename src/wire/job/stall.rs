//! The heartbeat on a loop, with the loop's own turns: the lab `stall`.

use super::{BegunRequest, Job, JobOutcome, Sabotage};
use crate::wire::shape::shape;

shape! {
    /// How the heartbeat lab makes its call.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum StallVariant {
        /// The call blocks the loop.
        Blocking,
        /// The call runs on another worker; the timeout cancels only the waiting for it.
        ToThread,
        /// As `to-thread`, and the call has a time limit of its own.
        OwnTimeout,
        /// The call is cut into slices; the loop gets a turn after each.
        Slices,
        /// The call computes, on the loop.
        ComputeInline,
        /// The call computes, on another thread.
        ComputeToThread,
        /// The call computes, in another process.
        ComputeProcesses,
        /// Ten handlers of 0.1 s each that block.
        HandlersBlocking,
        /// Ten handlers of 0.1 s each that await.
        HandlersAwaiting,
    }
}

shape! {
    /// Times of the heartbeat lab, in milliseconds.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct StallJob {
        /// How the call is made.
        pub variant: StallVariant,
        /// How long the call takes.
        pub call_ms: u32,
        /// The heartbeat's interval.
        pub heartbeat_ms: u32,
        /// The timeout around the call.
        pub timeout_ms: u32,
        /// The length of a slice.
        pub slice_ms: u32,
        /// Quiet before and after the call.
        pub quiet_ms: u32,
        /// A fault, in tests only.
        pub sabotage: Option<Sabotage>,
    }
}

shape! {
    /// One step of the event loop that took long, as the loop itself saw it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SlowStep {
        /// The task whose step it was.
        pub task: String,
        /// The call within the step.
        pub call: String,
        /// When it began, in milliseconds after the run's start.
        pub at_ms: f64,
        /// How long it took, in milliseconds.
        pub length_ms: f64,
    }
}

shape! {
    /// What the heartbeat lab saw, in milliseconds after the run's start.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct StallSeen {
        /// When each heartbeat came.
        pub beats_ms: Vec<f64>,
        /// When the call (or the first handler) began.
        pub call_started_ms: f64,
        /// When the call (or the last handler) ended; none while nobody waited for it.
        pub call_ended_ms: Option<f64>,
        /// When the timeout fired, if it did.
        pub timeout_at_ms: Option<f64>,
        /// When the main task ended.
        pub main_ended_ms: f64,
        /// When the program could end: main task and handed-over calls all done.
        pub program_ended_ms: f64,
        /// Steps of 50 ms or more.
        pub slow_steps: Vec<SlowStep>,
        /// On the page's own loop: the longest time between two animation frames.
        pub longest_frame_gap_ms: Option<f64>,
    }
}

shape! {
    /// A call that the loop hands to another worker.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HandedCall {
        /// Names the call when it is answered.
        pub id: u32,
        /// What the other worker does.
        pub job: Job,
    }
}

shape! {
    /// What the event loop wants after a turn: the worker that drives it waits, hands calls over, asks, or ends.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LoopTurn {
        /// Calls to hand to other workers now.
        pub calls: Vec<HandedCall>,
        /// Requests to make now, side by side with all others.
        pub requests: Vec<BegunRequest>,
        /// Requests to give up now: nobody wants their answers any more.
        pub dropped: Vec<u32>,
        /// The next turn is due after this many milliseconds; none: only when a call or a request is answered.
        pub wake_after_ms: Option<f64>,
        /// The program has ended; nothing else is wanted.
        pub outcome: Option<JobOutcome>,
    }
}
