//! Blocks with a beginning and an end, as Python's `async with`: time limits, groups, locks, semaphores, contexts.
//!
//! The end comes whatever the body does, and is told what it raised.

use super::Gives;
use crate::machine::event_loop::{
    Awaitable, ConditionId, ContextId, FutureId, GroupId, LockId, LoopCall, SemaphoreId, TimeoutId, Waitable,
};
use crate::machine::front::{Here, program};
use crate::machine::{Exception, Nanoseconds, Outcome};

impl Here {
    /// `async with asyncio.timeout(delay)`
    ///
    /// # Errors
    /// `Timeout` if the time was over; else what the body raises.
    pub async fn timeout<T>(&self, delay: Nanoseconds, body: impl Future<Output = Gives<T>>) -> Gives<T> {
        let timeout = self.new_timeout(Some(delay)).await?;
        self.in_timeout(timeout, body).await
    }

    /// `asyncio.timeout(delay)`; none never expires.
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn new_timeout(&self, delay: Option<Nanoseconds>) -> Gives<TimeoutId> {
        self.make(LoopCall::NewTimeout(delay)).await
    }

    /// `asyncio.timeout_at(when)`; none never expires.
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn new_timeout_at(&self, when: Option<Nanoseconds>) -> Gives<TimeoutId> {
        self.make(LoopCall::NewTimeoutAt(when)).await
    }

    /// `async with timeout`
    ///
    /// # Errors
    /// `Timeout` if the time was over; else what the body raises. It can be entered once, by a task.
    pub async fn in_timeout<T>(&self, timeout: TimeoutId, body: impl Future<Output = Gives<T>>) -> Gives<T> {
        self.tell(LoopCall::EnterTimeout(timeout)).await?;
        let ended = body.await;
        let raised = ended.as_ref().err().cloned();
        self.tell(LoopCall::ExitTimeout(timeout, raised)).await?;
        ended
    }

    /// `timeout.reschedule(when)`
    ///
    /// # Errors
    /// It is not in its block, or the time is over.
    pub async fn reschedule(&self, timeout: TimeoutId, when: Option<Nanoseconds>) -> Gives<()> {
        self.tell(LoopCall::Reschedule(timeout, when)).await
    }

    /// `timeout.when()`
    ///
    /// # Errors
    /// There is no such time limit.
    pub async fn when(&self, timeout: TimeoutId) -> Gives<Option<Nanoseconds>> {
        let when = self.ask(LoopCall::When(timeout)).await?.int();
        Ok(when.map(|when| Nanoseconds(when.unsigned_abs())))
    }

    /// `timeout.expired()`
    ///
    /// # Errors
    /// There is no such time limit.
    pub async fn expired(&self, timeout: TimeoutId) -> Gives<bool> {
        self.is(LoopCall::Expired(timeout)).await
    }

    /// `async with asyncio.TaskGroup() as group`
    ///
    /// # Errors
    /// A group of what its tasks and the body raised; or the task is cancelled.
    pub async fn group<T>(&self, body: impl AsyncFnOnce(GroupId) -> Gives<T>) -> Gives<T> {
        let group = self.new_group().await?;
        self.in_group(group, body(group)).await
    }

    /// `asyncio.TaskGroup()`
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn new_group(&self) -> Gives<GroupId> {
        self.make(LoopCall::NewGroup).await
    }

    /// `async with group`
    ///
    /// # Errors
    /// A group of what its tasks and the body raised; or the task is cancelled. It can be entered once, by a task.
    pub async fn in_group<T>(&self, group: GroupId, body: impl Future<Output = Gives<T>>) -> Gives<T> {
        self.tell(LoopCall::EnterGroup(group)).await?;
        let ended = body.await;
        let raised = ended.as_ref().err().cloned();
        self.wait_on(Awaitable::ExitGroup(group, raised)).await?;
        ended
    }

    /// `group.create_task(coroutine)`
    ///
    /// # Errors
    /// The group was not entered, is shutting down or finished.
    pub async fn create_task_in(&self, group: GroupId, of: impl Into<Waitable>) -> Gives<FutureId> {
        self.make(LoopCall::CreateGroupTask(group, of.into(), None)).await
    }

    /// A task of an async closure in a group.
    ///
    /// # Errors
    /// The group was not entered, is shutting down or finished.
    pub async fn spawn_in<Body>(&self, group: GroupId, body: impl FnOnce(Here) -> Body) -> Gives<FutureId>
    where
        Body: Future<Output = Outcome> + 'static,
    {
        self.create_task_in(group, program(self, body)).await
    }

    /// `async with lock`
    ///
    /// # Errors
    /// What the body raises; or the task is cancelled while it waits.
    pub async fn lock<T>(&self, lock: LockId, body: impl Future<Output = Gives<T>>) -> Gives<T> {
        self.acquire(lock).await?;
        let ended = body.await;
        self.release(lock).await?;
        ended
    }

    /// `async with semaphore`
    ///
    /// # Errors
    /// What the body raises; or the task is cancelled while it waits.
    pub async fn semaphore<T>(&self, semaphore: SemaphoreId, body: impl Future<Output = Gives<T>>) -> Gives<T> {
        self.acquire_semaphore(semaphore).await?;
        let ended = body.await;
        self.release_semaphore(semaphore).await?;
        ended
    }

    /// `async with condition`
    ///
    /// # Errors
    /// What the body raises; or the task is cancelled while it waits.
    pub async fn condition<T>(&self, condition: ConditionId, body: impl Future<Output = Gives<T>>) -> Gives<T> {
        let lock = self.lock_of(condition).await?;
        self.lock(lock, body).await
    }

    /// `context.run(…)` around a body that does not wait.
    ///
    /// # Errors
    /// What the body raises; or the context is entered already.
    pub async fn in_context<T>(&self, context: ContextId, body: impl Future<Output = Gives<T>>) -> Gives<T> {
        self.tell(LoopCall::EnterContext(context)).await?;
        let ended = body.await;
        self.tell(LoopCall::LeaveContext(context)).await?;
        ended
    }

    /// What is raised in a body while another exception is being handled, as Python links them.
    #[must_use]
    pub fn while_handling(handled: &Exception, raised: Exception) -> Exception {
        raised.set_context(Some(handled.clone()));
        raised
    }
}
