//! The client of many slow requests: it makes them in one of seven ways, and writes down what became of each.
//!
//! One program for both halves of its lab: the machine runs it in virtual time, and on the real clock a worker does, but
//! for pools, whose workers make their requests without it.
//!
//! Not here: the other side (`machine::threads::network` there, `network` here), and what the numbers mean.

mod batch;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::machine::event_loop::{SemaphoreId, Until, Waitable};
use crate::machine::front::{self, Here};
use crate::machine::threads::{EndpointId, Failures, Latency, NewEndpoint, NewPool, Workers};
use crate::machine::{Exception, Kind, Nanoseconds, Note, Outcome, Program, Value};
use crate::wire::Sabotage;

pub use batch::{Batch, How};

type Tried<T = ()> = Result<T, Exception>;

/// What the client wrote down.
#[derive(Debug, Default)]
pub struct Book {
    /// Whom it asked.
    pub endpoint: Cell<Option<EndpointId>>,
    /// How long each answered request took, from its own start, with its retries.
    pub took: RefCell<Vec<Nanoseconds>>,
    /// Requests given up after their own time.
    pub n_timeouts: Cell<u32>,
    /// Requests that failed or were refused.
    pub n_failed: Cell<u32>,
    /// When the whole batch was given up.
    pub gave_up: Cell<Option<Nanoseconds>>,
}

/// The main program: of a thread, or of an event loop where requests are tasks.
pub fn main(here: &Here, batch: Batch, book: &Rc<Book>) -> Box<dyn Program> {
    let book = Rc::clone(book);
    front::program(here, move |here| async move {
        let endpoint = here
            .new_endpoint(NewEndpoint {
                latency: Latency::Fixed(batch.delay),
                capacity: batch.capacity,
                backlog: batch.backlog,
                failures: if batch.failing > 0 {
                    Failures::First(batch.failing)
                } else {
                    Failures::None
                },
            })
            .await?;
        book.endpoint.set(Some(endpoint));
        let client = Client {
            here,
            batch,
            endpoint,
            book,
        };
        match batch.how {
            How::OneByOne => client.one_by_one().await,
            How::Pool { processes } => client.pooled(processes).await?,
            How::Tasks | How::Limited | How::Blocking | How::ToThread => client.grouped().await?,
            How::GatherToThread => client.gathered().await?,
        }
        Ok(Value::None)
    })
}

#[derive(Clone)]
struct Client {
    here: Here,
    batch: Batch,
    endpoint: EndpointId,
    book: Rc<Book>,
}

impl Client {
    /// A plain loop goes on after an error, and nothing in it looks at a deadline while it waits.
    async fn one_by_one(&self) {
        for _ in 0..self.batch.requests {
            // Written down already.
            let _ = self.blocking().await;
        }
    }

    async fn pooled(&self, processes: bool) -> Tried {
        let here = &self.here;
        let start = here.now().await;
        let workers = if processes {
            Workers::Processes(self.batch.start_method)
        } else {
            Workers::Threads
        };
        let pool = here
            .new_pool(NewPool {
                workers,
                max_workers: Some(self.batch.workers),
                name: Some("worker".to_owned()),
                ..NewPool::default()
            })
            .await?;
        let mut futures = Vec::new();
        for _ in 0..self.batch.requests {
            let client = self.clone();
            futures.push(here.submit(pool, |_| async move { client.blocking().await }).await?);
        }
        let spent = here.now().await.since(start);
        let left = self.batch.deadline.map(|deadline| deadline.since(spent));
        let (_, open) = here.wait_futures(futures, Until::AllCompleted, left).await?;
        if !open.is_empty() {
            self.book.gave_up.set(Some(here.now().await));
        }
        // Calls that have not begun can be cancelled; those that have are waited for.
        here.shut_pool_down(pool, true, !open.is_empty()).await
    }

    async fn grouped(&self) -> Tried {
        let here = &self.here;
        let places = here.new_semaphore(self.batch.limit.into()).await?;
        let group = here.group(async |group| {
            for _ in 0..self.batch.requests {
                let client = self.clone();
                here.spawn_in(group, |_| async move { client.task(places).await })
                    .await?;
            }
            Ok(())
        });
        self.in_time(group).await
    }

    async fn gathered(&self) -> Tried {
        let one = || {
            let client = self.clone();
            Waitable::from(front::program(
                &self.here,
                |_| async move { client.handed_over().await },
            ))
        };
        let all = (0..self.batch.requests).map(|_| one()).collect();
        self.in_time(async { self.here.gather(all).await.map(|_| ()) }).await
    }

    /// The batch within its deadline. What a request raised ends the batch, and is written down already.
    async fn in_time(&self, batch: impl Future<Output = Tried>) -> Tried {
        let timeout = self.here.new_timeout(self.batch.deadline).await?;
        let ended = self.here.in_timeout(timeout, batch).await;
        if self.here.expired(timeout).await? {
            self.book.gave_up.set(Some(self.here.now().await));
        }
        match ended {
            Err(exception) if exception.is_cancelled() => Err(exception),
            _ => Ok(()),
        }
    }

    async fn task(self, places: SemaphoreId) -> Outcome {
        match self.batch.how {
            How::Limited => self.here.semaphore(places, self.awaiting()).await,
            How::Blocking if self.batch.sabotage != Some(Sabotage::CallThatDoesNotBlock) => self.blocking().await,
            How::ToThread => self.handed_over().await,
            _ => self.awaiting().await,
        }
    }

    /// `await asyncio.to_thread(fetch, url)`
    async fn handed_over(&self) -> Outcome {
        let client = self.clone();
        self.here.to_thread(|_| async move { client.blocking().await }).await
    }

    /// A request that its whole thread waits for, under a name by which a stall can be explained.
    async fn blocking(&self) -> Outcome {
        self.here.note(Note::Doing("requests.get")).await;
        self.here.note(Note::Line(line!() + 1)).await;
        self.written_down(async || self.here.request(self.endpoint, self.batch.patience).await)
            .await
    }

    /// A request that its task waits for.
    async fn awaiting(&self) -> Outcome {
        self.written_down(async || self.here.request_async(self.endpoint, self.batch.patience).await)
            .await
    }

    /// One request with its retries, and what became of it.
    async fn written_down(&self, request: impl AsyncFn() -> Outcome) -> Outcome {
        let start = self.here.now().await;
        let mut retries = self.batch.retries;
        loop {
            let Err(exception) = request().await else {
                let took = self.here.now().await.since(start);
                self.book.took.borrow_mut().push(took);
                return Ok(Value::None);
            };
            let counter = match exception.kind() {
                Kind::Timeout => &self.book.n_timeouts,
                Kind::Connection => &self.book.n_failed,
                // Cancelled: it is none of this request's doing.
                _ => return Err(exception),
            };
            if retries == 0 {
                counter.set(counter.get() + 1);
                return if self.batch.keeps_errors {
                    Ok(Value::None)
                } else {
                    Err(exception)
                };
            }
            retries -= 1;
        }
    }
}
