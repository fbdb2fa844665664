//! Exports: their form, and that they tell what the log tells. That viewers open them is tested in `tests/viewers`.

use std::collections::BTreeMap;

use concurrency_playground::machine::program::{Access, CellId};
use concurrency_playground::machine::trace::export::{ChromeTrace, Export, SpansCsv};
use concurrency_playground::machine::trace::{BlockCause, CounterKind, Event, Instant, Limits, Log, Recorder, State};
use serde_json::Value;

use super::{Stage, Synthetic, synthetic};

const ABOUT: Synthetic = Synthetic {
    n_tasks: 10,
    n_calls: 3_000,
    seed: 4,
    ends_one_in: 20,
};

fn events(log: &Log) -> Vec<Value> {
    let text = ChromeTrace::new(log).whole();
    let trace: Value = serde_json::from_str(&text).expect("it is JSON");
    trace["traceEvents"].as_array().expect("a list").clone()
}

fn of_phase<'events>(events: &'events [Value], phase: &str) -> Vec<&'events Value> {
    events.iter().filter(|event| event["ph"] == phase).collect()
}

/// Nanoseconds from microseconds with decimals.
fn nanoseconds(value: &Value) -> u64 {
    (value.as_f64().expect("a number") * 1_000.0).round() as u64
}

#[derive(Debug)]
struct Shown<'events> {
    track: (u64, u64),
    name: &'events str,
    category: &'events str,
    start: u64,
    end: u64,
}

/// The spans: each a begin and an end side by side, alike but for their times.
fn shown_spans(events: &[Value]) -> Vec<Shown<'_>> {
    let mut spans = Vec::new();
    for pair in events.windows(2).filter(|pair| pair[0]["ph"] == "B") {
        let [begin, end] = pair else {
            unreachable!("a window of two")
        };
        assert_eq!(end["ph"], "E", "{begin} has no end");
        for key in ["pid", "tid", "name", "cat", "args"] {
            assert_eq!(begin[key], end[key]);
        }
        spans.push(Shown {
            track: (
                begin["pid"].as_u64().expect("a number"),
                begin["tid"].as_u64().expect("a number"),
            ),
            name: begin["name"].as_str().expect("a name"),
            category: begin["cat"].as_str().expect("a text"),
            start: nanoseconds(&begin["ts"]),
            end: nanoseconds(&end["ts"]),
        });
    }
    assert_eq!(spans.len(), of_phase(events, "E").len());
    spans
}

#[test]
fn pieces_make_the_whole() {
    let log = synthetic(ABOUT);
    let mut pieces = String::new();
    let mut n_pieces = 0;
    let mut chrome = ChromeTrace::new(&log);
    while chrome.write(&mut pieces, 1_000) {
        n_pieces += 1;
        // A line more at the most.
        assert!(pieces.len() < (n_pieces + 1) * 1_500, "{n_pieces} {}", pieces.len());
    }
    assert_eq!(pieces, ChromeTrace::new(&log).whole());
    assert!(n_pieces > 50 && !chrome.write(&mut pieces, 1_000));
    let (mut pieces, mut csv) = (String::new(), SpansCsv::new(&log));
    while csv.write(&mut pieces, 1_000) {}
    assert_eq!(pieces, SpansCsv::new(&log).whole());
}

#[test]
fn every_span_is_on_its_lanes_track() {
    let log = synthetic(ABOUT);
    let events = events(&log);
    let mut tracks: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for event in of_phase(&events, "M")
        .iter()
        .filter(|event| event["name"] == "thread_name")
    {
        let name = event["args"]["name"].as_str().expect("a name").to_owned();
        tracks.insert(
            name,
            (
                event["pid"].as_u64().expect("a number"),
                event["tid"].as_u64().expect("a number"),
            ),
        );
    }
    // Every lane, and the loop's turn.
    assert_eq!(tracks.len() as u32, log.n_lanes() + 1);
    let mut expected = Vec::new();
    // A state without length has no place on a track: it would end where its neighbours begin.
    let has_length =
        |span: &concurrency_playground::machine::trace::Span| !span.state.is_end() && span.start < span.end;
    for span in log.spans().filter(has_length) {
        let (pid, tid) = tracks[log.lane_name(span.lane)];
        expected.push((pid, tid, span.start.0, span.end.0, span.state.word()));
    }
    let shown = shown_spans(&events);
    let of_lanes = shown.iter().filter(|span| span.category != "turn");
    let mut seen: Vec<_> = of_lanes
        .map(|span| (span.track.0, span.track.1, span.start, span.end, span.category))
        .collect();
    seen.sort_unstable();
    expected.sort_unstable();
    assert_eq!(seen, expected);
    // On each track they follow each other in the file as in time, the turns too: no order but the file's is needed.
    let mut ends: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for span in &shown {
        let end = ends.entry(span.track).or_default();
        assert!(
            *end <= span.start && span.start <= span.end,
            "{span:?} begins before {end}"
        );
        *end = span.end;
    }
}

#[test]
fn the_loops_turn_is_its_tasks_running() {
    let log = synthetic(ABOUT);
    let events = events(&log);
    let mut turns: BTreeMap<&str, u64> = BTreeMap::new();
    let shown = shown_spans(&events);
    for span in shown.iter().filter(|span| span.category == "turn") {
        *turns.entry(span.name).or_default() += span.end - span.start;
    }
    let mut running: BTreeMap<&str, u64> = BTreeMap::new();
    for span in log.spans().filter(|span| span.state == State::Running) {
        if log.lane_name(span.lane).starts_with("task") {
            *running.entry(log.lane_name(span.lane)).or_default() += span.length().0;
        }
    }
    assert!(!turns.is_empty());
    assert_eq!(turns, running);
}

#[test]
fn of_two_tasks_one_inside_the_other_the_inner_one_has_the_turn() {
    let mut stage = Stage::new();
    let outer = stage.task("outer", State::Running);
    stage.pass(1);
    let inner = stage.task("inner", State::Running);
    stage.pass(2);
    stage.enter(inner, State::Done);
    stage.pass(4);
    stage.enter(outer, State::Done);
    let last = stage.task("last", State::Running);
    stage.pass(8);
    let _ = last;
    let events = events(&stage.log());
    let shown = shown_spans(&events);
    let turns: Vec<_> = shown
        .iter()
        .filter(|span| span.category == "turn")
        .map(|span| (span.name, (span.end - span.start) / 1_000_000))
        .collect();
    assert_eq!(turns, [("outer", 1), ("inner", 2), ("outer", 4), ("last", 8)]);
}

#[test]
fn wakes_are_arrows_counters_counters_and_marks_instants() {
    let log = synthetic(ABOUT);
    let events = events(&log);
    let count = |is: fn(&Event) -> bool| log.events().filter(|happened| is(&happened.event)).count();
    let n_wakes = count(|event| matches!(event, Event::Wake { from, to } if from != to));
    let (starts, finishes) = (of_phase(&events, "s"), of_phase(&events, "f"));
    assert!(n_wakes > 0);
    assert_eq!((starts.len(), finishes.len()), (n_wakes, n_wakes));
    for (start, finish) in starts.iter().zip(&finishes) {
        assert_eq!((&start["id"], &start["ts"]), (&finish["id"], &finish["ts"]));
        assert_ne!(start["tid"], finish["tid"]);
        assert_eq!(finish["bp"], "e");
    }
    let n_counts = count(|event| {
        matches!(
            event,
            Event::Count {
                counter: CounterKind::ReadyQueue,
                ..
            }
        )
    });
    assert_eq!(of_phase(&events, "C").len(), n_counts);
    let instants = of_phase(&events, "i");
    let n_marks = count(|event| {
        matches!(
            event,
            Event::Instant {
                instant: Instant::Mark,
                ..
            }
        )
    });
    assert_eq!(instants.iter().filter(|event| event["name"] == "beat").count(), n_marks);
    let n_ended = log.spans().filter(|span| span.state.is_end()).count();
    assert_eq!(instants.iter().filter(|event| event["cat"] == "end").count(), n_ended);
}

#[test]
fn names_that_are_not_plain_do_no_harm() {
    let mut stage = Stage::new();
    let name = "a \"task\", </script>\n\\ =1+1 \u{2028}";
    let holder = stage.task(name, State::Running);
    let waits = stage.task("=waits", State::Blocked(BlockCause::Lock, Some(holder)));
    stage.recorder.doing(stage.now, waits, "call, \"quoted\"");
    stage.recorder.line(stage.now, waits, 5);
    stage
        .recorder
        .access(stage.now, waits, CellId(3), &Access::Read(CellId(3)), &1.into());
    stage.pass(1);
    let log = stage.log();
    let events = events(&log);
    let span = events
        .iter()
        .find(|event| event["args"]["holder"].is_string())
        .expect("it is blocked");
    assert_eq!(
        span["args"],
        serde_json::json!({ "call": "call, \"quoted\"", "holder": name, "line": 5, "cell": 3 })
    );
    assert_eq!(span["name"], "blocked: lock");
    let csv = SpansCsv::new(&log).whole();
    let row = csv.lines().find(|line| line.contains("'=waits")).expect("a row of it");
    assert_eq!(
        row,
        "0,1000000,5,\"'=waits\",task,3,blocked,lock,4,\"call, \"\"quoted\"\"\",5,3"
    );
}

#[test]
fn the_table_has_a_row_for_each_span() {
    let log = synthetic(ABOUT);
    let csv = SpansCsv::new(&log).whole();
    let mut rows = csv.split_terminator("\r\n");
    let header: Vec<_> = rows.next().expect("a header").split(',').collect();
    assert_eq!(header.len(), 12);
    for (row, span) in rows.by_ref().zip(log.spans()) {
        let fields: Vec<_> = row.split(',').collect();
        assert_eq!(fields.len(), header.len(), "{row}");
        assert_eq!(
            fields[..3],
            [
                span.start.0.to_string(),
                span.end.0.to_string(),
                span.lane.0.to_string()
            ]
        );
        assert_eq!((fields[3], fields[6]), (log.lane_name(span.lane), span.state.word()));
    }
    assert_eq!(csv.matches("\r\n").count(), log.spans().count() + 1);
}

#[test]
fn a_log_that_was_cut_says_so() {
    let (recorder, now) = ABOUT.record(Recorder::within(Limits {
        max_events: 100,
        ..Limits::default()
    }));
    let log = recorder.finish(now).expect("it was on");
    let trace: Value = serde_json::from_str(&ChromeTrace::new(&log).whole()).expect("JSON");
    assert!(trace["otherData"]["truncatedAtUs"].is_string());
    let empty: Value = serde_json::from_str(&ChromeTrace::new(&Log::default()).whole()).expect("JSON");
    assert_eq!(empty["otherData"]["truncatedAtUs"], Value::Null);
}
