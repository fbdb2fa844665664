//! What a service is: who serves, and what one request does. The machine plays a few requests of it (`program`), the
//! simulation a million (`load`).
//!
//! Not here: what anything takes on a lesson's machine, but for what the scenes themselves say.

use crate::labs::{Asked, presets};
use crate::machine::Nanoseconds;
use crate::wire::{Runtime, Sabotage};

/// One call of another service.
pub const CALL: Nanoseconds = Nanoseconds::millis(200);
/// Calls of a request.
pub const CALLS: u32 = 2;
/// One plain query of the database, with the way there and back.
pub const QUERY: Nanoseconds = Nanoseconds::millis(10);

/// The interpreter lock's switch interval, which this lab leaves as Python has it.
pub const SWITCH_INTERVAL: Nanoseconds = Nanoseconds::millis(5);

/// Who serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Worker processes with so many threads each, one request a thread.
    Wsgi,
    /// Worker processes with an event loop each.
    Asgi,
}

/// Where a request's computing is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heavy {
    /// Where the request is handled.
    InRequest,
    /// In another thread of the same process, which the request waits for.
    Thread,
    /// In a worker of a queue, which the request does not wait for.
    Queue,
}

/// How a request asks the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Database {
    /// It does not.
    None,
    /// By a driver that awaits.
    Async,
    /// By a driver that blocks, on the one thread of `sync_to_async`.
    SyncToAsync,
    /// By a driver that blocks, where the request is handled.
    Sync,
    /// By a model class that refuses to block a loop.
    Refused,
}

/// The service.
#[derive(Clone, Copy, Debug)]
pub struct Service {
    /// Who serves.
    pub kind: Kind,
    /// Worker processes.
    pub workers: u32,
    /// Threads in each; a loop has no use for them.
    pub threads: u32,
    /// Calls of another service, each of [`CALL`].
    pub calls: u32,
    /// Whether they are made at once.
    pub at_once: bool,
    /// Of a hundred requests to a loop, so many make their calls by a library that blocks.
    pub blocking_percent: u32,
    /// What a request computes, beside what handling it takes.
    pub compute: Nanoseconds,
    /// Where.
    pub heavy: Heavy,
    /// Whether one middleware is synchronous.
    pub sync_middleware: bool,
    /// How the database is asked.
    pub database: Database,
    /// Queries, all at once.
    pub queries: u32,
    /// Connections to the database, of all workers together.
    pub connections: u32,
    /// Whether each request takes a time of its own, exponential with the mean that all take otherwise.
    pub is_exponential: bool,
    /// Which Python.
    pub runtime: Runtime,
    /// A fault.
    pub sabotage: Option<Sabotage>,
}

impl Service {
    /// One that only makes its calls, one by one.
    pub const fn plain(kind: Kind, runtime: Runtime, sabotage: Option<Sabotage>) -> Self {
        Self {
            kind,
            workers: 1,
            threads: 1,
            calls: CALLS,
            at_once: false,
            blocking_percent: 0,
            compute: Nanoseconds::ZERO,
            heavy: Heavy::InRequest,
            sync_middleware: false,
            database: Database::None,
            queries: 1,
            connections: 20,
            is_exponential: false,
            runtime,
            sabotage,
        }
    }

    /// The one asked for.
    pub fn asked(asked: &Asked, kind: Kind, runtime: Runtime, sabotage: Option<Sabotage>) -> Self {
        Self {
            workers: asked.unsigned("workers"),
            threads: asked.unsigned("threads"),
            at_once: asked.choice("calls") == Some("at-once"),
            blocking_percent: asked.unsigned("blockingShare"),
            compute: Nanoseconds::millis(asked.unsigned("computeMs").into()),
            heavy: match asked.choice("heavy") {
                Some("thread") => Heavy::Thread,
                Some("queue") => Heavy::Queue,
                _ => Heavy::InRequest,
            },
            sync_middleware: asked.choice("middleware") == Some("sync"),
            database: match asked.choice("database") {
                Some("async") => Database::Async,
                Some("sync-to-async") => Database::SyncToAsync,
                Some("sync") => Database::Sync,
                _ => Database::None,
            },
            connections: asked.unsigned("connections"),
            is_exponential: asked.choice("service") == Some("exponential"),
            ..Self::plain(kind, runtime, sabotage)
        }
    }

    /// How long its calls keep one request waiting.
    pub fn calling(&self) -> Nanoseconds {
        Nanoseconds(CALL.0 * u64::from(if self.at_once { self.calls.min(1) } else { self.calls }))
    }

    /// How long a request takes that is alone, but for what the machine adds.
    pub fn alone(&self) -> Nanoseconds {
        let query = if self.database == Database::None { 0 } else { QUERY.0 };
        let compute = if self.heavy == Heavy::Queue { 0 } else { self.compute.0 };
        Nanoseconds(self.calling().0 + query + compute)
    }

    /// Whether it has this fault.
    pub fn has(&self, fault: Sabotage) -> bool {
        self.sabotage == Some(fault)
    }

    /// Threads that compute at once in one worker.
    pub const fn cores_a_worker(&self) -> u32 {
        match (self.kind, self.runtime) {
            (Kind::Wsgi, Runtime::FreeThreaded) => self.threads,
            _ => 1,
        }
    }
}

/// What handling a request takes, on a core of its worker, and what comes late.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own {
    /// Taking the request.
    pub start: Nanoseconds,
    /// Each call of another service.
    pub call: Nanoseconds,
    /// A task of a loop goes on.
    pub resume: Nanoseconds,
    /// Handing a call to another thread, there and back.
    pub hop: Nanoseconds,
    /// Putting a job into the queue.
    pub enqueue: Nanoseconds,
    /// From an answer's arrival to its being looked at.
    pub late: Nanoseconds,
    /// Cores for all workers.
    pub cores: u32,
}

impl Own {
    /// Of the run's machine, from the constants that the machine itself uses.
    pub fn of(asked: &Asked, kind: Kind) -> Self {
        let costs = presets::of(asked).costs();
        let add = |parts: &[Nanoseconds]| Nanoseconds(parts.iter().map(|part| part.0).sum());
        let resume = add(&[costs.event_loop.iteration, costs.event_loop.callback]);
        let (start, call) = match kind {
            Kind::Wsgi => (add(&[costs.submit, costs.pool_call]), costs.request_on_thread),
            Kind::Asgi => (add(&[costs.event_loop.task, resume]), costs.request_in_task),
        };
        Self {
            start,
            call,
            resume,
            hop: add(&[costs.submit, costs.pool_call, costs.post]),
            enqueue: add(&[costs.submit, costs.process_item]),
            late: costs.wake_up,
            cores: asked.unsigned("logicalCores").max(1),
        }
    }

    /// Nothing takes anything, and there is a core for everybody.
    pub fn nothing() -> Self {
        Self {
            cores: u32::MAX,
            ..Self::default()
        }
    }
}
