//! Event loops on the machine's threads: pools, calls from other threads, the stall detector.

use concurrency_playground::machine::Kind;
use concurrency_playground::machine::event_loop::{Complaint, LoopSettings, Waitable};
use concurrency_playground::machine::front::{Here, program, raise};
use concurrency_playground::machine::threads::{
    Failures, Latency, MachineSettings, NewEndpoint, NewPool, Payload, Pool, Progress, Submit, ThreadId, Work, Workers,
};
use concurrency_playground::machine::trace::check_spans;
use concurrency_playground::machine::{Note, Value};
use concurrency_playground::wire::Runtime;

use super::support::*;

#[test]
fn a_blocking_call_stops_the_whole_loop_and_one_in_a_thread_does_not() {
    for in_thread in [false, true] {
        let log = Log::default();
        let inner = log.clone();
        let machine = loop_ended(ideal(2), |here| async move {
            let beats = inner.clone();
            let beat = here.spawn(|here| async move {
                for _ in 0..4 {
                    here.sleep(ms(100)).await?;
                    beats.say(&here, "beat").await;
                }
                NOTHING
            });
            let beat = beat.await?;
            here.sleep(ms(50)).await?;
            if in_thread {
                here.to_thread(|here| async move {
                    here.block(ms(250)).await;
                    NOTHING
                })
                .await?;
            } else {
                here.block(ms(250)).await;
            }
            inner.say(&here, "called").await;
            here.join(beat).await
        });
        let expected = if in_thread {
            "beat@100 beat@200 called@300 beat@300 beat@400"
        } else {
            "called@300 beat@300 beat@400 beat@500 beat@600"
        };
        assert_eq!(log.timed(), expected);
        let stalls = machine.stalls();
        assert_eq!(stalls.len(), usize::from(!in_thread));
    }
}

/// A task that says what it does, one step of so many parts.
async fn steps(here: Here, parts: u32, each: u64, gives_way: bool) -> Gives<()> {
    for _ in 0..parts {
        here.note(Note::Line(7)).await;
        here.note(Note::Doing("parse()")).await;
        here.compute(ms(each)).await;
        here.note(Note::Line(8)).await;
        here.note(Note::Doing("log()")).await;
        here.compute(ms(1)).await;
        if gives_way {
            here.sleep(ms(0)).await?;
        }
    }
    Ok(())
}

#[test]
fn a_stall_is_told_by_task_call_line_and_length() {
    for (gives_way, n_stalls) in [(false, 1), (true, 0)] {
        let machine = loop_ended(ideal(1), move |here| async move {
            here.sleep(ms(20)).await?;
            let task = here.spawn_named("crunch", move |here| async move {
                steps(here, 5, 60, gives_way).await?;
                NOTHING
            });
            here.join(task.await?).await
        });
        let stalls = machine.stalls();
        // Many short steps are no stall, though together they are as long.
        assert_eq!(stalls.len(), n_stalls);
        for stall in stalls {
            assert_eq!((&*stall.name, stall.call, stall.line), ("crunch", "parse()", 7));
            assert_eq!((stall.start, stall.length), (ms(20), ms(305)));
            assert_eq!(stall.thread, ThreadId(0));
        }
    }
}

#[test]
fn a_step_that_never_ends_is_a_stall_all_the_same() {
    let mut machine = loop_machine(ideal(2), |here| async move {
        let beside = here.start_thread(|here| async move {
            for _ in 0..100 {
                here.block(ms(10)).await;
            }
            NOTHING
        });
        beside.await?;
        let event = here.new_thread_event().await?;
        here.note(Note::Doing("event.wait()")).await;
        here.wait_thread_event(event, None).await?;
        NOTHING
    });
    machine.run(50);
    let before = machine.stalls()[0].length;
    assert!(before >= ms(100), "{before}");
    assert!(matches!(run(&mut machine), Progress::Deadlock(_)));
    assert_eq!(
        (machine.stalls()[0].call, machine.stalls()[0].length),
        ("event.wait()", ms(1000))
    );
}

#[test]
fn call_soon_threadsafe_wakes_the_loop() {
    let log = Log::default();
    let inner = log.clone();
    loop_ended(ideal(2), |here| async move {
        let main = here.current_thread().await?;
        let log = inner.clone();
        here.start_thread(move |here| async move {
            here.block(ms(100)).await;
            let log = log.clone();
            let callback = program(&here, move |here| async move {
                log.say(&here, format!("on thread {}", here.current_thread().await?.0))
                    .await;
                NOTHING
            });
            here.call_soon_threadsafe(main, callback).await?;
            NOTHING
        })
        .await?;
        here.sleep(ms(500)).await?;
        inner.say(&here, "main").await;
        NOTHING
    });
    assert_eq!(log.timed(), "on thread 0@100 main@500");
}

#[test]
fn a_coroutine_is_run_on_the_loop_of_another_thread() {
    ended(ideal(2), |here| async move {
        let on_loop = here
            .start_loop_thread(|here| async move { here.sleep(ms(1000)).await })
            .await?;
        let sum = here.run_threadsafe(on_loop, |here| async move {
            here.sleep(ms(100)).await?;
            Ok(Value::Int(3))
        });
        assert_eq!(here.future_result(sum.await?, None).await?, Value::Int(3));
        assert_eq!(here.now().await, ms(100));
        let failing = here.run_threadsafe(on_loop, |_| async { raise("ValueError") }).await?;
        assert_eq!(kind(here.future_result(failing, None).await), Kind::Own);
        // Cancelling the future cancels the task.
        let ended = List::new();
        let list = ended.clone();
        let long = here.run_threadsafe(on_loop, move |here| async move {
            let slept = here.sleep(ms(5000)).await;
            list.add(kind(slept.clone()));
            slept
        });
        let long = long.await?;
        here.block(ms(50)).await;
        assert!(here.cancel_future(long).await?);
        here.block(ms(1)).await;
        assert_eq!(ended.all(), [Kind::Cancelled]);
        here.join_thread(on_loop, None).await?;
        let closed = here.run_threadsafe(on_loop, |_| async { NOTHING }).await;
        assert_eq!(
            complaint(closed),
            (Kind::RuntimeError, "Event loop is closed".to_owned())
        );
        NOTHING
    });
}

#[test]
fn each_loop_has_a_default_pool_of_its_own() {
    let machine = ended(ideal(2), |here| async move {
        let threads = [
            here.start_loop_thread(|here| async move { here.to_thread(|_| async { NOTHING }).await })
                .await?,
            here.start_loop_thread(|here| async move { here.to_thread(|_| async { NOTHING }).await })
                .await?,
        ];
        join_all(&here, threads.to_vec()).await?;
        NOTHING
    });
    let names: Vec<String> = machine.thread_reports().into_iter().map(|thread| thread.name).collect();
    assert_eq!(names.iter().filter(|name| *name == "asyncio_0").count(), 2, "{names:?}");
}

#[test]
fn run_in_executor_of_processes_computes_beside_the_loop() {
    let log = Log::default();
    let inner = log.clone();
    loop_ended(ideal(4), |here| async move {
        let pool = here.new_pool(NewPool {
            workers: Workers::Processes(Default::default()),
            max_workers: Some(2),
            ..NewPool::default()
        });
        let pool = pool.await?;
        let mut calls = Vec::new();
        for _ in 0..2 {
            let submit = Submit {
                pool: Pool::Of(pool),
                work: Work::One(program(&here, |here| async move {
                    here.compute(ms(100)).await;
                    NOTHING
                })),
                payload: Payload::default(),
                answer_to: None,
            };
            calls.push(here.run_in_executor(submit).await?.into());
        }
        here.sleep(ms(50)).await?;
        inner.say(&here, "beat").await;
        here.gather(calls).await?;
        inner.say(&here, "done").await;
        here.shut_pool_down(pool, true, false).await?;
        NOTHING
    });
    assert_eq!(log.timed(), "beat@50 done@100");
}

/// Computing in a thread of the default pool under the lock costs each beat one interval; without the lock nothing.
#[test]
fn computing_in_a_thread_takes_one_interval_a_beat() {
    for (runtime, gap) in [(Runtime::Gil, 105), (Runtime::FreeThreaded, 100)] {
        let log = Log::default();
        let inner = log.clone();
        loop_ended(with_runtime(2, runtime), |here| async move {
            let compute = here.spawn(|here| async move {
                here.to_thread(|here| async move {
                    here.compute(ms(1500)).await;
                    NOTHING
                })
                .await
            });
            let compute = compute.await?;
            here.sleep(ms(0)).await?;
            for _ in 0..5 {
                inner.say(&here, "beat").await;
                here.sleep(ms(100)).await?;
            }
            here.join(compute).await
        });
        let times = log.times();
        assert!(
            times.windows(2).all(|pair| pair[1] - pair[0] == ms(gap)),
            "{}",
            log.timed()
        );
    }
}

#[test]
fn what_loops_complain_of_outlives_them() {
    let machine = loop_ended(
        MachineSettings {
            event_loops: LoopSettings {
                debug: true,
                ..LoopSettings::default()
            },
            ..ideal(1)
        },
        |here| async move {
            here.compute(ms(150)).await;
            NOTHING
        },
    );
    assert!(
        matches!(machine.loop_complaints(), [Complaint::Slow { .. }]),
        "{:?}",
        machine.loop_complaints()
    );
}

/// Everything that a loop has to do with other threads, in one run.
async fn all_kinds(here: Here) -> Gives<()> {
    let main = here.current_thread().await?;
    let endpoint = here
        .new_endpoint(NewEndpoint {
            latency: Latency::Exponential(ms(5)),
            capacity: Some(2),
            backlog: 3,
            failures: Failures::Share(200),
        })
        .await?;
    let pool = here
        .new_pool(NewPool {
            workers: Workers::Processes(Default::default()),
            max_workers: Some(2),
            ..NewPool::default()
        })
        .await?;
    let other = here.start_thread(move |here| async move {
        for n in 0..5 {
            here.block(ms(3)).await;
            let sum = here.run_threadsafe(main, move |here| async move {
                here.sleep(ms(n)).await?;
                Ok(Value::Int(n as i64))
            });
            here.future_result(sum.await?, None).await?;
        }
        NOTHING
    });
    let other = other.await?;
    let mut tasks = Vec::new();
    for n in 0..12_u64 {
        let task = here.spawn(move |here| async move {
            match n % 3 {
                // Refused or failed it may be, or too late.
                0 => drop(here.request_async(endpoint, Some(ms(8))).await),
                1 => drop(
                    here.timeout(
                        ms(4),
                        here.to_thread(move |here| async move {
                            here.compute(ms(n)).await;
                            NOTHING
                        }),
                    )
                    .await,
                ),
                _ => {
                    let submit = Submit {
                        pool: Pool::Of(pool),
                        work: Work::One(program(&here, |here| async move {
                            here.compute(ms(2)).await;
                            NOTHING
                        })),
                        payload: Payload::default(),
                        answer_to: None,
                    };
                    let call = here.run_in_executor(submit).await?;
                    here.join(call).await?;
                }
            }
            NOTHING
        });
        tasks.push(task.await?.into());
    }
    here.gather(tasks).await?;
    here.sleep(ms(50)).await?;
    here.shut_pool_down(pool, true, false).await?;
    here.join_thread(other, None).await
}

#[test]
fn runs_with_loops_are_traced_without_gaps_and_always_the_same() {
    for runtime in [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded] {
        for seed in 0..10 {
            let settings = MachineSettings {
                runtime,
                seed,
                traced: true,
                ..rough(2)
            };
            let hash = |slice| {
                let mut machine = loop_machine(settings.clone(), |here| async move {
                    all_kinds(here).await?;
                    NOTHING
                });
                while let Progress::Paused = machine.run(slice) {}
                let now = machine.now();
                let log = std::mem::take(machine.recorder_mut())
                    .finish(now)
                    .expect("it is traced");
                assert!(!log.clock_went_back());
                check_spans(&log).expect("the states of every lane follow each other without gaps");
                assert!(matches!(machine.run(1), Progress::Ended(Ok(_))));
                log.hash()
            };
            assert_eq!(hash(11), hash(u64::MAX));
        }
    }
}

/// A loop that sleeps while nothing else happens goes on without much ado where no trace is written; it is the same run.
#[test]
fn untraced_a_loop_waits_as_it_does_traced() {
    for settings in everywhere() {
        for slice in [1, 7, 100_000] {
            let run = |traced| {
                let settings = MachineSettings {
                    traced,
                    ..settings.clone()
                };
                let mut machine = loop_machine(settings, |here| async move {
                    let mut all = Vec::new();
                    for number in 1..6 {
                        let sleeper = move |here: Here| async move {
                            for turn in 0..40 {
                                here.sleep(us(number * 37 + turn % 5)).await?;
                                here.compute(us(1 + turn % 3)).await;
                            }
                            if number % 2 == 0 {
                                let elsewhere = |here: Here| async move {
                                    here.compute(us(900)).await;
                                    here.block(us(300)).await;
                                    NOTHING
                                };
                                here.to_thread(elsewhere).await?;
                            }
                            NOTHING
                        };
                        all.push(Waitable::Future(here.spawn(sleeper).await?));
                    }
                    here.gather(all).await
                });
                let mut n_slices = 0;
                while let Progress::Paused = machine.run(slice) {
                    n_slices += 1;
                }
                let threads = machine.thread_reports();
                let used: Vec<_> = threads
                    .iter()
                    .map(|thread| (thread.name.clone(), thread.used))
                    .collect();
                (n_slices, machine.now(), machine.steps(), machine.hand_overs(), used)
            };
            assert_eq!(run(false), run(true), "slices of {slice}: {settings:?}");
        }
    }
}
