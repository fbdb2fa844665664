//! One keyframe: what can still change at an event, packed as the log itself is.
//!
//! Not here: when one is made, see `keyframes`.

use std::collections::VecDeque;

use super::LaneId;
use super::coding::{Bytes, folded, put};
use super::log::Place;
use super::packed::PackedState;
use super::snapshot::{Beside, LaneNow, LoopNow, Snapshot};
use super::texts::TextId;
use super::timers::Timers;
use crate::machine::Nanoseconds;

/// What each part takes when packed, as a rule, in bytes.
mod takes {
    pub const LANE: usize = 13;
    pub const READY: usize = 3;
    pub const TIMER: usize = 9;
    pub const LOOP: usize = 16;
    pub const COUNTER: usize = 48;
    pub const CELL: usize = 96;
    pub const WAITING: usize = 64;
    pub const AWAITED: usize = 4;
}

#[derive(Debug)]
pub(super) struct Frame {
    pub place: Place,
    packed: Box<[u8]>,
    beside: Beside,
}

impl Frame {
    /// About as many bytes as the frame of a snapshot takes.
    pub fn expected_bytes(n_live: usize, at: &Snapshot) -> usize {
        let queues =
            |queues: &LoopNow| takes::LOOP + queues.ready.len() * takes::READY + queues.timers.len() * takes::TIMER;
        let loops: usize = at.loops.values().map(queues).sum();
        size_of::<Self>() + n_live * takes::LANE + loops + beside_bytes(&at.beside)
    }

    pub fn n_bytes(&self) -> usize {
        size_of::<Self>() + self.packed.len() + beside_bytes(&self.beside)
    }

    /// The frame of a snapshot; the living lanes in order.
    pub fn pack<'at>(live: impl Iterator<Item = (u32, &'at LaneNow)>, at: &Snapshot) -> Self {
        let now = at.place.before.at;
        let mut bytes = Vec::new();
        let mut expected = 0;
        for (lane, lane_now) in live {
            // One more than the gaps before it, so that 0 ends the list.
            put(&mut bytes, u64::from(lane - expected) + 1);
            expected = lane + 1;
            put_lane(&mut bytes, now, lane_now);
        }
        put(&mut bytes, 0);
        for (lane, queues) in &at.loops {
            put(&mut bytes, u64::from(lane.0) + 1);
            put_queues(&mut bytes, now, queues);
        }
        put(&mut bytes, 0);
        Self {
            place: at.place,
            packed: bytes.into(),
            beside: at.beside.clone(),
        }
    }

    /// Puts a snapshot here whose ended lanes are in their places.
    pub fn unpack(&self, at: &mut Snapshot) {
        let now = self.place.before.at;
        at.place = self.place;
        at.beside.clone_from(&self.beside);
        let mut bytes = Bytes(&self.packed);
        let mut lanes = at.lanes.iter_mut();
        while let Some(n_before) = bytes.number().checked_sub(1) {
            if let Some(lane) = lanes.nth(n_before as usize) {
                *lane = lane_now(&mut bytes, now);
            }
        }
        at.loops.clear();
        while let Some(lane) = bytes.number().checked_sub(1) {
            at.loops.insert(LaneId(lane as u32), queues(&mut bytes, now));
        }
    }
}

/// Kept as they are: there are few of them.
fn beside_bytes(beside: &Beside) -> usize {
    let awaits = beside.awaits.values();
    let awaits: usize = awaits.map(|lanes| takes::WAITING + lanes.len() * takes::AWAITED).sum();
    awaits + beside.counters.len() * takes::COUNTER + beside.cells.len() * takes::CELL
}

fn put_lane(bytes: &mut Vec<u8>, now: Nanoseconds, lane: &LaneNow) {
    bytes.push(lane.state.code());
    if let Some(holder) = lane.state.holder() {
        put(bytes, u64::from(holder));
    }
    put(bytes, now.since(lane.since).0);
    put(bytes, u64::from(lane.call.0));
    put(bytes, u64::from(lane.line) << 1 | u64::from(lane.awaits));
    put(bytes, u64::from(lane.woken_by));
}

fn lane_now(bytes: &mut Bytes<'_>, now: Nanoseconds) -> LaneNow {
    let code = bytes.byte();
    let has_holder = PackedState::from_code(code, 0).holder().is_some();
    let holder = if has_holder { bytes.short() } else { 0 };
    let since = now.since(Nanoseconds(bytes.number()));
    let call = TextId(bytes.short());
    let line = bytes.number();
    LaneNow {
        since,
        state: PackedState::from_code(code, holder),
        call,
        line: (line >> 1) as u32,
        awaits: line & 1 == 1,
        woken_by: bytes.short(),
    }
}

fn put_queues(bytes: &mut Vec<u8>, now: Nanoseconds, queues: &LoopNow) {
    put(bytes, queues.ready.len() as u64);
    for task in &queues.ready {
        put_task(bytes, *task);
    }
    put(bytes, queues.timers.len() as u64);
    let mut last = 0;
    for timer in queues.timers.iter() {
        put(bytes, timer.number - last);
        last = timer.number;
        put(bytes, folded(timer.due.0.wrapping_sub(now.0) as i64));
        put_task(bytes, timer.task);
    }
}

fn queues(bytes: &mut Bytes<'_>, now: Nanoseconds) -> LoopNow {
    let n_ready = bytes.number();
    let ready: VecDeque<_> = (0..n_ready).map(|_| task(bytes)).collect();
    let n_timers = bytes.number();
    let (mut timers, mut number) = (Timers::default(), 0);
    for _ in 0..n_timers {
        number += bytes.number();
        let due = Nanoseconds(now.0.wrapping_add(bytes.signed() as u64));
        timers.put(due, number, task(bytes));
    }
    LoopNow { ready, timers }
}

fn put_task(bytes: &mut Vec<u8>, task: Option<LaneId>) {
    put(bytes, task.map_or(0, |task| u64::from(task.0) + 1));
}

fn task(bytes: &mut Bytes<'_>) -> Option<LaneId> {
    bytes.number().checked_sub(1).map(|task| LaneId(task as u32))
}
