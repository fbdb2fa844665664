//! What `test_tasks.py` checks of cancelling tasks.

use concurrency_playground::machine::event_loop::LoopCall;
use concurrency_playground::machine::front::program;
use concurrency_playground::machine::{Exception, Kind, Value};

use super::{Count, GIVE_WAY, cancelled_sleep, done, ended, millis, ok, run, seconds, shown};

#[test]
fn requests_to_cancel_are_counted() {
    ok(|here| async move {
        let task = here.spawn(|here| async move { here.sleep(seconds(10)).await }).await?;
        assert_eq!(here.cancelling(task).await?, 0);
        for n in 1..3 {
            assert!(here.cancel(task, None).await?);
            assert_eq!(here.cancelling(task).await?, n);
        }
        assert_eq!(ended(&here.join(task).await), "Cancelled");
        assert!(here.cancelled(task).await? && !here.cancel(task, None).await?);
        done()
    });
}

#[test]
fn a_request_taken_back_counts_no_more() {
    ok(|here| async move {
        let task = here
            .spawn(|here| async move {
                cancelled_sleep(&here).await;
                let me = here.current_task().await?;
                here.uncancel(me).await?;
                here.sleep(seconds(10)).await
            })
            .await?;
        here.sleep(millis(10)).await?;
        for _ in 0..2 {
            assert!(here.cancel(task, None).await?);
            assert_eq!(here.cancelling(task).await?, 1);
            assert!(!here.done(task).await?);
            here.sleep(millis(10)).await?;
        }
        assert!(here.cancelled(task).await?);
        here.uncancel(task).await?;
        assert!(here.cancelled(task).await? && here.done(task).await?);
        done()
    });
}

#[test]
fn a_delivery_that_is_due_can_be_taken_back() {
    ok(|here| async move {
        let future = here.create_future().await?;
        let task = here
            .spawn(move |here| async move {
                here.join(future).await?;
                Ok(Value::Int(42))
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        here.set_result(future, ()).await?;
        assert!(here.cancel(task, None).await?);
        assert_eq!(here.cancelling(task).await?, 1);
        assert_eq!(here.uncancel(task).await?, 0);
        assert_eq!(here.join(task).await?, Value::Int(42));
        done()
    });
}

/// A time limit made by hand of a timer, a cancellation and its taking back.
#[test]
fn a_block_that_cancels_itself_takes_that_back() {
    for (delay, expected) in [(seconds(10), "Timeout"), (GIVE_WAY, "ok")] {
        ok(move |here| async move {
            let me = here.current_task().await?;
            let timed_out = Count::default();
            let fires = timed_out.clone();
            let on_timeout = program(&here, move |here| async move {
                fires.add(1);
                here.ask(LoopCall::Cancel(me, None)).await
            });
            let timer = here.call_later(millis(100), on_timeout).await?;
            let slept = here.sleep(delay).await;
            here.cancel_handle(timer).await?;
            let block = match slept {
                Err(raised) if timed_out.get() > 0 && here.uncancel(me).await? == 0 && raised.is_cancelled() => {
                    Err(Exception::new(Kind::Timeout, ""))
                }
                other => other,
            };
            assert_eq!(ended(&block), expected);
            here.sleep(GIVE_WAY).await?;
            assert_eq!(here.cancelling(me).await?, 0);
            done()
        });
    }
}

#[test]
fn the_message_of_a_cancellation_reaches_whoever_asks_first() {
    for begins in [true, false] {
        ok(move |here| async move {
            for message in [None, Some("my message")] {
                let task = here.spawn(|here| async move { here.sleep(seconds(10)).await }).await?;
                if begins {
                    here.sleep(GIVE_WAY).await?;
                }
                here.cancel(task, message).await?;
                let raised = here.join(task).await.expect_err("it was cancelled");
                assert_eq!(
                    (raised.kind(), raised.message()),
                    (Kind::Cancelled, message.unwrap_or_default())
                );
                assert_eq!(ended(&here.exception(task).await), "Cancelled");
            }
            done()
        });
    }
}

#[test]
fn the_first_to_ask_gets_what_ended_the_task() {
    ok(|here| async move {
        let seen = std::rc::Rc::new(std::cell::Cell::new(None));
        let inside = seen.clone();
        let task = here
            .spawn(move |here| async move {
                let raised = cancelled_sleep(&here).await;
                inside.set(Some(raised.clone()));
                Err(raised)
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(task, Some("msg")).await?;
        let raised = here.join(task).await.expect_err("it was cancelled");
        assert!(seen.take().is_some_and(|seen: Exception| seen.is(&raised)));
        assert_eq!(raised.message(), "msg");
        done()
    });
}

#[test]
fn a_task_that_only_gave_way_can_be_cancelled() {
    ok(|here| async move {
        let task = here
            .spawn(|here| async move {
                here.sleep(GIVE_WAY).await?;
                here.sleep(GIVE_WAY).await?;
                Ok(Value::Int(12))
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(task, None).await?;
        assert_eq!(ended(&here.join(task).await), "Cancelled");
        assert!(here.cancelled(task).await? && !here.cancel(task, None).await?);
        done()
    });
}

#[test]
fn cancelling_what_is_awaited_cancels_who_awaits() {
    for cancels_both in [false, true] {
        ok(move |here| async move {
            let future = here.create_future().await?;
            let task = here.spawn(move |here| async move { here.join(future).await }).await?;
            here.sleep(GIVE_WAY).await?;
            here.cancel(future, None).await?;
            if cancels_both {
                here.cancel(task, None).await?;
            }
            assert_eq!(ended(&here.join(task).await), "Cancelled");
            assert!(here.cancelled(future).await? && here.cancelled(task).await?);
            done()
        });
    }
}

#[test]
fn a_cancellation_may_be_caught_and_ignored() {
    ok(|here| async move {
        let first = here.create_future().await?;
        let second = here.create_future().await?;
        let third = here.create_future().await?;
        let task = here
            .spawn(move |here| async move {
                here.join(first).await?;
                let caught = here.join(second).await;
                assert_eq!(ended(&caught), "Cancelled");
                here.join(third).await
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        here.set_result(first, ()).await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(task, None).await?;
        assert!(here.cancelled(second).await?);
        here.sleep(GIVE_WAY).await?;
        here.set_result(third, 42).await?;
        assert_eq!(here.join(task).await?, Value::Int(42));
        assert!(!here.cancelled(third).await? && !here.cancelled(task).await?);
        done()
    });
}

#[test]
fn a_task_that_cancels_itself_ends_at_its_next_wait_or_at_its_end() {
    for waits in [true, false] {
        ok(move |here| async move {
            let task = here
                .spawn(move |here| async move {
                    let me = here.current_task().await?;
                    assert!(here.cancel(me, None).await?);
                    if waits {
                        here.sleep(seconds(100)).await?;
                    }
                    Ok(Value::Int(12))
                })
                .await?;
            assert_eq!(ended(&here.join(task).await), "Cancelled");
            assert!(here.cancelled(task).await? && !here.cancel(task, None).await?);
            assert_eq!(here.time().await?, GIVE_WAY);
            done()
        });
    }
}

#[test]
fn a_cancellation_that_is_due_reaches_through_what_is_awaited_next() {
    ok(|here| async move {
        let future = here.create_future().await?;
        let nested = here.spawn(move |here| async move { here.join(future).await }).await?;
        let task = here
            .spawn(move |here| async move {
                here.sleep(GIVE_WAY).await?;
                let me = here.current_task().await?;
                here.cancel(me, None).await?;
                here.join(nested).await
            })
            .await?;
        assert_eq!(ended(&here.join(task).await), "Cancelled");
        assert!(here.cancelled(nested).await? && here.cancelled(future).await?);
        done()
    });
}

#[test]
fn a_cancellation_passes_through_a_chain_of_any_length() {
    ok(|here| async move {
        let future = here.create_future().await?;
        let mut last = future;
        for _ in 0..5_000 {
            last = here.spawn(move |here| async move { here.join(last).await }).await?;
        }
        here.sleep(GIVE_WAY).await?;
        here.cancel(last, None).await?;
        assert_eq!(ended(&here.join(last).await), "Cancelled");
        assert!(here.cancelled(future).await?);
        done()
    });
}

#[test]
fn a_coroutine_inside_sees_the_cancellation_first() {
    ok(|here| async move {
        let waiter = here.create_future().await?;
        let proof = Count::default();
        let outer_proof = proof.clone();
        let task = here
            .spawn(move |here| async move {
                let inner_proof = outer_proof.clone();
                let inner = here
                    .coroutine("inner", move |here| async move {
                        let waited = here.join(waiter).await;
                        inner_proof.add(i64::from(waited.is_err()));
                        waited
                    })
                    .await?;
                let awaited = here.await_coroutine(inner).await;
                outer_proof.add(if awaited.is_err() { 100 } else { 10 });
                done()
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(task, None).await?;
        here.join(task).await?;
        assert_eq!(proof.get(), 101);
        assert!(here.cancelled(waiter).await?);
        done()
    });
}

#[test]
fn a_sleep_is_cancelled_by_a_timer_and_leaves_none() {
    ok(|here| async move {
        let sleeper = here
            .spawn(|here| async move { here.sleep(seconds(5_000)).await })
            .await?;
        let cancel = program(&here, move |here| async move {
            here.ask(LoopCall::Cancel(sleeper, None)).await
        });
        here.call_later(millis(100), cancel).await?;
        assert_eq!(ended(&here.join(sleeper).await), "Cancelled");
        assert_eq!(here.time().await?, millis(100));
        here.sleep(seconds(1)).await?;
        assert_eq!(here.time().await?, millis(1_100));
        done()
    });
}

/// Tasks that await each other in a circle: asking one of them raises, and so does the end of the run, which asks them all.
#[test]
fn cancelling_in_a_circle_raises() {
    let ran = run(|here, _| async move {
        let first_name = std::rc::Rc::new(std::cell::Cell::new(None));
        let other = first_name.clone();
        let second = here
            .spawn(move |here| async move {
                here.sleep(GIVE_WAY).await?;
                here.join(other.get().expect("it was made")).await
            })
            .await?;
        let first = here.spawn(move |here| async move { here.join(second).await }).await?;
        first_name.set(Some(first));
        here.sleep(GIVE_WAY).await?;
        here.sleep(GIVE_WAY).await?;
        assert_eq!(ended(&here.cancel(first, None).await), "RecursionError");
        done()
    });
    assert_eq!(shown(&ran.raised()), "RecursionError");
}
