//! What `test_tasks.py` checks of `gather` and `shield`.

use std::cell::Cell;
use std::rc::Rc;

use concurrency_playground::machine::event_loop::{Complaint, FutureId, LoopCall, OnException, Waitable};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Exception, Kind, Outcome, Value};

use super::{Count, GIVE_WAY, done, ended, ok, run, value_error, zero_division};

async fn futures(here: &Here, n: usize) -> Result<Vec<FutureId>, Exception> {
    let mut all = Vec::new();
    for _ in 0..n {
        all.push(here.create_future().await?);
    }
    Ok(all)
}

fn waitables(all: &[FutureId]) -> Vec<Waitable> {
    all.iter().copied().map(Waitable::from).collect()
}

/// Lets callbacks of callbacks run.
async fn settle(here: &Here) -> Outcome {
    here.sleep(GIVE_WAY).await?;
    here.sleep(GIVE_WAY).await?;
    here.sleep(GIVE_WAY).await
}

#[test]
fn gather_waits_for_all_and_keeps_the_order() {
    for on_exception in [OnException::Raise, OnException::Return] {
        ok(move |here| async move {
            let all = futures(&here, 3).await?;
            let gathered = here.gather_future(waitables(&all), on_exception).await?;
            here.set_result(all[1], 1).await?;
            here.set_result(all[0], 2).await?;
            settle(&here).await?;
            assert!(!here.done(gathered).await?);
            here.set_result(all[2], 3).await?;
            settle(&here).await?;
            assert_eq!(
                here.result(gathered).await?,
                Value::from(vec![Value::Int(2), Value::Int(1), Value::Int(3)])
            );
            let empty = here.gather_future(Vec::new(), on_exception).await?;
            assert_eq!(here.result(empty).await?, Value::from(Vec::new()));
            done()
        });
    }
}

#[test]
fn gather_raises_the_first_and_minds_no_later_ones() {
    let ran = run(|here, _| async move {
        let all = futures(&here, 5).await?;
        let gathered = here.gather_future(waitables(&all), OnException::Raise).await?;
        let exception = zero_division();
        here.set_result(all[0], 1).await?;
        here.set_exception(all[1], exception.clone()).await?;
        settle(&here).await?;
        assert!(
            here.exception(gathered)
                .await?
                .is_some_and(|found| found.is(&exception))
        );
        here.set_result(all[2], 3).await?;
        here.cancel(all[3], None).await?;
        here.set_exception(all[4], value_error()).await?;
        settle(&here).await
    });
    ran.value();
    assert!(
        ran.complaints().is_empty(),
        "they count as asked for: {:?}",
        ran.complaints()
    );
}

#[test]
fn gather_may_return_exceptions_and_cancellations() {
    ok(|here| async move {
        let all = futures(&here, 4).await?;
        let gathered = here.gather_future(waitables(&all), OnException::Return).await?;
        here.set_exception(all[2], zero_division()).await?;
        here.set_result(all[0], 3).await?;
        here.cancel(all[1], Some("why")).await?;
        settle(&here).await?;
        assert!(!here.done(gathered).await?);
        here.set_exception(all[3], value_error()).await?;
        match here.join(gathered).await?.list() {
            [
                Value::Int(3),
                Value::Exception(cancelled),
                Value::Exception(zero),
                Value::Exception(value),
            ] => {
                assert_eq!((cancelled.kind(), cancelled.message()), (Kind::Cancelled, "why"));
                assert_eq!((zero.message(), value.message()), ("ZeroDivisionError", "ValueError"));
            }
            other => panic!("{other:?}"),
        }
        done()
    });
}

#[test]
fn a_cancelled_child_fails_a_gather_and_does_not_cancel_it() {
    ok(|here| async move {
        let all = futures(&here, 3).await?;
        let gathered = here.gather_future(waitables(&all), OnException::Raise).await?;
        here.set_result(all[0], 1).await?;
        here.cancel(all[1], None).await?;
        settle(&here).await?;
        assert!(here.done(gathered).await? && !here.cancelled(gathered).await?);
        assert!(
            here.exception(gathered)
                .await?
                .is_some_and(|raised| raised.is_cancelled())
        );
        done()
    });
}

#[test]
fn cancelling_a_gather_cancels_its_children() {
    for on_exception in [OnException::Raise, OnException::Return] {
        ok(move |here| async move {
            let proof = Count::default();
            let waiters = futures(&here, 2).await?;
            let mut children = Vec::new();
            for waiter in waiters.clone() {
                let proof = proof.clone();
                let child = here.spawn(move |here| async move {
                    let waited = here.join(waiter).await;
                    proof.add(1);
                    waited
                });
                children.push(child.await?);
            }
            let of = children.clone();
            let outer = here
                .spawn(move |here| async move {
                    let gathered = here.gather_future(waitables(&of), on_exception).await?;
                    here.join(gathered).await
                })
                .await?;
            settle(&here).await?;
            here.cancel(outer, Some("my message")).await?;
            assert!(here.join(outer).await.expect_err("it was cancelled").is_cancelled());
            settle(&here).await?;
            assert_eq!(proof.get(), 2);
            for child in children.into_iter().chain(waiters) {
                assert!(here.cancelled(child).await?);
            }
            done()
        });
    }
}

#[test]
fn a_gather_all_of_whose_children_are_done_refuses_to_be_cancelled() {
    ok(|here| async move {
        let future = here.create_future().await?;
        let child = here.spawn(move |here| async move { here.join(future).await }).await?;
        let answer = Rc::new(Cell::new(None));
        let inside = answer.clone();
        let gathered = Rc::new(Cell::new(None));
        let asked = gathered.clone();
        let callback = program(&here, move |here| async move {
            let gathered = asked.get().expect("it was made");
            inside.set(Some(here.cancel(gathered, None).await?));
            done()
        });
        // Added before the gather's own, it comes when the child is done and the gather has not heard of it.
        here.add_done_callback(child, callback).await?;
        gathered.set(Some(here.gather_future(vec![child.into()], OnException::Raise).await?));
        here.set_result(future, 42).await?;
        let gathered = gathered.get().expect("it was made");
        assert_eq!(here.join(gathered).await?, Value::from(vec![Value::Int(42)]));
        assert_eq!(answer.get(), Some(false));
        assert!(!here.cancelled(gathered).await?);
        done()
    });
}

#[test]
fn a_shield_passes_on_how_the_inner_one_ends() {
    ok(|here| async move {
        for case in 0..3 {
            let inner = here.create_future().await?;
            let outer = here.shield(inner).await?;
            let exception = value_error();
            match case {
                0 => here.set_result(inner, 42).await?,
                1 => here.set_exception(inner, exception.clone()).await?,
                _ => here.cancel(inner, None).await.map(|_| ())?,
            }
            settle(&here).await?;
            match case {
                0 => assert_eq!(here.result(outer).await?, Value::Int(42)),
                1 => assert!(here.exception(outer).await?.is_some_and(|found| found.is(&exception))),
                _ => assert!(here.cancelled(outer).await?),
            }
            assert_eq!(here.shield(inner).await?, inner, "what is done needs no shield");
        }
        done()
    });
}

#[test]
fn cancelling_a_shield_leaves_the_inner_one_alone() {
    ok(|here| async move {
        let waiter = here.create_future().await?;
        let proof = Count::default();
        let (inside, outside) = (proof.clone(), proof.clone());
        let outer = here
            .spawn(move |here| async move {
                let inner = program(&here, move |here| async move {
                    here.join(waiter).await?;
                    inside.add(1);
                    done()
                });
                let shield = here.shield(inner).await?;
                here.join(shield).await?;
                outside.add(100);
                done()
            })
            .await?;
        settle(&here).await?;
        here.cancel(outer, None).await?;
        assert_eq!(ended(&here.join(outer).await), "Cancelled");
        here.set_result(waiter, ()).await?;
        settle(&here).await?;
        assert_eq!(proof.get(), 1);
        done()
    });
}

#[test]
fn shields_and_gathers_nest() {
    ok(|here| async move {
        let children = futures(&here, 2).await?;
        let parent = here.gather_future(waitables(&children), OnException::Raise).await?;
        let outer = here.shield(parent).await?;
        here.cancel(outer, None).await?;
        settle(&here).await?;
        assert!(here.cancelled(outer).await?);
        here.set_result(children[0], 1).await?;
        here.set_result(children[1], 2).await?;
        settle(&here).await?;
        assert_eq!(
            here.result(parent).await?,
            Value::from(vec![Value::Int(1), Value::Int(2)])
        );

        let children = futures(&here, 2).await?;
        let shields = [here.shield(children[0]).await?, here.shield(children[1]).await?];
        let parent = here.gather_future(waitables(&shields), OnException::Raise).await?;
        here.cancel(parent, None).await?;
        settle(&here).await?;
        assert!(
            here.exception(parent)
                .await?
                .is_some_and(|raised| raised.is_cancelled())
        );
        assert!(here.cancelled(shields[0]).await? && here.cancelled(shields[1]).await?);
        assert!(!here.done(children[0]).await? && !here.done(children[1]).await?);
        done()
    });
}

#[test]
fn what_fails_behind_a_cancelled_shield_is_complained_of() {
    let ran = run(|here, _| async move {
        let inner = here.create_future().await?;
        let outer = here.shield(inner).await?;
        here.cancel(outer, None).await?;
        here.sleep(GIVE_WAY).await?;
        here.ask(LoopCall::SetException(inner, value_error())).await?;
        settle(&here).await
    });
    ran.value();
    assert!(
        matches!(ran.complaints(), [Complaint::Shielded(..)]),
        "{:?}",
        ran.complaints()
    );
}
