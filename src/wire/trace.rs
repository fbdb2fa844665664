//! A trace on its way to the page: what happened in a modelled run, in columns, for drawing.
//!
//! All lists of one struct are equally long: entry *n* of each is row *n*. Times are whole nanoseconds since the start,
//! which `f64` holds exactly up to 104 days. Lanes are numbered by their place; texts by their place in `names`, of which
//! 0 is the empty text. Not here: the events between two spans; the machine keeps those and is asked for them.

use super::shape::shape;

shape! {
    /// What a lane stands for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TraceLaneKind {
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
}

shape! {
    /// What a lane is doing.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TraceStateKind {
        /// It is being executed.
        Running,
        /// It could run, but has not got what it takes.
        Ready,
        /// It waits for what comes by itself or by another's work.
        Waiting,
        /// It waits for what another lane has, or must do.
        Blocked,
        /// It has nothing to do.
        Idle,
        /// Ended well.
        Done,
        /// Ended by a cancellation.
        Cancelled,
        /// Ended by an exception.
        Failed,
    }
}

shape! {
    /// Why a lane is ready, waiting or blocked.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TraceCause {
        /// Ready: it lacks a core.
        Core,
        /// Ready: it lacks its turn on the event loop.
        Turn,
        /// Ready: it lacks the interpreter lock.
        InterpreterLock,
        /// Waiting for a time.
        Timer,
        /// Waiting for a network or a disk.
        Io,
        /// Waiting for another task, or a future.
        Task,
        /// Waiting for another thread, or what it will give.
        Thread,
        /// Blocked by a lock.
        Lock,
        /// Blocked by a semaphore.
        Semaphore,
        /// Blocked by a condition, an event or a barrier.
        Condition,
        /// Blocked by a queue that is full or empty.
        Queue,
    }
}

shape! {
    /// What is counted along the way.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TraceCounterKind {
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
        /// Bytes of memory in use.
        Memory,
    }
}

shape! {
    /// A moment worth a mark.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TraceInstantKind {
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
        /// A mark of the program's own.
        Mark,
    }
}

shape! {
    /// One kind of state. Spans name it by its place in `states`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct TraceState {
        /// What the lane does.
        pub state: TraceStateKind,
        /// Why, where there is a why.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cause: Option<TraceCause>,
    }
}

shape! {
    /// The rows of a timeline. A parent comes before its children.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TraceLanes {
        /// What each stands for.
        pub kind: Vec<TraceLaneKind>,
        /// The lane it belongs to; its own number where it belongs to none.
        pub parent: Vec<u32>,
        /// Its name.
        pub name: Vec<String>,
        /// When it was made.
        pub made_ns: Vec<f64>,
    }
}

shape! {
    /// Each lane's states, in the order of their ends. A lane's spans follow each other without gaps; one without length
    /// is a state in which no time passed, or the lane's end.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TraceSpans {
        /// When each began.
        pub start_ns: Vec<f64>,
        /// When it ended.
        pub end_ns: Vec<f64>,
        /// Whose.
        pub lane: Vec<u32>,
        /// Which of the trace's `states`.
        pub state: Vec<u32>,
        /// The name of the call that the lane made; 0 for none.
        pub call: Vec<u32>,
        /// The line of its source, from 1; 0 for none.
        pub line: Vec<u32>,
    }
}

shape! {
    /// The few spans that have one more thing to say.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TraceExtras {
        /// The span's place.
        pub span: Vec<u32>,
        /// The lane that it is blocked by, or the cell that it touched.
        pub number: Vec<u32>,
    }
}

shape! {
    /// Wake-ups in the order of time.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TraceWakes {
        /// The event index of each.
        pub index: Vec<u32>,
        /// When.
        pub at_ns: Vec<f64>,
        /// Who.
        pub from: Vec<u32>,
        /// Whom.
        pub to: Vec<u32>,
    }
}

shape! {
    /// Moments in the order of time.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TraceInstants {
        /// The event index of each.
        pub index: Vec<u32>,
        /// When.
        pub at_ns: Vec<f64>,
        /// On which lane.
        pub lane: Vec<u32>,
        /// What kind.
        pub kind: Vec<TraceInstantKind>,
        /// In words; 0 for none.
        pub label: Vec<u32>,
    }
}

shape! {
    /// The values of one counter.
    #[derive(Clone, Debug, PartialEq)]
    pub struct TraceCounter {
        /// The lane it belongs to.
        pub lane: u32,
        /// What it counts.
        pub counter: TraceCounterKind,
        /// When each value came.
        pub at_ns: Vec<f64>,
        /// The value from then on.
        pub value: Vec<f64>,
    }
}

shape! {
    /// How many rows there are in all, shown or not.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct TraceTotals {
        /// Events: the highest event index.
        pub events: u32,
        /// Lanes.
        pub lanes: u32,
        /// Spans.
        pub spans: u32,
        /// Wake-ups.
        pub wakes: u32,
        /// Moments.
        pub instants: u32,
        /// Values of counters.
        pub counts: u32,
    }
}

shape! {
    /// What happened in a modelled run.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Trace {
        /// When the run ended.
        pub end_ns: f64,
        /// Where the log was cut because the run was too long to write down; the run itself went on.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cut_at_ns: Option<f64>,
        /// Whether rows are left out of any list; `totals` says how many there are.
        pub truncated: bool,
        /// How many rows there are in all.
        pub totals: TraceTotals,
        /// Texts that are named by number.
        pub names: Vec<String>,
        /// The timeline's rows.
        pub lanes: TraceLanes,
        /// The kinds of state that occur.
        pub states: Vec<TraceState>,
        /// What each lane did when.
        pub spans: TraceSpans,
        /// By which lane a blocked span is blocked.
        pub holders: TraceExtras,
        /// Which cell was touched last in a span.
        pub cells: TraceExtras,
        /// Wake-ups.
        pub wakes: TraceWakes,
        /// Moments.
        pub instants: TraceInstants,
        /// Counters.
        pub counters: Vec<TraceCounter>,
    }
}
