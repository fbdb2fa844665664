//! `threading.Semaphore` and `threading.BoundedSemaphore`
//!
//! As in CPython, whose semaphore is a counter under a condition, a thread that comes while another is being woken may
//! take what that one was woken for.
//!
//! Not here: a semaphore of tasks, where nobody passes by.

use std::collections::VecDeque;

use super::{Primitives, leave};
use crate::machine::threads::blocking::Answer;
use crate::machine::threads::thread::Wait;
use crate::machine::threads::{Machine, Patience, ThreadId, ThreadSemaphoreId};
use crate::machine::{Kind, Outcome, Value};

/// What a semaphore is asked.
#[derive(Clone, Copy, Debug)]
pub enum SemaphoreCall {
    /// `threading.Semaphore(value)`. Gives a [`ThreadSemaphoreId`]; a `ValueError` below 0.
    New {
        /// How many may have it.
        value: i64,
        /// Whether a release above that is a `ValueError`.
        bounded: bool,
    },
    /// `semaphore.acquire(…)`. Gives whether it was acquired.
    Acquire(ThreadSemaphoreId, Patience),
    /// `semaphore.release(n)`. A `ValueError` for n below 1, or above the bound.
    Release(ThreadSemaphoreId, i64),
    /// How many could acquire it now.
    Value(ThreadSemaphoreId),
}

#[derive(Debug)]
pub(in crate::machine::threads) struct Semaphore {
    pub value: i64,
    bound: Option<i64>,
    pub waiters: VecDeque<ThreadId>,
}

impl SemaphoreCall {
    /// What it is done to, and what is done, for telling calls apart.
    pub(in crate::machine::threads) fn object(&self) -> u64 {
        let (kind, id) = match self {
            Self::New { .. } => (0, 0),
            Self::Acquire(id, _) => (1, id.0),
            Self::Release(id, _) => (2, id.0),
            Self::Value(id) => (3, id.0),
        };
        kind << 32 | u64::from(id)
    }
}

impl Machine {
    pub(in crate::machine::threads) fn semaphore_call(&mut self, thread: ThreadId, call: SemaphoreCall) -> Answer {
        let id = match call {
            SemaphoreCall::New { value, bounded } => return self.new_semaphore(value, bounded),
            SemaphoreCall::Acquire(id, _) | SemaphoreCall::Release(id, _) | SemaphoreCall::Value(id) => id,
        };
        let Some(semaphore) = self.primitives.semaphores.get_mut(id.index()) else {
            return Answer::unknown();
        };
        match call {
            SemaphoreCall::New { value, bounded } => self.new_semaphore(value, bounded),
            SemaphoreCall::Acquire(_, patience) => {
                if semaphore.value > 0 {
                    semaphore.value -= 1;
                    return true.into();
                }
                if patience != Patience::No {
                    semaphore.waiters.push_back(thread);
                }
                Self::now_or_wait(None, patience, Wait::Semaphore(id), Ok(false.into()))
            }
            SemaphoreCall::Release(_, n) if n < 1 => Answer::raises(Kind::ValueError, "n must be one or more"),
            SemaphoreCall::Release(_, n) => {
                let value = semaphore.value.saturating_add(n);
                if semaphore.bound.is_some_and(|bound| value > bound) {
                    return Answer::raises(Kind::ValueError, "Semaphore released too many times");
                }
                semaphore.value = value;
                let n = usize::try_from(n).unwrap_or(usize::MAX).min(semaphore.waiters.len());
                for _ in 0..n {
                    self.wake_next(|all: &Primitives| all.semaphores.get(id.index()).map(|of| &of.waiters));
                }
                Value::None.into()
            }
            SemaphoreCall::Value(_) => semaphore.value.into(),
        }
    }

    fn new_semaphore(&mut self, value: i64, bounded: bool) -> Answer {
        if value < 0 {
            return Answer::raises(Kind::ValueError, "semaphore initial value must be >= 0");
        }
        if self.is_too_many(self.primitives.semaphores.len()) {
            return Answer::Stops;
        }
        self.primitives.semaphores.push(Semaphore {
            value,
            bound: bounded.then_some(value),
            waiters: VecDeque::new(),
        });
        ThreadSemaphoreId(self.primitives.semaphores.len() as u32 - 1).into()
    }

    pub(in crate::machine::threads) fn attempt_semaphore(
        &mut self,
        thread: ThreadId,
        id: ThreadSemaphoreId,
    ) -> Option<Outcome> {
        let semaphore = self.primitives.semaphores.get_mut(id.index())?;
        if semaphore.value == 0 {
            return None;
        }
        semaphore.value -= 1;
        leave(&mut semaphore.waiters, thread);
        Some(Ok(Value::Bool(true)))
    }

    pub(super) fn leave_semaphore(&mut self, thread: ThreadId, id: ThreadSemaphoreId) {
        if let Some(semaphore) = self.primitives.semaphores.get_mut(id.index()) {
            leave(&mut semaphore.waiters, thread);
            if semaphore.value > 0 {
                self.wake_next(|all: &Primitives| all.semaphores.get(id.index()).map(|of| &of.waiters));
            }
        }
    }
}
