//! What `test_futures.py` checks, and what is complained of when nobody asks for an exception.

use concurrency_playground::machine::event_loop::{Complaint, FutureId};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Exception, Kind, Program, Value};

use super::{GIVE_WAY, Log, done, ended, log_of, ok, run, value_error};

/// A future that is done takes nothing more.
async fn is_settled(here: &Here, future: FutureId) -> Result<(), Exception> {
    assert!(here.done(future).await?);
    assert_eq!(ended(&here.set_result(future, 1).await), "InvalidState");
    assert_eq!(ended(&here.set_exception(future, value_error()).await), "InvalidState");
    assert!(!here.cancel(future, None).await?);
    Ok(())
}

#[test]
fn a_future_is_pending_until_it_is_set_once() {
    ok(|here| async move {
        let future = here.create_future().await?;
        assert!(!here.done(future).await? && !here.cancelled(future).await?);
        let raised = here.result(future).await.expect_err("it is pending");
        assert_eq!(
            (raised.kind(), raised.message()),
            (Kind::InvalidState, "Result is not set.")
        );
        let raised = here.exception(future).await.expect_err("it is pending");
        assert_eq!(
            (raised.kind(), raised.message()),
            (Kind::InvalidState, "Exception is not set.")
        );
        here.set_result(future, 42).await?;
        assert_eq!(here.result(future).await?, Value::Int(42));
        assert!(here.exception(future).await?.is_none() && !here.cancelled(future).await?);
        is_settled(&here, future).await?;
        done()
    });
}

#[test]
fn a_failed_future_raises_whenever_it_is_asked() {
    ok(|here| async move {
        let future = here.create_future().await?;
        let exception = value_error();
        here.set_exception(future, exception.clone()).await?;
        assert!(here.result(future).await.expect_err("it failed").is(&exception));
        assert!(here.exception(future).await?.is_some_and(|found| found.is(&exception)));
        assert!(here.join(future).await.expect_err("it failed").is(&exception));
        is_settled(&here, future).await?;
        done()
    });
}

#[test]
fn a_cancelled_future_raises_that() {
    ok(|here| async move {
        let future = here.create_future().await?;
        assert!(here.cancel(future, Some("enough")).await?);
        assert!(here.cancelled(future).await?);
        for raised in [here.result(future).await.err(), here.exception(future).await.err()] {
            let raised = raised.expect("it was cancelled");
            assert_eq!((raised.kind(), raised.message()), (Kind::Cancelled, "enough"));
        }
        is_settled(&here, future).await?;
        done()
    });
}

#[test]
fn the_end_of_an_iteration_cannot_be_set() {
    ok(|here| async move {
        let future = here.create_future().await?;
        here.set_exception(future, Exception::own("StopIteration", Value::None))
            .await?;
        let raised = here.result(future).await.expect_err("it was set");
        assert_eq!(raised.kind(), Kind::RuntimeError);
        assert_eq!(
            raised.cause().map(|cause| ended::<()>(&Err(cause))).as_deref(),
            Some("StopIteration")
        );
        done()
    });
}

#[test]
fn awaiting_a_future_that_is_done_does_not_give_way() {
    let log = log_of(|here, log| async move {
        let future = here.create_future().await?;
        here.set_result(future, 1).await?;
        let other = log.clone();
        here.spawn(|_| async move {
            other.say("other");
            done()
        })
        .await?;
        for _ in 0..2 {
            assert_eq!(here.join(future).await?, Value::Int(1));
        }
        log.say("here");
        here.sleep(GIVE_WAY).await
    });
    assert_eq!(log, ["here", "other"]);
}

fn says(here: &Here, log: &Log, what: i64) -> Box<dyn Program> {
    let log = log.clone();
    program(here, move |_| async move {
        log.say(what);
        done()
    })
}

#[test]
fn callbacks_come_in_the_next_iteration_in_order() {
    for fails in [false, true] {
        let log = log_of(move |here, log| async move {
            let future = here.create_future().await?;
            for n in [42, 17] {
                here.add_done_callback(future, says(&here, &log, n)).await?;
            }
            if fails {
                here.set_exception(future, value_error()).await?;
            } else {
                here.set_result(future, 1).await?;
            }
            log.say("set");
            here.add_done_callback(future, says(&here, &log, 100)).await?;
            here.sleep(GIVE_WAY).await?;
            let _ = here.exception(future).await?;
            done()
        });
        assert_eq!(log, ["set", "42", "17", "100"]);
    }
}

#[test]
fn callbacks_can_be_removed_before() {
    let cases = [
        (vec![0], "17 100"),
        (vec![0, 1, 0], "100"),
        (vec![2, 2], "42 17"),
        (vec![], "42 17 100"),
    ];
    for (removed, expected) in cases {
        let log = log_of(move |here, log| async move {
            let future = here.create_future().await?;
            let mut callbacks = Vec::new();
            for n in [42, 17, 100] {
                callbacks.push(here.add_done_callback(future, says(&here, &log, n)).await?);
            }
            let mut gone = Vec::new();
            for place in removed {
                let n = here.remove_done_callback(future, callbacks[place]).await?;
                assert_eq!(n, i64::from(!gone.contains(&place)));
                gone.push(place);
            }
            here.set_result(future, 1).await?;
            here.sleep(GIVE_WAY).await
        });
        assert_eq!(log.join(" "), expected);
    }
}

#[test]
fn a_callback_that_removes_the_next_comes_too_late() {
    let log = log_of(|here, log| async move {
        let future = here.create_future().await?;
        let (first, second) = (log.clone(), says(&here, &log, 2));
        let removed = std::rc::Rc::new(std::cell::Cell::new(None));
        let to_remove = removed.clone();
        let remover = program(&here, move |here| async move {
            let n = here
                .remove_done_callback(future, to_remove.get().expect("it was added"))
                .await?;
            first.say(format!("removed {n}"));
            done()
        });
        here.add_done_callback(future, remover).await?;
        removed.set(Some(here.add_done_callback(future, second).await?));
        here.set_result(future, 1).await?;
        here.sleep(GIVE_WAY).await
    });
    assert_eq!(log, ["removed 0", "2"]);
}

#[test]
fn an_exception_that_nobody_asks_for_is_complained_of() {
    for (asks, cancels, expected) in [(false, false, 1), (true, false, 0), (false, true, 0)] {
        let ran = run(move |here, _| async move {
            let future = here.create_future().await?;
            if cancels {
                here.cancel(future, None).await?;
            } else {
                here.set_exception(future, value_error()).await?;
            }
            if asks {
                let _ = here.exception(future).await;
            }
            done()
        });
        ran.value();
        let never_retrieved = |one: &&Complaint| matches!(one, Complaint::NeverRetrieved(..));
        let n = ran.complaints().iter().filter(never_retrieved).count();
        assert_eq!((n, ran.complaints().len()), (expected, expected));
    }
}

#[test]
fn a_forgotten_future_is_complained_of_at_once_and_its_number_used_again() {
    let ran = run(|here, log| async move {
        let task = here.spawn(|_| async { Err(value_error()) }).await?;
        here.forget(task).await?;
        here.sleep(GIVE_WAY).await?;
        here.sleep(GIVE_WAY).await?;
        let next = here.create_future().await?;
        log.say(next == task);
        assert!(here.name(task).await.is_err(), "the number names another future now");
        done()
    });
    ran.value();
    assert_eq!(ran.log, ["true"]);
    assert!(
        matches!(ran.complaints(), [Complaint::NeverRetrieved(..)]),
        "{:?}",
        ran.complaints()
    );
}

#[test]
fn what_is_still_awaited_is_not_lost_by_being_forgotten() {
    ok(|here| async move {
        let task = here
            .spawn(|here| async move {
                here.sleep(super::seconds(1)).await?;
                Ok(Value::Int(3))
            })
            .await?;
        let waiter = here.spawn(move |here| async move { here.join(task).await }).await?;
        here.sleep(GIVE_WAY).await?;
        here.forget(task).await?;
        assert_eq!(here.join(waiter).await?, Value::Int(3));
        done()
    });
}
