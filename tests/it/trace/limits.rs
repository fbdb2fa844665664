//! Ceilings, the recorder that is off, and the hash.

use std::collections::BTreeSet;

use concurrency_playground::machine::program::{Access, CellId};
use concurrency_playground::machine::trace::{
    BlockCause, CounterKind, Instant, LaneId, LaneKind, Limits, Log, Recorder, State, check_spans,
};
use concurrency_playground::machine::{Nanoseconds, Value};

use super::{Stage, Synthetic, synthetic};

const ABOUT: Synthetic = Synthetic {
    n_tasks: 10,
    n_calls: 5_000,
    seed: 1,
    ends_one_in: 20,
};

fn within(limits: Limits) -> (Recorder, Nanoseconds) {
    ABOUT.record(Recorder::within(limits))
}

#[test]
fn a_recorder_that_is_off_only_counts_lanes() {
    let mut recorder = Recorder::off();
    let lane = |recorder: &mut Recorder| {
        recorder.lane(Nanoseconds::ZERO, LaneKind::Task, None, || {
            unreachable!("nobody asks for its name")
        })
    };
    assert_eq!([lane(&mut recorder), lane(&mut recorder)], [LaneId(0), LaneId(1)]);
    recorder.instant(Nanoseconds::ZERO, LaneId(0), Instant::Mark, || {
        unreachable!("nor for a label")
    });
    assert!(!recorder.is_on() && !recorder.wants_stop() && recorder.log().is_none());
    assert!(recorder.finish(Nanoseconds::ZERO).is_none());
}

#[test]
fn a_run_goes_on_past_the_ceiling_and_the_log_says_where() {
    let whole = synthetic(ABOUT);
    let (recorder, now) = within(Limits {
        max_events: 1_000,
        ..Limits::default()
    });
    assert!(!recorder.is_on() && !recorder.wants_stop());
    let log = recorder.finish(now).expect("it was on");
    let truncated = log.truncated().expect("the run was longer");
    assert_eq!((log.n_events(), truncated.index), (1_000, 1_000));
    assert!(log.events().eq(whole.events().take(1_000)));
    let next = whole.events().nth(1_000).expect("the run was longer");
    // What came first after the ceiling was perhaps no change, and so no event.
    assert!(truncated.at <= next.at);
    // The run ended later than the log knows what happened, and the states go on to there.
    assert_eq!(log.end(), whole.end());
    assert_eq!(check_spans(&log), Ok(()));
    assert_eq!((whole.truncated(), whole.end()), (None, now));
}

#[test]
fn the_machine_can_be_asked_to_stop_there() {
    let (recorder, _) = within(Limits {
        max_events: 1_000,
        stops: true,
        ..Limits::default()
    });
    assert!(recorder.wants_stop());
    let (recorder, _) = within(Limits {
        stops: true,
        ..Limits::default()
    });
    assert!(!recorder.wants_stop());
}

#[test]
fn memory_is_a_ceiling_too() {
    let whole = synthetic(ABOUT);
    let (recorder, now) = within(Limits {
        max_bytes: 10_000,
        ..Limits::default()
    });
    let log = recorder.finish(now).expect("it was on");
    assert!(log.truncated().is_some() && log.n_events() > 0);
    // Memory doubles as it is needed.
    assert!(
        log.n_bytes() < 15_000 && whole.n_bytes() > 15_000,
        "{} {}",
        log.n_bytes(),
        whole.n_bytes()
    );
}

#[test]
fn equal_runs_have_equal_hashes_and_others_have_not() {
    let log = synthetic(ABOUT);
    assert_eq!(log.hash(), synthetic(ABOUT).hash());
    assert_eq!(log.hash().to_string().len(), 16);
    let others = [
        Synthetic { seed: 3, ..ABOUT },
        Synthetic {
            n_calls: 5_010,
            ..ABOUT
        },
        Synthetic { n_tasks: 11, ..ABOUT },
    ];
    for other in others {
        assert_ne!(log.hash(), synthetic(other).hash(), "{other:?}");
    }
}

/// The numbers that every build must come to. They change when the canonical form does, and then its head must too.
#[test]
fn hashes_are_what_they_were() {
    assert_eq!(Log::default().hash().to_string(), "40eb3df1e75efed9");
    assert_eq!(synthetic(ABOUT).hash().to_string(), "1d2cd0b36afacf3e");
}

#[test]
fn every_difference_is_in_the_hash() {
    let cell = CellId(1);
    type Change = fn(&mut Recorder, Nanoseconds, LaneId);
    let changes: [Change; 19] = [
        |_, _, _| {},
        |recorder, now, lane| recorder.enter(now, lane, State::Idle),
        |recorder, now, lane| recorder.enter(now, lane, State::Blocked(BlockCause::Lock, None)),
        |recorder, now, lane| recorder.enter(now, lane, State::Blocked(BlockCause::Lock, Some(LaneId(0)))),
        |recorder, now, lane| recorder.enter(now + Nanoseconds(1), lane, State::Idle),
        |recorder, now, lane| recorder.doing(now, lane, "hash"),
        |recorder, now, lane| recorder.doing(now, lane, "parse"),
        |recorder, now, lane| recorder.line(now, lane, 1),
        |recorder, now, lane| recorder.rename(now, lane, || "worker".to_owned()),
        |recorder, now, lane| recorder.wake(now, lane, LaneId(0)),
        |recorder, now, lane| recorder.awaits(now, lane, LaneId(0)),
        |recorder, now, lane| recorder.count(now, lane, CounterKind::Timers, 0),
        |recorder, now, lane| recorder.count(now, lane, CounterKind::Memory, 0),
        |recorder, now, lane| recorder.instant(now, lane, Instant::Mark, || "a".to_owned()),
        |recorder, now, lane| recorder.instant(now, lane, Instant::Mark, || "b".to_owned()),
        |recorder, now, lane| recorder.ready(now, lane, None),
        |recorder, now, lane| recorder.timer(now, lane, Nanoseconds(1), 0, None),
        |recorder, now, lane| recorder.timer_gone(now, lane, 0),
        |recorder, now, lane| {
            recorder.lane(now, LaneKind::Task, Some(lane), || "task".to_owned());
        },
    ];
    let mut hashes = BTreeSet::new();
    for change in changes {
        let mut stage = Stage::new();
        change(&mut stage.recorder, stage.now, stage.thread);
        stage.pass(1);
        hashes.insert(stage.log().hash().to_string());
    }
    assert_eq!(hashes.len(), changes.len());
    let values = [
        Value::Int(1),
        Value::Int(2),
        Value::Handle(1),
        Value::Bool(true),
        Value::Text("1".into()),
    ];
    for value in &values {
        let mut stage = Stage::new();
        let (now, thread) = (stage.now, stage.thread);
        stage.recorder.access(now, thread, cell, &Access::Read(cell), value);
        stage.pass(1);
        hashes.insert(stage.log().hash().to_string());
    }
    assert_eq!(hashes.len(), changes.len() + values.len());
    // The end counts too.
    let mut stage = Stage::new();
    stage.pass(2);
    assert!(hashes.insert(stage.log().hash().to_string()));
}
