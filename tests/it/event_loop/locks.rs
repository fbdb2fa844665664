//! What `test_locks.py` checks of locks and events.

use concurrency_playground::machine::event_loop::{EventId, FutureId, LockId, LoopCall, Situation};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Outcome, Value};

use super::{Count, GIVE_WAY, Log, done, ended, log_of, ok};

/// Takes a lock, says so, and keeps it.
async fn taker(here: Here, log: Log, lock: LockId, name: i64) -> Outcome {
    assert!(here.acquire(lock).await?.is_true());
    log.say(name);
    Ok(Value::Bool(true))
}

/// Takes a lock until a future is done, or only for a moment.
async fn holder(here: Here, lock: LockId, until: Option<FutureId>) -> Outcome {
    here.lock(lock, async {
        match until {
            Some(until) => here.join(until).await,
            None => done(),
        }
    })
    .await
}

#[test]
fn a_lock_is_passed_on_in_the_order_of_asking() {
    let log = log_of(|here, log| async move {
        let lock = here.new_lock().await?;
        assert!(here.acquire(lock).await?.is_true());
        let mut tasks = Vec::new();
        for name in [1, 2] {
            let log = log.clone();
            tasks.push(here.spawn(move |here| taker(here, log, lock, name)).await?);
        }
        here.sleep(GIVE_WAY).await?;
        here.release(lock).await?;
        here.sleep(GIVE_WAY).await?;
        log.say("-");
        here.sleep(GIVE_WAY).await?;
        let third = log.clone();
        tasks.push(here.spawn(move |here| taker(here, third, lock, 3)).await?);
        here.release(lock).await?;
        here.sleep(GIVE_WAY).await?;
        log.say("-");
        here.release(lock).await?;
        here.sleep(GIVE_WAY).await?;
        for task in tasks {
            assert!(here.done(task).await?);
        }
        done()
    });
    assert_eq!(log, ["1", "-", "2", "-", "3"]);
}

/// Has a task cancelled by a callback, and gives how it ended.
async fn cancelled_soon(here: &Here, task: FutureId) -> Result<String, concurrency_playground::machine::Exception> {
    let cancel = program(
        here,
        move |here| async move { here.ask(LoopCall::Cancel(task, None)).await },
    );
    here.call_soon(cancel).await?;
    Ok(ended(&here.join(task).await))
}

#[test]
fn waiting_for_a_lock_can_be_cancelled() {
    ok(|here| async move {
        let lock = here.new_lock().await?;
        here.acquire(lock).await?;
        let task = here.spawn(move |here| async move { here.acquire(lock).await }).await?;
        assert_eq!(cancelled_soon(&here, task).await?, "Cancelled");
        here.release(lock).await?;
        assert!(!here.locked(lock).await?, "nobody is left who waits");
        done()
    });
}

#[test]
fn a_release_passes_a_cancelled_waiter_by() {
    ok(|here| async move {
        let lock = here.new_lock().await?;
        let until = here.create_future().await?;
        let a = here.spawn(move |here| holder(here, lock, Some(until))).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.locked(lock).await?);
        let b = here.spawn(move |here| holder(here, lock, None)).await?;
        here.sleep(GIVE_WAY).await?;
        let c = here.spawn(move |here| holder(here, lock, None)).await?;
        here.sleep(GIVE_WAY).await?;
        here.set_result(until, ()).await?;
        here.cancel(b, None).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(!here.locked(lock).await?);
        assert!(here.done(a).await? && here.cancelled(b).await?);
        here.join(c).await
    });
}

#[test]
fn a_cancelled_waiter_and_a_release_at_once_give_one_lock() {
    ok(|here| async move {
        let lock = here.new_lock().await?;
        let (calls, taken) = (Count::default(), Count::default());
        here.acquire(lock).await?;
        let mut tasks = Vec::new();
        for _ in 0..3 {
            let (calls, taken) = (calls.clone(), taken.clone());
            let task = here.spawn(move |here| async move {
                calls.add(1);
                here.acquire(lock).await?;
                taken.add(1);
                done()
            });
            tasks.push(task.await?);
        }
        here.sleep(GIVE_WAY).await?;
        let first = tasks[0];
        let trigger = program(&here, move |here| async move {
            here.cancel(first, None).await?;
            here.release(lock).await?;
            done()
        });
        here.call_soon(trigger).await?;
        assert_eq!(ended(&here.join(first).await), "Cancelled");
        assert_eq!((calls.get(), taken.get()), (3, 1));
        assert!(here.done(tasks[1]).await? && !here.done(tasks[2]).await?);
        here.cancel(tasks[2], None).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.cancelled(tasks[2]).await?);
        done()
    });
}

#[test]
fn a_woken_waiter_that_is_cancelled_passes_the_lock_on() {
    ok(|here| async move {
        let lock = here.new_lock().await?;
        here.acquire(lock).await?;
        let b = here.spawn(move |here| async move { here.acquire(lock).await }).await?;
        here.sleep(GIVE_WAY).await?;
        let c = here.spawn(move |here| async move { here.acquire(lock).await }).await?;
        here.cancel(b, None).await?;
        here.release(lock).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.locked(lock).await? && here.cancelled(b).await?);
        here.join(c).await
    });
}

#[test]
fn the_same_when_it_is_woken_first_and_cancelled_then() {
    ok(|here| async move {
        let lock = here.new_lock().await?;
        here.acquire(lock).await?;
        let b = here.spawn(move |here| async move { here.acquire(lock).await }).await?;
        let c = here.spawn(move |here| async move { here.acquire(lock).await }).await?;
        here.sleep(GIVE_WAY).await?;
        here.release(lock).await?;
        here.cancel(b, None).await?;
        assert_eq!(ended(&here.join(b).await), "Cancelled");
        here.join(c).await
    });
}

#[test]
fn only_a_locked_lock_is_released() {
    ok(|here| async move {
        let lock = here.new_lock().await?;
        let raised = here.release(lock).await.expect_err("nobody has it");
        assert_eq!(raised.message(), "Lock is not acquired.");
        here.acquire(lock).await?;
        assert!(here.locked(lock).await?);
        here.release(lock).await?;
        assert!(!here.locked(lock).await?);
        here.lock(lock, async {
            assert!(here.locked(lock).await?);
            Ok(())
        })
        .await?;
        assert!(!here.locked(lock).await?);
        done()
    });
}

#[test]
fn whoever_waits_for_a_lock_is_held_up_by_its_holder() {
    let ran = super::run(|here, _| async move {
        let lock = here.new_lock().await?;
        let never = here.create_future().await?;
        here.spawn_named("holder", move |here| holder(here, lock, Some(never)))
            .await?;
        here.spawn_named("waiter", move |here| holder(here, lock, None)).await?;
        here.join(never).await
    });
    let event_loop = &ran.event_loop;
    let [_, holder, waiter] = event_loop.tasks()[..] else {
        panic!("three tasks are left")
    };
    match event_loop.situation(waiter) {
        Some(Situation::Waiting(why)) => assert_eq!(why.held_up_by, [holder]),
        other => panic!("{other:?}"),
    }
    assert!(event_loop.cycle().is_empty());
}

async fn listener(here: Here, log: Log, event: EventId, name: i64) -> Outcome {
    assert!(here.wait_event(event).await?.is_true());
    log.say(name);
    done()
}

#[test]
fn an_event_wakes_all_and_lets_the_late_through_first() {
    let log = log_of(|here, log| async move {
        let event = here.new_event().await?;
        assert!(!here.is_set(event).await?);
        let mut tasks = Vec::new();
        for name in [1, 2] {
            let log = log.clone();
            tasks.push(here.spawn(move |here| listener(here, log, event, name)).await?);
        }
        here.sleep(GIVE_WAY).await?;
        let third = log.clone();
        tasks.push(here.spawn(move |here| listener(here, third, event, 3)).await?);
        here.set_event(event).await?;
        here.sleep(GIVE_WAY).await?;
        for task in tasks {
            assert!(here.done(task).await?);
        }
        done()
    });
    assert_eq!(log, ["3", "1", "2"]);
}

#[test]
fn a_set_event_holds_nobody_up_until_it_is_cleared() {
    ok(|here| async move {
        let event = here.new_event().await?;
        here.set_event(event).await?;
        assert!(here.is_set(event).await?);
        assert!(here.wait_event(event).await?.is_true());
        here.clear_event(event).await?;
        assert!(!here.is_set(event).await?);
        let waiter = here
            .spawn(move |here| async move { here.wait_event(event).await })
            .await?;
        assert_eq!(cancelled_soon(&here, waiter).await?, "Cancelled");
        done()
    });
}

#[test]
fn clearing_an_event_does_not_take_a_wake_up_back() {
    let log = log_of(|here, log| async move {
        let event = here.new_event().await?;
        let inside = log.clone();
        let task = here.spawn(move |here| listener(here, inside, event, 1)).await?;
        here.sleep(GIVE_WAY).await?;
        here.set_event(event).await?;
        here.clear_event(event).await?;
        assert!(!here.is_set(event).await?);
        here.set_event(event).await?;
        here.set_event(event).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.done(task).await?);
        done()
    });
    assert_eq!(log, ["1"]);
}
