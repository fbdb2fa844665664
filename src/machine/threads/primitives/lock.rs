//! `threading.Lock`, and what it has in common with `threading.RLock`.
//!
//! Worked example of passing by: A holds the lock and B waits. A releases, which wakes B; before B has looked, A
//! acquires again and has it. From 3.14 on, once B has waited for a millisecond, A's release gives the lock to B itself
//! (CPython's `Python/lock.c`, `TIME_TO_BE_FAIR_NS`).
//!
//! Not here: a lock of tasks.

use std::collections::VecDeque;

use super::{Primitives, leave};
use crate::machine::threads::blocking::Answer;
use crate::machine::threads::thread::Wait;
use crate::machine::threads::{Machine, MachineFault, Patience, ThreadId, ThreadLockId};
use crate::machine::{Exception, Kind, Nanoseconds, Value};
use crate::wire::Runtime;

/// What a lock is asked.
#[derive(Clone, Copy, Debug)]
pub enum LockCall {
    /// `threading.Lock()`. Gives a [`ThreadLockId`].
    New,
    /// `lock.acquire(…)`. Gives whether it was acquired.
    Acquire(ThreadLockId, Patience),
    /// `lock.release()`, by any thread. A `RuntimeError` if it is not locked.
    Release(ThreadLockId),
    /// `lock.locked()`
    Locked(ThreadLockId),
}

/// A waiter of so long is given the lock rather than woken to try.
const TIME_TO_BE_FAIR: Nanoseconds = Nanoseconds::millis(1);

/// A plain or a reentrant lock.
#[derive(Debug, Default)]
pub(in crate::machine::threads) struct Mutex {
    pub is_reentrant: bool,
    /// Who acquired it; of a plain lock any thread may release it.
    pub holder: Option<ThreadId>,
    /// How often its owner has acquired it; 1 of a plain one.
    pub depth: u32,
    pub waiters: VecDeque<ThreadId>,
    /// How often it was acquired, by anybody.
    pub n_acquired: u64,
}

impl LockCall {
    /// What it is done to, and what is done, for telling calls apart.
    pub(in crate::machine::threads) fn object(&self) -> u64 {
        let (kind, id) = match self {
            Self::New => (0, 0),
            Self::Acquire(id, _) => (1, id.0),
            Self::Release(id) => (2, id.0),
            Self::Locked(id) => (3, id.0),
        };
        kind << 32 | u64::from(id)
    }
}

impl Machine {
    pub(in crate::machine::threads) fn lock_call(&mut self, thread: ThreadId, call: LockCall) -> Answer {
        match call {
            LockCall::New => match self.new_mutex(false) {
                Some(number) => ThreadLockId(number).into(),
                None => Answer::Stops,
            },
            LockCall::Acquire(id, patience) => self.acquire_call(thread, id.0, false, patience),
            LockCall::Release(id) => match self.mutex(id.0, false) {
                None => Answer::unknown(),
                Some(Mutex { holder: None, .. }) => Answer::raises(Kind::RuntimeError, "release unlocked lock"),
                Some(_) => {
                    self.release_mutex(id.0);
                    Value::None.into()
                }
            },
            LockCall::Locked(id) => match self.mutex(id.0, false) {
                Some(mutex) => mutex.holder.is_some().into(),
                None => Answer::unknown(),
            },
        }
    }

    /// A new lock's number; none if there are too many objects.
    pub(super) fn new_mutex(&mut self, is_reentrant: bool) -> Option<u32> {
        if self.is_too_many(self.primitives.mutexes.len()) {
            return None;
        }
        self.primitives.mutexes.push(Mutex {
            is_reentrant,
            ..Mutex::default()
        });
        Some(self.primitives.mutexes.len() as u32 - 1)
    }

    /// The lock of a number, if it is of that kind.
    pub(super) fn mutex(&self, number: u32, is_reentrant: bool) -> Option<&Mutex> {
        let mutex = self.primitives.mutexes.get(number as usize);
        mutex.filter(|mutex| mutex.is_reentrant == is_reentrant)
    }

    pub(super) fn acquire_call(
        &mut self,
        thread: ThreadId,
        number: u32,
        is_reentrant: bool,
        patience: Patience,
    ) -> Answer {
        if self.mutex(number, is_reentrant).is_none() {
            return Answer::unknown();
        }
        if self.acquire(thread, number, 1) {
            return true.into();
        }
        let limit = match patience {
            Patience::No => return false.into(),
            Patience::For(limit) => Some(limit),
            Patience::Forever => None,
        };
        if let Some(mutex) = self.primitives.mutexes.get_mut(number as usize) {
            mutex.waiters.push_back(thread);
        }
        Answer::Blocks(Wait::Mutex(number), limit)
    }

    /// Acquires a lock for a thread, so deep, if it can be had.
    pub(in crate::machine::threads) fn acquire(&mut self, thread: ThreadId, number: u32, depth: u32) -> bool {
        let locks = !self.has_fault(MachineFault::LockDoesNotLock);
        let Some(mutex) = self.primitives.mutexes.get_mut(number as usize) else {
            return false;
        };
        let is_own = mutex.is_reentrant && mutex.holder == Some(thread);
        if mutex.holder.is_some() && !is_own && locks {
            return false;
        }
        mutex.depth = if is_own { mutex.depth + depth } else { depth };
        mutex.holder = Some(thread);
        mutex.n_acquired += 1;
        if !mutex.waiters.is_empty() {
            leave(&mut mutex.waiters, thread);
        }
        true
    }

    /// Releases a lock that is held, once.
    pub(super) fn release_mutex(&mut self, number: u32) {
        if let Some(mutex) = self.primitives.mutexes.get_mut(number as usize) {
            mutex.depth = mutex.depth.saturating_sub(1);
            if mutex.depth == 0 {
                mutex.holder = None;
                self.mutex_is_free(number);
            }
        }
    }

    /// A lock has become free: who waits for it longest gets it or is woken to try.
    pub(super) fn mutex_is_free(&mut self, number: u32) {
        let Some(first) = self
            .primitives
            .mutexes
            .get(number as usize)
            .and_then(|mutex| mutex.waiters.front().copied())
        else {
            return;
        };
        let is_fair = self.settings.runtime != Runtime::GilLegacy;
        let waiter = self.thread(first);
        if is_fair && !waiter.waking && self.now.since(waiter.since) >= TIME_TO_BE_FAIR {
            let (depth, gives) = match waiter.wait() {
                Some(Wait::Reacquire { depth, notified, .. }) => (*depth, *notified),
                _ => (1, true),
            };
            self.acquire(first, number, depth);
            self.give(first, Ok(Value::Bool(gives)));
            return;
        }
        self.wake_next(|all: &Primitives| all.mutexes.get(number as usize).map(|mutex| &mutex.waiters));
    }

    /// Takes a thread out of a lock's row; if the lock is free, the next is woken in its place.
    pub(in crate::machine::threads) fn leave_mutex(&mut self, thread: ThreadId, number: u32) {
        if let Some(mutex) = self.primitives.mutexes.get_mut(number as usize) {
            leave(&mut mutex.waiters, thread);
            if mutex.holder.is_none() {
                self.mutex_is_free(number);
            }
        }
    }

    /// The exception of a call for which the lock should be held.
    pub(super) fn not_held(message: &str) -> Answer {
        Answer::Raises(Exception::new(Kind::RuntimeError, message))
    }
}
