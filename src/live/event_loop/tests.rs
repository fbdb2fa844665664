//! The program on a clock that moves only when somebody blocks or waits: every time is exact.

use std::cell::Cell;

use super::*;
use crate::machine::Outcome;
use crate::machine::front;
use crate::wire::{Job, WaitsHow};

thread_local! {
    static NOW_MS: Cell<f64> = const { Cell::new(0.0) };
}

const FAKE: Host = Host {
    now_ms: || NOW_MS.get(),
    block_ms: |ms| NOW_MS.set(NOW_MS.get() + ms),
    busy_ms: |ms| NOW_MS.set(NOW_MS.get() + ms),
    ask: |_| panic!("neither heart nor scene asks anybody"),
};

const DEFAULTS: StallJob = StallJob {
    variant: StallVariant::Blocking,
    call_ms: 1500,
    heartbeat_ms: 100,
    timeout_ms: 500,
    slice_ms: 10,
    quiet_ms: 300,
    sabotage: None,
};

fn run(job: StallJob) -> StallSeen {
    NOW_MS.set(1e12);
    match drive(&mut Program::new(job, 1, FAKE)) {
        JobOutcome::Stalled(seen) => seen,
        other => panic!("{other:?}"),
    }
}

/// Drives a program; calls handed over end after exactly their time.
fn drive(program: &mut Program) -> JobOutcome {
    let mut running: Vec<(f64, u32)> = Vec::new();
    for _ in 0..100_000 {
        let turn = program.turn();
        if let Some(outcome) = turn.outcome {
            return outcome;
        }
        for call in turn.calls {
            let (Job::Block { ms } | Job::Busy { ms }) = call.job else {
                panic!("only calls that block and compute are handed over")
            };
            running.push((NOW_MS.get() + f64::from(ms), call.id));
        }
        let wake = turn.wake_after_ms.map_or(f64::INFINITY, |ms| NOW_MS.get() + ms);
        let ended = running.iter().map(|&(end, _)| end).fold(f64::INFINITY, f64::min);
        let next = wake.min(ended);
        assert!(next.is_finite(), "it waits for nothing");
        NOW_MS.set(next);
        running.retain(|&(end, id)| {
            let ended = end <= next;
            if ended {
                program.answered(id, JobOutcome::Blocked { elapsed_ms: 0.0 });
            }
            !ended
        });
    }
    panic!("the program does not end");
}

fn longest_gap(seen: &StallSeen) -> f64 {
    seen.beats_ms
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .fold(0.0, f64::max)
}

#[test]
fn the_worked_example() {
    let seen = run(DEFAULTS);
    assert_eq!(seen.beats_ms, [0.0, 100.0, 200.0, 1800.0, 1900.0, 2000.0]);
    assert_eq!(seen.timeout_at_ms, None);
    assert_eq!((seen.call_started_ms, seen.call_ended_ms), (300.0, Some(1800.0)));
    assert_eq!((seen.main_ended_ms, seen.program_ended_ms), (2100.0, 2100.0));
    let [slow] = seen.slow_steps.as_slice() else {
        panic!("one slow step: {:?}", seen.slow_steps)
    };
    assert_eq!((slow.task.as_str(), slow.call.as_str()), ("fetch_report", "time.sleep"));
    assert_eq!((slow.at_ms, slow.length_ms), (300.0, 1500.0));
}

#[test]
fn to_thread_times_out_and_the_program_ends_with_its_thread() {
    let seen = run(StallJob {
        variant: StallVariant::ToThread,
        ..DEFAULTS
    });
    assert_eq!(longest_gap(&seen), 100.0);
    assert_eq!(seen.timeout_at_ms, Some(800.0));
    assert_eq!(seen.call_ended_ms, None, "nobody waits for it any more");
    assert_eq!((seen.main_ended_ms, seen.program_ended_ms), (1100.0, 1800.0));
    assert!(seen.slow_steps.is_empty());
    assert_eq!(
        seen.beats_ms.last(),
        Some(&1000.0),
        "the heart stops with the main task"
    );
}

#[test]
fn to_thread_that_is_fast_enough() {
    let seen = run(StallJob {
        variant: StallVariant::ToThread,
        call_ms: 250,
        ..DEFAULTS
    });
    assert_eq!((seen.timeout_at_ms, seen.call_ended_ms), (None, Some(550.0)));
    assert_eq!((seen.main_ended_ms, seen.program_ended_ms), (850.0, 850.0));
}

#[test]
fn a_call_with_its_own_timeout_ends_at_once() {
    let seen = run(StallJob {
        variant: StallVariant::OwnTimeout,
        ..DEFAULTS
    });
    assert_eq!((seen.timeout_at_ms, seen.call_ended_ms), (Some(800.0), Some(800.0)));
    assert_eq!((seen.main_ended_ms, seen.program_ended_ms), (1100.0, 1100.0));
    let fast = run(StallJob {
        variant: StallVariant::OwnTimeout,
        call_ms: 500,
        ..DEFAULTS
    });
    assert_eq!((fast.timeout_at_ms, fast.call_ended_ms), (None, Some(800.0)));
}

#[test]
fn slices_let_the_loop_have_its_turn() {
    let seen = run(StallJob {
        variant: StallVariant::Slices,
        slice_ms: 30,
        ..DEFAULTS
    });
    // A beat due at 430 is noticed at 450, when the slice ends. Its timer goes behind the next slice, and the beat
    // itself behind one more, because a finished sleep wakes its task one iteration later: so up to three slices.
    assert_eq!(
        seen.beats_ms.get(..6),
        Some([0.0, 100.0, 200.0, 330.0, 510.0, 690.0].as_slice())
    );
    // Due at 800, noticed at 810, behind the slice that ends at 840.
    assert_eq!((seen.timeout_at_ms, seen.call_ended_ms), (Some(840.0), Some(840.0)));
    assert!(seen.slow_steps.is_empty());
    let whole = run(StallJob {
        variant: StallVariant::Slices,
        timeout_ms: 2000,
        slice_ms: 1000,
        ..DEFAULTS
    });
    assert_eq!(whole.call_ended_ms, Some(1800.0), "the last slice is what is left");
}

#[test]
fn handlers_that_block_and_handlers_that_await() {
    let seen = run(StallJob {
        variant: StallVariant::HandlersBlocking,
        ..DEFAULTS
    });
    assert_eq!((seen.call_started_ms, seen.call_ended_ms), (300.0, Some(1300.0)));
    // The beat at 300 comes between the making of the handlers and their first steps.
    assert_eq!(longest_gap(&seen), 1000.0);
    let names: Vec<_> = seen.slow_steps.iter().map(|step| step.task.as_str()).collect();
    assert_eq!((names.len(), names[0], names[9]), (10, "handler 1", "handler 10"));
    let seen = run(StallJob {
        variant: StallVariant::HandlersAwaiting,
        ..DEFAULTS
    });
    assert_eq!((seen.call_started_ms, seen.call_ended_ms), (300.0, Some(400.0)));
    assert_eq!((longest_gap(&seen), seen.program_ended_ms), (100.0, 700.0));
}

#[test]
fn a_timeout_of_nothing_fires_at_the_first_suspension() {
    let at_once = StallJob {
        timeout_ms: 0,
        ..DEFAULTS
    };
    assert_eq!(
        run(at_once).timeout_at_ms,
        None,
        "a call that never suspends is never cut off"
    );
    let handed = run(StallJob {
        variant: StallVariant::ToThread,
        ..at_once
    });
    assert_eq!((handed.timeout_at_ms, handed.program_ended_ms), (Some(300.0), 1800.0));
    let sliced = run(StallJob {
        variant: StallVariant::Slices,
        ..at_once
    });
    assert_eq!(sliced.timeout_at_ms, Some(310.0));
    let own = run(StallJob {
        variant: StallVariant::OwnTimeout,
        ..at_once
    });
    assert_eq!((own.timeout_at_ms, own.program_ended_ms), (Some(300.0), 600.0));
}

#[test]
fn each_fault_shows() {
    let broken = |variant, fault| {
        run(StallJob {
            variant,
            sabotage: Some(fault),
            ..DEFAULTS
        })
    };
    assert_eq!(
        longest_gap(&broken(StallVariant::Blocking, Sabotage::CallThatDoesNotBlock)),
        100.0
    );
    assert_eq!(
        broken(StallVariant::ToThread, Sabotage::TimeoutThatNeverFires).timeout_at_ms,
        None
    );
    assert_eq!(
        broken(StallVariant::OwnTimeout, Sabotage::TimeoutThatNeverFires).program_ended_ms,
        2100.0
    );
    assert_eq!(
        longest_gap(&broken(StallVariant::ToThread, Sabotage::ToThreadThatBlocks)),
        1600.0
    );
    assert_eq!(
        longest_gap(&broken(StallVariant::Slices, Sabotage::SlicesThatDoNotYield)),
        1600.0
    );
    assert_eq!(
        longest_gap(&broken(StallVariant::HandlersAwaiting, Sabotage::AwaitThatBlocks)),
        1000.0
    );
}

#[test]
#[should_panic(expected = "needs at least one caller")]
fn handing_over_to_nobody_is_a_bug() {
    let _ = Program::new(
        StallJob {
            variant: StallVariant::ToThread,
            ..DEFAULTS
        },
        0,
        FAKE,
    );
}

#[test]
fn computing_on_the_loop_stops_it_and_elsewhere_does_not() {
    let compute = |variant| run(StallJob { variant, ..DEFAULTS });
    let inline = compute(StallVariant::ComputeInline);
    assert_eq!((longest_gap(&inline), inline.timeout_at_ms), (1600.0, None));
    assert_eq!(
        inline.slow_steps.first().map(|step| step.call.as_str()),
        Some("sum_of_squares")
    );
    for variant in [StallVariant::ComputeToThread, StallVariant::ComputeProcesses] {
        let seen = compute(variant);
        assert_eq!(
            (longest_gap(&seen), seen.timeout_at_ms),
            (100.0, Some(800.0)),
            "{variant:?}"
        );
        assert_eq!(
            (seen.main_ended_ms, seen.program_ended_ms),
            (1100.0, 1800.0),
            "{variant:?}"
        );
    }
}

/// A program of a test's own.
fn custom<Body>(callers: u32, body: impl FnOnce(Here) -> Body) -> Program
where
    Body: Future<Output = Outcome> + 'static,
{
    NOW_MS.set(0.0);
    let main = front::program(&Here::new(), body);
    Program::of(main, Seen::Scene(Rc::default(), None), None, callers, FAKE)
}

/// More calls than callers: first in, first out; one whose waiter is gone never starts.
#[test]
fn calls_wait_for_a_free_caller_in_order() {
    let ended: Rc<RefCell<Vec<u64>>> = Rc::default();
    let seen = Rc::clone(&ended);
    let mut program = custom(1, |here| async move {
        let mut tasks = Vec::new();
        for number in 0..3 {
            let seen = Rc::clone(&seen);
            let call = |here: Here| async move {
                let block = |here: Here| async move {
                    here.block(Nanoseconds::millis(number)).await;
                    Ok(Value::None)
                };
                here.to_thread(block).await?;
                seen.borrow_mut().push(number);
                Ok(Value::None)
            };
            tasks.push(here.spawn(call).await?);
        }
        here.sleep(Nanoseconds::ZERO).await?;
        if let Some(second) = tasks.get(1) {
            here.cancel(*second, None).await?;
        }
        here.sleep(Nanoseconds::seconds(1)).await
    });
    let mut handed = Vec::new();
    for _ in 0..20 {
        let turn = program.turn();
        handed.extend(turn.calls.iter().map(|call| call.id));
        if turn.wake_after_ms != Some(0.0) {
            break;
        }
    }
    assert_eq!(handed, [0], "one caller, one call");
    program.answered(0, JobOutcome::Blocked { elapsed_ms: 0.0 });
    let handed: Vec<Job> = program.turn().calls.into_iter().map(|call| call.job).collect();
    assert_eq!(
        handed,
        [Job::Block { ms: 2 }],
        "the second was given up before it began"
    );
    program.answered(1, JobOutcome::Blocked { elapsed_ms: 2.0 });
    assert!(matches!(drive(&mut program), JobOutcome::Played { .. }));
    assert_eq!(*ended.borrow(), [0, 2]);
}

#[test]
fn what_only_the_machine_has_is_refused_in_words() {
    let raised: Rc<RefCell<String>> = Rc::default();
    let kept = Rc::clone(&raised);
    let mut program = custom(0, |here| async move {
        let read = Effect::Access(crate::machine::Access::Read(crate::machine::program::CellId(0)));
        if let Err(exception) = here.perform(read).await {
            *kept.borrow_mut() = exception.message().to_owned();
        }
        Ok(Value::None)
    });
    drive(&mut program);
    assert!(raised.borrow().contains("real clock"), "{}", raised.borrow());
}

#[test]
fn a_scene_prints_with_the_time() {
    NOW_MS.set(5.0);
    let JobOutcome::Played { elapsed_ms, log } = drive(&mut Program::scene(Scene::Await, None, FAKE)) else {
        panic!("a scene is played")
    };
    let lines: Vec<(f64, &str)> = log.iter().map(|line| (line.at_ms, line.text.as_str())).collect();
    assert_eq!(
        lines,
        [(0.0, "before"), (100.0, "tick 1"), (200.0, "tick 2"), (300.0, "after")]
    );
    assert_eq!(elapsed_ms, 300.0);
}

/// Ten jobs of 100 ms and 5 ms: their waits overlap and their computing does not, unless all is gone through in line.
#[test]
fn waits_overlap_and_computing_does_not() {
    let run = |how, sabotage| {
        let job = WaitsJob {
            how,
            jobs: 10,
            wait_ms: 100,
            compute_ms: 5,
            sabotage,
        };
        NOW_MS.set(5.0);
        match drive(&mut Program::waits(job, FAKE)) {
            JobOutcome::Played { elapsed_ms, log } if log.is_empty() => elapsed_ms,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(run(WaitsHow::AtOnce, None), 150.0);
    assert_eq!(run(WaitsHow::OneByOne, None), 1_050.0);
    assert_eq!(run(WaitsHow::Blocking, None), 1_050.0);
    assert_eq!(run(WaitsHow::AtOnce, Some(Sabotage::AwaitThatBlocks)), 1_050.0);
    assert_eq!(run(WaitsHow::AtOnce, Some(Sabotage::CallThatDoesNotBlock)), 0.0);
}
