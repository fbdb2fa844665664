//! What `test_tasks.py` checks of tasks themselves and their contexts, and `test_eager_task_factory.py` of eager ones.

use concurrency_playground::machine::event_loop::{LoopCall, LoopSettings, TaskOptions};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Kind, Program, Value};

use super::{Count, GIVE_WAY, done, ended, log_of, millis, ok, run, run_with, seconds, value_error};

#[test]
fn nobody_sets_a_tasks_result() {
    ok(|here| async move {
        let task = here.spawn(|_| async { Ok(Value::Int(1)) }).await?;
        let raised = here.set_result(task, 2).await.expect_err("it is a task");
        assert_eq!(raised.message(), "Task does not support set_result operation");
        let raised = here.set_exception(task, value_error()).await.expect_err("it is a task");
        assert_eq!(raised.message(), "Task does not support set_exception operation");
        assert_eq!(here.join(task).await?, Value::Int(1));
        done()
    });
}

#[test]
fn a_task_cannot_await_itself() {
    ok(|here| async move {
        let task = here
            .spawn(|here| async move {
                let me = here.current_task().await?;
                here.join(me).await
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        here.sleep(GIVE_WAY).await?;
        let raised = here.exception(task).await?.expect("it cannot");
        assert_eq!(raised.kind(), Kind::RuntimeError);
        done()
    });
}

#[test]
fn a_task_knows_itself_between_its_waits() {
    ok(|here| async move {
        let first = here.create_future().await?;
        let second = here.create_future().await?;
        let check = |sets, waits| {
            move |here: Here| async move {
                let me = here.current_task().await?;
                if let Some(sets) = sets {
                    here.set_result(sets, ()).await?;
                }
                here.join(waits).await?;
                assert_eq!(here.current_task().await?, me);
                if sets.is_none() {
                    here.set_result(second, ()).await?;
                }
                done()
            }
        };
        let one = here.spawn(check(None, first)).await?;
        let two = here.spawn(check(Some(first), second)).await?;
        assert_eq!(here.all_tasks().await?, [here.current_task().await?, one, two]);
        here.gather(vec![one.into(), two.into()]).await?;
        assert_eq!(here.all_tasks().await?, [here.current_task().await?]);
        done()
    });
}

#[test]
fn tasks_have_numbers_unless_they_have_names() {
    ok(|here| async move {
        let me = here.current_task().await?;
        assert_eq!(&*here.name(me).await?, "Task-1");
        let named = here.spawn_named("No-op", |_| async { done() }).await?;
        let next = here.spawn(|_| async { done() }).await?;
        assert_eq!(
            (&*here.name(named).await?, &*here.name(next).await?),
            ("No-op", "Task-2")
        );
        here.set_name(next, "renamed").await?;
        assert_eq!(&*here.name(next).await?, "renamed");
        done()
    });
}

#[test]
fn a_coroutine_object_is_awaited_once() {
    let ran = run(|here, _| async move {
        let once = here.coroutine("once", |_| async { Ok(Value::Int(1)) }).await?;
        assert_eq!(here.await_coroutine(once).await?, Value::Int(1));
        let raised = here.await_coroutine(once).await.expect_err("it was awaited");
        assert_eq!(raised.message(), "cannot reuse already awaited coroutine");
        let busy = here
            .coroutine("busy", |here| async move { here.sleep(seconds(1)).await })
            .await?;
        let task = here.create_task(busy).await?;
        here.sleep(GIVE_WAY).await?;
        let raised = here.await_coroutine(busy).await.expect_err("a task has it");
        assert_eq!(raised.message(), "coroutine is being awaited already");
        here.join(task).await?;
        here.coroutine("never", |_| async { done() }).await?;
        done()
    });
    ran.value();
    let complaints: Vec<String> = ran
        .complaints()
        .iter()
        .map(|complaint| format!("{complaint:?}"))
        .collect();
    assert_eq!(complaints, ["NeverAwaited(\"never\")"]);
}

/// A coroutine that awaits another of its kind.
fn deeper(here: &Here) -> Box<dyn Program> {
    program(here, |here| async move {
        let next = deeper(&here);
        let coroutine = here.ask(LoopCall::Coroutine(next, None)).await?;
        here.await_coroutine(coroutine.try_into()?).await
    })
}

/// Python stops at its recursion limit; so does a task.
#[test]
fn coroutines_that_await_each_other_too_deeply_end_the_task() {
    ok(|here| async move {
        let task = here.create_task(deeper(&here)).await?;
        assert_eq!(ended(&here.join(task).await), "RecursionError");
        done()
    });
}

#[test]
fn a_task_runs_in_a_copy_of_its_makers_context() {
    let log = log_of(|here, log| async move {
        let variable = here.new_variable(Some(Value::Int(0))).await?;
        let inside = log.clone();
        let task = here
            .spawn(move |here| async move {
                here.sleep(millis(10)).await?;
                inside.say(format!("task {:?}", here.get_variable(variable).await?));
                here.set_variable(variable, 5).await?;
                done()
            })
            .await?;
        here.set_variable(variable, 1).await?;
        here.join(task).await?;
        log.say(format!("main {:?}", here.get_variable(variable).await?));
        done()
    });
    assert_eq!(log, ["task Int(0)", "main Int(1)"]);
}

#[test]
fn callbacks_run_in_a_copy_of_the_context() {
    ok(|here| async move {
        let variable = here.new_variable(Some(Value::Int(0))).await?;
        for round in 1..3 {
            let future = here.create_future().await?;
            let pollute = program(&here, move |here| async move {
                here.set_variable(variable, 99).await?;
                done()
            });
            here.add_done_callback(future, pollute).await?;
            here.set_variable(variable, round).await?;
            let set = program(&here, move |here| async move {
                here.ask(LoopCall::SetResult(future, Value::None)).await
            });
            here.call_soon(set).await?;
            here.join(future).await?;
            assert_eq!(here.get_variable(variable).await?, Value::Int(round));
        }
        done()
    });
}

#[test]
fn many_tasks_have_a_context_each() {
    ok(|here| async move {
        let variable = here.new_variable(None).await?;
        assert_eq!(ended(&here.get_variable(variable).await), "LookupError");
        let mut tasks = Vec::new();
        for n in 0..100 {
            let task = here.spawn(move |here| async move {
                for step in 0..10 {
                    here.set_variable(variable, n + step).await?;
                    here.sleep(millis(1)).await?;
                    assert_eq!(here.get_variable(variable).await?, Value::Int(n + step));
                }
                done()
            });
            tasks.push(task.await?.into());
        }
        here.gather(tasks).await?;
        assert_eq!(ended(&here.get_variable(variable).await), "LookupError");
        done()
    });
}

#[test]
fn a_variable_is_reset_once_by_its_own_token() {
    ok(|here| async move {
        let variable = here.new_variable(None).await?;
        let other = here.new_variable(None).await?;
        let first = here.set_variable(variable, 1).await?;
        let second = here.set_variable(variable, 2).await?;
        assert_eq!(ended(&here.reset_variable(other, second).await), "ValueError");
        here.reset_variable(variable, second).await?;
        assert_eq!(here.get_variable(variable).await?, Value::Int(1));
        assert_eq!(ended(&here.reset_variable(variable, second).await), "RuntimeError");
        here.reset_variable(variable, first).await?;
        assert_eq!(ended(&here.get_variable(variable).await), "LookupError");
        done()
    });
}

#[test]
fn a_context_is_entered_once_at_a_time() {
    ok(|here| async move {
        let variable = here.new_variable(None).await?;
        let context = here.copy_context().await?;
        here.in_context(context, async {
            here.set_variable(variable, 1).await?;
            let again = here.in_context(context, async { Ok(()) }).await;
            assert_eq!(ended(&again), "RuntimeError");
            Ok(())
        })
        .await?;
        assert_eq!(ended(&here.get_variable(variable).await), "LookupError");
        assert_eq!(
            here.in_context(context, here.get_variable(variable)).await?,
            Value::Int(1)
        );
        done()
    });
}

fn eager() -> LoopSettings {
    LoopSettings {
        eager_tasks: true,
        ..LoopSettings::default()
    }
}

#[test]
fn an_eager_task_that_never_waits_is_done_when_it_is_made() {
    let ran = run_with(eager(), |here, _| async move {
        let future = here.create_future().await?;
        let task = here
            .spawn(move |here| async move {
                here.set_result(future, 5).await?;
                Ok(Value::Int(6))
            })
            .await?;
        assert!(here.done(task).await? && here.done(future).await?);
        assert!(!here.cancel(task, None).await?);
        assert_eq!(here.join(task).await?, Value::Int(6));
        assert!(!here.cancelled(task).await?);
        done()
    });
    ran.value();
}

#[test]
fn an_eager_task_that_waits_goes_on_as_any_other() {
    let ran = run_with(eager(), |here, _| async move {
        let task = here
            .spawn(|here| async move {
                let me = here.current_task().await?;
                assert!(here.all_tasks().await?.contains(&me));
                here.sleep(millis(100)).await?;
                assert_eq!(here.current_task().await?, me);
                Ok(Value::Int(1))
            })
            .await?;
        assert!(!here.done(task).await? && here.all_tasks().await?.contains(&task));
        assert_eq!(here.join(task).await?, Value::Int(1));
        assert!(!here.all_tasks().await?.contains(&task));
        let task = here.spawn(|here| async move { here.sleep(millis(100)).await }).await?;
        here.cancel(task, Some("cancellation message")).await?;
        assert_eq!(here.cancelling(task).await?, 1);
        let raised = here.join(task).await.expect_err("it was cancelled");
        assert_eq!(raised.message(), "cancellation message");
        done()
    });
    ran.value();
}

#[test]
fn an_eager_task_has_a_context_of_its_own_from_its_first_step() {
    let ran = run_with(eager(), |here, _| async move {
        let variable = here.new_variable(Some(Value::Int(0))).await?;
        here.set_variable(variable, 1).await?;
        let task = here
            .spawn(move |here| async move {
                assert_eq!(here.get_variable(variable).await?, Value::Int(1));
                here.set_variable(variable, 2).await?;
                here.sleep(millis(100)).await?;
                assert_eq!(here.get_variable(variable).await?, Value::Int(2));
                done()
            })
            .await?;
        assert_eq!(here.get_variable(variable).await?, Value::Int(1));
        here.join(task).await
    });
    ran.value();
}

#[test]
fn only_one_task_may_be_eager() {
    let log = log_of(|here, log| async move {
        for (name, eager) in [("late", None), ("early", Some(true))] {
            let log = log.clone();
            let says = program(&here, move |_| async move {
                log.say(name);
                done()
            });
            let options = TaskOptions {
                eager,
                ..TaskOptions::default()
            };
            here.create_task_with(says, options).await?;
        }
        log.say("main");
        here.sleep(GIVE_WAY).await
    });
    assert_eq!(log, ["early", "main", "late"]);
}

fn tree(here: &Here, depth: u32, by_gather: bool, leaves: &Count) -> Box<dyn Program> {
    let leaves = leaves.clone();
    program(here, move |here| async move {
        if depth == 0 {
            leaves.add(1);
            return done();
        }
        let children = (0..5).map(|_| tree(&here, depth - 1, by_gather, &leaves));
        if by_gather {
            here.gather(children.map(Into::into).collect()).await?;
            return done();
        }
        here.group(async |group| {
            for child in children {
                here.create_task_in(group, child).await?;
            }
            Ok(Value::None)
        })
        .await
    })
}

/// Groups in groups and gathers in gathers: gathered eager tasks that never wait need no iteration; a group waits for
/// the callbacks of its children even then.
#[test]
fn trees_of_tasks_come_to_their_end() {
    for (is_eager, by_gather) in [(true, true), (true, false), (false, true), (false, false)] {
        let settings = LoopSettings {
            eager_tasks: is_eager,
            ..LoopSettings::default()
        };
        let ran = run_with(settings, move |here, log| async move {
            let leaves = Count::default();
            let root = here.create_task(tree(&here, 3, by_gather, &leaves)).await?;
            log.say(here.done(root).await?);
            here.join(root).await?;
            assert_eq!(leaves.get(), 125);
            done()
        });
        ran.value();
        assert_eq!(ran.log, [(is_eager && by_gather).to_string()]);
    }
}
