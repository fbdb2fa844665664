//! Locks of threads, plain and reentrant: what `lock_tests.py` checks of them, and the fairness of 3.14.

use concurrency_playground::machine::Kind;
use concurrency_playground::machine::front::{Here, raise};
use concurrency_playground::machine::threads::{MachineSettings, Patience, ReentrantLockId, ThreadLockId};
use concurrency_playground::wire::Runtime;

use super::support::*;

/// Both kinds of lock, so that what they have in common is checked of both.
#[derive(Clone, Copy, Debug)]
enum Lock {
    Plain(ThreadLockId),
    Reentrant(ReentrantLockId),
}

impl Lock {
    async fn new(here: &Here, is_reentrant: bool) -> Gives<Self> {
        Ok(if is_reentrant {
            Self::Reentrant(here.new_reentrant_lock().await?)
        } else {
            Self::Plain(here.new_thread_lock().await?)
        })
    }

    async fn acquire(self, here: &Here, patience: Patience) -> Gives<bool> {
        match self {
            Self::Plain(lock) => here.acquire_thread_lock(lock, patience).await,
            Self::Reentrant(lock) => here.acquire_reentrant_lock(lock, patience).await,
        }
    }

    async fn release(self, here: &Here) -> Gives<()> {
        match self {
            Self::Plain(lock) => here.release_thread_lock(lock).await,
            Self::Reentrant(lock) => here.release_reentrant_lock(lock).await,
        }
    }

    async fn locked(self, here: &Here) -> Gives<bool> {
        match self {
            Self::Plain(lock) => here.is_thread_lock_locked(lock).await,
            Self::Reentrant(lock) => here.is_reentrant_lock_locked(lock).await,
        }
    }
}

fn check_both<Running>(body: impl Fn(Here, Lock) -> Running + Copy + 'static)
where
    Running: Future<Output = Gives<()>> + 'static,
{
    for is_reentrant in [false, true] {
        check(move |here| async move {
            let lock = Lock::new(&here, is_reentrant).await?;
            body(here, lock).await?;
            NOTHING
        });
    }
}

#[test]
fn acquire_and_release() {
    check_both(|here, lock| async move {
        assert!(!lock.locked(&here).await?);
        assert!(lock.acquire(&here, Patience::Forever).await?);
        assert!(lock.locked(&here).await?);
        lock.release(&here).await?;
        assert!(lock.acquire(&here, Patience::No).await?);
        lock.release(&here).await?;
        assert!(!lock.locked(&here).await?);
        Ok(())
    });
}

#[test]
fn trying_a_held_lock_fails_at_once() {
    check_both(|here, lock| async move {
        lock.acquire(&here, Patience::Forever).await?;
        let threads = bunch(&here, 1, move |here, _| async move {
            let before = here.now().await;
            assert!(!lock.acquire(&here, Patience::No).await?);
            assert!(is_about(here.now().await - before, us(0)));
            NOTHING
        });
        join_all(&here, threads.await?).await?;
        lock.release(&here).await
    });
}

#[test]
fn all_who_wait_get_it_in_turn() {
    check_both(|here, lock| async move {
        lock.acquire(&here, Patience::Forever).await?;
        let order = List::new();
        let got = order.clone();
        let threads = bunch(&here, 5, move |here, number| {
            let got = got.clone();
            async move {
                here.block(ms(u64::from(number) + 1)).await;
                lock.acquire(&here, Patience::Forever).await?;
                got.add(number);
                lock.release(&here).await?;
                NOTHING
            }
        });
        let threads = threads.await?;
        here.block(ms(50)).await;
        assert_eq!(order.len(), 0);
        lock.release(&here).await?;
        join_all(&here, threads).await?;
        assert_eq!(order.all(), [0, 1, 2, 3, 4]);
        Ok(())
    });
}

#[test]
fn a_block_releases_it_even_if_it_raises() {
    check(|here| async move {
        let lock = here.new_thread_lock().await?;
        here.with_thread_lock(lock, async { Ok(()) }).await?;
        assert!(!here.is_thread_lock_locked(lock).await?);
        let outcome = here.with_thread_lock(lock, async { raise::<()>("TypeError") }).await;
        assert_eq!(complaint(outcome), (Kind::Own, "TypeError".to_owned()));
        assert!(!here.is_thread_lock_locked(lock).await?);
        NOTHING
    });
}

#[test]
fn a_time_out_gives_up_after_its_time_and_leaves_the_lock_alone() {
    check_both(|here, lock| async move {
        // Free, it does not wait at all.
        let before = here.now().await;
        assert!(lock.acquire(&here, Patience::For(ms(5000))).await?);
        assert!(is_about(here.now().await - before, us(0)));
        let threads = bunch(&here, 3, move |here, _| async move {
            let before = here.now().await;
            assert!(!lock.acquire(&here, Patience::For(ms(500))).await?);
            assert!(is_about(here.now().await - before, ms(500)));
            NOTHING
        });
        join_all(&here, threads.await?).await?;
        lock.release(&here).await?;
        assert!(!lock.locked(&here).await?);
        assert!(lock.acquire(&here, Patience::No).await?);
        lock.release(&here).await
    });
}

#[test]
fn a_plain_lock_is_not_acquired_twice_and_any_thread_releases_it() {
    check(|here| async move {
        let lock = here.new_thread_lock().await?;
        here.acquire_thread_lock(lock, Patience::Forever).await?;
        assert!(!here.acquire_thread_lock(lock, Patience::No).await?);
        assert!(!here.acquire_thread_lock(lock, Patience::For(ms(10))).await?);
        let threads = bunch(&here, 1, move |here, _| async move {
            here.block(ms(20)).await;
            here.release_thread_lock(lock).await?;
            NOTHING
        });
        let threads = threads.await?;
        assert!(here.acquire_thread_lock(lock, Patience::Forever).await?);
        here.release_thread_lock(lock).await?;
        let again = here.release_thread_lock(lock).await;
        assert_eq!(
            complaint(again),
            (Kind::RuntimeError, "release unlocked lock".to_owned())
        );
        join_all(&here, threads).await?;
        NOTHING
    });
}

#[test]
fn a_reentrant_lock_counts() {
    check(|here| async move {
        let lock = here.new_reentrant_lock().await?;
        let unacquired = "cannot release un-acquired lock".to_owned();
        let released = here.release_reentrant_lock(lock).await;
        assert_eq!(complaint(released), (Kind::RuntimeError, unacquired.clone()));
        for depth in 1..4 {
            here.acquire_reentrant_lock(lock, Patience::Forever).await?;
            assert_eq!(here.reentrant_lock_depth(lock).await?, depth);
        }
        let threads = bunch(&here, 1, move |here, _| async move {
            assert_eq!(here.reentrant_lock_depth(lock).await?, 0);
            assert!(!here.acquire_reentrant_lock(lock, Patience::No).await?);
            let released = here.release_reentrant_lock(lock).await;
            assert_eq!(kind(released), Kind::RuntimeError);
            NOTHING
        });
        join_all(&here, threads.await?).await?;
        for depth in (0..3).rev() {
            assert!(here.is_reentrant_lock_locked(lock).await?);
            here.release_reentrant_lock(lock).await?;
            assert_eq!(here.reentrant_lock_depth(lock).await?, depth);
        }
        let released = here.release_reentrant_lock(lock).await;
        assert_eq!(complaint(released), (Kind::RuntimeError, unacquired));
        NOTHING
    });
}

#[test]
fn an_id_of_another_machine_is_refused() {
    ended(ideal(1), |here| async move {
        let unknown = here.acquire_thread_lock(ThreadLockId(7), Patience::Forever).await;
        assert_eq!(kind(unknown), Kind::ValueError);
        let reentrant = here.new_reentrant_lock().await?;
        let plain = here
            .acquire_thread_lock(ThreadLockId(reentrant.0), Patience::Forever)
            .await;
        assert_eq!(kind(plain), Kind::ValueError);
        NOTHING
    });
}

/// How long a thread waits for a lock that another, on a core of its own, lets go only to take it again at once.
fn waited_beside_a_hog(runtime: Runtime) -> u64 {
    let waited = List::new();
    let said = waited.clone();
    // Waking takes longer than the hog needs to come back.
    ended(MachineSettings { runtime, ..rough(2) }, move |here| async move {
        let lock = here.new_thread_lock().await?;
        let threads = bunch(&here, 2, move |here, number| {
            let said = said.clone();
            async move {
                if number == 1 {
                    let before = here.now().await;
                    here.acquire_thread_lock(lock, Patience::Forever).await?;
                    said.add((here.now().await - before).0);
                    here.release_thread_lock(lock).await?;
                    return NOTHING;
                }
                for _ in 0..100 {
                    here.acquire_thread_lock(lock, Patience::Forever).await?;
                    here.compute(us(400)).await;
                    here.release_thread_lock(lock).await?;
                }
                NOTHING
            }
        });
        join_all(&here, threads.await?).await?;
        NOTHING
    });
    waited.all()[0]
}

#[test]
fn from_3_14_on_a_lock_goes_to_who_has_waited_for_a_millisecond() {
    let fair = waited_beside_a_hog(Runtime::FreeThreaded);
    assert!((1_000_000..1_600_000).contains(&fair), "{fair}");
}
