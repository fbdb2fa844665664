//! A log as the page gets it: every row found again, and what is left out is counted.

use concurrency_playground::machine::trace::{
    CounterKind, Instant, LaneKind, Limits, Log, MAX_ROWS, Recorder, State, check_spans, for_page,
};
use concurrency_playground::wire::{Trace, TraceCause, TraceLaneKind, TraceStateKind};

use super::{Stage, Synthetic, synthetic};

const ABOUT: Synthetic = Synthetic {
    n_tasks: 20,
    n_calls: 20_000,
    seed: 8,
    ends_one_in: 30,
};

fn word<T: serde::Serialize>(word: T) -> String {
    serde_json::to_value(word)
        .expect("plain")
        .as_str()
        .expect("a word")
        .to_owned()
}

fn check_lists(trace: &Trace) {
    let Trace {
        lanes,
        spans,
        holders,
        cells,
        wakes,
        instants,
        ..
    } = trace;
    let n_lanes = lanes.kind.len();
    assert_eq!(
        [lanes.parent.len(), lanes.name.len(), lanes.made_ns.len()],
        [n_lanes; 3]
    );
    let n_spans = spans.start_ns.len();
    let of_spans = [
        spans.end_ns.len(),
        spans.lane.len(),
        spans.state.len(),
        spans.call.len(),
        spans.line.len(),
    ];
    assert_eq!(of_spans, [n_spans; 5]);
    assert_eq!(
        (holders.span.len(), cells.span.len()),
        (holders.number.len(), cells.number.len())
    );
    let n_wakes = wakes.index.len();
    assert_eq!([wakes.at_ns.len(), wakes.from.len(), wakes.to.len()], [n_wakes; 3]);
    let n_instants = instants.index.len();
    let of_instants = [
        instants.at_ns.len(),
        instants.lane.len(),
        instants.kind.len(),
        instants.label.len(),
    ];
    assert_eq!(of_instants, [n_instants; 4]);
    for (place, parent) in lanes.parent.iter().enumerate() {
        assert!(
            *parent as usize <= place,
            "lane {place} comes before its parent {parent}"
        );
    }
    for name in spans.call.iter().chain(&instants.label) {
        assert!((*name as usize) < trace.names.len());
    }
}

fn check_spans_are_the_logs(trace: &Trace, log: &Log) {
    let mut holders = trace.holders.span.iter().zip(&trace.holders.number).peekable();
    let mut cells = trace.cells.span.iter().zip(&trace.cells.number).peekable();
    for (place, span) in log.spans().enumerate().take(trace.spans.start_ns.len()) {
        let spans = &trace.spans;
        assert_eq!(
            (spans.start_ns[place], spans.end_ns[place]),
            (span.start.0 as f64, span.end.0 as f64)
        );
        assert_eq!((spans.lane[place], spans.line[place]), (span.lane.0, span.line));
        assert_eq!(trace.names[spans.call[place] as usize], log.text(span.call));
        let state = trace.states[spans.state[place] as usize];
        assert_eq!(word(state.state), span.state.word());
        assert_eq!(state.cause.map(word).as_deref(), span.state.cause());
        let holder = holders.next_if(|(at, _)| **at as usize == place).map(|(_, lane)| *lane);
        let expected = match span.state {
            State::Blocked(_, holder) => holder.map(|lane| lane.0),
            _ => None,
        };
        assert_eq!(holder, expected);
        let cell = cells.next_if(|(at, _)| **at as usize == place).map(|(_, cell)| *cell);
        assert_eq!(cell, span.cell.map(|cell| cell.0));
    }
    assert!(holders.next().is_none() && cells.next().is_none());
}

#[test]
fn every_row_is_there() {
    let log = synthetic(ABOUT);
    assert_eq!(check_spans(&log), Ok(()));
    let trace = for_page(&log, MAX_ROWS);
    check_lists(&trace);
    check_spans_are_the_logs(&trace, &log);
    assert!(!trace.truncated && trace.cut_at_ns.is_none());
    let totals = trace.totals;
    assert_eq!((totals.events, totals.lanes), (log.n_events(), log.n_lanes()));
    assert_eq!(totals.spans as usize, trace.spans.lane.len());
    assert_eq!(totals.wakes as usize, trace.wakes.to.len());
    assert_eq!(totals.instants as usize, trace.instants.kind.len());
    let n_counts: usize = trace.counters.iter().map(|counter| counter.value.len()).sum();
    assert_eq!(totals.counts as usize, n_counts);
    assert_eq!(trace.end_ns, log.end().0 as f64);
    for (lane, made) in log.lanes() {
        let place = lane.0 as usize;
        assert_eq!(word(trace.lanes.kind[place]), made.kind.word());
        assert_eq!(
            (trace.lanes.name[place].as_str(), trace.lanes.made_ns[place]),
            (log.lane_name(lane), made.at.0 as f64)
        );
        assert_eq!(trace.lanes.parent[place], made.parent.unwrap_or(lane).0);
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let log = synthetic(ABOUT);
    let (whole, part) = (for_page(&log, MAX_ROWS), for_page(&log, 50));
    check_lists(&part);
    check_spans_are_the_logs(&part, &log);
    assert!(part.truncated && part.cut_at_ns.is_none());
    assert_eq!(part.totals, whole.totals);
    assert_eq!(
        (part.spans.lane.len(), part.wakes.to.len(), part.lanes.kind.len()),
        (50, 50, 50)
    );
    let (recorder, now) = ABOUT.record(Recorder::within(Limits {
        max_events: 500,
        ..Limits::default()
    }));
    let cut = for_page(&recorder.finish(now).expect("it was on"), MAX_ROWS);
    assert!(cut.truncated && cut.cut_at_ns.is_some_and(|at| at < cut.end_ns));
}

#[test]
fn counters_are_series_and_labels_names() {
    let mut stage = Stage::new();
    let (process, event_loop) = (stage.process, stage.event_loop);
    for value in [1, 2, 1] {
        stage
            .recorder
            .count(stage.now, event_loop, CounterKind::ReadyQueue, value);
        stage
            .recorder
            .count(stage.now, process, CounterKind::Memory, value * 1_000);
        stage
            .recorder
            .instant(stage.now, event_loop, Instant::SlowStep, || "hash".to_owned());
        stage.pass(1);
    }
    let log = stage.log();
    let trace = for_page(&log, MAX_ROWS);
    let [memory, ready] = &trace.counters[..] else {
        panic!("{:?}", trace.counters)
    };
    assert_eq!((memory.lane, ready.lane), (process.0, event_loop.0));
    assert_eq!(
        (&memory.value[..], &ready.value[..]),
        (&[1e3, 2e3, 1e3][..], &[1.0, 2.0, 1.0][..])
    );
    assert_eq!(ready.at_ns, [0.0, 1e6, 2e6]);
    assert_eq!(
        (trace.names.as_slice(), trace.instants.label.as_slice()),
        (&["".to_owned(), "hash".to_owned()][..], &[1; 3][..])
    );
}

#[test]
fn every_word_has_its_own() {
    let trace = for_page(&Log::default(), MAX_ROWS);
    let states: std::collections::BTreeSet<_> = trace
        .states
        .iter()
        .map(|of| (word(of.state), of.cause.map(word)))
        .collect();
    assert_eq!(states.len(), 16);
    assert!(states.contains(&(word(TraceStateKind::Ready), Some(word(TraceCause::InterpreterLock)))));
    let mut stage = Stage::new();
    stage.lane(LaneKind::Core, None, "core", State::Idle);
    stage.task("task", State::Running);
    let trace = for_page(&stage.log(), MAX_ROWS);
    let kinds = [
        TraceLaneKind::Process,
        TraceLaneKind::Interpreter,
        TraceLaneKind::Thread,
        TraceLaneKind::Loop,
        TraceLaneKind::Core,
        TraceLaneKind::Task,
    ];
    assert_eq!(trace.lanes.kind, kinds);
}
