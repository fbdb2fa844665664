//! What `test_waitfor.py` checks.

use concurrency_playground::machine::event_loop::{LoopCall, Until};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Exception, Kind, Nanoseconds, Program, Value};

use super::{Count, GIVE_WAY, cancelled_sleep, done, ended, millis, ok, seconds};

/// Runs for a time, whoever cancels it, then counts.
fn stubborn(here: &Here, count: &Count) -> Box<dyn Program> {
    let count = count.clone();
    program(here, move |here| async move {
        let until = here.time().await? + millis(200);
        while here.time().await? < until {
            let _ = here.sleep(until - here.time().await?).await;
        }
        count.add(1);
        done()
    })
}

/// Sleeps; counts one while it does.
fn busy(here: &Here, running: &Count) -> Box<dyn Program> {
    let running = running.clone();
    program(here, move |here| async move {
        running.add(1);
        let slept = here.sleep(seconds(10)).await;
        running.add(-1);
        slept
    })
}

#[test]
fn what_ignores_cancellation_is_waited_for() {
    ok(|here| async move {
        let count = Count::default();
        let inside = count.clone();
        let waiter = here
            .spawn(|here| async move {
                let slow = stubborn(&here, &inside);
                here.wait_for(slow, Some(millis(400))).await
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(waiter, None).await?;
        here.wait(&[waiter], Until::AllCompleted, None).await?;
        assert_eq!(count.get(), 1);
        let _ = here.wait_for(stubborn(&here, &count), Some(millis(100))).await;
        assert_eq!(count.get(), 2);
        done()
    });
}

#[test]
fn without_time_what_is_done_is_given_and_nothing_begun() {
    ok(|here| async move {
        let future = here.create_future().await?;
        here.set_result(future, 5).await?;
        assert_eq!(here.wait_for(future, Some(Nanoseconds::ZERO)).await?, Value::Int(5));
        let begun = Count::default();
        let waited = here.wait_for(busy(&here, &begun), Some(Nanoseconds::ZERO)).await;
        assert_eq!((ended(&waited).as_str(), begun.get()), ("Timeout", 0));
        done()
    });
}

#[test]
fn without_time_or_with_too_little_a_task_is_cancelled() {
    for delay in [Nanoseconds::ZERO, millis(100)] {
        ok(move |here| async move {
            let running = Count::default();
            let task = here.create_task(busy(&here, &running)).await?;
            here.sleep(GIVE_WAY).await?;
            assert_eq!(running.get(), 1);
            assert_eq!(ended(&here.wait_for(task, Some(delay)).await), "Timeout");
            assert!(here.done(task).await? && here.cancelled(task).await?);
            assert_eq!(running.get(), 0);
            done()
        });
    }
}

#[test]
fn with_all_the_time_it_is_a_plain_await() {
    ok(|here| async move {
        let quick = program(&here, |_| async { Ok(Value::Int(7)) });
        assert_eq!(here.wait_for(quick, None).await?, Value::Int(7));
        done()
    });
}

#[test]
fn a_result_in_time_wins() {
    ok(|here| async move {
        let future = here.create_future().await?;
        let set = program(&here, move |here| async move {
            here.set_result(future, 1).await?;
            done()
        });
        here.call_soon(set).await?;
        assert_eq!(here.wait_for(future, Some(millis(200))).await?, Value::Int(1));
        done()
    });
}

#[test]
fn a_value_in_the_place_of_the_cancellation_is_given() {
    ok(|here| async move {
        let swallows = program(&here, |here| async move {
            cancelled_sleep(&here).await;
            Ok(Value::Int(42))
        });
        assert_eq!(here.wait_for(swallows, Some(millis(10))).await?, Value::Int(42));
        done()
    });
}

#[test]
fn the_cleaning_up_is_waited_for_and_the_timeout_knows_its_cause() {
    for delay in [millis(1), Nanoseconds::ZERO] {
        ok(move |here| async move {
            let cleaned = Count::default();
            let inside = cleaned.clone();
            let task = here
                .spawn(|here| async move {
                    let cancelled = cancelled_sleep(&here).await;
                    here.sleep(millis(1)).await?;
                    inside.add(1);
                    Err(cancelled)
                })
                .await?;
            here.sleep(GIVE_WAY).await?;
            let raised = here.wait_for(task, Some(delay)).await.expect_err("the time was over");
            assert_eq!((raised.kind(), cleaned.get()), (Kind::Timeout, 1));
            assert!(raised.context().is_some_and(|context| context.is_cancelled()));
            done()
        });
    }
}

#[test]
fn an_exception_of_the_cleaning_up_is_raised() {
    ok(|here| async move {
        let task = here
            .spawn(|here| async move {
                cancelled_sleep(&here).await;
                Err(Exception::own("FooError", Value::None))
            })
            .await?;
        assert_eq!(ended(&here.wait_for(task, Some(millis(1))).await), "FooError");
        done()
    });
}

#[test]
fn cancelling_the_wait_cancels_the_task() {
    for delay in [None, Some(seconds(60))] {
        ok(move |here| async move {
            let task = here
                .spawn(|here| async move {
                    let never = here.create_future().await?;
                    here.join(never).await
                })
                .await?;
            let waiter = here
                .spawn(move |here| async move { here.wait_for(task, delay).await })
                .await?;
            let cancel = program(&here, move |here| async move {
                here.ask(LoopCall::Cancel(waiter, None)).await
            });
            here.call_soon(cancel).await?;
            assert_eq!(ended(&here.join(waiter).await), "Cancelled");
            assert!(here.cancelled(task).await?);
            done()
        });
    }
}

#[test]
fn a_cancellation_that_comes_with_the_result_is_not_lost() {
    ok(|here| async move {
        let reached = Count::default();
        let inner = here.spawn(|_| async { Ok(Value::Int(3)) }).await?;
        let inside = reached.clone();
        let waiter = here
            .spawn(move |here| async move {
                here.wait_for(inner, Some(seconds(100))).await?;
                here.sleep(seconds(1)).await?;
                inside.add(1);
                done()
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(waiter, None).await?;
        assert_eq!(ended(&here.join(waiter).await), "Cancelled");
        assert_eq!(here.join(inner).await?, Value::Int(3));
        assert_eq!(reached.get(), 0);
        done()
    });
}

#[test]
fn a_shielded_task_survives_its_time() {
    for delay in [Some(Nanoseconds::ZERO), Some(millis(10)), None] {
        ok(move |here| async move {
            let task = here
                .spawn(|here| async move {
                    here.sleep(millis(100)).await?;
                    Ok(Value::Int(9))
                })
                .await?;
            let shield = here.shield(task).await?;
            let waited = here.wait_for(shield, delay).await;
            assert_eq!(ended(&waited), if delay.is_some() { "Timeout" } else { "ok" });
            assert_eq!(here.done(task).await?, delay.is_none());
            assert_eq!(here.cancelled(shield).await?, delay.is_some());
            assert_eq!(here.join(task).await?, Value::Int(9));
            done()
        });
    }
}
