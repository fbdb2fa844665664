//! What `test_tasks.py` checks of waiting for several: `wait` and `as_completed`.

use concurrency_playground::machine::event_loop::{FutureId, Until, Waitable};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Kind, Nanoseconds, Program, Value};

use super::{Count, GIVE_WAY, done, ended, millis, ok, seconds, zero_division};

fn gives(here: &Here, delay: Nanoseconds, number: i64) -> Box<dyn Program> {
    program(here, move |here| async move {
        if delay > GIVE_WAY {
            here.sleep(delay).await?;
        }
        Ok(Value::Int(number))
    })
}

fn fails(here: &Here, delay: Nanoseconds) -> Box<dyn Program> {
    program(here, move |here| async move {
        if delay > GIVE_WAY {
            here.sleep(delay).await?;
        }
        Err(zero_division())
    })
}

fn waitables(all: &[FutureId]) -> Vec<Waitable> {
    all.iter().copied().map(Waitable::from).collect()
}

#[test]
fn wait_waits_for_all_and_again_for_nothing() {
    ok(|here| async move {
        let a = here.create_task(gives(&here, millis(100), 1)).await?;
        let b = here.create_task(fails(&here, millis(150))).await?;
        for _ in 0..2 {
            let (all, pending) = here.wait(&[b, a], Until::AllCompleted, None).await?;
            assert_eq!((all, pending), (vec![b, a], vec![]));
            assert_eq!(here.time().await?, millis(150));
        }
        assert!(here.exception(b).await?.is_some());
        done()
    });
}

#[test]
fn wait_counts_a_future_given_twice_once_and_minds_none() {
    ok(|here| async move {
        let a = here.create_task(gives(&here, GIVE_WAY, 1)).await?;
        let b = here.create_task(gives(&here, GIVE_WAY, 2)).await?;
        let (all, pending) = here.wait(&[a, a, b], Until::AllCompleted, None).await?;
        assert_eq!((all, pending), (vec![a, b], vec![]));
        let raised = here
            .wait(&[], Until::AllCompleted, None)
            .await
            .expect_err("there is none");
        assert_eq!(
            (raised.kind(), raised.message()),
            (Kind::ValueError, "Set of Tasks/Futures is empty.")
        );
        done()
    });
}

#[test]
fn wait_for_the_first_gives_all_that_are_really_done() {
    ok(|here| async move {
        let slow = here.create_task(gives(&here, seconds(10), 1)).await?;
        let quick = here.create_task(gives(&here, millis(100), 2)).await?;
        let (first, pending) = here.wait(&[quick, slow], Until::FirstCompleted, None).await?;
        assert_eq!((first, pending), (vec![quick], vec![slow]));
        assert_eq!(here.time().await?, millis(100));

        // One gives way once, the other twice: when the wait is told of the first, the second is done, too.
        let once = here.spawn(|here| async move { here.sleep(GIVE_WAY).await }).await?;
        let twice = here
            .spawn(|here| async move {
                here.sleep(GIVE_WAY).await?;
                here.sleep(GIVE_WAY).await
            })
            .await?;
        let (first, pending) = here.wait(&[twice, once], Until::FirstCompleted, None).await?;
        assert_eq!((first, pending), (vec![twice, once], vec![]));
        done()
    });
}

#[test]
fn wait_for_the_first_exception_ends_early_only_for_one() {
    ok(|here| async move {
        for delay in [GIVE_WAY, millis(10)] {
            let slow = here.create_task(gives(&here, seconds(10), 1)).await?;
            let bad = here.create_task(fails(&here, delay)).await?;
            let (first, pending) = here.wait(&[bad, slow], Until::FirstException, None).await?;
            assert_eq!((first, pending), (vec![bad], vec![slow]));
        }
        let good = here.create_task(gives(&here, millis(1), 1)).await?;
        let cancelled = here.create_task(gives(&here, millis(2), 1)).await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(cancelled, None).await?;
        let (all, _) = here.wait(&[good, cancelled], Until::FirstException, None).await?;
        assert_eq!(all.len(), 2, "a cancelled one is no exception");
        done()
    });
}

#[test]
fn wait_may_end_before_anything_is_done() {
    ok(|here| async move {
        let a = here.create_task(gives(&here, millis(100), 1)).await?;
        let b = here.create_task(gives(&here, millis(150), 2)).await?;
        let (first, pending) = here.wait(&[b, a], Until::AllCompleted, Some(millis(110))).await?;
        assert_eq!((first, pending), (vec![a], vec![b]));
        assert_eq!(here.time().await?, millis(110));
        let never = here.create_future().await?;
        let (first, pending) = here.wait(&[never], Until::AllCompleted, Some(GIVE_WAY)).await?;
        assert_eq!((first, pending), (vec![], vec![never]));
        done()
    });
}

#[test]
fn cancelling_a_wait_cancels_nobody_else() {
    ok(|here| async move {
        let waiter = here.create_future().await?;
        let proof = Count::default();
        let inside = proof.clone();
        let inner = here
            .spawn(move |here| async move {
                here.join(waiter).await?;
                inside.add(1);
                done()
            })
            .await?;
        let outer = here
            .spawn(move |here| async move {
                here.wait(&[inner], Until::AllCompleted, None).await?;
                done()
            })
            .await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(outer, None).await?;
        assert_eq!(ended(&here.join(outer).await), "Cancelled");
        here.set_result(waiter, ()).await?;
        here.join(inner).await?;
        assert_eq!(proof.get(), 1);
        done()
    });
}

#[test]
fn as_completed_gives_results_in_the_order_of_completion() {
    ok(|here| async move {
        let all = [(150, 3), (10, 1), (10, 2)].map(|(delay, n)| gives(&here, millis(delay), n).into());
        let completed = here.as_completed(all.into(), None).await?;
        let mut results = Vec::new();
        while let Some(result) = here.next_result(completed).await? {
            results.push(result);
        }
        assert_eq!(results, [1, 2, 3].map(Value::Int));
        assert_eq!(here.time().await?, millis(150));
        done()
    });
}

#[test]
fn as_completed_gives_back_the_futures_it_was_given() {
    ok(|here| async move {
        let a = here.create_task(gives(&here, millis(20), 1)).await?;
        let b = here.create_task(gives(&here, millis(10), 2)).await?;
        let other = gives(&here, millis(30), 3);
        let completed = here
            .as_completed(vec![a.into(), other.into(), b.into(), a.into()], None)
            .await?;
        assert_eq!(here.next_completed(completed).await?, Some(b));
        assert_eq!(here.next_completed(completed).await?, Some(a));
        let third = here.next_completed(completed).await?.expect("there are three");
        assert_eq!(here.result(third).await?, Value::Int(3));
        assert_eq!(here.next_completed(completed).await?, None);
        done()
    });
}

#[test]
fn as_completed_gives_up_after_its_time() {
    ok(|here| async move {
        let a = here.create_task(gives(&here, millis(100), 1)).await?;
        let b = here.create_task(gives(&here, millis(150), 2)).await?;
        let completed = here.as_completed(waitables(&[a, b]), Some(millis(120))).await?;
        assert_eq!(here.next_result(completed).await?, Some(Value::Int(1)));
        assert_eq!(ended(&here.next_result(completed).await), "Timeout");
        assert_eq!(here.time().await?, millis(120));
        let completed = here.as_completed(waitables(&[a, b]), Some(millis(120))).await?;
        assert_eq!(here.next_completed(completed).await?, Some(a));
        assert_eq!(
            here.next_completed(completed).await?,
            Some(b),
            "there was enough time this once"
        );
        done()
    });
}

#[test]
fn as_completed_may_be_asked_by_several_at_once() {
    ok(|here| async move {
        let all = [gives(&here, millis(50), 1).into(), gives(&here, millis(100), 2).into()];
        let completed = here.as_completed(all.into(), None).await?;
        let ask = move |here: Here| async move { Ok(here.next_result(completed).await?.unwrap_or_default()) };
        let (first, second) = (here.spawn(ask).await?, here.spawn(ask).await?);
        assert_eq!(here.join(second).await?, Value::Int(2), "who asks first gets the first");
        assert_eq!(here.join(first).await?, Value::Int(1));
        done()
    });
}

#[test]
fn a_coroutine_object_given_twice_is_one_task() {
    ok(|here| async move {
        let ham = here.coroutine("ham", |_| async { Ok(Value::Int(1)) }).await?;
        let spam = here.coroutine("spam", |_| async { Ok(Value::Int(2)) }).await?;
        let completed = here
            .as_completed(vec![ham.into(), ham.into(), spam.into()], None)
            .await?;
        let mut n = 0;
        while here.next_result(completed).await?.is_some() {
            n += 1;
        }
        assert_eq!(n, 2);
        let eggs = here.coroutine("eggs", |_| async { Ok(Value::Int(3)) }).await?;
        let gathered = here.gather(vec![eggs.into(), eggs.into()]).await?;
        assert_eq!(gathered, Value::from(vec![Value::Int(3), Value::Int(3)]));
        done()
    });
}
