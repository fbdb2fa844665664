//! A log as columns: one list for each field, as tables and drawings want them.
//!
//! Not here: their form on the wire, nor as text.

use super::event::Event;
use super::log::Log;
use super::texts::TextId;
use super::{CounterKind, Instant, LaneId, State};
use crate::machine::Nanoseconds;
use crate::machine::program::CellId;

/// Spans, a list for each field; see [`super::Span`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpanColumns {
    /// When each began.
    pub start: Vec<Nanoseconds>,
    /// When each ended.
    pub end: Vec<Nanoseconds>,
    /// Whose.
    pub lane: Vec<LaneId>,
    /// Its state, with cause and holder.
    pub state: Vec<State>,
    /// The name of the call.
    pub call: Vec<TextId>,
    /// The line, from 1; 0 for none.
    pub line: Vec<u32>,
    /// The cell touched last.
    pub cell: Vec<Option<CellId>>,
    /// How many there are in all; more than are here where a ceiling was reached.
    pub n_total: u32,
}

/// Wake-ups: which lane made which other go on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WakeColumns {
    /// The index of each.
    pub index: Vec<u32>,
    /// When.
    pub at: Vec<Nanoseconds>,
    /// Who.
    pub from: Vec<LaneId>,
    /// Whom.
    pub to: Vec<LaneId>,
    /// How many there are in all.
    pub n_total: u32,
}

/// Moments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstantColumns {
    /// The index of each.
    pub index: Vec<u32>,
    /// When.
    pub at: Vec<Nanoseconds>,
    /// On which lane.
    pub lane: Vec<LaneId>,
    /// What kind.
    pub instant: Vec<Instant>,
    /// In words.
    pub label: Vec<TextId>,
    /// How many there are in all.
    pub n_total: u32,
}

/// The values of all counters, in the order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CountColumns {
    /// When each value came.
    pub at: Vec<Nanoseconds>,
    /// Whose.
    pub lane: Vec<LaneId>,
    /// Which counter.
    pub counter: Vec<CounterKind>,
    /// The value from then on.
    pub value: Vec<u64>,
    /// How many there are in all.
    pub n_total: u32,
}

/// Everything of a log that is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Spans in the order of their ends.
    pub spans: SpanColumns,
    /// Wake-ups in the order of time.
    pub wakes: WakeColumns,
    /// Moments in the order of time.
    pub instants: InstantColumns,
    /// Counters' values in the order of time.
    pub counts: CountColumns,
}

impl Columns {
    /// The columns of a log, each at most this long: those after that are counted only.
    #[must_use]
    pub fn of(log: &Log, max_rows: u32) -> Self {
        let mut columns = Self::default();
        for span in log.spans() {
            columns.spans.add(&span, max_rows);
        }
        for happened in log.events() {
            match happened.event {
                Event::Wake { from, to } => {
                    let wakes = &mut columns.wakes;
                    if counted(&mut wakes.n_total, max_rows) {
                        wakes.index.push(happened.index);
                        wakes.at.push(happened.at);
                        wakes.from.push(from);
                        wakes.to.push(to);
                    }
                }
                Event::Instant { lane, instant, label } => {
                    let instants = &mut columns.instants;
                    if counted(&mut instants.n_total, max_rows) {
                        instants.index.push(happened.index);
                        instants.at.push(happened.at);
                        instants.lane.push(lane);
                        instants.instant.push(instant);
                        instants.label.push(label);
                    }
                }
                Event::Count { lane, counter, value } => {
                    let counts = &mut columns.counts;
                    if counted(&mut counts.n_total, max_rows) {
                        counts.at.push(happened.at);
                        counts.lane.push(lane);
                        counts.counter.push(counter);
                        counts.value.push(value);
                    }
                }
                _ => {}
            }
        }
        columns
    }

    /// Whether a ceiling was reached anywhere.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        let shown_and_total = [
            (self.spans.start.len(), self.spans.n_total),
            (self.wakes.at.len(), self.wakes.n_total),
            (self.instants.at.len(), self.instants.n_total),
            (self.counts.at.len(), self.counts.n_total),
        ];
        shown_and_total.iter().any(|(shown, total)| *shown < *total as usize)
    }
}

impl SpanColumns {
    fn add(&mut self, span: &super::Span, max_rows: u32) {
        if counted(&mut self.n_total, max_rows) {
            self.start.push(span.start);
            self.end.push(span.end);
            self.lane.push(span.lane);
            self.state.push(span.state);
            self.call.push(span.call);
            self.line.push(span.line);
            self.cell.push(span.cell);
        }
    }
}

/// Counts one more; whether it is within the ceiling.
fn counted(n_total: &mut u32, max_rows: u32) -> bool {
    *n_total += 1;
    *n_total <= max_rows
}
