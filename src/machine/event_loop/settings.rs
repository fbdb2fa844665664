//! What a loop is made with, what it says after each turn, and what others may tell it.
//!
//! Not here: the loop.

use std::fmt;
use std::rc::Rc;

use super::ids::FutureId;
use crate::machine::threads::ThreadCall;
use crate::machine::trace::LaneId;
use crate::machine::{Effect, Exception, Nanoseconds, Outcome, Program};

/// Everything that fixes how a loop behaves.
#[derive(Clone, Debug)]
pub struct LoopSettings {
    /// `asyncio.run(…, debug=True)`: slow steps are reported.
    pub debug: bool,
    /// A step at least this long is slow: 0.1 s.
    pub slow_callback_duration: Nanoseconds,
    /// Tasks begin when they are created, as with `asyncio.eager_task_factory`.
    pub eager_tasks: bool,
    /// What the loop's own work costs.
    pub costs: LoopCosts,
    /// What it may hold at most.
    pub ceilings: LoopCeilings,
    /// The lane of the thread it runs on.
    pub thread_lane: Option<LaneId>,
    /// What is wrong with it, to see a claim or a comparison fail; nothing, in honest runs.
    pub fault: Option<Fault>,
}

impl Default for LoopSettings {
    fn default() -> Self {
        Self {
            debug: false,
            slow_callback_duration: Nanoseconds::millis(100),
            eager_tasks: false,
            costs: LoopCosts::default(),
            ceilings: LoopCeilings::default(),
            thread_lane: None,
            fault: None,
        }
    }
}

/// What the loop's own work takes on a core; all nothing unless a preset says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopCosts {
    /// One round of the loop: asking the selector, looking at the timers.
    pub iteration: Nanoseconds,
    /// One callback taken from the ready queue and run, without what it does.
    pub callback: Nanoseconds,
    /// One task made.
    pub task: Nanoseconds,
    /// One timer set.
    pub timer: Nanoseconds,
}

/// How much a loop may hold; more ends the run with [`NextWake::Exceeded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopCeilings {
    /// Tasks that are not done: 1,000,000.
    pub tasks: u32,
    /// Futures, tasks among them, that somebody may still ask: 4,000,000.
    pub futures: u32,
    /// Timers set and not yet run, cancelled ones among them: 4,000,000.
    pub timers: u32,
    /// Locks, queues, groups and whatever else is made and kept: 4,000,000.
    pub objects: u32,
    /// Coroutines awaiting each other inside one task, as Python's recursion limit: 1,000.
    pub depth: u32,
}

impl Default for LoopCeilings {
    fn default() -> Self {
        Self {
            tasks: 1_000_000,
            futures: 4_000_000,
            timers: 4_000_000,
            objects: 4_000_000,
            depth: 1_000,
        }
    }
}

/// What a loop holds too many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceiling {
    /// [`LoopCeilings::tasks`]
    Tasks,
    /// [`LoopCeilings::futures`]
    Futures,
    /// [`LoopCeilings::timers`]
    Timers,
    /// [`LoopCeilings::objects`]
    Objects,
}

/// What the loop needs to go on.
#[derive(Debug)]
pub enum NextWake {
    /// This to be done for the running callback: an effect of its thread, or computing. The result goes to
    /// [`answer`](super::EventLoop::answer), and the next turn goes on in the middle of the callback.
    AfterEffect(Effect),
    /// Only another turn: an iteration is over and more is ready, or a callback is long.
    Now,
    /// That time, or a post before.
    At(Nanoseconds),
    /// A post: nothing here will ever go on by itself.
    WhenPosted,
    /// Nothing: the run is over. This is what its main program ended with.
    Ended(Outcome),
    /// Nothing: the run was given up, it holds too much.
    Exceeded(Ceiling),
}

/// What others may tell a loop, from any thread: `loop.call_soon_threadsafe` and what is built on it.
pub enum Posted {
    /// The answer to a call that was begun, to this future. Ignored if the future was cancelled meanwhile.
    Settle(FutureId, Outcome),
    /// `loop.call_soon_threadsafe(callback)`
    Call(Box<dyn Program>),
    /// `loop.call_soon_threadsafe(future.cancel, message)`
    Cancel(FutureId, Option<Rc<str>>),
    /// `asyncio.run_coroutine_threadsafe(coroutine, loop)`; what the thread is told about its end.
    Start(Box<dyn Program>, Option<Report>),
}

/// Makes a call of the thread's from an outcome.
pub type Report = Box<dyn FnOnce(Outcome) -> ThreadCall>;

impl fmt::Debug for Posted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settle(future, outcome) => formatter.debug_tuple("Settle").field(future).field(outcome).finish(),
            Self::Call(_) => formatter.write_str("Call"),
            Self::Cancel(future, _) => formatter.debug_tuple("Cancel").field(future).finish(),
            Self::Start(..) => formatter.write_str("Start"),
        }
    }
}

/// Something wrong that nobody caught: what asyncio writes to its log, or warns of.
#[derive(Clone, Debug)]
pub enum Complaint {
    /// A step or callback held the loop for too long; debug mode only.
    Slow {
        /// The task, or none: a callback.
        task: Option<FutureId>,
        /// Its name.
        name: Rc<str>,
        /// What it did at last, as it said itself.
        doing: &'static str,
        /// When it began.
        at: Nanoseconds,
        /// How long it was.
        length: Nanoseconds,
    },
    /// A coroutine object that was never awaited, by name.
    NeverAwaited(Rc<str>),
    /// A future or task ended with an exception that nobody asked for.
    NeverRetrieved(FutureId, Exception),
    /// A callback raised.
    Callback(Exception),
    /// A shielded task raised after the one who waited for it was cancelled.
    Shielded(FutureId, Exception),
    /// A task raised when the end of the run cancelled it.
    Shutdown(FutureId, Exception),
    /// A task of a group raised when the task that held the group was done.
    Orphan(FutureId, Exception),
}

/// A fault to seed, each of which some claim or comparison must notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The ready queue gives its last callback first.
    LastInFirstOut,
    /// Due timers run before what was ready.
    TimersBeforeReady,
    /// What an iteration schedules runs in the same iteration, up to a round of a thousand.
    SameIteration,
    /// Timers of one deadline run in reverse.
    EqualDeadlinesReversed,
    /// Whoever asks for a lock or a semaphore takes it past those who wait.
    Barging,
    /// Locks are taken by anybody at any time.
    LockDoesNotLock,
    /// A woken waiter that is cancelled keeps what it was given.
    WakeUpLost,
    /// `uncancel` counts nothing.
    UncancelIgnored,
    /// A cancellation before a task's first step is forgotten.
    EarlyCancelForgotten,
    /// A cancellation does not end what is awaited.
    CancelNotPassedOn,
    /// A time limit never expires.
    TimeoutNeverFires,
    /// A group lets the siblings of a failed child go on.
    SiblingsGoOn,
    /// A gather's results come in the order of completion.
    GatherInOrderOfCompletion,
    /// A shield does not shield.
    ShieldLetsThrough,
    /// `sleep(0)` does not give way.
    SleepZeroKeepsOn,
    /// A queue of any order gives its last item first.
    QueueReversed,
    /// Of those who wait for room in a queue the last is woken first.
    LastPutterFirst,
    /// A gather cancels its other children when one raises.
    GatherCancelsSiblings,
    /// A time limit leaves its request to cancel counted.
    TimeoutKeepsCount,
}
