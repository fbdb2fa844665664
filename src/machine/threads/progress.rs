//! How far a run has come, and why it ended where it did not end by itself.
//!
//! Not here: what it computed.

use super::MachineSettings;
use super::diagnosis::Deadlock;
use crate::machine::Outcome;

/// What a slice of a run came to.
#[derive(Debug)]
pub enum Progress {
    /// The slice is used up: ask for another.
    Paused,
    /// The first process has ended, and this is how its main program did.
    Ended(Outcome),
    /// Nothing can ever happen: who waits for whom.
    Deadlock(Box<Deadlock>),
    /// The run has come to a limit and goes no further.
    Exceeded(Exceeded),
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Which.
    pub what: Limit,
    /// What it is: a number, or nanoseconds for [`Limit::Time`].
    pub limit: u64,
}

/// What a run may have too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::steps`](super::Limits::steps)
    Steps,
    /// [`Limits::time`](super::Limits::time)
    Time,
    /// [`Limits::threads`](super::Limits::threads)
    Threads,
    /// [`Limits::processes`](super::Limits::processes)
    Processes,
    /// [`Limits::objects`](super::Limits::objects)
    Objects,
    /// [`Limits::depth`](super::Limits::depth)
    Depth,
    /// Events of the trace: [`MachineSettings::trace_limits`](super::MachineSettings::trace_limits)
    Trace,
    /// [`LoopCeilings::tasks`](crate::machine::event_loop::LoopCeilings::tasks)
    Tasks,
    /// [`LoopCeilings::futures`](crate::machine::event_loop::LoopCeilings::futures)
    Futures,
    /// [`LoopCeilings::timers`](crate::machine::event_loop::LoopCeilings::timers)
    Timers,
    /// [`LoopCeilings::objects`](crate::machine::event_loop::LoopCeilings::objects)
    LoopObjects,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub(super) enum Ended {
    Main(Outcome),
    Exceeded(Exceeded),
}

impl Ended {
    pub fn progress(&self) -> Progress {
        match self {
            Self::Main(outcome) => Progress::Ended(outcome.clone()),
            Self::Exceeded(exceeded) => Progress::Exceeded(*exceeded),
        }
    }
}

impl Limit {
    pub(super) fn of(self, settings: &MachineSettings) -> u64 {
        let (limits, ceilings) = (&settings.limits, &settings.event_loops.ceilings);
        match self {
            Self::Steps => limits.steps,
            Self::Time => limits.time.0,
            Self::Threads => limits.threads.into(),
            Self::Processes => limits.processes.into(),
            Self::Objects => limits.objects.into(),
            Self::Depth => limits.depth.into(),
            Self::Trace => settings.trace_limits.max_events.into(),
            Self::Tasks => ceilings.tasks.into(),
            Self::Futures => ceilings.futures.into(),
            Self::Timers => ceilings.timers.into(),
            Self::LoopObjects => ceilings.objects.into(),
        }
    }
}
