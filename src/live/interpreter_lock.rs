//! A real interpreter lock, after CPython's `Python/ceval_gil.c`.
//!
//! Worked example, with a switch interval of 5 ms; A computes and looks at every check point, B wants to:
//!
//! ```text
//! 0 ms   A takes the lock. Nobody asks for it: each check point is one relaxed load that sees false.
//! 1 ms   B asks: the lock is held, so B waits for "released", at most 5 ms.
//! 6 ms   B's wait ends by the clock, and nobody else has had the lock meanwhile: B sets the drop request.
//! 6 ms   A's next check point sees it. A releases and waits for "switched": it may not take the lock back at once.
//! 6 ms   B takes the lock, clears the request, counts one hand-over and signals "switched". A asks again: 5 ms.
//! ```
//!
//! Had a third thread had the lock between 1 and 6 ms, B would have begun a new interval instead of asking. A release
//! that nobody asked for (a sleep, a big hash) forces nothing: if A comes back before B wakes, A has it again. The
//! tests assert each of these lines.
//!
//! Not here: fairness beyond that, as in CPython; and no clock: waiting with a limit is the operating system's or
//! the browser's. In a browser a hand-over takes about 0.1 ms, however short the interval.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The lock. Threads are named by numbers of the caller's choice, one each.
#[derive(Debug)]
pub struct InterpreterLock {
    switch_interval: Duration,
    /// Set when a waiter has waited long enough; cleared by whoever takes the lock next.
    drop_request: AtomicBool,
    state: Mutex<State>,
    /// Signalled at each release.
    released: Condvar,
    /// Signalled when the lock has gone to another thread.
    switched: Condvar,
}

#[derive(Debug, Default)]
struct State {
    held: bool,
    last_holder: Option<u32>,
    /// How often the lock went from one thread to another.
    hand_overs: u32,
}

impl InterpreterLock {
    /// A free lock; the switch interval is in microseconds, from 1.
    #[must_use]
    pub fn new(switch_interval_us: u32) -> Self {
        Self {
            switch_interval: Duration::from_micros(u64::from(switch_interval_us.max(1))),
            drop_request: AtomicBool::new(false),
            state: Mutex::default(),
            released: Condvar::new(),
            switched: Condvar::new(),
        }
    }

    /// Takes the lock, waiting as long as it takes.
    pub fn take(&self, thread: u32) {
        let mut state = self.state();
        while state.held {
            let hand_overs = state.hand_overs;
            let waited = self.released.wait_timeout(state, self.switch_interval);
            let (after, limit) = waited.unwrap_or_else(PoisonError::into_inner);
            state = after;
            if limit.timed_out() && state.held && state.hand_overs == hand_overs {
                self.drop_request.store(true, Ordering::Relaxed);
            }
        }
        self.hold(&mut state, thread);
    }

    /// Takes the lock if it is free; says whether.
    #[must_use]
    pub fn try_take(&self, thread: u32) -> bool {
        let mut state = self.state();
        let free = !state.held;
        if free {
            self.hold(&mut state, thread);
        }
        free
    }

    /// Gives the lock up. If somebody has asked for it, does not return before another thread has had it.
    pub fn release(&self, thread: u32) {
        let mut state = self.state();
        debug_assert!(
            state.held && state.last_holder == Some(thread),
            "only the holder releases"
        );
        state.held = false;
        self.released.notify_one();
        // Who asked is still waiting: it stops only by taking the lock, which clears the request. So this wait ends.
        if self.drop_requested() {
            while state.last_holder == Some(thread) {
                state = self.switched.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Whether a waiter has asked the holder to let go: the whole cost of a check point, one relaxed load.
    #[inline(always)]
    #[must_use]
    pub fn drop_requested(&self) -> bool {
        self.drop_request.load(Ordering::Relaxed)
    }

    /// A check point: gives the lock to whoever asked for it and takes it back after; else does nothing.
    #[inline(always)]
    pub fn check_point(&self, thread: u32) {
        if self.drop_requested() {
            self.hand_over(thread);
        }
    }

    /// How often the lock went from one thread to another.
    #[must_use]
    pub fn hand_overs(&self) -> u32 {
        self.state().hand_overs
    }

    #[cold]
    fn hand_over(&self, thread: u32) {
        self.release(thread);
        self.take(thread);
    }

    fn hold(&self, state: &mut State, thread: u32) {
        state.held = true;
        if state.last_holder != Some(thread) {
            if state.last_holder.is_some() {
                state.hand_overs = state.hand_overs.saturating_add(1);
            }
            state.last_holder = Some(thread);
            self.switched.notify_all();
        }
        self.drop_request.store(false, Ordering::Relaxed);
    }

    /// No code that can panic runs under this mutex, so a poisoned one still holds a whole state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "interpreter_lock_tests.rs"]
mod tests;
