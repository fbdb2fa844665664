//! What `test_locks.py` checks of conditions.

use std::cell::Cell;
use std::rc::Rc;

use concurrency_playground::machine::event_loop::{ConditionId, FutureId, LoopCall};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Exception, Outcome};

use super::{Count, GIVE_WAY, Log, done, ended, log_of, millis, ok};

async fn acquire(here: &Here, condition: ConditionId) -> Result<(), Exception> {
    here.acquire(here.lock_of(condition).await?).await?;
    Ok(())
}

async fn release(here: &Here, condition: ConditionId) -> Result<(), Exception> {
    here.release(here.lock_of(condition).await?).await
}

async fn locked(here: &Here, condition: ConditionId) -> Result<bool, Exception> {
    here.locked(here.lock_of(condition).await?).await
}

/// Tasks 1, 2 and so on that wait to be notified, say so, and give the lock back or keep it.
async fn waiters(
    here: &Here,
    log: &Log,
    condition: ConditionId,
    n: i64,
    keeps: bool,
) -> Result<Vec<FutureId>, Exception> {
    let mut tasks = Vec::new();
    for name in 1..=n {
        let log = log.clone();
        let task = here.spawn(move |here| async move {
            acquire(&here, condition).await?;
            here.wait_condition(condition).await?;
            log.say(name);
            if !keeps {
                release(&here, condition).await?;
            }
            done()
        });
        tasks.push(task.await?);
    }
    here.sleep(GIVE_WAY).await?;
    Ok(tasks)
}

async fn notify(here: &Here, condition: ConditionId, n: &[u32]) -> Result<(), Exception> {
    acquire(here, condition).await?;
    for n in n {
        here.notify(condition, *n).await?;
    }
    release(here, condition).await
}

#[test]
fn whoever_is_notified_goes_on_once_it_has_the_lock() {
    let log = log_of(|here, log| async move {
        let condition = here.new_condition(None).await?;
        let tasks = waiters(&here, &log, condition, 3, true).await?;
        assert!(!locked(&here, condition).await?);
        acquire(&here, condition).await?;
        here.notify(condition, 1).await?;
        here.sleep(GIVE_WAY).await?;
        log.say("notified");
        for round in 0..3 {
            release(&here, condition).await?;
            here.sleep(GIVE_WAY).await?;
            log.say("-");
            assert!(locked(&here, condition).await?);
            if round == 0 {
                here.notify(condition, 2).await?;
                here.sleep(GIVE_WAY).await?;
            }
        }
        for task in tasks {
            assert!(here.done(task).await?);
        }
        done()
    });
    assert_eq!(log, ["notified", "1", "-", "2", "-", "3", "-"]);
}

#[test]
fn so_many_are_notified_or_all() {
    let log = log_of(|here, log| async move {
        let condition = here.new_condition(None).await?;
        waiters(&here, &log, condition, 3, false).await?;
        notify(&here, condition, &[1]).await?;
        here.sleep(GIVE_WAY).await?;
        log.say("-");
        notify(&here, condition, &[1, 2048]).await?;
        here.sleep(GIVE_WAY).await?;
        log.say("-");
        waiters(&here, &log, condition, 2, false).await?;
        here.condition(condition, here.notify_all(condition)).await?;
        here.sleep(GIVE_WAY).await?;
        done()
    });
    assert_eq!(log, ["1", "-", "2", "3", "-", "1", "2"]);
}

async fn call_soon(here: &Here, call: impl FnOnce() -> LoopCall + 'static) -> Result<(), Exception> {
    let callback = program(here, |here| async move { here.ask(call()).await });
    here.call_soon(callback).await?;
    Ok(())
}

#[test]
fn cancelled_it_has_the_lock_again() {
    ok(|here| async move {
        let condition = here.new_condition(None).await?;
        acquire(&here, condition).await?;
        let waiter = here
            .spawn(move |here| async move { here.wait_condition(condition).await })
            .await?;
        call_soon(&here, move || LoopCall::Cancel(waiter, None)).await?;
        assert_eq!(ended(&here.join(waiter).await), "Cancelled");
        assert!(locked(&here, condition).await?);
        done()
    });
}

#[test]
fn cancelled_while_others_want_the_lock_it_has_it_again() {
    ok(|here| async move {
        let condition = here.new_condition(None).await?;
        let lock = here.lock_of(condition).await?;
        acquire(&here, condition).await?;
        let waiter = here
            .spawn(move |here| async move { here.wait_condition(condition).await })
            .await?;
        here.sleep(GIVE_WAY).await?;
        assert!(!locked(&here, condition).await?);
        acquire(&here, condition).await?;
        here.notify(condition, 1).await?;
        call_soon(&here, move || LoopCall::Cancel(waiter, None)).await?;
        call_soon(&here, move || LoopCall::Release(lock)).await?;
        let _ = here.join(waiter).await;
        assert!(locked(&here, condition).await?);
        done()
    });
}

#[test]
fn a_cancellation_after_the_notification_is_not_lost() {
    ok(|here| async move {
        let condition = here.new_condition(None).await?;
        let waited = Count::default();
        let inside = waited.clone();
        let waiter = here
            .spawn(move |here| async move {
                here.condition(condition, async {
                    inside.add(1);
                    here.wait_condition(condition).await
                })
                .await
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        acquire(&here, condition).await?;
        here.notify(condition, 1).await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(waiter, None).await?;
        here.sleep(GIVE_WAY).await?;
        release(&here, condition).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.cancelled(waiter).await?);
        assert_eq!(waited.get(), 1);
        done()
    });
}

#[test]
fn it_takes_the_lock_to_wait_or_to_notify() {
    ok(|here| async move {
        let condition = here.new_condition(None).await?;
        let raised = here.wait_condition(condition).await.expect_err("nobody has the lock");
        assert_eq!(raised.message(), "cannot wait on un-acquired lock");
        here.wait_until(condition, || true).await?;
        assert!(here.wait_until(condition, || false).await.is_err());
        let raised = here.notify(condition, 1).await.expect_err("nobody has the lock");
        assert_eq!(raised.message(), "cannot notify on un-acquired lock");
        assert!(here.notify_all(condition).await.is_err());
        done()
    });
}

#[test]
fn a_predicate_is_asked_after_every_wake_up() {
    let log = log_of(|here, log| async move {
        let condition = here.new_condition(None).await?;
        let holds = Rc::new(Cell::new(false));
        let (inside, says) = (holds.clone(), log.clone());
        let task = here
            .spawn(move |here| async move {
                here.condition(condition, here.wait_until(condition, || inside.get()))
                    .await?;
                says.say("holds");
                done()
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        notify(&here, condition, &[1]).await?;
        here.sleep(GIVE_WAY).await?;
        log.say("not yet");
        holds.set(true);
        notify(&here, condition, &[1]).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.done(task).await?);
        done()
    });
    assert_eq!(log, ["not yet", "holds"]);
}

#[test]
fn its_lock_may_be_anothers() {
    ok(|here| async move {
        let lock = here.new_lock().await?;
        for lock in [None, Some(lock)] {
            let condition = here.new_condition(lock).await?;
            let lock = here.lock_of(condition).await?;
            assert!(!here.locked(lock).await?);
            here.condition(condition, async {
                assert!(here.locked(lock).await?);
                Ok(())
            })
            .await?;
            assert!(!here.locked(lock).await?);
        }
        done()
    });
}

#[test]
fn waiting_may_time_out_inside_its_block() {
    ok(|here| async move {
        let condition = here.new_condition(None).await?;
        here.condition(condition, async {
            let wait = program(&here, move |here| async move { here.wait_condition(condition).await });
            let waited = here.wait_for(wait, Some(millis(500))).await;
            assert_eq!(ended(&waited), "Timeout");
            assert!(locked(&here, condition).await?);
            Ok(())
        })
        .await?;
        assert!(!locked(&here, condition).await?);
        done()
    });
}

/// The cancellation comes out as it went in, whether it is waiting to be notified or for the lock.
#[test]
fn a_cancellation_comes_out_the_same() {
    for notifies_first in [false, true] {
        ok(move |here| async move {
            let condition = here.new_condition(None).await?;
            let seen: Rc<Cell<Option<Exception>>> = Rc::default();
            let inside = seen.clone();
            let task = here
                .spawn(move |here| async move {
                    here.condition(condition, async {
                        let raised = here.wait_condition(condition).await.expect_err("it is cancelled");
                        inside.set(Some(raised.clone()));
                        Err::<(), _>(raised)
                    })
                    .await?;
                    done()
                })
                .await?;
            here.sleep(GIVE_WAY).await?;
            if notifies_first {
                acquire(&here, condition).await?;
                here.notify(condition, 1).await?;
                here.sleep(GIVE_WAY).await?;
            }
            here.cancel(task, Some("foo")).await?;
            if notifies_first {
                release(&here, condition).await?;
            }
            let raised = here.join(task).await.expect_err("it was cancelled");
            assert_eq!(raised.message(), "foo");
            assert!(seen.take().is_some_and(|seen| seen.is(&raised)));
            done()
        });
    }
}

/// One of two consumers is notified and cancelled, before or while it gets the lock: the other one consumes.
#[test]
fn a_notification_to_a_cancelled_task_goes_to_another() {
    for waits in [false, true] {
        ok(move |here| async move {
            let condition = here.new_condition(None).await?;
            let state = Count::default();
            let mut consumers = Vec::new();
            for _ in 0..2 {
                let state = state.clone();
                let consumer = here.spawn(move |here| async move {
                    here.condition(condition, async {
                        loop {
                            here.wait_until(condition, || state.get() != 0).await?;
                            if state.get() < 0 {
                                return Ok(());
                            }
                            state.add(-1);
                            here.notify_all(condition).await?;
                        }
                    })
                    .await?;
                    done()
                });
                consumers.push(consumer.await?);
            }
            here.sleep(GIVE_WAY).await?;
            here.condition(condition, async {
                state.add(1);
                here.notify(condition, 1).await?;
                if waits {
                    here.sleep(GIVE_WAY).await?;
                }
                here.cancel(consumers[0], None).await?;
                here.timeout(millis(10), here.wait_until(condition, || state.get() == 0))
                    .await?;
                state.add(-1);
                here.notify_all(condition).await
            })
            .await?;
            assert!(here.cancelled(consumers[0]).await?);
            here.join(consumers[1]).await
        });
    }
}

#[test]
fn a_block_gives_the_lock_back_whatever_happens() {
    ok(|here| async move {
        let condition = here.new_condition(None).await?;
        let body: Outcome = here.condition(condition, async { Err(super::value_error()) }).await;
        assert_eq!(ended(&body), "ValueError");
        assert!(!locked(&here, condition).await?);
        done()
    });
}
