//! Threads and processes from their starts to their ends: what `test_threading.py` checks of them, and processes as
//! `multiprocessing` has them.

use concurrency_playground::machine::event_loop::{Awaitable, LoopCall};
use concurrency_playground::machine::front::{Here, program, raise};
use concurrency_playground::machine::program::CellId;
use concurrency_playground::machine::threads::{
    Costs, MachineSettings, Spawn, StartCost, StartMethod, StartProcess, ThreadId,
};
use concurrency_playground::machine::{Effect, Kind, Value};
use concurrency_playground::wire::Runtime;

use super::support::*;

#[test]
fn threads_run_beside_each_other_and_are_joined() {
    check(|here| async move {
        let semaphore = here.new_thread_semaphore(3, true).await?;
        let running = List::new();
        let list = running.clone();
        let threads = bunch(&here, 10, move |here, _| {
            let list = list.clone();
            async move {
                here.acquire_thread_semaphore(semaphore, Default::default()).await?;
                let n = 3 - here.thread_semaphore_value(semaphore).await?;
                assert!(n <= 3);
                list.add(n);
                here.block(ms(1)).await;
                here.release_thread_semaphore(semaphore, 1).await?;
                NOTHING
            }
        });
        let threads = threads.await?;
        for thread in &threads {
            here.join_thread(*thread, None).await?;
            assert!(!here.is_thread_alive(*thread).await?);
        }
        assert_eq!(running.len(), 10);
        NOTHING
    });
}

#[test]
fn threads_have_names_and_know_themselves() {
    let machine = ended(ideal(2), |here| async move {
        for name in [None, Some("myname".to_owned()), None] {
            let spawn = Spawn {
                name,
                ..Spawn::new(program(
                    &here,
                    |here| async move { Ok(here.current_thread().await?.into()) },
                ))
            };
            let thread = here.start_thread_with(spawn).await?;
            here.join_thread(thread, None).await?;
        }
        NOTHING
    });
    let threads = machine.thread_reports();
    let names: Vec<&str> = threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["MainThread", "Thread-1", "myname", "Thread-2"]);
    for thread in threads.iter().skip(1) {
        assert_eq!(
            thread.outcome.clone().expect("it has ended").expect("well"),
            Value::from(thread.id)
        );
    }
}

#[test]
fn a_join_may_take_only_so_long() {
    check(|here| async move {
        let lock = here.new_thread_lock().await?;
        here.acquire_thread_lock(lock, Default::default()).await?;
        let thread = here.start_thread(move |here| async move {
            here.acquire_thread_lock(lock, Default::default()).await?;
            NOTHING
        });
        let thread = thread.await?;
        let before = here.now().await;
        here.join_thread(thread, Some(ms(10))).await?;
        assert!(is_about(here.now().await - before, ms(10)));
        assert!(here.is_thread_alive(thread).await?);
        here.release_thread_lock(lock).await?;
        here.join_thread(thread, None).await?;
        assert!(!here.is_thread_alive(thread).await?);
        NOTHING
    });
}

#[test]
fn many_may_join_one_thread_but_none_itself() {
    check(|here| async move {
        let worker = here.start_thread(|here| async move {
            here.block(ms(5)).await;
            NOTHING
        });
        let worker = worker.await?;
        let joiners = bunch(&here, 10, move |here, _| async move {
            here.join_thread(worker, None).await?;
            NOTHING
        });
        join_all(&here, joiners.await?).await?;
        let own = here.current_thread().await?;
        let message = "cannot join current thread".to_owned();
        assert_eq!(
            complaint(here.join_thread(own, None).await),
            (Kind::RuntimeError, message)
        );
        assert_eq!(kind(here.join_thread(ThreadId(99), None).await), Kind::ValueError);
        NOTHING
    });
}

#[test]
fn a_process_waits_for_its_threads_but_not_for_daemons() {
    let log = Log::default();
    let inner = log.clone();
    let machine = ended(ideal(2), |here| async move {
        let main = here.current_thread().await?;
        let log = inner.clone();
        // It waits for the main thread's end, and starts one more after that.
        here.start_thread(move |here| async move {
            here.join_thread(main, None).await?;
            log.say(&here, "main has ended").await;
            let log = log.clone();
            here.start_thread(move |here| async move {
                here.block(ms(50)).await;
                log.say(&here, "all have ended").await;
                NOTHING
            })
            .await?;
            NOTHING
        })
        .await?;
        let daemon = Spawn {
            daemon: true,
            ..Spawn::new(program(&here, |here| async move {
                loop {
                    here.block(ms(1)).await;
                }
            }))
        };
        here.start_thread_with(daemon).await?;
        here.block(ms(100)).await;
        inner.say(&here, "end of main").await;
        NOTHING
    });
    assert_eq!(log.timed(), "end of main@100 main has ended@100 all have ended@150");
    assert_eq!(machine.now(), ms(150));
}

#[test]
fn what_a_thread_raises_ends_it_alone_and_is_written_down() {
    let machine = ended(ideal(1), |here| async move {
        let thread = here.start_thread(|_| async { raise("ValueError") }).await?;
        here.join_thread(thread, None).await?;
        NOTHING
    });
    assert_eq!(machine.complaints().len(), 1);
    assert_eq!(machine.complaints()[0].message(), "ValueError");
    let mut failing = machine_that_fails();
    assert_eq!(kind(outcome(&mut failing)), Kind::Own);
}

fn machine_that_fails() -> concurrency_playground::machine::threads::Machine {
    machine(ideal(1), |_| async { raise("ValueError") })
}

#[test]
fn outside_an_event_loop_awaiting_raises() {
    ended(ideal(1), |here| async move {
        for effect in [Effect::Await(Awaitable::Sleep(ms(1))), Effect::Loop(LoopCall::Time)] {
            let message = "no running event loop".to_owned();
            assert_eq!(complaint(here.perform(effect).await), (Kind::RuntimeError, message));
        }
        NOTHING
    });
}

/// Starting a thread lets it run first, so under the lock a thread that computes costs its starter an interval; the
/// second costs four, for the first is in line before it, and each hand-over begins the others' intervals anew.
#[test]
fn start_goes_on_when_the_new_thread_runs() {
    let started = |runtime| {
        let times = List::new();
        let list = times.clone();
        ended(with_runtime(4, runtime), move |here| async move {
            for _ in 0..2 {
                here.start_thread(|here| async move {
                    here.compute(ms(100)).await;
                    NOTHING
                })
                .await?;
                list.add(here.now().await);
            }
            NOTHING
        });
        times.all()
    };
    assert_eq!(started(Runtime::Gil), [ms(5), ms(25)]);
    assert_eq!(started(Runtime::FreeThreaded), [ms(0), ms(0)]);
}

const CELL: CellId = CellId(3);

#[test]
fn memory_is_shared_by_threads_copied_by_fork_and_by_nothing_else() {
    ended(ideal(2), |here| async move {
        here.write(CELL, 1).await;
        let thread = here.start_thread(|here| async move {
            assert_eq!(here.read(CELL).await, Value::Int(1));
            here.write(CELL, 2).await;
            NOTHING
        });
        here.join_thread(thread.await?, None).await?;
        assert_eq!(here.read(CELL).await, Value::Int(2));
        for (method, sees) in [
            (StartMethod::Fork, Value::Int(2)),
            (StartMethod::ForkServer, Value::None),
            (StartMethod::Spawn, Value::None),
        ] {
            let child = here.start_process(method, move |here| async move {
                assert_eq!(here.read(CELL).await, sees);
                here.write(CELL, 9).await;
                NOTHING
            });
            let child = child.await?;
            here.join_process(child, None).await?;
            assert_eq!(here.exit_code(child).await?, Some(0));
        }
        let interpreter = here.new_interpreter().await?;
        let thread = here.start_thread_in(interpreter, |here| async move {
            assert_eq!(here.read(CELL).await, Value::None);
            here.write(CELL, 9).await;
            NOTHING
        });
        here.join_thread(thread.await?, None).await?;
        assert_eq!(here.read(CELL).await, Value::Int(2));
        NOTHING
    });
}

#[test]
fn interpreters_and_processes_have_a_lock_each() {
    let takes = |how: u32| {
        let machine = ended(ideal(4), move |here| async move {
            let mut threads = Vec::new();
            for _ in 0..4 {
                let compute = |here: Here| async move {
                    here.compute(ms(100)).await;
                    NOTHING
                };
                match how {
                    0 => threads.push(here.start_thread(compute).await?),
                    1 => {
                        let interpreter = here.new_interpreter().await?;
                        threads.push(here.start_thread_in(interpreter, compute).await?);
                    }
                    _ => {
                        here.start_process(StartMethod::ForkServer, compute).await?;
                    }
                }
            }
            join_all(&here, threads).await?;
            NOTHING
        });
        machine.now()
    };
    assert_eq!(takes(0), ms(400));
    assert_eq!(takes(1), ms(100));
    assert_eq!(takes(2), ms(100));
}

#[test]
fn how_a_process_ends() {
    ended(ideal(2), |here| async move {
        let mut codes = Vec::new();
        for how in 0..4 {
            let child = here.start_process(StartMethod::Spawn, move |here| async move {
                match how {
                    0 => NOTHING,
                    1 => raise("ValueError"),
                    2 => {
                        // A thread of it does not save it.
                        here.start_thread(|here| async move {
                            here.block(ms(1000)).await;
                            NOTHING
                        })
                        .await?;
                        here.exit(7).await;
                        panic!("nothing comes after the end");
                    }
                    _ => {
                        here.block(ms(1000)).await;
                        NOTHING
                    }
                }
            });
            let child = child.await?;
            assert_eq!(here.exit_code(child).await?, None);
            assert!(here.is_process_alive(child).await?);
            here.join_process(child, Some(ms(10))).await?;
            if how == 3 {
                assert!(here.is_process_alive(child).await?);
                here.terminate(child).await?;
            }
            here.join_process(child, None).await?;
            codes.push(here.exit_code(child).await?);
        }
        assert_eq!(codes, [Some(0), Some(1), Some(7), Some(-15)]);
        assert!(here.now().await < ms(100));
        NOTHING
    });
}

#[test]
fn children_keep_their_parent_and_daemons_end_with_it() {
    let machine = ended(ideal(4), |here| async move {
        for (daemon, time) in [(false, 100), (true, 1000)] {
            let start = StartProcess {
                daemon,
                ..StartProcess::new(
                    StartMethod::ForkServer,
                    program(&here, move |here| async move {
                        here.block(ms(time)).await;
                        if daemon {
                            panic!("it is terminated before");
                        }
                        // A grandchild keeps the child, and so the parent.
                        here.start_process(StartMethod::ForkServer, |here| async move {
                            here.block(ms(50)).await;
                            NOTHING
                        })
                        .await?;
                        NOTHING
                    }),
                )
            };
            here.start_process_with(start).await?;
        }
        NOTHING
    });
    assert_eq!(machine.now(), ms(150));
    let codes: Vec<Option<i64>> = machine
        .process_reports()
        .iter()
        .map(|process| process.exit_code)
        .collect();
    assert_eq!(codes, [Some(0), Some(0), Some(-15), Some(0)]);
}

#[test]
fn a_daemon_has_no_children() {
    ended(ideal(1), |here| async move {
        let start = StartProcess {
            daemon: true,
            ..StartProcess::new(
                StartMethod::Fork,
                program(&here, |here| async move {
                    let child = here.start_process(StartMethod::Fork, |_| async { NOTHING }).await;
                    assert_eq!(complaint(child), (Kind::Own, "AssertionError".to_owned()));
                    NOTHING
                }),
            )
        };
        let child = here.start_process_with(start).await?;
        here.join_process(child, None).await?;
        assert_eq!(here.exit_code(child).await?, Some(0));
        NOTHING
    });
}

#[test]
fn a_start_takes_what_its_method_takes() {
    let settings = MachineSettings {
        costs: Costs {
            fork: StartCost {
                parent: ms(1),
                child: ms(1),
            },
            fork_server: StartCost {
                parent: ms(2),
                child: ms(3),
            },
            fork_server_start: ms(20),
            spawn: StartCost {
                parent: ms(2),
                child: ms(30),
            },
            ..Costs::IDEAL
        },
        ..ideal(4)
    };
    let log = Log::default();
    let inner = log.clone();
    ended(settings, |here| async move {
        for method in [
            StartMethod::Fork,
            StartMethod::ForkServer,
            StartMethod::ForkServer,
            StartMethod::Spawn,
        ] {
            let before = here.now().await;
            let log = inner.clone();
            let child = here.start_process(method, move |here| async move {
                log.say(&here, "child").await;
                NOTHING
            });
            let child = child.await?;
            inner
                .say(&here, format!("parent +{}", (here.now().await - before).as_millis()))
                .await;
            here.join_process(child, None).await?;
        }
        NOTHING
    });
    let expected = "parent +1@1 child@2 parent +2@4 child@27 parent +2@29 child@32 parent +2@34 child@64";
    assert_eq!(log.timed(), expected);
}
