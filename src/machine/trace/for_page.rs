//! A log as the page gets it: the types of `wire`, at most so many rows a list.
//!
//! Not here: those types, nor any other use of them.

use std::collections::BTreeMap;

use super::columns::{Columns, CountColumns, InstantColumns, SpanColumns};
use super::log::Log;
use super::packed::{PackedState, STATES};
use super::texts::TextId;
use super::{BlockCause, CounterKind, Instant, LaneKind, ReadyCause, State, WaitCause};
use crate::machine::Nanoseconds;
use crate::wire::{
    Trace, TraceCause, TraceCounter, TraceCounterKind, TraceExtras, TraceInstantKind, TraceInstants, TraceLaneKind,
    TraceLanes, TraceSpans, TraceState, TraceStateKind, TraceTotals, TraceWakes,
};

/// As many rows of a list go to the page as a rule: 200,000. A page draws no more at once, and one that wants to see a
/// part of a longer run asks for that run with fewer steps.
pub const MAX_ROWS: u32 = 200_000;

/// What goes to the page of a log, each list at most this long. Lists that are cut keep their first rows.
#[must_use]
pub fn for_page(log: &Log, max_rows: u32) -> Trace {
    let columns = Columns::of(log, max_rows);
    let mut names = Names::default();
    let (spans, holders, cells) = spans(&columns.spans, log, &mut names);
    Trace {
        end_ns: ns(log.end()),
        cut_at_ns: log.truncated().map(|truncated| ns(truncated.at)),
        truncated: columns.is_truncated() || log.n_lanes() > max_rows || log.truncated().is_some(),
        totals: TraceTotals {
            events: log.n_events(),
            lanes: log.n_lanes(),
            spans: columns.spans.n_total,
            wakes: columns.wakes.n_total,
            instants: columns.instants.n_total,
            counts: columns.counts.n_total,
        },
        lanes: lanes(log, max_rows),
        states: STATES.map(state).to_vec(),
        spans,
        holders,
        cells,
        wakes: TraceWakes {
            index: columns.wakes.index,
            at_ns: columns.wakes.at.iter().copied().map(ns).collect(),
            from: columns.wakes.from.iter().map(|lane| lane.0).collect(),
            to: columns.wakes.to.iter().map(|lane| lane.0).collect(),
        },
        instants: instants(columns.instants, log, &mut names),
        counters: counters(&columns.counts),
        // After all that name something.
        names: names.all,
    }
}

fn ns(time: Nanoseconds) -> f64 {
    time.0 as f64
}

/// The texts that are named, in the order in which they are first.
struct Names {
    all: Vec<String>,
    numbers: BTreeMap<TextId, u32>,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            all: vec![String::new()],
            numbers: BTreeMap::from([(TextId(0), 0)]),
        }
    }
}

impl Names {
    fn number(&mut self, log: &Log, text: TextId) -> u32 {
        *self.numbers.entry(text).or_insert_with(|| {
            self.all.push(log.text(text).to_owned());
            self.all.len() as u32 - 1
        })
    }
}

fn lanes(log: &Log, max_rows: u32) -> TraceLanes {
    let mut lanes = TraceLanes::default();
    for (lane, made) in log.lanes().take(max_rows as usize) {
        lanes.kind.push(kind(made.kind));
        lanes.parent.push(made.parent.unwrap_or(lane).0);
        lanes.name.push(log.lane_name(lane).to_owned());
        lanes.made_ns.push(ns(made.at));
    }
    lanes
}

fn spans(columns: &SpanColumns, log: &Log, names: &mut Names) -> (TraceSpans, TraceExtras, TraceExtras) {
    let (mut holders, mut cells) = (TraceExtras::default(), TraceExtras::default());
    let mut numbers = Vec::with_capacity(columns.state.len());
    for (place, (of_span, cell)) in (0..).zip(columns.state.iter().zip(&columns.cell)) {
        let without_holder = match *of_span {
            State::Blocked(cause, Some(holder)) => {
                holders.span.push(place);
                holders.number.push(holder.0);
                State::Blocked(cause, None)
            }
            other => other,
        };
        numbers.push(u32::from(PackedState::new(without_holder).code()));
        if let Some(cell) = cell {
            cells.span.push(place);
            cells.number.push(cell.0);
        }
    }
    let spans = TraceSpans {
        start_ns: columns.start.iter().copied().map(ns).collect(),
        end_ns: columns.end.iter().copied().map(ns).collect(),
        lane: columns.lane.iter().map(|lane| lane.0).collect(),
        state: numbers,
        call: columns.call.iter().map(|call| names.number(log, *call)).collect(),
        line: columns.line.clone(),
    };
    (spans, holders, cells)
}

fn instants(columns: InstantColumns, log: &Log, names: &mut Names) -> TraceInstants {
    TraceInstants {
        index: columns.index,
        at_ns: columns.at.into_iter().map(ns).collect(),
        lane: columns.lane.iter().map(|lane| lane.0).collect(),
        kind: columns.instant.into_iter().map(instant).collect(),
        label: columns.label.iter().map(|label| names.number(log, *label)).collect(),
    }
}

fn counters(columns: &CountColumns) -> Vec<TraceCounter> {
    let mut series = BTreeMap::new();
    let keys = columns.lane.iter().zip(&columns.counter);
    for ((lane, counter), (at, value)) in keys.zip(columns.at.iter().zip(&columns.value)) {
        let one = series.entry((*lane, *counter)).or_insert_with(|| TraceCounter {
            lane: lane.0,
            counter: counter_kind(*counter),
            at_ns: Vec::new(),
            value: Vec::new(),
        });
        one.at_ns.push(ns(*at));
        one.value.push(*value as f64);
    }
    series.into_values().collect()
}

const fn kind(kind: LaneKind) -> TraceLaneKind {
    match kind {
        LaneKind::Core => TraceLaneKind::Core,
        LaneKind::Process => TraceLaneKind::Process,
        LaneKind::Interpreter => TraceLaneKind::Interpreter,
        LaneKind::Thread => TraceLaneKind::Thread,
        LaneKind::Loop => TraceLaneKind::Loop,
        LaneKind::Task => TraceLaneKind::Task,
    }
}

const fn state(state: State) -> TraceState {
    let (state, cause) = match state {
        State::Running => (TraceStateKind::Running, None),
        State::Ready(ReadyCause::Core) => (TraceStateKind::Ready, Some(TraceCause::Core)),
        State::Ready(ReadyCause::Turn) => (TraceStateKind::Ready, Some(TraceCause::Turn)),
        State::Ready(ReadyCause::InterpreterLock) => (TraceStateKind::Ready, Some(TraceCause::InterpreterLock)),
        State::Waiting(WaitCause::Timer) => (TraceStateKind::Waiting, Some(TraceCause::Timer)),
        State::Waiting(WaitCause::Io) => (TraceStateKind::Waiting, Some(TraceCause::Io)),
        State::Waiting(WaitCause::Task) => (TraceStateKind::Waiting, Some(TraceCause::Task)),
        State::Waiting(WaitCause::Thread) => (TraceStateKind::Waiting, Some(TraceCause::Thread)),
        State::Blocked(BlockCause::Lock, _) => (TraceStateKind::Blocked, Some(TraceCause::Lock)),
        State::Blocked(BlockCause::Semaphore, _) => (TraceStateKind::Blocked, Some(TraceCause::Semaphore)),
        State::Blocked(BlockCause::Condition, _) => (TraceStateKind::Blocked, Some(TraceCause::Condition)),
        State::Blocked(BlockCause::Queue, _) => (TraceStateKind::Blocked, Some(TraceCause::Queue)),
        State::Idle => (TraceStateKind::Idle, None),
        State::Done => (TraceStateKind::Done, None),
        State::Cancelled => (TraceStateKind::Cancelled, None),
        State::Failed => (TraceStateKind::Failed, None),
    };
    TraceState { state, cause }
}

const fn counter_kind(counter: CounterKind) -> TraceCounterKind {
    match counter {
        CounterKind::ReadyQueue => TraceCounterKind::ReadyQueue,
        CounterKind::Timers => TraceCounterKind::Timers,
        CounterKind::PoolQueue => TraceCounterKind::PoolQueue,
        CounterKind::PoolBusy => TraceCounterKind::PoolBusy,
        CounterKind::InFlight => TraceCounterKind::InFlight,
        CounterKind::Memory => TraceCounterKind::Memory,
    }
}

const fn instant(instant: Instant) -> TraceInstantKind {
    match instant {
        Instant::Cancel => TraceInstantKind::Cancel,
        Instant::Timeout => TraceInstantKind::Timeout,
        Instant::Exception => TraceInstantKind::Exception,
        Instant::DropRequest => TraceInstantKind::DropRequest,
        Instant::SlowStep => TraceInstantKind::SlowStep,
        Instant::Mark => TraceInstantKind::Mark,
    }
}
