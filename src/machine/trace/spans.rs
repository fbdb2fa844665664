//! Spans: each lane's states from one time to another, computed from the log.
//!
//! A span ends where the lane's state changes; where time has passed, also where its call or line does. Saying the call
//! or the line at the same time as the state belongs to the same span. The spans of a lane follow each other without
//! gaps from its making to its end, so they add up to its lifetime ([`check_spans`]); a state in which no time passes is
//! a span without length. The state that a lane ended in is its last span, without length.
//!
//! Not here: anything drawn.

use super::event::Event;
use super::log::{Events, Log};
use super::texts::TextId;
use super::{LaneId, State};
use crate::machine::Nanoseconds;
use crate::machine::program::CellId;

/// A lane's state from one time to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// When it began.
    pub start: Nanoseconds,
    /// When it ended; the end of the log where it did not.
    pub end: Nanoseconds,
    /// Whose.
    pub lane: LaneId,
    /// The state with its cause, and the holder where there is one.
    pub state: State,
    /// The name of the call that the lane made; the empty text where it said none.
    pub call: TextId,
    /// The line of its source, from 1; 0 where it said none.
    pub line: u32,
    /// The cell that it touched last in this span.
    pub cell: Option<CellId>,
}

impl Span {
    /// How long it is.
    #[must_use]
    pub fn length(&self) -> Nanoseconds {
        self.end - self.start
    }
}

/// All spans of a log in the order of their ends; those that the log's end cuts off come last, by lane.
#[derive(Clone, Debug)]
pub struct Spans<'log> {
    events: Events<'log>,
    end: Nanoseconds,
    open: Vec<Open>,
    /// The span of a state that ends its lane, due after the one before it.
    last_of_lane: Option<Span>,
    /// Lanes that were cut off and are told already, once there are no more events.
    n_cut: usize,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    start: Nanoseconds,
    state: Option<State>,
    call: TextId,
    line: u32,
    cell: Option<CellId>,
}

impl Log {
    /// All spans in the order of their ends.
    #[must_use]
    pub fn spans(&self) -> Spans<'_> {
        Spans {
            events: self.events(),
            end: self.end(),
            open: Vec::new(),
            last_of_lane: None,
            n_cut: 0,
        }
    }
}

impl Iterator for Spans<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        if let Some(span) = self.last_of_lane.take() {
            return Some(span);
        }
        while let Some(happened) = self.events.next() {
            if let Some(span) = self.apply(happened.at, &happened.event) {
                return Some(span);
            }
        }
        while let Some(open) = self.open.get(self.n_cut) {
            let lane = LaneId(self.n_cut as u32);
            self.n_cut += 1;
            if let Some(span) = open.until(self.end, lane) {
                return Some(span);
            }
        }
        None
    }
}

impl Spans<'_> {
    /// How many events it has read: for slices, and for progress.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.events.index()
    }

    fn apply(&mut self, at: Nanoseconds, event: &Event) -> Option<Span> {
        match *event {
            Event::Lane { .. } => {
                self.open.push(Open {
                    start: at,
                    state: None,
                    call: TextId::default(),
                    line: 0,
                    cell: None,
                });
                None
            }
            Event::Enter { lane, state } => self.enter(at, lane, state),
            Event::Doing { lane, call } => {
                let open = self.open.get_mut(lane.0 as usize)?;
                let before = open.cut(at, lane);
                open.call = call;
                before
            }
            Event::Line { lane, line } => {
                let open = self.open.get_mut(lane.0 as usize)?;
                let before = open.cut(at, lane);
                open.line = line;
                before
            }
            Event::Access { lane, cell, .. } => {
                self.open.get_mut(lane.0 as usize)?.cell = Some(cell);
                None
            }
            _ => None,
        }
    }

    fn enter(&mut self, at: Nanoseconds, lane: LaneId, state: State) -> Option<Span> {
        let open = self.open.get_mut(lane.0 as usize)?;
        let before = open.until(at, lane);
        open.start = at;
        open.cell = None;
        open.state = Some(state);
        if !state.is_end() {
            return before;
        }
        let last = open.until(at, lane);
        open.state = None;
        if before.is_none() {
            return last;
        }
        self.last_of_lane = last;
        before
    }
}

impl Open {
    /// Its span up to here.
    fn until(&self, at: Nanoseconds, lane: LaneId) -> Option<Span> {
        self.state.map(|state| Span {
            start: self.start,
            end: at,
            lane,
            state,
            call: self.call,
            line: self.line,
            cell: self.cell,
        })
    }

    /// Begins anew in the same state, if time has passed; the span up to here.
    fn cut(&mut self, at: Nanoseconds, lane: LaneId) -> Option<Span> {
        let before = self
            .until(at, lane)
            .filter(|before| before.length() > Nanoseconds::ZERO)?;
        self.start = at;
        self.cell = None;
        Some(before)
    }
}

/// Whether every lane is in exactly one state from its making to its end.
///
/// # Errors
/// The lane and the time at which it is in none, in words for developers.
pub fn check_spans(log: &Log) -> Result<(), String> {
    // Until when each lane's spans add up, and whether it has ended.
    let mut reached: Vec<(Nanoseconds, bool)> = log.lanes().map(|(_, made)| (made.at, false)).collect();
    let lane_text = |lane: LaneId| format!("lane {} ({})", lane.0, log.lane_name(lane));
    for span in log.spans() {
        let Some((until, has_ended)) = reached.get_mut(span.lane.0 as usize) else {
            return Err(format!("{} was never made", lane_text(span.lane)));
        };
        if span.start != *until || span.end < span.start || *has_ended {
            let lane = lane_text(span.lane);
            return Err(format!("{lane}: {span:?} does not follow {until}, ended: {has_ended}"));
        }
        *until = span.end;
        *has_ended = span.state.is_end();
    }
    for (lane, (until, has_ended)) in (0..).map(LaneId).zip(reached) {
        if !has_ended && until != log.end() {
            return Err(format!("{} is in no state at {until}", lane_text(lane)));
        }
    }
    if log.clock_went_back() {
        return Err("the clock went back".to_owned());
    }
    Ok(())
}
