//! Pools and concurrent futures.
//!
//! Not here: `to_thread` and `run_in_executor`, which are the event loop's.

use super::{Gives, Here, program};
use crate::machine::event_loop::Until;
use crate::machine::threads::{
    CompletionsId, ConcurrentCall, ConcurrentFutureId, ExecutorId, NewPool, Payload, Pool, PoolCall, Shutdown, Submit,
    ThreadCall, WaitFutures, Work,
};
use crate::machine::{Exception, Nanoseconds, Outcome, Program, Value};

/// Futures that are done, and such as are not.
pub type DoneAndNotDone = (Vec<ConcurrentFutureId>, Vec<ConcurrentFutureId>);

/// How a pool's `map` goes over its items.
#[derive(Clone, Copy, Debug)]
pub struct MapOptions {
    /// How many items are one call, from 1.
    pub chunk: usize,
    /// How long all of it may take.
    pub timeout: Option<Nanoseconds>,
    /// What crosses for each item where workers share no memory.
    pub payload: Payload,
}

impl Default for MapOptions {
    /// One item a call, no limit, nothing to send.
    fn default() -> Self {
        Self {
            chunk: 1,
            timeout: None,
            payload: Payload::default(),
        }
    }
}

impl Here {
    /// `ThreadPoolExecutor(…)` and its two kin
    ///
    /// # Errors
    /// There are to be no workers.
    pub async fn new_pool(&self, new: NewPool) -> Gives<ExecutorId> {
        self.call_for(ThreadCall::Pool(PoolCall::New(Box::new(new)))).await
    }

    /// `executor.submit(body)`
    ///
    /// # Errors
    /// The pool was shut down or is broken.
    pub async fn submit<Running>(
        &self,
        pool: ExecutorId,
        body: impl FnOnce(Self) -> Running,
    ) -> Gives<ConcurrentFutureId>
    where
        Running: Future<Output = Outcome> + 'static,
    {
        self.submit_work(pool, Work::One(program(self, body)), Payload::default())
            .await
    }

    /// `executor.submit(…)` of one call or a chunk of several.
    ///
    /// # Errors
    /// The pool was shut down or is broken.
    pub async fn submit_work(&self, pool: ExecutorId, work: Work, payload: Payload) -> Gives<ConcurrentFutureId> {
        let submit = Submit {
            pool: Pool::Of(pool),
            work,
            payload,
            answer_to: None,
        };
        self.call_for(ThreadCall::Pool(PoolCall::Submit(Box::new(submit))))
            .await
    }

    /// `list(executor.map(…))`: all results, in the order of the items.
    ///
    /// # Errors
    /// The first that an item raises, in that order, or `Timeout`; calls that have not begun are then cancelled.
    pub async fn map(&self, pool: ExecutorId, items: Vec<Box<dyn Program>>, options: MapOptions) -> Gives<Vec<Value>> {
        let end = match options.timeout {
            Some(timeout) => Some(self.now().await + timeout),
            None => None,
        };
        let mut futures = Vec::new();
        let mut items = items.into_iter().peekable();
        while items.peek().is_some() {
            let chunk: Vec<Box<dyn Program>> = items.by_ref().take(options.chunk.max(1)).collect();
            let n_items = chunk.len() as u64;
            let payload = Payload {
                sent: options.payload.sent * n_items,
                returned: options.payload.returned * n_items,
            };
            futures.push(self.submit_work(pool, Work::Chunk(chunk), payload).await?);
        }
        let results = self.results_of(&futures, end).await;
        if results.is_err() {
            for future in futures {
                self.cancel_future(future).await?;
            }
        }
        results
    }

    async fn results_of(&self, futures: &[ConcurrentFutureId], end: Option<Nanoseconds>) -> Gives<Vec<Value>> {
        let mut results = Vec::new();
        for future in futures {
            let left = match end {
                Some(end) => Some(end.since(self.now().await)),
                None => None,
            };
            results.extend_from_slice(self.future_result(*future, left).await?.list());
        }
        Ok(results)
    }

    /// `executor.shutdown(wait=…, cancel_futures=…)`
    ///
    /// # Errors
    /// There is no such pool.
    pub async fn shut_pool_down(&self, pool: ExecutorId, wait: bool, cancel_futures: bool) -> Gives<()> {
        let shutdown = Shutdown {
            pool: Pool::Of(pool),
            wait,
            cancel_futures,
            answer_to: None,
        };
        self.call_only(ThreadCall::Pool(PoolCall::Shutdown(shutdown))).await
    }

    /// `Future()`, to be settled by hand.
    ///
    /// # Errors
    /// Never; with too many the run ends.
    pub async fn new_concurrent_future(&self) -> Gives<ConcurrentFutureId> {
        self.call_for(ThreadCall::Future(ConcurrentCall::New)).await
    }

    /// `future.result(timeout)`
    ///
    /// # Errors
    /// What the call raised, `Cancelled`, or `Timeout`.
    pub async fn future_result(&self, future: ConcurrentFutureId, timeout: Option<Nanoseconds>) -> Outcome {
        self.call(ThreadCall::Future(ConcurrentCall::Result(future, timeout)))
            .await
    }

    /// `future.exception(timeout)`
    ///
    /// # Errors
    /// `Cancelled`, or `Timeout`.
    pub async fn future_exception(
        &self,
        future: ConcurrentFutureId,
        timeout: Option<Nanoseconds>,
    ) -> Gives<Option<Exception>> {
        let value = self
            .call(ThreadCall::Future(ConcurrentCall::Exception(future, timeout)))
            .await?;
        Ok(match value {
            Value::Exception(exception) => Some(exception),
            _ => None,
        })
    }

    /// `future.cancel()`: whether it is cancelled.
    ///
    /// # Errors
    /// There is no such object.
    pub async fn cancel_future(&self, future: ConcurrentFutureId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Future(ConcurrentCall::Cancel(future)))
            .await
    }

    /// `future.cancelled()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn is_future_cancelled(&self, future: ConcurrentFutureId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Future(ConcurrentCall::Cancelled(future)))
            .await
    }

    /// `future.running()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn is_future_running(&self, future: ConcurrentFutureId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Future(ConcurrentCall::Running(future)))
            .await
    }

    /// `future.done()`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn is_future_done(&self, future: ConcurrentFutureId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Future(ConcurrentCall::Done(future)))
            .await
    }

    /// `future.set_running_or_notify_cancel()`: whether it is to be run.
    ///
    /// # Errors
    /// It runs or is done.
    pub async fn set_future_running(&self, future: ConcurrentFutureId) -> Gives<bool> {
        self.call_for_truth(ThreadCall::Future(ConcurrentCall::SetRunning(future)))
            .await
    }

    /// `future.set_result(value)`
    ///
    /// # Errors
    /// It is done.
    pub async fn set_future_result(&self, future: ConcurrentFutureId, value: impl Into<Value>) -> Gives<()> {
        self.call_only(ThreadCall::Future(ConcurrentCall::SetResult(future, value.into())))
            .await
    }

    /// `future.set_exception(exception)`
    ///
    /// # Errors
    /// It is done.
    pub async fn set_future_exception(&self, future: ConcurrentFutureId, exception: Exception) -> Gives<()> {
        self.call_only(ThreadCall::Future(ConcurrentCall::SetException(future, exception)))
            .await
    }

    /// `future.add_done_callback(callback)`
    ///
    /// # Errors
    /// There is no such object.
    pub async fn add_future_callback(&self, future: ConcurrentFutureId, callback: Box<dyn Program>) -> Gives<()> {
        self.call_only(ThreadCall::Future(ConcurrentCall::AddDoneCallback(future, callback)))
            .await
    }

    /// `concurrent.futures.wait(futures, timeout, return_when)`
    ///
    /// # Errors
    /// One of them does not exist.
    pub async fn wait_futures(
        &self,
        of: Vec<ConcurrentFutureId>,
        until: Until,
        timeout: Option<Nanoseconds>,
    ) -> Gives<DoneAndNotDone> {
        let wait = Box::new(WaitFutures { of, until, timeout });
        let lists = self.call(ThreadCall::Future(ConcurrentCall::Wait(wait))).await?;
        let ids = |value: Option<&Value>| {
            let values = value.map(Value::list).unwrap_or_default();
            values
                .iter()
                .map(ConcurrentFutureId::try_from)
                .collect::<Gives<Vec<ConcurrentFutureId>>>()
        };
        let (done, not_done) = (lists.list().first(), lists.list().get(1));
        Ok((ids(done)?, ids(not_done)?))
    }

    /// `concurrent.futures.as_completed(futures, timeout)`
    ///
    /// # Errors
    /// One of them does not exist.
    pub async fn futures_as_completed(
        &self,
        of: Vec<ConcurrentFutureId>,
        timeout: Option<Nanoseconds>,
    ) -> Gives<CompletionsId> {
        self.call_for(ThreadCall::Future(ConcurrentCall::AsCompleted(of, timeout)))
            .await
    }

    /// The next of these; none after the last.
    ///
    /// # Errors
    /// `Timeout`.
    pub async fn next_future(&self, of: CompletionsId) -> Gives<Option<ConcurrentFutureId>> {
        let next = self.call(ThreadCall::Future(ConcurrentCall::Next(of))).await?;
        if next == Value::None {
            Ok(None)
        } else {
            ConcurrentFutureId::try_from(next).map(Some)
        }
    }
}
