//! Locks, events, conditions, semaphores, barriers and queues of tasks.

use super::Gives;
use crate::machine::event_loop::{
    Awaitable, BarrierId, ConditionId, EventId, LockId, LoopCall, QueueId, QueueOrder, SemaphoreId,
};
use crate::machine::front::Here;
use crate::machine::{Outcome, Value};

impl Here {
    /// `asyncio.Lock()`
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn new_lock(&self) -> Gives<LockId> {
        self.make(LoopCall::NewLock).await
    }

    /// `lock.acquire()`
    ///
    /// # Errors
    /// The task is cancelled.
    pub async fn acquire(&self, lock: LockId) -> Outcome {
        self.wait_on(Awaitable::Acquire(lock)).await
    }

    /// `lock.release()`
    ///
    /// # Errors
    /// It is not locked.
    pub async fn release(&self, lock: LockId) -> Gives<()> {
        self.tell(LoopCall::Release(lock)).await
    }

    /// `lock.locked()`
    ///
    /// # Errors
    /// There is no such lock.
    pub async fn locked(&self, lock: LockId) -> Gives<bool> {
        self.is(LoopCall::Locked(lock)).await
    }

    /// `asyncio.Event()`
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn new_event(&self) -> Gives<EventId> {
        self.make(LoopCall::NewEvent).await
    }

    /// `event.wait()`
    ///
    /// # Errors
    /// The task is cancelled.
    pub async fn wait_event(&self, event: EventId) -> Outcome {
        self.wait_on(Awaitable::WaitEvent(event)).await
    }

    /// `event.set()`
    ///
    /// # Errors
    /// There is no such event.
    pub async fn set_event(&self, event: EventId) -> Gives<()> {
        self.tell(LoopCall::SetEvent(event)).await
    }

    /// `event.clear()`
    ///
    /// # Errors
    /// There is no such event.
    pub async fn clear_event(&self, event: EventId) -> Gives<()> {
        self.tell(LoopCall::ClearEvent(event)).await
    }

    /// `event.is_set()`
    ///
    /// # Errors
    /// There is no such event.
    pub async fn is_set(&self, event: EventId) -> Gives<bool> {
        self.is(LoopCall::IsSet(event)).await
    }

    /// `asyncio.Condition(lock)`
    ///
    /// # Errors
    /// There is no such lock.
    pub async fn new_condition(&self, lock: Option<LockId>) -> Gives<ConditionId> {
        self.make(LoopCall::NewCondition(lock)).await
    }

    /// The lock of a condition.
    ///
    /// # Errors
    /// There is no such condition.
    pub async fn lock_of(&self, condition: ConditionId) -> Gives<LockId> {
        self.make(LoopCall::LockOf(condition)).await
    }

    /// `condition.wait()`
    ///
    /// # Errors
    /// Nobody holds the lock; or the task is cancelled.
    pub async fn wait_condition(&self, condition: ConditionId) -> Outcome {
        self.wait_on(Awaitable::WaitCondition(condition)).await
    }

    /// `condition.wait_for(predicate)`
    ///
    /// # Errors
    /// Nobody holds the lock; or the task is cancelled.
    pub async fn wait_until(&self, condition: ConditionId, mut predicate: impl FnMut() -> bool) -> Gives<()> {
        while !predicate() {
            self.wait_condition(condition).await?;
        }
        Ok(())
    }

    /// `condition.notify(n)`
    ///
    /// # Errors
    /// Nobody holds the lock.
    pub async fn notify(&self, condition: ConditionId, n: u32) -> Gives<()> {
        self.tell(LoopCall::Notify(condition, n)).await
    }

    /// `condition.notify_all()`
    ///
    /// # Errors
    /// Nobody holds the lock.
    pub async fn notify_all(&self, condition: ConditionId) -> Gives<()> {
        self.tell(LoopCall::NotifyAll(condition)).await
    }

    /// `asyncio.Semaphore(value)`
    ///
    /// # Errors
    /// It is below zero.
    pub async fn new_semaphore(&self, value: i64) -> Gives<SemaphoreId> {
        self.make(LoopCall::NewSemaphore(value, false)).await
    }

    /// `asyncio.BoundedSemaphore(value)`
    ///
    /// # Errors
    /// It is below zero.
    pub async fn new_bounded_semaphore(&self, value: i64) -> Gives<SemaphoreId> {
        self.make(LoopCall::NewSemaphore(value, true)).await
    }

    /// `semaphore.acquire()`
    ///
    /// # Errors
    /// The task is cancelled.
    pub async fn acquire_semaphore(&self, semaphore: SemaphoreId) -> Outcome {
        self.wait_on(Awaitable::AcquireSemaphore(semaphore)).await
    }

    /// `semaphore.release()`
    ///
    /// # Errors
    /// It is bounded, and released too often.
    pub async fn release_semaphore(&self, semaphore: SemaphoreId) -> Gives<()> {
        self.tell(LoopCall::ReleaseSemaphore(semaphore)).await
    }

    /// `semaphore.locked()`
    ///
    /// # Errors
    /// There is no such semaphore.
    pub async fn semaphore_locked(&self, semaphore: SemaphoreId) -> Gives<bool> {
        self.is(LoopCall::SemaphoreLocked(semaphore)).await
    }

    /// `asyncio.Barrier(parties)`
    ///
    /// # Errors
    /// It is for nobody.
    pub async fn new_barrier(&self, parties: i64) -> Gives<BarrierId> {
        self.make(LoopCall::NewBarrier(parties)).await
    }

    /// `barrier.wait()`: the place in the order of arrival.
    ///
    /// # Errors
    /// It is broken or reset; or the task is cancelled.
    pub async fn wait_barrier(&self, barrier: BarrierId) -> Gives<i64> {
        let place = self.wait_on(Awaitable::WaitBarrier(barrier)).await?;
        Ok(place.int().unwrap_or_default())
    }

    /// `barrier.reset()`
    ///
    /// # Errors
    /// The task is cancelled.
    pub async fn reset_barrier(&self, barrier: BarrierId) -> Gives<()> {
        self.wait_on(Awaitable::ResetBarrier(barrier)).await.map(|_| ())
    }

    /// `barrier.abort()`
    ///
    /// # Errors
    /// The task is cancelled.
    pub async fn abort_barrier(&self, barrier: BarrierId) -> Gives<()> {
        self.wait_on(Awaitable::AbortBarrier(barrier)).await.map(|_| ())
    }

    /// `barrier.n_waiting`
    ///
    /// # Errors
    /// There is no such barrier.
    pub async fn barrier_waiting(&self, barrier: BarrierId) -> Gives<i64> {
        self.count(LoopCall::BarrierWaiting(barrier)).await
    }

    /// `barrier.broken`
    ///
    /// # Errors
    /// There is no such barrier.
    pub async fn barrier_broken(&self, barrier: BarrierId) -> Gives<bool> {
        self.is(LoopCall::BarrierBroken(barrier)).await
    }

    /// `asyncio.Queue(maxsize)`; no limit at zero.
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn new_queue(&self, max_size: i64) -> Gives<QueueId> {
        self.new_queue_of(QueueOrder::First, max_size).await
    }

    /// `asyncio.Queue(maxsize)`, `LifoQueue` or `PriorityQueue`; no limit at zero.
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn new_queue_of(&self, order: QueueOrder, max_size: i64) -> Gives<QueueId> {
        self.make(LoopCall::NewQueue(order, max_size)).await
    }

    /// `queue.put(item)`
    ///
    /// # Errors
    /// It is shut down; or the task is cancelled.
    pub async fn put(&self, queue: QueueId, item: impl Into<Value>) -> Gives<()> {
        self.wait_on(Awaitable::Put(queue, item.into())).await.map(|_| ())
    }

    /// `queue.get()`
    ///
    /// # Errors
    /// It is shut down; or the task is cancelled.
    pub async fn get(&self, queue: QueueId) -> Outcome {
        self.wait_on(Awaitable::Get(queue)).await
    }

    /// `queue.join()`
    ///
    /// # Errors
    /// The task is cancelled.
    pub async fn join_queue(&self, queue: QueueId) -> Gives<()> {
        self.wait_on(Awaitable::Join(queue)).await.map(|_| ())
    }

    /// `queue.put_nowait(item)`
    ///
    /// # Errors
    /// It is full, or shut down.
    pub async fn put_nowait(&self, queue: QueueId, item: impl Into<Value>) -> Gives<()> {
        self.tell(LoopCall::PutNowait(queue, item.into())).await
    }

    /// `queue.get_nowait()`
    ///
    /// # Errors
    /// It is empty, or shut down.
    pub async fn get_nowait(&self, queue: QueueId) -> Outcome {
        self.ask(LoopCall::GetNowait(queue)).await
    }

    /// `queue.task_done()`
    ///
    /// # Errors
    /// It was called more often than something was put.
    pub async fn task_done(&self, queue: QueueId) -> Gives<()> {
        self.tell(LoopCall::TaskDone(queue)).await
    }

    /// `queue.qsize()`
    ///
    /// # Errors
    /// There is no such queue.
    pub async fn queue_size(&self, queue: QueueId) -> Gives<i64> {
        self.count(LoopCall::QueueSize(queue)).await
    }

    /// `queue.empty()`
    ///
    /// # Errors
    /// There is no such queue.
    pub async fn queue_empty(&self, queue: QueueId) -> Gives<bool> {
        self.is(LoopCall::QueueEmpty(queue)).await
    }

    /// `queue.full()`
    ///
    /// # Errors
    /// There is no such queue.
    pub async fn queue_full(&self, queue: QueueId) -> Gives<bool> {
        self.is(LoopCall::QueueFull(queue)).await
    }

    /// `queue.shutdown(immediate)`
    ///
    /// # Errors
    /// There is no such queue.
    pub async fn shut_down_queue(&self, queue: QueueId, immediate: bool) -> Gives<()> {
        self.tell(LoopCall::ShutdownQueue(queue, immediate)).await
    }
}
