//! What threads wait for each other with, one file an object: its calls, its state and what each call does.
//!
//! All of them behave as Python's `threading` and `queue` do. Who waits is served first in, first out, except that a
//! plain lock may be taken past those who wait ([`lock`] says when).
//!
//! Not here: what tasks wait with; that is an event loop's.

use std::collections::VecDeque;

use super::thread::Wait;
use super::{Machine, ThreadId};

pub mod barrier;
pub mod condition;
pub mod event;
mod items;
pub mod lock;
pub mod queue;
pub mod reentrant;
pub mod semaphore;

pub use barrier::{Action, NewBarrier, ThreadBarrierCall};
pub use condition::{ConditionCall, ConditionLock};
pub use event::ThreadEventCall;
pub use lock::LockCall;
pub use queue::ThreadQueueCall;
pub use reentrant::ReentrantLockCall;
pub use semaphore::SemaphoreCall;

/// All of a machine's, each kind by its numbers.
#[derive(Debug, Default)]
pub(super) struct Primitives {
    /// Plain and reentrant locks.
    pub mutexes: Vec<lock::Mutex>,
    pub conditions: Vec<condition::Condition>,
    pub semaphores: Vec<semaphore::Semaphore>,
    pub events: Vec<event::Event>,
    pub barriers: Vec<barrier::Barrier>,
    pub queues: Vec<queue::Queue>,
}

/// Takes a thread out of a row. Most are its first.
fn leave(row: &mut VecDeque<ThreadId>, thread: ThreadId) {
    if row.front() == Some(&thread) {
        row.pop_front();
    } else {
        row.retain(|waiter| *waiter != thread);
    }
}

impl Machine {
    /// Takes a thread out of the row of a condition, a semaphore, an event or a barrier.
    pub(super) fn leave_primitive(&mut self, thread: ThreadId, wait: &Wait) {
        let all = &mut self.primitives;
        match wait {
            Wait::Condition(id, _) => {
                if let Some(condition) = all.conditions.get_mut(id.index()) {
                    leave(&mut condition.waiters, thread);
                }
            }
            Wait::Event(id) => {
                if let Some(event) = all.events.get_mut(id.index()) {
                    leave(&mut event.waiters, thread);
                }
            }
            Wait::Barrier(id) => {
                if let Some(barrier) = all.barriers.get_mut(id.index()) {
                    leave(&mut barrier.waiters, thread);
                    leave(&mut barrier.late, thread);
                }
            }
            Wait::Semaphore(id) => self.leave_semaphore(thread, *id),
            _ => {}
        }
    }

    /// Wakes the first of a row that has not been woken yet.
    fn wake_next(&mut self, row: impl Fn(&Primitives) -> Option<&VecDeque<ThreadId>>) {
        let asleep =
            row(&self.primitives).and_then(|row| row.iter().copied().find(|waiter| !self.thread(*waiter).waking));
        if let Some(waiter) = asleep {
            self.wake(waiter);
        }
    }
}
