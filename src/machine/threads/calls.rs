//! What a program asks of its thread: threads, processes, locks, queues, futures, pools and the network.
//!
//! A call that has to wait blocks the whole thread, without the interpreter lock; an event loop on it stands still.
//! Answers and exceptions are Python's, with ids as handles, times as whole nanoseconds and nothing as
//! [`Value::None`](crate::machine::Value). The calls of each kind of object are in the object's own file.
//!
//! Not here: what they do.

use std::fmt;

use super::futures::ConcurrentCall;
use super::network::NetworkCall;
use super::pools::PoolCall;
use super::primitives::{
    ConditionCall, LockCall, ReentrantLockCall, SemaphoreCall, ThreadBarrierCall, ThreadEventCall, ThreadQueueCall,
};
use super::processes::ProcessCall;
use super::{InterpreterId, ThreadId};
use crate::machine::event_loop::FutureId;
use crate::machine::{Nanoseconds, Program};

/// What a program asks of its thread.
#[derive(Debug)]
pub enum ThreadCall {
    /// `time.sleep(delay)`. Zero lets another thread have the interpreter lock.
    Sleep(Nanoseconds),
    /// `time.monotonic_ns()`
    Now,
    /// `threading.Thread(…).start()`: goes on when the new thread runs. Gives a [`ThreadId`].
    Spawn(Box<Spawn>),
    /// `thread.join(timeout)`
    Join(ThreadId, Option<Nanoseconds>),
    /// `thread.is_alive()`
    IsAlive(ThreadId),
    /// `threading.current_thread()`. Gives a [`ThreadId`].
    CurrentThread,
    /// `loop.call_soon_threadsafe(callback)` of the loop that runs on a thread; a `RuntimeError` if it is closed.
    CallSoonThreadsafe(ThreadId, Box<dyn Program>),
    /// `asyncio.run_coroutine_threadsafe(coroutine, loop)`. Gives a [`ConcurrentFutureId`](super::ConcurrentFutureId).
    RunThreadsafe(ThreadId, Box<dyn Program>),
    /// What was to answer to this future of the running loop's is no longer wanted: a call that no pool's thread has
    /// begun is never begun, a request is dropped. Gives whether it was still open.
    TakeBack(FutureId),
    /// A new interpreter in this process, with a lock of its own where the runtime has one. Gives an [`InterpreterId`].
    NewInterpreter,
    /// Of a process.
    Process(ProcessCall),
    /// Of a lock.
    Lock(LockCall),
    /// Of a reentrant lock.
    ReentrantLock(ReentrantLockCall),
    /// Of a condition.
    Condition(ConditionCall),
    /// Of a semaphore.
    Semaphore(SemaphoreCall),
    /// Of an event.
    Event(ThreadEventCall),
    /// Of a barrier.
    Barrier(ThreadBarrierCall),
    /// Of a queue.
    Queue(ThreadQueueCall),
    /// Of a concurrent future.
    Future(ConcurrentCall),
    /// Of a pool.
    Pool(PoolCall),
    /// Of an endpoint.
    Network(NetworkCall),
}

/// A thread to be started.
pub struct Spawn {
    /// What runs on it.
    pub body: Body,
    /// Its name, else `Thread-1` and so on.
    pub name: Option<String>,
    /// Whether the process ends without waiting for it.
    pub daemon: bool,
    /// The interpreter it belongs to, else the one that starts it.
    pub interpreter: Option<InterpreterId>,
}

/// What runs on a thread.
pub enum Body {
    /// A program.
    Program(Box<dyn Program>),
    /// `asyncio.run(program)`
    Loop(Box<dyn Program>),
}

impl Spawn {
    /// A thread for a program, as `threading.Thread(target=program)`.
    #[must_use]
    pub fn new(program: Box<dyn Program>) -> Self {
        Self::of(Body::Program(program))
    }

    /// A thread that runs an event loop, as `threading.Thread(target=asyncio.run, args=(program,))`.
    #[must_use]
    pub fn event_loop(program: Box<dyn Program>) -> Self {
        Self::of(Body::Loop(program))
    }

    fn of(body: Body) -> Self {
        Self {
            body,
            name: None,
            daemon: false,
            interpreter: None,
        }
    }
}

impl fmt::Debug for Spawn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Spawn")
            .field("name", &self.name)
            .field("daemon", &self.daemon)
            .field("interpreter", &self.interpreter)
            .finish_non_exhaustive()
    }
}

/// How long a thread is ready to wait for something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patience {
    /// Not at all: `blocking=False`.
    No,
    /// At most so long: `timeout=…`.
    For(Nanoseconds),
    /// As long as it takes.
    #[default]
    Forever,
}

/// `timeout=None` is for ever.
impl From<Option<Nanoseconds>> for Patience {
    fn from(timeout: Option<Nanoseconds>) -> Self {
        timeout.map_or(Self::Forever, Self::For)
    }
}
