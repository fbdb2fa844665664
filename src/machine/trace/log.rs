//! The log of a run: all that is needed to show it at any event, about four bytes an event.
//!
//! Events are numbered from 0; *index* `n` stands for the moment after `n` events, so 0 is before the first. A step of
//! a program is one event or a few, and each is seen alone.
//!
//! Not here: what a run looks like at an event ([`super::Timeline`]), nor anything made of the whole log.

use super::coding::Bytes;
use super::event::Event;
use super::form::Before;
use super::texts::{TextId, Texts};
use super::{LaneId, LaneKind};
use crate::machine::Nanoseconds;

/// Bytes are kept in pieces of this size: growing never copies what is there.
const PIECE: usize = 1 << 20;
/// Room for any event but one that carries a list.
const ROOM: usize = 64;

/// What is known of a lane from its making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// What it stands for.
    pub kind: LaneKind,
    /// The lane it belongs to.
    pub parent: Option<LaneId>,
    /// The process it is in, or is.
    pub process: Option<LaneId>,
    /// Its name; the last one where it had several.
    pub name: TextId,
    /// When it was made.
    pub at: Nanoseconds,
}

/// Why and where a log ends before its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated {
    /// The index of the last event that was written down.
    pub index: u32,
    /// When the first event came that was not.
    pub at: Nanoseconds,
}

/// A run, written down.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pieces: Vec<Vec<u8>>,
    n_events: u32,
    before: Before,
    lanes: Vec<Made>,
    pub(super) texts: Texts,
    end: Nanoseconds,
    truncated: Option<Truncated>,
    went_back: bool,
}

impl Log {
    /// Number of events; the highest index.
    #[must_use]
    pub fn n_events(&self) -> u32 {
        self.n_events
    }

    /// Number of lanes.
    #[must_use]
    pub fn n_lanes(&self) -> u32 {
        self.lanes.len() as u32
    }

    /// All events in order.
    #[must_use]
    pub fn events(&self) -> Events<'_> {
        self.events_from(Place::default())
    }

    /// What is known of a lane from its making; none where there is no such lane.
    #[must_use]
    pub fn made(&self, lane: LaneId) -> Option<&Made> {
        self.lanes.get(lane.0 as usize)
    }

    /// All lanes in order of their making.
    pub fn lanes(&self) -> impl Iterator<Item = (LaneId, &Made)> {
        (0..).map(LaneId).zip(&self.lanes)
    }

    /// A lane's name; empty where there is no such lane.
    #[must_use]
    pub fn lane_name(&self, lane: LaneId) -> &str {
        self.made(lane).map_or("", |made| self.texts.get(made.name))
    }

    /// The text with this number.
    #[must_use]
    pub fn text(&self, id: TextId) -> &str {
        self.texts.get(id)
    }

    /// All texts in order of their numbers.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter()
    }

    /// When the run ended, or was last written down.
    #[must_use]
    pub fn end(&self) -> Nanoseconds {
        self.end
    }

    /// Where the ceiling was reached; none: the whole run is here.
    #[must_use]
    pub fn truncated(&self) -> Option<Truncated> {
        self.truncated
    }

    /// Whether an event was earlier than the one before it: a mistake of whoever ran the machine. It is kept as
    /// happening at the same time.
    #[must_use]
    pub fn clock_went_back(&self) -> bool {
        self.went_back
    }

    /// Memory in use, in bytes.
    #[must_use]
    pub fn n_bytes(&self) -> usize {
        // All pieces but the last are full, or nearly.
        let n_full = self.pieces.len().saturating_sub(1);
        let n_piece_bytes = n_full * PIECE + self.pieces.last().map_or(0, Vec::capacity);
        n_piece_bytes + self.lanes.capacity() * size_of::<Made>() + self.texts.n_bytes()
    }

    /// The events' bytes, in pieces.
    pub(super) fn pieces(&self) -> &[Vec<u8>] {
        &self.pieces
    }

    pub(super) fn events_from(&self, place: Place) -> Events<'_> {
        let piece = self.pieces.get(place.piece as usize);
        let rest = piece.and_then(|piece| piece.get(place.offset as usize..));
        Events {
            log: self,
            bytes: Bytes(rest.unwrap_or_default()),
            place,
        }
    }

    /// The bytes that the next event goes to, and what it is told from.
    #[inline]
    pub(super) fn next(&mut self, now: Nanoseconds) -> (&mut Vec<u8>, &mut Before) {
        if self.pieces.last().is_none_or(|piece| piece.len() + ROOM > PIECE) {
            // The first grows as it is filled: most runs are short.
            let n_bytes = if self.pieces.is_empty() { ROOM } else { PIECE };
            self.pieces.push(Vec::with_capacity(n_bytes));
        }
        self.went_back |= now < self.before.at;
        self.n_events += 1;
        self.end = self.end.max(now);
        (self.pieces.last_mut().expect("there is one by now"), &mut self.before)
    }

    pub(super) fn next_lane(&mut self, now: Nanoseconds, kind: LaneKind, parent: Option<LaneId>, name: &str) {
        let name = self.texts.add(name);
        let process = if kind == LaneKind::Process {
            Some(LaneId(self.n_lanes()))
        } else {
            parent.and_then(|parent| self.made(parent)?.process)
        };
        self.lanes.push(Made {
            kind,
            parent,
            process,
            name,
            at: now.max(self.before.at),
        });
        let (bytes, before) = self.next(now);
        before.put_lane(bytes, now, kind, parent, name);
    }

    pub(super) fn rename(&mut self, now: Nanoseconds, lane: LaneId, name: &str) {
        if self.lane_name(lane) == name || self.made(lane).is_none() {
            return;
        }
        let name = self.texts.add(name);
        if let Some(made) = self.lanes.get_mut(lane.0 as usize) {
            made.name = name;
        }
        let (bytes, before) = self.next(now);
        before.put_name(bytes, now, lane, name);
    }

    pub(super) fn truncate(&mut self, now: Nanoseconds) {
        self.truncated = Some(Truncated {
            index: self.n_events,
            at: now,
        });
    }

    pub(super) fn finish(&mut self, now: Nanoseconds) {
        self.end = self.end.max(now);
    }
}

/// A place between two events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    piece: u32,
    offset: u32,
    pub index: u32,
    pub before: Before,
}

impl Place {
    /// How many bytes of events lie before it, nearly.
    pub fn n_bytes(self) -> usize {
        self.piece as usize * PIECE + self.offset as usize
    }
}

/// One event with its number and its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// Its index: how many events there are up to it, itself counted.
    pub index: u32,
    /// When.
    pub at: Nanoseconds,
    /// What.
    pub event: Event,
}

/// Events one after another.
#[derive(Clone, Debug)]
pub struct Events<'log> {
    log: &'log Log,
    bytes: Bytes<'log>,
    place: Place,
}

impl Events<'_> {
    /// How many events lie before the next.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.place.index
    }

    /// The place after the event read last.
    pub(super) fn place(&self) -> Place {
        let piece = self.log.pieces.get(self.place.piece as usize);
        Place {
            offset: piece.map_or(0, |piece| (piece.len() - self.bytes.0.len()) as u32),
            ..self.place
        }
    }
}

impl Iterator for Events<'_> {
    type Item = Happened;

    #[inline]
    fn next(&mut self) -> Option<Happened> {
        if self.place.index >= self.log.n_events {
            return None;
        }
        while self.bytes.0.is_empty() {
            // The first piece is entered by `events_from`; an empty one is left behind.
            let piece = self.log.pieces.get(self.place.piece as usize + 1)?;
            self.place.piece += 1;
            self.bytes = Bytes(piece);
        }
        let event = self.place.before.read(&mut self.bytes);
        self.place.index += 1;
        Some(Happened {
            index: self.place.index,
            at: self.place.before.at,
            event,
        })
    }
}
