//! The service on the machine: a few requests, each on its thread or in its task, and what each took.
//!
//! Not here: which requests arrive (`cases`), and any number.

use std::cell::RefCell;
use std::rc::Rc;

use super::service::{CALL, Database, Heavy, Kind, QUERY, Service};
use crate::machine::event_loop::{LoopCall, SemaphoreId, TaskOptions, Until};
use crate::machine::front::{self, Here, MapOptions};
use crate::machine::threads::{
    ExecutorId, Failures, Latency, NewEndpoint, NewPool, Patience, Payload, Pool, StartMethod, Submit, ThreadId,
    ThreadSemaphoreId, Work, Workers,
};
use crate::machine::{Exception, Nanoseconds, Note, Outcome, Program, Value};
use crate::wire::{Runtime, Sabotage};

type Tried<T = ()> = Result<T, Exception>;

/// The names of threads that each hold one request for a synchronous middleware.
pub const MIDDLEWARE: &str = "middleware";

/// How many calls a synchronous view makes at once.
const VIEW_POOL: u32 = 2;

/// One request that arrives.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// When, after the first could.
    pub at: Nanoseconds,
    /// What it takes against the mean, in units of 2⁻²⁴.
    pub factor: u64,
    /// Whether its calls block the loop.
    pub blocks: bool,
    /// Whether it computes what the service computes.
    pub computes: bool,
    /// Whether it counts: of a scene about what one request does to others, only the others do.
    pub counts: bool,
}

/// What is played.
#[derive(Debug)]
pub struct Play {
    /// The service.
    pub service: Service,
    /// Whether its worker is a pool of so many processes instead of threads.
    pub processes: Option<u32>,
    /// What arrives, in the order of time.
    pub due: Vec<Due>,
}

/// What was written down.
#[derive(Debug, Default)]
pub struct Book {
    /// What each request that counts took, by its place in the order of arrival.
    pub took: RefCell<Vec<(usize, Nanoseconds)>>,
    /// When a library refused to block the loop.
    pub refused: RefCell<Vec<Nanoseconds>>,
}

/// The program of the first thread.
pub fn main(here: &Here, play: Play, book: &Rc<Book>) -> Box<dyn Program> {
    let (play, book) = (Rc::new(play), Rc::clone(book));
    front::program(here, move |here| async move {
        match play.service.kind {
            Kind::Wsgi => on_threads(here, play, book).await?,
            Kind::Asgi => on_loop(here, play, book).await?,
        }
        Ok(Value::None)
    })
}

/// What every request of a loop needs.
#[derive(Clone)]
struct Site {
    here: Here,
    play: Rc<Play>,
    book: Rc<Book>,
    start: Nanoseconds,
    loop_thread: ThreadId,
    connections: SemaphoreId,
    helper: Option<ExecutorId>,
    middleware: Option<ExecutorId>,
    queue: Option<ExecutorId>,
}

async fn on_loop(here: Here, play: Rc<Play>, book: Rc<Book>) -> Tried {
    let service = play.service;
    let n_due = u32::try_from(play.due.len()).unwrap_or(u32::MAX).max(1);
    let helper = match service.database {
        Database::SyncToAsync => Some(threads(&here, 1, "sync_to_async").await?),
        _ => None,
    };
    let middleware = if service.sync_middleware {
        Some(threads(&here, n_due, MIDDLEWARE).await?)
    } else {
        None
    };
    let site = Site {
        connections: here.new_semaphore(service.connections.into()).await?,
        queue: queue(&here, &play).await?,
        loop_thread: here.current_thread().await?,
        start: here.now().await,
        here,
        play,
        book,
        helper,
        middleware,
    };
    let here = &site.here;
    here.group(async |group| {
        for (number, due) in site.play.due.iter().copied().enumerate() {
            let early = (site.start + due.at).since(here.now().await);
            if early > Nanoseconds::ZERO {
                here.sleep(early).await?;
            }
            let handler = site.clone();
            let program = front::program(here, |_| async move { handler.handle(number, due).await });
            let options = TaskOptions {
                name: Some(format!("request {}", number + 1).into()),
                ..TaskOptions::default()
            };
            here.ask(LoopCall::CreateGroupTask(
                group,
                program.into(),
                Some(Box::new(options)),
            ))
            .await?;
        }
        Ok(())
    })
    .await?;
    for pool in [site.helper, site.middleware, site.queue].into_iter().flatten() {
        here.shut_pool_down(pool, true, false).await?;
    }
    Ok(())
}

impl Site {
    async fn handle(self, number: usize, due: Due) -> Outcome {
        let here = &self.here;
        if let Some(pool) = self.middleware {
            // A synchronous middleware calls on as if all were synchronous: its thread waits for the view on the loop.
            let (view, thread) = (self.clone(), self.loop_thread);
            let call = front::program(here, |here| async move {
                let view = here.run_threadsafe(thread, |_| async move { view.view(due).await.map(|()| Value::None) });
                let view = view.await?;
                here.future_result(view, None).await
            });
            self.elsewhere(pool, call).await?;
        } else {
            self.view(due).await?;
        }
        let took = here.now().await.since(self.start + due.at);
        if due.counts {
            self.book.took.borrow_mut().push((number, took));
        }
        Ok(Value::None)
    }

    async fn view(&self, due: Due) -> Tried {
        self.calls(due).await?;
        self.queries(due).await?;
        self.computing(due).await
    }

    async fn calls(&self, due: Due) -> Tried {
        let (here, service) = (&self.here, self.play.service);
        let in_line = service.has(Sabotage::GroupThatRunsOneAfterAnother);
        if due.blocks || service.has(Sabotage::AwaitThatBlocks) {
            for _ in 0..service.calls {
                if !service.has(Sabotage::CallThatDoesNotBlock) {
                    here.note(Note::Doing("requests.get")).await;
                    here.note(Note::Line(line!() + 1)).await;
                    call(here, due).await?;
                }
            }
            return Ok(());
        }
        if !service.at_once || in_line {
            for _ in 0..service.calls {
                call_async(here, due).await?;
            }
            return Ok(());
        }
        here.group(async |group| {
            for _ in 0..service.calls {
                here.spawn_in(group, |here| async move { call_async(&here, due).await })
                    .await?;
            }
            Ok(())
        })
        .await
    }

    /// All queries of a view, at once.
    async fn queries(&self, due: Due) -> Tried {
        let here = &self.here;
        match self.play.service.database {
            Database::None => Ok(()),
            Database::Refused => {
                // The model class looks whether a loop runs on its thread, and raises before it asks anything.
                let now = here.now().await;
                self.book.refused.borrow_mut().push(now);
                Ok(())
            }
            Database::Sync => {
                for _ in 0..self.play.service.queries {
                    here.note(Note::Doing("cursor.execute")).await;
                    here.note(Note::Line(line!() + 1)).await;
                    query(here, self.play.service, due).await;
                }
                Ok(())
            }
            Database::Async | Database::SyncToAsync if self.play.service.queries == 1 => {
                self.query(due).await.map(|_| ())
            }
            Database::Async | Database::SyncToAsync => {
                here.group(async |group| {
                    for _ in 0..self.play.service.queries {
                        let site = self.clone();
                        here.spawn_in(group, |_| async move { site.query(due).await }).await?;
                    }
                    Ok(())
                })
                .await
            }
        }
    }

    async fn query(&self, due: Due) -> Outcome {
        let (here, service) = (&self.here, self.play.service);
        match self.helper {
            // The thread is taken first: what waits for it holds no connection.
            Some(pool) => {
                let call = front::program(here, |here| async move {
                    query(&here, service, due).await;
                    Ok(Value::None)
                });
                self.elsewhere(pool, call).await
            }
            None => {
                here.semaphore(self.connections, here.sleep(by_factor(QUERY, due)))
                    .await
            }
        }
    }

    async fn computing(&self, due: Due) -> Tried {
        let (here, service) = (&self.here, self.play.service);
        let cost = cost(service, due);
        if !due.computes || cost == Nanoseconds::ZERO {
            return Ok(());
        }
        let inline = service.has(Sabotage::ToThreadThatBlocks);
        match (service.heavy, self.queue) {
            (Heavy::Thread, _) if !inline => {
                let call = |here: Here| async move {
                    here.compute(cost).await;
                    Ok(Value::None)
                };
                here.to_thread(call).await.map(|_| ())
            }
            // The row is written, and only then is the job put in: a worker that is quick finds it.
            (Heavy::Queue, Some(queue)) if !inline => enqueue(here, queue, cost).await,
            _ => {
                here.note(Note::Doing("render_report")).await;
                here.note(Note::Line(line!() + 1)).await;
                here.compute(cost).await;
                Ok(())
            }
        }
    }

    async fn elsewhere(&self, pool: ExecutorId, call: Box<dyn Program>) -> Outcome {
        let submit = Submit {
            pool: Pool::Of(pool),
            work: Work::One(call),
            payload: Payload::default(),
            answer_to: None,
        };
        let future = self.here.run_in_executor(submit).await?;
        self.here.join(future).await
    }
}

/// Worker threads, or worker processes of one thread each, that take from one queue.
async fn on_threads(here: Here, play: Rc<Play>, book: Rc<Book>) -> Tried {
    let service = play.service;
    let pool = match play.processes {
        Some(workers) => {
            let pool = processes(&here, &play, workers).await?;
            // They are there before the first request is, as a server's workers are.
            let nothing = |_: u32| {
                front::program(&here, |here| async move {
                    here.block(Nanoseconds::millis(1)).await;
                    Ok(Value::None)
                })
            };
            let calls = (0..workers).map(nothing).collect();
            here.map(pool, calls, MapOptions::default()).await?;
            pool
        }
        None => threads(&here, service.threads, "worker").await?,
    };
    let connections = here.new_thread_semaphore(service.connections.into(), false).await?;
    let is_shared = play.processes.is_none();
    // Workers that are processes put into a queue of their own, which is none of this picture.
    let queue = if is_shared { queue(&here, &play).await? } else { None };
    let start = here.now().await;
    let mut futures = Vec::new();
    for (number, due) in play.due.iter().copied().enumerate() {
        let early = (start + due.at).since(here.now().await);
        if early > Nanoseconds::ZERO {
            here.block(early).await;
        }
        let book = Rc::clone(&book);
        let handler = |here: Here| async move {
            sync_view(&here, service, due, is_shared.then_some(connections)).await?;
            if let Some(queue) = queue.filter(|_| due.computes) {
                enqueue(&here, queue, cost(service, due)).await?;
            }
            let took = here.now().await.since(start + due.at);
            if due.counts {
                book.took.borrow_mut().push((number, took));
            }
            Ok(Value::None)
        };
        futures.push(here.submit(pool, handler).await?);
    }
    let (done, _) = here.wait_futures(futures, Until::AllCompleted, None).await?;
    for future in done {
        here.future_result(future, None).await?;
    }
    here.shut_pool_down(pool, true, false).await?;
    match queue {
        Some(queue) => here.shut_pool_down(queue, true, false).await,
        None => Ok(()),
    }
}

/// A view that is synchronous throughout.
async fn sync_view(here: &Here, service: Service, due: Due, connections: Option<ThreadSemaphoreId>) -> Tried {
    if service.at_once && service.calls > 1 {
        let pool = threads(here, VIEW_POOL, "view").await?;
        let mut futures = Vec::new();
        for _ in 0..service.calls {
            futures.push(here.submit(pool, |here| async move { call(&here, due).await }).await?);
        }
        here.wait_futures(futures, Until::AllCompleted, None).await?;
        here.shut_pool_down(pool, true, false).await?;
    } else {
        for _ in 0..service.calls {
            call(here, due).await?;
        }
    }
    if service.database != Database::None {
        for _ in 0..service.queries {
            if let Some(connections) = connections {
                here.acquire_thread_semaphore(connections, Patience::Forever).await?;
                query(here, service, due).await;
                here.release_thread_semaphore(connections, 1).await?;
            } else {
                query(here, service, due).await;
            }
        }
    }
    if due.computes && service.heavy != Heavy::Queue {
        here.compute(cost(service, due)).await;
    }
    Ok(())
}

/// A call of another service that its thread waits for.
async fn call(here: &Here, due: Due) -> Outcome {
    let endpoint = here.new_endpoint(other_side(due)).await?;
    here.request(endpoint, None).await
}

/// A call of another service that its task waits for.
async fn call_async(here: &Here, due: Due) -> Outcome {
    let endpoint = here.new_endpoint(other_side(due)).await?;
    here.request_async(endpoint, None).await
}

fn other_side(due: Due) -> NewEndpoint {
    NewEndpoint {
        latency: Latency::Fixed(by_factor(CALL, due)),
        capacity: None,
        backlog: 0,
        failures: Failures::None,
    }
}

/// A query by a driver that blocks.
async fn query(here: &Here, service: Service, due: Due) {
    if !service.has(Sabotage::CallThatDoesNotBlock) {
        here.block(by_factor(QUERY, due)).await;
    }
}

fn cost(service: Service, due: Due) -> Nanoseconds {
    if service.has(Sabotage::CallThatDoesNotBlock) {
        Nanoseconds::ZERO
    } else {
        by_factor(service.compute, due)
    }
}

fn by_factor(mean: Nanoseconds, due: Due) -> Nanoseconds {
    Nanoseconds(super::load::scaled(mean.0, due.factor))
}

/// Nobody waits for it.
async fn enqueue(here: &Here, queue: ExecutorId, cost: Nanoseconds) -> Tried {
    let job = |here: Here| async move {
        here.compute(cost).await;
        Ok(Value::None)
    };
    here.submit(queue, job).await.map(|_| ())
}

async fn threads(here: &Here, n: u32, name: &str) -> Tried<ExecutorId> {
    let pool = NewPool {
        max_workers: Some(n.max(1)),
        name: Some(name.to_owned()),
        ..NewPool::default()
    };
    here.new_pool(pool).await
}

async fn processes(here: &Here, play: &Play, n: u32) -> Tried<ExecutorId> {
    // What the lessons' versions do where nobody asks: a copy before 3.14, a fork server from then on.
    let method = if play.service.runtime == Runtime::GilLegacy {
        StartMethod::Fork
    } else {
        StartMethod::ForkServer
    };
    let pool = NewPool {
        workers: Workers::Processes(method),
        max_workers: Some(n.max(1)),
        ..NewPool::default()
    };
    here.new_pool(pool).await
}

/// The queue's worker: a process of its own that has been there for long.
async fn queue(here: &Here, play: &Play) -> Tried<Option<ExecutorId>> {
    if play.service.heavy != Heavy::Queue || !play.due.iter().any(|due| due.computes) {
        return Ok(None);
    }
    let queue = processes(here, play, 1).await?;
    let nothing = front::program(here, |_| async { Ok(Value::None) });
    here.map(queue, vec![nothing], MapOptions::default()).await?;
    Ok(Some(queue))
}
