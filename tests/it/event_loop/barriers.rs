//! What `test_locks.py` checks of barriers.

use std::cell::RefCell;
use std::rc::Rc;

use concurrency_playground::machine::event_loop::{BarrierId, FutureId, Waitable};
use concurrency_playground::machine::front::Here;
use concurrency_playground::machine::{Exception, Kind, Outcome};

use super::{Count, GIVE_WAY, done, ended, ok};

const PARTIES: i64 = 5;

/// So many tasks of one kind, awaited together.
async fn all<Body>(here: &Here, n: i64, body: impl Fn(Here) -> Body) -> Result<(), Exception>
where
    Body: Future<Output = Outcome> + 'static,
{
    let mut tasks = Vec::new();
    for _ in 0..n {
        tasks.push(Waitable::Future(here.spawn(&body).await?));
    }
    here.gather(tasks).await?;
    Ok(())
}

async fn waiter(here: &Here, barrier: BarrierId) -> Result<FutureId, Exception> {
    let task = here.spawn(move |here| async move { here.wait_barrier(barrier).await.map(Into::into) });
    let task = task.await?;
    here.sleep(GIVE_WAY).await?;
    Ok(task)
}

/// Nobody is inside, and nothing is broken.
async fn is_fresh(here: &Here, barrier: BarrierId) -> Result<bool, Exception> {
    Ok(here.barrier_waiting(barrier).await? == 0 && !here.barrier_broken(barrier).await?)
}

fn is_broken<T>(waited: &Result<T, Exception>) -> bool {
    waited
        .as_ref()
        .is_err_and(|raised| raised.kind() == Kind::BrokenBarrier)
}

#[test]
fn it_is_for_somebody() {
    ok(|here| async move {
        for parties in [0, -4] {
            let raised = here.new_barrier(parties).await.expect_err("it is for nobody");
            assert_eq!(
                (raised.kind(), raised.message()),
                (Kind::ValueError, "parties must be >= 1")
            );
        }
        done()
    });
}

#[test]
fn everybody_gets_a_place_of_its_own() {
    ok(|here| async move {
        let barrier = here.new_barrier(3).await?;
        let places: Rc<RefCell<Vec<i64>>> = Rc::default();
        let inside = places.clone();
        all(&here, 3, move |here| {
            let places = inside.clone();
            async move {
                let place = here.wait_barrier(barrier).await?;
                places.borrow_mut().push(place);
                done()
            }
        })
        .await?;
        places.borrow_mut().sort_unstable();
        assert_eq!(*places.borrow(), [0, 1, 2]);
        assert!(is_fresh(&here, barrier).await?);
        done()
    });
}

#[test]
fn for_one_it_holds_nobody_up() {
    ok(|here| async move {
        let barrier = here.new_barrier(1).await?;
        for _ in 0..2 {
            let task = waiter(&here, barrier).await?;
            assert!(here.done(task).await?);
            assert_eq!(here.result(task).await?.int(), Some(0));
            assert!(is_fresh(&here, barrier).await?);
        }
        done()
    });
}

#[test]
fn it_counts_who_waits() {
    ok(|here| async move {
        let barrier = here.new_barrier(3).await?;
        let mut tasks = Vec::new();
        for n in 1..3 {
            tasks.push(Waitable::Future(waiter(&here, barrier).await?));
            assert_eq!(here.barrier_waiting(barrier).await?, n);
        }
        tasks.push(waiter(&here, barrier).await?.into());
        here.gather(tasks).await?;
        assert!(is_fresh(&here, barrier).await?);
        done()
    });
}

#[test]
fn it_serves_again_and_again() {
    ok(|here| async move {
        let barrier = here.new_barrier(PARTIES).await?;
        let (first, second, places) = (Count::default(), Count::default(), Count::default());
        let counts = (first.clone(), second.clone(), places.clone());
        all(&here, PARTIES, move |here| {
            let (first, second, places) = counts.clone();
            async move {
                here.wait_barrier(barrier).await?;
                first.add(1);
                places.add(here.wait_barrier(barrier).await?);
                assert_eq!(first.get(), PARTIES, "nobody passes twice before all have passed once");
                second.add(1);
                done()
            }
        })
        .await?;
        assert_eq!((first.get(), second.get(), places.get()), (PARTIES, PARTIES, 10));
        assert!(is_fresh(&here, barrier).await?);
        done()
    });
}

/// Two of five come back while the others are still leaving: they must wait outside.
#[test]
fn who_comes_back_while_others_leave_waits() {
    ok(|here| async move {
        let barrier = here.new_barrier(PARTIES).await?;
        let others = here.new_barrier(PARTIES - 2).await?;
        let again = Count::default();
        let inside = again.clone();
        all(&here, PARTIES, move |here| {
            let again = inside.clone();
            async move {
                here.wait_barrier(barrier).await?;
                if again.get() < 2 {
                    again.add(1);
                } else {
                    here.wait_barrier(others).await?;
                }
                here.wait_barrier(barrier).await?;
                done()
            }
        })
        .await?;
        assert!(is_fresh(&here, barrier).await? && is_fresh(&here, others).await?);
        done()
    });
}

#[test]
fn a_cancelled_waiter_does_not_count() {
    ok(|here| async move {
        let barrier = here.new_barrier(3).await?;
        let first = waiter(&here, barrier).await?;
        let second = waiter(&here, barrier).await?;
        here.cancel(first, None).await?;
        here.sleep(GIVE_WAY).await?;
        assert_eq!(here.barrier_waiting(barrier).await?, 1);
        assert_eq!(ended(&here.join(first).await), "Cancelled");
        let third = waiter(&here, barrier).await?;
        assert_eq!(here.barrier_waiting(barrier).await?, 2);
        let fourth = waiter(&here, barrier).await?;
        here.gather(vec![second.into(), third.into(), fourth.into()]).await?;
        assert!(is_fresh(&here, barrier).await?);
        done()
    });
}

#[test]
fn a_reset_sends_those_inside_away() {
    ok(|here| async move {
        let barrier = here.new_barrier(PARTIES).await?;
        here.reset_barrier(barrier).await?;
        assert!(is_fresh(&here, barrier).await?);
        let mut tasks = Vec::new();
        for _ in 1..PARTIES {
            tasks.push(waiter(&here, barrier).await?);
        }
        here.reset_barrier(barrier).await?;
        for task in tasks {
            assert!(is_broken(&here.join(task).await));
        }
        assert!(is_fresh(&here, barrier).await?);
        done()
    });
}

/// The third that leaves resets: the two that have not left yet are sent away.
#[test]
fn a_reset_while_they_leave_sends_the_rest_away() {
    ok(|here| async move {
        let barrier = here.new_barrier(PARTIES).await?;
        let (left, sent_away) = (Count::default(), Count::default());
        let counts = (left.clone(), sent_away.clone());
        all(&here, PARTIES, move |here| {
            let (left, sent_away) = counts.clone();
            async move {
                let waited = here.wait_barrier(barrier).await;
                if is_broken(&waited) {
                    sent_away.add(1);
                    return done();
                }
                left.add(1);
                if left.get() == 3 {
                    here.reset_barrier(barrier).await?;
                }
                done()
            }
        })
        .await?;
        assert_eq!((left.get(), sent_away.get()), (3, 2));
        assert!(is_fresh(&here, barrier).await?);
        done()
    });
}

/// Those who wait outside are let in by a reset, not sent away.
#[test]
fn a_reset_lets_those_outside_in() {
    ok(|here| async move {
        let barrier = here.new_barrier(PARTIES).await?;
        let (left, sent_away, outside_sent_away) = (Count::default(), Count::default(), Count::default());
        let counts = (left, sent_away.clone(), outside_sent_away.clone());
        all(&here, PARTIES, move |here| {
            let (left, sent_away, outside_sent_away) = counts.clone();
            async move {
                if is_broken(&here.wait_barrier(barrier).await) {
                    sent_away.add(1);
                    here.wait_barrier(barrier).await?;
                    return done();
                }
                left.add(1);
                if left.get() > PARTIES / 2 {
                    here.reset_barrier(barrier).await?;
                    here.wait_barrier(barrier).await?;
                } else if is_broken(&here.wait_barrier(barrier).await) {
                    outside_sent_away.add(1);
                }
                done()
            }
        })
        .await?;
        assert_eq!((sent_away.get(), outside_sent_away.get()), (PARTIES / 2, 0));
        assert!(is_fresh(&here, barrier).await?);
        done()
    });
}

#[test]
fn who_was_sent_away_may_wait_again() {
    ok(|here| async move {
        let barrier = here.new_barrier(PARTIES).await?;
        let (sent_away, through) = (Count::default(), Count::default());
        let mut tasks = Vec::new();
        for _ in 1..PARTIES {
            let (sent_away, through) = (sent_away.clone(), through.clone());
            let task = here.spawn(move |here| async move {
                sent_away.add(i64::from(is_broken(&here.wait_barrier(barrier).await)));
                here.wait_barrier(barrier).await?;
                through.add(1);
                done()
            });
            tasks.push(Waitable::Future(task.await?));
        }
        let reset = here.spawn(move |here| async move {
            here.reset_barrier(barrier).await?;
            done()
        });
        tasks.push(reset.await?.into());
        here.sleep(GIVE_WAY).await?;
        let last = through.clone();
        let task = here.spawn(move |here| async move {
            here.wait_barrier(barrier).await?;
            last.add(1);
            done()
        });
        tasks.push(task.await?.into());
        here.gather(tasks).await?;
        assert_eq!((sent_away.get(), through.get()), (PARTIES - 1, PARTIES));
        assert!(is_fresh(&here, barrier).await?);
        done()
    });
}

#[test]
fn a_reset_by_the_last_that_leaves_disturbs_nobody() {
    ok(|here| async move {
        let barrier = here.new_barrier(PARTIES).await?;
        let (left, second, disturbed, third) = (Count::default(), Count::default(), Count::default(), Count::default());
        let counts = (left, second.clone(), disturbed.clone(), third.clone());
        all(&here, PARTIES, move |here| {
            let (left, second, disturbed, third) = counts.clone();
            async move {
                here.wait_barrier(barrier).await?;
                left.add(1);
                if left.get() == PARTIES {
                    here.reset_barrier(barrier).await?;
                    here.wait_barrier(barrier).await?;
                } else {
                    match here.wait_barrier(barrier).await {
                        Ok(_) => second.add(1),
                        Err(_) => disturbed.add(1),
                    }
                }
                here.wait_barrier(barrier).await?;
                third.add(1);
                done()
            }
        })
        .await?;
        assert_eq!((second.get(), disturbed.get(), third.get()), (PARTIES - 1, 0, PARTIES));
        assert!(is_fresh(&here, barrier).await?);
        done()
    });
}

#[test]
fn an_abort_is_for_good_until_a_reset() {
    ok(|here| async move {
        let barrier = here.new_barrier(2).await?;
        let inside = waiter(&here, barrier).await?;
        here.abort_barrier(barrier).await?;
        assert!(here.barrier_broken(barrier).await?);
        let raised = here.join(inside).await.expect_err("it is broken");
        assert_eq!(
            (raised.kind(), raised.message()),
            (Kind::BrokenBarrier, "Abort or reset of barrier")
        );
        let raised = here.wait_barrier(barrier).await.expect_err("it still is");
        assert_eq!(raised.message(), "Barrier aborted");
        here.reset_barrier(barrier).await?;
        assert!(is_fresh(&here, barrier).await?);
        done()
    });
}

/// The third that leaves aborts: those inside and those outside are sent away.
#[test]
fn an_abort_while_they_leave_sends_everybody_away() {
    ok(|here| async move {
        let barrier = here.new_barrier(PARTIES).await?;
        let (left, inside, outside) = (Count::default(), Count::default(), Count::default());
        let counts = (left, inside.clone(), outside.clone());
        all(&here, PARTIES, move |here| {
            let (left, inside, outside) = counts.clone();
            async move {
                if is_broken(&here.wait_barrier(barrier).await) {
                    inside.add(1);
                    return done();
                }
                left.add(1);
                if left.get() > PARTIES / 2 {
                    here.abort_barrier(barrier).await?;
                } else if is_broken(&here.wait_barrier(barrier).await) {
                    outside.add(1);
                }
                done()
            }
        })
        .await?;
        assert_eq!((inside.get(), outside.get()), (PARTIES / 2, PARTIES - PARTIES / 2 - 1));
        assert!(here.barrier_broken(barrier).await?);
        assert_eq!(here.barrier_waiting(barrier).await?, 0);
        done()
    });
}

#[test]
fn one_that_fails_may_abort_and_all_may_begin_again() {
    for resets in [false, true] {
        ok(move |here| async move {
            let barrier = here.new_barrier(PARTIES).await?;
            let meeting = here.new_barrier(PARTIES).await?;
            let (through, broken, again) = (Count::default(), Count::default(), Count::default());
            let counts = (through.clone(), broken.clone(), again.clone());
            all(&here, PARTIES, move |here| {
                let (through, broken, again) = counts.clone();
                async move {
                    // Some have not left when it is aborted: they are sent away, too.
                    let second = match here.wait_barrier(barrier).await {
                        Ok(place) if place == PARTIES / 2 => here.abort_barrier(barrier).await.map(|()| None)?,
                        Ok(_) => Some(here.wait_barrier(barrier).await.map(|_| ())),
                        Err(raised) => Some(Err(raised)),
                    };
                    match second {
                        Some(Ok(())) => through.add(1),
                        Some(Err(_)) => broken.add(1),
                        None => {}
                    }
                    if resets {
                        // All meet before and after the reset, so that nobody is inside.
                        if here.wait_barrier(meeting).await? == PARTIES / 2 {
                            here.reset_barrier(barrier).await?;
                        }
                        here.wait_barrier(meeting).await?;
                        here.wait_barrier(barrier).await?;
                        again.add(1);
                    }
                    done()
                }
            })
            .await?;
            assert_eq!((through.get(), broken.get()), (0, PARTIES - 1));
            assert_eq!(again.get(), if resets { PARTIES } else { 0 });
            assert_eq!(here.barrier_broken(barrier).await?, !resets);
            done()
        });
    }
}
