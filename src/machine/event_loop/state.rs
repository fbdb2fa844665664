//! What a loop consists of, and what it is doing just now.
//!
//! Not here: how it moves on.

use std::collections::VecDeque;
use std::ops::Deref;

use super::callbacks::{Callback, Handle};
use super::conditions::{Barrier, Condition};
use super::contexts::{Context, ContextRow, Token, Variable};
use super::ending::Phase;
use super::futures::Futures;
use super::groups::Group;
use super::ids::{
    AsCompletedId, BarrierId, CallbackId, ConditionId, ContextId, ContextVarId, CoroutineId, EventId, FutureId,
    GroupId, HandleId, LockId, QueueId, SemaphoreId, TimeoutId, TokenId,
};
use super::locks::{Event, Lock, Semaphore};
use super::making::Making;
use super::queues::Queue;
use super::settings::{Ceiling, Complaint, Fault, LoopSettings};
use super::several::Completion;
use super::table::{Slots, Table};
use super::tasks::Coroutine;
use super::timeouts::Timeout;
use super::timers::Timers;
use super::waits::Waiting;
use crate::machine::trace::{LaneId, Recorder};
use crate::machine::{Effect, Input, Nanoseconds, Outcome, Program};

/// All of a loop but its recorder.
pub(super) struct State {
    pub(super) settings: LoopSettings,
    pub(super) now: Nanoseconds,
    pub(super) lane: LaneId,
    /// Until the first turn.
    pub(super) main_program: Option<Box<dyn Program>>,

    pub(super) ready: VecDeque<Callback>,
    pub(super) timers: Timers,
    /// What other threads posted since the last turn.
    pub(super) inbox: VecDeque<Callback>,

    pub(super) futures: Futures,
    pub(super) n_live_tasks: u32,
    /// Tasks made so far, and names given.
    pub(super) n_tasks: u32,
    pub(super) n_names: u32,
    pub(super) coroutines: Table<CoroutineId, Coroutine>,
    pub(super) handles: Slots<HandleId, Handle>,
    pub(super) done_callbacks: Slots<CallbackId, (Box<dyn Program>, Context)>,
    pub(super) contexts: Table<ContextId, ContextRow>,
    pub(super) variables: Table<ContextVarId, Variable>,
    pub(super) tokens: Table<TokenId, Token>,
    pub(super) groups: Table<GroupId, Group>,
    pub(super) timeouts: Table<TimeoutId, Timeout>,
    pub(super) locks: Table<LockId, Lock>,
    pub(super) events: Table<EventId, Event>,
    pub(super) conditions: Table<ConditionId, Condition>,
    pub(super) semaphores: Table<SemaphoreId, Semaphore>,
    pub(super) barriers: Table<BarrierId, Barrier>,
    pub(super) queues: Table<QueueId, Queue>,
    pub(super) completions: Table<AsCompletedId, Completion>,
    pub(super) n_objects: u32,

    /// What runs now: a callback or a task's step, and inside it the first steps of eager tasks.
    pub(super) running: Vec<Activity>,
    /// Callbacks that this iteration has still to run.
    pub(super) left: usize,
    pub(super) is_iterating: bool,
    /// Rounds that the iteration has had, where a fault gives it more than one.
    pub(super) n_rounds: u32,
    /// When the callback that runs began.
    pub(super) began: Nanoseconds,
    /// The task whose callback it is, or was.
    pub(super) step_of: Option<FutureId>,
    /// What it said it does.
    pub(super) doing: &'static str,
    pub(super) line: u32,
    /// The loop's own work since the last time it was asked for.
    pub(super) owed: Nanoseconds,
    pub(super) expects: Expects,
    pub(super) answer: Option<Input>,
    /// Effects that programs have made.
    pub(super) n_effects: u64,
    pub(super) n_iterations: u64,
    pub(super) exceeded: Option<Ceiling>,

    pub(super) phase: Phase,
    pub(super) is_stopping: bool,
    pub(super) main: Option<FutureId>,
    pub(super) outcome: Option<Outcome>,
    /// Futures that a post must settle.
    pub(super) n_due: u32,
    pub(super) has_used_pool: bool,
    pub(super) complaints: Vec<Complaint>,
}

/// What the next answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expects {
    /// None is due.
    Nothing,
    /// The loop's own cost was computed: the callback goes on as it was.
    Cost,
    /// The callback's effect was done.
    Effect,
}

/// One callback in the middle of its work.
pub(super) struct Activity {
    pub(super) who: Who,
    pub(super) program: Option<Box<dyn Program>>,
    pub(super) next: Next,
    /// Contexts that it has entered, the innermost last.
    pub(super) entered: Vec<ContextId>,
}

/// Whose code runs.
pub(super) enum Who {
    /// A task's step.
    Task(FutureId),
    /// A callback, in its context.
    Callback(Context),
}

/// How an activity goes on.
pub(super) enum Next {
    /// It waits for an inner activity, or for an answer.
    Nothing,
    /// The program goes on with this.
    Go(Input),
    /// What the task waited for is over, or a cancellation came.
    Wake(Waiting, Outcome),
    /// It is making tasks of several awaitables.
    Make(Box<Making>),
    /// A call was begun for this future: it is given, or awaited.
    Begun(FutureId, bool),
    /// The call was begun or refused, says the machine.
    Answered(FutureId, bool, Input),
    /// The machine is asked whether what was to answer this future is still open, and says so.
    TakenBack(FutureId),
}

/// What a step leads to.
pub(super) enum Step {
    /// The program goes on.
    Go(Input),
    /// The task waits.
    Wait,
    /// The task goes on inside this coroutine.
    Into(Box<dyn Program>, CoroutineId),
    /// The first step of an eager task comes first.
    Nested,
    /// The machine is to do something first.
    Perform(Effect),
    /// The program is over.
    Over(Outcome),
}

impl From<Outcome> for Step {
    fn from(outcome: Outcome) -> Self {
        Self::Go(outcome.into())
    }
}

impl Activity {
    pub(super) const fn new(who: Who) -> Self {
        Self {
            who,
            program: None,
            next: Next::Nothing,
            entered: Vec::new(),
        }
    }
}

/// A loop in the middle of a turn: its state and the recorder of the machine.
pub(super) struct Turn<'a> {
    pub(super) state: &'a mut State,
    pub(super) recorder: &'a mut Recorder,
}

impl Deref for Turn<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        self.state
    }
}

impl State {
    pub(super) fn new(settings: LoopSettings) -> Self {
        let mut timers = Timers::default();
        if settings.fault == Some(Fault::EqualDeadlinesReversed) {
            timers.reverse_equal();
        }
        Self {
            settings,
            now: Nanoseconds::ZERO,
            lane: LaneId::default(),
            main_program: None,
            ready: VecDeque::new(),
            timers,
            inbox: VecDeque::new(),
            futures: Futures::default(),
            n_live_tasks: 0,
            n_tasks: 0,
            n_names: 0,
            coroutines: Table::default(),
            handles: Slots::default(),
            done_callbacks: Slots::default(),
            contexts: Table::default(),
            variables: Table::default(),
            tokens: Table::default(),
            groups: Table::default(),
            timeouts: Table::default(),
            locks: Table::default(),
            events: Table::default(),
            conditions: Table::default(),
            semaphores: Table::default(),
            barriers: Table::default(),
            queues: Table::default(),
            completions: Table::default(),
            n_objects: 0,
            running: Vec::new(),
            left: 0,
            is_iterating: false,
            n_rounds: 0,
            began: Nanoseconds::ZERO,
            step_of: None,
            doing: "",
            line: 0,
            owed: Nanoseconds::ZERO,
            expects: Expects::Nothing,
            answer: None,
            n_effects: 0,
            n_iterations: 0,
            exceeded: None,
            phase: Phase::Main,
            is_stopping: false,
            main: None,
            outcome: None,
            n_due: 0,
            has_used_pool: false,
            complaints: Vec::new(),
        }
    }

    /// Whether this fault is seeded.
    pub(super) fn has(&self, fault: Fault) -> bool {
        self.settings.fault == Some(fault)
    }

    /// `asyncio.current_task()`
    pub(super) fn current_task(&self) -> Option<FutureId> {
        match self.running.last()?.who {
            Who::Task(task) => Some(task),
            Who::Callback(_) => None,
        }
    }

    /// One more object is kept.
    pub(super) fn count_object(&mut self) {
        self.n_objects += 1;
        if self.n_objects > self.settings.ceilings.objects {
            self.exceeded = Some(Ceiling::Objects);
        }
    }

    pub(super) fn lane_of(&self, task: FutureId) -> Option<LaneId> {
        let future = self.futures.get(task).ok()?;
        future.task().map(|_| future.lane)
    }

    /// The lane of the task that runs, or the loop's.
    pub(super) fn current_lane(&self) -> LaneId {
        let task = self.current_task();
        task.and_then(|task| self.lane_of(task)).unwrap_or(self.lane)
    }
}
