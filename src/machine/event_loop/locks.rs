//! Locks, events and semaphores of tasks: first come, first served, and nobody barges past a waiter.
//!
//! Source: `Lib/asyncio/locks.py`. An asyncio lock does not know who holds it; this one remembers, to explain a wait.
//!
//! Not here: conditions and barriers, which are built on locks.

use std::collections::VecDeque;

use super::ids::{EventId, FutureId, LockId, SemaphoreId};
use super::settings::Fault;
use super::state::{Step, Turn};
use super::tasks::runtime_error;
use super::waits::{Waiter, Waiting};
use crate::machine::{Exception, Input, Kind, Outcome, Value};

/// One lock.
#[derive(Default)]
pub(super) struct Lock {
    pub(super) is_locked: bool,
    /// Who took it last, while it is locked.
    pub(super) holder: Option<FutureId>,
    pub(super) waiters: VecDeque<FutureId>,
}

/// One event.
#[derive(Default)]
pub(super) struct Event {
    is_set: bool,
    waiters: VecDeque<FutureId>,
}

/// One semaphore.
pub(super) struct Semaphore {
    value: u64,
    /// It may not be released beyond this.
    bound: Option<u64>,
    waiters: VecDeque<FutureId>,
    /// Those that have acquired it and not released it, as far as one can tell.
    pub(super) holders: Vec<FutureId>,
}

fn remove(waiters: &mut VecDeque<FutureId>, task: FutureId) -> bool {
    let place = waiters.iter().position(|waiter| *waiter == task);
    place.and_then(|place| waiters.remove(place)).is_some()
}

impl Turn<'_> {
    pub(super) fn new_lock(&mut self) -> LockId {
        self.state.count_object();
        self.state.locks.push(Lock::default())
    }

    /// Takes a lock that is free and that nobody waits for; else queues the task for it.
    ///
    /// # Errors
    /// There is no such lock.
    pub(super) fn try_acquire(&mut self, task: FutureId, id: LockId) -> Result<bool, Exception> {
        let lock = self.state.locks.get(id)?;
        let is_free = !lock.is_locked
            && (self.state.has(Fault::Barging) || lock.waiters.iter().all(|waiter| self.is_waiter_cancelled(*waiter)));
        if is_free || self.state.has(Fault::LockDoesNotLock) {
            self.hold(task, id);
            return Ok(true);
        }
        self.state.locks.get_mut(id)?.waiters.push_back(task);
        Ok(false)
    }

    fn is_waiter_cancelled(&self, task: FutureId) -> bool {
        self.waiter_of(task) == Waiter::Cancelled
    }

    fn hold(&mut self, task: FutureId, id: LockId) {
        if let Ok(lock) = self.state.locks.get_mut(id) {
            lock.is_locked = true;
            let before = lock.holder.replace(task);
            self.pin(task);
            if let Some(before) = before {
                self.unpin(before);
            }
            self.trace_holder(id);
        }
    }

    /// The task's wait for a lock is over.
    ///
    /// # Errors
    /// It was cancelled.
    pub(super) fn acquired(&mut self, task: FutureId, id: LockId, woke: Outcome) -> Result<(), Exception> {
        let loses_wake_up = self.state.has(Fault::WakeUpLost);
        let lock = self.state.locks.get_mut(id)?;
        remove(&mut lock.waiters, task);
        let is_locked = lock.is_locked;
        if let Err(exception) = woke {
            if !is_locked && !loses_wake_up {
                self.wake_first(id);
            }
            return Err(exception);
        }
        self.hold(task, id);
        Ok(())
    }

    /// `lock.release()`
    ///
    /// # Errors
    /// It is not locked.
    pub(super) fn release_lock(&mut self, id: LockId) -> Outcome {
        let lock = self.state.locks.get_mut(id)?;
        if !lock.is_locked {
            return Err(runtime_error("Lock is not acquired."));
        }
        lock.is_locked = false;
        if let Some(holder) = lock.holder.take() {
            self.unpin(holder);
        }
        self.wake_first(id);
        Ok(Value::None)
    }

    fn wake_first(&mut self, id: LockId) {
        if let Ok(lock) = self.state.locks.get(id)
            && let Some(first) = lock.waiters.front().copied()
        {
            self.release(first);
        }
    }

    /// `event.set()`
    ///
    /// # Errors
    /// There is no such event.
    pub(super) fn set_event(&mut self, id: EventId) -> Outcome {
        let event = self.state.events.get_mut(id)?;
        if !std::mem::replace(&mut event.is_set, true) {
            let waiters: Vec<FutureId> = event.waiters.iter().copied().collect();
            for waiter in waiters {
                self.release(waiter);
            }
        }
        Ok(Value::None)
    }

    pub(super) fn clear_event(&mut self, id: EventId) -> Outcome {
        self.state.events.get_mut(id)?.is_set = false;
        Ok(Value::None)
    }

    pub(super) fn is_set(&self, id: EventId) -> Outcome {
        Ok(Value::Bool(self.state.events.get(id)?.is_set))
    }

    /// `event.wait()`
    pub(super) fn wait_event(&mut self, task: FutureId, id: EventId) -> Step {
        match self.state.events.get_mut(id) {
            Ok(event) if event.is_set => Step::Go(Input::Value(Value::Bool(true))),
            Ok(event) => {
                event.waiters.push_back(task);
                self.wait_for_waiter(task, Waiting::Event(id))
            }
            Err(exception) => Step::Go(Input::Throw(exception)),
        }
    }

    pub(super) fn event_woke(&mut self, task: FutureId, id: EventId, woke: Outcome) -> Outcome {
        remove(&mut self.state.events.get_mut(id)?.waiters, task);
        woke.map(|_| Value::Bool(true))
    }

    /// `asyncio.Semaphore(value)`
    ///
    /// # Errors
    /// It is below zero.
    pub(super) fn new_semaphore(&mut self, value: i64, is_bounded: bool) -> Outcome {
        let Ok(value) = u64::try_from(value) else {
            return Err(Exception::new(Kind::ValueError, "Semaphore initial value must be >= 0"));
        };
        self.state.count_object();
        let semaphore = Semaphore {
            value,
            bound: is_bounded.then_some(value),
            waiters: VecDeque::new(),
            holders: Vec::new(),
        };
        Ok(self.state.semaphores.push(semaphore).into())
    }

    /// `semaphore.locked()`
    ///
    /// # Errors
    /// There is no such semaphore.
    pub(super) fn is_semaphore_locked(&self, id: SemaphoreId) -> Result<bool, Exception> {
        let semaphore = self.state.semaphores.get(id)?;
        let barges = self.state.has(Fault::Barging);
        let is_awaited = || {
            semaphore
                .waiters
                .iter()
                .any(|waiter| !self.is_waiter_cancelled(*waiter))
        };
        Ok(semaphore.value == 0 || !barges && is_awaited())
    }

    /// `semaphore.acquire()`
    pub(super) fn acquire_semaphore(&mut self, task: FutureId, id: SemaphoreId) -> Step {
        let is_locked = match self.is_semaphore_locked(id) {
            Ok(is_locked) => is_locked && !self.state.has(Fault::LockDoesNotLock),
            Err(exception) => return Step::Go(Input::Throw(exception)),
        };
        if let Ok(semaphore) = self.state.semaphores.get_mut(id) {
            if !is_locked {
                semaphore.value = semaphore.value.saturating_sub(1);
                semaphore.holders.push(task);
                return Step::Go(Input::Value(Value::Bool(true)));
            }
            semaphore.waiters.push_back(task);
        }
        self.wait_for_waiter(task, Waiting::Semaphore(id))
    }

    /// The task's wait for a semaphore is over.
    pub(super) fn semaphore_woke(&mut self, task: FutureId, id: SemaphoreId, woke: Outcome) -> Outcome {
        let was_woken = self.waiter_of(task) == Waiter::Over;
        let loses_wake_up = self.state.has(Fault::WakeUpLost);
        let semaphore = self.state.semaphores.get_mut(id)?;
        remove(&mut semaphore.waiters, task);
        if woke.is_ok() {
            semaphore.holders.push(task);
        } else if was_woken && !loses_wake_up {
            // It was given what it cannot take any more: back with it, for somebody else.
            semaphore.value += 1;
        }
        while self.state.semaphores.get(id)?.value > 0 && self.wake_next(id)? {}
        woke.map(|_| Value::Bool(true))
    }

    /// `semaphore.release()`
    ///
    /// # Errors
    /// It is bounded, and released too often.
    pub(super) fn release_semaphore(&mut self, id: SemaphoreId) -> Outcome {
        let current = self.state.current_task();
        let semaphore = self.state.semaphores.get_mut(id)?;
        if semaphore.bound.is_some_and(|bound| semaphore.value >= bound) {
            let message = "BoundedSemaphore released too many times";
            return Err(Exception::new(Kind::ValueError, message));
        }
        semaphore.value += 1;
        // Any task may release it; mostly it is one that holds it.
        let holders = &mut semaphore.holders;
        let place = holders.iter().position(|holder| Some(*holder) == current);
        if !holders.is_empty() {
            holders.remove(place.unwrap_or(0));
        }
        self.wake_next(id)?;
        Ok(Value::None)
    }

    fn wake_next(&mut self, id: SemaphoreId) -> Result<bool, Exception> {
        let waiters = &self.state.semaphores.get(id)?.waiters;
        let next = waiters
            .iter()
            .copied()
            .find(|waiter| self.waiter_of(*waiter) == Waiter::Pending);
        let Some(next) = next else { return Ok(false) };
        let semaphore = self.state.semaphores.get_mut(id)?;
        semaphore.value = semaphore.value.saturating_sub(1);
        self.release(next);
        Ok(true)
    }
}
