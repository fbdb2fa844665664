//! The interpreter lock and the cores: hand-overs, check points, slices, siblings; each from its worked example.

use concurrency_playground::machine::front::Here;
use concurrency_playground::machine::program::{Access, CellId};
use concurrency_playground::machine::threads::{Costs, HandOvers, Machine, MachineSettings, StartMethod};
use concurrency_playground::machine::{Computing, Nanoseconds, Value};
use concurrency_playground::switch_points::Operation;
use concurrency_playground::wire::Runtime;

use super::support::*;

/// Threads that all begin at 0, after their making.
async fn at_once<Running>(here: &Here, n: u32, body: impl Fn(Here, u32) -> Running + Clone + 'static) -> Gives<()>
where
    Running: Future<Output = Gives<()>> + 'static,
{
    let gate = here.new_thread_event().await?;
    let threads = bunch(here, n, move |here, number| {
        let body = body.clone();
        async move {
            here.wait_thread_event(gate, None).await?;
            body(here, number).await?;
            NOTHING
        }
    });
    let threads = threads.await?;
    here.set_thread_event(gate).await?;
    join_all(here, threads).await
}

/// With an interval that is shorter than a switch takes, each thread still gets on.
#[test]
fn a_tiny_interval_is_slow_and_comes_to_an_end() {
    for interval in [1, 2, 3, 7] {
        let settings = MachineSettings {
            switch_interval: us(interval),
            ..rough(2)
        };
        let machine = ended(settings, |here| async move {
            let threads = bunch(&here, 3, |here, _| async move {
                here.compute(us(400)).await;
                NOTHING
            });
            join_all(&here, threads.await?).await?;
            NOTHING
        });
        assert!(machine.now() < ms(30), "{interval} µs: {}", machine.now());
    }
}

#[test]
fn a_computing_thread_is_asked_after_an_interval() {
    for interval in [1, 5, 20] {
        let settings = MachineSettings {
            switch_interval: ms(interval),
            ..ideal(2)
        };
        let log = Log::default();
        let inner = log.clone();
        let machine = ended(settings, move |here| async move {
            at_once(&here, 2, move |here, number| {
                let log = inner.clone();
                async move {
                    here.compute(ms(100)).await;
                    log.say(&here, format!("{number}")).await;
                    Ok(())
                }
            })
            .await?;
            NOTHING
        });
        // The lock goes to and fro: the first is done one interval before the second.
        assert_eq!(log.timed(), format!("0@{} 1@200", 200 - interval));
        assert_eq!(machine.hand_overs().forced, 200 / interval - 1);
    }
}

#[test]
fn the_recorded_rate_of_two_computing_threads() {
    // 190 hand-overs a second and a median slice of 5.15 ms were recorded at 5 ms.
    let machine = ended(rough(2), |here| async move {
        at_once(&here, 2, |here, _| async move {
            here.compute(ms(1000)).await;
            Ok(())
        })
        .await?;
        NOTHING
    });
    let rate = machine.hand_overs().forced as f64 / machine.now().as_seconds();
    assert!((rate / 190.0 - 1.0).abs() < 0.06, "{rate}");
}

#[test]
fn a_switch_in_between_begins_the_interval_anew() {
    let log = Log::default();
    let inner = log.clone();
    ended(ideal(4), move |here| async move {
        at_once(&here, 3, move |here, number| {
            let log = inner.clone();
            async move {
                // 0 computes from 1 to 7 ms; from 3 on 1 wants to compute, from 4 on 2.
                here.block(ms([1, 3, 4][number as usize])).await;
                here.compute(ms([6, 30, 1][number as usize])).await;
                log.say(&here, format!("{number}")).await;
                // Whoever waits for its end is not to ask for the lock.
                here.block(ms(100)).await;
                Ok(())
            }
        })
        .await?;
        NOTHING
    });
    // 1 has the lock from 7 on. 2 has waited since 4, but at 9 it sees that the lock has gone over meanwhile, and asks
    // only at 14.
    assert_eq!(log.timed(), "0@7 2@15 1@38");
}

/// When a second thread that wants the lock almost from the beginning has it, beside a thread that does this; in whole
/// milliseconds, rounded down.
fn has_lock_at(runtime: Runtime, kind: Computing, check_points: &'static [Operation]) -> u64 {
    let got = List::new();
    let list = got.clone();
    ended(with_runtime(2, runtime), move |here| async move {
        at_once(&here, 2, move |here, number| {
            let list = list.clone();
            async move {
                if number == 1 {
                    here.block(us(1)).await;
                    list.add(here.now().await);
                    return Ok(());
                }
                here.block(Nanoseconds(1)).await;
                for _ in 0..20 {
                    here.compute_as(ms(3), kind).await;
                    here.read(CellId(0)).await;
                    for operation in check_points {
                        here.check_point(*operation).await;
                    }
                }
                Ok(())
            }
        })
        .await?;
        NOTHING
    });
    got.all()[0].0 / 1_000_000
}

#[test]
fn the_holder_lets_go_where_the_table_says() {
    let (keeps, at_end) = (Computing::KeepsLock, 60);
    let wants = [
        (Runtime::Gil, Computing::Bytecode, &[][..], 5),
        (Runtime::Gil, Computing::ReleasesLock, &[], 0),
        (Runtime::Gil, keeps, &[], at_end),
        (
            Runtime::Gil,
            keeps,
            &[Operation::BetweenBytecodes, Operation::MemoryAccess],
            at_end,
        ),
        (Runtime::Gil, keeps, &[Operation::LoopBackEdge], 6),
        (Runtime::Gil, keeps, &[Operation::FunctionEntry], 6),
        (Runtime::Gil, keeps, &[Operation::AfterCallIntoC], 6),
        (Runtime::Gil, keeps, &[Operation::VoluntaryRelease], 3),
        // Before 3.10 any access is at a bytecode's beginning.
        (Runtime::GilLegacy, keeps, &[], 6),
        (Runtime::FreeThreaded, keeps, &[], 0),
    ];
    for (runtime, kind, check_points, at) in wants {
        assert_eq!(
            has_lock_at(runtime, kind, check_points),
            at,
            "{runtime:?} {kind:?} {check_points:?}"
        );
    }
}

#[test]
fn waiting_for_anything_lets_the_lock_go() {
    let machine = ended(ideal(2), |here| async move {
        at_once(&here, 2, |here, _| async move {
            for _ in 0..10 {
                here.compute(ms(1)).await;
                here.block(ms(1)).await;
            }
            Ok(())
        })
        .await?;
        NOTHING
    });
    assert_eq!(machine.hand_overs().forced, 0);
    assert!(machine.hand_overs().voluntary > 15);
    assert_eq!(machine.now(), ms(21));
}

#[test]
fn a_loop_that_only_makes_calls_lets_go_after_them() {
    let machine = ended(ideal(2), |here| async move {
        let lock = here.new_thread_lock().await?;
        at_once(&here, 2, move |here, number| async move {
            if number == 1 {
                here.compute(ms(1)).await;
                return Ok(());
            }
            for _ in 0..20 {
                here.compute_as(ms(1), Computing::KeepsLock).await;
                here.is_thread_lock_locked(lock).await?;
            }
            Ok(())
        })
        .await?;
        NOTHING
    });
    assert_eq!(machine.hand_overs().forced, 1);
}

fn computing(settings: MachineSettings, n_threads: u32, time: Nanoseconds) -> Machine {
    ended(settings, move |here| async move {
        at_once(&here, n_threads, move |here, _| async move {
            here.compute(time).await;
            Ok(())
        })
        .await?;
        NOTHING
    })
}

#[test]
fn free_threads_share_what_cores_there_are() {
    for (cores, n_threads, total) in [(4, 4, 30), (2, 4, 60), (1, 3, 90), (3, 4, 40)] {
        let machine = computing(with_runtime(cores, Runtime::FreeThreaded), n_threads, ms(30));
        // With slices of 3 ms the last may be left with a core while others are idle.
        let late = machine.now().since(ms(total));
        assert!(
            ms(total) <= machine.now() && late <= ms(6),
            "{cores} cores: {}",
            machine.now()
        );
        assert_eq!(machine.used().computed, ms(30 * u64::from(n_threads)));
        assert_eq!(machine.used().on_core, machine.used().computed);
    }
}

#[test]
fn a_slice_is_as_long_as_it_is() {
    let log = Log::default();
    let inner = log.clone();
    ended(with_runtime(1, Runtime::FreeThreaded), move |here| async move {
        at_once(&here, 2, move |here, number| {
            let log = inner.clone();
            async move {
                here.compute(ms(if number == 0 { 4 } else { 2 })).await;
                log.say(&here, format!("{number}")).await;
                Ok(())
            }
        })
        .await?;
        NOTHING
    });
    // The second begins when the first has had 3 ms, and is done before it.
    assert_eq!(log.timed(), "1@5 0@6");
}

#[test]
fn whoever_has_used_up_its_slice_gives_way_at_once() {
    let log = Log::default();
    let inner = log.clone();
    ended(with_runtime(1, Runtime::FreeThreaded), move |here| async move {
        at_once(&here, 2, move |here, number| {
            let log = inner.clone();
            async move {
                if number == 0 {
                    here.block(ms(1)).await;
                    here.compute(ms(50)).await;
                } else {
                    here.block(ms(20)).await;
                    log.say(&here, "on time").await;
                }
                Ok(())
            }
        })
        .await?;
        NOTHING
    });
    assert_eq!(log.timed(), "on time@20");
}

#[test]
fn a_switch_costs_the_core_its_time() {
    let settings = MachineSettings {
        costs: Costs {
            context_switch: us(10),
            ..Costs::IDEAL
        },
        ..with_runtime(1, Runtime::FreeThreaded)
    };
    let machine = computing(settings, 2, ms(30));
    assert_eq!(machine.used().computed, ms(60));
    let used = machine.used();
    assert_eq!(used.on_core, used.computed + used.overhead);
    // At least one switch a slice.
    assert!(
        used.overhead >= us(190) && used.overhead <= us(300),
        "{}",
        used.overhead
    );
}

fn siblings(n_threads: u32) -> Machine {
    let settings = MachineSettings {
        cores: 2,
        logical_cores: 4,
        costs: Costs {
            sibling_permille: 650,
            ..Costs::IDEAL
        },
        ..with_runtime(2, Runtime::FreeThreaded)
    };
    computing(settings, n_threads, ms(65))
}

#[test]
fn two_logical_cores_share_the_speed_of_one() {
    // Two threads get a physical core each; a third slows one of them down.
    assert_eq!(siblings(2).now(), ms(65));
    assert_eq!(siblings(3).now(), ms(100));
    assert_eq!(siblings(4).now(), ms(100));
    assert_eq!(siblings(4).used().computed, ms(260));
}

#[test]
fn what_is_computed_is_timed_anew_when_a_sibling_comes_or_goes() {
    let log = Log::default();
    let inner = log.clone();
    let settings = MachineSettings {
        cores: 1,
        logical_cores: 2,
        costs: Costs {
            sibling_permille: 500,
            ..Costs::IDEAL
        },
        ..with_runtime(1, Runtime::FreeThreaded)
    };
    ended(settings, move |here| async move {
        at_once(&here, 2, move |here, number| {
            let log = inner.clone();
            async move {
                here.block(ms(if number == 0 { 0 } else { 10 })).await;
                here.compute(ms(if number == 0 { 30 } else { 5 })).await;
                log.say(&here, format!("{number}")).await;
                Ok(())
            }
        })
        .await?;
        NOTHING
    });
    // 10 ms alone; then both at half speed for 10 ms; then the first has 15 ms left, alone.
    assert_eq!(log.timed(), "1@20 0@35");
}

#[test]
fn many_busy_cores_may_all_be_slower() {
    let of = |n_threads| {
        let settings = MachineSettings {
            costs: Costs {
                all_cores_permille: 700,
                ..Costs::IDEAL
            },
            ..with_runtime(4, Runtime::FreeThreaded)
        };
        computing(settings, n_threads, ms(63)).now()
    };
    // One alone at full speed, two at 0.9, four at 0.7.
    assert_eq!([of(1), of(2), of(4)], [ms(63), ms(70), ms(90)]);
}

#[test]
fn processes_share_cores_but_no_lock() {
    let machine = ended(ideal(2), |here| async move {
        let mut children = Vec::new();
        for _ in 0..4 {
            let child = here.start_process(StartMethod::Fork, |here| async move {
                here.compute(ms(30)).await;
                NOTHING
            });
            children.push(child.await?);
        }
        for child in children {
            here.join_process(child, None).await?;
        }
        NOTHING
    });
    assert_eq!(machine.now(), ms(60));
    assert_eq!(machine.hand_overs(), HandOvers::default());
}

#[test]
fn cells_are_read_written_added_to_and_swapped() {
    check(|here| async move {
        let cell = CellId(70_000);
        assert_eq!(here.read(cell).await, Value::None);
        here.write(cell, 5).await;
        assert_eq!(here.access(Access::Add(cell, 3)).await, Value::Int(5));
        let swap = |old, new| Access::CompareAndSwap(cell, Box::new((Value::Int(old), Value::Int(new))));
        assert_eq!(here.access(swap(5, 1)).await, Value::Bool(false));
        assert_eq!(here.access(swap(8, 1)).await, Value::Bool(true));
        assert_eq!(here.read(cell).await, Value::Int(1));
        NOTHING
    });
}

#[test]
fn fetching_a_cell_from_another_core_takes_its_time() {
    let settings = MachineSettings {
        costs: Costs {
            cell_transfer: Nanoseconds(100),
            ..Costs::IDEAL
        },
        ..with_runtime(2, Runtime::FreeThreaded)
    };
    let takes = |n_threads| {
        let settings = settings.clone();
        let machine = ended(settings, move |here| async move {
            at_once(&here, n_threads, |here, _| async move {
                for _ in 0..100 {
                    here.access(Access::Add(CellId(0), 1)).await;
                    here.compute(Nanoseconds(10)).await;
                }
                Ok(())
            })
            .await?;
            NOTHING
        });
        assert_eq!(machine.cell(CellId(0)), Value::Int(i64::from(n_threads) * 100));
        machine.now()
    };
    assert_eq!(takes(1), us(1));
    assert!(takes(2) > us(10), "{}", takes(2));
}
