//! The A rows of the recorded behaviours of CPython 3.14's asyncio, each by its number.

use concurrency_playground::machine::event_loop::{GroupId, OnException, Until};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Exception, Kind, Nanoseconds, Outcome, Value};

use super::{GIVE_WAY, Log, done, ended, log_of, millis, run, seconds, shown, value_error};

/// Sleeps; if it is cancelled, says so and when.
pub async fn sleeper(here: Here, log: Log, name: &'static str, delay: Nanoseconds) -> Outcome {
    let slept = here.sleep(delay).await;
    if slept.is_err() {
        log.at(&here, format!("{name} {}", ended(&slept))).await;
    }
    slept
}

#[test]
fn a1_create_task_only_schedules() {
    let log = log_of(|here, log| async move {
        let worker = |name: &'static str| {
            let log = log.clone();
            move |here: Here| async move {
                log.say(format!("{name}.start"));
                here.sleep(GIVE_WAY).await?;
                log.say(format!("{name}.end"));
                Ok(Value::None)
            }
        };
        let first = here.spawn(worker("w1")).await?;
        let second = here.spawn(worker("w2")).await?;
        log.say("main.created");
        here.join(first).await?;
        log.say("main.a");
        here.join(second).await?;
        log.say("main.b");
        done()
    });
    let expected = [
        "main.created",
        "w1.start",
        "w2.start",
        "w1.end",
        "w2.end",
        "main.a",
        "main.b",
    ];
    assert_eq!(log, expected);
}

#[test]
fn a2_awaiting_what_never_suspends_does_not_switch() {
    let log = log_of(|here, log| async move {
        let c = log.clone();
        let task = here
            .spawn(|_| async move {
                c.say("c");
                done()
            })
            .await?;
        let d = log.clone();
        let coroutine = here
            .coroutine("d", |_| async move {
                d.say("d");
                done()
            })
            .await?;
        here.await_coroutine(coroutine).await?;
        log.say("after await d");
        here.join(task).await
    });
    assert_eq!(log, ["d", "after await d", "c"]);
}

#[test]
fn a3_tasks_that_give_way_alternate() {
    let log = log_of(|here, log| async move {
        let talker = |name: &'static str| {
            let log = log.clone();
            move |here: Here| async move {
                for n in 0..3 {
                    log.say(format!("{name}{n}"));
                    here.sleep(GIVE_WAY).await?;
                }
                done()
            }
        };
        let a = here.spawn(talker("A")).await?;
        let b = here.spawn(talker("B")).await?;
        here.join(a).await?;
        here.join(b).await
    });
    assert_eq!(log, ["A0", "B0", "A1", "B1", "A2", "B2"]);
}

/// Schedules itself again so many times, and says each time in which round.
pub fn again(
    here: &Here,
    log: Log,
    name: &'static str,
    times: u32,
) -> Box<dyn concurrency_playground::machine::Program> {
    program(here, move |here| async move {
        log.say(name);
        if times > 0 {
            let next = again(&here, log, name, times - 1);
            here.call_soon(next).await?;
        }
        done()
    })
}

#[test]
fn a4_work_added_in_an_iteration_runs_in_the_next() {
    let log = log_of(|here, log| async move {
        here.call_soon(again(&here, log.clone(), "a", 2)).await?;
        here.call_soon(again(&here, log.clone(), "b", 0)).await?;
        for round in 1..5 {
            here.sleep(GIVE_WAY).await?;
            log.say(format!("end of {round}"));
        }
        done()
    });
    assert_eq!(
        log,
        ["a", "b", "end of 1", "a", "end of 2", "a", "end of 3", "end of 4"]
    );
}

#[test]
fn a6_a_due_timer_goes_behind_what_is_ready() {
    let log = log_of(|here, log| async move {
        let say = |what: &'static str| {
            let log = log.clone();
            program(&here, move |_| async move {
                log.say(what);
                done()
            })
        };
        here.call_later(GIVE_WAY, say("later")).await?;
        here.call_soon(say("soon")).await?;
        here.sleep(millis(1)).await
    });
    assert_eq!(log, ["soon", "later"]);
}

#[test]
fn a7_equal_deadlines_wake_in_the_order_of_creation() {
    let log = log_of(|here, log| async move {
        let mut tasks = Vec::new();
        for n in 0..8 {
            let log = log.clone();
            tasks.push(
                here.spawn(move |here| async move {
                    here.sleep(seconds(1)).await?;
                    log.say(n);
                    done()
                })
                .await?,
            );
        }
        here.wait(&tasks, Until::AllCompleted, None).await?;
        done()
    });
    assert_eq!(log, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn a8_a_sleep_of_nothing_only_gives_way() {
    let log = log_of(|here, log| async move {
        // Delays are not negative here: what would be is nothing.
        here.sleep(seconds(3) - seconds(8)).await?;
        log.at(&here, "gave way").await;
        here.sleep(seconds(2)).await?;
        log.at(&here, "slept").await;
        done()
    });
    assert_eq!(log, ["gave way @0", "slept @2"]);
}

/// A coroutine that sleeps, says so, and gives a value.
pub fn timed(
    here: &Here,
    log: &Log,
    name: &'static str,
    delay: Nanoseconds,
    ends: Outcome,
) -> Box<dyn concurrency_playground::machine::Program> {
    let log = log.clone();
    program(here, move |here| async move {
        here.sleep(delay).await?;
        log.at(&here, name).await;
        ends
    })
}

#[test]
fn a9_gather_gives_results_in_order() {
    let ran = run(|here, log| async move {
        let of = vec![
            timed(&here, &log, "a", seconds(3), Ok(Value::Int(1))).into(),
            timed(&here, &log, "b", seconds(1), Ok(Value::Int(2))).into(),
            timed(&here, &log, "c", seconds(2), Ok(Value::Int(3))).into(),
        ];
        here.gather(of).await
    });
    assert_eq!(
        ran.value(),
        Value::from(vec![Value::Int(1), Value::Int(2), Value::Int(3)])
    );
    assert_eq!(ran.log, ["b @1", "c @2", "a @3"]);
    assert_eq!(ran.now, seconds(3));
}

#[test]
fn a10_gather_raises_the_first_and_cancels_nobody() {
    let log = log_of(|here, log| async move {
        let ok = here
            .create_task(timed(&here, &log, "ok", seconds(3), Ok(Value::Int(7))))
            .await?;
        let bad = timed(&here, &log, "bad", seconds(1), Err(value_error()));
        let gathered = here.gather(vec![ok.into(), bad.into()]).await;
        log.at(&here, ended(&gathered)).await;
        here.join(ok).await
    });
    assert_eq!(log, ["bad @1", "ValueError @1", "ok @3"]);
}

#[test]
fn a11_gather_may_return_exceptions() {
    let ran = run(|here, log| async move {
        let of = vec![
            timed(&here, &log, "ok", seconds(3), Ok(Value::Int(7))).into(),
            timed(&here, &log, "bad", seconds(1), Err(value_error())).into(),
        ];
        let gathered = here.gather_future(of, OnException::Return).await?;
        here.join(gathered).await
    });
    match ran.value().list() {
        [Value::Int(7), Value::Exception(exception)] => assert_eq!(shown(exception), "ValueError"),
        other => panic!("{other:?}"),
    }
    assert_eq!(ran.now, seconds(3));
}

#[test]
fn a12_a_failed_child_cancels_its_siblings() {
    let log = log_of(|here, log| async move {
        let grouped = here
            .group(async |group| {
                let (here, log) = (here.clone(), log.clone());
                let sibling = log.clone();
                here.spawn_in(group, |here| sleeper(here, sibling, "sibling", seconds(10)))
                    .await?;
                here.create_task_in(group, timed(&here, &log, "bad", seconds(1), Err(value_error())))
                    .await?;
                Ok(())
            })
            .await;
        let raised = grouped.expect_err("a child failed");
        assert_eq!(raised.message(), "unhandled errors in a TaskGroup");
        log.at(&here, shown(&raised)).await;
        let me = here.current_task().await?;
        log.say(here.cancelling(me).await?);
        done()
    });
    assert_eq!(log, ["bad @1", "sibling Cancelled @1", "Group[ValueError] @1", "0"]);
}

#[test]
fn a14_an_exception_of_the_body_ends_the_children() {
    let log = log_of(|here, log| async move {
        let grouped: Result<(), Exception> = here
            .group(async |group| {
                let child = log.clone();
                here.spawn_in(group, |here| sleeper(here, child, "child", seconds(10)))
                    .await?;
                here.sleep(seconds(1)).await?;
                Err(Exception::own("ZeroDivisionError", Value::None))
            })
            .await;
        log.at(&here, ended(&grouped)).await;
        done()
    });
    assert_eq!(log, ["child Cancelled @1", "Group[ZeroDivisionError] @1"]);
}

#[test]
fn a15_a_child_that_has_not_begun_never_runs() {
    let log = log_of(|here, log| async move {
        let group = here.new_group().await?;
        let mut child = None;
        let grouped: Result<(), Exception> = here
            .in_group(group, async {
                let log = log.clone();
                child = Some(
                    here.spawn_in(group, |here| sleeper(here, log, "child", seconds(10)))
                        .await?,
                );
                Err(value_error())
            })
            .await;
        log.say(ended(&grouped));
        log.say(here.cancelled(child.expect("it was made")).await?);
        done()
    });
    assert_eq!(log, ["Group[ValueError]", "true"]);
}

#[test]
fn a16_an_aborting_group_takes_nobody() {
    let log = log_of(|here, log| async move {
        let grouped = here
            .group(async |group: GroupId| {
                here.spawn_in(group, |_| async { Err(value_error()) }).await?;
                let late = log.clone();
                let waited = here.sleep(seconds(5)).await;
                let refused = here
                    .spawn_in(group, |here| sleeper(here, late, "late", seconds(1)))
                    .await;
                let refused = refused.expect_err("the group is shutting down");
                log.say(refused.message());
                waited
            })
            .await;
        log.say(ended(&grouped));
        done()
    });
    assert_eq!(
        log,
        [
            "TaskGroup <TaskGroup errors=1 cancelling> is shutting down",
            "Group[ValueError]"
        ]
    );
}

#[test]
fn a17_a_cancelled_child_alone_is_no_error() {
    let log = log_of(|here, log| async move {
        let grouped = here
            .group(async |group| {
                let child = log.clone();
                let task = here
                    .spawn_in(group, |here| sleeper(here, child, "child", seconds(10)))
                    .await?;
                here.sleep(GIVE_WAY).await?;
                here.cancel(task, None).await
            })
            .await;
        log.say(ended(&grouped));
        done()
    });
    assert_eq!(log, ["child Cancelled @0", "ok"]);
}

#[test]
fn a18_a_timeout_is_a_cancellation_turned_into_a_timeout_error() {
    let log = log_of(|here, log| async move {
        let timeout = here.new_timeout(Some(seconds(1))).await?;
        let raised = here
            .in_timeout(timeout, here.sleep(seconds(10)))
            .await
            .expect_err("the time was over");
        log.at(&here, shown(&raised)).await;
        log.say(shown(&raised.cause().expect("it has one")));
        log.say(here.expired(timeout).await?);
        let me = here.current_task().await?;
        log.say(here.cancelling(me).await?);
        done()
    });
    assert_eq!(log, ["Timeout @1", "Cancelled", "true", "0"]);
}

#[test]
fn a19_a_timeout_cannot_fire_while_the_loop_is_blocked() {
    let log = log_of(|here, log| async move {
        let timeout = here.new_timeout(Some(seconds(1))).await?;
        let blocked = here
            .in_timeout(timeout, async {
                here.block(seconds(5)).await;
                Ok(())
            })
            .await;
        log.at(&here, ended(&blocked)).await;
        log.say(here.expired(timeout).await?);
        done()
    });
    assert_eq!(log, ["ok @5", "false"]);
}

#[test]
fn a21_of_nested_timeouts_the_one_that_expires_catches() {
    for (outer_seconds, inner_seconds, expected) in [
        (
            2,
            1,
            [
                "inner Timeout @1",
                "outer ok",
                "outer expired false",
                "inner expired true",
                "0",
            ],
        ),
        (
            1,
            2,
            [
                "inner Cancelled @1",
                "outer Timeout",
                "outer expired true",
                "inner expired false",
                "0",
            ],
        ),
    ] {
        let log = log_of(move |here, log| async move {
            let outer = here.new_timeout(Some(seconds(outer_seconds))).await?;
            let inner = here.new_timeout(Some(seconds(inner_seconds))).await?;
            let whole = here
                .in_timeout(outer, async {
                    let part = here.in_timeout(inner, here.sleep(seconds(10))).await;
                    log.at(&here, format!("inner {}", ended(&part))).await;
                    match part {
                        Err(exception) if exception.kind() == Kind::Timeout => Ok(Value::None),
                        other => other,
                    }
                })
                .await;
            log.say(format!("outer {}", ended(&whole)));
            log.say(format!("outer expired {}", here.expired(outer).await?));
            log.say(format!("inner expired {}", here.expired(inner).await?));
            let me = here.current_task().await?;
            log.say(here.cancelling(me).await?);
            done()
        });
        assert_eq!(log, expected);
    }
}

#[test]
fn a23_a_timeout_of_nothing_lets_the_body_run_to_its_first_wait() {
    let log = log_of(|here, log| async move {
        let limited = here
            .timeout(Nanoseconds::ZERO, async {
                log.say("body");
                here.sleep(GIVE_WAY).await?;
                log.say("never");
                done()
            })
            .await;
        log.at(&here, ended(&limited)).await;
        done()
    });
    assert_eq!(log, ["body", "Timeout @0"]);
}

#[test]
fn a24_a_body_may_swallow_the_timeout() {
    let log = log_of(|here, log| async move {
        let timeout = here.new_timeout(Some(seconds(1))).await?;
        let limited = here
            .in_timeout(timeout, async {
                let _ = here.sleep(seconds(10)).await;
                Ok(())
            })
            .await;
        log.at(&here, ended(&limited)).await;
        log.say(here.expired(timeout).await?);
        done()
    });
    assert_eq!(log, ["ok @1", "true"]);
}
