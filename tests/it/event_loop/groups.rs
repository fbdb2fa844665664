//! What `test_taskgroups.py` checks.

use concurrency_playground::machine::event_loop::GroupId;
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Exception, Nanoseconds, Program, Value};

use super::{Count, cancelled_sleep, done, ended, millis, ok, seconds, zero_division};

/// Sleeps, then gives a number.
pub fn gives(here: &Here, delay: Nanoseconds, number: i64) -> Box<dyn Program> {
    program(here, move |here| async move {
        here.sleep(delay).await?;
        Ok(Value::Int(number))
    })
}

/// Sleeps, then fails.
pub fn crashes(here: &Here, delay: Nanoseconds, with: Exception) -> Box<dyn Program> {
    program(here, move |here| async move {
        here.sleep(delay).await?;
        Err(with)
    })
}

/// Sleeps until it is cancelled, counts that, and is.
pub fn counts_cancel(here: &Here, count: &Count, n: i64) -> Box<dyn Program> {
    let count = count.clone();
    program(here, move |here| async move {
        let cancelled = cancelled_sleep(&here).await;
        count.add(n);
        Err(cancelled)
    })
}

/// Sleeps until it is cancelled, and fails instead.
pub fn crashes_when_cancelled(here: &Here) -> Box<dyn Program> {
    program(here, |here| async move {
        let cancelled = cancelled_sleep(&here).await;
        Err(Here::while_handling(&cancelled, zero_division()))
    })
}

/// Begins a task, lets it run for 0.1 s, cancels it, and gives what it ended with.
pub async fn cancelled_after_a_while(here: &Here, task: Box<dyn Program>) -> String {
    let task = here.create_task(task).await.expect("it is a program");
    here.sleep(millis(100)).await.expect("nobody cancels the test");
    assert!(!here.done(task).await.expect("it is a task"));
    here.cancel(task, None).await.expect("it is a task");
    ended(&here.join(task).await)
}

#[test]
fn children_are_awaited_at_the_end() {
    ok(|here| async move {
        let (first, second) = here
            .group(async |group| {
                let first = here.create_task_in(group, gives(&here, millis(100), 42)).await?;
                let second = here.create_task_in(group, gives(&here, millis(200), 11)).await?;
                Ok((first, second))
            })
            .await?;
        assert_eq!(here.result(first).await?, Value::Int(42));
        assert_eq!(here.result(second).await?, Value::Int(11));
        done()
    });
}

#[test]
fn children_may_be_made_late_in_the_block() {
    ok(|here| async move {
        let second = here
            .group(async |group| {
                here.create_task_in(group, gives(&here, millis(100), 42)).await?;
                here.sleep(millis(150)).await?;
                here.create_task_in(group, gives(&here, millis(200), 11)).await
            })
            .await?;
        assert_eq!(here.result(second).await?, Value::Int(11));
        done()
    });
}

#[test]
fn a_child_cancelled_by_hand_ends_nobody_else() {
    ok(|here| async move {
        let (first, second) = here
            .group(async |group| {
                let first = here.create_task_in(group, gives(&here, seconds(1), 42)).await?;
                here.sleep(millis(150)).await?;
                here.cancel(first, None).await?;
                let second = here.create_task_in(group, gives(&here, millis(200), 11)).await?;
                Ok((first, second))
            })
            .await?;
        assert!(here.cancelled(first).await?);
        assert_eq!(here.result(second).await?, Value::Int(11));
        done()
    });
}

#[test]
fn a_failed_child_ends_the_others_and_the_block() {
    ok(|here| async move {
        let (cancelled, after) = (Count::default(), Count::default());
        let (inside, reached) = (cancelled.clone(), after.clone());
        let runner = here
            .spawn(|here| async move {
                here.group(async |group| {
                    for _ in 0..3 {
                        here.create_task_in(group, crashes(&here, millis(100), zero_division()))
                            .await?;
                    }
                    here.create_task_in(group, counts_cancel(&here, &inside, 1)).await?;
                    let raised = cancelled_sleep(&here).await;
                    inside.add(10);
                    Err::<(), _>(raised)
                })
                .await?;
                reached.add(1);
                done()
            })
            .await?;
        let raised = ended(&here.join(runner).await);
        assert_eq!(raised, "Group[ZeroDivisionError, ZeroDivisionError, ZeroDivisionError]");
        assert_eq!((cancelled.get(), after.get()), (11, 0));
        done()
    });
}

#[test]
fn cancelling_the_parent_at_the_end_of_the_block_ends_the_children() {
    ok(|here| async move {
        let count = Count::default();
        let inside = count.clone();
        let runner = program(&here, |here| async move {
            here.group(async |group| {
                for _ in 0..5 {
                    here.create_task_in(group, counts_cancel(&here, &inside, 1)).await?;
                }
                Ok(Value::None)
            })
            .await
        });
        assert_eq!(cancelled_after_a_while(&here, runner).await, "Cancelled");
        assert_eq!(count.get(), 5);
        done()
    });
}

#[test]
fn cancelling_the_parent_inside_the_block_ends_both() {
    ok(|here| async move {
        let count = Count::default();
        let inside = count.clone();
        let runner = program(&here, |here| async move {
            here.group(async |group| {
                for _ in 0..5 {
                    here.create_task_in(group, counts_cancel(&here, &inside, 1)).await?;
                }
                let cancelled = cancelled_sleep(&here).await;
                inside.add(10);
                Err(cancelled)
            })
            .await
        });
        assert_eq!(cancelled_after_a_while(&here, runner).await, "Cancelled");
        assert_eq!(count.get(), 15);
        done()
    });
}

#[test]
fn errors_while_the_parent_is_cancelled_win() {
    ok(|here| async move {
        let runner = program(&here, |here| async move {
            here.group(async |group| {
                for _ in 0..2 {
                    here.create_task_in(group, crashes_when_cancelled(&here)).await?;
                }
                here.sleep(seconds(10)).await
            })
            .await
        });
        let raised = cancelled_after_a_while(&here, runner).await;
        assert_eq!(raised, "Group[ZeroDivisionError, ZeroDivisionError]");
        done()
    });
}

#[test]
fn an_error_of_the_block_cancels_children_before_and_after_their_first_step() {
    for waits in [true, false] {
        ok(move |here| async move {
            let mut children = Vec::new();
            let grouped: Result<(), Exception> = here
                .group(async |group| {
                    children.push(here.create_task_in(group, gives(&here, seconds(1), 42)).await?);
                    children.push(here.create_task_in(group, gives(&here, seconds(2), 11)).await?);
                    if waits {
                        here.sleep(millis(100)).await?;
                    }
                    Err(zero_division())
                })
                .await;
            assert_eq!(ended(&grouped), "Group[ZeroDivisionError]");
            for child in children {
                assert!(here.cancelled(child).await?);
            }
            done()
        });
    }
}

#[test]
fn nested_groups_nest_their_errors() {
    for outer_has_a_child in [false, true] {
        ok(move |here| async move {
            let runner = program(&here, move |here| async move {
                here.group(async |outer| {
                    if outer_has_a_child {
                        here.create_task_in(outer, gives(&here, seconds(10), 1)).await?;
                    }
                    here.group(async |inner| {
                        here.create_task_in(inner, crashes_when_cancelled(&here)).await?;
                        here.sleep(seconds(10)).await
                    })
                    .await
                })
                .await
            });
            assert_eq!(
                cancelled_after_a_while(&here, runner).await,
                "Group[Group[ZeroDivisionError]]"
            );
            done()
        });
    }
}

#[test]
fn the_group_whose_child_fails_first_raises() {
    for (outer_delay, inner_delay, expected) in [
        (millis(100), seconds(10), "Group[ValueError]"),
        (seconds(10), millis(100), "Group[Group[ValueError]]"),
    ] {
        ok(move |here| async move {
            let crash = |delay| crashes(&here, delay, super::value_error());
            let grouped = here
                .group(async |outer| {
                    here.create_task_in(outer, crash(outer_delay)).await?;
                    here.group(async |inner| {
                        here.create_task_in(inner, crash(inner_delay)).await?;
                        Ok(())
                    })
                    .await
                })
                .await;
            assert_eq!(ended(&grouped), expected);
            done()
        });
    }
}

#[test]
fn an_error_after_the_parent_was_cancelled_wins() {
    for is_nested in [false, true] {
        ok(move |here| async move {
            let inner = |here: Here| async move {
                here.group(async |group| {
                    here.create_task_in(group, crashes(&here, millis(300), zero_division()))
                        .await?;
                    let cancelled = cancelled_sleep(&here).await;
                    here.sleep(millis(500)).await?;
                    Err(cancelled)
                })
                .await
            };
            let runner = program(&here, move |here| async move {
                if is_nested {
                    let task = here.spawn(inner).await?;
                    here.join(task).await
                } else {
                    inner(here).await
                }
            });
            assert_eq!(cancelled_after_a_while(&here, runner).await, "Group[ZeroDivisionError]");
            done()
        });
    }
}

#[test]
fn a_group_without_children_passes_a_cancellation_on() {
    ok(|here| async move {
        let runner = program(&here, |here| async move {
            here.group(async |_| Err(cancelled_sleep(&here).await)).await
        });
        assert_eq!(cancelled_after_a_while(&here, runner).await, "Cancelled");
        done()
    });
}

#[test]
fn a_cancellation_may_be_replaced_by_an_error() {
    ok(|here| async move {
        let runner = program(&here, |here| async move {
            here.group(async |_| {
                cancelled_sleep(&here).await;
                Err(Exception::own("MyError", Value::None))
            })
            .await
        });
        assert_eq!(cancelled_after_a_while(&here, runner).await, "Group[MyError]");
        done()
    });
}

#[test]
fn errors_of_child_and_block_are_raised_together() {
    ok(|here| async move {
        let grouped: Result<(), Exception> = here
            .group(async |group| {
                here.create_task_in(group, crashes(&here, millis(100), zero_division()))
                    .await?;
                cancelled_sleep(&here).await;
                Err(Exception::own("MyError", Value::None))
            })
            .await;
        assert_eq!(ended(&grouped), "Group[ZeroDivisionError, MyError]");
        done()
    });
}

#[test]
fn a_group_forgets_children_that_are_done() {
    ok(|here| async move {
        let group = here.new_group().await?;
        here.in_group(group, async {
            for _ in 0..10 {
                here.sleep(millis(100)).await?;
                here.create_task_in(group, gives(&here, millis(300), 0)).await?;
            }
            here.sleep(millis(1350)).await
        })
        .await?;
        let refused = here.create_task_in(group, gives(&here, millis(1), 0)).await;
        assert_eq!(
            refused.expect_err("it is over").message(),
            "TaskGroup <TaskGroup entered> is finished"
        );
        done()
    });
}

#[test]
fn children_may_make_children() {
    ok(|here| async move {
        here.group(async |group: GroupId| {
            let root = program(&here, move |here| async move {
                here.sleep(millis(100)).await?;
                here.create_task_in(group, gives(&here, millis(100), 1)).await?;
                here.create_task_in(group, gives(&here, millis(200), 1)).await?;
                done()
            });
            here.create_task_in(group, root).await?;
            Ok(())
        })
        .await?;
        assert_eq!(here.time().await?, millis(300));
        done()
    });
}

/// A child that makes two of its kind, again and again.
fn hydra(here: &Here, group: GroupId, heads: &Count) -> Box<dyn Program> {
    let heads = heads.clone();
    program(here, move |here| async move {
        heads.add(1);
        here.sleep(millis(10)).await?;
        for _ in 0..2 {
            here.create_task_in(group, hydra(&here, group, &heads)).await?;
        }
        done()
    })
}

#[test]
fn a_failure_ends_children_that_make_children() {
    ok(|here| async move {
        let heads = Count::default();
        let grouped = here
            .group(async |group| {
                here.create_task_in(group, hydra(&here, group, &heads)).await?;
                let watched = heads.clone();
                here.spawn_in(group, |here| async move {
                    while watched.get() < 10 {
                        here.sleep(millis(15)).await?;
                    }
                    Err(zero_division())
                })
                .await?;
                Ok(())
            })
            .await;
        assert_eq!(ended(&grouped), "Group[ZeroDivisionError]");
        assert!(heads.get() >= 10);
        done()
    });
}
