//! A log in Chrome's Trace Event Format (JSON), which Perfetto (<https://ui.perfetto.dev>) and speedscope
//! (<https://www.speedscope.app>) open.
//!
//! A process is a process; its interpreters, threads, loops and tasks are its tracks, in the order of their making, with
//! each state from a begin to an end event. Cores are a process of their own. A loop has a second track, its *turn*, that shows
//! which task it runs. Wake-ups are flow arrows, marks and endings are instants, counters are counters. Times are
//! microseconds with the nanoseconds behind the point.
//!
//! Format: "Trace Event Format" by the Chromium project. Begin and end stand together, with the same name and arguments:
//! both viewers order by time alone and leave the rest as it is in the file, so this gives a span without length its
//! place too. Not here: complete events; their ends are sums, which are off by a rounding from the next one's start, and
//! speedscope then takes one for the other.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Export;
use super::track::{Arguments, CORES, Track, micros};
use crate::machine::Nanoseconds;
use crate::machine::trace::event::Event;
use crate::machine::trace::log::{Events, Happened, Log};
use crate::machine::trace::spans::{Span, Spans};
use crate::machine::trace::{LaneId, LaneKind, State};

/// Writes a log as a trace.
#[derive(Debug)]
pub struct ChromeTrace<'log> {
    log: &'log Log,
    stage: Stage<'log>,
    /// The tasks that each loop runs, innermost last, and since when that one.
    turns: BTreeMap<LaneId, (Vec<LaneId>, Nanoseconds)>,
    n_flows: u32,
}

#[derive(Debug)]
enum Stage<'log> {
    Lanes(u32),
    Spans(Box<Spans<'log>>),
    /// After the spans, because an arrow needs the spans at its ends.
    Events(Box<Events<'log>>),
    Tail,
    Written,
}

impl<'log> ChromeTrace<'log> {
    /// A writer that has written nothing yet.
    #[must_use]
    pub fn new(log: &'log Log) -> Self {
        Self {
            log,
            stage: Stage::Lanes(0),
            turns: BTreeMap::new(),
            n_flows: 0,
        }
    }

    /// Where a lane is shown.
    fn track(&self, lane: LaneId) -> Track {
        let process = self.log.made(lane).and_then(|made| made.process);
        Track {
            process: process.map_or(CORES, number),
            thread: number(lane),
        }
    }

    /// The second track of a loop.
    fn turn_track(&self, event_loop: LaneId) -> Track {
        Track {
            thread: number(event_loop) + 1,
            ..self.track(event_loop)
        }
    }

    fn lane(&self, out: &mut String, lane: LaneId) {
        let Some(made) = self.log.made(lane) else { return };
        let (track, name) = (self.track(lane), self.log.lane_name(lane));
        if made.kind == LaneKind::Process {
            track.name(out, "process", name);
            track.order(out, "process");
        }
        track.name(out, "thread", name);
        track.order(out, "thread");
        if made.kind == LaneKind::Loop {
            let turn = self.turn_track(lane);
            turn.name(out, "thread", &[name, ": turn"].concat());
            turn.order(out, "thread");
        }
    }

    fn span(&self, out: &mut String, span: &Span) {
        let track = self.track(span.lane);
        if span.state.is_end() {
            track.begin(out, 'i', span.state.word(), "end", span.start);
            out.push_str(",\"s\":\"t\"}");
            return;
        }
        // A viewer that sorts by time cannot tell the ends of a state without length from its neighbours'.
        if span.start == span.end {
            return;
        }
        let call = self.log.text(span.call);
        let name = match (span.state, span.state.cause()) {
            (State::Running, _) if !call.is_empty() => call.to_owned(),
            (state, Some(cause)) => [state.word(), ": ", cause].concat(),
            (state, None) => state.word().to_owned(),
        };
        let mut arguments = Arguments::default();
        if !call.is_empty() && name != call {
            arguments.text("call", call);
        }
        if let State::Blocked(_, Some(holder)) = span.state {
            arguments.text("holder", self.log.lane_name(holder));
        }
        if span.line > 0 {
            arguments.number("line", span.line);
        }
        if let Some(cell) = span.cell {
            arguments.number("cell", cell.0);
        }
        track.span(out, &name, span.state.word(), (span.start, span.end), &arguments);
    }

    fn event(&mut self, out: &mut String, happened: &Happened) {
        let at = happened.at;
        match &happened.event {
            Event::Enter { lane, state } => {
                let made = self.log.made(*lane).filter(|made| made.kind == LaneKind::Task);
                if let Some(event_loop) = made.and_then(|made| made.parent) {
                    self.turn(out, at, event_loop, *lane, *state == State::Running);
                }
            }
            Event::Wake { from, to } if from != to => {
                self.n_flows += 1;
                for (phase, lane, end) in [('s', *from, "}"), ('f', *to, ",\"bp\":\"e\"}")] {
                    self.track(lane).begin(out, phase, "wake", "wake", at);
                    let _ = write!(out, ",\"id\":{}{end}", self.n_flows);
                }
            }
            Event::Count { lane, counter, value } => {
                let name = [counter.word(), " of ", self.log.lane_name(*lane)].concat();
                self.track(*lane).begin(out, 'C', &name, "counter", at);
                let _ = write!(out, ",\"args\":{{\"value\":{value}}}}}");
            }
            Event::Instant { lane, instant, label } => {
                let label = self.log.text(*label);
                let name = if label.is_empty() { instant.word() } else { label };
                self.track(*lane).begin(out, 'i', name, instant.word(), at);
                out.push_str(",\"s\":\"t\"}");
            }
            _ => {}
        }
    }

    /// A task of a loop begins or stops to run. Of two that run one inside the other, the inner one has the turn.
    fn turn(&mut self, out: &mut String, at: Nanoseconds, event_loop: LaneId, task: LaneId, runs: bool) {
        let (mut tasks, since) = self.turns.remove(&event_loop).unwrap_or_default();
        let place = tasks.iter().position(|other| *other == task);
        if place.is_none() && !runs {
            self.turns.insert(event_loop, (tasks, since));
            return;
        }
        self.end_turn(out, at, event_loop, tasks.last(), since);
        if let Some(place) = place {
            tasks.remove(place);
        }
        if runs {
            tasks.push(task);
        }
        self.turns.insert(event_loop, (tasks, at));
    }

    fn end_turn(
        &self,
        out: &mut String,
        at: Nanoseconds,
        event_loop: LaneId,
        task: Option<&LaneId>,
        since: Nanoseconds,
    ) {
        if let Some(task) = task {
            let track = self.turn_track(event_loop);
            track.span(
                out,
                self.log.lane_name(*task),
                "turn",
                (since, at),
                &Arguments::default(),
            );
        }
    }

    fn tail(&self, out: &mut String) {
        let end = self.log.end();
        for (event_loop, (tasks, since)) in &self.turns {
            self.end_turn(out, end, *event_loop, tasks.last(), *since);
        }
        out.push_str("\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"from\":\"Concurrency Playground\"");
        if let Some(truncated) = self.log.truncated() {
            out.push_str(",\"truncatedAtUs\":\"");
            micros(out, truncated.at);
            out.push('"');
        }
        out.push_str("}}\n");
    }

    /// The next step, of a few lines; whether there is another.
    fn step(&mut self, out: &mut String) -> bool {
        match &mut self.stage {
            Stage::Lanes(number) => {
                let lane = LaneId(*number);
                *number += 1;
                if lane.0 == 0 {
                    out.push_str(HEAD);
                }
                if lane.0 < self.log.n_lanes() {
                    self.lane(out, lane);
                } else {
                    self.stage = Stage::Spans(Box::new(self.log.spans()));
                }
            }
            Stage::Spans(spans) => match spans.next() {
                Some(span) => self.span(out, &span),
                None => self.stage = Stage::Events(Box::new(self.log.events())),
            },
            Stage::Events(events) => match events.next() {
                Some(happened) => self.event(out, &happened),
                None => self.stage = Stage::Tail,
            },
            Stage::Tail => {
                self.tail(out);
                self.stage = Stage::Written;
            }
            Stage::Written => return false,
        }
        true
    }
}

impl Export for ChromeTrace<'_> {
    fn write(&mut self, out: &mut String, n_bytes: usize) -> bool {
        let until = out.len().saturating_add(n_bytes);
        while out.len() < until {
            if !self.step(out) {
                return false;
            }
        }
        !matches!(self.stage, Stage::Written)
    }
}

/// A lane's number in the trace: after the cores' 1, and with room for a second track. Viewers order by it.
const fn number(lane: LaneId) -> u32 {
    2 + 2 * lane.0
}

/// The first event is the only one without a comma before it.
const HEAD: &str = "{\"traceEvents\":[\n\
    {\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"cores\"}}";
