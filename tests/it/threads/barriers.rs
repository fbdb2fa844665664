//! Barriers of threads: what `lock_tests.py` checks of them.

use concurrency_playground::machine::front::{Here, program, raise};
use concurrency_playground::machine::threads::{NewBarrier, ThreadBarrierId};
use concurrency_playground::machine::{Kind, Outcome};

use super::support::*;

const PARTIES: u32 = 5;

fn parties(n: u32) -> NewBarrier {
    NewBarrier {
        parties: i64::from(n),
        action: None,
        timeout: None,
    }
}

/// Runs all parties of a barrier to their ends.
async fn run_parties<Running>(
    here: &Here,
    barrier: ThreadBarrierId,
    body: impl Fn(Here, u32) -> Running + Clone + 'static,
) -> Gives<()>
where
    Running: Future<Output = Outcome> + 'static,
{
    let n = here.thread_barrier_parties(barrier).await? as u32;
    let threads = bunch(here, n, body).await?;
    join_all(here, threads).await
}

#[test]
fn a_barrier_is_passed_in_lockstep() {
    check(|here| async move {
        assert_eq!(kind(here.new_thread_barrier(parties(0)).await), Kind::ValueError);
        let barrier = here.new_thread_barrier(parties(PARTIES)).await?;
        let (before, after, places) = (List::new(), List::new(), List::new());
        let lists = (before.clone(), after.clone(), places.clone());
        let pass = move |here: Here, _| {
            let (before, after, places) = lists.clone();
            async move {
                for round in 0..10 {
                    before.add(());
                    assert_eq!(after.len(), round * PARTIES as usize);
                    places.add(here.wait_thread_barrier(barrier, None).await?);
                    after.add(());
                    assert_eq!(before.len(), (round + 1) * PARTIES as usize);
                    here.wait_thread_barrier(barrier, None).await?;
                }
                NOTHING
            }
        };
        run_parties(&here, barrier, pass).await?;
        assert_eq!(here.thread_barrier_waiting(barrier).await?, 0);
        assert!(!here.is_thread_barrier_broken(barrier).await?);
        let mut places = places.all();
        places.sort_unstable();
        assert_eq!(places, (0..50).map(|n| n / 10).collect::<Vec<i64>>());
        let alone = here.new_thread_barrier(parties(1)).await?;
        assert_eq!(here.wait_thread_barrier(alone, None).await?, 0);
        assert_eq!(here.wait_thread_barrier(alone, None).await?, 0);
        NOTHING
    });
}

#[test]
fn a_barriers_action_runs_once_before_anybody_passes() {
    check(|here| async move {
        let ran = List::new();
        let (list, of) = (ran.clone(), here.clone());
        let action = move || {
            let list = list.clone();
            program(&of, move |here| async move {
                // Others may come meanwhile: they are of the next round.
                here.block(ms(5)).await;
                list.add(());
                NOTHING
            })
        };
        let new = NewBarrier {
            action: Some(Box::new(action)),
            ..parties(2)
        };
        let barrier = here.new_thread_barrier(new).await?;
        let lists = (ran.clone(), List::new());
        let threads = bunch(&here, 6, move |here, number| {
            let (ran, passed) = lists.clone();
            async move {
                here.block(ms(u64::from(number))).await;
                here.wait_thread_barrier(barrier, None).await?;
                passed.add(());
                assert!(passed.len() <= 2 * ran.len());
                NOTHING
            }
        });
        join_all(&here, threads.await?).await?;
        assert_eq!(ran.len(), 3);
        NOTHING
    });
}

#[test]
fn an_action_that_raises_breaks_the_barrier() {
    check(|here| async move {
        let of = here.clone();
        let new = NewBarrier {
            action: Some(Box::new(move || program(&of, |_| async { raise("RuntimeError") }))),
            ..parties(PARTIES)
        };
        let barrier = here.new_thread_barrier(new).await?;
        let raised = List::new();
        let list = raised.clone();
        let wait = move |here: Here, _| {
            let list = list.clone();
            async move {
                list.add(kind(here.wait_thread_barrier(barrier, None).await));
                NOTHING
            }
        };
        run_parties(&here, barrier, wait).await?;
        let mut raised = raised.all();
        raised.sort_by_key(|kind| *kind == Kind::Own);
        assert_eq!(raised[..4], [Kind::BrokenBarrier; 4]);
        assert_eq!(raised[4], Kind::Own);
        assert!(here.is_thread_barrier_broken(barrier).await?);
        NOTHING
    });
}

#[test]
fn an_aborted_barrier_is_broken_until_it_is_reset() {
    check(|here| async move {
        let barrier = here.new_thread_barrier(parties(PARTIES)).await?;
        let together = here.new_thread_barrier(parties(PARTIES)).await?;
        let (broken, passed) = (List::new(), List::new());
        let lists = (broken.clone(), passed.clone());
        let pass = move |here: Here, _| {
            let (broken, passed) = lists.clone();
            async move {
                if here.wait_thread_barrier(barrier, None).await? == i64::from(PARTIES / 2) {
                    here.abort_thread_barrier(barrier).await?;
                } else {
                    broken.add(kind(here.wait_thread_barrier(barrier, None).await));
                }
                // All have left it before it is reset, and nobody comes before.
                if here.wait_thread_barrier(together, None).await? == 0 {
                    assert!(here.is_thread_barrier_broken(barrier).await?);
                    here.reset_thread_barrier(barrier).await?;
                }
                here.wait_thread_barrier(together, None).await?;
                here.wait_thread_barrier(barrier, None).await?;
                passed.add(());
                NOTHING
            }
        };
        run_parties(&here, barrier, pass).await?;
        assert_eq!(broken.all(), [Kind::BrokenBarrier; 4]);
        assert_eq!(passed.len(), 5);
        NOTHING
    });
}

#[test]
fn a_reset_frees_those_who_wait() {
    check(|here| async move {
        let barrier = here.new_thread_barrier(parties(PARTIES)).await?;
        let (broken, passed) = (List::new(), List::new());
        let lists = (broken.clone(), passed.clone());
        let pass = move |here: Here, _| {
            let (broken, passed) = lists.clone();
            async move {
                if here.wait_thread_barrier(barrier, None).await? == i64::from(PARTIES / 2) {
                    while here.thread_barrier_waiting(barrier).await? < i64::from(PARTIES) - 1 {
                        here.block(ms(1)).await;
                    }
                    here.reset_thread_barrier(barrier).await?;
                } else {
                    broken.add(kind(here.wait_thread_barrier(barrier, None).await));
                }
                here.wait_thread_barrier(barrier, None).await?;
                passed.add(());
                NOTHING
            }
        };
        run_parties(&here, barrier, pass).await?;
        assert_eq!(broken.all(), [Kind::BrokenBarrier; 4]);
        assert_eq!(passed.len(), 5);
        NOTHING
    });
}

#[test]
fn one_who_comes_too_late_breaks_it_for_all() {
    for has_default in [false, true] {
        check(move |here| async move {
            let own = (!has_default).then_some(ms(500));
            let new = NewBarrier {
                timeout: has_default.then_some(ms(500)),
                ..parties(PARTIES)
            };
            let barrier = here.new_thread_barrier(new).await?;
            let wait = move |here: Here, number| async move {
                if number == 0 {
                    here.block(ms(1000)).await;
                }
                assert_eq!(kind(here.wait_thread_barrier(barrier, own).await), Kind::BrokenBarrier);
                NOTHING
            };
            run_parties(&here, barrier, wait).await?;
            assert!(here.is_thread_barrier_broken(barrier).await?);
            NOTHING
        });
    }
}
