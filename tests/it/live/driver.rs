//! The heartbeat program on the real clock, driven as a worker drives it: timers, and calls on other threads.

#![allow(clippy::disallowed_methods, reason = "a driver of the real clock is what is tested")]

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use concurrency_playground::live::event_loop::Program;
use concurrency_playground::live::{Host, perform};
use concurrency_playground::wire::{
    BatchHow, BatchJob, BatchSeen, JobOutcome, LogLine, RequestEnd, Scene, SlowRequest, StallJob, StallSeen,
    StallVariant,
};

const SHORT: StallJob = StallJob {
    variant: StallVariant::Blocking,
    call_ms: 300,
    heartbeat_ms: 20,
    timeout_ms: 100,
    slice_ms: 5,
    quiet_ms: 60,
    sabotage: None,
};

fn run(variant: StallVariant) -> StallSeen {
    match drive(Program::new(StallJob { variant, ..SHORT }, 1, Host::native())) {
        JobOutcome::Stalled(seen) => seen,
        other => panic!("{other:?}"),
    }
}

fn play(scene: Scene) -> (f64, Vec<LogLine>) {
    match drive(Program::scene(scene, None, Host::native())) {
        JobOutcome::Played { elapsed_ms, log } => (elapsed_ms, log),
        other => panic!("{other:?}"),
    }
}

fn batch(how: BatchHow, deadline_ms: Option<u32>) -> BatchSeen {
    let request = SlowRequest {
        delay_ms: 40,
        fails: false,
        capacity: 0,
        backlog: 0,
        group: String::new(),
        by_timer: false,
    };
    let job = BatchJob {
        how,
        requests: 9,
        limit: 3,
        deadline_ms,
        failing: 0,
        retries: 0,
        request,
        sabotage: None,
    };
    match drive(Program::batch(job, 3, Host::native())) {
        JobOutcome::Batched(seen) => seen,
        other => panic!("{other:?}"),
    }
}

/// What another thread says when it is done.
enum Answer {
    Call(u32, JobOutcome),
    Request(u32, RequestEnd),
}

fn drive(mut program: Program) -> JobOutcome {
    let (sender, answers) = mpsc::channel();
    loop {
        let turn = program.turn();
        if let Some(outcome) = turn.outcome {
            return outcome;
        }
        for call in turn.calls {
            let sender = sender.clone();
            thread::spawn(move || {
                // A failing send means that the program has ended without this answer; the test sees that.
                let _ = sender.send(Answer::Call(call.id, perform(&call.job, Host::native())));
            });
        }
        for begun in turn.requests {
            let sender = sender.clone();
            thread::spawn(move || {
                let _ = sender.send(Answer::Request(begun.id, Host::native().ask(&begun.request)));
            });
        }
        let limit = turn
            .wake_after_ms
            .map_or(Duration::from_secs(10), |ms| Duration::from_secs_f64(ms / 1e3));
        match answers.recv_timeout(limit) {
            Ok(Answer::Call(id, outcome)) => program.answered(id, outcome),
            // One that was given up is answered all the same; the program knows it no more.
            Ok(Answer::Request(id, end)) => program.request_ended(id, end),
            Err(_) => assert!(turn.wake_after_ms.is_some(), "no answer came within ten seconds"),
        }
    }
}

fn longest_gap(seen: &StallSeen) -> f64 {
    let later = seen.beats_ms.iter().skip(1);
    seen.beats_ms
        .iter()
        .zip(later)
        .map(|(beat, next)| next - beat)
        .fold(0.0, f64::max)
}

#[test]
fn a_blocking_call_stops_the_heart_and_no_timeout_fires() {
    let seen = run(StallVariant::Blocking);
    assert!(longest_gap(&seen) >= 300.0, "{seen:?}");
    assert_eq!(seen.timeout_at_ms, None);
    let slow = seen
        .slow_steps
        .iter()
        .max_by(|a, b| a.length_ms.total_cmp(&b.length_ms))
        .expect("a slow step");
    assert_eq!((slow.task.as_str(), slow.call.as_str()), ("fetch_report", "time.sleep"));
}

#[test]
fn a_call_on_another_thread_times_out_and_goes_on() {
    let seen = run(StallVariant::ToThread);
    let timeout = seen.timeout_at_ms.expect("the timeout fires");
    assert!(timeout - seen.call_started_ms >= 100.0, "{seen:?}");
    assert!(timeout < seen.program_ended_ms, "{seen:?}");
    assert_eq!(seen.call_ended_ms, None);
    assert!(
        seen.program_ended_ms >= seen.call_started_ms + 300.0,
        "the program ends with its thread: {seen:?}"
    );
    assert!(
        seen.beats_ms
            .iter()
            .any(|&beat| beat > seen.call_started_ms && beat < timeout),
        "{seen:?}"
    );
}

#[test]
fn a_call_with_its_own_timeout_is_over_with_it() {
    let seen = run(StallVariant::OwnTimeout);
    assert!(
        seen.timeout_at_ms.is_some() && seen.call_ended_ms == seen.timeout_at_ms,
        "{seen:?}"
    );
    assert!(
        seen.program_ended_ms < seen.call_started_ms + 300.0,
        "nothing is left to wait for: {seen:?}"
    );
}

#[test]
fn slices_and_awaiting_handlers_let_the_heart_beat() {
    let seen = run(StallVariant::Slices);
    let during = |seen: &StallSeen| {
        let end = seen.call_ended_ms.expect("the call is waited for");
        seen.beats_ms
            .iter()
            .filter(|&&beat| beat > seen.call_started_ms && beat < end)
            .count()
    };
    assert!(seen.timeout_at_ms.is_some() && during(&seen) >= 1, "{seen:?}");
    let seen = run(StallVariant::HandlersAwaiting);
    assert!(during(&seen) >= 1, "{seen:?}");
}

#[test]
fn blocking_handlers_run_one_after_another() {
    let seen = run(StallVariant::HandlersBlocking);
    assert!(
        seen.call_ended_ms.expect("handlers end") - seen.call_started_ms >= 1000.0,
        "{seen:?}"
    );
    assert!(seen.slow_steps.len() >= 10, "{seen:?}");
}

#[test]
fn computing_on_the_loop_stops_the_heart_and_elsewhere_does_not() {
    let inline = run(StallVariant::ComputeInline);
    assert!(
        longest_gap(&inline) >= 300.0 && inline.timeout_at_ms.is_none(),
        "{inline:?}"
    );
    for variant in [StallVariant::ComputeToThread, StallVariant::ComputeProcesses] {
        let seen = run(variant);
        assert!(
            seen.timeout_at_ms.is_some() && seen.call_ended_ms.is_none(),
            "{variant:?}: {seen:?}"
        );
        assert!(
            seen.program_ended_ms >= seen.call_started_ms + 300.0,
            "{variant:?}: {seen:?}"
        );
    }
}

#[test]
fn a_batch_takes_its_rounds_and_no_fewer() {
    // Three at a time, or one: three rounds, or nine.
    for (how, least) in [
        (BatchHow::Limited, 120.0),
        (BatchHow::ToThread, 120.0),
        (BatchHow::GatherToThread, 120.0),
        (BatchHow::Tasks, 40.0),
        (BatchHow::OneByOne, 360.0),
        (BatchHow::Blocking, 360.0),
    ] {
        let seen = batch(how, None);
        assert!(seen.ended_ms - seen.started_ms >= least, "{how:?}: {seen:?}");
        assert_eq!(
            (seen.took_ms.len(), seen.tries.len(), seen.failed),
            (9, 9, 0),
            "{how:?}"
        );
        for tried in &seen.tries {
            let in_batch = tried.start_ms >= seen.started_ms && tried.end_ms <= seen.ended_ms;
            assert!(in_batch && tried.end_ms - tried.start_ms >= 40.0, "{how:?}: {tried:?}");
        }
    }
}

#[test]
fn a_deadline_ends_tasks_and_not_threads() {
    let tasks = batch(BatchHow::Tasks, Some(10));
    assert!(tasks.gave_up_ms.is_some_and(|at| at >= 10.0), "{tasks:?}");
    let cancelled = tasks.tries.iter().filter(|tried| tried.end == RequestEnd::Cancelled);
    assert_eq!(cancelled.count() + tasks.took_ms.len(), 9, "{tasks:?}");
    let threads = batch(BatchHow::ToThread, Some(10));
    let gave_up = threads.gave_up_ms.expect("the deadline comes first");
    assert!(threads.ended_ms - threads.started_ms >= 40.0, "{threads:?}");
    // Those that had not begun never do; a busy machine may look at its timers late.
    assert!(threads.tries.len() == 3 || gave_up > 40.0, "{threads:?}");
}

/// The scenes at once, each on a thread of its own: the order of the lines is the loop's, whatever the clock does.
#[test]
fn scenes_print_in_their_order_on_the_real_clock() {
    let scenes = [
        (Scene::CoroutineObject, 100.0, "RuntimeError: awaited twice"),
        (Scene::Await, 300.0, "after"),
        (Scene::NeverSuspends, 0.0, "after task"),
        (Scene::Group, 300.0, "results a b c"),
        (Scene::Timeout, 100.0, "TimeoutError"),
        (Scene::Semaphore, 600.0, "all done, at most 2 inside"),
        (Scene::GatherOrGroup, 300.0, "group: ValueError"),
        (Scene::ExceptionGroup, 100.0, "caught KeyError"),
        (
            Scene::NeverAwaited,
            100.0,
            "RuntimeWarning: coroutine 'save' was never awaited",
        ),
        (Scene::Shield, 300.0, "after payment"),
        (Scene::NestedTimeouts, 200.0, "outer TimeoutError"),
        (Scene::TimersAndReadyQueue, 100.0, "sleeper 3"),
        (Scene::CancelAndCleanUp, 200.0, "cancel again: False"),
    ];
    let playing = scenes.map(|(scene, least, last)| (thread::spawn(move || play(scene)), scene, least, last));
    for (played, scene, least, last) in playing {
        let (elapsed_ms, log) = played.join().expect("a scene plays to its end");
        assert!(elapsed_ms >= least, "{scene:?} ended after {elapsed_ms} ms");
        assert_eq!(
            log.last().map(|line| line.text.as_str()),
            Some(last),
            "{scene:?}: {log:?}"
        );
        assert!(
            log.is_sorted_by(|one, two| one.at_ms <= two.at_ms),
            "{scene:?}: {log:?}"
        );
    }
}
