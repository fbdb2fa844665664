//! Everything that is shown at one event, in a form that is quick to change by the next event and quick to copy.
//!
//! Not here: going to an event ([`super::Timeline`]), nor showing it ([`super::View`]).

use std::collections::{BTreeMap, VecDeque};

use super::event::{AccessKind, Event};
use super::log::{Happened, Log, Place};
use super::packed::PackedState;
use super::shown_value::ShownValue;
use super::texts::TextId;
use super::timers::Timers;
use super::{CounterKind, LaneId};
use crate::machine::Nanoseconds;
use crate::machine::program::CellId;

/// What changes of a lane. After its end nothing does.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneNow {
    pub since: Nanoseconds,
    pub state: PackedState,
    pub call: TextId,
    pub line: u32,
    /// The number of the lane that woke it last, and one; 0: nobody yet.
    pub woken_by: u32,
    pub awaits: bool,
}

impl LaneNow {
    /// One that was just made.
    pub fn new(at: Nanoseconds) -> Self {
        Self {
            since: at,
            state: PackedState::NONE,
            call: TextId::default(),
            line: 0,
            woken_by: 0,
            awaits: false,
        }
    }
}

/// One loop's two queues.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopNow {
    pub ready: VecDeque<Option<LaneId>>,
    pub timers: Timers,
}

/// One cell.
#[derive(Clone, Debug)]
pub(super) struct CellNow {
    pub value: ShownValue,
    pub lane: LaneId,
    pub access: AccessKind,
    pub index: u32,
}

/// What is shown beside lanes and loops.
#[derive(Clone, Debug, Default)]
pub(super) struct Beside {
    pub counters: BTreeMap<(LaneId, CounterKind), u64>,
    /// By process: two processes have two memories.
    pub cells: BTreeMap<(Option<LaneId>, CellId), CellNow>,
    pub awaits: BTreeMap<LaneId, Vec<LaneId>>,
    pub last: Option<Happened>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    pub place: Place,
    pub lanes: Vec<LaneNow>,
    pub loops: BTreeMap<LaneId, LoopNow>,
    pub beside: Beside,
}

impl Snapshot {
    /// Goes on by one event. The place is the caller's to set.
    #[inline]
    pub fn apply(&mut self, log: &Log, happened: &Happened) {
        let at = happened.at;
        match &happened.event {
            Event::Lane { .. } => self.lanes.push(LaneNow::new(at)),
            Event::Enter { lane, state } => {
                if let Some(now) = self.live(*lane) {
                    now.state = PackedState::new(*state);
                    now.since = at;
                    if std::mem::take(&mut now.awaits) {
                        self.beside.awaits.remove(lane);
                    }
                }
            }
            Event::Doing { lane, call } => {
                if let Some(now) = self.live(*lane) {
                    now.call = *call;
                }
            }
            Event::Line { lane, line } => {
                if let Some(now) = self.live(*lane) {
                    now.line = *line;
                }
            }
            Event::Wake { from, to } => {
                if let Some(now) = self.live(*to) {
                    now.woken_by = from.0 + 1;
                }
            }
            Event::Awaits { lane, on } => {
                if let Some(now) = self.live(*lane) {
                    now.awaits = true;
                    self.beside.awaits.entry(*lane).or_default().push(*on);
                }
            }
            Event::Ready { event_loop, task } => self.event_loop(*event_loop).ready.push_back(*task),
            Event::RunNext { event_loop } => {
                self.event_loop(*event_loop).ready.pop_front();
            }
            Event::Timer {
                event_loop,
                due,
                number,
                task,
            } => self.event_loop(*event_loop).timers.put(*due, *number, *task),
            Event::TimerGone { event_loop, number } => self.event_loop(*event_loop).timers.remove(*number),
            other => self.beside.apply(log, happened.index, other),
        }
    }

    fn event_loop(&mut self, lane: LaneId) -> &mut LoopNow {
        self.loops.entry(lane).or_default()
    }

    fn live(&mut self, lane: LaneId) -> Option<&mut LaneNow> {
        self.lanes.get_mut(lane.0 as usize).filter(|now| !now.state.is_end())
    }
}

impl Beside {
    fn apply(&mut self, log: &Log, index: u32, event: &Event) {
        match event {
            Event::Count { lane, counter, value } => {
                self.counters.insert((*lane, *counter), *value);
            }
            Event::Access {
                lane,
                cell,
                access,
                value,
            } => {
                let process = log.made(*lane).and_then(|made| made.process);
                let now = CellNow {
                    value: value.clone(),
                    lane: *lane,
                    access: *access,
                    index,
                };
                self.cells.insert((process, *cell), now);
            }
            // A mark changes nothing; the rest is of lanes and loops.
            _ => {}
        }
    }
}
