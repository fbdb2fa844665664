//! The T rows of the list of recorded behaviours, by their numbers.

use std::rc::Rc;

use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::program::CellId;
use concurrency_playground::machine::threads::{
    Machine, MachineSettings, Module, NewPool, Patience, Payload, Pool, StartMethod, Submit, Work,
};
use concurrency_playground::machine::{Computing, Kind, Nanoseconds};
use concurrency_playground::switch_points::Operation;
use concurrency_playground::wire::Runtime;

use super::support::*;

#[test]
fn t1() {
    let mut machine = loop_machine(ideal(2), |here| async move {
        let mut calls = Vec::new();
        for _ in 0..24 {
            let task = here
                .spawn(|here| async move {
                    here.to_thread(|here| async move {
                        here.block(ms(200)).await;
                        NOTHING
                    })
                    .await
                })
                .await?;
            calls.push(task.into());
        }
        here.gather(calls).await
    });
    outcome(&mut machine).expect("it ends");
    assert_eq!(machine.now(), ms(800));
    let workers: Vec<String> = machine
        .thread_reports()
        .into_iter()
        .map(|thread| thread.name)
        .filter(|name| name.starts_with("asyncio"))
        .collect();
    assert_eq!(workers, (0..6).map(|n| format!("asyncio_{n}")).collect::<Vec<String>>());
}

#[test]
fn t2() {
    let log = Log::default();
    let inner = log.clone();
    let machine = loop_ended(ideal(2), |here| async move {
        let within = here
            .timeout(
                ms(300),
                here.to_thread(|here| async move {
                    here.block(ms(1000)).await;
                    NOTHING
                }),
            )
            .await;
        inner.say(&here, format!("{:?}", kind(within))).await;
        NOTHING
    });
    assert_eq!(log.timed(), "Timeout@300");
    assert_eq!(machine.now(), ms(1000));
}

#[test]
fn t3() {
    let log = Log::default();
    let inner = log.clone();
    let machine = loop_ended(ideal(2), |here| async move {
        let pool = here
            .new_pool(NewPool {
                max_workers: Some(1),
                ..NewPool::default()
            })
            .await?;
        let mut calls = Vec::new();
        for name in ["running", "queued"] {
            let log = inner.clone();
            let work = program(&here, |here| async move {
                log.say(&here, name).await;
                here.block(ms(300)).await;
                NOTHING
            });
            let submit = Submit {
                pool: Pool::Of(pool),
                work: Work::One(work),
                payload: Payload::default(),
                answer_to: None,
            };
            calls.push(here.run_in_executor(submit).await?);
        }
        here.sleep(ms(100)).await?;
        for call in calls {
            here.cancel(call, None).await?;
            inner.say(&here, format!("{:?}", kind(here.join(call).await))).await;
        }
        NOTHING
    });
    assert_eq!(log.timed(), "running@0 Cancelled@100 Cancelled@100");
    assert_eq!(machine.now(), ms(300));
}

/// The gaps of a 10 ms heartbeat beside half a second of something, in order.
fn gaps(settings: MachineSettings, kind: Computing, is_inline: bool) -> Vec<Nanoseconds> {
    let log = Log::default();
    let inner = log.clone();
    loop_ended(settings, |here| async move {
        let beat = here
            .spawn(|here| async move {
                loop {
                    inner.say(&here, "beat").await;
                    here.sleep(ms(10)).await?;
                }
            })
            .await?;
        here.sleep(ms(50)).await?;
        let cost = ms(500);
        if is_inline {
            here.compute_as(cost, kind).await;
        } else {
            here.to_thread(move |here| async move {
                here.compute_as(cost, kind).await;
                NOTHING
            })
            .await?;
        }
        here.sleep(ms(30)).await?;
        here.cancel(beat, None).await?;
        NOTHING
    });
    let times = log.times();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Recorded on CPython 3.13 with two cores: median 15.4 and at most 20 ms, and 511 ms inline. The machine's constants
/// are those of waking and switching; the switch interval does the rest. 20 ms is a beat that lost the lock once more,
/// in the moment in which the loop looks at its selector.
#[test]
fn t4() {
    for seed in 1..6 {
        let mut beside = gaps(MachineSettings { seed, ..rough(2) }, Computing::Bytecode, false);
        beside.drain(..5);
        beside.truncate(25);
        beside.sort();
        let (median, max) = (beside[12].as_millis(), beside[24].as_millis());
        assert!((median / 15.4 - 1.0).abs() < 0.03, "seed {seed}: {median} ms");
        assert!((max / 20.0 - 1.0).abs() < 0.03, "seed {seed}: {max} ms");
        let inline = gaps(MachineSettings { seed, ..rough(2) }, Computing::Bytecode, true);
        let max = inline.into_iter().max().expect("there are beats").as_millis();
        assert!((max / 511.0 - 1.0).abs() < 0.03, "seed {seed}: {max} ms");
    }
}

/// What was recorded beside the row: one long call into C holds everything up, a big hash holds up nothing.
#[test]
fn t4_in_c() {
    let keeps = gaps(rough(2), Computing::KeepsLock, false);
    let max = keeps.into_iter().max().expect("there are beats");
    assert!(ms(500) < max && max < ms(515), "{max}");
    let mut releases = gaps(rough(2), Computing::ReleasesLock, false);
    releases.sort();
    let (median, max) = (releases[releases.len() / 2].as_millis(), releases[releases.len() - 1]);
    assert!((median / 10.2 - 1.0).abs() < 0.03 && max < ms(12), "{median} ms, {max}");
}

const COUNTER: CellId = CellId(0);

/// How the counter is incremented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Addition {
    /// `x += 1`
    Plain,
    /// `x = f(x) + 1`
    Call,
    /// Read, `time.sleep(0)`, write.
    Wide,
}

/// One thread's additions: about 20 ns a bytecode, as in CPython.
async fn add(here: Here, additions: u32, how: Addition) {
    let bytecodes = |n: u64| Nanoseconds(20 * n);
    for _ in 0..additions {
        let value = here.read(COUNTER).await.int().unwrap_or(0);
        match how {
            Addition::Plain => {}
            Addition::Call => here.check_point(Operation::FunctionEntry).await,
            Addition::Wide => here.block(Nanoseconds::ZERO).await,
        }
        here.compute_as(bytecodes(2), Computing::KeepsLock).await;
        here.write(COUNTER, value + 1).await;
        here.check_point(Operation::LoopBackEdge).await;
        here.compute_as(bytecodes(3), Computing::KeepsLock).await;
    }
}

/// The share of additions that are lost.
fn lost(settings: MachineSettings, n_threads: u32, additions: u32, how: Addition) -> f64 {
    let machine = ended(settings, |here| async move {
        let mut threads = Vec::new();
        let start = here.new_thread_event().await?;
        for _ in 0..n_threads {
            let thread = here.start_thread(move |here| async move {
                here.wait_thread_event(start, None).await?;
                add(here, additions, how).await;
                NOTHING
            });
            threads.push(thread.await?);
        }
        here.set_thread_event(start).await?;
        for thread in threads {
            here.join_thread(thread, None).await?;
        }
        NOTHING
    });
    let total = f64::from(n_threads * additions);
    1.0 - machine.cell(COUNTER).int().unwrap_or(0) as f64 / total
}

#[test]
fn t5() {
    for (settings, interval, additions) in [(rough(2), ms(5), 200_000), (rough(4), us(1), 20_000)] {
        let settings = MachineSettings {
            switch_interval: interval,
            ..settings
        };
        assert_eq!(lost(settings, 4, additions, Addition::Plain), 0.0);
    }
    let of = |runtime| MachineSettings { runtime, ..rough(4) };
    let legacy = lost(of(Runtime::GilLegacy), 4, 200_000, Addition::Plain);
    assert!((0.14..0.57).contains(&legacy), "{legacy}");
    let free = lost(of(Runtime::FreeThreaded), 4, 20_000, Addition::Plain);
    assert!(free > 0.5, "{free}");
}

#[test]
fn t6() {
    // A fifth of the row's additions, and a fifth of its interval.
    let losing = (1..6).filter(|seed| {
        let settings = MachineSettings {
            seed: *seed,
            switch_interval: ms(1),
            ..rough(4)
        };
        let share = lost(settings, 4, 40_000, Addition::Call);
        assert!(share < 0.72, "{share}");
        share > 0.0
    });
    assert!(losing.count() >= 3);
}

#[test]
fn t7() {
    for cores in [1, 2, 4] {
        for n_threads in [2, 4] {
            let share = lost(ideal(cores), n_threads, 5_000, Addition::Wide);
            assert_eq!(
                share,
                1.0 - 1.0 / f64::from(n_threads),
                "{n_threads} threads on {cores} cores"
            );
        }
        let share = lost(rough(cores), 4, 5_000, Addition::Wide);
        assert!((share - 0.75).abs() <= 0.001, "{share} on {cores} cores");
    }
}

#[test]
fn t8() {
    let log = Log::default();
    let inner = log.clone();
    ended(ideal(2), |here| async move {
        let locks = [here.new_thread_lock().await?, here.new_thread_lock().await?];
        let mut threads = Vec::new();
        for (mine, other) in [(0, 1), (1, 0)] {
            let log = inner.clone();
            let thread = here.start_thread(move |here| async move {
                here.acquire_thread_lock(locks[mine], Patience::Forever).await?;
                here.block(ms(100)).await;
                let got = here.acquire_thread_lock(locks[other], Patience::For(ms(300))).await?;
                log.say(&here, format!("{got}")).await;
                here.block(ms(100)).await;
                here.release_thread_lock(locks[mine]).await?;
                NOTHING
            });
            threads.push(thread.await?);
        }
        for thread in threads {
            here.join_thread(thread, None).await?;
        }
        NOTHING
    });
    assert_eq!(log.timed(), "false@400 false@400");
}

#[test]
fn t9() {
    ended(ideal(1), |here| async move {
        let plain = here.new_thread_lock().await?;
        assert!(here.acquire_thread_lock(plain, Patience::No).await?);
        assert!(!here.acquire_thread_lock(plain, Patience::No).await?);
        let reentrant = here.new_reentrant_lock().await?;
        assert!(here.acquire_reentrant_lock(reentrant, Patience::No).await?);
        assert!(here.acquire_reentrant_lock(reentrant, Patience::No).await?);
        NOTHING
    });
}

/// How long it takes two threads, or one, to hash so many messages, at 2 bytes a nanosecond.
fn hashing(n_threads: u32, messages: u32, bytes: u64) -> Nanoseconds {
    // CPython's hashlib lets the lock go for more than 2047 bytes.
    let kind = if bytes > 2047 {
        Computing::ReleasesLock
    } else {
        Computing::KeepsLock
    };
    let machine = ended(rough(2), |here| async move {
        let mut threads = Vec::new();
        for _ in 0..n_threads {
            let thread = here.start_thread(move |here| async move {
                for _ in 0..messages / n_threads {
                    here.compute(Nanoseconds(500)).await;
                    here.compute_as(Nanoseconds(bytes / 2), kind).await;
                }
                NOTHING
            });
            threads.push(thread.await?);
        }
        for thread in threads {
            here.join_thread(thread, None).await?;
        }
        NOTHING
    });
    machine.now()
}

#[test]
fn t12() {
    let speedup = |messages, bytes| hashing(1, messages, bytes).as_seconds() / hashing(2, messages, bytes).as_seconds();
    let small = speedup(40_000, 2047);
    assert!((0.9..1.1).contains(&small), "{small}");
    let big = speedup(10_000, 65_536);
    assert!((1.8..2.0).contains(&big), "{big}");
}

/// The main module of the row: its top level starts a process, with or without a guard.
fn unguarded(here: &Here, method: StartMethod, has_guard: bool, log: &Log) -> Module {
    let (here, log) = (here.clone(), log.clone());
    Rc::new(move || {
        let log = log.clone();
        program(&here, move |here| async move {
            log.say(&here, "top").await;
            if has_guard && !here.is_main_module().await {
                return NOTHING;
            }
            let child = here.start_process(method, |here| async move {
                here.block(ms(1)).await;
                NOTHING
            });
            let child = child.await?;
            here.join_process(child, None).await?;
            let code = here.exit_code(child).await?;
            log.say(&here, format!("exit code {code:?}")).await;
            NOTHING
        })
    })
}

#[test]
fn t13() {
    for (method, has_guard, said) in [
        (StartMethod::ForkServer, false, "top top Some(1)"),
        (StartMethod::Spawn, false, "top top Some(1)"),
        (StartMethod::Fork, false, "top Some(0)"),
        (StartMethod::ForkServer, true, "top top Some(0)"),
        (StartMethod::Spawn, true, "top top Some(0)"),
        (StartMethod::Fork, true, "top Some(0)"),
    ] {
        let log = Log::default();
        let here = Here::new();
        let mut machine = Machine::new(ideal(2));
        machine.start_module(unguarded(&here, method, has_guard, &log));
        outcome(&mut machine).expect("the parent ends well");
        let words = log.words().join(" ").replace("exit code ", "");
        assert_eq!(words, said, "{method:?}, guard: {has_guard}");
        let child = &machine.thread_reports()[1];
        match &child.outcome {
            Some(Err(exception)) => {
                assert!(!has_guard);
                assert_eq!(exception.kind(), Kind::RuntimeError);
                assert!(exception.message().contains("bootstrapping phase"));
            }
            Some(Ok(_)) => assert!(has_guard || method == StartMethod::Fork),
            None => panic!("the child's main program has ended"),
        }
    }
}
