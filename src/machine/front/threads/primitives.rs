//! Threads' locks, conditions, semaphores, events, barriers and queues.
//!
//! Not here: those of tasks.

use super::{Gives, Here};
use crate::machine::event_loop::QueueOrder;
use crate::machine::threads::{
    ConditionCall, ConditionLock, LockCall, NewBarrier, Patience, ReentrantLockCall, ReentrantLockId, SemaphoreCall,
    ThreadBarrierCall, ThreadBarrierId, ThreadCall, ThreadConditionId, ThreadEventCall, ThreadEventId, ThreadLockId,
    ThreadQueueCall, ThreadQueueId, ThreadSemaphoreId,
};
use crate::machine::{Nanoseconds, Outcome, Value};

impl Here {
    /// `threading.Lock()`
    ///
    /// # Errors
    /// Never; with too many the run ends.
    pub async fn new_thread_lock(&self) -> Gives<ThreadLockId> {
        self.call_for(ThreadCall::Lock(LockCall::New)).await
    }

    /// `lock.acquire(…)`: whether it was acquired.
    ///
    /// # Errors
    /// There is no such object.
    pub async fn acquire_thread_lock(&self, lock: ThreadLockId, patience: Patience) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Lock(LockCall::Acquire(lock, patience)))
            .await
    }

    /// `lock.release()`
    ///
    /// # Errors
    /// It is not locked.
    pub async fn release_thread_lock(&self, lock: ThreadLockId) -> Gives<()> {
        self.call_only(ThreadCall::Lock(LockCall::Release(lock))).await
    }

    /// `lock.locked()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn is_thread_lock_locked(&self, lock: ThreadLockId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Lock(LockCall::Locked(lock))).await
    }

    /// `with lock:`
    ///
    /// # Errors
    /// What the block raises.
    pub async fn with_thread_lock<T>(&self, lock: ThreadLockId, block: impl Future<Output = Gives<T>>) -> Gives<T> {
        self.acquire_thread_lock(lock, Patience::Forever).await?;
        let outcome = block.await;
        self.release_thread_lock(lock).await?;
        outcome
    }

    /// `threading.RLock()`
    ///
    /// # Errors
    /// Never; with too many the run ends.
    pub async fn new_reentrant_lock(&self) -> Gives<ReentrantLockId> {
        self.call_for(ThreadCall::ReentrantLock(ReentrantLockCall::New)).await
    }

    /// `lock.acquire(…)`: whether it was acquired.
    ///
    /// # Errors
    /// There is no such object.
    pub async fn acquire_reentrant_lock(&self, lock: ReentrantLockId, patience: Patience) -> Gives<bool> {
        self.call_for_truth(ThreadCall::ReentrantLock(ReentrantLockCall::Acquire(lock, patience)))
            .await
    }

    /// `lock.release()`
    ///
    /// # Errors
    /// This thread does not own it.
    pub async fn release_reentrant_lock(&self, lock: ReentrantLockId) -> Gives<()> {
        self.call_only(ThreadCall::ReentrantLock(ReentrantLockCall::Release(lock)))
            .await
    }

    /// `lock.locked()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn is_reentrant_lock_locked(&self, lock: ReentrantLockId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::ReentrantLock(ReentrantLockCall::Locked(lock)))
            .await
    }

    /// How often this thread has acquired it and not released.
    ///
    /// # Errors
    /// There is no such object.
    pub async fn reentrant_lock_depth(&self, lock: ReentrantLockId) -> Gives<i64> {
        self.call_for_number(ThreadCall::ReentrantLock(ReentrantLockCall::Depth(lock)))
            .await
    }

    /// `threading.Condition(lock)`
    ///
    /// # Errors
    /// There is no such lock.
    pub async fn new_thread_condition(&self, lock: Option<ConditionLock>) -> Gives<ThreadConditionId> {
        self.call_for(ThreadCall::Condition(ConditionCall::New(lock))).await
    }

    /// `condition.acquire(…)`: whether it was acquired.
    ///
    /// # Errors
    /// There is no such object.
    pub async fn acquire_thread_condition(&self, condition: ThreadConditionId, patience: Patience) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Condition(ConditionCall::Acquire(condition, patience)))
            .await
    }

    /// `condition.release()`
    ///
    /// # Errors
    /// It is not acquired.
    pub async fn release_thread_condition(&self, condition: ThreadConditionId) -> Gives<()> {
        self.call_only(ThreadCall::Condition(ConditionCall::Release(condition)))
            .await
    }

    /// `condition.wait(timeout)`: whether it was notified in time.
    ///
    /// # Errors
    /// It is not acquired.
    pub async fn wait_thread_condition(
        &self,
        condition: ThreadConditionId,
        timeout: Option<Nanoseconds>,
    ) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Condition(ConditionCall::Wait(condition, timeout)))
            .await
    }

    /// `condition.wait_for(predicate, timeout)`: what the predicate said last.
    ///
    /// # Errors
    /// It is not acquired, or the predicate raises.
    pub async fn wait_thread_condition_for<Said>(
        &self,
        condition: ThreadConditionId,
        mut predicate: impl FnMut() -> Said,
        timeout: Option<Nanoseconds>,
    ) -> Gives<bool>
    where
        Said: Future<Output = Gives<bool>>,
    {
        let mut end = None;
        let mut said = predicate().await?;
        while !said {
            let mut left = None;
            if let Some(timeout) = timeout {
                let now = self.now().await;
                let end = *end.get_or_insert(now + timeout);
                if end <= now {
                    break;
                }
                left = Some(end.since(now));
            }
            self.wait_thread_condition(condition, left).await?;
            said = predicate().await?;
        }
        Ok(said)
    }

    /// `condition.notify(n)`
    ///
    /// # Errors
    /// It is not acquired.
    pub async fn notify_thread_condition(&self, condition: ThreadConditionId, n: u32) -> Gives<()> {
        self.call_only(ThreadCall::Condition(ConditionCall::Notify(condition, n)))
            .await
    }

    /// `condition.notify_all()`
    ///
    /// # Errors
    /// It is not acquired.
    pub async fn notify_all_thread_condition(&self, condition: ThreadConditionId) -> Gives<()> {
        self.call_only(ThreadCall::Condition(ConditionCall::NotifyAll(condition)))
            .await
    }

    /// `threading.Semaphore(value)`, or `BoundedSemaphore`
    ///
    /// # Errors
    /// The value is negative.
    pub async fn new_thread_semaphore(&self, value: i64, bounded: bool) -> Gives<ThreadSemaphoreId> {
        self.call_for(ThreadCall::Semaphore(SemaphoreCall::New { value, bounded }))
            .await
    }

    /// `semaphore.acquire(…)`: whether it was acquired.
    ///
    /// # Errors
    /// There is no such object.
    pub async fn acquire_thread_semaphore(&self, semaphore: ThreadSemaphoreId, patience: Patience) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Semaphore(SemaphoreCall::Acquire(semaphore, patience)))
            .await
    }

    /// `semaphore.release(n)`
    ///
    /// # Errors
    /// `n` is below 1, or the bound is passed.
    pub async fn release_thread_semaphore(&self, semaphore: ThreadSemaphoreId, n: i64) -> Gives<()> {
        self.call_only(ThreadCall::Semaphore(SemaphoreCall::Release(semaphore, n)))
            .await
    }

    /// How many could acquire it now.
    ///
    /// # Errors
    /// There is no such object.
    pub async fn thread_semaphore_value(&self, semaphore: ThreadSemaphoreId) -> Gives<i64> {
        self.call_for_number(ThreadCall::Semaphore(SemaphoreCall::Value(semaphore)))
            .await
    }

    /// `threading.Event()`
    ///
    /// # Errors
    /// Never; with too many the run ends.
    pub async fn new_thread_event(&self) -> Gives<ThreadEventId> {
        self.call_for(ThreadCall::Event(ThreadEventCall::New)).await
    }

    /// `event.set()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn set_thread_event(&self, event: ThreadEventId) -> Gives<()> {
        self.call_only(ThreadCall::Event(ThreadEventCall::Set(event))).await
    }

    /// `event.clear()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn clear_thread_event(&self, event: ThreadEventId) -> Gives<()> {
        self.call_only(ThreadCall::Event(ThreadEventCall::Clear(event))).await
    }

    /// `event.is_set()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn is_thread_event_set(&self, event: ThreadEventId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Event(ThreadEventCall::IsSet(event)))
            .await
    }

    /// `event.wait(timeout)`: whether it was set in time.
    ///
    /// # Errors
    /// There is no such object.
    pub async fn wait_thread_event(&self, event: ThreadEventId, timeout: Option<Nanoseconds>) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Event(ThreadEventCall::Wait(event, timeout)))
            .await
    }

    /// `threading.Barrier(parties, …)`
    ///
    /// # Errors
    /// There are to be no parties.
    pub async fn new_thread_barrier(&self, new: NewBarrier) -> Gives<ThreadBarrierId> {
        self.call_for(ThreadCall::Barrier(ThreadBarrierCall::New(Box::new(new))))
            .await
    }

    /// `barrier.wait(timeout)`: the place in the order of arrival, from 0.
    ///
    /// # Errors
    /// The barrier is broken, or its action raises.
    pub async fn wait_thread_barrier(&self, barrier: ThreadBarrierId, timeout: Option<Nanoseconds>) -> Gives<i64> {
        self.call_for_number(ThreadCall::Barrier(ThreadBarrierCall::Wait(barrier, timeout)))
            .await
    }

    /// `barrier.reset()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn reset_thread_barrier(&self, barrier: ThreadBarrierId) -> Gives<()> {
        self.call_only(ThreadCall::Barrier(ThreadBarrierCall::Reset(barrier)))
            .await
    }

    /// `barrier.abort()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn abort_thread_barrier(&self, barrier: ThreadBarrierId) -> Gives<()> {
        self.call_only(ThreadCall::Barrier(ThreadBarrierCall::Abort(barrier)))
            .await
    }

    /// `barrier.parties`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn thread_barrier_parties(&self, barrier: ThreadBarrierId) -> Gives<i64> {
        self.call_for_number(ThreadCall::Barrier(ThreadBarrierCall::Parties(barrier)))
            .await
    }

    /// `barrier.n_waiting`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn thread_barrier_waiting(&self, barrier: ThreadBarrierId) -> Gives<i64> {
        self.call_for_number(ThreadCall::Barrier(ThreadBarrierCall::Waiting(barrier)))
            .await
    }

    /// `barrier.broken`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn is_thread_barrier_broken(&self, barrier: ThreadBarrierId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Barrier(ThreadBarrierCall::Broken(barrier)))
            .await
    }

    /// `queue.Queue(maxsize)` and its two kin
    ///
    /// # Errors
    /// Never; with too many the run ends.
    pub async fn new_thread_queue(&self, order: QueueOrder, maxsize: i64) -> Gives<ThreadQueueId> {
        self.call_for(ThreadCall::Queue(ThreadQueueCall::New(order, maxsize)))
            .await
    }

    /// `queue.put(item, …)`
    ///
    /// # Errors
    /// It is full as long as the patience lasts, or shut down.
    pub async fn put_thread_queue(
        &self,
        queue: ThreadQueueId,
        item: impl Into<Value>,
        patience: Patience,
    ) -> Gives<()> {
        self.call_only(ThreadCall::Queue(ThreadQueueCall::Put(queue, patience, item.into())))
            .await
    }

    /// `queue.get(…)`
    ///
    /// # Errors
    /// It is empty as long as the patience lasts, or empty and shut down.
    pub async fn get_thread_queue(&self, queue: ThreadQueueId, patience: Patience) -> Outcome {
        self.call(ThreadCall::Queue(ThreadQueueCall::Get(queue, patience)))
            .await
    }

    /// `queue.task_done()`
    ///
    /// # Errors
    /// It was called as often as there were items.
    pub async fn thread_queue_task_done(&self, queue: ThreadQueueId) -> Gives<()> {
        self.call_only(ThreadCall::Queue(ThreadQueueCall::TaskDone(queue)))
            .await
    }

    /// `queue.join()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn join_thread_queue(&self, queue: ThreadQueueId) -> Gives<()> {
        self.call_only(ThreadCall::Queue(ThreadQueueCall::Join(queue))).await
    }

    /// `queue.qsize()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn thread_queue_size(&self, queue: ThreadQueueId) -> Gives<i64> {
        self.call_for_number(ThreadCall::Queue(ThreadQueueCall::Size(queue)))
            .await
    }

    /// `queue.empty()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn is_thread_queue_empty(&self, queue: ThreadQueueId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Queue(ThreadQueueCall::IsEmpty(queue)))
            .await
    }

    /// `queue.full()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn is_thread_queue_full(&self, queue: ThreadQueueId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Queue(ThreadQueueCall::IsFull(queue)))
            .await
    }

    /// `queue.shutdown(immediate)`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn shut_thread_queue_down(&self, queue: ThreadQueueId, immediate: bool) -> Gives<()> {
        self.call_only(ThreadCall::Queue(ThreadQueueCall::ShutDown(queue, immediate)))
            .await
    }
}
