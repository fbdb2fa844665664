//! What `test_timeouts.py` checks.

use std::cell::Cell;
use std::rc::Rc;

use concurrency_playground::machine::event_loop::{LoopCall, LoopSettings, TimeoutId};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Exception, Nanoseconds, Outcome, Value};

use super::{
    Count, GIVE_WAY, cancelled_sleep, done, ended, millis, ok, run_with, seconds, shown, value_error, zero_division,
};

/// The chain of what was being handled, from the exception itself on.
fn chain(exception: &Exception) -> Vec<String> {
    let all = std::iter::successors(Some(exception.clone()), Exception::context);
    all.map(|exception| shown(&exception)).collect()
}

async fn long(here: &Here) -> Outcome {
    here.sleep(seconds(10)).await
}

#[test]
fn at_a_time_or_after_a_time() {
    ok(|here| async move {
        let after = here.new_timeout(Some(millis(10))).await?;
        assert_eq!(ended(&here.in_timeout(after, long(&here)).await), "Timeout");
        assert!(here.expired(after).await?);
        let deadline = here.time().await? + millis(10);
        let at = here.new_timeout_at(Some(deadline)).await?;
        assert_eq!(ended(&here.in_timeout(at, long(&here)).await), "Timeout");
        assert!(here.expired(at).await?);
        assert_eq!(here.when(at).await?, Some(deadline));
        done()
    });
}

#[test]
fn of_two_with_one_deadline_both_expire_and_the_outer_raises() {
    ok(|here| async move {
        let deadline = Some(here.time().await? + millis(10));
        let outer = here.new_timeout_at(deadline).await?;
        let inner = here.new_timeout_at(deadline).await?;
        let ended_with = Rc::new(Cell::new(false));
        let limited = here
            .in_timeout(outer, async {
                let part = here.in_timeout(inner, long(&here)).await;
                ended_with.set(part.as_ref().is_err_and(Exception::is_cancelled));
                part
            })
            .await;
        assert_eq!(ended(&limited), "Timeout");
        assert!(ended_with.get(), "the inner one saw a cancellation");
        assert!(here.expired(outer).await? && here.expired(inner).await?);
        done()
    });
}

#[test]
fn what_waits_inside_is_cancelled() {
    ok(|here| async move {
        let cancelled = Count::default();
        let limited: Outcome = here
            .timeout(millis(10), async {
                let raised = cancelled_sleep(&here).await;
                cancelled.add(i64::from(raised.is_cancelled()));
                Err(raised)
            })
            .await;
        assert_eq!((ended(&limited).as_str(), cancelled.get()), ("Timeout", 1));
        done()
    });
}

#[test]
fn one_that_is_not_needed_or_disabled_never_expires() {
    ok(|here| async move {
        let early = here.new_timeout(Some(seconds(10))).await?;
        here.in_timeout(early, here.sleep(millis(10))).await?;
        assert!(!here.expired(early).await?);
        assert!(here.when(early).await? > Some(here.time().await?));
        for disabled in [here.new_timeout(None).await?, here.new_timeout_at(None).await?] {
            here.in_timeout(disabled, here.sleep(millis(10))).await?;
            assert!(!here.expired(disabled).await?);
            assert_eq!(here.when(disabled).await?, None);
        }
        done()
    });
}

#[test]
fn of_nothing_or_of_the_past_it_expires_at_the_first_wait() {
    ok(|here| async move {
        here.sleep(seconds(20)).await?;
        let began = here.time().await?;
        for (timeout, delay) in [
            (here.new_timeout(Some(Nanoseconds::ZERO)).await?, seconds(10)),
            (here.new_timeout(Some(Nanoseconds::ZERO)).await?, GIVE_WAY),
            (here.new_timeout_at(Some(began - seconds(11))).await?, GIVE_WAY),
        ] {
            assert_eq!(ended(&here.in_timeout(timeout, here.sleep(delay)).await), "Timeout");
            assert!(here.expired(timeout).await?);
            assert!(here.when(timeout).await? <= Some(began));
        }
        assert_eq!(here.time().await?, began);
        done()
    });
}

#[test]
fn other_exceptions_pass() {
    ok(|here| async move {
        let timeout = here.new_timeout(Some(millis(10))).await?;
        let limited: Outcome = here.in_timeout(timeout, async { Err(value_error()) }).await;
        assert_eq!(ended(&limited), "ValueError");
        assert!(!here.expired(timeout).await?);
        done()
    });
}

/// Sleeps while an exception is being handled; what cancels it then knows of that one, as in Python.
async fn sleep_while_handling(here: &Here, handled: &Exception) -> Exception {
    let cancelled = cancelled_sleep(here).await;
    if cancelled.context().is_none() {
        cancelled.set_context(Some(handled.clone()));
    }
    cancelled
}

#[test]
fn the_timeout_knows_its_cause_and_what_was_being_handled() {
    ok(|here| async move {
        let limited: Outcome = here
            .timeout(millis(10), async {
                Err(sleep_while_handling(&here, &zero_division()).await)
            })
            .await;
        let raised = limited.expect_err("the time was over");
        assert!(
            raised
                .cause()
                .zip(raised.context())
                .is_some_and(|(cause, context)| cause.is(&context))
        );
        assert_eq!(chain(&raised), ["Timeout", "Cancelled", "ZeroDivisionError"]);
        done()
    });
}

#[test]
fn another_exception_at_the_timeout_passes_and_knows_of_it() {
    ok(|here| async move {
        let limited: Outcome = here
            .timeout(millis(10), async {
                let cancelled = cancelled_sleep(&here).await;
                Err(Here::while_handling(&cancelled, zero_division()))
            })
            .await;
        let raised = limited.expect_err("it fails");
        assert!(raised.cause().is_none());
        assert_eq!(chain(&raised), ["ZeroDivisionError", "Timeout", "Cancelled"]);
        done()
    });
}

#[test]
fn the_timeout_is_found_deep_in_the_chain() {
    ok(|here| async move {
        let limited: Outcome = here
            .timeout(millis(10), async {
                let cancelled = sleep_while_handling(&here, &value_error()).await;
                let key_error = Here::while_handling(&cancelled, Exception::own("KeyError", Value::None));
                Err(Here::while_handling(&key_error, zero_division()))
            })
            .await;
        let raised = limited.expect_err("it fails");
        assert_eq!(
            chain(&raised),
            ["ZeroDivisionError", "KeyError", "Timeout", "Cancelled", "ValueError"]
        );
        done()
    });
}

#[test]
fn a_cancellation_by_others_is_no_timeout() {
    ok(|here| async move {
        let me = here.current_task().await?;
        let timeout = here.new_timeout(Some(seconds(10))).await?;
        let limited = here
            .in_timeout(timeout, async {
                here.cancel(me, None).await?;
                long(&here).await
            })
            .await;
        assert_eq!(ended(&limited), "Cancelled");
        assert!(!here.expired(timeout).await?);
        done()
    });
}

#[test]
fn the_task_around_is_not_cancelled() {
    ok(|here| async move {
        let task = here
            .spawn(|here| async move {
                assert_eq!(ended(&here.timeout(millis(1), long(&here)).await), "Timeout");
                done()
            })
            .await?;
        here.join(task).await?;
        assert!(!here.cancelled(task).await? && here.done(task).await?);
        done()
    });
}

#[test]
fn the_outer_one_that_passed_while_the_loop_was_blocked_raises() {
    ok(|here| async move {
        let limited = here
            .timeout(millis(2), async {
                let part = here
                    .timeout(millis(100), async {
                        here.block(millis(10)).await;
                        here.sleep(seconds(1)).await
                    })
                    .await;
                assert_eq!(ended(&part), "Cancelled", "the outer one was due first");
                part
            })
            .await;
        assert_eq!(ended(&limited), "Timeout");
        done()
    });
}

#[test]
fn an_expensive_call_inside_does_not_disarm_the_outer_one() {
    let settings = LoopSettings {
        debug: true,
        ..LoopSettings::default()
    };
    let ran = run_with(settings, |here, _| async move {
        here.ask(LoopCall::SetSlowCallbackDuration(seconds(10))).await?;
        let limited = here
            .timeout(millis(100), async {
                let part = here
                    .timeout(millis(10), async {
                        here.block(millis(90)).await;
                        here.sleep(seconds(1)).await
                    })
                    .await;
                assert_eq!(ended(&part), "Timeout");
                long(&here).await
            })
            .await;
        assert_eq!(ended(&limited), "Timeout");
        assert_eq!(here.time().await?, millis(100));
        done()
    });
    ran.value();
    assert!(ran.complaints().is_empty(), "{:?}", ran.complaints());
}

#[test]
fn it_may_be_set_anew_from_outside() {
    ok(|here| async move {
        let deadline = seconds(10);
        let timeout = here.new_timeout_at(Some(deadline)).await?;
        let task = here
            .spawn(move |here| async move { here.in_timeout(timeout, here.sleep(seconds(50))).await })
            .await?;
        here.sleep(GIVE_WAY).await?;
        assert_eq!(here.when(timeout).await?, Some(deadline));
        for when in [Some(deadline + seconds(20)), None] {
            here.reschedule(timeout, when).await?;
            assert_eq!(here.when(timeout).await?, when);
        }
        here.cancel(task, None).await?;
        assert_eq!(ended(&here.join(task).await), "Cancelled");
        assert!(!here.expired(timeout).await?);
        done()
    });
}

#[test]
fn set_anew_it_expires_at_the_new_time_alone() {
    for (when, expected) in [(seconds(3), seconds(3)), (millis(500), seconds(1))] {
        ok(move |here| async move {
            let timeout = here.new_timeout(Some(seconds(2))).await?;
            let limited = here
                .in_timeout(timeout, async {
                    here.sleep(seconds(1)).await?;
                    here.reschedule(timeout, Some(when)).await?;
                    long(&here).await
                })
                .await;
            assert_eq!(ended(&limited), "Timeout");
            assert_eq!(here.time().await?, expected);
            done()
        });
    }
}

#[test]
fn one_inside_the_cleaning_up_of_another_works() {
    ok(|here| async move {
        let inner_raised = Rc::new(Cell::new(None));
        let outer: Outcome = here
            .timeout(millis(10), async {
                let cancelled = cancelled_sleep(&here).await;
                let inner: Outcome = here
                    .timeout(millis(10), async { Err(sleep_while_handling(&here, &cancelled).await) })
                    .await;
                inner_raised.set(inner.err());
                Err(cancelled)
            })
            .await;
        let outer = outer.expect_err("the time was over");
        let inner = inner_raised.take().expect("its time was over, too");
        assert_eq!(chain(&outer), ["Timeout", "Cancelled"]);
        assert_eq!(chain(&inner), ["Timeout", "Cancelled", "Cancelled"]);
        let cancelled = outer.cause().expect("it was a cancellation");
        assert!(
            inner
                .cause()
                .and_then(|inner| inner.context())
                .is_some_and(|before| before.is(&cancelled))
        );
        done()
    });
}

#[test]
fn after_a_swallowed_cancellation_both_timeout_and_cancellation_work() {
    ok(|here| async move {
        let me = here.current_task().await?;
        here.cancel(me, None).await?;
        assert_eq!(ended(&here.sleep(seconds(1)).await), "Cancelled");
        let limited = here.timeout(Nanoseconds::ZERO, here.sleep(seconds(1))).await;
        assert_eq!(ended(&limited), "Timeout");
        let limited = here
            .timeout(seconds(1), async {
                here.cancel(me, None).await?;
                here.sleep(seconds(2)).await
            })
            .await;
        assert_eq!(ended(&limited), "Cancelled");
        done()
    });
}

async fn refusal(here: &Here, timeout: TimeoutId) -> String {
    let refused = here.reschedule(timeout, Some(seconds(20))).await;
    refused.expect_err("it cannot be set now").message().to_owned()
}

#[test]
fn it_is_entered_once_and_set_only_inside() {
    ok(|here| async move {
        let timeout = here.new_timeout(Some(millis(10))).await?;
        assert_eq!(refusal(&here, timeout).await, "Timeout has not been entered");
        let again = async || {
            let raised = here.in_timeout(timeout, async { Ok(()) }).await;
            assert_eq!(
                raised.expect_err("it was entered").message(),
                "Timeout has already been entered"
            );
        };
        here.in_timeout(timeout, async {
            again().await;
            Ok(())
        })
        .await?;
        again().await;
        assert_eq!(refusal(&here, timeout).await, "Cannot change state of finished Timeout");

        let timeout = here.new_timeout(Some(millis(10))).await?;
        here.in_timeout(timeout, async {
            cancelled_sleep(&here).await;
            assert_eq!(refusal(&here, timeout).await, "Cannot change state of expiring Timeout");
            Ok(())
        })
        .await?;
        assert_eq!(refusal(&here, timeout).await, "Cannot change state of expired Timeout");
        done()
    });
}

#[test]
fn only_a_task_can_have_one() {
    ok(|here| async move {
        let timeout = here.new_timeout(Some(millis(10))).await?;
        let told = Count::default();
        let inside = told.clone();
        let callback = program(&here, move |here| async move {
            let raised = here
                .ask(LoopCall::EnterTimeout(timeout))
                .await
                .expect_err("no task runs");
            assert_eq!(raised.message(), "Timeout should be used inside a task");
            inside.add(1);
            done()
        });
        here.call_soon(callback).await?;
        here.sleep(GIVE_WAY).await?;
        assert_eq!(told.get(), 1);
        assert_eq!(refusal(&here, timeout).await, "Timeout has not been entered");
        done()
    });
}

#[test]
fn a_group_inside_that_fails_knows_of_the_timeout_in_all_its_parts() {
    ok(|here| async move {
        let limited: Outcome = here
            .timeout(
                millis(10),
                here.group(async |group| {
                    here.spawn_in(group, |here| async move {
                        let cancelled = cancelled_sleep(&here).await;
                        Err(Here::while_handling(&cancelled, zero_division()))
                    })
                    .await?;
                    Err(sleep_while_handling(&here, &value_error()).await)
                }),
            )
            .await;
        let raised = limited.expect_err("a child failed");
        assert!(raised.cause().is_none());
        assert_eq!(
            chain(&raised),
            ["Group[ZeroDivisionError]", "Timeout", "Cancelled", "ValueError"]
        );
        assert_eq!(
            chain(&raised.exceptions()[0]),
            ["ZeroDivisionError", "Timeout", "Cancelled"]
        );
        done()
    });
}
