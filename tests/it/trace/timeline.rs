//! Going to any event: forwards, backwards and across, what is seen is the same.

use concurrency_playground::machine::program::{Access, CellId};
use concurrency_playground::machine::trace::{
    BlockCause, CounterKind, Event, Instant, LaneId, LaneKind, Limits, ReadyCause, Recorder, ShownValue, State,
    Timeline, TimerView, WaitCause,
};
use concurrency_playground::machine::{Nanoseconds, Value};

use super::{Stage, Synthetic, shown, synthetic};

/// Runs of different shapes: few lanes, many, many that end.
const SHAPES: [Synthetic; 4] = [
    Synthetic {
        n_tasks: 3,
        n_calls: 20_000,
        seed: 1,
        ends_one_in: 0,
    },
    Synthetic {
        n_tasks: 20,
        n_calls: 30_000,
        seed: 2,
        ends_one_in: 30,
    },
    Synthetic {
        n_tasks: 500,
        n_calls: 30_000,
        seed: 3,
        ends_one_in: 50,
    },
    Synthetic {
        n_tasks: 5,
        n_calls: 30_000,
        seed: 4,
        ends_one_in: 1,
    },
];

#[test]
fn every_way_to_an_event_shows_the_same() {
    for about in SHAPES {
        let log = synthetic(about);
        let n_events = log.n_events();
        // Forwards from the start, never back: no keyframe has a part in it.
        let mut forwards = Timeline::begin(log.clone());
        let places: Vec<u32> = (0..40).map(|place| place * n_events / 39).collect();
        let mut expected = Vec::new();
        for place in &places {
            forwards.go_to(*place);
            expected.push(shown(forwards.view()));
        }
        let mut timeline = Timeline::new(log);
        assert!(
            n_events < 8_192 || timeline.n_keyframe_bytes() > 0,
            "{about:?}: no keyframe was made"
        );
        let check = |timeline: &Timeline, place: usize| {
            let seen = shown(timeline.view());
            assert!(
                seen == expected[place],
                "{about:?} at {}:\n{seen}\n{}",
                places[place],
                expected[place]
            );
        };
        for place in (0..places.len()).rev() {
            timeline.go_to(places[place]);
            check(&timeline, place);
        }
        // Across: 17 and 40 have no common divisor.
        for place in (0..places.len()).map(|step| step * 17 % places.len()) {
            timeline.go_to(places[place]);
            check(&timeline, place);
            // One back and on again; before the first event there is nothing to go back to.
            if places[place] > 0 {
                timeline.step(-1);
                timeline.step(1);
                check(&timeline, place);
            }
        }
    }
}

#[test]
fn each_event_is_one_step() {
    let log = synthetic(SHAPES[1]);
    let all: Vec<_> = log.events().collect();
    assert_eq!(all.len(), log.n_events() as usize);
    let mut timeline = Timeline::begin(log);
    assert_eq!((timeline.index(), timeline.view().event()), (0, None));
    for happened in &all {
        timeline.step(1);
        assert_eq!(timeline.view().event(), Some(happened));
        assert_eq!((timeline.index(), timeline.view().now()), (happened.index, happened.at));
    }
    timeline.step(1);
    assert_eq!(timeline.index() as usize, all.len());
    timeline.step(-3);
    assert_eq!(timeline.view().event(), Some(&all[all.len() - 4]));
    timeline.step(i64::MIN);
    assert_eq!((timeline.index(), timeline.view().n_lanes()), (0, 0));
    timeline.step(i64::MAX);
    assert_eq!(timeline.index() as usize, all.len());
}

#[test]
fn reading_goes_in_slices() {
    let log = synthetic(SHAPES[1]);
    let mut whole = Timeline::new(log.clone());
    let mut sliced = Timeline::begin(log);
    let mut n_slices = 1;
    while !sliced.read_on(1_000) {
        n_slices += 1;
        assert_eq!(sliced.index(), (n_slices - 1) * 1_000);
    }
    assert_eq!(n_slices, sliced.log().n_events().div_ceil(1_000));
    assert_eq!(shown(sliced.view()), shown(whole.view()));
    assert_eq!(sliced.n_keyframe_bytes(), whole.n_keyframe_bytes());
    for timeline in [&mut whole, &mut sliced] {
        timeline.go_to(12_345);
    }
    assert_eq!(shown(sliced.view()), shown(whole.view()));
}

#[test]
fn times_are_found() {
    let log = synthetic(SHAPES[2]);
    let all: Vec<_> = log.events().collect();
    let mut timeline = Timeline::new(log);
    for place in (0..all.len()).step_by(997) {
        let at = all[place].at;
        let last = all
            .iter()
            .rfind(|happened| happened.at <= at)
            .expect("there is that one");
        timeline.go_to_time(at);
        assert_eq!(timeline.index(), last.index);
    }
    timeline.go_to_time(Nanoseconds::MAX);
    assert_eq!(timeline.index() as usize, all.len());
    // Before anything happens nothing is there; at time zero everything is that happened at once.
    timeline.go_to_time(Nanoseconds::ZERO);
    assert!(timeline.index() > 0);
}

#[test]
fn the_next_of_a_kind_is_found() {
    let mut timeline = Timeline::begin(synthetic(SHAPES[1]));
    let is_mark = |event: &Event| {
        matches!(
            event,
            Event::Instant {
                instant: Instant::Mark,
                ..
            }
        )
    };
    let n_marks = timeline
        .log()
        .events()
        .filter(|happened| is_mark(&happened.event))
        .count();
    let mut n_found = 0;
    while timeline.find_next(|happened| is_mark(&happened.event)) {
        assert!(timeline.view().event().is_some_and(|happened| is_mark(&happened.event)));
        n_found += 1;
    }
    assert!(n_marks > 0);
    assert_eq!(n_found, n_marks);
}

#[test]
fn a_told_run_is_seen_as_it_was_told() {
    let mut stage = Stage::new();
    let (event_loop, process) = (stage.event_loop, stage.process);
    let first = stage.task("first", State::Ready(ReadyCause::Turn));
    let second = stage.task("second", State::Waiting(WaitCause::Task));
    let now = stage.now;
    let cell = CellId(7);
    stage.recorder.awaits(now, second, first);
    stage.recorder.ready(now, event_loop, Some(first));
    stage.recorder.ready(now, event_loop, None);
    stage.recorder.timer(now, event_loop, Nanoseconds::millis(9), 1, None);
    stage
        .recorder
        .timer(now, event_loop, Nanoseconds::millis(4), 2, Some(second));
    stage
        .recorder
        .timer(now, event_loop, Nanoseconds::millis(4), 3, Some(first));
    stage.recorder.timer_gone(now, event_loop, 3);
    stage.recorder.run_next(now, event_loop);
    stage.pass(2);
    let now = stage.now;
    stage.enter(first, State::Blocked(BlockCause::Lock, Some(second)));
    stage.recorder.doing(now, first, "hash");
    stage.recorder.line(now, first, 12);
    stage.recorder.count(now, event_loop, CounterKind::ReadyQueue, 1);
    let value: Value = vec![Value::Int(1), Value::None].into();
    stage
        .recorder
        .access(now, first, cell, &Access::Write(cell, value.clone()), &value);
    stage.recorder.wake(now, second, first);
    let timeline = stage.end();
    let view = timeline.view();
    let lane = view.lane(first).expect("it was made");
    assert_eq!(
        (lane.name, lane.kind, lane.parent),
        ("first", LaneKind::Task, Some(event_loop))
    );
    assert_eq!(lane.process, Some(process));
    assert_eq!(lane.state, Some(State::Blocked(BlockCause::Lock, Some(second))));
    assert_eq!((lane.made, lane.since), (Nanoseconds::ZERO, Nanoseconds::millis(2)));
    assert_eq!((lane.doing, lane.line, lane.woken_by), ("hash", Some(12), Some(second)));
    assert_eq!(view.awaited(second), [first]);
    let queues = view.event_loop(event_loop).expect("it has queues");
    assert_eq!(queues.ready().collect::<Vec<_>>(), [None]);
    let timer = |due, number, task| TimerView {
        due: Nanoseconds::millis(due),
        number,
        task,
    };
    assert_eq!(queues.timers(), [timer(4, 2, Some(second)), timer(9, 1, None)]);
    assert_eq!(view.counter(event_loop, CounterKind::ReadyQueue), Some(1));
    let seen = view.cell(Some(process), cell).expect("it was touched");
    let shown = ShownValue::List([ShownValue::Int(1), ShownValue::None].into());
    assert_eq!((seen.value, seen.lane), (shown, first));
    assert!(matches!(view.event().expect("many").event, Event::Wake { from, to } if (from, to) == (second, first)));
}

#[test]
fn a_lane_is_shown_under_its_last_name() {
    let mut stage = Stage::new();
    let task = stage.task("Task-1", State::Running);
    let n_before = stage.recorder.log().expect("it is on").n_events();
    for _ in 0..2 {
        stage.recorder.rename(stage.now, task, || "fetch".to_owned());
    }
    let mut timeline = stage.end();
    assert_eq!(timeline.index(), n_before + 1);
    assert!(matches!(timeline.view().event().expect("many").event, Event::Name { lane, .. } if lane == task));
    timeline.step(-1);
    assert_eq!(timeline.view().lane(task).expect("it was made").name, "fetch");
}

#[test]
fn two_processes_have_two_memories() {
    let mut stage = Stage::new();
    let other = stage.lane(LaneKind::Process, None, "other", State::Running);
    let thread = stage.lane(LaneKind::Thread, Some(other), "there", State::Running);
    for (lane, number) in [(stage.thread, 1), (thread, 2)] {
        let access = Access::Write(CellId(0), Value::Int(number));
        stage
            .recorder
            .access(stage.now, lane, CellId(0), &access, &Value::Int(number));
    }
    let process = stage.process;
    let timeline = stage.end();
    let seen = [process, other].map(|process| timeline.view().cell(Some(process), CellId(0)).expect("written").value);
    assert_eq!(seen, [ShownValue::Int(1), ShownValue::Int(2)]);
}

#[test]
fn what_changes_nothing_is_no_event() {
    let mut stage = Stage::new();
    let task = stage.task("task", State::Running);
    let now = stage.now;
    for _ in 0..2 {
        stage.recorder.doing(now, task, "hash");
        stage.recorder.line(now, task, 3);
        stage.recorder.count(now, task, CounterKind::Memory, 5);
        stage.recorder.enter(now, task, State::Blocked(BlockCause::Queue, None));
    }
    let n_made = stage.recorder.log().expect("it is on").n_events();
    assert_eq!(n_made, 4 * 2 + 2 + 4);
    // These are always events.
    for _ in 0..2 {
        stage.recorder.wake(now, task, task);
        stage.recorder.instant(now, task, Instant::Mark, String::new);
        stage
            .recorder
            .access(now, task, CellId(0), &Access::Read(CellId(0)), &Value::None);
    }
    stage
        .recorder
        .enter(now, task, State::Blocked(BlockCause::Queue, Some(LaneId(0))));
    assert_eq!(stage.log().n_events(), n_made + 7);
}

#[test]
fn keyframes_take_no_more_than_the_log() {
    let many = Synthetic {
        n_tasks: 100_000,
        n_calls: 1_500_000,
        seed: 5,
        ends_one_in: 100,
    };
    for about in SHAPES.into_iter().chain([many]) {
        let timeline = Timeline::new(synthetic(about));
        let (frames, log) = (timeline.n_keyframe_bytes(), timeline.log().n_bytes());
        assert!(frames <= log, "{about:?}: {frames} bytes of keyframes, {log} of log");
    }
}

#[test]
fn ten_million_events_fit_and_are_reached() {
    let about = Synthetic {
        n_tasks: 1_000,
        n_calls: 10_400_000,
        seed: 6,
        ends_one_in: 40,
    };
    let (recorder, now) = about.record(Recorder::within(Limits::default()));
    let log = recorder.finish(now).expect("it was on");
    assert!(log.n_events() >= 10_000_000, "{}", log.n_events());
    assert!(log.n_bytes() < 64 << 20, "{} bytes", log.n_bytes());
    assert_eq!(log.truncated(), None);
    let mut timeline = Timeline::new(log);
    let end = shown(timeline.view());
    timeline.go_to(5_000_000);
    let middle = shown(timeline.view());
    timeline.step(-1);
    timeline.step(1);
    assert_eq!(shown(timeline.view()), middle);
    timeline.go_to(u32::MAX);
    assert_eq!(shown(timeline.view()), end);
}
