//! The ends of pools: what `test_shutdown.py` checks.

use concurrency_playground::machine::front::program;
use concurrency_playground::machine::threads::Workers;
use concurrency_playground::machine::{Kind, Value};

use super::pools::*;
use super::support::*;

#[test]
fn after_its_shutdown_a_pool_takes_nothing_and_ends_what_it_has() {
    check_pools(|here, pool, _| async move {
        let mut calls = Vec::new();
        for n in 0..20 {
            calls.push(
                here.submit(pool, move |here| async move {
                    here.block(ms(10)).await;
                    Ok(Value::Int(n))
                })
                .await?,
            );
        }
        here.shut_pool_down(pool, true, false).await?;
        for (call, n) in calls.into_iter().zip(0..) {
            assert!(here.is_future_done(call).await?);
            assert_eq!(here.future_result(call, Some(us(0))).await?, Value::Int(n));
        }
        let refused = here.submit(pool, |_| async { NOTHING }).await;
        let message = "cannot schedule new futures after shutdown".to_owned();
        assert_eq!(complaint(refused), (Kind::RuntimeError, message));
        here.shut_pool_down(pool, true, true).await
    });
}

#[test]
fn a_shutdown_may_cancel_what_nobody_has_begun() {
    check_pools(|here, pool, workers| async move {
        let mut calls = Vec::new();
        let called_back = List::new();
        for _ in 0..50 {
            let call = here.submit(pool, |here| sleeps(here, ms(100))).await?;
            let list = called_back.clone();
            let callback = program(&here, move |_| async move {
                list.add(call.0);
                NOTHING
            });
            here.add_future_callback(call, callback).await?;
            calls.push(call);
        }
        here.block(ms(20)).await;
        let before = here.now().await;
        here.shut_pool_down(pool, true, true).await?;
        let mut n_cancelled = 0;
        for call in &calls {
            if here.is_future_cancelled(*call).await? {
                n_cancelled += 1;
            } else {
                assert!(here.future_exception(*call, Some(us(0))).await?.is_none());
            }
        }
        // The pipe of a process pool holds one more than there are workers, and those run.
        let rounds = if matches!(workers, Workers::Processes(_)) { 3 } else { 1 };
        assert!(here.now().await - before <= ms(100 * rounds + 20));
        let n_begun = if rounds == 1 { 3..=3 } else { 4..=7 };
        assert!(
            n_begun.contains(&(50 - n_cancelled)),
            "{workers:?}: {n_cancelled} cancelled"
        );
        assert_eq!(called_back.len(), 50);
        Ok(())
    });
}

#[test]
fn a_call_that_is_cancelled_right_before_the_shutdown_keeps_nobody() {
    check_pools(|here, pool, _| async move {
        let call = here.submit(pool, |_| async { NOTHING }).await?;
        here.future_result(call, None).await?;
        let call = here.submit(pool, |here| sleeps(here, ms(10))).await?;
        here.cancel_future(call).await?;
        here.shut_pool_down(pool, true, false).await
    });
}

#[test]
fn a_program_ends_when_its_pools_have_done_their_calls() {
    for workers in KINDS {
        for is_shut in [false, true] {
            let log = Log::default();
            let inner = log.clone();
            let machine = ended(ideal(2), move |here| async move {
                let pool = pool(&here, workers, 5).await?;
                let call = here.submit(pool, |here| sleeps(here, ms(1000))).await?;
                let callback = program(&here, move |here| async move {
                    inner.say(&here, "apple").await;
                    // By now the program only waits for its end.
                    let late = here.submit(pool, |_| async { NOTHING }).await;
                    let message = "cannot schedule new futures after interpreter shutdown";
                    assert_eq!(complaint(late), (Kind::RuntimeError, message.to_owned()));
                    NOTHING
                });
                here.add_future_callback(call, callback).await?;
                if is_shut {
                    here.shut_pool_down(pool, false, false).await?;
                }
                NOTHING
            });
            assert_eq!(log.timed(), "apple@1000", "{workers:?}");
            assert!(machine.complaints().is_empty(), "{:?}", machine.complaints());
            assert_eq!(machine.now(), ms(1000));
        }
    }
}
