//! Processes: how they start, what they run first, and how they end.
//!
//! Not here: the steps of a start and an end (`process_life`).

use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

use super::{ExecutorId, InterpreterId, ProcessId, ThreadId};
use crate::machine::trace::LaneId;
use crate::machine::{Nanoseconds, Outcome, Program};

/// What is asked of processes.
#[derive(Debug)]
pub enum ProcessCall {
    /// `multiprocessing.Process(…).start()`. Gives a [`ProcessId`].
    Start(Box<StartProcess>),
    /// `process.join(timeout)`
    Join(ProcessId, Option<Nanoseconds>),
    /// `process.exitcode`: nothing while it runs; 1 after an exception that nobody caught, -15 if it was terminated.
    ExitCode(ProcessId),
    /// `process.is_alive()`
    IsAlive(ProcessId),
    /// `process.terminate()`
    Terminate(ProcessId),
    /// `os._exit(code)`: this process ends here and now.
    Exit(i64),
    /// `multiprocessing.current_process()`. Gives a [`ProcessId`].
    Current,
    /// `__name__ == "__main__"`: false while a child imports its parent's main module.
    IsMain,
}

/// How a process begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StartMethod {
    /// A copy of the parent: its cells and all, nothing is imported.
    Fork,
    /// A copy of a server that has imported nothing of the parent's; the default on Linux since 3.14.
    #[default]
    ForkServer,
    /// A new Python from nothing.
    Spawn,
}

/// The main module of a program: its top-level statements, which run once in the first process and again in every
/// child that does not copy it.
pub type Module = Rc<dyn Fn() -> Box<dyn Program>>;

/// A process to be started.
pub struct StartProcess {
    /// How.
    pub method: StartMethod,
    /// What it runs.
    pub target: Box<dyn Program>,
    /// Its name, else `Process-1` and so on.
    pub name: Option<String>,
    /// Whether it is terminated when its parent ends, rather than waited for.
    pub daemon: bool,
}

impl StartProcess {
    /// A process for a program, as `multiprocessing.Process(target=program)`.
    #[must_use]
    pub fn new(method: StartMethod, target: Box<dyn Program>) -> Self {
        Self {
            method,
            target,
            name: None,
            daemon: false,
        }
    }
}

impl fmt::Debug for StartProcess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StartProcess")
            .field("method", &self.method)
            .field("name", &self.name)
            .field("daemon", &self.daemon)
            .finish_non_exhaustive()
    }
}

/// A process, alive or ended.
pub(super) struct Process {
    pub lane: LaneId,
    pub name: String,
    pub parent: Option<ProcessId>,
    pub children: Vec<ProcessId>,
    pub daemon: bool,
    pub depth: u32,
    pub main: ThreadId,
    pub interpreter: InterpreterId,
    /// Its main module's factory.
    pub module: Option<Module>,
    /// Whether its code runs as the main module: not in a child that has imported it.
    pub is_main: bool,
    /// Whether it still imports the main module; it may start no process so long.
    pub is_importing: bool,
    /// Whether it has started a fork server.
    pub has_fork_server: bool,
    /// Threads that are alive and keep it alive, without the main thread.
    pub n_keeping: u32,
    /// Threads that were started, for their names.
    pub n_named: u32,
    /// How its main program ended, once it has; the process then only waits for what keeps it alive.
    pub outcome: Option<Outcome>,
    pub exit_code: Option<i64>,
    /// Pools that were made here.
    pub pools: Vec<ExecutorId>,
    /// The pool whose worker it is.
    pub worker_of: Option<ExecutorId>,
    pub watchers: VecDeque<ThreadId>,
}

impl Process {
    pub fn has_ended(&self) -> bool {
        self.exit_code.is_some()
    }
}
