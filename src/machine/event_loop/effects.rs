//! What a task or callback asks of its event loop: all of asyncio as two enums.
//!
//! An [`Awaitable`] may suspend the task; a [`LoopCall`] is done at once. Results and exceptions are CPython 3.14's,
//! with ids as [`Value::Handle`], times as whole nanoseconds and nothing as [`Value::None`].
//!
//! Not here: what they do.

use std::rc::Rc;

use super::ids::{
    AsCompletedId, BarrierId, CallbackId, ConditionId, ContextId, ContextVarId, CoroutineId, EventId, FutureId,
    GroupId, HandleId, LockId, QueueId, SemaphoreId, TimeoutId, TokenId, Waitable,
};
use crate::machine::threads::{ConcurrentFutureId, EndpointId, Submit};
use crate::machine::{Exception, Nanoseconds, Program, Value};

/// What may suspend a task. Whatever does not have to wait goes on without giving way, as in asyncio.
#[derive(Debug)]
pub enum Awaitable {
    /// `asyncio.sleep(delay)`; zero only gives way. Gives nothing.
    Sleep(Nanoseconds),
    /// `await future`, or `await task`. Gives its result, raises its exception.
    Future(FutureId),
    /// `await coroutine()`: runs as a part of this task. Gives what it returns. A second time is a `RuntimeError`.
    Coroutine(CoroutineId),
    /// `asyncio.wait(futures, …)`. Gives two lists: done and pending, both in the order given.
    Wait(Box<Wait>),
    /// `asyncio.wait_for(awaitable, delay)`; `None` never ends it.
    WaitFor(Box<(Waitable, Option<Nanoseconds>)>),
    /// The next of `async for future in as_completed(…)`: gives a future that is done. Own exception
    /// `StopAsyncIteration` after the last.
    NextCompleted(AsCompletedId),
    /// The next of `for coroutine in as_completed(…)`, awaited: gives its result. Own exception `StopIteration` after
    /// the last.
    NextResult(AsCompletedId),
    /// The end of `async with group`, with the exception that came out of the body. Gives nothing: the body's end
    /// stands, an exception of its own goes on.
    ExitGroup(GroupId, Option<Exception>),
    /// `lock.acquire()`. Gives true.
    Acquire(LockId),
    /// `event.wait()`. Gives true.
    WaitEvent(EventId),
    /// `condition.wait()`. Gives true.
    WaitCondition(ConditionId),
    /// `semaphore.acquire()`. Gives true.
    AcquireSemaphore(SemaphoreId),
    /// `barrier.wait()`. Gives the place in the order of arrival, from 0.
    WaitBarrier(BarrierId),
    /// `barrier.reset()`
    ResetBarrier(BarrierId),
    /// `barrier.abort()`
    AbortBarrier(BarrierId),
    /// `queue.put(item)`
    Put(QueueId, Value),
    /// `queue.get()`. Gives the item.
    Get(QueueId),
    /// `queue.join()`
    Join(QueueId),
    /// `asyncio.to_thread(function)`: runs on a thread of the default pool. Gives its result.
    ToThread(Box<dyn Program>),
    /// One request to an endpoint, which gives up after a time. Gives nothing.
    Request(EndpointId, Option<Nanoseconds>),
}

/// The arguments of `asyncio.wait`.
#[derive(Debug)]
pub struct Wait {
    /// What is waited for; one given twice counts once. None is a `ValueError`.
    pub of: Vec<FutureId>,
    /// When it is enough.
    pub until: Until,
    /// At most so long; then what is done is done, and nothing is cancelled.
    pub timeout: Option<Nanoseconds>,
}

/// When `asyncio.wait` has waited enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// All are done.
    #[default]
    AllCompleted,
    /// One is done.
    FirstCompleted,
    /// One has raised, or all are done.
    FirstException,
}

/// What a program asks of the running event loop, done at once.
#[derive(Debug)]
pub enum LoopCall {
    /// `loop.time()`
    Time,
    /// `loop.set_debug(…)`
    SetDebug(bool),
    /// `loop.slow_callback_duration = …`
    SetSlowCallbackDuration(Nanoseconds),
    /// `loop.set_task_factory(asyncio.eager_task_factory)`, or back to none.
    SetEagerTasks(bool),

    /// `loop.call_soon(callback, context=…)`. Gives a [`HandleId`]. A callback may do everything but await.
    CallSoon(Box<dyn Program>, Option<ContextId>),
    /// `loop.call_later(delay, callback)`. Gives a [`HandleId`].
    CallLater(Nanoseconds, Box<dyn Program>),
    /// `loop.call_at(when, callback)`. Gives a [`HandleId`].
    CallAt(Nanoseconds, Box<dyn Program>),
    /// `handle.cancel()`
    CancelHandle(HandleId),
    /// `handle.cancelled()`; false of one that has run, whatever was done to it later.
    HandleCancelled(HandleId),

    /// `loop.create_future()`, by what it is waited for. Gives a [`FutureId`]. One for input and output or another thread
    /// is settled by a post; cancelled before, it has the machine take the call back.
    CreateFuture(WaitsFor),
    /// `future.set_result(value)`
    SetResult(FutureId, Value),
    /// `future.set_exception(exception)`
    SetException(FutureId, Exception),
    /// `future.cancel(message)`, or `task.cancel(message)`. Gives whether it was asked for.
    Cancel(FutureId, Option<Rc<str>>),
    /// `future.done()`
    Done(FutureId),
    /// `future.cancelled()`
    Cancelled(FutureId),
    /// `future.result()`
    Result(FutureId),
    /// `future.exception()`: gives a [`Value::Exception`], or nothing if it ended well.
    Exception(FutureId),
    /// `future.add_done_callback(callback, context=…)`. Gives a [`CallbackId`].
    AddDoneCallback(FutureId, Box<dyn Program>, Option<ContextId>),
    /// `future.remove_done_callback(callback)`. Gives how many were removed.
    RemoveDoneCallback(FutureId, CallbackId),
    /// Nobody holds this future any more; an exception that was never retrieved is reported now, if it is done, or when
    /// it is. Its number may be used again.
    Forget(FutureId),

    /// `coroutine()` without `await`: gives a [`CoroutineId`]. By name, for the warning if it is never awaited.
    Coroutine(Box<dyn Program>, Option<Rc<str>>),
    /// Nobody holds this coroutine object any more: never awaited, it is warned of now. Gives nothing.
    DropCoroutine(CoroutineId),
    /// `asyncio.create_task(coroutine, …)`. Gives a [`FutureId`].
    CreateTask(Waitable, Option<Box<TaskOptions>>),
    /// `task.get_name()`
    Name(FutureId),
    /// `task.set_name(name)`
    SetName(FutureId, Rc<str>),
    /// `task.cancelling()`
    Cancelling(FutureId),
    /// `task.uncancel()`
    Uncancel(FutureId),
    /// `asyncio.current_task()`: nothing in a callback.
    CurrentTask,
    /// `asyncio.all_tasks()`, in the order of their making.
    AllTasks,
    /// `task.get_context()`. Gives a [`ContextId`].
    ContextOf(FutureId),

    /// `contextvars.ContextVar(default=…)`. Gives a [`ContextVarId`].
    NewVariable(Option<Box<Value>>),
    /// `variable.get()`; own exception `LookupError` without a value and a default.
    GetVariable(ContextVarId),
    /// `variable.set(value)`. Gives a [`TokenId`].
    SetVariable(ContextVarId, Value),
    /// `variable.reset(token)`
    ResetVariable(ContextVarId, TokenId),
    /// `contextvars.copy_context()`. Gives a [`ContextId`].
    CopyContext,
    /// The beginning of `context.run(…)`: what follows sees this context.
    EnterContext(ContextId),
    /// The end of `context.run(…)`.
    LeaveContext(ContextId),

    /// `asyncio.ensure_future(awaitable)`. Gives a [`FutureId`].
    EnsureFuture(Waitable),
    /// `asyncio.gather(*awaitables, return_exceptions=…)`. Gives a [`FutureId`]; its result is a list, in which
    /// exceptions are [`Value::Exception`].
    Gather(Vec<Waitable>, OnException),
    /// `asyncio.shield(awaitable)`. Gives a [`FutureId`].
    Shield(Waitable),
    /// `asyncio.as_completed(awaitables, timeout=…)`. Gives an [`AsCompletedId`].
    AsCompleted(Vec<Waitable>, Option<Nanoseconds>),
    /// How many an as-completed has still to give.
    CompletedLeft(AsCompletedId),

    /// `asyncio.TaskGroup()`. Gives a [`GroupId`].
    NewGroup,
    /// The beginning of `async with group`.
    EnterGroup(GroupId),
    /// `group.create_task(coroutine, …)`. Gives a [`FutureId`].
    CreateGroupTask(GroupId, Waitable, Option<Box<TaskOptions>>),

    /// `asyncio.timeout(delay)`; `None` never expires. Gives a [`TimeoutId`].
    NewTimeout(Option<Nanoseconds>),
    /// `asyncio.timeout_at(when)`. Gives a [`TimeoutId`].
    NewTimeoutAt(Option<Nanoseconds>),
    /// The beginning of `async with timeout`.
    EnterTimeout(TimeoutId),
    /// The end of `async with timeout`, with the exception that came out of the body. Raises what takes its place; gives
    /// nothing: the body's end stands, an exception of its own goes on.
    ExitTimeout(TimeoutId, Option<Exception>),
    /// `timeout.reschedule(when)`
    Reschedule(TimeoutId, Option<Nanoseconds>),
    /// `timeout.when()`
    When(TimeoutId),
    /// `timeout.expired()`
    Expired(TimeoutId),

    /// `asyncio.Lock()`. Gives a [`LockId`].
    NewLock,
    /// `lock.release()`
    Release(LockId),
    /// `lock.locked()`
    Locked(LockId),
    /// `asyncio.Event()`. Gives an [`EventId`].
    NewEvent,
    /// `event.set()`
    SetEvent(EventId),
    /// `event.clear()`
    ClearEvent(EventId),
    /// `event.is_set()`
    IsSet(EventId),
    /// `asyncio.Condition(lock)`. Gives a [`ConditionId`].
    NewCondition(Option<LockId>),
    /// The lock of a condition, which is acquired and released as any other. Gives a [`LockId`].
    LockOf(ConditionId),
    /// `condition.notify(n)`
    Notify(ConditionId, u32),
    /// `condition.notify_all()`
    NotifyAll(ConditionId),
    /// `asyncio.Semaphore(value)`, or `BoundedSemaphore` if true. Gives a [`SemaphoreId`].
    NewSemaphore(i64, bool),
    /// `semaphore.release()`
    ReleaseSemaphore(SemaphoreId),
    /// `semaphore.locked()`
    SemaphoreLocked(SemaphoreId),
    /// `asyncio.Barrier(parties)`. Gives a [`BarrierId`].
    NewBarrier(i64),
    /// `barrier.parties`
    BarrierParties(BarrierId),
    /// `barrier.n_waiting`
    BarrierWaiting(BarrierId),
    /// `barrier.broken`
    BarrierBroken(BarrierId),
    /// `asyncio.Queue(maxsize)` and its two kin. Gives a [`QueueId`].
    NewQueue(QueueOrder, i64),
    /// `queue.put_nowait(item)`
    PutNowait(QueueId, Value),
    /// `queue.get_nowait()`
    GetNowait(QueueId),
    /// `queue.task_done()`
    TaskDone(QueueId),
    /// `queue.qsize()`
    QueueSize(QueueId),
    /// `queue.empty()`
    QueueEmpty(QueueId),
    /// `queue.full()`
    QueueFull(QueueId),
    /// `queue.shutdown(immediate)`
    ShutdownQueue(QueueId, bool),

    /// `loop.run_in_executor(executor, function)`: the loop fills in whom to answer. Gives a [`FutureId`].
    RunInExecutor(Box<Submit>),
    /// `asyncio.wrap_future(future)`. Gives a [`FutureId`].
    WrapFuture(ConcurrentFutureId),
}

/// What becomes of a gather when one of its children raises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnException {
    /// It raises the same at once; the others go on.
    #[default]
    Raise,
    /// It is one of the results: `return_exceptions=True`.
    Return,
}

/// In which order a queue gives its items back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueOrder {
    /// First in, first out: `asyncio.Queue`.
    #[default]
    First,
    /// Last in, first out: `asyncio.LifoQueue`.
    Last,
    /// Smallest first: `asyncio.PriorityQueue`, of numbers and lists of them.
    Smallest,
}

/// What a plain future is waited for, for the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitsFor {
    /// Somebody of this loop's.
    #[default]
    Task,
    /// A network or a disk.
    Io,
    /// Another thread.
    Thread,
}

/// The optional arguments of `create_task`.
#[derive(Clone, Debug, Default)]
pub struct TaskOptions {
    /// `name`, else "Task-1" and so on.
    pub name: Option<Rc<str>>,
    /// `context`, else a copy of the current one.
    pub context: Option<ContextId>,
    /// `eager_start`, else as the loop is set.
    pub eager: Option<bool>,
}
