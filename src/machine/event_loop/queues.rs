//! Queues of tasks: first in first out, last in first out, or smallest first.
//!
//! Source: `Lib/asyncio/queues.py`, and `heapq` for the smallest. Numbers, and lists of them, have an order; any other two
//! values have none, which is Python's `TypeError`.

use std::collections::VecDeque;

use super::effects::QueueOrder;
use super::ids::{FutureId, QueueId};
use super::settings::Fault;
use super::state::{Step, Turn};
use super::waits::{Waiter, Waiting};
use crate::machine::{Exception, Input, Kind, Outcome, Value};

/// One queue.
pub(super) struct Queue {
    order: QueueOrder,
    /// At most so many; none is no limit.
    max_size: Option<usize>,
    items: VecDeque<Value>,
    getters: VecDeque<FutureId>,
    putters: VecDeque<FutureId>,
    /// Items that were put and not reported done.
    n_unfinished: u64,
    /// Whether all that was ever put is done, since the last put.
    is_finished: bool,
    joiners: VecDeque<FutureId>,
    is_shut_down: bool,
}

impl Queue {
    fn is_full(&self) -> bool {
        self.max_size.is_some_and(|max| self.items.len() >= max)
    }

    fn push(&mut self, item: Value) -> Result<(), Exception> {
        self.items.push_back(item);
        match self.order {
            QueueOrder::Smallest => sift_down(&mut self.items),
            QueueOrder::First | QueueOrder::Last => Ok(()),
        }
    }

    fn pop(&mut self) -> Result<Value, Exception> {
        let item = match self.order {
            QueueOrder::First => self.items.pop_front(),
            QueueOrder::Last => self.items.pop_back(),
            QueueOrder::Smallest => self.items.swap_remove_back(0),
        };
        if self.order == QueueOrder::Smallest {
            sift_up(&mut self.items)?;
        }
        item.ok_or_else(|| Exception::new(Kind::QueueEmpty, ""))
    }
}

/// Whether one value is smaller than another.
fn is_less(one: &Value, other: &Value) -> Result<bool, Exception> {
    let number = |value: &Value| match value {
        Value::Int(number) => Some(*number),
        Value::Bool(truth) => Some(i64::from(*truth)),
        _ => None,
    };
    match (one, other) {
        (Value::List(ones), Value::List(others)) => {
            let different = ones.iter().zip(others.iter()).find(|(one, other)| one != other);
            different.map_or(Ok(ones.len() < others.len()), |(one, other)| is_less(one, other))
        }
        (Value::Text(one), Value::Text(other)) => Ok(one < other),
        _ => match (number(one), number(other)) {
            (Some(one), Some(other)) => Ok(one < other),
            _ => Err(Exception::own("TypeError", Value::None)),
        },
    }
}

/// `heapq.heappush`, when the item is at the end.
fn sift_down(heap: &mut VecDeque<Value>) -> Result<(), Exception> {
    let mut place = heap.len().saturating_sub(1);
    while place > 0 {
        let parent = (place - 1) / 2;
        match (heap.get(place), heap.get(parent)) {
            (Some(item), Some(above)) if is_less(item, above)? => heap.swap(place, parent),
            _ => break,
        }
        place = parent;
    }
    Ok(())
}

/// `heapq.heappop`, when the last item stands in the place of the first.
fn sift_up(heap: &mut VecDeque<Value>) -> Result<(), Exception> {
    let mut place = 0;
    loop {
        let (left, right) = (2 * place + 1, 2 * place + 2);
        let mut smallest = place;
        for child in [left, right] {
            if let (Some(item), Some(least)) = (heap.get(child), heap.get(smallest))
                && is_less(item, least)?
            {
                smallest = child;
            }
        }
        if smallest == place {
            return Ok(());
        }
        heap.swap(place, smallest);
        place = smallest;
    }
}

impl Turn<'_> {
    /// `asyncio.Queue(maxsize)`; no limit at zero or below.
    pub(super) fn new_queue(&mut self, order: QueueOrder, max_size: i64) -> QueueId {
        let order = match order {
            QueueOrder::First if self.state.has(Fault::QueueReversed) => QueueOrder::Last,
            order => order,
        };
        self.state.count_object();
        self.state.queues.push(Queue {
            order,
            max_size: usize::try_from(max_size).ok().filter(|max| *max > 0),
            items: VecDeque::new(),
            getters: VecDeque::new(),
            putters: VecDeque::new(),
            n_unfinished: 0,
            is_finished: true,
            joiners: VecDeque::new(),
            is_shut_down: false,
        })
    }

    /// `queue.put(item)`
    pub(super) fn put(&mut self, task: FutureId, id: QueueId, item: Value) -> Step {
        match self.state.queues.get_mut(id) {
            Ok(queue) if queue.is_full() && !queue.is_shut_down => {
                queue.putters.push_back(task);
                self.wait_for_waiter(task, Waiting::Put(Box::new((id, item))))
            }
            Ok(_) => self.put_nowait(id, item).into(),
            Err(exception) => Step::Go(Input::Throw(exception)),
        }
    }

    pub(super) fn put_woke(&mut self, task: FutureId, id: QueueId, item: Value, woke: Outcome) -> Step {
        let Err(exception) = woke else {
            return self.put(task, id, item);
        };
        let was_woken = self.waiter_of(task) == Waiter::Over;
        if let Ok(queue) = self.state.queues.get_mut(id) {
            queue.putters.retain(|putter| *putter != task);
            if !queue.is_full() && was_woken && !self.state.has(Fault::WakeUpLost) {
                self.wake_putter(id);
            }
        }
        Step::Go(Input::Throw(exception))
    }

    /// `queue.put_nowait(item)`
    ///
    /// # Errors
    /// It is full, or shut down.
    pub(super) fn put_nowait(&mut self, id: QueueId, item: Value) -> Outcome {
        let queue = self.state.queues.get(id)?;
        if queue.is_shut_down {
            return Err(Exception::new(Kind::QueueShutDown, ""));
        }
        if queue.is_full() {
            return Err(Exception::new(Kind::QueueFull, ""));
        }
        self.put_now(id, item)
    }

    /// Puts an item into a queue that has room.
    ///
    /// # Errors
    /// The item has no order among the others.
    pub(super) fn put_now(&mut self, id: QueueId, item: Value) -> Outcome {
        let queue = self.state.queues.get_mut(id)?;
        queue.push(item)?;
        queue.n_unfinished += 1;
        queue.is_finished = false;
        self.wake_getter(id);
        Ok(Value::None)
    }

    fn wake_getter(&mut self, id: QueueId) {
        while let Some(getter) = self
            .state
            .queues
            .get_mut(id)
            .ok()
            .and_then(|queue| queue.getters.pop_front())
        {
            if self.release(getter) {
                return;
            }
        }
    }

    fn wake_putter(&mut self, id: QueueId) {
        let last_first = self.state.has(Fault::LastPutterFirst);
        let next = |queue: &mut Queue| {
            if last_first {
                queue.putters.pop_back()
            } else {
                queue.putters.pop_front()
            }
        };
        while let Some(putter) = self.state.queues.get_mut(id).ok().and_then(next) {
            if self.release(putter) {
                return;
            }
        }
    }

    /// `queue.get()`
    pub(super) fn get(&mut self, task: FutureId, id: QueueId) -> Step {
        match self.get_or_queue(task, id) {
            Some(outcome) => outcome.into(),
            None => self.wait_for_waiter(task, Waiting::Get(id)),
        }
    }

    /// An item, or nothing: then the task is among those who wait for one.
    pub(super) fn get_or_queue(&mut self, task: FutureId, id: QueueId) -> Option<Outcome> {
        match self.state.queues.get_mut(id) {
            Ok(queue) if queue.items.is_empty() && !queue.is_shut_down => {
                queue.getters.push_back(task);
                None
            }
            Ok(_) => Some(self.get_nowait(id)),
            Err(exception) => Some(Err(exception)),
        }
    }

    /// The wait for an item is over: there is one, or an exception, or it begins anew.
    pub(super) fn got(&mut self, task: FutureId, id: QueueId, woke: Outcome) -> Option<Outcome> {
        let Err(exception) = woke else {
            return self.get_or_queue(task, id);
        };
        let was_woken = self.waiter_of(task) == Waiter::Over;
        if let Ok(queue) = self.state.queues.get_mut(id) {
            queue.getters.retain(|getter| *getter != task);
            if !queue.items.is_empty() && was_woken && !self.state.has(Fault::WakeUpLost) {
                self.wake_getter(id);
            }
        }
        Some(Err(exception))
    }

    /// `queue.get_nowait()`
    ///
    /// # Errors
    /// It is empty, or shut down.
    pub(super) fn get_nowait(&mut self, id: QueueId) -> Outcome {
        let queue = self.state.queues.get_mut(id)?;
        if queue.items.is_empty() {
            let kind = if queue.is_shut_down {
                Kind::QueueShutDown
            } else {
                Kind::QueueEmpty
            };
            return Err(Exception::new(kind, ""));
        }
        let item = queue.pop()?;
        self.wake_putter(id);
        Ok(item)
    }

    /// `queue.task_done()`
    ///
    /// # Errors
    /// It was called more often than something was put.
    pub(super) fn task_done(&mut self, id: QueueId) -> Outcome {
        let queue = self.state.queues.get_mut(id)?;
        if queue.n_unfinished == 0 {
            return Err(Exception::new(Kind::ValueError, "task_done() called too many times"));
        }
        queue.n_unfinished -= 1;
        if queue.n_unfinished == 0 {
            self.finish_queue(id)?;
        }
        Ok(Value::None)
    }

    fn finish_queue(&mut self, id: QueueId) -> Result<(), Exception> {
        let queue = self.state.queues.get_mut(id)?;
        if !std::mem::replace(&mut queue.is_finished, true) {
            let joiners: Vec<FutureId> = queue.joiners.iter().copied().collect();
            for joiner in joiners {
                self.release(joiner);
            }
        }
        Ok(())
    }

    /// `queue.join()`
    pub(super) fn join(&mut self, task: FutureId, id: QueueId) -> Step {
        match self.state.queues.get_mut(id) {
            Ok(queue) if queue.n_unfinished > 0 && !queue.is_finished => {
                queue.joiners.push_back(task);
                self.wait_for_waiter(task, Waiting::Join(id))
            }
            Ok(_) => Step::Go(Input::Value(Value::None)),
            Err(exception) => Step::Go(Input::Throw(exception)),
        }
    }

    pub(super) fn joined(&mut self, task: FutureId, id: QueueId, woke: Outcome) -> Outcome {
        self.state.queues.get_mut(id)?.joiners.retain(|joiner| *joiner != task);
        woke.map(|_| Value::None)
    }

    /// `queue.shutdown(immediate)`
    ///
    /// # Errors
    /// There is no such queue.
    pub(super) fn shut_down_queue(&mut self, id: QueueId, is_immediate: bool) -> Outcome {
        let queue = self.state.queues.get_mut(id)?;
        queue.is_shut_down = true;
        if is_immediate {
            queue.n_unfinished = queue.n_unfinished.saturating_sub(queue.items.len() as u64);
            queue.items.clear();
            if queue.n_unfinished == 0 {
                self.finish_queue(id)?;
            }
        }
        let queue = self.state.queues.get_mut(id)?;
        let getters = std::mem::take(&mut queue.getters);
        let putters = std::mem::take(&mut queue.putters);
        for waiter in getters.into_iter().chain(putters) {
            self.release(waiter);
        }
        Ok(Value::None)
    }

    /// `queue.qsize()`
    ///
    /// # Errors
    /// There is no such queue.
    pub(super) fn queue_size(&self, id: QueueId) -> Result<usize, Exception> {
        Ok(self.state.queues.get(id)?.items.len())
    }

    /// `queue.full()`
    pub(super) fn is_queue_full(&self, id: QueueId) -> Outcome {
        Ok(Value::Bool(self.state.queues.get(id)?.is_full()))
    }
}
