//! Concurrent futures by themselves and several of them: what `test_future.py`, `test_wait.py` and
//! `test_as_completed.py` check.

use concurrency_playground::machine::event_loop::Until;
use concurrency_playground::machine::front::{Here, program, raise};
use concurrency_playground::machine::threads::ConcurrentFutureId;
use concurrency_playground::machine::{Exception, Kind, Outcome, Value};

use super::support::*;

/// Futures in every state: pending, running, cancelled, cancelled and seen, failed, successful.
async fn all_states(here: &Here) -> Gives<Vec<ConcurrentFutureId>> {
    let mut all = Vec::new();
    for state in 0..6 {
        let future = here.new_concurrent_future().await?;
        match state {
            1 => assert!(here.set_future_running(future).await?),
            2 => assert!(here.cancel_future(future).await?),
            3 => {
                here.cancel_future(future).await?;
                assert!(!here.set_future_running(future).await?);
            }
            4 => {
                here.set_future_exception(future, Exception::own("OSError", Value::None))
                    .await?
            }
            5 => here.set_future_result(future, 42).await?,
            _ => {}
        }
        all.push(future);
    }
    Ok(all)
}

#[test]
fn every_state_answers_as_it_should() {
    check(|here| async move {
        let futures = all_states(&here).await?;
        let expected = [
            // cancelled, running, done
            (false, false, false),
            (false, true, false),
            (true, false, true),
            (true, false, true),
            (false, false, true),
            (false, false, true),
        ];
        for (future, (cancelled, running, done)) in futures.iter().zip(expected) {
            assert_eq!(here.is_future_cancelled(*future).await?, cancelled);
            assert_eq!(here.is_future_running(*future).await?, running);
            assert_eq!(here.is_future_done(*future).await?, done);
        }
        let expected = [
            Some(Kind::Timeout),
            Some(Kind::Timeout),
            Some(Kind::Cancelled),
            Some(Kind::Cancelled),
        ];
        for (future, raised) in futures.iter().zip(expected) {
            let result = here.future_result(*future, Some(us(0))).await;
            assert_eq!(result.err().map(|exception| exception.kind()), raised);
            let exception = here.future_exception(*future, Some(us(0))).await;
            assert_eq!(exception.err().map(|exception| exception.kind()), raised);
        }
        let failed = here.future_result(futures[4], Some(us(0))).await;
        assert_eq!(complaint(failed), (Kind::Own, "OSError".to_owned()));
        let exception = here
            .future_exception(futures[4], Some(us(0)))
            .await?
            .expect("it failed");
        assert_eq!(exception.message(), "OSError");
        assert_eq!(here.future_result(futures[5], None).await?, Value::Int(42));
        assert!(here.future_exception(futures[5], None).await?.is_none());
        NOTHING
    });
}

#[test]
fn only_what_nobody_has_begun_is_cancelled() {
    check(|here| async move {
        let futures = all_states(&here).await?;
        for (future, expected) in futures.iter().zip([true, false, true, true, false, false]) {
            assert_eq!(here.cancel_future(*future).await?, expected);
            assert_eq!(here.is_future_cancelled(*future).await?, expected);
        }
        NOTHING
    });
}

#[test]
fn a_done_future_is_not_set_again() {
    check(|here| async move {
        for future in all_states(&here).await?.split_off(2) {
            let result = here.set_future_result(future, 1).await;
            assert_eq!(kind(result), Kind::InvalidState);
            let result = here
                .set_future_exception(future, Exception::own("E", Value::None))
                .await;
            assert_eq!(kind(result), Kind::InvalidState);
        }
        NOTHING
    });
}

#[test]
fn waiting_for_a_result_ends_when_it_is_set() {
    check(|here| async move {
        for ends_with in 0..3 {
            let future = here.new_concurrent_future().await?;
            let setter = here.start_thread(move |here| async move {
                here.block(ms(100)).await;
                match ends_with {
                    0 => here.set_future_result(future, 42).await?,
                    1 => {
                        here.set_future_exception(future, Exception::own("OSError", Value::None))
                            .await?
                    }
                    _ => assert!(here.cancel_future(future).await?),
                }
                NOTHING
            });
            let setter = setter.await?;
            let before = here.now().await;
            let result = here.future_result(future, Some(ms(5000))).await;
            assert!(is_about(here.now().await - before, ms(100)));
            match ends_with {
                0 => assert_eq!(result?, Value::Int(42)),
                1 => assert_eq!(kind(result), Kind::Own),
                _ => assert_eq!(kind(result), Kind::Cancelled),
            }
            here.join_thread(setter, None).await?;
            let never = here.new_concurrent_future().await?;
            let before = here.now().await;
            assert_eq!(kind(here.future_result(never, Some(ms(200))).await), Kind::Timeout);
            assert_eq!(kind(here.future_exception(never, Some(ms(200))).await), Kind::Timeout);
            assert!(is_about(here.now().await - before, ms(400)));
        }
        NOTHING
    });
}

async fn add_callback(here: &Here, future: ConcurrentFutureId, name: &'static str, log: &Log) -> Gives<()> {
    let log = log.clone();
    let callback = program(here, move |here| async move {
        log.say(&here, name).await;
        if name.starts_with("raises") {
            return raise("in a callback");
        }
        NOTHING
    });
    here.add_future_callback(future, callback).await
}

#[test]
fn callbacks_run_in_order_where_the_future_is_settled() {
    for ends_with in 0..3 {
        let log = Log::default();
        let inner = log.clone();
        let machine = ended(ideal(2), move |here| async move {
            let future = here.new_concurrent_future().await?;
            for name in ["one", "raises", "two"] {
                add_callback(&here, future, name, &inner).await?;
            }
            let log = inner.clone();
            let setter = here.start_thread(move |here| async move {
                match ends_with {
                    0 => here.set_future_result(future, 5).await?,
                    1 => {
                        here.set_future_exception(future, Exception::own("E", Value::None))
                            .await?
                    }
                    // What the call gives comes after the callbacks.
                    _ => assert!(here.cancel_future(future).await?),
                }
                log.say(&here, "set").await;
                NOTHING
            });
            let setter = setter.await?;
            here.join_thread(setter, None).await?;
            // Done, it runs at once, here.
            for name in ["three", "raises too"] {
                add_callback(&here, future, name, &inner).await?;
                inner.say(&here, "added").await;
            }
            NOTHING
        });
        let words = "one raises two set three added raises too added";
        assert_eq!(log.words().join(" "), words);
        // What a callback raises is written down, and nobody else's.
        assert_eq!(machine.complaints().len(), 2);
    }
}

/// Settles futures one after the other, 10 ms apart.
async fn settle_later(here: &Here, settlings: Vec<(ConcurrentFutureId, Outcome)>) -> Gives<()> {
    let thread = here.start_thread(move |here| async move {
        for (future, outcome) in settlings {
            here.block(ms(10)).await;
            match outcome {
                Ok(value) => here.set_future_result(future, value).await?,
                Err(exception) => here.set_future_exception(future, exception).await?,
            }
        }
        NOTHING
    });
    thread.await.map(|_| ())
}

fn failure() -> Outcome {
    Err(Exception::own("E", Value::None))
}

#[test]
fn wait_until_all_one_or_a_failure() {
    check(|here| async move {
        for (until, n_done, after) in [
            (Until::AllCompleted, 3, ms(30)),
            (Until::FirstCompleted, 1, ms(10)),
            (Until::FirstException, 2, ms(20)),
        ] {
            let mut of = Vec::new();
            for _ in 0..3 {
                of.push(here.new_concurrent_future().await?);
            }
            let settlings = vec![(of[2], NOTHING), (of[0], failure()), (of[1], NOTHING)];
            settle_later(&here, settlings).await?;
            let before = here.now().await;
            let (done, not_done) = here.wait_futures(of.clone(), until, None).await?;
            assert!(is_about(here.now().await - before, after), "{until:?}");
            assert_eq!(done.len(), n_done);
            assert_eq!(not_done.len(), 3 - n_done);
            // Both in the order given.
            assert!(done.is_sorted() && not_done.is_sorted());
            here.block(ms(50)).await;
        }
        NOTHING
    });
}

#[test]
fn wait_does_not_wait_for_what_is_already_there() {
    check(|here| async move {
        let states = all_states(&here).await?;
        let (pending, running, seen, failed, done) = (states[0], states[1], states[3], states[4], states[5]);
        let before = here.now().await;
        let some = here
            .wait_futures(vec![seen, pending], Until::FirstCompleted, None)
            .await?;
        assert_eq!(some, (vec![seen], vec![pending]));
        let some = here
            .wait_futures(vec![running, failed], Until::FirstException, None)
            .await?;
        assert_eq!(some, (vec![failed], vec![running]));
        let all = here
            .wait_futures(vec![seen, failed, done, done], Until::AllCompleted, None)
            .await?;
        assert_eq!(all, (vec![seen, failed, done], vec![]));
        let none = here.wait_futures(vec![], Until::AllCompleted, None).await?;
        assert_eq!(none, (vec![], vec![]));
        assert!(is_about(here.now().await - before, us(0)));
        // A cancellation that no pool has seen is none yet; neither is a success a failure.
        let unseen = states[2];
        let waited = here
            .wait_futures(vec![unseen, done], Until::FirstException, Some(ms(20)))
            .await?;
        assert_eq!(waited, (vec![done], vec![unseen]));
        assert!(is_about(here.now().await - before, ms(20)));
        NOTHING
    });
}

#[test]
fn wait_is_over_when_its_time_is_up() {
    check(|here| async move {
        let of = [here.new_concurrent_future().await?, here.new_concurrent_future().await?];
        settle_later(&here, vec![(of[0], NOTHING)]).await?;
        let before = here.now().await;
        let (done, not_done) = here
            .wait_futures(of.to_vec(), Until::AllCompleted, Some(ms(100)))
            .await?;
        assert!(is_about(here.now().await - before, ms(100)));
        assert_eq!((done, not_done), (vec![of[0]], vec![of[1]]));
        NOTHING
    });
}

#[test]
fn as_completed_gives_them_in_the_order_of_completion() {
    check(|here| async move {
        let mut of = Vec::new();
        for _ in 0..4 {
            of.push(here.new_concurrent_future().await?);
        }
        // Two are done before, in this order; one is there twice.
        here.set_future_result(of[3], 1).await?;
        here.set_future_exception(of[1], Exception::own("E", Value::None))
            .await?;
        settle_later(&here, vec![(of[2], NOTHING), (of[0], failure())]).await?;
        let mut given = of.clone();
        given.push(of[0]);
        let completions = here.futures_as_completed(given, None).await?;
        let mut order = Vec::new();
        while let Some(future) = here.next_future(completions).await? {
            order.push(future);
        }
        assert_eq!(order, [of[3], of[1], of[2], of[0]]);
        assert!(here.next_future(completions).await?.is_none());
        NOTHING
    });
}

#[test]
fn as_completed_says_how_many_are_missing_when_time_is_up() {
    check(|here| async move {
        for timeout in [us(0), ms(100)] {
            let of = [here.new_concurrent_future().await?, here.new_concurrent_future().await?];
            here.set_future_result(of[1], 1).await?;
            let before = here.now().await;
            let completions = here.futures_as_completed(of.to_vec(), Some(timeout)).await?;
            assert_eq!(here.next_future(completions).await?, Some(of[1]));
            let late = here.next_future(completions).await;
            assert_eq!(
                complaint(late),
                (Kind::Timeout, "1 (of 2) futures unfinished".to_owned())
            );
            assert!(is_about(here.now().await - before, timeout));
        }
        NOTHING
    });
}
