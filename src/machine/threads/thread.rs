//! A thread: what it runs, what state it is in, and what it waits for.
//!
//! Worked example of the states, under an interpreter lock: a thread is started (`NeedsLock`), gets the lock
//! (`NeedsCore`), gets a core (`Running`), sleeps (`Blocked`, without lock and core), wakes (`NeedsLock` again).
//!
//! Not here: what moves it from one state to another.

use std::collections::VecDeque;
use std::fmt;

use super::events::Epoch;
use super::pools::{Manager, Worker};
use super::watch::LoopWatch;
use super::{
    CompletionsId, ConcurrentFutureId, ExecutorId, InterpreterId, ProcessId, ThreadBarrierId, ThreadConditionId,
    ThreadEventId, ThreadId, ThreadQueueId, ThreadSemaphoreId,
};
use crate::machine::event_loop::{EventLoop, Until};
use crate::machine::program::Computing;
use crate::machine::trace::LaneId;
use crate::machine::{Effect, Input, Nanoseconds, Outcome, Program, Value};

/// One thread of the operating system.
#[derive(Debug)]
pub(super) struct Thread {
    pub lane: LaneId,
    pub name: String,
    pub process: ProcessId,
    pub interpreter: InterpreterId,
    pub daemon: bool,
    /// How many threads and processes were started one by the other to get here.
    pub depth: u32,

    pub phase: Phase,
    /// Counts changes of phase and of what is computed: an event of another epoch is stale.
    pub epoch: Epoch,
    /// When the phase began.
    pub since: Nanoseconds,
    /// What runs: the last is asked next.
    pub frames: Vec<Frame>,
    /// What the last frame goes on with.
    pub input: Input,
    /// An effect that is paid for by computing first, or kept up by a check point.
    pub pending: Option<Effect>,
    /// What is being computed.
    pub work: Work,
    /// The machine's own work that this thread does before anything else.
    pub owed: Nanoseconds,
    /// When its time is up, if it waits with a limit.
    pub deadline: Option<Nanoseconds>,
    /// Whether it has been woken, but has not looked yet whether it can go on.
    pub waking: bool,
    /// The interpreter lock's switches when its wait for the lock began.
    pub switches_seen: u64,
    /// Threads that wait for it to begin, or to end.
    pub watchers: VecDeque<ThreadId>,
    pub has_begun: bool,
    pub outcome: Option<Outcome>,

    /// The pool whose worker or manager it is.
    pub works_for: Option<ExecutorId>,
    /// The default pool of its event loop.
    pub default_pool: Option<ExecutorId>,

    pub last_core: Option<u32>,
    pub used: Used,
    /// How often others had got what it waits for when its wait began.
    pub turns_seen: u64,
    /// What the stall detector remembers of its event loop.
    pub loop_watch: LoopWatch,
}

/// What a thread has used of cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Computing that programs asked for, in time on a free core.
    pub computed: Nanoseconds,
    /// The machine's own work on this thread, in time on a free core.
    pub overhead: Nanoseconds,
    /// Time on a core, from clock to clock: `time.thread_time()`.
    pub on_core: Nanoseconds,
}

/// What a thread is doing. Exactly one at a time.
#[derive(Debug)]
pub(super) enum Phase {
    /// Made, and not yet set going. Next: `NeedsLock` or `NeedsCore`.
    New,
    /// Has all but the interpreter lock. Entered from anywhere, holds no core. Next: `NeedsCore`.
    NeedsLock,
    /// Has all but a core: it is in the run queue. Next: `Running`.
    NeedsCore,
    /// On this core. Next: any but `New`.
    Running(u32),
    /// Waits; holds neither core nor interpreter lock. Next: `NeedsLock`.
    Blocked(Wait),
    /// Never goes on.
    Ended,
}

/// What a blocked thread waits for.
#[derive(Debug)]
pub(super) enum Wait {
    /// Its time.
    Sleep,
    /// Its event loop's next timer, or a post.
    Poll,
    /// Another thread to begin; then its call gives this.
    Started(ThreadId, Value),
    /// Another thread to end.
    Join(ThreadId),
    /// A lock, plain or reentrant.
    Mutex(u32),
    /// To be notified; then it needs the lock, this deep.
    Condition(ThreadConditionId, u32),
    /// The lock of a condition, this deep, after it was notified or its time was up.
    Reacquire { mutex: u32, depth: u32, notified: bool },
    /// A semaphore.
    Semaphore(ThreadSemaphoreId),
    /// An event.
    Event(ThreadEventId),
    /// The other parties of a barrier.
    Barrier(ThreadBarrierId),
    /// Room in a queue.
    Put(ThreadQueueId, Value),
    /// An item of a queue.
    Get(ThreadQueueId),
    /// All items of a queue to be done.
    AllDone(ThreadQueueId),
    /// The result of a future.
    Result(ConcurrentFutureId),
    /// The exception of a future.
    Exception(ConcurrentFutureId),
    /// Enough of several futures.
    Several(Box<Several>),
    /// The next future that is done.
    Next(CompletionsId),
    /// Another process to end.
    Process(ProcessId),
    /// The end of everything that keeps its process alive.
    Exit,
    /// A call, as a worker of a pool.
    Work(ExecutorId),
    /// Calls or results, as the manager of a process pool.
    Traffic(ExecutorId),
    /// The workers of a pool to end.
    Workers(ExecutorId),
    /// The answer to a request.
    Request(u32),
    /// Nothing more: it was given this.
    Given(Outcome),
}

/// Several futures that a thread waits for.
#[derive(Debug)]
pub(super) struct Several {
    pub of: Vec<ConcurrentFutureId>,
    pub until: Until,
    /// How many are not done.
    pub left: usize,
    /// Whether the thread need not wait any longer.
    pub is_enough: bool,
}

/// What is being computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    /// Whether there is any.
    pub is_begun: bool,
    /// What is left, in millionths of a nanosecond on a free core.
    pub left: u128,
    /// All of it.
    pub cost: Nanoseconds,
    pub kind: WorkKind,
    /// Since when at which rate, in millionths of a free core's speed; rate 0 is not at all.
    pub since: Nanoseconds,
    pub rate: u32,
    /// Whether it let go of the interpreter lock and is to take it again.
    pub has_released: bool,
    /// Until when it goes on whoever asks for the lock: what it owed is done by then, and a little of itself.
    pub keeps_lock_until: Nanoseconds,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum WorkKind {
    /// A program's.
    Program(Computing),
    /// The machine's own.
    #[default]
    Overhead,
}

/// One thing on a thread's stack.
#[derive(Debug)]
pub(super) struct Frame {
    pub body: FrameBody,
    pub then: Then,
}

pub(super) enum FrameBody {
    /// A program.
    Program(Box<dyn Program>),
    /// An event loop; true while an answer is due to it.
    Loop(Box<EventLoop>, bool),
    /// The rounds of a pool's worker.
    Worker(Worker),
    /// The rounds of the thread that runs a process pool.
    Manager(Manager),
}

/// What becomes of a frame's outcome.
#[derive(Debug)]
pub(super) enum Then {
    /// It is the thread's.
    EndThread,
    /// It goes to what is below.
    Below,
    /// It is of a done callback: nobody's. The next callback runs, and after the last the call that set them off gives
    /// this.
    Callback(ConcurrentFutureId, Outcome),
    /// It is of a barrier's action.
    Action(ThreadBarrierId),
    /// It is of the import of the main module in a child process.
    Import,
}

impl fmt::Debug for FrameBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Program(_) => "Program",
            Self::Loop(..) => "Loop",
            Self::Worker(_) => "Worker",
            Self::Manager(_) => "Manager",
        })
    }
}

impl Thread {
    /// What its last frame goes on with.
    pub fn take_input(&mut self) -> Input {
        std::mem::replace(&mut self.input, Input::Value(Value::None))
    }

    pub fn is_alive(&self) -> bool {
        !matches!(self.phase, Phase::Ended)
    }

    /// Whether its program has ended; a main thread then still waits for what keeps its process alive.
    pub fn has_finished(&self) -> bool {
        self.outcome.is_some() || !self.is_alive()
    }

    /// The event loop that runs on it, if any.
    pub fn event_loop(&self) -> Option<&EventLoop> {
        self.frames.iter().find_map(|frame| match &frame.body {
            FrameBody::Loop(event_loop, _) => Some(&**event_loop),
            _ => None,
        })
    }

    /// The event loop that runs on it, if any.
    pub fn event_loop_mut(&mut self) -> Option<&mut EventLoop> {
        self.frames.iter_mut().find_map(|frame| match &mut frame.body {
            FrameBody::Loop(event_loop, _) => Some(&mut **event_loop),
            _ => None,
        })
    }

    /// What it waits for, if it is blocked.
    pub fn wait_mut(&mut self) -> Option<&mut Wait> {
        match &mut self.phase {
            Phase::Blocked(wait) => Some(wait),
            _ => None,
        }
    }

    /// What it waits for, if it is blocked.
    pub fn wait(&self) -> Option<&Wait> {
        match &self.phase {
            Phase::Blocked(wait) => Some(wait),
            _ => None,
        }
    }
}
