//! The words of a trace as text, as they stand in exports and on the wire: small letters and hyphens.
//!
//! Not here: sentences for learners; those are in the tables of a language.

use super::{BlockCause, CounterKind, Instant, LaneKind, ReadyCause, State, WaitCause};

impl State {
    /// The state without its cause.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ready(_) => "ready",
            Self::Waiting(_) => "waiting",
            Self::Blocked(..) => "blocked",
            Self::Idle => "idle",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }

    /// The cause of a ready, waiting or blocked state.
    #[must_use]
    pub const fn cause(self) -> Option<&'static str> {
        Some(match self {
            Self::Ready(ReadyCause::Core) => "core",
            Self::Ready(ReadyCause::Turn) => "turn",
            Self::Ready(ReadyCause::InterpreterLock) => "interpreter-lock",
            Self::Waiting(WaitCause::Timer) => "timer",
            Self::Waiting(WaitCause::Io) => "io",
            Self::Waiting(WaitCause::Task) => "task",
            Self::Waiting(WaitCause::Thread) => "thread",
            Self::Blocked(BlockCause::Lock, _) => "lock",
            Self::Blocked(BlockCause::Semaphore, _) => "semaphore",
            Self::Blocked(BlockCause::Condition, _) => "condition",
            Self::Blocked(BlockCause::Queue, _) => "queue",
            Self::Running | Self::Idle | Self::Done | Self::Cancelled | Self::Failed => return None,
        })
    }
}

impl LaneKind {
    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Process => "process",
            Self::Interpreter => "interpreter",
            Self::Thread => "thread",
            Self::Loop => "loop",
            Self::Task => "task",
        }
    }
}

impl CounterKind {
    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ReadyQueue => "ready-queue",
            Self::Timers => "timers",
            Self::PoolQueue => "pool-queue",
            Self::PoolBusy => "pool-busy",
            Self::InFlight => "in-flight",
            Self::Memory => "memory",
        }
    }
}

impl Instant {
    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Timeout => "timeout",
            Self::Exception => "exception",
            Self::DropRequest => "drop-request",
            Self::SlowStep => "slow-step",
            Self::Mark => "mark",
        }
    }
}
