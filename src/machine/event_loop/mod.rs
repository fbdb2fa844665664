//! The event loop: tasks, futures, callbacks and timers, after CPython 3.14's asyncio.
//!
//! It reads no clock and never waits: [`EventLoop::turn`] is told the time and says what it needs next. Sources of the
//! behaviour: CPython 3.14's `Lib/asyncio`, file by file; each module names its own.
//!
//! Worked example, driven by hand: after `start`, the first `turn` at 0 runs the main program up to `sleep(1 s)` and says
//! [`NextWake::At`] 1 s; the `turn` at 1 s has the sleeping task's future set and says [`NextWake::Now`]; two more turns
//! step the task to its end and the run to its own: [`NextWake::Ended`].
//!
//! Not here: threads, pools and networks, which the machine has, and the driving itself, see [`drive`].

mod callbacks;
mod calls;
mod cancel;
mod conditions;
mod contexts;
mod diagnosis;
mod effects;
mod ending;
mod futures;
mod gather;
mod groups;
pub(in crate::machine) mod ids;
mod locks;
mod making;
mod marks;
mod pool;
mod queues;
mod settings;
mod settling;
mod several;
mod state;
mod table;
mod tasks;
mod timeouts;
mod timers;
mod turn;
mod virtual_time;
mod waits;
mod wheel;

use std::fmt;
use std::rc::Rc;

pub use diagnosis::{AwaitRow, Situation, Step, WaitsOn, Why};
pub use effects::{Awaitable, LoopCall, OnException, QueueOrder, TaskOptions, Until, Wait, WaitsFor};
pub use ids::{
    AsCompletedId, BarrierId, CallbackId, ConditionId, ContextId, ContextVarId, CoroutineId, EventId, FutureId,
    GroupId, HandleId, LockId, QueueId, SemaphoreId, TimeoutId, TokenId, Waitable,
};
pub use settings::{Ceiling, Complaint, Fault, LoopCeilings, LoopCosts, LoopSettings, NextWake, Posted, Report};
pub use virtual_time::{Driven, Stop, drive};

use super::trace::{LaneId, Recorder};
use super::{Input, Nanoseconds, Outcome, Program};
use callbacks::Callback;
use futures::Settled;
use state::{State, Turn};

/// One event loop and all that lives on it.
pub struct EventLoop {
    state: State,
}

impl fmt::Debug for EventLoop {
    /// Programs cannot be shown; how many tasks there are can.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EventLoop")
            .field("n_live_tasks", &self.state.n_live_tasks)
            .field("n_ready", &self.state.ready.len())
            .field("n_timers", &self.state.timers.len())
            .finish_non_exhaustive()
    }
}

impl EventLoop {
    /// A loop that has nothing to do yet.
    #[must_use]
    pub fn new(settings: LoopSettings) -> Self {
        Self {
            state: State::new(settings),
        }
    }

    /// `asyncio.run(main)`: the first turn makes a task of it. When it is done, what is left is cancelled and awaited and
    /// the default pool shut down; then the run has ended.
    pub fn start(&mut self, main: Box<dyn Program>) {
        self.state.main_program = Some(main);
    }

    /// Goes on at this time until something is needed. The time never goes back from one turn to the next.
    pub fn turn(&mut self, now: Nanoseconds, recorder: &mut Recorder) -> NextWake {
        Turn {
            state: &mut self.state,
            recorder,
        }
        .go(now)
    }

    /// The answer to [`NextWake::AfterEffect`]; the next turn goes on in the middle of the same callback. Between the two
    /// no turn does anything.
    pub fn answer(&mut self, input: Input) {
        self.state.answer = Some(input);
    }

    /// `loop.call_soon_threadsafe`, from any thread: it goes behind what is ready, at the next turn.
    pub fn post(&mut self, call: Posted) {
        self.state.inbox.push_back(Callback::Posted(Box::new(call)));
    }

    /// Whether anything was begun elsewhere whose answer will be posted: without, and with nothing ready and no timer, the
    /// loop stands still for ever.
    #[must_use]
    pub fn expects_posts(&self) -> bool {
        self.state.n_due > 0
    }

    /// What went wrong and nobody caught, in order: slow steps, coroutines never awaited, exceptions never asked for.
    #[must_use]
    pub fn complaints(&self) -> &[Complaint] {
        &self.state.complaints
    }

    /// How many effects programs have made on this loop: the steps of a budget.
    #[must_use]
    pub fn n_effects(&self) -> u64 {
        self.state.n_effects
    }

    /// How many iterations there were.
    #[must_use]
    pub fn n_iterations(&self) -> u64 {
        self.state.n_iterations
    }

    /// How many callbacks are ready.
    #[must_use]
    pub fn n_ready(&self) -> usize {
        self.state.ready.len()
    }

    /// How many timers are set, cancelled ones among them.
    #[must_use]
    pub fn n_timers(&self) -> usize {
        self.state.timers.len()
    }

    /// How many tasks are not done.
    #[must_use]
    pub fn n_live_tasks(&self) -> u32 {
        self.state.n_live_tasks
    }

    /// Tasks that are not done, in the order of their making.
    #[must_use]
    pub fn tasks(&self) -> Vec<FutureId> {
        self.state.futures.live_tasks()
    }

    /// A task's name; empty where it is no task of this loop.
    #[must_use]
    pub fn task_name(&self, task: FutureId) -> Rc<str> {
        self.state.name_of(task)
    }

    /// How a future ended; none while it is pending. Looking does not count as asking for its exception.
    #[must_use]
    pub fn outcome_of(&self, future: FutureId) -> Option<Outcome> {
        match &self.state.futures.get(future).ok()?.settled {
            Settled::Ok(value) => Some(Ok(value.clone())),
            Settled::Failed(exception) => Some(Err(exception.clone())),
            Settled::Cancelled(cancellation) => {
                let kept = cancellation.kept.clone();
                Some(Err(
                    kept.unwrap_or_else(|| futures::cancelled(cancellation.message.as_deref()))
                ))
            }
            Settled::Pending | Settled::Free => None,
        }
    }

    /// The loop's lane in the trace, from the first turn on.
    #[must_use]
    pub fn lane(&self) -> LaneId {
        self.state.lane
    }

    /// The lane of what runs now: the task's, or the loop's own.
    #[must_use]
    pub fn running_lane(&self) -> LaneId {
        self.state.current_lane()
    }

    /// A task's lane in the trace; none where it is no task of this loop.
    #[must_use]
    pub fn lane_of(&self, task: FutureId) -> Option<LaneId> {
        self.state.lane_of(task)
    }
}
