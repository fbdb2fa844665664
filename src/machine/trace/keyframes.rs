//! Copies of what is shown, made while a log is read for the first time, so that later any event is near one.
//!
//! Lanes that have ended are kept once for all keyframes. The next keyframe comes when as many bytes of events have gone
//! by as it takes, so all of them together take no more than the log, however many lanes there are; and no event is
//! farther from a keyframe than that.
//!
//! Not here: going anywhere.

use super::LaneId;
use super::event::Event;
use super::frame::Frame;
use super::log::{Happened, Place};
use super::snapshot::{LaneNow, Snapshot};
use crate::machine::Nanoseconds;

/// Keyframes are this many events apart at the least, and only looked for so often.
const LEAST_APART: u32 = 4096;
/// To go back to a keyframe, every lane so far is written anew, which takes as long as this share of an event.
const LANES_AN_EVENT: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Keyframes {
    frames: Vec<Frame>,
    n_bytes: usize,
    /// Bytes by which the last one was larger than thought.
    owed: usize,
    /// Up to which event they are made.
    known: u32,
    ends: Vec<Ended>,
    n_live: usize,
}

/// A lane as it is from its end on.
#[derive(Clone, Copy, Debug)]
struct Ended {
    index: u32,
    now: LaneNow,
}

impl Keyframes {
    /// Up to which event they are made.
    pub fn known(&self) -> u32 {
        self.known
    }

    /// Memory that they take, nearly.
    pub fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    /// Where the nearest one at or before an index stands.
    pub fn before(&self, index: u32) -> Option<Place> {
        let n_before = self.frames.partition_point(|frame| frame.place.index <= index);
        let nearest = n_before.checked_sub(1).and_then(|place| self.frames.get(place));
        nearest.map(|frame| frame.place)
    }

    /// Where the last one that is not later than this stands.
    pub fn not_after(&self, time: Nanoseconds) -> Option<Place> {
        let n_before = self.frames.partition_point(|frame| frame.place.before.at <= time);
        let nearest = n_before.checked_sub(1).and_then(|place| self.frames.get(place));
        nearest.map(|frame| frame.place)
    }

    /// Puts a snapshot back to the keyframe that stands at this index.
    pub fn restore(&self, index: u32, at: &mut Snapshot) {
        let found = self.frames.binary_search_by_key(&index, |frame| frame.place.index);
        let Some(frame) = found.ok().and_then(|place| self.frames.get(place)) else {
            *at = Snapshot::default();
            return;
        };
        at.lanes.clear();
        let made = self.ends.iter().take(frame.place.before.n_lanes as usize);
        at.lanes.extend(made.map(|ended| ended.now));
        frame.unpack(at);
    }

    /// Takes note of an event that was just applied. Whether a keyframe may be due: then `look` is called.
    #[inline]
    pub fn note(&mut self, happened: &Happened, at: &Snapshot) -> bool {
        if happened.index <= self.known {
            return false;
        }
        self.known = happened.index;
        match &happened.event {
            Event::Lane { .. } => {
                self.n_live += 1;
                self.ends.push(Ended {
                    index: u32::MAX,
                    now: LaneNow::new(happened.at),
                });
            }
            Event::Enter { lane, state } if state.is_end() => self.note_end(*lane, happened.index, at),
            _ => {}
        }
        happened.index.is_multiple_of(LEAST_APART)
    }

    fn note_end(&mut self, lane: LaneId, index: u32, at: &Snapshot) {
        let index_of = lane.0 as usize;
        if let (Some(ended), Some(now)) = (self.ends.get_mut(index_of), at.lanes.get(index_of))
            && ended.index == u32::MAX
        {
            self.n_live -= 1;
            *ended = Ended { index, now: *now };
        }
    }

    /// Makes a keyframe here if one is due.
    pub fn look(&mut self, at: &Snapshot) {
        let last = self.frames.last().map(|frame| frame.place).unwrap_or_default();
        let expected = Frame::expected_bytes(self.n_live, at);
        let n_bytes_since = at.place.n_bytes() - last.n_bytes();
        let n_events_since = (at.place.index - last.index) as usize;
        if n_bytes_since < expected + self.owed || n_events_since * LANES_AN_EVENT < at.lanes.len() {
            return;
        }
        let lanes = (0..).zip(&at.lanes).zip(&self.ends);
        let live = lanes.filter(|(_, ended)| ended.index == u32::MAX);
        let frame = Frame::pack(live.map(|(lane, _)| lane), at);
        self.owed = frame.n_bytes().saturating_sub(expected);
        self.n_bytes += frame.n_bytes();
        self.frames.push(frame);
    }
}
