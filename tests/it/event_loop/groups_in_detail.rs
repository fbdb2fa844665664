//! What `test_taskgroups.py` checks of entering, leaving and counting cancellations.

use concurrency_playground::machine::event_loop::{LoopCall, TaskOptions, Waitable};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Effect, Exception, Outcome, Value};

use super::groups::crashes;
use super::{Count, GIVE_WAY, cancelled_sleep, done, ended, ok, run, seconds, shown, zero_division};

#[test]
fn a_child_may_have_a_name_and_a_context() {
    ok(|here| async move {
        let variable = here.new_variable(None).await?;
        let context = here.copy_context().await?;
        here.group(async |group| {
            let setter = program(&here, move |here| async move {
                here.sleep(GIVE_WAY).await?;
                here.set_variable(variable, 1).await?;
                done()
            });
            let options = TaskOptions {
                name: Some("yolo".into()),
                context: Some(context),
                eager: None,
            };
            let call = LoopCall::CreateGroupTask(group, Waitable::from(setter), Some(Box::new(options)));
            let task = here.perform(Effect::Loop(call)).await?.try_into()?;
            assert_eq!(&*here.name(task).await?, "yolo");
            here.join(task).await
        })
        .await?;
        assert!(here.get_variable(variable).await.is_err(), "another context was set");
        let seen = here.in_context(context, here.get_variable(variable)).await?;
        assert_eq!(seen, Value::Int(1));
        done()
    });
}

#[test]
fn a_group_is_entered_once() {
    ok(|here| async move {
        let group = here.new_group().await?;
        let again = |message: String| assert!(message.ends_with("has already been entered"), "{message}");
        here.in_group(group, async {
            let raised = here.in_group(group, async { Ok(()) }).await.expect_err("it is entered");
            again(raised.message().to_owned());
            Ok(())
        })
        .await?;
        let raised = here
            .in_group(group, async { Ok(()) })
            .await
            .expect_err("it was entered");
        again(raised.message().to_owned());
        done()
    });
}

#[test]
fn a_refused_coroutine_counts_as_closed() {
    let ran = run(|here, _| async move {
        let group = here.new_group().await?;
        let coroutine = here.coroutine("late", |_| async { done() }).await?;
        let refused = here
            .create_task_in(group, coroutine)
            .await
            .expect_err("it was not entered");
        assert_eq!(refused.message(), "TaskGroup <TaskGroup> has not been entered");
        here.in_group(group, async { Ok(()) }).await?;
        let coroutine = here.coroutine("later", |_| async { done() }).await?;
        let refused = here.create_task_in(group, coroutine).await.expect_err("it is finished");
        assert!(refused.message().ends_with("is finished"));
        done()
    });
    ran.value();
    assert!(ran.complaints().is_empty(), "{:?}", ran.complaints());
}

#[test]
fn only_a_task_can_enter_a_group() {
    ok(|here| async move {
        let group = here.new_group().await?;
        let told = Count::default();
        let inside = told.clone();
        let callback = program(&here, move |here| async move {
            let raised = here.ask(LoopCall::EnterGroup(group)).await.expect_err("no task runs");
            assert!(raised.message().ends_with("cannot determine the parent task"));
            inside.add(1);
            done()
        });
        here.call_soon(callback).await?;
        here.sleep(GIVE_WAY).await?;
        assert_eq!(told.get(), 1);
        done()
    });
}

#[test]
fn what_a_group_cancelled_itself_is_not_counted() {
    ok(|here| async move {
        let me = here.current_task().await?;
        let grouped = here
            .group(async |group| {
                here.create_task_in(group, crashes(&here, GIVE_WAY, zero_division()))
                    .await?;
                Ok(())
            })
            .await;
        assert_eq!(ended(&grouped), "Group[ZeroDivisionError]");
        assert_eq!(here.cancelling(me).await?, 0);
        done()
    });
}

#[test]
fn two_nested_groups_may_both_cancel() {
    ok(|here| async move {
        let me = here.current_task().await?;
        let outer = here
            .group(async |outer| {
                let inner = here
                    .group(async |inner| {
                        here.create_task_in(inner, crashes(&here, GIVE_WAY, zero_division()))
                            .await?;
                        here.create_task_in(outer, crashes(&here, GIVE_WAY, super::value_error()))
                            .await?;
                        Ok(())
                    })
                    .await;
                assert_eq!(ended(&inner), "Group[ZeroDivisionError]");
                assert_eq!(here.cancelling(me).await?, 1);
                Ok(())
            })
            .await;
        assert_eq!(ended(&outer), "Group[ValueError]");
        assert_eq!(here.cancelling(me).await?, 0);
        done()
    });
}

#[test]
fn a_cancellation_from_outside_outlives_the_group() {
    ok(|here| async move {
        let event = here.new_event().await?;
        let inner = here
            .spawn(move |here| async move {
                let me = here.current_task().await?;
                let grouped = here
                    .group(async |group| {
                        here.spawn_in(group, move |here| async move {
                            here.set_event(event).await?;
                            here.sleep(GIVE_WAY).await?;
                            Err(Exception::own("RuntimeError", Value::None))
                        })
                        .await?;
                        here.sleep(seconds(1)).await
                    })
                    .await;
                assert_eq!(ended(&grouped), "Group[RuntimeError]");
                assert_eq!(here.cancelling(me).await?, 1);
                here.sleep(seconds(1)).await
            })
            .await?;
        here.wait_event(event).await?;
        assert_eq!(here.cancelling(inner).await?, 0);
        here.cancel(inner, None).await?;
        assert_eq!(here.cancelling(inner).await?, 1);
        assert_eq!(ended(&here.join(inner).await), "Cancelled");
        assert!(here.cancelled(inner).await?);
        done()
    });
}

#[test]
fn a_failing_block_around_a_failing_child_counts_no_cancellation() {
    ok(|here| async move {
        let me = here.current_task().await?;
        let grouped: Outcome = here
            .group(async |group| {
                here.create_task_in(group, crashes(&here, GIVE_WAY, zero_division()))
                    .await?;
                // A context manager inside whose own end raises.
                let cancelled = cancelled_sleep(&here).await;
                Err(Here::while_handling(&cancelled, zero_division()))
            })
            .await;
        assert_eq!(ended(&grouped), "Group[ZeroDivisionError, ZeroDivisionError]");
        assert_eq!(here.cancelling(me).await?, 0);
        done()
    });
}

#[test]
fn a_group_of_an_ended_block_raises_one_group_and_no_cause() {
    ok(|here| async move {
        let grouped: Outcome = here.group(async |_| Err(zero_division())).await;
        let raised = grouped.expect_err("the block failed");
        assert_eq!(raised.message(), "unhandled errors in a TaskGroup");
        assert!(raised.cause().is_none());
        assert_eq!(
            raised.context().map(|context| shown(&context)).as_deref(),
            Some("ZeroDivisionError")
        );
        done()
    });
}
