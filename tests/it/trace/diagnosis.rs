//! Deadlock, livelock, starvation, plain waiting and stalls told apart.

use concurrency_playground::machine::program::{Access, CellId};
use concurrency_playground::machine::trace::{
    BlockCause, Diagnosis, Instant, LaneId, LaneKind, ReadyCause, Starved, State, WaitCause, diagnose, longest_gap,
    stalls,
};
use concurrency_playground::machine::{Nanoseconds, Value};

use super::{Stage, Synthetic, synthetic};

fn blocked_by(holder: LaneId) -> State {
    State::Blocked(BlockCause::Lock, Some(holder))
}

fn found(stage: Stage) -> Diagnosis {
    diagnose(stage.end().view())
}

#[test]
fn a_deadlock_and_those_behind_it() {
    let mut stage = Stage::new();
    stage.enter(stage.thread, State::Waiting(WaitCause::Thread));
    let behind = stage.task("behind", State::Running);
    let [a, b, c] = ["A", "B", "C"].map(|name| stage.task(name, State::Running));
    stage.enter(a, blocked_by(b));
    stage.enter(b, blocked_by(c));
    stage.enter(c, blocked_by(a));
    stage.enter(behind, blocked_by(c));
    let sleeper = stage.task("sleeper", State::Waiting(WaitCause::Timer));
    let held = stage.task("held", State::Running);
    let gone = stage.task("gone", State::Running);
    stage.enter(held, blocked_by(gone));
    stage.enter(gone, State::Done);
    let thread = stage.thread;
    let found = found(stage);
    assert_eq!(found.deadlocks, [vec![a, b, c]]);
    assert_eq!(found.stuck, [behind, held]);
    // Something goes on: whoever is not in or behind the circle may still be woken.
    assert_eq!(found.waiting, [thread, sleeper]);
    assert_eq!(
        (found.never_woken.len(), found.starved.len(), &found.livelock),
        (0, 0, &None)
    );
    assert!(!found.is_well());
}

#[test]
fn nobody_is_left_to_wake_a_waiter() {
    let mut stage = Stage::new();
    stage.enter(stage.thread, State::Waiting(WaitCause::Thread));
    let waits = stage.task("waits", State::Blocked(BlockCause::Condition, None));
    let awaits = stage.task("awaits", State::Waiting(WaitCause::Task));
    stage.recorder.awaits(stage.now, awaits, waits);
    let thread = stage.thread;
    let found = found(stage);
    assert_eq!(found.never_woken, [thread, waits, awaits]);

    // As long as a timer is due, somebody is.
    let mut stage = Stage::new();
    stage.enter(stage.thread, State::Waiting(WaitCause::Thread));
    let waits = stage.task("waits", State::Blocked(BlockCause::Condition, None));
    stage
        .recorder
        .timer(stage.now, stage.event_loop, Nanoseconds::MAX, 0, None);
    let found = diagnose(stage.end().view());
    assert!(found.is_well() && found.waiting.contains(&waits), "{found:?}");
}

/// Two threads that take turns; a third is ready all the time, from after the first of their turns.
fn three_threads(n_turns: u32) -> (Stage, LaneId, [LaneId; 2]) {
    let mut stage = Stage::new();
    stage.enter(stage.thread, State::Done);
    let pair = ["A", "B"].map(|name| stage.another_thread(name, State::Ready(ReadyCause::InterpreterLock)));
    let mut third = None;
    for turn in 0..n_turns {
        let runs = pair[turn as usize % 2];
        stage.enter(runs, State::Running);
        stage.pass(5);
        stage.recorder.instant(stage.now, runs, Instant::Mark, String::new);
        stage.enter(runs, State::Ready(ReadyCause::InterpreterLock));
        third.get_or_insert_with(|| stage.another_thread("C", State::Ready(ReadyCause::InterpreterLock)));
    }
    (stage, third.expect("there was a turn"), pair)
}

#[test]
fn starvation_is_being_passed_over_again_and_again() {
    let (stage, third, [_, second]) = three_threads(40);
    let starved = Starved {
        lane: third,
        cause: ReadyCause::InterpreterLock,
        since: Nanoseconds::millis(5),
        by: second,
        n_times: 20,
    };
    let seen = found(stage);
    assert_eq!(seen.starved, [starved]);
    assert_eq!(seen.waiting.len(), 2);
    // Fifteen turns each are not sixteen.
    let (stage, ..) = three_threads(31);
    assert!(found(stage).is_well());
}

#[test]
fn other_peoples_turns_starve_nobody() {
    let mut stage = Stage::new();
    let waits = stage.another_thread("waits", State::Ready(ReadyCause::InterpreterLock));
    // Another interpreter is busy, and so are this one's tasks: neither is what the thread waits for.
    let interpreter = stage.lane(LaneKind::Interpreter, Some(stage.process), "second", State::Running);
    let busy = stage.lane(LaneKind::Thread, Some(interpreter), "busy", State::Running);
    let task = stage.task("task", State::Running);
    for _ in 0..100 {
        for lane in [busy, task] {
            stage.enter(lane, State::Ready(ReadyCause::Core));
            stage.pass(1);
            stage.enter(lane, State::Running);
        }
    }
    let found = found(stage);
    assert!(found.starved.is_empty(), "{found:?}");
    assert_eq!(found.waiting, [waits]);
}

/// Two polite threads: each takes a cell, sees the other's, and gives its own back.
fn politeness(n_rounds: u32, gets_on: bool) -> Stage {
    let mut stage = Stage::new();
    let pair = ["A", "B"].map(|name| stage.another_thread(name, State::Running));
    for _ in 0..n_rounds {
        for lane in pair {
            for (cell, number) in [(0, 1), (1, 1), (0, 0)] {
                let cell = CellId(cell);
                let value = Value::Int(number);
                stage
                    .recorder
                    .access(stage.now, lane, cell, &Access::Write(cell, value.clone()), &value);
                stage.pass(1);
            }
            if gets_on {
                stage
                    .recorder
                    .instant(stage.now, lane, Instant::Mark, || "one done".to_owned());
            }
        }
    }
    stage
}

#[test]
fn a_livelock_goes_round_without_getting_on() {
    let seen = found(politeness(50, false));
    let livelock = seen.livelock.as_ref().expect("they never get on");
    assert_eq!((livelock.n_events, livelock.lanes.len()), (6, 2));
    assert!((49..=50).contains(&livelock.n_rounds), "{livelock:?}");
    assert!(livelock.since < Nanoseconds::millis(7) && !seen.is_well());
    // Those that get on, and those that have only begun, are none.
    assert!(found(politeness(50, true)).is_well());
    assert!(found(politeness(5, false)).is_well());
}

#[test]
fn heartbeats_are_no_livelock() {
    let mut stage = Stage::new();
    let pair = ["A", "B"].map(|name| stage.another_thread(name, State::Running));
    for _ in 0..500 {
        for lane in pair {
            stage.enter(lane, State::Waiting(WaitCause::Timer));
            stage.pass(1);
            stage.enter(lane, State::Running);
        }
    }
    assert!(found(stage).is_well());
}

#[test]
fn a_busy_run_is_well() {
    for seed in 1..20 {
        let about = Synthetic {
            n_tasks: 12,
            n_calls: 4_000,
            seed,
            ends_one_in: 25,
        };
        let mut timeline = concurrency_playground::machine::trace::Timeline::new(synthetic(about));
        for _ in 0..10 {
            let found = diagnose(timeline.view());
            assert!(
                found.deadlocks.is_empty() && found.livelock.is_none() && found.starved.is_empty(),
                "{found:?}"
            );
            timeline.step(-333);
        }
    }
}

/// A loop with a heartbeat and a task that blocks in the middle of its step.
fn blocking(length: u64, others: bool) -> Stage {
    let mut stage = Stage::new();
    let event_loop = stage.event_loop;
    let handler = stage.task("handler", State::Ready(ReadyCause::Turn));
    stage.recorder.ready(stage.now, event_loop, Some(handler));
    if others {
        let beat = stage.task("beat", State::Waiting(WaitCause::Timer));
        stage
            .recorder
            .timer(stage.now, event_loop, Nanoseconds::millis(10), 0, Some(beat));
    }
    stage.recorder.run_next(stage.now, event_loop);
    stage.enter(handler, State::Running);
    stage.recorder.doing(stage.now, handler, "parse");
    stage.recorder.line(stage.now, handler, 7);
    stage.pass(2);
    stage.recorder.line(stage.now, handler, 8);
    stage.recorder.doing(stage.now, handler, "time.sleep");
    stage.enter(stage.thread, State::Waiting(WaitCause::Timer));
    stage.pass(length);
    stage.enter(stage.thread, State::Running);
    stage.recorder.doing(stage.now, handler, "render");
    stage.recorder.line(stage.now, handler, 9);
    stage.pass(1);
    stage.enter(handler, State::Done);
    stage.enter(event_loop, State::Waiting(WaitCause::Timer));
    stage.pass(500);
    stage
}

#[test]
fn a_stall_names_task_call_line_and_length() {
    let log = blocking(100, true).log();
    let found = stalls(&log, Nanoseconds::millis(50));
    let [stall] = found[..] else { panic!("{found:?}") };
    assert_eq!(stall.task.map(|task| log.lane_name(task)), Some("handler"));
    assert_eq!((log.text(stall.call), stall.line), ("time.sleep", 8));
    assert_eq!(
        (stall.start, stall.length),
        (Nanoseconds::ZERO, Nanoseconds::millis(103))
    );
    assert_eq!((stall.n_waiting, log.lane_name(stall.event_loop)), (1, "loop"));
    // Shorter than asked, or nobody there who waits: no stall.
    assert!(stalls(&log, Nanoseconds::millis(104)).is_empty());
    assert!(stalls(&blocking(100, false).log(), Nanoseconds::millis(50)).is_empty());
    // The heartbeat is not due yet, and what waits after the step is no step.
    assert!(stalls(&blocking(5, true).log(), Nanoseconds::millis(1)).is_empty());
}

#[test]
fn a_callback_of_no_task_can_stall_too() {
    let mut stage = Stage::new();
    let event_loop = stage.event_loop;
    let waits = stage.task("waits", State::Ready(ReadyCause::Turn));
    stage.recorder.ready(stage.now, event_loop, None);
    stage.recorder.ready(stage.now, event_loop, Some(waits));
    stage.recorder.run_next(stage.now, event_loop);
    stage.pass(60);
    stage.recorder.run_next(stage.now, event_loop);
    stage.enter(waits, State::Running);
    let found = stalls(&stage.log(), Nanoseconds::millis(50));
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].task, found[0].n_waiting, found[0].length),
        (None, 1, Nanoseconds::millis(60))
    );
}

#[test]
fn the_longest_gap_is_from_beat_to_beat() {
    let mut stage = Stage::new();
    let beat = stage.task("beat", State::Waiting(WaitCause::Timer));
    for gap in [100, 100, 1_050, 100, 1_050] {
        stage.enter(beat, State::Running);
        stage.enter(beat, State::Waiting(WaitCause::Timer));
        stage.pass(gap);
    }
    stage.enter(beat, State::Running);
    let thread = stage.thread;
    let log = stage.log();
    let gap = longest_gap(&log, beat).expect("it beat");
    assert_eq!(
        (gap.from, gap.to),
        (Nanoseconds::millis(200), Nanoseconds::millis(1_250))
    );
    assert_eq!(gap.length(), Nanoseconds::millis(1_050));
    assert_eq!(longest_gap(&log, thread), None);
}
