//! What a loop holds: tasks, what is ready, timers and timeouts.
//!
//! Not here: what happens to them, see `scheduler`.

use std::collections::VecDeque;
use std::pin::Pin;

use super::calls::Calls;
use crate::wire::SlowStep;

/// A task's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId(pub usize);

/// Names one suspension of one task, so that a wake-up that comes too late finds nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait(u64);

/// Something the loop will do.
#[derive(Clone, Copy, Debug)]
pub enum Callback {
    /// Runs a task to its next suspension.
    Step(TaskId),
    /// What a task waited for has come: its step is due in the next iteration, as with asyncio's futures.
    Wake(TaskId, Wait),
    /// A timeout is over.
    Expire(Wait),
}

/// Where a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A step of it is in the ready queue. Next: running.
    Ready,
    /// Its step is being run. Next: any other.
    Running,
    /// Suspended until woken or cancelled. Next: ready.
    Waiting(Wait),
    /// Over; never runs again.
    Done,
}

/// What a task runs.
pub type Body = Pin<Box<dyn Future<Output = ()>>>;

/// One task.
pub struct Task {
    pub name: String,
    pub state: State,
    /// Out while it runs, and gone when it is done.
    pub body: Option<Body>,
    pub started: bool,
    /// A cancellation to be delivered at the next step.
    pub cancelled: bool,
}

/// A callback whose time has not come.
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    pub due_ns: u64,
    pub number: Wait,
    pub callback: Callback,
}

/// A timeout that has been set and not left.
#[derive(Clone, Copy, Debug)]
pub struct Timeout {
    pub number: Wait,
    pub task: TaskId,
    pub expired_ms: Option<f64>,
}

/// Everything that changes in a loop.
pub struct Inner {
    /// By number; done ones stay, a program has a dozen.
    pub tasks: Vec<Task>,
    pub ready: VecDeque<Callback>,
    /// Sorted by (time, number). A handful at most, so that a sorted list is the smallest heap.
    pub timers: VecDeque<Timer>,
    pub timeouts: Vec<Timeout>,
    numbered: u64,
    pub running: Option<TaskId>,
    pub calls: Calls,
    pub started_ms: Option<f64>,
    pub call_in_step: &'static str,
    pub slow_steps: Vec<SlowStep>,
}

impl Inner {
    /// Nothing yet.
    pub fn new(callers: u32) -> Self {
        Self {
            tasks: Vec::new(),
            ready: VecDeque::new(),
            timers: VecDeque::new(),
            timeouts: Vec::new(),
            numbered: 0,
            running: None,
            calls: Calls::new(callers),
            started_ms: None,
            call_in_step: "",
            slow_steps: Vec::new(),
        }
    }

    /// A number that no wait and no timeout has had.
    pub fn number(&mut self) -> Wait {
        self.numbered += 1;
        Wait(self.numbered)
    }

    /// Sets a timer.
    pub fn set(&mut self, timer: Timer) {
        let key = (timer.due_ns, timer.number);
        let index = self.timers.partition_point(|other| (other.due_ns, other.number) < key);
        self.timers.insert(index, timer);
    }

    /// The task whose step it is.
    pub fn running_task(&mut self) -> Option<(TaskId, &mut Task)> {
        let id = self.running?;
        self.tasks.get_mut(id.0).map(|task| (id, task))
    }
}
