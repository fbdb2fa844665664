//! The lock's worked example, line by line, with real threads.

#![allow(clippy::disallowed_methods, reason = "the lock is about real threads and real time")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::*;

/// Passes check points until told to stop.
fn compute(lock: &InterpreterLock, thread: u32, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        lock.check_point(thread);
        std::hint::spin_loop();
    }
}

#[test]
fn nobody_asks_so_nothing_is_handed_over() {
    let lock = InterpreterLock::new(1);
    lock.take(0);
    (0..1000).for_each(|_| lock.check_point(0));
    lock.release(0);
    lock.take(0);
    lock.release(0);
    assert_eq!(lock.hand_overs(), 0);
}

#[test]
fn who_has_waited_an_interval_gets_the_lock_at_the_next_check_point() {
    let lock = InterpreterLock::new(5_000);
    let stop = AtomicBool::new(false);
    lock.take(0);
    let waited = thread::scope(|scope| {
        let b = scope.spawn(|| {
            let asked = Instant::now();
            lock.take(1);
            let waited = asked.elapsed();
            stop.store(true, Ordering::Relaxed);
            assert!(!lock.drop_requested(), "whoever takes the lock clears the request");
            lock.release(1);
            waited
        });
        compute(&lock, 0, &stop);
        lock.release(0);
        b.join().expect("B does not panic")
    });
    assert!(
        waited >= Duration::from_millis(5),
        "asked before an interval had passed: {waited:?}"
    );
    assert!(lock.hand_overs() >= 1);
}

#[test]
fn after_a_forced_release_the_holder_waits_until_another_has_had_the_lock() {
    let lock = InterpreterLock::new(1_000);
    lock.take(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            lock.take(1);
            lock.release(1);
        });
        while !lock.drop_requested() {
            thread::yield_now();
        }
        assert_eq!(lock.hand_overs(), 0);
        lock.release(0);
        assert_eq!(lock.hand_overs(), 1, "B has had it before A goes on");
    });
}

#[test]
fn a_release_that_nobody_asked_for_returns_at_once() {
    // The interval is an hour, so the waiter never gets to ask.
    let lock = InterpreterLock::new(u32::MAX);
    lock.take(0);
    thread::scope(|scope| {
        let (lock, (sender, waiting)) = (&lock, mpsc::channel());
        scope.spawn(move || {
            sender.send(()).expect("A listens");
            lock.take(1);
            lock.release(1);
        });
        waiting.recv().expect("B starts");
        // Whoever comes first, nobody is forced to wait for the other.
        for _ in 0..100 {
            lock.release(0);
            lock.take(0);
        }
        assert!(!lock.drop_requested());
        lock.release(0);
    });
    assert!(
        (1..=2).contains(&lock.hand_overs()),
        "B had it once, after A or in between"
    );
}

/// A gives the lock to B by itself, before C has waited an interval: C's interval begins anew.
#[test]
fn a_switch_in_between_starts_a_new_interval() {
    let interval = Duration::from_millis(60);
    let lock = InterpreterLock::new(60_000);
    lock.take(0);
    thread::scope(|scope| {
        let c = scope.spawn(|| {
            lock.take(2);
            lock.release(2);
        });
        thread::sleep(interval / 2);
        lock.release(0);
        // C needs longer to wake than this takes. Should it ever be faster, or this thread have slept too long, then
        // C has had the lock and asks for nothing.
        if lock.try_take(1) {
            let switched = Instant::now();
            while !lock.drop_requested() && !c.is_finished() {
                thread::sleep(Duration::from_millis(1));
            }
            assert!(
                c.is_finished() || switched.elapsed() >= interval,
                "asked {:?} after the switch",
                switched.elapsed()
            );
            lock.release(1);
        }
    });
    assert!(lock.hand_overs() >= 1);
}

#[test]
fn only_one_thread_at_a_time_holds_the_lock() {
    for interval_us in [1, 100] {
        let lock = InterpreterLock::new(interval_us);
        let inside = AtomicBool::new(false);
        thread::scope(|scope| {
            for number in 0..4 {
                let (lock, inside) = (&lock, &inside);
                scope.spawn(move || {
                    lock.take(number);
                    for _ in 0..2_000 {
                        assert!(!inside.swap(true, Ordering::Relaxed), "two inside");
                        std::hint::spin_loop();
                        inside.store(false, Ordering::Relaxed);
                        lock.check_point(number);
                    }
                    lock.release(number);
                });
            }
        });
        assert!(lock.hand_overs() >= 3, "each of four threads had it");
    }
}
