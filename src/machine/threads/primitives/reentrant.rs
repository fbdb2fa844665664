//! `threading.RLock`: a lock that its owner may acquire again.
//!
//! Not here: waiting for it, which is as for a plain lock ([`super::lock`]).

use crate::machine::Value;
use crate::machine::threads::blocking::Answer;
use crate::machine::threads::{Machine, Patience, ReentrantLockId, ThreadId};

/// What a reentrant lock is asked.
#[derive(Clone, Copy, Debug)]
pub enum ReentrantLockCall {
    /// `threading.RLock()`. Gives a [`ReentrantLockId`].
    New,
    /// `lock.acquire(…)`. Gives whether it was acquired; by its owner always and at once.
    Acquire(ReentrantLockId, Patience),
    /// `lock.release()`. A `RuntimeError` unless this thread owns it.
    Release(ReentrantLockId),
    /// `lock.locked()`
    Locked(ReentrantLockId),
    /// How often this thread has acquired it and not released.
    Depth(ReentrantLockId),
}

impl ReentrantLockCall {
    /// What it is done to, and what is done, for telling calls apart.
    pub(in crate::machine::threads) fn object(&self) -> u64 {
        let (kind, id) = match self {
            Self::New => (0, 0),
            Self::Acquire(id, _) => (1, id.0),
            Self::Release(id) => (2, id.0),
            Self::Locked(id) => (3, id.0),
            Self::Depth(id) => (4, id.0),
        };
        kind << 32 | u64::from(id)
    }
}

impl Machine {
    pub(in crate::machine::threads) fn reentrant_call(&mut self, thread: ThreadId, call: ReentrantLockCall) -> Answer {
        match call {
            ReentrantLockCall::New => match self.new_mutex(true) {
                Some(number) => ReentrantLockId(number).into(),
                None => Answer::Stops,
            },
            ReentrantLockCall::Acquire(id, patience) => self.acquire_call(thread, id.0, true, patience),
            ReentrantLockCall::Release(id) => match self.mutex(id.0, true) {
                None => Answer::unknown(),
                Some(mutex) if mutex.holder != Some(thread) => Self::not_held("cannot release un-acquired lock"),
                Some(_) => {
                    self.release_mutex(id.0);
                    Value::None.into()
                }
            },
            ReentrantLockCall::Locked(id) => match self.mutex(id.0, true) {
                Some(mutex) => mutex.holder.is_some().into(),
                None => Answer::unknown(),
            },
            ReentrantLockCall::Depth(id) => match self.mutex(id.0, true) {
                Some(mutex) if mutex.holder == Some(thread) => i64::from(mutex.depth).into(),
                Some(_) => 0.into(),
                None => Answer::unknown(),
            },
        }
    }
}
