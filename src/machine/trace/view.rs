//! What is to be seen at one event: every lane with its state, every loop's queues, counters and cells.
//!
//! Not here: why a lane waits, see [`super::why_waiting`].

use super::event::AccessKind;
use super::log::{Happened, Log};
use super::shown_value::ShownValue;
use super::snapshot::{CellNow, LaneNow, LoopNow, Snapshot};
use super::timers::TimerView;
use super::{CounterKind, LaneId, LaneKind, State};
use crate::machine::Nanoseconds;
use crate::machine::program::CellId;

/// A log at one event.
#[derive(Clone, Copy, Debug)]
pub struct View<'log> {
    log: &'log Log,
    at: &'log Snapshot,
}

/// A lane at one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneView<'log> {
    /// Its number.
    pub lane: LaneId,
    /// What it stands for.
    pub kind: LaneKind,
    /// The lane it belongs to.
    pub parent: Option<LaneId>,
    /// The process it is in, or is.
    pub process: Option<LaneId>,
    /// Its name.
    pub name: &'log str,
    /// When it was made.
    pub made: Nanoseconds,
    /// Its state; none only in the moment between its making and its first state.
    pub state: Option<State>,
    /// Since when it is in that state.
    pub since: Nanoseconds,
    /// The name of the call that it makes; empty where it said none.
    pub doing: &'log str,
    /// The line of its source that it is at, from 1.
    pub line: Option<u32>,
    /// Which lane woke it last.
    pub woken_by: Option<LaneId>,
}

/// A loop's queues at one event.
#[derive(Clone, Copy, Debug)]
pub struct LoopView<'log> {
    /// The loop's lane.
    pub lane: LaneId,
    queues: &'log LoopNow,
}

/// A cell at one event.
#[derive(Clone, Debug, PartialEq)]
pub struct CellView {
    /// The process whose memory it is in.
    pub process: Option<LaneId>,
    /// Its number there.
    pub cell: CellId,
    /// Its value.
    pub value: ShownValue,
    /// Which lane touched it last.
    pub lane: LaneId,
    /// How.
    pub access: AccessKind,
    /// At which index.
    pub index: u32,
}

impl<'log> View<'log> {
    pub(super) fn new(log: &'log Log, at: &'log Snapshot) -> Self {
        Self { log, at }
    }

    /// The log it is of.
    #[must_use]
    pub fn log(&self) -> &'log Log {
        self.log
    }

    /// How many events have happened.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.at.place.index
    }

    /// The time of the last of them.
    #[must_use]
    pub fn now(&self) -> Nanoseconds {
        self.at.place.before.at
    }

    /// The last of them; none before the first.
    #[must_use]
    pub fn event(&self) -> Option<&'log Happened> {
        self.at.beside.last.as_ref()
    }

    /// How many lanes have been made.
    #[must_use]
    pub fn n_lanes(&self) -> u32 {
        self.at.lanes.len() as u32
    }

    /// A lane; none where it is not made yet.
    #[must_use]
    pub fn lane(&self, lane: LaneId) -> Option<LaneView<'log>> {
        let now = self.at.lanes.get(lane.0 as usize)?;
        Some(self.lane_view(lane, now))
    }

    /// A lane's state; none where it is not made yet, or in the moment before its first state.
    #[must_use]
    pub fn state(&self, lane: LaneId) -> Option<State> {
        self.at.lanes.get(lane.0 as usize)?.state.state()
    }

    /// All lanes made so far, also those that have ended.
    pub fn lanes(&self) -> impl Iterator<Item = LaneView<'log>> {
        let numbered = (0..).map(LaneId).zip(&self.at.lanes);
        numbered.map(|(lane, now)| self.lane_view(lane, now))
    }

    /// Loops that have had anything queued.
    pub fn loops(&self) -> impl Iterator<Item = LoopView<'log>> {
        let loops = self.at.loops.iter();
        loops.map(|(lane, queues)| LoopView { lane: *lane, queues })
    }

    /// A loop's queues; none where nothing was ever queued.
    #[must_use]
    pub fn event_loop(&self, lane: LaneId) -> Option<LoopView<'log>> {
        let queues = self.at.loops.get(&lane)?;
        Some(LoopView { lane, queues })
    }

    /// Every counter that has a value.
    pub fn counters(&self) -> impl Iterator<Item = (LaneId, CounterKind, u64)> {
        let counters = self.at.beside.counters.iter();
        counters.map(|((lane, counter), value)| (*lane, *counter, *value))
    }

    /// A counter's value; none where it never had one.
    #[must_use]
    pub fn counter(&self, lane: LaneId, counter: CounterKind) -> Option<u64> {
        self.at.beside.counters.get(&(lane, counter)).copied()
    }

    /// Every cell that was touched, by process.
    pub fn cells(&self) -> impl Iterator<Item = CellView> {
        let cells = self.at.beside.cells.iter();
        cells.map(|((process, cell), now)| cell_view(*process, *cell, now))
    }

    /// A cell; none where it was never touched.
    #[must_use]
    pub fn cell(&self, process: Option<LaneId>, cell: CellId) -> Option<CellView> {
        let now = self.at.beside.cells.get(&(process, cell))?;
        Some(cell_view(process, cell, now))
    }

    /// Whom a waiting lane said it waits for, in that order.
    #[must_use]
    pub fn awaited(&self, lane: LaneId) -> &'log [LaneId] {
        self.at.beside.awaits.get(&lane).map_or(&[], Vec::as_slice)
    }

    fn lane_view(&self, lane: LaneId, now: &LaneNow) -> LaneView<'log> {
        let made = self.log.made(lane).expect("a lane that is seen was made");
        LaneView {
            lane,
            kind: made.kind,
            parent: made.parent,
            process: made.process,
            name: self.log.text(made.name),
            made: made.at,
            state: now.state.state(),
            since: now.since,
            doing: self.log.text(now.call),
            line: (now.line > 0).then_some(now.line),
            woken_by: now.woken_by.checked_sub(1).map(LaneId),
        }
    }
}

impl<'log> LoopView<'log> {
    /// Its ready queue from the first to the last; a callback that is of no task is none.
    pub fn ready(&self) -> impl Iterator<Item = Option<LaneId>> + use<'log> {
        self.queues.ready.iter().copied()
    }

    /// Its timers as they will go off.
    #[must_use]
    pub fn timers(&self) -> Vec<TimerView> {
        self.queues.timers.in_order()
    }

    /// When the first timer goes off that a task waits for; none where it waits for none.
    #[must_use]
    pub fn due(&self, task: LaneId) -> Option<Nanoseconds> {
        let its = self.queues.timers.iter().filter(|timer| timer.task == Some(task));
        its.map(|timer| timer.due).min()
    }

    /// When its first timer goes off.
    #[must_use]
    pub fn next_due(&self) -> Option<Nanoseconds> {
        self.queues.timers.iter().map(|timer| timer.due).min()
    }
}

fn cell_view(process: Option<LaneId>, cell: CellId, now: &CellNow) -> CellView {
    CellView {
        process,
        cell,
        value: now.value.clone(),
        lane: now.lane,
        access: now.access,
        index: now.index,
    }
}
