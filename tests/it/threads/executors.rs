//! The three kinds of pool: what `test_thread_pool.py`, `test_process_pool.py`, `executor.py`, `test_init.py` and
//! `test_deadlock.py` check. Their ends are in `shutdown`.

use concurrency_playground::machine::front::{Here, MapOptions, program, raise};
use concurrency_playground::machine::program::CellId;
use concurrency_playground::machine::threads::{Machine, NewPool, Payload, StartMethod, Work, Workers};
use concurrency_playground::machine::{Kind, Program, Value};

use super::pools::*;
use super::support::*;

fn doubles(here: &Here, numbers: impl Iterator<Item = i64>) -> Vec<Box<dyn Program>> {
    let double = |n: i64| {
        program(here, move |here| async move {
            here.compute(us(100)).await;
            Ok(Value::Int(2 * n))
        })
    };
    numbers.map(double).collect()
}

#[test]
fn submit_and_map() {
    check_pools(|here, pool, _| async move {
        let call = here.submit(pool, |_| async { Ok(Value::Int(256)) }).await?;
        assert_eq!(here.future_result(call, None).await?, Value::Int(256));
        let failing = here.submit(pool, |_| async { raise("ZeroDivisionError") }).await?;
        assert_eq!(kind(here.future_result(failing, None).await), Kind::Own);
        let expected: Vec<Value> = (0..40).map(|n| Value::Int(2 * n)).collect();
        for chunk in [1, 6, 40, 50] {
            let options = MapOptions {
                chunk,
                ..MapOptions::default()
            };
            let results = here.map(pool, doubles(&here, 0..40), options).await?;
            assert_eq!(results, expected);
        }
        here.shut_pool_down(pool, true, false).await
    });
}

#[test]
fn map_raises_what_the_first_item_raises_and_cancels_the_rest() {
    check_pools(|here, pool, _| async move {
        let ran = List::new();
        let mut items = doubles(&here, 0..1);
        items.push(program(&here, |_| async { raise("ZeroDivisionError") }));
        for _ in 0..20 {
            let list = ran.clone();
            items.push(program(&here, move |here| async move {
                list.add(());
                sleeps(here, ms(50)).await
            }));
        }
        let outcome = here.map(pool, items, MapOptions::default()).await;
        assert_eq!(complaint(outcome), (Kind::Own, "ZeroDivisionError".to_owned()));
        here.shut_pool_down(pool, true, false).await?;
        assert!(ran.len() < 12, "{}", ran.len());
        Ok(())
    });
}

#[test]
fn map_may_take_only_so_long_in_all() {
    check_pools(|here, pool, _| async move {
        let sleep = |time| program(&here, move |here| sleeps(here, time));
        let items = [ms(0), ms(0), ms(3000)].map(sleep).into();
        let options = MapOptions {
            timeout: Some(ms(500)),
            ..MapOptions::default()
        };
        let before = here.now().await;
        let outcome = here.map(pool, items, options).await;
        assert_eq!(kind(outcome), Kind::Timeout);
        assert!(is_about(here.now().await - before, ms(500)));
        Ok(())
    });
}

#[test]
fn a_call_that_timed_out_in_map_is_cancelled_if_nobody_has_begun_it() {
    ended(ideal(2), |here| async move {
        let log = Log::default();
        let pool = pool(&here, Workers::Threads, 1).await?;
        let inner = log.clone();
        let first = here.submit(pool, move |here| async move {
            inner.say(&here, "first").await;
            sleeps(here, ms(100)).await
        });
        let first = first.await?;
        let items = ["second", "third"].map(|name| {
            let log = log.clone();
            program(&here, move |here| async move {
                log.say(&here, name).await;
                NOTHING
            })
        });
        let options = MapOptions {
            timeout: Some(us(0)),
            ..MapOptions::default()
        };
        assert_eq!(kind(here.map(pool, items.into(), options).await), Kind::Timeout);
        here.future_result(first, None).await?;
        here.shut_pool_down(pool, true, false).await?;
        assert_eq!(log.timed(), "first@0");
        NOTHING
    });
}

fn n_workers(machine: &Machine) -> usize {
    let reports = machine.thread_reports();
    let is_worker =
        |name: &str| name.contains("Executor-") && !name.ends_with("_manager") || name.starts_with("asyncio");
    let by_name = reports.iter().filter(|thread| is_worker(&thread.name)).count();
    by_name + machine.process_reports().len() - 1
}

#[test]
fn workers_are_started_as_calls_come_while_none_is_idle() {
    for (workers, most) in KINDS.into_iter().zip([8, 8, 4, 4, 4]) {
        // One call after the other: one worker is enough. A fork starts all of them at the first call.
        let one_by_one = ended(ideal(4), move |here| async move {
            let new = NewPool {
                workers,
                ..NewPool::default()
            };
            let pool = here.new_pool(new).await?;
            for _ in 0..3 {
                let call = here.submit(pool, |_| async { NOTHING }).await?;
                here.future_result(call, None).await?;
                // The pool has time to see that the worker is idle.
                here.block(ms(1)).await;
            }
            NOTHING
        });
        let is_fork = workers == Workers::Processes(StartMethod::Fork);
        assert_eq!(n_workers(&one_by_one), if is_fork { most } else { 1 }, "{workers:?}");
        let many = ended(ideal(4), move |here| async move {
            let new = NewPool {
                workers,
                ..NewPool::default()
            };
            let pool = here.new_pool(new).await?;
            for _ in 0..60 {
                here.submit(pool, |here| sleeps(here, ms(10))).await?;
            }
            NOTHING
        });
        assert_eq!(n_workers(&many), most, "{workers:?}");
        assert_eq!(many.now(), ms(10 * 60_u64.div_ceil(most as u64)));
    }
}

#[test]
fn a_pool_without_workers_is_refused() {
    ended(ideal(1), |here| async move {
        let refused = pool(&here, Workers::Threads, 0).await;
        assert_eq!(
            complaint(refused),
            (Kind::ValueError, "max_workers must be greater than 0".to_owned())
        );
        let new = NewPool {
            workers: Workers::Processes(StartMethod::Fork),
            max_calls_per_process: Some(3),
            ..NewPool::default()
        };
        assert_eq!(kind(here.new_pool(new).await), Kind::ValueError);
        NOTHING
    });
}

#[test]
fn threads_are_named_after_their_pool() {
    let machine = ended(ideal(2), |here| async move {
        let named = NewPool {
            max_workers: Some(2),
            name: Some("SpecialPool".to_owned()),
            ..NewPool::default()
        };
        let pools = [here.new_pool(named).await?, pool(&here, Workers::Threads, 2).await?];
        for pool in pools {
            for _ in 0..3 {
                here.submit(pool, |here| sleeps(here, ms(1))).await?;
            }
        }
        NOTHING
    });
    let names: Vec<String> = machine
        .thread_reports()
        .into_iter()
        .skip(1)
        .map(|thread| thread.name)
        .collect();
    let expected = [
        "SpecialPool_0",
        "SpecialPool_1",
        "ThreadPoolExecutor-1_0",
        "ThreadPoolExecutor-1_1",
    ];
    assert_eq!(names, expected);
}

#[test]
fn the_initializer_runs_once_in_every_worker() {
    for workers in KINDS {
        check(move |here| async move {
            let cell = CellId(0);
            let of = here.clone();
            let initializer = move || {
                program(&of, move |here| async move {
                    let n = here.read(cell).await.int().unwrap_or(0);
                    here.write(cell, n + 1).await;
                    NOTHING
                })
            };
            let new = NewPool {
                workers,
                max_workers: Some(3),
                initializer: Some(Box::new(initializer)),
                ..NewPool::default()
            };
            let pool = here.new_pool(new).await?;
            let reads = (0..6).map(|_| {
                program(&here, move |here| async move {
                    here.block(ms(10)).await;
                    Ok(here.read(cell).await)
                })
            });
            let seen = here.map(pool, reads.collect(), MapOptions::default()).await?;
            // Threads share the cell, all others have one of their own.
            let expected = if workers == Workers::Threads { 3 } else { 1 };
            assert!(seen.iter().all(|n| *n == Value::Int(expected)), "{seen:?}");
            let own = here.read(cell).await;
            assert_eq!(own.int(), (workers == Workers::Threads).then_some(3));
            NOTHING
        });
    }
}

#[test]
fn an_initializer_that_raises_breaks_the_pool() {
    for (workers, broken) in KINDS.into_iter().zip([
        Kind::BrokenThreadPool,
        Kind::BrokenInterpreterPool,
        Kind::BrokenProcessPool,
        Kind::BrokenProcessPool,
        Kind::BrokenProcessPool,
    ]) {
        let machine = ended(rough(2), move |here| async move {
            let of = here.clone();
            let new = NewPool {
                workers,
                max_workers: Some(2),
                initializer: Some(Box::new(move || {
                    program(&of, |_| async { raise("error in initializer") })
                })),
                ..NewPool::default()
            };
            let pool = here.new_pool(new).await?;
            let call = here.submit(pool, |_| async { NOTHING }).await?;
            assert_eq!(kind(here.future_result(call, None).await), broken);
            assert_eq!(kind(here.submit(pool, |_| async { NOTHING }).await), broken);
            here.shut_pool_down(pool, true, false).await?;
            NOTHING
        });
        assert!(
            machine
                .complaints()
                .iter()
                .any(|said| said.message() == "error in initializer")
        );
    }
}

#[test]
fn a_process_that_dies_breaks_its_pool() {
    for workers in KINDS.into_iter().skip(2) {
        check(move |here| async move {
            let pool = pool(&here, workers, 2).await?;
            let mut calls = Vec::new();
            for n in 0..5 {
                calls.push(
                    here.submit(pool, move |here| async move {
                        here.block(ms(10)).await;
                        if n == 1 {
                            here.exit(1).await;
                        }
                        here.block(ms(1000)).await;
                        NOTHING
                    })
                    .await?,
                );
            }
            let before = here.now().await;
            for call in calls {
                assert_eq!(kind(here.future_result(call, None).await), Kind::BrokenProcessPool);
            }
            assert!(is_about(here.now().await - before, ms(10)));
            let refused = here.submit(pool, |_| async { NOTHING }).await;
            assert_eq!(kind(refused), Kind::BrokenProcessPool);
            here.shut_pool_down(pool, true, false).await?;
            NOTHING
        });
    }
}

#[test]
fn a_process_is_replaced_after_so_many_calls() {
    for method in [StartMethod::ForkServer, StartMethod::Spawn] {
        check(move |here| async move {
            let new = |max_workers, calls| NewPool {
                workers: Workers::Processes(method),
                max_workers: Some(max_workers),
                max_calls_per_process: Some(calls),
                ..NewPool::default()
            };
            let pool = here.new_pool(new(1, 3)).await?;
            let mut ids = Vec::new();
            for _ in 0..7 {
                let call = here.submit(pool, |here| async move { Ok(here.current_process().await?.into()) });
                ids.push(here.future_result(call.await?, None).await?);
                here.block(ms(1)).await;
            }
            let same = [ids[0] == ids[2], ids[2] == ids[3], ids[3] == ids[5], ids[5] == ids[6]];
            assert_eq!(same, [true, false, true, false]);
            // A shutdown before they are done ends all the same.
            let early = here.new_pool(new(3, 1)).await?;
            let mut calls = Vec::new();
            for n in 0..6 {
                calls.push(here.submit(early, move |_| async move { Ok(Value::Int(n)) }).await?);
            }
            here.shut_pool_down(early, true, false).await?;
            for (call, n) in calls.into_iter().zip(0..) {
                assert_eq!(here.future_result(call, Some(us(0))).await?, Value::Int(n));
            }
            NOTHING
        });
    }
}

/// What crosses is paid for on both sides, and large chunks beat single items.
#[test]
fn sending_to_processes_takes_its_time() {
    let takes = |workers, chunk| {
        let mut settings = ideal(4);
        settings.costs.process_item = us(50);
        settings.costs.process_kibibyte = us(1);
        let machine = ended(settings, move |here| async move {
            let pool = pool(&here, workers, 4).await?;
            let items = (0..400).map(|_| {
                program(&here, |here| async move {
                    here.compute(us(10)).await;
                    NOTHING
                })
            });
            let options = MapOptions {
                chunk,
                payload: Payload {
                    sent: 1024,
                    returned: 0,
                },
                ..MapOptions::default()
            };
            here.map(pool, items.collect(), options).await?;
            NOTHING
        });
        machine.now()
    };
    let processes = Workers::Processes(StartMethod::ForkServer);
    let (single, chunked) = (takes(processes, 1), takes(processes, 100));
    // The manager packs 400 calls and unpacks 400 results, 50 µs each, one after the other.
    assert!(single >= ms(40), "{single}");
    assert!(chunked < ms(4), "{chunked}");
    assert!(takes(Workers::Threads, 1) >= ms(4));
}

#[test]
fn a_chunk_ends_with_the_first_that_raises() {
    ended(ideal(2), |here| async move {
        let pool = pool(&here, Workers::Threads, 1).await?;
        let mut chunk = doubles(&here, 0..2);
        chunk.push(program(&here, |_| async { raise("E") }));
        chunk.push(program(&here, |_| async { panic!("nobody runs this") }));
        let call = here.submit_work(pool, Work::Chunk(chunk), Payload::default()).await?;
        assert_eq!(kind(here.future_result(call, None).await), Kind::Own);
        let empty = here
            .submit_work(pool, Work::Chunk(Vec::new()), Payload::default())
            .await?;
        assert_eq!(here.future_result(empty, None).await?, Value::from(Vec::new()));
        NOTHING
    });
}
