//! What an `async fn` asks of its event loop: asyncio by its own names, with blocks where Python has `async with`.
//!
//! Worked example: `here.timeout(delay, async { here.sleep(longer).await }).await` is
//! `async with asyncio.timeout(delay): await asyncio.sleep(longer)`, and raises `TimeoutError`.
//!
//! Every call raises what asyncio raises. Outside an event loop every one of them raises.

mod objects;
mod scopes;

use std::rc::Rc;

use super::{Here, program};
use crate::machine::event_loop::{
    AsCompletedId, Awaitable, CallbackId, ContextId, ContextVarId, CoroutineId, FutureId, HandleId, LoopCall,
    OnException, TaskOptions, TokenId, Until, Wait, Waitable, WaitsFor,
};
use crate::machine::threads::{EndpointId, Submit};
use crate::machine::{Effect, Exception, Nanoseconds, Outcome, Program, Value};

/// What a call gives that cannot give anything else.
type Gives<T> = Result<T, Exception>;

impl Here {
    /// One call of the event loop's.
    ///
    /// # Errors
    /// What the call raises.
    pub async fn ask(&self, call: LoopCall) -> Outcome {
        self.act(Effect::Loop(call)).await
    }

    /// One await.
    ///
    /// # Errors
    /// What it raises, or the task is cancelled.
    pub async fn wait_on(&self, awaitable: Awaitable) -> Outcome {
        self.act(Effect::Await(awaitable)).await
    }

    async fn make<T: TryFrom<Value, Error = Exception>>(&self, call: LoopCall) -> Gives<T> {
        T::try_from(self.act(Effect::Loop(call)).await?)
    }

    async fn is(&self, call: LoopCall) -> Gives<bool> {
        self.act(Effect::Loop(call)).await.map(|value| value.is_true())
    }

    async fn count(&self, call: LoopCall) -> Gives<i64> {
        Ok(self.act(Effect::Loop(call)).await?.int().unwrap_or_default())
    }

    async fn tell(&self, call: LoopCall) -> Gives<()> {
        self.act(Effect::Loop(call)).await.map(|_| ())
    }

    /// `asyncio.sleep`: the task waits, the loop goes on. Zero or less only gives way.
    ///
    /// # Errors
    /// The task is cancelled.
    pub async fn sleep(&self, delay: Nanoseconds) -> Outcome {
        self.act(Effect::Await(Awaitable::Sleep(delay))).await
    }

    /// `loop.time()`
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn time(&self) -> Gives<Nanoseconds> {
        Ok(Nanoseconds(self.count(LoopCall::Time).await?.unsigned_abs()))
    }

    /// A coroutine object of an async closure, to be awaited or made a task of.
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn coroutine<Body>(&self, name: &str, body: impl FnOnce(Here) -> Body) -> Gives<CoroutineId>
    where
        Body: Future<Output = Outcome> + 'static,
    {
        self.make(LoopCall::Coroutine(program(self, body), Some(name.into())))
            .await
    }

    /// `await coroutine`
    ///
    /// # Errors
    /// What it raises; or it was awaited before.
    pub async fn await_coroutine(&self, coroutine: CoroutineId) -> Outcome {
        self.wait_on(Awaitable::Coroutine(coroutine)).await
    }

    /// `asyncio.create_task(coroutine)`
    ///
    /// # Errors
    /// It is no coroutine, or one that was awaited.
    pub async fn create_task(&self, of: impl Into<Waitable>) -> Gives<FutureId> {
        self.make(LoopCall::CreateTask(of.into(), None)).await
    }

    /// `asyncio.create_task(coroutine, name=…, context=…, eager_start=…)`
    ///
    /// # Errors
    /// It is no coroutine, or one that was awaited; or there is no such context.
    pub async fn create_task_with(&self, of: impl Into<Waitable>, options: TaskOptions) -> Gives<FutureId> {
        self.make(LoopCall::CreateTask(of.into(), Some(Box::new(options))))
            .await
    }

    /// A task of an async closure.
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn spawn<Body>(&self, body: impl FnOnce(Here) -> Body) -> Gives<FutureId>
    where
        Body: Future<Output = Outcome> + 'static,
    {
        self.create_task(program(self, body)).await
    }

    /// A task of an async closure, with a name.
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn spawn_named<Body>(&self, name: &str, body: impl FnOnce(Here) -> Body) -> Gives<FutureId>
    where
        Body: Future<Output = Outcome> + 'static,
    {
        let options = TaskOptions {
            name: Some(name.into()),
            ..TaskOptions::default()
        };
        self.create_task_with(program(self, body), options).await
    }

    /// `await future`, or `await task`.
    ///
    /// # Errors
    /// What it raises, or the task that awaits it is cancelled.
    pub async fn join(&self, future: FutureId) -> Outcome {
        self.wait_on(Awaitable::Future(future)).await
    }

    /// `task.cancel(message)`: whether it was asked for.
    ///
    /// # Errors
    /// There is no such future.
    pub async fn cancel(&self, future: FutureId, message: Option<&str>) -> Gives<bool> {
        self.is(LoopCall::Cancel(future, message.map(Rc::from))).await
    }

    /// `task.cancelling()`
    ///
    /// # Errors
    /// It is no task.
    pub async fn cancelling(&self, task: FutureId) -> Gives<i64> {
        self.count(LoopCall::Cancelling(task)).await
    }

    /// `task.uncancel()`
    ///
    /// # Errors
    /// It is no task.
    pub async fn uncancel(&self, task: FutureId) -> Gives<i64> {
        self.count(LoopCall::Uncancel(task)).await
    }

    /// `asyncio.current_task()`
    ///
    /// # Errors
    /// This is no task.
    pub async fn current_task(&self) -> Gives<FutureId> {
        self.make(LoopCall::CurrentTask).await
    }

    /// `asyncio.all_tasks()`, in the order of their making.
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn all_tasks(&self) -> Gives<Vec<FutureId>> {
        futures_of(&self.ask(LoopCall::AllTasks).await?)
    }

    /// `task.get_name()`
    ///
    /// # Errors
    /// It is no task.
    pub async fn name(&self, task: FutureId) -> Gives<Rc<str>> {
        match self.ask(LoopCall::Name(task)).await? {
            Value::Text(name) => Ok(name),
            other => Err(Exception::own("TypeError", other)),
        }
    }

    /// `task.set_name(name)`
    ///
    /// # Errors
    /// It is no task.
    pub async fn set_name(&self, task: FutureId, name: &str) -> Gives<()> {
        self.tell(LoopCall::SetName(task, name.into())).await
    }

    /// `loop.create_future()`
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn create_future(&self) -> Gives<FutureId> {
        self.make(LoopCall::CreateFuture(WaitsFor::Task)).await
    }

    /// `future.set_result(value)`
    ///
    /// # Errors
    /// It is done.
    pub async fn set_result(&self, future: FutureId, value: impl Into<Value>) -> Gives<()> {
        self.tell(LoopCall::SetResult(future, value.into())).await
    }

    /// `future.set_exception(exception)`
    ///
    /// # Errors
    /// It is done.
    pub async fn set_exception(&self, future: FutureId, exception: Exception) -> Gives<()> {
        self.tell(LoopCall::SetException(future, exception)).await
    }

    /// `future.done()`
    ///
    /// # Errors
    /// There is no such future.
    pub async fn done(&self, future: FutureId) -> Gives<bool> {
        self.is(LoopCall::Done(future)).await
    }

    /// `future.cancelled()`
    ///
    /// # Errors
    /// There is no such future.
    pub async fn cancelled(&self, future: FutureId) -> Gives<bool> {
        self.is(LoopCall::Cancelled(future)).await
    }

    /// `future.result()`
    ///
    /// # Errors
    /// What it raised; or it is not done.
    pub async fn result(&self, future: FutureId) -> Outcome {
        self.ask(LoopCall::Result(future)).await
    }

    /// `future.exception()`
    ///
    /// # Errors
    /// It was cancelled, or is not done.
    pub async fn exception(&self, future: FutureId) -> Gives<Option<Exception>> {
        match self.ask(LoopCall::Exception(future)).await? {
            Value::Exception(exception) => Ok(Some(exception)),
            _ => Ok(None),
        }
    }

    /// `future.add_done_callback(callback)`
    ///
    /// # Errors
    /// There is no such future.
    pub async fn add_done_callback(&self, future: FutureId, callback: Box<dyn Program>) -> Gives<CallbackId> {
        self.make(LoopCall::AddDoneCallback(future, callback, None)).await
    }

    /// `future.remove_done_callback(callback)`: how many were removed.
    ///
    /// # Errors
    /// There is no such future.
    pub async fn remove_done_callback(&self, future: FutureId, callback: CallbackId) -> Gives<i64> {
        self.count(LoopCall::RemoveDoneCallback(future, callback)).await
    }

    /// Nobody here holds this future any more: its memory is free when it is done.
    ///
    /// # Errors
    /// There is no such future.
    pub async fn forget(&self, future: FutureId) -> Gives<()> {
        self.tell(LoopCall::Forget(future)).await
    }

    /// `loop.call_soon(callback)`
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn call_soon(&self, callback: Box<dyn Program>) -> Gives<HandleId> {
        self.make(LoopCall::CallSoon(callback, None)).await
    }

    /// `loop.call_later(delay, callback)`
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn call_later(&self, delay: Nanoseconds, callback: Box<dyn Program>) -> Gives<HandleId> {
        self.make(LoopCall::CallLater(delay, callback)).await
    }

    /// `loop.call_at(when, callback)`
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn call_at(&self, when: Nanoseconds, callback: Box<dyn Program>) -> Gives<HandleId> {
        self.make(LoopCall::CallAt(when, callback)).await
    }

    /// `handle.cancel()`
    ///
    /// # Errors
    /// There is no such handle.
    pub async fn cancel_handle(&self, handle: HandleId) -> Gives<()> {
        self.tell(LoopCall::CancelHandle(handle)).await
    }

    /// `await asyncio.gather(*awaitables)`: the results, in the order given.
    ///
    /// # Errors
    /// The first that is raised; or the task is cancelled, and with it all of them.
    pub async fn gather(&self, of: Vec<Waitable>) -> Outcome {
        let outer = self.gather_future(of, OnException::Raise).await?;
        self.join(outer).await
    }

    /// `asyncio.gather(*awaitables, return_exceptions=…)`, not yet awaited.
    ///
    /// # Errors
    /// There is no such future, or a coroutine was awaited before.
    pub async fn gather_future(&self, of: Vec<Waitable>, on_exception: OnException) -> Gives<FutureId> {
        self.make(LoopCall::Gather(of, on_exception)).await
    }

    /// `asyncio.shield(awaitable)`, not yet awaited.
    ///
    /// # Errors
    /// There is no such future, or the coroutine was awaited before.
    pub async fn shield(&self, of: impl Into<Waitable>) -> Gives<FutureId> {
        self.make(LoopCall::Shield(of.into())).await
    }

    /// `asyncio.wait(futures, timeout=…, return_when=…)`: done and pending.
    ///
    /// # Errors
    /// There is none to wait for; or the task is cancelled.
    pub async fn wait(
        &self,
        of: &[FutureId],
        until: Until,
        timeout: Option<Nanoseconds>,
    ) -> Gives<(Vec<FutureId>, Vec<FutureId>)> {
        let wait = Wait {
            of: of.to_vec(),
            until,
            timeout,
        };
        match self.wait_on(Awaitable::Wait(Box::new(wait))).await?.list() {
            [done, pending] => Ok((futures_of(done)?, futures_of(pending)?)),
            _ => Ok((Vec::new(), Vec::new())),
        }
    }

    /// `asyncio.wait_for(awaitable, timeout)`
    ///
    /// # Errors
    /// What it raises; `Timeout` if the time was over; or the task is cancelled.
    pub async fn wait_for(&self, of: impl Into<Waitable>, timeout: Option<Nanoseconds>) -> Outcome {
        self.wait_on(Awaitable::WaitFor(Box::new((of.into(), timeout)))).await
    }

    /// `asyncio.as_completed(awaitables, timeout=…)`
    ///
    /// # Errors
    /// There is no such future, or a coroutine was awaited before.
    pub async fn as_completed(&self, of: Vec<Waitable>, timeout: Option<Nanoseconds>) -> Gives<AsCompletedId> {
        self.make(LoopCall::AsCompleted(of, timeout)).await
    }

    /// The next of `async for`: a future that is done, or none after the last.
    ///
    /// # Errors
    /// The time was over; or the task is cancelled.
    pub async fn next_completed(&self, of: AsCompletedId) -> Gives<Option<FutureId>> {
        if self.count(LoopCall::CompletedLeft(of)).await? == 0 {
            return Ok(None);
        }
        let next = self.wait_on(Awaitable::NextCompleted(of)).await?;
        FutureId::try_from(next).map(Some)
    }

    /// The next of a plain `for`, awaited: a result, or none after the last.
    ///
    /// # Errors
    /// What it raises; the time was over; or the task is cancelled.
    pub async fn next_result(&self, of: AsCompletedId) -> Gives<Option<Value>> {
        if self.count(LoopCall::CompletedLeft(of)).await? == 0 {
            return Ok(None);
        }
        self.wait_on(Awaitable::NextResult(of)).await.map(Some)
    }

    /// `await asyncio.to_thread(function)`
    ///
    /// # Errors
    /// What the function raises; or the task is cancelled, which does not stop a thread.
    pub async fn to_thread<Body>(&self, function: impl FnOnce(Here) -> Body) -> Outcome
    where
        Body: Future<Output = Outcome> + 'static,
    {
        self.wait_on(Awaitable::ToThread(program(self, function))).await
    }

    /// `loop.run_in_executor(…)`, not yet awaited.
    ///
    /// # Errors
    /// The pool was shut down.
    pub async fn run_in_executor(&self, submit: Submit) -> Gives<FutureId> {
        self.make(LoopCall::RunInExecutor(Box::new(submit))).await
    }

    /// One request to an endpoint.
    ///
    /// # Errors
    /// It fails, it takes too long, or the task is cancelled.
    pub async fn request_async(&self, endpoint: EndpointId, timeout: Option<Nanoseconds>) -> Outcome {
        self.wait_on(Awaitable::Request(endpoint, timeout)).await
    }

    /// `contextvars.ContextVar(default=…)`
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn new_variable(&self, default: Option<Value>) -> Gives<ContextVarId> {
        self.make(LoopCall::NewVariable(default.map(Box::new))).await
    }

    /// `variable.get()`
    ///
    /// # Errors
    /// It has no value and no default.
    pub async fn get_variable(&self, variable: ContextVarId) -> Outcome {
        self.ask(LoopCall::GetVariable(variable)).await
    }

    /// `variable.set(value)`
    ///
    /// # Errors
    /// There is no such variable.
    pub async fn set_variable(&self, variable: ContextVarId, value: impl Into<Value>) -> Gives<TokenId> {
        self.make(LoopCall::SetVariable(variable, value.into())).await
    }

    /// `variable.reset(token)`
    ///
    /// # Errors
    /// The token was used, or is another variable's.
    pub async fn reset_variable(&self, variable: ContextVarId, token: TokenId) -> Gives<()> {
        self.tell(LoopCall::ResetVariable(variable, token)).await
    }

    /// `contextvars.copy_context()`
    ///
    /// # Errors
    /// There is no event loop.
    pub async fn copy_context(&self) -> Gives<ContextId> {
        self.make(LoopCall::CopyContext).await
    }
}

fn futures_of(list: &Value) -> Gives<Vec<FutureId>> {
    list.list().iter().map(FutureId::try_from).collect()
}
