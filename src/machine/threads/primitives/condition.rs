//! `threading.Condition`: waiting, without its lock, to be notified.
//!
//! A notified thread waits for the lock from the moment of its notification on, in the row of all who do.
//!
//! Not here: `wait_for`, which is a loop around `wait`.

use std::collections::VecDeque;

use crate::machine::threads::blocking::Answer;
use crate::machine::threads::thread::{Phase, Wait};
use crate::machine::threads::{
    Machine, MachineFault, Patience, ReentrantLockId, ThreadConditionId, ThreadId, ThreadLockId,
};
use crate::machine::{Nanoseconds, Value};

/// What a condition is asked. Its lock may also be acquired and released by itself.
#[derive(Clone, Copy, Debug)]
pub enum ConditionCall {
    /// `threading.Condition(lock)`, of a new reentrant lock if of none. Gives a [`ThreadConditionId`].
    New(Option<ConditionLock>),
    /// `condition.acquire(…)`. Gives whether it was acquired.
    Acquire(ThreadConditionId, Patience),
    /// `condition.release()`
    Release(ThreadConditionId),
    /// `condition.wait(timeout)`: lets the lock go whole and has it again after. Gives false if the time was up. A
    /// `RuntimeError` without the lock.
    Wait(ThreadConditionId, Option<Nanoseconds>),
    /// `condition.notify(n)`. A `RuntimeError` without the lock.
    Notify(ThreadConditionId, u32),
    /// `condition.notify_all()`. A `RuntimeError` without the lock.
    NotifyAll(ThreadConditionId),
}

/// The lock of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionLock {
    /// A plain one.
    Plain(ThreadLockId),
    /// A reentrant one.
    Reentrant(ReentrantLockId),
}

#[derive(Debug)]
pub(in crate::machine::threads) struct Condition {
    /// Its lock's number, and whether that is reentrant.
    pub mutex: u32,
    is_reentrant: bool,
    pub waiters: VecDeque<ThreadId>,
}

impl ConditionCall {
    /// What it is done to, and what is done, for telling calls apart.
    pub(in crate::machine::threads) fn object(&self) -> u64 {
        let (kind, id) = match self {
            Self::New(_) => (0, 0),
            Self::Acquire(id, _) => (1, id.0),
            Self::Release(id) => (2, id.0),
            Self::Wait(id, _) => (3, id.0),
            Self::Notify(id, _) | Self::NotifyAll(id) => (4, id.0),
        };
        kind << 32 | u64::from(id)
    }
}

impl Machine {
    pub(in crate::machine::threads) fn condition_call(&mut self, thread: ThreadId, call: ConditionCall) -> Answer {
        let id = match call {
            ConditionCall::New(lock) => return self.new_condition(lock),
            ConditionCall::Acquire(id, _)
            | ConditionCall::Release(id)
            | ConditionCall::Wait(id, _)
            | ConditionCall::Notify(id, _)
            | ConditionCall::NotifyAll(id) => id,
        };
        let Some(condition) = self.primitives.conditions.get(id.index()) else {
            return Answer::unknown();
        };
        let (mutex, is_reentrant) = (condition.mutex, condition.is_reentrant);
        // A plain lock has no owner: that it is locked at all is what CPython looks at.
        let is_held = self
            .mutex(mutex, is_reentrant)
            .is_some_and(|lock| lock.holder == Some(thread) || (!is_reentrant && lock.holder.is_some()));
        match call {
            ConditionCall::New(lock) => self.new_condition(lock),
            ConditionCall::Acquire(_, patience) => self.acquire_call(thread, mutex, is_reentrant, patience),
            ConditionCall::Release(_) if is_held => {
                self.release_mutex(mutex);
                Value::None.into()
            }
            ConditionCall::Release(_) if is_reentrant => Self::not_held("cannot release un-acquired lock"),
            ConditionCall::Release(_) => Self::not_held("release unlocked lock"),
            ConditionCall::Wait(_, limit) if is_held => self.wait_for_notification(thread, id, limit),
            ConditionCall::Wait(..) => Self::not_held("cannot wait on un-acquired lock"),
            ConditionCall::Notify(_, n) if is_held => self.notify(id, n as usize),
            ConditionCall::NotifyAll(_) if is_held => self.notify(id, usize::MAX),
            ConditionCall::Notify(..) | ConditionCall::NotifyAll(_) => {
                Self::not_held("cannot notify on un-acquired lock")
            }
        }
    }

    fn new_condition(&mut self, lock: Option<ConditionLock>) -> Answer {
        if self.is_too_many(self.primitives.conditions.len()) {
            return Answer::Stops;
        }
        let (mutex, is_reentrant) = match lock {
            Some(ConditionLock::Plain(lock)) => (Some(lock.0), false),
            Some(ConditionLock::Reentrant(lock)) => (Some(lock.0), true),
            None => (self.new_mutex(true), true),
        };
        let Some(mutex) = mutex.filter(|mutex| self.mutex(*mutex, is_reentrant).is_some()) else {
            return Answer::unknown();
        };
        self.primitives.conditions.push(Condition {
            mutex,
            is_reentrant,
            waiters: VecDeque::new(),
        });
        ThreadConditionId(self.primitives.conditions.len() as u32 - 1).into()
    }

    fn wait_for_notification(&mut self, thread: ThreadId, id: ThreadConditionId, limit: Option<Nanoseconds>) -> Answer {
        let Some(condition) = self.primitives.conditions.get_mut(id.index()) else {
            return Answer::unknown();
        };
        condition.waiters.push_back(thread);
        let number = condition.mutex;
        let Some(mutex) = self.primitives.mutexes.get_mut(number as usize) else {
            return Answer::unknown();
        };
        // However often it was acquired, it is let go whole.
        let depth = std::mem::take(&mut mutex.depth);
        mutex.holder = None;
        self.mutex_is_free(number);
        Answer::Blocks(Wait::Condition(id, depth), limit)
    }

    fn notify(&mut self, id: ThreadConditionId, n: usize) -> Answer {
        for _ in 0..n {
            let condition = self.primitives.conditions.get_mut(id.index());
            let Some(thread) = condition.and_then(|condition| condition.waiters.pop_front()) else {
                break;
            };
            if let Some(Wait::Condition(_, depth)) = self.thread(thread).wait() {
                let depth = *depth;
                self.reacquire(thread, id, depth, true);
            }
        }
        Value::None.into()
    }

    /// A thread that was notified, or whose time is up, waits for the lock.
    pub(in crate::machine::threads) fn reacquire(
        &mut self,
        thread: ThreadId,
        id: ThreadConditionId,
        depth: u32,
        notified: bool,
    ) {
        let Some(condition) = self.primitives.conditions.get(id.index()) else {
            return;
        };
        let mutex = condition.mutex;
        let wait = Wait::Reacquire { mutex, depth, notified };
        let is_free = self.has_fault(MachineFault::LockDoesNotLock)
            || self.primitives.mutexes.get_mut(mutex as usize).is_some_and(|lock| {
                lock.waiters.push_back(thread);
                lock.holder.is_none()
            });
        self.enter(thread, Phase::Blocked(wait));
        if is_free {
            self.wake(thread);
        }
    }
}
