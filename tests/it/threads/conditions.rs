//! Conditions, semaphores and events of threads: what `lock_tests.py` checks of them.

use concurrency_playground::machine::Kind;
use concurrency_playground::machine::threads::{ConditionLock, Patience};

use super::support::*;

#[test]
fn a_condition_is_its_lock() {
    check(|here| async move {
        let lock = here.new_thread_lock().await?;
        let condition = here.new_thread_condition(Some(ConditionLock::Plain(lock))).await?;
        here.acquire_thread_condition(condition, Patience::Forever).await?;
        assert!(here.is_thread_lock_locked(lock).await?);
        assert!(!here.acquire_thread_lock(lock, Patience::No).await?);
        here.release_thread_condition(condition).await?;
        assert!(here.acquire_thread_lock(lock, Patience::No).await?);
        here.release_thread_lock(lock).await?;
        // Without one it has a reentrant lock of its own.
        let condition = here.new_thread_condition(None).await?;
        assert!(here.acquire_thread_condition(condition, Patience::No).await?);
        assert!(here.acquire_thread_condition(condition, Patience::No).await?);
        NOTHING
    });
}

#[test]
fn a_condition_without_its_lock_raises() {
    check(|here| async move {
        let condition = here.new_thread_condition(None).await?;
        let waited = here.wait_thread_condition(condition, None).await;
        assert_eq!(
            complaint(waited),
            (Kind::RuntimeError, "cannot wait on un-acquired lock".to_owned())
        );
        let notified = here.notify_thread_condition(condition, 1).await;
        assert_eq!(
            complaint(notified),
            (Kind::RuntimeError, "cannot notify on un-acquired lock".to_owned())
        );
        assert_eq!(kind(here.release_thread_condition(condition).await), Kind::RuntimeError);
        NOTHING
    });
}

#[test]
fn as_many_are_notified_as_is_said_first_come_first() {
    check(|here| async move {
        let condition = here.new_thread_condition(None).await?;
        let woken = List::new();
        let list = woken.clone();
        let threads = bunch(&here, 5, move |here, number| {
            let list = list.clone();
            async move {
                here.block(ms(u64::from(number) + 1)).await;
                // However deep it holds the lock, waiting lets it go.
                here.acquire_thread_condition(condition, Patience::Forever).await?;
                here.acquire_thread_condition(condition, Patience::Forever).await?;
                let in_time = here.wait_thread_condition(condition, None).await?;
                list.add((number, in_time));
                here.release_thread_condition(condition).await?;
                here.release_thread_condition(condition).await?;
                NOTHING
            }
        });
        let threads = threads.await?;
        here.block(ms(50)).await;
        for (n, expected) in [(2, 2), (1, 3)] {
            here.acquire_thread_condition(condition, Patience::Forever).await?;
            here.notify_thread_condition(condition, n).await?;
            assert_eq!(
                woken.len() + n as usize,
                expected,
                "nobody goes on while the lock is held"
            );
            here.release_thread_condition(condition).await?;
            here.block(ms(50)).await;
            assert_eq!(woken.len(), expected);
        }
        here.acquire_thread_condition(condition, Patience::Forever).await?;
        here.notify_all_thread_condition(condition).await?;
        // Nobody is left: this is for nothing.
        here.notify_thread_condition(condition, 3).await?;
        here.release_thread_condition(condition).await?;
        join_all(&here, threads).await?;
        assert_eq!(
            woken.all(),
            (0..5).map(|number| (number, true)).collect::<Vec<(u32, bool)>>()
        );
        NOTHING
    });
}

#[test]
fn a_wait_that_takes_too_long_has_the_lock_again() {
    check(|here| async move {
        let condition = here.new_thread_condition(None).await?;
        let threads = bunch(&here, 5, move |here, _| async move {
            here.acquire_thread_condition(condition, Patience::Forever).await?;
            let before = here.now().await;
            assert!(!here.wait_thread_condition(condition, Some(ms(500))).await?);
            assert!(is_about(here.now().await - before, ms(500)));
            here.release_thread_condition(condition).await?;
            NOTHING
        });
        join_all(&here, threads.await?).await?;
        NOTHING
    });
}

#[test]
fn wait_for_waits_until_it_is_so_or_too_late() {
    check(|here| async move {
        let condition = here.new_thread_condition(None).await?;
        let state = List::new();
        let seen = state.clone();
        let threads = bunch(&here, 2, move |here, number| {
            let seen = seen.clone();
            async move {
                here.acquire_thread_condition(condition, Patience::Forever).await?;
                let before = here.now().await;
                let (enough, timeout) = if number == 0 { (4, None) } else { (9, Some(ms(100))) };
                let is_enough = || {
                    let n = seen.len();
                    async move { Ok(n >= enough) }
                };
                let said = here.wait_thread_condition_for(condition, is_enough, timeout).await?;
                assert_eq!(said, number == 0);
                let expected = if number == 0 { ms(40) } else { ms(100) };
                assert!(is_about(here.now().await - before, expected));
                here.release_thread_condition(condition).await?;
                NOTHING
            }
        });
        let threads = threads.await?;
        for _ in 0..4 {
            here.block(ms(10)).await;
            here.acquire_thread_condition(condition, Patience::Forever).await?;
            state.add(());
            here.notify_all_thread_condition(condition).await?;
            here.release_thread_condition(condition).await?;
        }
        join_all(&here, threads).await?;
        NOTHING
    });
}

#[test]
fn a_semaphore_counts_down_to_nothing() {
    check(|here| async move {
        for bounded in [false, true] {
            assert_eq!(kind(here.new_thread_semaphore(-1, bounded).await), Kind::ValueError);
            let semaphore = here.new_thread_semaphore(2, bounded).await?;
            for expected in [true, true, false] {
                assert_eq!(here.acquire_thread_semaphore(semaphore, Patience::No).await?, expected);
            }
            let before = here.now().await;
            assert!(!here.acquire_thread_semaphore(semaphore, Patience::For(ms(500))).await?);
            assert!(is_about(here.now().await - before, ms(500)));
            here.release_thread_semaphore(semaphore, 1).await?;
            assert_eq!(here.thread_semaphore_value(semaphore).await?, 1);
            assert!(here.acquire_thread_semaphore(semaphore, Patience::For(ms(5))).await?);
            assert_eq!(
                kind(here.release_thread_semaphore(semaphore, 0).await),
                Kind::ValueError
            );
            here.release_thread_semaphore(semaphore, 2).await?;
            let beyond = here.release_thread_semaphore(semaphore, 1).await;
            if bounded {
                let message = "Semaphore released too many times".to_owned();
                assert_eq!(complaint(beyond), (Kind::ValueError, message));
            } else {
                beyond?;
                assert_eq!(here.thread_semaphore_value(semaphore).await?, 3);
            }
        }
        NOTHING
    });
}

#[test]
fn of_many_who_try_a_semaphore_as_many_get_it_as_are_let_in() {
    check(|here| async move {
        let semaphore = here.new_thread_semaphore(4, false).await?;
        here.acquire_thread_semaphore(semaphore, Patience::Forever).await?;
        let got = List::new();
        let list = got.clone();
        let threads = bunch(&here, 5, move |here, _| {
            let list = list.clone();
            async move {
                for _ in 0..2 {
                    list.add(here.acquire_thread_semaphore(semaphore, Patience::No).await?);
                }
                NOTHING
            }
        });
        join_all(&here, threads.await?).await?;
        assert_eq!(got.all().into_iter().filter(|got| *got).count(), 3);
        NOTHING
    });
}

#[test]
fn only_as_many_pass_a_semaphore_as_were_let_in() {
    for one_by_one in [false, true] {
        check(move |here| async move {
            let semaphore = here.new_thread_semaphore(7, false).await?;
            here.acquire_thread_semaphore(semaphore, Patience::Forever).await?;
            let passed = List::new();
            let list = passed.clone();
            let threads = bunch(&here, 10, move |here, _| {
                let list = list.clone();
                async move {
                    for _ in 0..2 {
                        assert!(here.acquire_thread_semaphore(semaphore, Patience::Forever).await?);
                        list.add(());
                    }
                    NOTHING
                }
            });
            let threads = threads.await?;
            for (released, expected) in [(0, 6), (7, 13), (6, 19)] {
                match released {
                    0 => {}
                    n if one_by_one => {
                        for _ in 0..n {
                            here.release_thread_semaphore(semaphore, 1).await?;
                        }
                    }
                    n => here.release_thread_semaphore(semaphore, n).await?,
                }
                here.block(ms(50)).await;
                assert_eq!(passed.len(), expected);
            }
            assert!(!here.acquire_thread_semaphore(semaphore, Patience::No).await?);
            here.release_thread_semaphore(semaphore, 1).await?;
            join_all(&here, threads).await?;
            assert_eq!(passed.len(), 20);
            NOTHING
        });
    }
}

#[test]
fn an_event_is_set_until_it_is_cleared() {
    check(|here| async move {
        let event = here.new_thread_event().await?;
        for _ in 0..2 {
            assert!(!here.is_thread_event_set(event).await?);
            assert!(!here.wait_thread_event(event, Some(us(0))).await?);
            let before = here.now().await;
            assert!(!here.wait_thread_event(event, Some(ms(500))).await?);
            assert!(is_about(here.now().await - before, ms(500)));
            here.set_thread_event(event).await?;
            here.set_thread_event(event).await?;
            assert!(here.is_thread_event_set(event).await?);
            assert!(here.wait_thread_event(event, None).await?);
            here.clear_thread_event(event).await?;
            here.clear_thread_event(event).await?;
        }
        NOTHING
    });
}

#[test]
fn all_who_wait_for_an_event_go_on_even_if_it_is_cleared_at_once() {
    for is_cleared in [false, true] {
        check(move |here| async move {
            let event = here.new_thread_event().await?;
            let woken = List::new();
            let list = woken.clone();
            let threads = bunch(&here, 5, move |here, _| {
                let list = list.clone();
                async move {
                    list.add(here.wait_thread_event(event, None).await?);
                    if !is_cleared {
                        list.add(here.wait_thread_event(event, None).await?);
                    }
                    NOTHING
                }
            });
            let threads = threads.await?;
            here.block(ms(50)).await;
            assert_eq!(woken.len(), 0);
            here.set_thread_event(event).await?;
            if is_cleared {
                here.clear_thread_event(event).await?;
            }
            join_all(&here, threads).await?;
            assert_eq!(woken.all(), vec![true; if is_cleared { 5 } else { 10 }]);
            NOTHING
        });
    }
}
