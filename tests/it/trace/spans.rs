//! Spans: without gaps, cut where something changes, and added up.

use concurrency_playground::machine::Nanoseconds;
use concurrency_playground::machine::program::{Access, CellId};
use concurrency_playground::machine::trace::{
    Columns, CounterKind, Event, Instant, LaneKind, ReadyCause, Recorder, Span, State, WaitCause, check_spans,
};
use proptest::prelude::*;

use super::{Stage, Synthetic, synthetic};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn the_states_of_every_lane_add_up_to_its_lifetime(
        n_tasks in 1..40_u32, n_calls in 0..5_000_u32, seed in any::<u64>(), ends_one_in in 0..60_u64,
    ) {
        let log = synthetic(Synthetic { n_tasks, n_calls, seed, ends_one_in });
        prop_assert_eq!(check_spans(&log), Ok(()));
        // The same by hand: how long each lane lived, and how long it was in any state.
        let mut lived: Vec<u64> = log.lanes().map(|(_, made)| log.end().since(made.at).0).collect();
        for happened in log.events() {
            if let Event::Enter { lane, state } = happened.event && state.is_end() {
                lived[lane.0 as usize] -= log.end().since(happened.at).0;
            }
        }
        let mut in_states = vec![0; lived.len()];
        for span in log.spans() {
            in_states[span.lane.0 as usize] += span.length().0;
        }
        prop_assert_eq!(in_states, lived);
        // And the clock never went back.
        let times: Vec<_> = log.events().map(|happened| happened.at).collect();
        prop_assert!(times.is_sorted() && !log.clock_went_back());
    }
}

#[test]
fn a_lane_without_a_state_is_told() {
    let mut stage = Stage::new();
    let lane = stage
        .recorder
        .lane(stage.now, LaneKind::Task, None, || "late".to_owned());
    stage.pass(1);
    stage.enter(lane, State::Running);
    let wrong = check_spans(&stage.log()).expect_err("it was in no state for a millisecond");
    assert!(wrong.contains("lane 4 (late)"), "{wrong}");

    let mut stage = Stage::new();
    stage
        .recorder
        .lane(stage.now, LaneKind::Task, None, || "never".to_owned());
    stage.pass(1);
    let wrong = check_spans(&stage.log()).expect_err("it was in no state at all");
    assert!(wrong.contains("lane 4 (never)"), "{wrong}");
}

#[test]
fn a_clock_that_goes_back_is_told() {
    let mut stage = Stage::new();
    stage.pass(2);
    stage.enter(stage.thread, State::Idle);
    stage
        .recorder
        .enter(Nanoseconds::millis(1), stage.thread, State::Running);
    let log = stage.log();
    assert!(log.clock_went_back());
    assert!(check_spans(&log).is_err());
}

#[test]
fn a_call_and_a_line_cut_a_span_where_time_has_passed() {
    let mut stage = Stage::new();
    let task = stage.task("task", State::Ready(ReadyCause::Turn));
    stage.pass(1);
    stage.enter(task, State::Running);
    stage.recorder.doing(stage.now, task, "fetch");
    stage.recorder.line(stage.now, task, 3);
    stage.pass(1);
    stage.recorder.line(stage.now, task, 4);
    stage.recorder.doing(stage.now, task, "hash");
    let cell = CellId(9);
    stage
        .recorder
        .access(stage.now, task, cell, &Access::Read(cell), &1.into());
    stage.pass(1);
    stage.enter(task, State::Waiting(WaitCause::Timer));
    stage.pass(1);
    stage.enter(task, State::Running);
    stage.enter(task, State::Done);
    stage.pass(1);
    let log = stage.log();
    let of_task: Vec<_> = log.spans().filter(|span| span.lane == task).collect();
    let told: Vec<_> = of_task
        .iter()
        .map(
            |Span {
                 start,
                 end,
                 state,
                 call,
                 line,
                 cell,
                 ..
             }| {
                let millis = |time: &Nanoseconds| time.0 / 1_000_000;
                (
                    millis(start),
                    millis(end),
                    state.word(),
                    log.text(*call),
                    *line,
                    cell.is_some(),
                )
            },
        )
        .collect();
    assert_eq!(
        told,
        [
            (0, 1, "ready", "", 0, false),
            (1, 2, "running", "fetch", 3, false),
            (2, 3, "running", "hash", 4, true),
            (3, 4, "waiting", "hash", 4, false),
            (4, 4, "running", "hash", 4, false),
            (4, 4, "done", "hash", 4, false),
        ]
    );
    assert_eq!(check_spans(&log), Ok(()));
}

#[test]
fn columns_hold_everything_and_say_what_is_left_out() {
    let log = synthetic(Synthetic {
        n_tasks: 10,
        n_calls: 20_000,
        seed: 9,
        ends_one_in: 20,
    });
    let columns = Columns::of(&log, u32::MAX);
    assert!(!columns.is_truncated());
    let spans: Vec<_> = log.spans().collect();
    assert_eq!(columns.spans.n_total as usize, spans.len());
    for (place, span) in spans.iter().enumerate() {
        let spans = &columns.spans;
        let row = Span {
            start: spans.start[place],
            end: spans.end[place],
            lane: spans.lane[place],
            state: spans.state[place],
            call: spans.call[place],
            line: spans.line[place],
            cell: spans.cell[place],
        };
        assert_eq!(row, *span);
    }
    let count = |is: fn(&Event) -> bool| log.events().filter(|happened| is(&happened.event)).count();
    let n_wakes = count(|event| matches!(event, Event::Wake { .. }));
    let n_marks = count(|event| {
        matches!(
            event,
            Event::Instant {
                instant: Instant::Mark,
                ..
            }
        )
    });
    let n_counts = count(|event| {
        matches!(
            event,
            Event::Count {
                counter: CounterKind::ReadyQueue,
                ..
            }
        )
    });
    assert!(n_wakes > 0 && n_marks > 0 && n_counts > 0);
    assert_eq!(
        (columns.wakes.to.len(), columns.instants.label.len()),
        (n_wakes, n_marks)
    );
    assert_eq!(columns.counts.value.len(), n_counts);
    let some = Columns::of(&log, 100);
    assert!(some.is_truncated());
    assert_eq!(
        (some.spans.cell.len(), some.spans.n_total),
        (100, columns.spans.n_total)
    );
    assert_eq!(some.spans.start[..], columns.spans.start[..100]);
    assert_eq!(
        (some.wakes.at.len(), some.wakes.n_total as usize),
        (n_wakes.min(100), n_wakes)
    );
}

#[test]
fn an_empty_log_has_none_of_it() {
    let log = Recorder::on().finish(Nanoseconds::ZERO).expect("it is on");
    assert_eq!((log.n_events(), log.spans().count(), check_spans(&log)), (0, 0, Ok(())));
    assert_eq!(Columns::of(&log, 10), Columns::default());
}
