//! `queue.Queue`, `queue.LifoQueue` and `queue.PriorityQueue`
//!
//! Not here: a queue of tasks.

use std::collections::VecDeque;

use super::items::Items;
use super::{Primitives, leave};
use crate::machine::event_loop::QueueOrder;
use crate::machine::threads::blocking::Answer;
use crate::machine::threads::thread::Wait;
use crate::machine::threads::{Machine, Patience, ThreadId, ThreadQueueId};
use crate::machine::{Exception, Kind, Outcome, Value};

/// What a queue is asked.
#[derive(Clone, Debug)]
pub enum ThreadQueueCall {
    /// `queue.Queue(maxsize)` and its kin; 0 and below has no limit. Gives a [`ThreadQueueId`].
    New(QueueOrder, i64),
    /// `queue.put(item, …)`. `QueueFull` where patience ends, `QueueShutDown` after a shutdown.
    Put(ThreadQueueId, Patience, Value),
    /// `queue.get(…)`. Gives an item. `QueueEmpty` where patience ends, `QueueShutDown` when shut down and empty.
    Get(ThreadQueueId, Patience),
    /// `queue.task_done()`. A `ValueError` if called more often than there were items.
    TaskDone(ThreadQueueId),
    /// `queue.join()`: waits until every item put was called done.
    Join(ThreadQueueId),
    /// `queue.qsize()`
    Size(ThreadQueueId),
    /// `queue.empty()`
    IsEmpty(ThreadQueueId),
    /// `queue.full()`
    IsFull(ThreadQueueId),
    /// `queue.shutdown(immediate)`
    ShutDown(ThreadQueueId, bool),
}

#[derive(Debug)]
pub(in crate::machine::threads) struct Queue {
    items: Items,
    /// 0 is no limit.
    room: usize,
    unfinished: u64,
    is_shut: bool,
    pub getters: VecDeque<ThreadId>,
    pub putters: VecDeque<ThreadId>,
    pub joiners: VecDeque<ThreadId>,
}

impl Queue {
    fn is_full(&self) -> bool {
        self.room > 0 && self.items.len() >= self.room
    }

    /// Puts an item in, if there is room.
    fn put(&mut self, item: &Value) -> Option<Outcome> {
        if self.is_shut {
            return Some(Err(Exception::new(Kind::QueueShutDown, "")));
        }
        if self.is_full() {
            return None;
        }
        self.items.push(item.clone());
        self.unfinished += 1;
        Some(Ok(Value::None))
    }

    /// Takes an item out, if there is one.
    fn get(&mut self) -> Option<Outcome> {
        match self.items.pop() {
            None if self.is_shut => Some(Err(Exception::new(Kind::QueueShutDown, ""))),
            item => item.map(Ok),
        }
    }
}

impl ThreadQueueCall {
    /// What it is done to, and what is done, for telling calls apart.
    pub(in crate::machine::threads) fn object(&self) -> u64 {
        let (kind, id) = match self {
            Self::New(..) => (0, 0),
            Self::Put(id, ..) => (1, id.0),
            Self::Get(id, _) => (2, id.0),
            Self::TaskDone(id) => (3, id.0),
            Self::Join(id) => (4, id.0),
            Self::Size(id) | Self::IsEmpty(id) | Self::IsFull(id) => (5, id.0),
            Self::ShutDown(id, _) => (6, id.0),
        };
        kind << 32 | u64::from(id)
    }
}

impl Machine {
    pub(in crate::machine::threads) fn queue_call(&mut self, thread: ThreadId, call: ThreadQueueCall) -> Answer {
        let id = match &call {
            ThreadQueueCall::New(order, room) => return self.new_queue(*order, *room),
            ThreadQueueCall::Put(id, ..)
            | ThreadQueueCall::Get(id, _)
            | ThreadQueueCall::TaskDone(id)
            | ThreadQueueCall::Join(id)
            | ThreadQueueCall::Size(id)
            | ThreadQueueCall::IsEmpty(id)
            | ThreadQueueCall::IsFull(id)
            | ThreadQueueCall::ShutDown(id, _) => *id,
        };
        let Some(queue) = self.primitives.queues.get_mut(id.index()) else {
            return Answer::unknown();
        };
        match call {
            ThreadQueueCall::New(order, room) => self.new_queue(order, room),
            ThreadQueueCall::Put(_, patience, item) => {
                let outcome = queue.put(&item);
                match &outcome {
                    Some(Ok(_)) => self.wake_next(|all| all.queues.get(id.index()).map(|queue| &queue.getters)),
                    None if patience != Patience::No => queue.putters.push_back(thread),
                    Some(Err(_)) | None => {}
                }
                let full = Err(Exception::new(Kind::QueueFull, ""));
                Self::now_or_wait(outcome, patience, Wait::Put(id, item), full)
            }
            ThreadQueueCall::Get(_, patience) => {
                let outcome = queue.get();
                match &outcome {
                    Some(Ok(_)) => self.wake_next(|all| all.queues.get(id.index()).map(|queue| &queue.putters)),
                    None if patience != Patience::No => queue.getters.push_back(thread),
                    Some(Err(_)) | None => {}
                }
                let empty = Err(Exception::new(Kind::QueueEmpty, ""));
                Self::now_or_wait(outcome, patience, Wait::Get(id), empty)
            }
            ThreadQueueCall::TaskDone(_) => {
                if queue.unfinished == 0 {
                    return Answer::raises(Kind::ValueError, "task_done() called too many times");
                }
                queue.unfinished -= 1;
                if queue.unfinished == 0 {
                    let joiners = queue.joiners.clone();
                    self.wake_first(&joiners, usize::MAX);
                }
                Value::None.into()
            }
            ThreadQueueCall::Join(_) if queue.unfinished == 0 => Value::None.into(),
            ThreadQueueCall::Join(_) => {
                queue.joiners.push_back(thread);
                Answer::Blocks(Wait::AllDone(id), None)
            }
            ThreadQueueCall::Size(_) => (queue.items.len() as i64).into(),
            ThreadQueueCall::IsEmpty(_) => (queue.items.len() == 0).into(),
            ThreadQueueCall::IsFull(_) => queue.is_full().into(),
            ThreadQueueCall::ShutDown(_, immediate) => {
                queue.is_shut = true;
                if immediate {
                    queue.unfinished = queue.unfinished.saturating_sub(queue.items.len() as u64);
                    queue.items.clear();
                }
                let all = [&queue.getters, &queue.putters, &queue.joiners].map(Clone::clone);
                for row in &all {
                    self.wake_first(row, usize::MAX);
                }
                Value::None.into()
            }
        }
    }

    fn new_queue(&mut self, order: QueueOrder, room: i64) -> Answer {
        if self.is_too_many(self.primitives.queues.len()) {
            return Answer::Stops;
        }
        self.primitives.queues.push(Queue {
            items: Items::new(order),
            room: usize::try_from(room).unwrap_or(0),
            unfinished: 0,
            is_shut: false,
            getters: VecDeque::new(),
            putters: VecDeque::new(),
            joiners: VecDeque::new(),
        });
        ThreadQueueId(self.primitives.queues.len() as u32 - 1).into()
    }

    pub(in crate::machine::threads) fn attempt_put(
        &mut self,
        thread: ThreadId,
        id: ThreadQueueId,
        item: &Value,
    ) -> Option<Outcome> {
        let queue = self.primitives.queues.get_mut(id.index())?;
        let outcome = queue.put(item)?;
        leave(&mut queue.putters, thread);
        if outcome.is_ok() {
            self.wake_next(|all: &Primitives| all.queues.get(id.index()).map(|queue| &queue.getters));
        }
        Some(outcome)
    }

    pub(in crate::machine::threads) fn attempt_get(&mut self, thread: ThreadId, id: ThreadQueueId) -> Option<Outcome> {
        let queue = self.primitives.queues.get_mut(id.index())?;
        let outcome = queue.get()?;
        leave(&mut queue.getters, thread);
        if outcome.is_ok() {
            self.watch.progress();
            self.wake_next(|all: &Primitives| all.queues.get(id.index()).map(|queue| &queue.putters));
        }
        Some(outcome)
    }

    pub(in crate::machine::threads) fn attempt_join(&mut self, thread: ThreadId, id: ThreadQueueId) -> Option<Outcome> {
        let queue = self.primitives.queues.get_mut(id.index())?;
        if queue.unfinished > 0 {
            return None;
        }
        leave(&mut queue.joiners, thread);
        Some(Ok(Value::None))
    }

    /// Takes a thread out of a queue's rows; what it was woken for goes to the next.
    pub(in crate::machine::threads) fn leave_queue(&mut self, thread: ThreadId, wait: &Wait) {
        let (Wait::Put(id, _) | Wait::Get(id) | Wait::AllDone(id)) = wait else {
            return;
        };
        let Some(queue) = self.primitives.queues.get_mut(id.index()) else {
            return;
        };
        leave(&mut queue.getters, thread);
        leave(&mut queue.putters, thread);
        leave(&mut queue.joiners, thread);
        if queue.items.len() > 0 {
            self.wake_next(|all: &Primitives| all.queues.get(id.index()).map(|queue| &queue.getters));
        } else {
            self.wake_next(|all: &Primitives| all.queues.get(id.index()).map(|queue| &queue.putters));
        }
    }
}
