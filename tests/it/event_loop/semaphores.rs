//! What `test_locks.py` checks of semaphores.

use concurrency_playground::machine::event_loop::{FutureId, LoopCall, OnException, SemaphoreId, Waitable};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::{Exception, Kind, Value};

use super::{GIVE_WAY, Log, done, ended, log_of, millis, ok, seconds};

/// A task that takes the semaphore and says so.
async fn taker(here: &Here, log: &Log, semaphore: SemaphoreId, name: &'static str) -> Result<FutureId, Exception> {
    let log = log.clone();
    here.spawn(move |here| async move {
        here.acquire_semaphore(semaphore).await?;
        log.say(name);
        Ok(Value::Bool(true))
    })
    .await
}

async fn quiet_taker(here: &Here, semaphore: SemaphoreId) -> Result<FutureId, Exception> {
    taker(here, &Log::default(), semaphore, "").await
}

#[test]
fn its_value_is_not_below_zero() {
    ok(|here| async move {
        let empty = here.new_semaphore(0).await?;
        assert!(here.semaphore_locked(empty).await?);
        let raised = here.new_semaphore(-1).await.expect_err("it is below zero");
        assert_eq!(
            (raised.kind(), raised.message()),
            (Kind::ValueError, "Semaphore initial value must be >= 0")
        );
        done()
    });
}

#[test]
fn it_lets_so_many_in_and_wakes_one_for_each_release() {
    let log = log_of(|here, log| async move {
        let semaphore = here.new_semaphore(3).await?;
        for _ in 0..2 {
            assert!(here.acquire_semaphore(semaphore).await?.is_true());
        }
        assert!(!here.semaphore_locked(semaphore).await?);
        let mut tasks = Vec::new();
        for name in ["1", "2", "3"] {
            tasks.push(taker(&here, &log, semaphore, name).await?);
        }
        here.sleep(GIVE_WAY).await?;
        assert!(here.semaphore_locked(semaphore).await?);
        log.say("-");
        tasks.push(taker(&here, &log, semaphore, "4").await?);
        here.release_semaphore(semaphore).await?;
        here.release_semaphore(semaphore).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.semaphore_locked(semaphore).await?);
        log.say("-");
        here.release_semaphore(semaphore).await?;
        here.gather(tasks.into_iter().map(Waitable::from).collect()).await
    });
    assert_eq!(log, ["1", "-", "2", "3", "-", "4"]);
}

#[test]
fn waiting_can_be_cancelled() {
    ok(|here| async move {
        let semaphore = here.new_semaphore(1).await?;
        here.acquire_semaphore(semaphore).await?;
        let task = quiet_taker(&here, semaphore).await?;
        let cancel = program(&here, move |here| async move {
            here.ask(LoopCall::Cancel(task, None)).await
        });
        here.call_soon(cancel).await?;
        assert_eq!(ended(&here.join(task).await), "Cancelled");
        here.release_semaphore(semaphore).await?;
        assert!(!here.semaphore_locked(semaphore).await?);
        done()
    });
}

#[test]
fn a_release_goes_past_cancelled_waiters() {
    ok(|here| async move {
        let semaphore = here.new_semaphore(0).await?;
        let mut tasks = Vec::new();
        for _ in 0..4 {
            tasks.push(quiet_taker(&here, semaphore).await?);
        }
        here.sleep(GIVE_WAY).await?;
        here.cancel(tasks[0], None).await?;
        here.cancel(tasks[1], None).await?;
        here.release_semaphore(semaphore).await?;
        here.sleep(GIVE_WAY).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.done(tasks[2]).await? && !here.done(tasks[3]).await?);
        done()
    });
}

#[test]
fn a_cancelled_waiter_and_a_release_at_once_lose_nothing() {
    ok(|here| async move {
        let semaphore = here.new_semaphore(0).await?;
        let first = quiet_taker(&here, semaphore).await?;
        let second = quiet_taker(&here, semaphore).await?;
        here.sleep(GIVE_WAY).await?;
        here.cancel(first, None).await?;
        here.release_semaphore(semaphore).await?;
        here.sleep(GIVE_WAY).await?;
        here.sleep(GIVE_WAY).await?;
        assert!(here.semaphore_locked(semaphore).await? && here.done(second).await?);
        done()
    });
}

#[test]
fn a_woken_waiter_that_is_cancelled_gives_it_back() {
    ok(|here| async move {
        let semaphore = here.new_semaphore(1).await?;
        let second = here
            .spawn(move |here| async move {
                here.sleep(GIVE_WAY).await?;
                here.semaphore(semaphore, async { Err::<Value, _>(super::value_error()) })
                    .await
            })
            .await?;
        let first = here
            .spawn(move |here| async move {
                here.semaphore(semaphore, async {
                    here.sleep(GIVE_WAY).await?;
                    here.sleep(GIVE_WAY).await
                })
                .await?;
                here.cancel(second, None).await?;
                done()
            })
            .await?;
        let gathered = here
            .gather_future(vec![first.into(), second.into()], OnException::Return)
            .await?;
        match here.join(gathered).await?.list() {
            [Value::None, Value::Exception(exception)] => assert!(exception.is_cancelled()),
            other => panic!("{other:?}"),
        }
        let again = program(
            &here,
            move |here| async move { here.acquire_semaphore(semaphore).await },
        );
        here.wait_for(again, Some(seconds(1))).await
    });
}

#[test]
fn only_a_bounded_one_minds_too_many_releases() {
    ok(|here| async move {
        let bounded = here.new_bounded_semaphore(1).await?;
        let raised = here.release_semaphore(bounded).await.expect_err("nobody has it");
        assert_eq!(
            (raised.kind(), raised.message()),
            (Kind::ValueError, "BoundedSemaphore released too many times")
        );
        let plain = here.new_semaphore(1).await?;
        here.acquire_semaphore(plain).await?;
        assert!(here.semaphore_locked(plain).await?);
        here.release_semaphore(plain).await?;
        assert!(!here.semaphore_locked(plain).await?);
        here.release_semaphore(plain).await?;
        done()
    });
}

#[test]
fn who_asks_again_asks_last() {
    let log = log_of(|here, log| async move {
        let semaphore = here.new_semaphore(1).await?;
        here.group(async |group| {
            for name in ["c1", "c2", "c3"] {
                let log = log.clone();
                here.spawn_in(group, move |here| async move {
                    for turn in 1..3 {
                        here.acquire_semaphore(semaphore).await?;
                        log.say(format!("{name}_{turn}"));
                        here.sleep(millis(10)).await?;
                        here.release_semaphore(semaphore).await?;
                    }
                    done()
                })
                .await?;
            }
            Ok(Value::None)
        })
        .await
    });
    assert_eq!(log, ["c1_1", "c2_1", "c3_1", "c1_2", "c2_2", "c3_2"]);
}

#[test]
fn who_releases_and_asks_at_once_asks_last() {
    let log = log_of(|here, log| async move {
        let semaphore = here.new_semaphore(1).await?;
        let first = taker(&here, &log, semaphore, "1").await?;
        let inside = log.clone();
        let second = here
            .spawn(move |here| async move {
                here.acquire_semaphore(semaphore).await?;
                inside.say(2);
                here.release_semaphore(semaphore).await?;
                here.acquire_semaphore(semaphore).await?;
                inside.say(4);
                done()
            })
            .await?;
        let third = taker(&here, &log, semaphore, "3").await?;
        here.sleep(GIVE_WAY).await?;
        here.release_semaphore(semaphore).await?;
        here.release_semaphore(semaphore).await?;
        here.gather(vec![first.into(), second.into(), third.into()]).await
    });
    assert_eq!(log, ["1", "2", "3", "4"]);
}

#[test]
fn the_order_survives_a_cancellation() {
    let log = log_of(|here, log| async move {
        let semaphore = here.new_semaphore(0).await?;
        let mut tasks = Vec::new();
        for name in ["1", "2", "3"] {
            tasks.push(taker(&here, &log, semaphore, name).await?);
        }
        here.sleep(GIVE_WAY).await?;
        here.cancel(tasks[0], None).await?;
        here.sleep(GIVE_WAY).await?;
        here.release_semaphore(semaphore).await?;
        here.release_semaphore(semaphore).await?;
        let of = tasks.into_iter().map(Waitable::from).collect();
        let gathered = here.gather_future(of, OnException::Return).await?;
        here.join(gathered).await
    });
    assert_eq!(log, ["2", "3"]);
}

/// Three releases at once before anybody has woken: the first to wake wakes the others, in order.
#[test]
fn who_wakes_wakes_the_others_that_may_go_on() {
    let log = log_of(|here, log| async move {
        let semaphore = here.new_semaphore(0).await?;
        let inside = log.clone();
        let first = here
            .spawn(move |here| async move {
                here.acquire_semaphore(semaphore).await?;
                let fourth = inside.clone();
                here.spawn(move |_| async move {
                    fourth.say(4);
                    done()
                })
                .await?;
                inside.say(1);
                done()
            })
            .await?;
        let inside = log.clone();
        let second = here
            .spawn(move |here| async move {
                for _ in 0..3 {
                    here.release_semaphore(semaphore).await?;
                }
                assert!(here.semaphore_locked(semaphore).await?, "the first has not woken yet");
                here.acquire_semaphore(semaphore).await?;
                inside.say(2);
                done()
            })
            .await?;
        let third = taker(&here, &log, semaphore, "3").await?;
        here.sleep(GIVE_WAY).await?;
        here.sleep(GIVE_WAY).await?;
        here.gather(vec![first.into(), second.into(), third.into()]).await?;
        here.sleep(GIVE_WAY).await
    });
    assert_eq!(log, ["1", "2", "3", "4"]);
}
