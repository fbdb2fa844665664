//! The words of a trace: what a lane is, what states it can be in and why.
//!
//! Not here: when it was in them.

/// One row of a timeline: a core, a process, an interpreter, a thread, an event loop or a task. Numbered from 0 in the
/// order of their making; a parent comes before its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneId(pub u32);

/// What a lane stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneKind {
    /// A logical core.
    Core,
    /// A process, with a memory of its own.
    Process,
    /// An interpreter, with or without a lock.
    Interpreter,
    /// A thread of the operating system.
    Thread,
    /// An event loop, on a thread.
    Loop,
    /// A task, on an event loop.
    Task,
}

/// What a lane is doing. It is in exactly one state from its making to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is being executed.
    Running,
    /// It could run, but has not got what it takes.
    Ready(ReadyCause),
    /// It waits for something that comes by itself or by another's work.
    Waiting(WaitCause),
    /// It waits for something that another lane has, or must do; with that lane where there is one.
    Blocked(BlockCause, Option<LaneId>),
    /// A core without a thread, or a pool's thread without work.
    Idle,
    /// Ended well.
    Done,
    /// Ended by a cancellation.
    Cancelled,
    /// Ended by an exception.
    Failed,
}

/// What a ready lane has not got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadyCause {
    /// A core.
    Core,
    /// Its turn on the event loop.
    Turn,
    /// The interpreter lock.
    InterpreterLock,
}

/// What a waiting lane waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCause {
    /// A time.
    Timer,
    /// An answer from a network or a disk.
    Io,
    /// Another task, or a future.
    Task,
    /// Another thread, or what it will give.
    Thread,
}

/// What a blocked lane is kept from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockCause {
    /// A lock.
    Lock,
    /// A semaphore.
    Semaphore,
    /// A condition, an event or a barrier.
    Condition,
    /// A queue: full or empty.
    Queue,
}

impl State {
    /// Whether a lane in it never changes again.
    #[must_use]
    pub const fn is_end(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled | Self::Failed)
    }
}

/// What is counted along the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CounterKind {
    /// Callbacks in a loop's ready queue.
    ReadyQueue,
    /// Timers in a loop's heap.
    Timers,
    /// Calls queued for a pool.
    PoolQueue,
    /// Threads of a pool that have work.
    PoolBusy,
    /// Requests in flight at an endpoint.
    InFlight,
    /// Bytes of memory in use, by documented constants.
    Memory,
}

/// A moment worth a mark on a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instant {
    /// A cancellation was asked for.
    Cancel,
    /// A time limit passed.
    Timeout,
    /// An exception was raised, or came out of a task.
    Exception,
    /// The interpreter lock was asked for after a whole switch interval.
    DropRequest,
    /// A step of an event loop was slow.
    SlowStep,
    /// A mark of the program's own; its label says what.
    Mark,
}
