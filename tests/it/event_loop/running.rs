//! What `test_base_events.py` and `test_runners.py` check of the loop itself, and what is this loop's own: costs,
//! ceilings, posts, the view of a watcher, determinism.

use concurrency_playground::machine::event_loop::{
    Ceiling, Complaint, EventLoop, LoopCall, LoopCeilings, LoopCosts, LoopSettings, NextWake, Posted, Situation, Stop,
    Until, WaitsFor, WaitsOn, drive,
};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::trace::Recorder;
use concurrency_playground::machine::{Effect, Exception, Input, Kind, Nanoseconds, Note, Program, Value};

use super::{
    Count, GIVE_WAY, Log, cancelled_sleep, done, ended, log_of, millis, run, run_with, seconds, value_error,
    zero_division,
};

fn says(here: &Here, log: &Log, what: &'static str) -> Box<dyn Program> {
    let log = log.clone();
    program(here, move |here| async move {
        log.at(&here, what).await;
        done()
    })
}

fn nothing(here: &Here) -> Box<dyn Program> {
    program(here, |_| async { done() })
}

#[test]
fn callbacks_come_at_their_time() {
    let log = log_of(|here, log| async move {
        here.call_later(seconds(2), says(&here, &log, "later")).await?;
        here.call_at(seconds(1), says(&here, &log, "at")).await?;
        here.call_at(seconds(0), says(&here, &log, "past")).await?;
        here.call_soon(says(&here, &log, "soon")).await?;
        here.sleep(seconds(3)).await
    });
    assert_eq!(log, ["soon @0", "past @0", "at @1", "later @2"]);
}

#[test]
fn a_cancelled_callback_is_never_called_however_near() {
    let log = log_of(|here, log| async move {
        let soon = here.call_soon(says(&here, &log, "soon")).await?;
        let later = here.call_later(millis(1), says(&here, &log, "later")).await?;
        // It is moved behind what is ready, and cancelled by it.
        let due = here.call_later(GIVE_WAY, says(&here, &log, "due")).await?;
        let cancel = program(
            &here,
            move |here| async move { here.ask(LoopCall::CancelHandle(due)).await },
        );
        here.call_soon(cancel).await?;
        here.cancel_handle(soon).await?;
        here.cancel_handle(later).await?;
        assert!(here.ask(LoopCall::HandleCancelled(later)).await?.is_true());
        here.sleep(seconds(1)).await?;
        assert!(here.ask(LoopCall::HandleCancelled(later)).await?.is_true());
        done()
    });
    assert!(log.is_empty(), "{log:?}");
}

async fn set(here: &Here, delay: Nanoseconds, n: u32, cancels: bool) -> Result<(), Exception> {
    for _ in 0..n {
        let handle = here.call_later(delay, nothing(here)).await?;
        if cancels {
            here.cancel_handle(handle).await?;
        }
    }
    Ok(())
}

/// Few cancelled timers stay in the heap, those at its head and too many do not; and none delays the end.
#[test]
fn cancelled_timers_are_taken_out_when_they_are_many() {
    let few = run(|here, _| async move {
        set(&here, seconds(3000), 1, false).await?;
        set(&here, seconds(3600), 2, true).await?;
        set(&here, seconds(100), 2, true).await?;
        here.sleep(seconds(1)).await
    });
    few.value();
    assert_eq!(few.event_loop.n_timers(), 3);
    let many = run(|here, _| async move {
        set(&here, seconds(3600), 49, false).await?;
        set(&here, seconds(3600), 60, true).await?;
        here.sleep(seconds(1)).await
    });
    many.value();
    assert_eq!((many.event_loop.n_timers(), many.now), (49, seconds(1)));
}

#[test]
fn an_exception_of_a_callback_is_complained_of_and_ends_nothing() {
    let ran = run(|here, _| async move {
        here.call_soon(program(&here, |_| async { Err(value_error()) })).await?;
        here.sleep(seconds(1)).await
    });
    ran.value();
    assert!(
        matches!(ran.complaints(), [Complaint::Callback(_)]),
        "{:?}",
        ran.complaints()
    );
}

#[test]
fn only_a_task_awaits() {
    let ran = run(|here, _| async move {
        here.call_soon(program(&here, |here| async move { here.sleep(seconds(1)).await }))
            .await?;
        here.sleep(GIVE_WAY).await
    });
    ran.value();
    match ran.complaints() {
        [Complaint::Callback(raised)] => assert_eq!(raised.kind(), Kind::RuntimeError),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_run_ends_as_its_main_program_does() {
    assert_eq!(run(|_, _| async { Ok(Value::Int(42)) }).value(), Value::Int(42));
    let raised = run(|_, _| async { Err(value_error()) }).raised();
    assert_eq!(raised.message(), "ValueError");
    let cancelled = run(|here, _| async move {
        let me = here.current_task().await?;
        here.cancel(me, None).await?;
        here.sleep(seconds(1)).await
    });
    assert!(cancelled.raised().is_cancelled());
}

#[test]
fn what_is_left_is_cancelled_and_its_errors_complained_of() {
    let ran = run(|here, log| async move {
        here.spawn(|here| async move {
            cancelled_sleep(&here).await;
            Err(zero_division())
        })
        .await?;
        let cleaning = log.clone();
        here.spawn(move |here| async move {
            let cancelled = cancelled_sleep(&here).await;
            here.sleep(seconds(2)).await?;
            cleaning.at(&here, "cleaned up").await;
            Err(cancelled)
        })
        .await?;
        here.sleep(seconds(1)).await?;
        Ok(Value::Int(123))
    });
    assert_eq!(ran.value(), Value::Int(123));
    assert_eq!(ran.log, ["cleaned up @3"]);
    assert!(
        matches!(ran.complaints(), [Complaint::Shutdown(..)]),
        "{:?}",
        ran.complaints()
    );
}

#[test]
fn the_loops_own_work_may_cost_something() {
    let settings = LoopSettings {
        costs: LoopCosts {
            iteration: Nanoseconds(1),
            callback: Nanoseconds(10),
            task: Nanoseconds(100),
            timer: Nanoseconds(1_000),
        },
        ..LoopSettings::default()
    };
    let ran = run_with(settings, |here, log| async move {
        // Main was made, and an iteration began with its first step.
        log.say(here.time().await?.0);
        let task = here.spawn(|_| async { done() }).await?;
        log.say(here.time().await?.0);
        here.join(task).await?;
        // Two more iterations: the task's step, and this one's.
        log.say(here.time().await?.0);
        done()
    });
    ran.value();
    assert_eq!(ran.log, ["111", "211", "233"]);
}

fn ceilings(tasks: u32, futures: u32, timers: u32, objects: u32) -> LoopSettings {
    LoopSettings {
        ceilings: LoopCeilings {
            tasks,
            futures,
            timers,
            objects,
            depth: 10,
        },
        ..LoopSettings::default()
    }
}

#[test]
fn a_run_that_holds_too_much_is_given_up() {
    let tasks = run_with(ceilings(100, 1_000, 1_000, 1_000), |here, _| async move {
        loop {
            here.spawn(|here| async move { here.sleep(seconds(1)).await }).await?;
        }
    });
    assert!(matches!(tasks.stop, Stop::Exceeded(Ceiling::Tasks)), "{:?}", tasks.stop);
    let futures = run_with(ceilings(1_000, 100, 1_000, 1_000), |here, _| async move {
        loop {
            here.create_future().await?;
        }
    });
    assert!(
        matches!(futures.stop, Stop::Exceeded(Ceiling::Futures)),
        "{:?}",
        futures.stop
    );
    let timers = run_with(ceilings(1_000, 1_000, 100, 1_000), |here, _| async move {
        loop {
            here.call_later(seconds(1), nothing(&here)).await?;
        }
    });
    assert!(
        matches!(timers.stop, Stop::Exceeded(Ceiling::Timers)),
        "{:?}",
        timers.stop
    );
    let objects = run_with(ceilings(1_000, 1_000, 1_000, 100), |here, _| async move {
        loop {
            here.new_lock().await?;
        }
    });
    assert!(
        matches!(objects.stop, Stop::Exceeded(Ceiling::Objects)),
        "{:?}",
        objects.stop
    );
}

#[test]
fn a_run_that_never_ends_is_stopped_by_its_budget() {
    for gives_way in [true, false] {
        let here = Here::new();
        let main = program(&here, move |here| async move {
            loop {
                if gives_way {
                    here.sleep(GIVE_WAY).await?;
                } else {
                    here.time().await?;
                }
            }
        });
        let driven = drive(LoopSettings::default(), main, 50_000, &mut Recorder::off());
        assert!(matches!(driven.stop, Stop::OutOfSteps), "{:?}", driven.stop);
    }
}

/// Turns until the loop needs something else than another turn.
fn turn(event_loop: &mut EventLoop, now: Nanoseconds) -> NextWake {
    loop {
        match event_loop.turn(now, &mut Recorder::off()) {
            NextWake::Now => {}
            other => return other,
        }
    }
}

#[test]
fn the_worked_example_of_turns() {
    let here = Here::new();
    let mut event_loop = EventLoop::new(LoopSettings::default());
    assert!(
        matches!(turn(&mut event_loop, Nanoseconds::ZERO), NextWake::WhenPosted),
        "nothing was started"
    );
    event_loop.start(program(&here, |here| async move { here.sleep(seconds(1)).await }));
    assert!(matches!(turn(&mut event_loop, Nanoseconds::ZERO), NextWake::At(when) if when == seconds(1)));
    assert!(matches!(
        turn(&mut event_loop, seconds(1)),
        NextWake::Ended(Ok(Value::None))
    ));
    assert!(
        matches!(turn(&mut event_loop, seconds(2)), NextWake::Ended(Ok(Value::None))),
        "it stays ended"
    );
}

#[test]
fn other_threads_settle_call_cancel_and_start() {
    let here = Here::new();
    let (log, count) = (Log::default(), Count::default());
    let mut event_loop = EventLoop::new(LoopSettings::default());
    let says = log.clone();
    event_loop.start(program(&here, |here| async move {
        let answer = here.ask(LoopCall::CreateFuture(WaitsFor::Thread)).await?.try_into()?;
        says.say(format!("{:?}", here.join(answer).await));
        says.say(ended(&here.sleep(seconds(100)).await));
        done()
    }));
    assert!(matches!(turn(&mut event_loop, Nanoseconds::ZERO), NextWake::WhenPosted));
    assert!(event_loop.expects_posts());
    let [main] = event_loop.tasks()[..] else {
        panic!("only main is there")
    };
    let Some(Situation::Waiting(why)) = event_loop.situation(main) else {
        panic!("main waits")
    };
    let WaitsOn::Thread(answer) = why.on else {
        panic!("{why:?}")
    };
    event_loop.post(Posted::Settle(answer, Ok(Value::Int(7))));
    assert!(matches!(turn(&mut event_loop, seconds(1)), NextWake::At(_)));
    assert!(!event_loop.expects_posts());
    let (called, started) = (count.clone(), count.clone());
    event_loop.post(Posted::Call(program(&here, move |_| async move {
        called.add(1);
        done()
    })));
    let task = program(&here, move |_| async move {
        started.add(10);
        done()
    });
    event_loop.post(Posted::Start(task, None));
    event_loop.post(Posted::Cancel(main, None));
    assert!(matches!(turn(&mut event_loop, seconds(2)), NextWake::Ended(Ok(_))));
    assert_eq!(count.get(), 11);
    assert_eq!(log.lines(), ["Ok(Int(7))", "Cancelled"]);
}

#[test]
fn a_call_that_is_not_wanted_any_more_is_taken_back() {
    let here = Here::new();
    let mut event_loop = EventLoop::new(LoopSettings::default());
    event_loop.start(program(&here, |here| async move {
        let answer = here.ask(LoopCall::CreateFuture(WaitsFor::Io)).await?.try_into()?;
        here.timeout(seconds(1), here.join(answer)).await
    }));
    assert!(matches!(turn(&mut event_loop, Nanoseconds::ZERO), NextWake::At(_)));
    match turn(&mut event_loop, seconds(1)) {
        NextWake::AfterEffect(Effect::Thread(call)) => assert!(format!("{call:?}").starts_with("TakeBack"), "{call:?}"),
        other => panic!("{other:?}"),
    }
    // The machine says that it was still open: there will be no answer.
    event_loop.answer(Input::Value(Value::Bool(true)));
    let ended = turn(&mut event_loop, seconds(1));
    assert!(matches!(ended, NextWake::Ended(Err(raised)) if raised.kind() == Kind::Timeout));
    assert!(!event_loop.expects_posts());
}

#[test]
fn a_watcher_sees_what_runs_and_since_when() {
    let here = Here::new();
    let mut event_loop = EventLoop::new(LoopSettings::default());
    event_loop.start(program(&here, |here| async move {
        here.sleep(seconds(1)).await?;
        here.note(Note::Doing("requests.get")).await;
        here.note(Note::Line(7)).await;
        here.block(seconds(5)).await;
        done()
    }));
    assert!(matches!(turn(&mut event_loop, Nanoseconds::ZERO), NextWake::At(_)));
    assert!(event_loop.current_step().is_none());
    assert!(matches!(turn(&mut event_loop, seconds(1)), NextWake::AfterEffect(_)));
    let step = event_loop.current_step().expect("it runs");
    assert_eq!(
        (&*step.name, step.since, step.doing, step.line),
        ("Task-1", seconds(1), "requests.get", 7)
    );
    assert_eq!(event_loop.running_task(), step.task);
}

/// A bit of everything, with its log.
fn busy_run(seed: u64) -> (Vec<String>, Nanoseconds, u64) {
    let ran = run(move |here, log| async move {
        let queue = here.new_queue(2).await?;
        let semaphore = here.new_semaphore(2).await?;
        let mut random = seed | 1;
        let mut next = move |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        let mut tasks = Vec::new();
        for n in 0..20_i64 {
            let (log, delay, limit) = (log.clone(), millis(next(50)), millis(1 + next(60)));
            let task = here.spawn(move |here| async move {
                let limited = here
                    .timeout(limit, async {
                        here.semaphore(semaphore, here.sleep(delay)).await?;
                        here.put(queue, n).await
                    })
                    .await;
                log.at(&here, format!("{n} {}", ended(&limited))).await;
                done()
            });
            tasks.push(task.await?);
        }
        let getting = log.clone();
        let consumer = here
            .spawn(move |here| async move {
                loop {
                    let item = here.get(queue).await?;
                    getting.at(&here, format!("{item:?}")).await;
                    here.sleep(millis(3)).await?;
                }
            })
            .await?;
        here.wait(&tasks, Until::AllCompleted, None).await?;
        here.cancel(consumer, None).await?;
        done()
    });
    ran.value();
    (ran.log, ran.now, ran.event_loop.n_effects())
}

proptest::proptest! {
    #[test]
    fn the_same_program_runs_the_same(seed: u64) {
        proptest::prop_assert_eq!(busy_run(seed), busy_run(seed));
    }
}

fn traced(mut recorder: Recorder) -> (Vec<String>, Nanoseconds, u64) {
    let here = Here::new();
    let log = Log::default();
    let says = log.clone();
    let main = program(&here, |here| async move {
        let lock = here.new_lock().await?;
        here.group(async |group| {
            for n in 0..5_u64 {
                let says = says.clone();
                here.spawn_in(group, move |here| async move {
                    here.lock(lock, here.sleep(millis(n))).await?;
                    says.at(&here, n).await;
                    done()
                })
                .await?;
            }
            Ok(Value::None)
        })
        .await
    });
    let driven = drive(LoopSettings::default(), main, 10_000, &mut recorder);
    assert!(matches!(driven.stop, Stop::Ended(Ok(_))));
    (log.lines(), driven.now, driven.event_loop.n_iterations())
}

#[test]
fn a_traced_run_is_the_same_run() {
    assert_eq!(traced(Recorder::off()), traced(Recorder::on()));
}
