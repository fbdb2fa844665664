//! A tiny language of asyncio programs: what is drawn at random, written as Python and compiled for the interpreter.
//!
//! Worked example: `Spawn { task: 1, function: 1, .. }` in function 0 is `t[1] = asyncio.create_task(f1(me + ".1"))`.
//! Every object has a number in its own list (`t` tasks, `f` futures, `g` groups …), there from the start, so that any step
//! may name any object at any time: a task not yet made is a future that nobody settles.
//!
//! Not here: what the words mean. That is CPython's to say.

use serde::{Deserialize, Serialize};

/// A whole program. Function 0 is the main one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// Every task is eager: by the task factory, not call by call.
    pub is_eager: bool,
    pub objects: Objects,
    pub functions: Vec<Function>,
    /// Plain functions, for `call_soon`, `call_later` and `add_done_callback`.
    pub callbacks: Vec<Block>,
}

/// A coroutine function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Function {
    pub body: Block,
    pub returns: i64,
}

/// What there is from the start: how many of each, or each with its settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Objects {
    pub tasks: usize,
    pub futures: usize,
    pub groups: usize,
    pub timeouts: usize,
    pub handles: usize,
    pub locks: usize,
    pub semaphores: Vec<Semaphore>,
    pub conditions: usize,
    pub events: usize,
    pub barriers: Vec<i64>,
    pub queues: Vec<Queue>,
    pub variables: usize,
    pub cells: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Semaphore {
    pub value: i64,
    pub is_bounded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    pub order: Order,
    pub most: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Order {
    FirstIn,
    LastIn,
    Priority,
}

pub type Block = Vec<Step>;

/// One statement, by its number in the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub number: u32,
    pub does: Does,
}

/// Times are in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Does {
    Log,
    Say(String),
    Sleep(i64),
    Block(i64),
    Time,
    /// `await f()`; or `c = f()` and `await c`.
    Call {
        function: usize,
        is_object: bool,
    },
    /// Makes a coroutine and forgets it.
    Forget(usize),
    Raise(Raised),
    /// The context of what is being handled; of a group, that of its first member.
    LookContext,
    Try {
        body: Block,
        catches: Vec<Catch>,
        finally: Option<Block>,
    },
    Repeat(u32, Block),
    /// Sleeps for so long at each turn.
    Forever(i64, Block),
    /// Reads a cell, gives way if so, writes it one larger.
    Increment {
        cell: usize,
        gives_way: bool,
        /// Whether the log is told.
        is_told: bool,
    },
    SetVariable(usize),
    GetVariable(usize),
    /// Sets it, and resets it after the block if that ends well.
    WithVariable(usize, Block),
    /// How many tasks are not done.
    CountTasks,

    Spawn {
        task: usize,
        function: usize,
        is_eager: bool,
    },
    Await(Ref),
    AwaitSelf,
    Cancel {
        what: Ref,
        has_message: bool,
    },
    CancelSelf {
        has_message: bool,
    },
    Uncancel,
    Cancelling,
    IsDone(Ref),
    Result(Ref),
    Exception(Ref),
    WhenDone {
        what: Ref,
        callback: usize,
    },

    MakeFuture(usize),
    Settle {
        future: usize,
        with: Settled,
    },

    CallSoon {
        callback: usize,
        handle: usize,
    },
    CallLater {
        callback: usize,
        handle: usize,
        delay: i64,
    },
    CallAt {
        callback: usize,
        handle: usize,
        time: i64,
    },
    CancelHandle(usize),

    /// A new group, or the one that is there, which may have been entered before.
    Group {
        group: usize,
        is_new: bool,
        body: Block,
    },
    GroupSpawn {
        group: usize,
        task: usize,
        function: usize,
        is_eager: bool,
    },
    /// A new timeout, or the one that is there, which may have been entered before.
    Timeout {
        timeout: usize,
        /// Of a new one.
        when: Option<When>,
        body: Block,
    },
    Reschedule {
        timeout: usize,
        when: When,
    },
    LookTimeout(usize),

    WaitFor {
        what: What,
        limit: Option<i64>,
    },
    Gather {
        what: Vec<What>,
        returns_exceptions: bool,
    },
    Wait {
        what: Vec<Ref>,
        until: Until,
        limit: Option<i64>,
    },
    AsCompleted {
        what: Vec<Ref>,
        limit: Option<i64>,
        is_plain: bool,
    },
    Shield(What),

    Acquire(Lockable),
    Release(Lockable),
    With(Lockable, Block),
    IsLocked(Lockable),
    ConditionWait(usize),
    /// Waits until the cell is at least so much.
    ConditionWaitFor {
        condition: usize,
        cell: usize,
        least: i64,
    },
    Notify(usize, i64),
    NotifyAll(usize),
    EventWait(usize),
    EventSet(usize),
    EventClear(usize),
    IsSet(usize),
    BarrierWait(usize),
    BarrierAbort(usize),
    BarrierReset(usize),
    LookBarrier(usize),

    Put(usize, i64),
    Get(usize),
    PutNow(usize, i64),
    GetNow(usize),
    TaskDone(usize),
    Join(usize),
    ShutDown(usize, bool),
    LookQueue(usize),
}

/// Something that can be awaited, cancelled and asked. Task 0 is the main one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ref {
    Task(usize),
    Future(usize),
}

/// What is handed to `gather`, `wait_for` and `shield`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    Ref(Ref),
    /// A coroutine, fresh.
    Function(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Raised {
    ValueError,
    Own,
    RuntimeError,
    Timeout,
    Cancelled,
    /// What is being handled.
    Again,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Catch {
    pub kind: Caught,
    pub body: Block,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Caught {
    Cancelled,
    Timeout,
    ValueError,
    Own,
    Group,
    /// `Exception`: all of these but a cancellation.
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Settled {
    Value,
    Exception,
    Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum When {
    Never,
    In(i64),
    At(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Until {
    First,
    Exception,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Lockable {
    Lock(usize),
    Semaphore(usize),
    Condition(usize),
}
