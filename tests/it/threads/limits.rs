//! What stops a run that does not stop itself, and what a run may cost: budgets, memory, slices.

use concurrency_playground::machine::event_loop::{LoopCeilings, LoopSettings};
use concurrency_playground::machine::front::Here;
use concurrency_playground::machine::threads::{
    Exceeded, Limit, Limits, Machine, MachineFault, MachineSettings, MemoryCosts, MemoryUse, NewPool, Patience,
    Progress, StartMethod, ThreadId,
};
use concurrency_playground::machine::trace;
use concurrency_playground::machine::{Nanoseconds, Outcome, Value};

use super::support::*;

fn exceeded(machine: &mut Machine) -> (Limit, u64) {
    let mut n_slices = 0;
    loop {
        match machine.run(1000) {
            Progress::Paused => n_slices += 1,
            Progress::Exceeded(Exceeded { what, limit }) => {
                // It goes no further, and says so again.
                assert!(matches!(machine.run(1000), Progress::Exceeded(_)));
                assert!(n_slices < 100_000);
                return (what, limit);
            }
            other => panic!("{other:?}"),
        }
    }
}

fn limited(limits: Limits) -> MachineSettings {
    MachineSettings { limits, ..ideal(2) }
}

#[test]
fn a_program_that_never_ends_comes_to_the_most_steps() {
    let limits = Limits {
        steps: 12_345,
        ..Limits::default()
    };
    let mut busy = machine(limited(limits), |here| async move {
        loop {
            here.compute(us(1)).await;
        }
    });
    assert_eq!(exceeded(&mut busy), (Limit::Steps, 12_345));
    assert_eq!(busy.steps(), 12_345);
    // On a loop that only gives way to itself no time passes at all.
    let mut idle = loop_machine(limited(limits), |here| async move {
        loop {
            here.sleep(ms(0)).await?;
        }
    });
    assert_eq!(exceeded(&mut idle), (Limit::Steps, 12_345));
    assert_eq!(idle.now(), ms(0));
}

/// Threads that take the lock from each other every microsecond do nothing that a program asked for.
#[test]
fn what_happens_without_an_effect_is_counted_too() {
    let crowd = |steps: u64| {
        let limits = Limits {
            steps,
            ..Limits::default()
        };
        let settings = MachineSettings {
            switch_interval: us(1),
            ..limited(limits)
        };
        machine(settings, |here| async move {
            let other = here.start_thread(|here| async move {
                here.compute(ms(50)).await;
                NOTHING
            });
            let other = other.await?;
            here.compute(ms(50)).await;
            here.join_thread(other, None).await?;
            NOTHING
        })
    };
    let mut whole = crowd(u64::MAX);
    outcome(&mut whole).expect("it ends by itself");
    let mut sliced = crowd(u64::MAX);
    assert!(matches!(sliced.run(1000), Progress::Paused));
    assert!(sliced.now() < ms(2), "a slice went on to {}", sliced.now());
    outcome(&mut sliced).expect("it ends by itself");
    assert_eq!(sliced.now(), whole.now());
    assert_eq!(exceeded(&mut crowd(5000)), (Limit::Steps, 5000));
}

#[test]
fn one_that_waits_too_long_comes_to_the_most_time() {
    let limits = Limits {
        time: ms(1000),
        ..Limits::default()
    };
    let mut waits = machine(limited(limits), |here| async move {
        loop {
            here.block(ms(300)).await;
        }
    });
    assert_eq!(exceeded(&mut waits), (Limit::Time, 1_000_000_000));
    assert_eq!(waits.now(), ms(900));
    let mut computes = machine(limited(limits), |here| async move {
        loop {
            here.compute(ms(300)).await;
        }
    });
    assert_eq!(exceeded(&mut computes), (Limit::Time, 1_000_000_000));
}

/// Starts one like itself, for ever.
fn spawns(here: Here, kind: u32) -> std::pin::Pin<Box<dyn Future<Output = Outcome>>> {
    Box::pin(async move {
        match kind {
            0 => {
                here.start_thread(move |here| spawns(here, kind)).await?;
            }
            _ => {
                here.start_process(StartMethod::Fork, move |here| spawns(here, kind))
                    .await?;
            }
        }
        here.block(ms(1)).await;
        NOTHING
    })
}

#[test]
fn one_that_spawns_for_ever_comes_to_a_limit() {
    let depth = Limits {
        depth: 20,
        ..Limits::default()
    };
    for kind in [0, 1] {
        let mut machine = machine(limited(depth), move |here| spawns(here, kind));
        assert_eq!(exceeded(&mut machine), (Limit::Depth, 20));
    }
    let threads = Limits {
        threads: 50,
        ..Limits::default()
    };
    let mut machine = machine(limited(threads), |here| async move {
        loop {
            here.start_thread(|here| async move {
                here.block(ms(1000)).await;
                NOTHING
            })
            .await?;
        }
    });
    assert_eq!(exceeded(&mut machine), (Limit::Threads, 50));
}

#[test]
fn processes_and_interpreters_have_a_limit() {
    let limits = Limits {
        processes: 5,
        ..Limits::default()
    };
    for interpreters in [false, true] {
        let mut machine = machine(limited(limits), move |here| async move {
            loop {
                if interpreters {
                    here.new_interpreter().await?;
                } else {
                    here.start_process(StartMethod::Spawn, |here| async move {
                        here.block(ms(1000)).await;
                        NOTHING
                    })
                    .await?;
                }
            }
        });
        assert_eq!(exceeded(&mut machine), (Limit::Processes, 5));
    }
}

#[test]
fn objects_tasks_and_timers_have_limits() {
    let limits = Limits {
        objects: 100,
        ..Limits::default()
    };
    let mut locks = machine(limited(limits), |here| async move {
        loop {
            here.new_thread_lock().await?;
        }
    });
    assert_eq!(exceeded(&mut locks), (Limit::Objects, 100));
    let mut calls = machine(limited(limits), |here| async move {
        let pool = here.new_pool(NewPool::default()).await?;
        loop {
            here.submit(pool, |_| async { NOTHING }).await?;
        }
    });
    assert_eq!(exceeded(&mut calls), (Limit::Objects, 100));
    let settings = MachineSettings {
        event_loops: LoopSettings {
            ceilings: LoopCeilings {
                tasks: 77,
                ..LoopCeilings::default()
            },
            ..LoopSettings::default()
        },
        ..ideal(1)
    };
    let mut tasks = loop_machine(settings, |here| async move {
        loop {
            here.spawn(|here| async move { here.sleep(ms(1)).await }).await?;
        }
    });
    assert_eq!(exceeded(&mut tasks), (Limit::Tasks, 77));
}

#[test]
fn a_trace_may_end_the_run() {
    let settings = MachineSettings {
        traced: true,
        trace_limits: trace::Limits {
            max_events: 500,
            stops: true,
            ..trace::Limits::default()
        },
        ..ideal(2)
    };
    let mut machine = machine(settings, |here| async move {
        loop {
            here.block(ms(1)).await;
        }
    });
    assert_eq!(exceeded(&mut machine), (Limit::Trace, 500));
}

#[test]
fn the_size_of_slices_changes_nothing() {
    let run = |slice: u64| {
        let mut machine = machine(
            MachineSettings {
                traced: true,
                ..rough(2)
            },
            |here| async move {
                let lock = here.new_thread_lock().await?;
                let threads = bunch(&here, 3, move |here, number| async move {
                    for n in 0..20 {
                        here.acquire_thread_lock(lock, Patience::Forever).await?;
                        here.compute(us(100 * u64::from(number + 1))).await;
                        here.release_thread_lock(lock).await?;
                        here.block(us(50 * n)).await;
                    }
                    NOTHING
                });
                join_all(&here, threads.await?).await?;
                NOTHING
            },
        );
        while let Progress::Paused = machine.run(slice) {}
        let (now, steps) = (machine.now(), machine.steps());
        let log = std::mem::take(machine.recorder_mut())
            .finish(now)
            .expect("it is traced");
        (now, steps, log.hash())
    };
    assert_eq!(run(1), run(u64::MAX));
    assert_eq!(run(7), run(100));
}

#[test]
fn memory_is_counted_by_its_constants() {
    let costs = MemoryCosts::CPYTHON;
    let threads = ended(ideal(1), |here| async move {
        let threads = bunch(&here, 100, |here, _| async move {
            here.block(ms(1)).await;
            NOTHING
        });
        join_all(&here, threads.await?).await?;
        NOTHING
    });
    let expected = MemoryUse {
        used: costs.process + 100 * costs.thread,
        reserved: 100 * costs.thread_stack,
    };
    assert_eq!(threads.peak_memory(), expected);
    let tasks = loop_ended(ideal(1), |here| async move {
        let mut tasks = Vec::new();
        for _ in 0..100 {
            tasks.push(here.spawn(|here| async move { here.sleep(ms(1)).await }).await?.into());
        }
        here.gather(tasks).await
    });
    // The main task is one of them.
    assert_eq!(tasks.peak_memory().used, costs.process + 101 * costs.task);
    let processes = ended(ideal(1), |here| async move {
        for _ in 0..3 {
            here.start_process(StartMethod::ForkServer, |here| async move {
                here.block(ms(1)).await;
                NOTHING
            })
            .await?;
        }
        here.new_interpreter().await?;
        here.block(ms(2)).await;
        NOTHING
    });
    assert_eq!(processes.peak_memory().used, 4 * costs.process + costs.interpreter);
    assert_eq!(processes.memory().used, 0);
}

#[test]
fn a_clock_beyond_all_time_is_no_accident() {
    let mut machine = machine(ideal(1), |here| async move {
        here.block(Nanoseconds::MAX).await;
        NOTHING
    });
    assert_eq!(exceeded(&mut machine).0, Limit::Time);
}

/// Every fault is seen to do what it says.
#[test]
fn faults_are_what_they_say() {
    let with = |fault| MachineSettings {
        fault: Some(fault),
        ..ideal(4)
    };
    ended(with(MachineFault::LockDoesNotLock), |here| async move {
        let lock = here.new_thread_lock().await?;
        assert!(here.acquire_thread_lock(lock, Patience::No).await?);
        assert!(here.acquire_thread_lock(lock, Patience::No).await?);
        NOTHING
    });
    let pool = ended(with(MachineFault::PoolOneAfterAnother), |here| async move {
        let pool = here.new_pool(NewPool::default()).await?;
        for _ in 0..5 {
            here.submit(pool, |here| async move {
                here.block(ms(10)).await;
                NOTHING
            })
            .await?;
        }
        NOTHING
    });
    assert_eq!(pool.now(), ms(50));
    let cell = concurrency_playground::machine::program::CellId(0);
    let shared = ended(with(MachineFault::CellsAreShared), move |here| async move {
        let child = here.start_process(StartMethod::Spawn, move |here| async move {
            here.write(cell, 1).await;
            NOTHING
        });
        here.join_process(child.await?, None).await?;
        NOTHING
    });
    assert_eq!(shared.cell(cell), Value::Int(1));
    let unlocked = ended(with(MachineFault::NoInterpreterLock), |here| async move {
        let threads = bunch(&here, 3, |here, _| async move {
            here.compute(ms(30)).await;
            NOTHING
        });
        join_all(&here, threads.await?).await?;
        NOTHING
    });
    assert_eq!(unlocked.now(), ms(30));
    let mut endless = machine(with(MachineFault::TimeoutNeverFires), |here| async move {
        let event = here.new_thread_event().await?;
        here.wait_thread_event(event, Some(ms(1))).await?;
        NOTHING
    });
    assert!(matches!(run(&mut endless), Progress::Deadlock(_)));
    let unheeded = ended(with(MachineFault::CheckPointsIgnored), |here| async move {
        let thread = here.start_thread(|here| async move {
            for _ in 0..20 {
                here.compute_as(ms(1), concurrency_playground::machine::Computing::KeepsLock)
                    .await;
                here.check_point(concurrency_playground::switch_points::Operation::LoopBackEdge)
                    .await;
            }
            NOTHING
        });
        here.join_thread(thread.await?, None).await?;
        NOTHING
    });
    assert_eq!(unheeded.hand_overs().forced, 0);
    assert_eq!(
        unheeded.thread_report(ThreadId(1)).expect("it is there").used.computed,
        ms(20)
    );
}
