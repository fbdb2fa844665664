//! One event of a log.
//!
//! Not here: how it is written, see `form`; nor what follows from it, see `snapshot`.

use super::shown_value::ShownValue;
use super::texts::TextId;
use super::{CounterKind, Instant, LaneId, LaneKind, State};
use crate::machine::Nanoseconds;
use crate::machine::program::CellId;

/// What happened to whom.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A lane was made. Its number is the number of lanes before it.
    Lane {
        /// Its number.
        lane: LaneId,
        /// What it stands for.
        kind: LaneKind,
        /// The lane it belongs to.
        parent: Option<LaneId>,
        /// Its name.
        name: TextId,
    },
    /// A lane has another name, under which it is shown at every event.
    Name {
        /// Which.
        lane: LaneId,
        /// The name.
        name: TextId,
    },
    /// A lane is in another state.
    Enter {
        /// Which.
        lane: LaneId,
        /// The state.
        state: State,
    },
    /// A lane does something else.
    Doing {
        /// Which.
        lane: LaneId,
        /// The name of the call.
        call: TextId,
    },
    /// A lane is at another line.
    Line {
        /// Which.
        lane: LaneId,
        /// The line, from 1.
        line: u32,
    },
    /// One lane made another go on.
    Wake {
        /// Which did.
        from: LaneId,
        /// Which goes on.
        to: LaneId,
    },
    /// A waiting lane waits for this one too, until its next state.
    Awaits {
        /// Which waits.
        lane: LaneId,
        /// For whom.
        on: LaneId,
    },
    /// A counter has another value.
    Count {
        /// Whose.
        lane: LaneId,
        /// Which.
        counter: CounterKind,
        /// The value.
        value: u64,
    },
    /// A moment worth a mark.
    Instant {
        /// On which lane.
        lane: LaneId,
        /// What kind.
        instant: Instant,
        /// In words.
        label: TextId,
    },
    /// A lane touched a cell.
    Access {
        /// Which lane.
        lane: LaneId,
        /// Which cell.
        cell: CellId,
        /// How.
        access: AccessKind,
        /// The cell's value afterwards.
        value: ShownValue,
    },
    /// A loop's ready queue got a callback.
    Ready {
        /// Which loop's.
        event_loop: LaneId,
        /// Of which task; none: something else's.
        task: Option<LaneId>,
    },
    /// A loop runs the first callback of its ready queue.
    RunNext {
        /// Which loop.
        event_loop: LaneId,
    },
    /// A loop's heap got a timer.
    Timer {
        /// Which loop's.
        event_loop: LaneId,
        /// When it is due.
        due: Nanoseconds,
        /// Its number within the loop.
        number: u64,
        /// The task that waits for it.
        task: Option<LaneId>,
    },
    /// A loop's heap lost a timer.
    TimerGone {
        /// Which loop's.
        event_loop: LaneId,
        /// The timer's number.
        number: u64,
    },
}

/// How a cell was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Its value was taken.
    Read,
    /// It got a value.
    Write,
    /// Something was added in one indivisible step.
    Add,
    /// It was compared, and set if equal, in one indivisible step.
    CompareAndSwap,
}
