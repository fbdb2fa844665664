//! Deadlock, livelock, starvation and plain waiting told apart, and why one waits; all untraced.

use std::pin::Pin;

use concurrency_playground::machine::event_loop::WaitsOn;
use concurrency_playground::machine::front::Here;
use concurrency_playground::machine::program::CellId;
use concurrency_playground::machine::threads::{
    Actor, Condition, Costs, Deadlock, Lacks, Machine, MachineFault, MachineSettings, Needs, NewPool, Patience,
    Progress, ThreadId, ThreadLockId,
};
use concurrency_playground::machine::{Nanoseconds, Note};
use concurrency_playground::wire::Runtime;

use super::support::*;

fn deadlock(machine: &mut Machine) -> Deadlock {
    match run(machine) {
        Progress::Deadlock(deadlock) => {
            assert_eq!(machine.diagnose(), Condition::Deadlock(deadlock.clone()));
            *deadlock
        }
        other => panic!("{other:?}"),
    }
}

/// Two threads that take two locks, in opposite order or not.
async fn two_locks(here: Here, is_opposite: bool, patience: Patience, beside: bool) -> Gives<()> {
    let locks = [here.new_thread_lock().await?, here.new_thread_lock().await?];
    let threads = bunch(&here, 2, move |here, number| async move {
        let (first, second) = if number == 1 && is_opposite { (1, 0) } else { (0, 1) };
        here.acquire_thread_lock(locks[first], Patience::Forever).await?;
        here.block(ms(10)).await;
        if here.acquire_thread_lock(locks[second], patience).await? {
            here.release_thread_lock(locks[second]).await?;
        }
        here.release_thread_lock(locks[first]).await?;
        NOTHING
    });
    let threads = threads.await?;
    if beside {
        here.start_thread(|here| async move {
            loop {
                here.block(ms(1)).await;
            }
        })
        .await?;
    }
    join_all(&here, threads).await
}

#[test]
fn two_locks_in_opposite_order_are_a_circle() {
    let mut machine = machine(ideal(2), |here| async move {
        two_locks(here, true, Patience::Forever, false).await?;
        NOTHING
    });
    let deadlock = deadlock(&mut machine);
    let circle: Vec<(Actor, Needs)> = deadlock.cycle.iter().map(|why| (why.actor, why.needs)).collect();
    let (one, two) = (Actor::Thread(ThreadId(1)), Actor::Thread(ThreadId(2)));
    let expected = [(one, Needs::Lock(ThreadLockId(1))), (two, Needs::Lock(ThreadLockId(0)))];
    assert_eq!(circle, expected);
    assert_eq!(deadlock.cycle[0].held_up_by, [two]);
    assert_eq!(deadlock.cycle[1].held_up_by, [one]);
    assert_eq!(deadlock.cycle[0].since, Some(ms(10)));
    // The main thread waits too, for one of them.
    assert_eq!(deadlock.waiting.len(), 3);
    assert_eq!(deadlock.waiting[0].needs, Needs::End(ThreadId(1)));
    assert_eq!(
        machine.why_waiting(deadlock.cycle[0].lane),
        Some(deadlock.cycle[0].clone())
    );
}

#[test]
fn ordered_locks_and_time_outs_are_no_deadlock() {
    for (is_opposite, patience) in [(false, Patience::Forever), (true, Patience::For(ms(300)))] {
        ended(ideal(2), move |here| async move {
            two_locks(here, is_opposite, patience, false).await?;
            NOTHING
        });
    }
}

#[test]
fn a_circle_is_seen_while_others_go_on() {
    let mut machine = machine(ideal(2), |here| async move {
        two_locks(here, true, Patience::Forever, true).await?;
        NOTHING
    });
    machine.run(1000);
    match machine.diagnose() {
        Condition::Deadlock(deadlock) => assert_eq!(deadlock.cycle.len(), 2),
        other => panic!("{other:?}"),
    }
    // With a time-out it breaks by itself.
    let mut waits = machine_that(|here| two_locks(here, true, Patience::For(ms(5000)), true));
    waits.run_until(Nanoseconds(500_500_000), 1_000_000);
    assert_eq!(waits.diagnose(), Condition::Waiting { until: ms(501) });
}

fn machine_that<Running>(body: impl Fn(Here) -> Running + 'static) -> Machine
where
    Running: Future<Output = Gives<()>> + 'static,
{
    machine(ideal(2), move |here| async move {
        body(here).await?;
        NOTHING
    })
}

#[test]
fn what_nobody_will_do_is_a_deadlock_without_a_circle() {
    let mut machine = machine_that(|here| async move {
        let event = here.new_thread_event().await?;
        here.wait_thread_event(event, None).await.map(|_| ())
    });
    let deadlock = deadlock(&mut machine);
    assert!(deadlock.cycle.is_empty());
    assert!(matches!(deadlock.waiting[..], [ref why] if matches!(why.needs, Needs::Event(_))));
}

/// The one worker of a pool waits for a call of the same pool.
#[test]
fn a_pool_may_wait_for_itself() {
    let mut machine = machine_that(|here| async move {
        let new = NewPool {
            max_workers: Some(1),
            ..NewPool::default()
        };
        let pool = here.new_pool(new).await?;
        let outer = here.submit(pool, move |here| async move {
            let inner = here.submit(pool, |_| async { NOTHING }).await?;
            here.future_result(inner, None).await
        });
        here.future_result(outer.await?, None).await.map(|_| ())
    });
    let deadlock = deadlock(&mut machine);
    // The worker is held up by the pool's workers: by itself.
    assert_eq!(deadlock.cycle.len(), 1);
    assert!(matches!(deadlock.cycle[0].needs, Needs::Future(_)));
    assert_eq!(deadlock.cycle[0].name, "ThreadPoolExecutor-0_0");
}

/// A task waits for a thread of its pool, which waits for another task of the same loop, which needs the first's lock.
#[test]
fn a_circle_may_lead_through_tasks_and_threads() {
    let mut machine = loop_machine(ideal(2), |here| async move {
        let lock = here.new_lock().await?;
        let main = here.current_thread().await?;
        here.acquire(lock).await?;
        here.to_thread(move |here| async move {
            let coroutine = here.run_threadsafe(main, move |here| async move {
                here.acquire(lock).await?;
                NOTHING
            });
            here.future_result(coroutine.await?, None).await
        })
        .await
    });
    let deadlock = deadlock(&mut machine);
    let needs: Vec<Needs> = deadlock.cycle.iter().map(|why| why.needs).collect();
    assert_eq!(needs.len(), 3, "{needs:?}");
    assert!(
        needs
            .iter()
            .any(|needs| matches!(needs, Needs::Task(WaitsOn::Thread(_))))
    );
    assert!(needs.iter().any(|needs| matches!(needs, Needs::Task(WaitsOn::Lock(_)))));
    assert!(needs.iter().any(|needs| matches!(needs, Needs::Future(_))));
}

/// A loop that blocks its own thread for a coroutine of its own.
#[test]
fn a_loop_that_blocks_for_its_own_task_is_a_circle() {
    let mut machine = loop_machine(ideal(2), |here| async move {
        let main = here.current_thread().await?;
        let own = here
            .run_threadsafe(main, |here| async move { here.sleep(ms(1)).await })
            .await?;
        here.future_result(own, None).await
    });
    let deadlock = deadlock(&mut machine);
    // The coroutine has not even become a task: nobody but the loop itself could make it one.
    assert!(deadlock.waiting.iter().any(|why| matches!(why.needs, Needs::Future(_))));
}

/// Two threads that are too polite: each gives up what it has when it cannot have the other's.
fn polite(settings: MachineSettings, with_marks: bool) -> Machine {
    machine(settings, move |here| async move {
        let locks = [here.new_thread_lock().await?, here.new_thread_lock().await?];
        let threads = bunch(&here, 2, move |here, number| async move {
            let (mine, other) = (locks[number as usize], locks[1 - number as usize]);
            loop {
                here.acquire_thread_lock(mine, Patience::Forever).await?;
                here.block(ms(1)).await;
                if here.acquire_thread_lock(other, Patience::No).await? {
                    return NOTHING;
                }
                here.block(ms(1)).await;
                here.release_thread_lock(mine).await?;
                here.block(ms(1)).await;
                if with_marks {
                    here.note(Note::Mark("tried".to_owned())).await;
                }
            }
        });
        join_all(&here, threads.await?).await?;
        NOTHING
    })
}

#[test]
fn a_circle_of_trying_in_vain_is_a_livelock() {
    let mut machine = polite(ideal(2), false);
    machine.run(2000);
    match machine.diagnose() {
        Condition::Livelock(repetition) => {
            assert_eq!(repetition.threads, [ThreadId(1), ThreadId(2)]);
            assert!(repetition.n_rounds >= 8);
            // Acquire, sleep, try, sleep, release, sleep, of both.
            assert_eq!(repetition.round, 12);
        }
        other => panic!("{other:?}"),
    }
    // Whoever marks progress makes it.
    let mut marking = polite(ideal(2), true);
    marking.run(2000);
    assert!(!matches!(marking.diagnose(), Condition::Livelock(_)));
}

#[test]
fn what_gets_on_is_no_livelock() {
    // Counting, passing items on, and polling for one that comes now and then.
    type Running = Pin<Box<dyn Future<Output = Gives<()>>>>;
    let bodies: [fn(Here, u32) -> Running; 2] = [
        |here, _| {
            Box::pin(async move {
                loop {
                    let n = here.read(CellId(0)).await.int().unwrap_or(0);
                    here.write(CellId(0), n + 1).await;
                    here.block(ms(1)).await;
                }
            })
        },
        |here, number| {
            Box::pin(async move {
                let lock = ThreadLockId(0);
                loop {
                    here.acquire_thread_lock(lock, Patience::Forever).await?;
                    here.compute(us(u64::from(number) + 10)).await;
                    here.release_thread_lock(lock).await?;
                    here.block(ms(1)).await;
                }
            })
        },
    ];
    for body in bodies {
        let mut machine = machine_that(move |here| async move {
            here.new_thread_lock().await?;
            let threads = bunch(&here, 2, move |here, number| async move {
                body(here, number).await?;
                NOTHING
            });
            join_all(&here, threads.await?).await
        });
        machine.run(5000);
        let condition = machine.diagnose();
        assert!(matches!(condition, Condition::Running), "{condition:?}");
    }
}

/// A thread that wants a lock of 3.9, which three others pass round without ever letting it look.
#[test]
fn a_thread_that_others_pass_by_is_starved() {
    let settings = MachineSettings {
        // Waking takes long, and three others come by in the meantime.
        costs: Costs {
            wake_up: us(300),
            ..Costs::IDEAL
        },
        ..with_runtime(5, Runtime::GilLegacy)
    };
    let settings = MachineSettings {
        fault: Some(MachineFault::NoInterpreterLock),
        ..settings
    };
    let mut machine = machine(settings, |here| async move {
        let lock = here.new_thread_lock().await?;
        let threads = bunch(&here, 2, move |here, number| async move {
            if number == 1 {
                here.block(ms(1)).await;
                here.acquire_thread_lock(lock, Patience::Forever).await?;
                return NOTHING;
            }
            for _ in 0..20_000 {
                here.acquire_thread_lock(lock, Patience::Forever).await?;
                here.compute(us(400)).await;
                here.release_thread_lock(lock).await?;
                here.compute(us(10)).await;
            }
            NOTHING
        });
        join_all(&here, threads.await?).await?;
        NOTHING
    });
    machine.run(20_000);
    match machine.diagnose() {
        Condition::Starvation(starving) => {
            assert_eq!(starving.len(), 1);
            assert_eq!(starving[0].thread, ThreadId(2));
            assert_eq!(starving[0].lacks, Lacks::Lock(0));
            assert!(starving[0].length >= Nanoseconds::seconds(1) && starving[0].n_times > 100);
        }
        other => panic!("{other:?}"),
    }
    // It is told afterwards too.
    outcome(&mut machine).expect("it ends");
    assert_eq!(machine.starved().len(), 1);
}

#[test]
fn a_long_row_is_no_starvation() {
    let mut machine = machine_that(|here| async move {
        let threads = bunch(&here, 300, |here, _| async move {
            here.compute(ms(200)).await;
            NOTHING
        });
        join_all(&here, threads.await?).await
    });
    outcome(&mut machine).expect("it ends");
    assert!(machine.starved().is_empty(), "{:?}", machine.starved());
}

#[test]
fn waiting_for_a_time_is_just_that() {
    let mut machine = machine_that(|here| async move {
        let thread = here.start_thread(|here| async move {
            here.block(ms(500)).await;
            NOTHING
        });
        here.join_thread(thread.await?, None).await
    });
    assert!(matches!(machine.run_until(ms(499), 100), Progress::Paused));
    assert_eq!(machine.now(), ms(0));
    assert_eq!(machine.diagnose(), Condition::Waiting { until: ms(500) });
    let lane = machine.thread_reports()[1].lane;
    let why = machine.why_waiting(lane).expect("it waits");
    assert_eq!(
        (why.needs, why.until, why.held_up_by.len()),
        (Needs::Time, Some(ms(500)), 0)
    );
    outcome(&mut machine).expect("it ends");
    assert_eq!(machine.diagnose(), Condition::Ended);
    assert_eq!(machine.why_waiting(lane), None);
}

#[test]
fn who_waits_for_the_interpreter_lock_knows_the_holder() {
    let mut machine = machine_that(|here| async move {
        let threads = bunch(&here, 2, |here, _| async move {
            here.compute(ms(2)).await;
            here.compute(ms(100)).await;
            NOTHING
        });
        join_all(&here, threads.await?).await
    });
    machine.run_until(ms(3), 100);
    assert_eq!(machine.now(), ms(2));
    let holder = Actor::Thread(ThreadId(1));
    let lane = machine.thread_reports()[0].lane;
    let why = machine.why_waiting(lane).expect("it waits");
    assert!(matches!(why.needs, Needs::InterpreterLock(_)), "{why:?}");
    assert_eq!(why.held_up_by, [holder]);
    assert_eq!(machine.diagnose(), Condition::Running);
}
