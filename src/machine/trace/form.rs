//! An event as bytes.
//!
//! One byte, then: if its bit 6 is set, the nanoseconds since the event before; if bit 7 is set, the distance of its
//! lane from the lane of the event before; then what its kind needs. The low six bits are the kind (module `kind`).
//! Worked example: lane 3 becomes ready for its turn at the same time as the event before, which was of lane 2: kind 6
//! and state 2 make 8, the lane flag is 128, the distance +1 is folded to 2: `88 02`.
//!
//! Not here: the whole log.

use super::coding::{Bytes, folded, put};
use super::event::{AccessKind, Event};
use super::packed::{ACCESSES, COUNTERS, FIRST_HELD, INSTANTS, LANE_KINDS, PackedState, word};
use super::shown_value;
use super::texts::TextId;
use super::{CounterKind, Instant, LaneId, LaneKind, State};
use crate::machine::program::CellId;
use crate::machine::{Nanoseconds, Value};

/// The first kind of each family of events.
mod kind {
    pub const LANE: u8 = 0;
    pub const ENTER: u8 = 6;
    pub const COUNT: u8 = 26;
    pub const INSTANT: u8 = 32;
    pub const ACCESS: u8 = 38;
    pub const DOING: u8 = 42;
    pub const LINE: u8 = 43;
    pub const WAKE: u8 = 44;
    pub const AWAITS: u8 = 45;
    pub const READY: u8 = 46;
    pub const READY_TASK: u8 = 47;
    pub const RUN_NEXT: u8 = 48;
    pub const TIMER: u8 = 49;
    pub const TIMER_GONE: u8 = 50;
    pub const NAME: u8 = 51;
}

const KIND: u8 = 0x3f;
const TIME_PASSED: u8 = 0x40;
const OTHER_LANE: u8 = 0x80;

/// What an event is told from: the time and the lane of the event before, and the number of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Before {
    pub at: Nanoseconds,
    pub lane: u32,
    pub n_lanes: u32,
}

impl Before {
    #[inline]
    fn begin(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, lane: LaneId, kind: u8) {
        let passed = at.since(self.at).0;
        let distance = lane.0.wrapping_sub(self.lane) as i32;
        let mut head = kind;
        if passed > 0 {
            head |= TIME_PASSED;
        }
        if distance != 0 {
            head |= OTHER_LANE;
        }
        bytes.push(head);
        if passed > 0 {
            put(bytes, passed);
            self.at = at;
        }
        if distance != 0 {
            put(bytes, folded(i64::from(distance)));
            self.lane = lane.0;
        }
    }

    /// A new lane: the next number.
    pub fn put_lane(
        &mut self,
        bytes: &mut Vec<u8>,
        at: Nanoseconds,
        kind: LaneKind,
        parent: Option<LaneId>,
        name: TextId,
    ) {
        // A new lane is of its own: no distance is written, and the next event is most often of the same lane.
        self.lane = self.n_lanes;
        self.n_lanes += 1;
        self.begin(bytes, at, LaneId(self.lane), kind::LANE + kind as u8);
        put_lane_id(bytes, parent);
        put(bytes, u64::from(name.0));
    }

    #[inline]
    pub fn put_enter(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, lane: LaneId, state: PackedState) {
        self.begin(bytes, at, lane, kind::ENTER + state.code());
        if let Some(holder) = state.holder() {
            put(bytes, u64::from(holder));
        }
    }

    #[inline]
    pub fn put_doing(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, lane: LaneId, call: TextId) {
        self.begin(bytes, at, lane, kind::DOING);
        put(bytes, u64::from(call.0));
    }

    #[inline]
    pub fn put_line(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, lane: LaneId, line: u32) {
        self.begin(bytes, at, lane, kind::LINE);
        put(bytes, u64::from(line));
    }

    #[inline]
    pub fn put_wake(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, from: LaneId, to: LaneId) {
        self.begin(bytes, at, from, kind::WAKE);
        put(bytes, u64::from(to.0));
    }

    #[inline]
    pub fn put_awaits(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, lane: LaneId, on: LaneId) {
        self.begin(bytes, at, lane, kind::AWAITS);
        put(bytes, u64::from(on.0));
    }

    #[inline]
    pub fn put_count(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, lane: LaneId, counter: CounterKind, value: u64) {
        self.begin(bytes, at, lane, kind::COUNT + counter as u8);
        put(bytes, value);
    }

    #[inline]
    pub fn put_instant(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, lane: LaneId, instant: Instant, label: TextId) {
        self.begin(bytes, at, lane, kind::INSTANT + instant as u8);
        put(bytes, u64::from(label.0));
    }

    #[inline]
    pub fn put_access(
        &mut self,
        bytes: &mut Vec<u8>,
        at: Nanoseconds,
        lane: LaneId,
        cell: CellId,
        (access, value): (AccessKind, &Value),
    ) {
        self.begin(bytes, at, lane, kind::ACCESS + access as u8);
        put(bytes, u64::from(cell.0));
        shown_value::put(bytes, value);
    }

    #[inline]
    pub fn put_ready(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, event_loop: LaneId, task: Option<LaneId>) {
        if let Some(task) = task {
            self.begin(bytes, at, event_loop, kind::READY_TASK);
            put(bytes, u64::from(task.0));
        } else {
            self.begin(bytes, at, event_loop, kind::READY);
        }
    }

    #[inline]
    pub fn put_run_next(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, event_loop: LaneId) {
        self.begin(bytes, at, event_loop, kind::RUN_NEXT);
    }

    #[inline]
    pub fn put_timer(
        &mut self,
        bytes: &mut Vec<u8>,
        at: Nanoseconds,
        event_loop: LaneId,
        (due, number, task): (Nanoseconds, u64, Option<LaneId>),
    ) {
        self.begin(bytes, at, event_loop, kind::TIMER);
        put(bytes, folded(due.0.wrapping_sub(self.at.0) as i64));
        put(bytes, number);
        put_lane_id(bytes, task);
    }

    #[inline]
    pub fn put_timer_gone(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, event_loop: LaneId, number: u64) {
        self.begin(bytes, at, event_loop, kind::TIMER_GONE);
        put(bytes, number);
    }

    pub fn put_name(&mut self, bytes: &mut Vec<u8>, at: Nanoseconds, lane: LaneId, name: TextId) {
        self.begin(bytes, at, lane, kind::NAME);
        put(bytes, u64::from(name.0));
    }

    /// Reads the next event; there must be one.
    #[inline]
    pub fn read(&mut self, bytes: &mut Bytes<'_>) -> Event {
        let head = bytes.byte();
        let kind = head & KIND;
        if head & TIME_PASSED != 0 {
            self.at += Nanoseconds(bytes.number());
        }
        if kind < kind::ENTER {
            self.lane = self.n_lanes;
            self.n_lanes += 1;
        } else if head & OTHER_LANE != 0 {
            self.lane = self.lane.wrapping_add(bytes.signed() as u32);
        }
        let lane = LaneId(self.lane);
        match kind {
            kind::ENTER..kind::COUNT => {
                let code = kind - kind::ENTER;
                let holder = if code >= FIRST_HELD { bytes.short() } else { 0 };
                let state = PackedState::from_code(code, holder).state().unwrap_or(State::Idle);
                Event::Enter { lane, state }
            }
            kind::DOING => Event::Doing {
                lane,
                call: TextId(bytes.short()),
            },
            kind::NAME => Event::Name {
                lane,
                name: TextId(bytes.short()),
            },
            kind::LINE => Event::Line {
                lane,
                line: bytes.short(),
            },
            kind::WAKE => Event::Wake {
                from: lane,
                to: LaneId(bytes.short()),
            },
            kind::AWAITS => Event::Awaits {
                lane,
                on: LaneId(bytes.short()),
            },
            kind::READY => Event::Ready {
                event_loop: lane,
                task: None,
            },
            kind::READY_TASK => Event::Ready {
                event_loop: lane,
                task: Some(LaneId(bytes.short())),
            },
            kind::RUN_NEXT => Event::RunNext { event_loop: lane },
            kind::TIMER => Event::Timer {
                event_loop: lane,
                due: Nanoseconds(self.at.0.wrapping_add(bytes.signed() as u64)),
                number: bytes.number(),
                task: lane_id(bytes),
            },
            kind::TIMER_GONE => Event::TimerGone {
                event_loop: lane,
                number: bytes.number(),
            },
            kind::COUNT..kind::INSTANT => Event::Count {
                lane,
                counter: word(&COUNTERS, kind - kind::COUNT),
                value: bytes.number(),
            },
            kind::INSTANT..kind::ACCESS => Event::Instant {
                lane,
                instant: word(&INSTANTS, kind - kind::INSTANT),
                label: TextId(bytes.short()),
            },
            kind::ACCESS..kind::DOING => Event::Access {
                lane,
                cell: CellId(bytes.short()),
                access: word(&ACCESSES, kind - kind::ACCESS),
                value: shown_value::read(bytes),
            },
            _ => Event::Lane {
                lane,
                kind: word(&LANE_KINDS, kind - kind::LANE),
                parent: lane_id(bytes),
                name: TextId(bytes.short()),
            },
        }
    }
}

/// A lane or none: its number and one, or zero.
fn put_lane_id(bytes: &mut Vec<u8>, lane: Option<LaneId>) {
    put(bytes, lane.map_or(0, |lane| u64::from(lane.0) + 1));
}

fn lane_id(bytes: &mut Bytes<'_>) -> Option<LaneId> {
    bytes.number().checked_sub(1).map(|lane| LaneId(lane as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::trace::ReadyCause;

    #[test]
    fn the_example() {
        let mut before = Before {
            at: Nanoseconds(5),
            lane: 2,
            n_lanes: 4,
        };
        let (mut reading, mut bytes) = (before, Vec::new());
        let state = State::Ready(ReadyCause::Turn);
        before.put_enter(&mut bytes, Nanoseconds(5), LaneId(3), PackedState::new(state));
        assert_eq!(bytes, [0x88, 0x02]);
        let event = reading.read(&mut Bytes(&bytes));
        assert_eq!(event, Event::Enter { lane: LaneId(3), state });
        assert_eq!(reading, before);
    }
}
