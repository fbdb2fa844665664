//! The A rows of the recorded behaviours of CPython 3.14's asyncio, each by its number.

use concurrency_playground::machine::event_loop::{
    Complaint, GroupId, LoopSettings, OnException, Situation, Stop, Until, WaitsOn,
};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Exception, Kind, Nanoseconds, Outcome, Value};

use super::{GIVE_WAY, Log, done, ended, log_of, millis, run, run_with, seconds, shown, value_error};

/// Sleeps; if it is cancelled, says so and when.
async fn sleeper(here: Here, log: Log, name: &'static str, delay: Nanoseconds) -> Outcome {
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
    let expected = ["main.created", "w1.start", "w2.start", "w1.end", "w2.end", "main.a", "main.b"];
    assert_eq!(log, expected);
}

#[test]
fn a2_awaiting_what_never_suspends_does_not_switch() {
    let log = log_of(|here, log| async move {
        let c = log.clone();
        let task = here.spawn(|_| async move { Ok(c.say("c")).and_then(|()| done()) }).await?;
        let d = log.clone();
        let coroutine = here.coroutine("d", |_| async move { Ok(d.say("d")).and_then(|()| done()) }).await?;
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
fn again(here: &Here, log: Log, name: &'static str, times: u32) -> Box<dyn concurrency_playground::machine::Program> {
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
    assert_eq!(log, ["a", "b", "end of 1", "a", "end of 2", "a", "end of 3", "end of 4"]);
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
fn timed(
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
    assert_eq!(ran.value(), Value::from(vec![Value::Int(1), Value::Int(2), Value::Int(3)]));
    assert_eq!(ran.log, ["b @1", "c @2", "a @3"]);
    assert_eq!(ran.now, seconds(3));
}

#[test]
fn a10_gather_raises_the_first_and_cancels_nobody() {
    let log = log_of(|here, log| async move {
        let ok = here.create_task(timed(&here, &log, "ok", seconds(3), Ok(Value::Int(7)))).await?;
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
                here.spawn_in(group, |here| sleeper(here, sibling, "sibling", seconds(10))).await?;
                here.create_task_in(group, timed(&here, &log, "bad", seconds(1), Err(value_error()))).await?;
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
                here.spawn_in(group, |here| sleeper(here, child, "child", seconds(10))).await?;
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
                child = Some(here.spawn_in(group, |here| sleeper(here, log, "child", seconds(10))).await?);
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
                let refused = here.spawn_in(group, |here| sleeper(here, late, "late", seconds(1))).await;
                let refused = refused.expect_err("the group is shutting down");
                log.say(refused.message());
                waited
            })
            .await;
        log.say(ended(&grouped));
        done()
    });
    assert_eq!(log, ["TaskGroup <TaskGroup errors=1 cancelling> is shutting down", "Group[ValueError]"]);
}

#[test]
fn a17_a_cancelled_child_alone_is_no_error() {
    let log = log_of(|here, log| async move {
        let grouped = here
            .group(async |group| {
                let child = log.clone();
                let task = here.spawn_in(group, |here| sleeper(here, child, "child", seconds(10))).await?;
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
        let raised = here.in_timeout(timeout, here.sleep(seconds(10))).await.expect_err("the time was over");
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
        (2, 1, ["inner Timeout @1", "outer ok", "outer expired false", "inner expired true", "0"]),
        (1, 2, ["inner Cancelled @1", "outer Timeout", "outer expired true", "inner expired false", "0"]),
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

#[test]
fn a25_a_task_may_swallow_its_cancellation() {
    let log = log_of(|here, log| async move {
        let task = here
            .spawn(|here| async move {
                let _ = here.sleep(seconds(10)).await;
                Ok(Value::Int(5))
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        log.say(here.cancel(task, None).await?);
        log.say(here.join(task).await?.int().expect("a number"));
        log.say(here.cancelled(task).await?);
        log.say(here.cancelling(task).await?);
        done()
    });
    assert_eq!(log, ["true", "5", "false", "1"]);
}

#[test]
fn a26_a_task_cancelled_before_its_first_step_never_runs() {
    let log = log_of(|here, log| async move {
        let body = log.clone();
        let task = here.spawn(|here| sleeper(here, body, "body", seconds(1))).await?;
        log.say(here.cancel(task, None).await?);
        log.say(ended(&here.join(task).await));
        log.say(here.cancel(task, None).await?);
        done()
    });
    assert_eq!(log, ["true", "Cancelled", "false"]);
}

#[test]
fn a27_cancellations_are_delivered_later_in_their_order() {
    let log = log_of(|here, log| async move {
        let catcher = |name: &'static str| {
            let log = log.clone();
            move |here: Here| async move {
                if here.sleep(seconds(10)).await.is_err() {
                    log.say(format!("{name} got it"));
                }
                done()
            }
        };
        let a = here.spawn(catcher("a")).await?;
        let b = here.spawn(catcher("b")).await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(b, None).await?;
        here.cancel(a, None).await?;
        log.say("main continues");
        here.join(a).await?;
        here.join(b).await
    });
    assert_eq!(log, ["main continues", "b got it", "a got it"]);
}

#[test]
fn a29_a_semaphore_lets_so_many_in() {
    let log = log_of(|here, log| async move {
        let semaphore = here.new_semaphore(2).await?;
        let mut workers = Vec::new();
        for n in 0..6 {
            let log = log.clone();
            let worker = here.spawn(move |here| async move {
                here.semaphore(semaphore, async {
                    log.at(&here, n).await;
                    here.sleep(seconds(1)).await
                })
                .await
            });
            workers.push(worker.await?);
        }
        here.wait(&workers, Until::AllCompleted, None).await?;
        done()
    });
    assert_eq!(log, ["0 @0", "1 @0", "2 @1", "3 @1", "4 @2", "5 @2"]);
}

#[test]
fn a30_nobody_barges_past_a_waiter() {
    for is_lock in [false, true] {
        let log = log_of(move |here, log| async move {
            let semaphore = here.new_semaphore(1).await?;
            let lock = here.new_lock().await?;
            let enter = async move |here: &Here, log: &Log, what: String| {
                let inside = async {
                    log.say(what);
                    here.sleep(GIVE_WAY).await
                };
                match is_lock {
                    true => here.lock(lock, inside).await,
                    false => here.semaphore(semaphore, inside).await,
                }
            };
            let (hogs, others) = (log.clone(), log.clone());
            let hog = here.spawn(move |here| async move {
                for n in 0..3 {
                    enter(&here, &hogs, format!("hog{n}")).await?;
                }
                done()
            });
            let hog = hog.await?;
            let other = here.spawn(move |here| async move { enter(&here, &others, "other".to_owned()).await }).await?;
            here.join(hog).await?;
            here.join(other).await
        });
        assert_eq!(log, ["hog0", "other", "hog1", "hog2"]);
    }
}

#[test]
fn a32_wait_for_waits_for_the_cleaning_up() {
    let log = log_of(|here, log| async move {
        let cleaning = log.clone();
        let slow = program(&here, |here| async move {
            let cancelled = here.sleep(seconds(10)).await;
            here.sleep(seconds(2)).await?;
            cleaning.at(&here, "clean").await;
            cancelled
        });
        let waited = here.wait_for(slow, Some(seconds(1))).await;
        log.at(&here, ended(&waited)).await;
        done()
    });
    assert_eq!(log, ["clean @3", "Timeout @3"]);
}

#[test]
fn a33_a_shielded_task_goes_on() {
    let log = log_of(|here, log| async move {
        let inner = here.create_task(timed(&here, &log, "inner", seconds(3), done())).await?;
        let limited = here
            .timeout(seconds(1), async {
                let shield = here.shield(inner).await?;
                here.join(shield).await
            })
            .await;
        log.at(&here, ended(&limited)).await;
        here.join(inner).await
    });
    assert_eq!(log, ["Timeout @1", "inner @3"]);
}

#[test]
fn a34_wait_cancels_nothing() {
    let log = log_of(|here, log| async move {
        let mut tasks = Vec::new();
        for n in [3, 1, 2] {
            tasks.push(here.create_task(timed(&here, &log, "task", seconds(n), Ok(Value::Int(n as i64)))).await?);
        }
        let (first, pending) = here.wait(&tasks, Until::FirstCompleted, None).await?;
        log.at(&here, format!("{} done, {} pending", first.len(), pending.len())).await;
        assert_eq!(here.result(first[0]).await?, Value::Int(1));
        let (second, pending) = here.wait(&pending, Until::AllCompleted, Some(seconds(1))).await?;
        log.at(&here, format!("{} done, {} pending", second.len(), pending.len())).await;
        assert_eq!(here.result(second[0]).await?, Value::Int(2));
        here.join(pending[0]).await
    });
    assert_eq!(log, ["task @1", "1 done, 2 pending @1", "task @2", "1 done, 1 pending @2", "task @3"]);
}

#[test]
fn a35_the_end_of_main_cancels_what_is_left() {
    let ran = run(|here, log| async move {
        let background = log.clone();
        here.spawn(|here| sleeper(here, background, "bg", seconds(100))).await?;
        here.sleep(seconds(1)).await
    });
    ran.value();
    assert_eq!(ran.log, ["bg Cancelled @1"]);
    assert_eq!(ran.now, seconds(1));
}

#[test]
fn a36_only_an_await_between_read_and_write_loses_updates() {
    for (gives_way, expected) in [(false, 1000), (true, 100)] {
        let log = log_of(move |here, log| async move {
            let total = std::rc::Rc::new(std::cell::Cell::new(0));
            let mut tasks = Vec::new();
            for _ in 0..10 {
                let total = total.clone();
                let task = here.spawn(move |here| async move {
                    for _ in 0..100 {
                        let read = total.get();
                        if gives_way {
                            here.sleep(GIVE_WAY).await?;
                        }
                        total.set(read + 1);
                    }
                    done()
                });
                tasks.push(task.await?);
            }
            here.wait(&tasks, Until::AllCompleted, None).await?;
            log.say(total.get());
            done()
        });
        assert_eq!(log, [expected.to_string()]);
    }
}

#[test]
fn a37_missed_heartbeats_are_not_replayed() {
    let log = log_of(|here, log| async move {
        let beats = log.clone();
        let heart = here
            .spawn(|here| async move {
                let mut before = here.time().await?;
                loop {
                    here.sleep(millis(100)).await?;
                    let now = here.time().await?;
                    beats.say((now - before).as_seconds());
                    before = now;
                }
            })
            .await?;
        here.sleep(millis(250)).await?;
        here.block(seconds(1)).await;
        here.sleep(millis(250)).await?;
        here.cancel(heart, None).await?;
        done()
    });
    assert_eq!(log, ["0.1", "0.1", "1.05", "0.1", "0.1"]);
}

#[test]
fn a38_debug_reports_slow_steps() {
    let settings = LoopSettings {
        debug: true,
        ..LoopSettings::default()
    };
    let ran = run_with(settings, |here, _| async move {
        for length in [millis(99), millis(100), millis(250)] {
            here.compute(length).await;
            here.sleep(GIVE_WAY).await?;
        }
        done()
    });
    ran.value();
    let slow: Vec<Nanoseconds> = ran
        .complaints()
        .iter()
        .map(|complaint| match complaint {
            Complaint::Slow { name, length, .. } if &**name == "Task-1" => *length,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(slow, [millis(100), millis(250)]);
}

#[test]
fn a39_two_locks_in_opposite_order_stand_still_with_their_circle() {
    let ran = run(|here, _| async move {
        let first = here.new_lock().await?;
        let second = here.new_lock().await?;
        let taker = |one, other| {
            move |here: Here| async move {
                here.lock(one, async {
                    here.sleep(GIVE_WAY).await?;
                    here.lock(other, async { done() }).await
                })
                .await
            }
        };
        let ab = here.spawn_named("AB", taker(first, second)).await?;
        let ba = here.spawn_named("BA", taker(second, first)).await?;
        here.gather(vec![ab.into(), ba.into()]).await
    });
    assert!(matches!(ran.stop, Stop::Stuck), "{:?}", ran.stop);
    let event_loop = &ran.event_loop;
    let circle: Vec<String> = event_loop
        .cycle()
        .into_iter()
        .map(|(task, on)| format!("{} {on:?}", event_loop.task_name(task)))
        .collect();
    assert_eq!(circle, ["AB Lock(LockId(1))", "BA Lock(LockId(0))"]);
    let tree: Vec<String> = event_loop
        .await_tree(10)
        .into_iter()
        .map(|row| format!("{}{}", "  ".repeat(row.depth as usize), row.name))
        .collect();
    assert_eq!(tree, ["Task-1", "  AB", "    BA", "      AB", "  BA", "    AB", "      BA"]);
    let [_, ab, ba] = event_loop.tasks()[..] else { panic!("three tasks are left") };
    match event_loop.situation(ab) {
        Some(Situation::Waiting(why)) => {
            assert_eq!((why.held_up_by, matches!(why.on, WaitsOn::Lock(_))), (vec![ba], true));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a40_a_timeout_around_a_group_is_a_plain_timeout_error() {
    let log = log_of(|here, log| async move {
        let limited = here
            .timeout(
                seconds(1),
                here.group(async |group| {
                    for name in ["one", "two"] {
                        let log = log.clone();
                        here.spawn_in(group, move |here| sleeper(here, log, name, seconds(10))).await?;
                    }
                    Ok(())
                }),
            )
            .await;
        log.at(&here, ended(&limited)).await;
        done()
    });
    assert_eq!(log, ["one Cancelled @1", "two Cancelled @1", "Timeout @1"]);
}

#[test]
fn a41_an_error_while_cleaning_up_wins_and_knows_of_the_timeout() {
    let log = log_of(|here, log| async move {
        let limited = here
            .timeout(
                seconds(1),
                here.group(async |group| {
                    here.spawn_in(group, |here| async move {
                        let cancelled = here.sleep(seconds(10)).await.expect_err("it is cancelled");
                        Err(Here::while_handling(&cancelled, value_error()))
                    })
                    .await?;
                    let other = log.clone();
                    here.spawn_in(group, |here| sleeper(here, other, "other", seconds(10))).await?;
                    Ok(())
                }),
            )
            .await;
        let raised = limited.expect_err("a child failed");
        log.at(&here, shown(&raised)).await;
        log.say(shown(&raised.exceptions()[0].context().expect("it was raised in a handler")));
        let me = here.current_task().await?;
        log.say(here.cancelling(me).await?);
        done()
    });
    assert_eq!(log, ["other Cancelled @1", "Group[ValueError] @1", "Timeout", "0"]);
}

#[test]
fn a44_a_bounded_queue_holds_its_producer_back() {
    let log = log_of(|here, log| async move {
        let queue = here.new_queue(2).await?;
        let putting = log.clone();
        let producer = here
            .spawn(move |here| async move {
                for n in 0..5 {
                    here.put(queue, n).await?;
                    putting.at(&here, format!("put{n}")).await;
                }
                here.shut_down_queue(queue, false).await?;
                done()
            })
            .await?;
        let getting = log.clone();
        let consumer = here
            .spawn(move |here| async move {
                loop {
                    let n = here.get(queue).await?.int().expect("numbers were put");
                    getting.at(&here, format!("got{n}")).await;
                    here.sleep(seconds(1)).await?;
                }
            })
            .await?;
        here.join(producer).await?;
        log.say(ended(&here.join(consumer).await));
        done()
    });
    let expected = [
        "put0 @0", "put1 @0", "got0 @0", "put2 @0", "got1 @1", "put3 @1", "got2 @2", "put4 @2", "got3 @3", "got4 @4",
        "QueueShutDown",
    ];
    assert_eq!(log, expected);
}
