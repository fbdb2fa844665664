//! How processes start and end.
//!
//! Worked example, `spawn` with a main module: the parent pays its part and goes on; the child's first thread pays
//! Python's start, runs the main module again (as `__mp_main__`: a guard keeps it from starting processes, and without
//! one it may not), and then the target.
//!
//! Not here: pools of processes.

use std::collections::VecDeque;

use super::blocking::Answer;
use super::interpreters::Cells;
use super::processes::{Module, Process, ProcessCall, StartMethod, StartProcess};
use super::progress::{Ended, Limit};
use super::thread::{Then, Wait};
use super::thread_life::Runs;
use super::{Body, InterpreterId, Machine, ProcessId, ThreadId};
use crate::machine::trace::{LaneKind, State};
use crate::machine::{Exception, Kind, Nanoseconds, Value};

/// What a process's exit code says after an exception that nobody caught.
const FAILED: i64 = 1;
/// And after it was terminated: the negative number of the signal.
const TERMINATED: i64 = -15;

impl Machine {
    pub(super) fn process(&self, id: ProcessId) -> &Process {
        self.processes
            .get(id.index())
            .expect("ids of processes are checked where programs hand them in")
    }

    pub(super) fn process_mut(&mut self, id: ProcessId) -> &mut Process {
        self.processes
            .get_mut(id.index())
            .expect("ids of processes are checked where programs hand them in")
    }

    /// Whether there is such a process and it has not ended.
    pub(super) fn is_alive(&self, id: ProcessId) -> bool {
        self.processes
            .get(id.index())
            .is_some_and(|process| !process.has_ended())
    }

    pub(super) fn start_first_process(&mut self, main: Body, module: Option<Module>) {
        assert!(self.processes.is_empty(), "a machine runs one program");
        let name = "MainProcess".to_owned();
        let runs = Runs::Body(main);
        if let Some(process) = self.add_process(None, name, false, Cells::default(), module, runs) {
            let main = self.process(process).main;
            self.thread_mut(main).owed = Nanoseconds::ZERO;
            self.want_lock(main);
        }
    }

    /// A process with its main interpreter and thread, which is not set going yet; none if there are too many.
    fn add_process(
        &mut self,
        parent: Option<ProcessId>,
        name: String,
        daemon: bool,
        cells: Cells,
        module: Option<Module>,
        runs: Runs,
    ) -> Option<ProcessId> {
        if self.memory.processes() >= self.settings.limits.processes {
            self.exceed(Limit::Processes);
            return None;
        }
        let depth = parent.map_or(0, |parent| self.process(parent).depth + 1);
        if depth > self.settings.limits.depth {
            self.exceed(Limit::Depth);
            return None;
        }
        let id = ProcessId(self.processes.len() as u32);
        let parent_lane = parent.map(|parent| self.process(parent).lane);
        let now = self.now;
        let lane = self.recorder.lane(now, LaneKind::Process, parent_lane, || name.clone());
        self.recorder.enter(now, lane, State::Running);
        self.processes.push(Process {
            lane,
            name,
            parent,
            children: Vec::new(),
            daemon,
            depth,
            main: ThreadId(u32::MAX),
            interpreter: InterpreterId(self.interpreters.len() as u32),
            module,
            is_main: true,
            is_importing: false,
            has_fork_server: false,
            n_keeping: 0,
            n_named: 0,
            outcome: None,
            exit_code: None,
            pools: Vec::new(),
            worker_of: None,
            watchers: VecDeque::new(),
        });
        self.memory.process_started(&self.settings.costs.memory);
        let interpreter = self.add_interpreter(id, cells);
        let main = self.add_thread(id, interpreter, Some("MainThread".to_owned()), false, depth, runs)?;
        self.process_mut(id).main = main;
        if let Some(parent) = parent {
            self.process_mut(parent).children.push(id);
        }
        Some(id)
    }

    pub(super) fn process_call(&mut self, thread: ThreadId, call: ProcessCall) -> Answer {
        let known = |id: ProcessId| self.processes.get(id.index());
        match call {
            ProcessCall::Start(start) => {
                let StartProcess {
                    method,
                    target,
                    name,
                    daemon,
                } = *start;
                let runs = Runs::Body(Body::Program(target));
                match self.start_process(thread, method, name, daemon, runs) {
                    Ok(process) => process.into(),
                    Err(answer) => answer,
                }
            }
            ProcessCall::Join(other, limit) => match self.processes.get_mut(other.index()) {
                None => Answer::unknown(),
                Some(process) if process.has_ended() => Value::None.into(),
                Some(process) => {
                    process.watchers.push_back(thread);
                    Answer::Blocks(Wait::Process(other), limit)
                }
            },
            ProcessCall::ExitCode(other) => match known(other) {
                Some(process) => process.exit_code.map_or(Value::None, Value::Int).into(),
                None => Answer::unknown(),
            },
            ProcessCall::IsAlive(other) => match known(other) {
                Some(process) => (!process.has_ended()).into(),
                None => Answer::unknown(),
            },
            ProcessCall::Terminate(other) => match known(other) {
                Some(_) => {
                    self.end_process(other, Some(TERMINATED));
                    if self.thread(thread).is_alive() {
                        Value::None.into()
                    } else {
                        Answer::Stops
                    }
                }
                None => Answer::unknown(),
            },
            ProcessCall::Exit(code) => {
                self.end_process(self.thread(thread).process, Some(code));
                Answer::Stops
            }
            ProcessCall::Current => self.thread(thread).process.into(),
            ProcessCall::IsMain => self.process(self.thread(thread).process).is_main.into(),
        }
    }

    /// Starts a process from a thread of another.
    pub(super) fn start_process(
        &mut self,
        by: ThreadId,
        method: StartMethod,
        name: Option<String>,
        daemon: bool,
        runs: Runs,
    ) -> Result<ProcessId, Answer> {
        let parent_id = self.thread(by).process;
        let parent = self.process(parent_id);
        if parent.is_importing {
            return Err(Answer::raises(
                Kind::RuntimeError,
                "An attempt has been made to start a new process before the current process has finished its \
                 bootstrapping phase.",
            ));
        }
        if parent.daemon {
            let message = Value::Text("daemonic processes are not allowed to have children".into());
            return Err(Answer::Raises(Exception::own("AssertionError", message)));
        }
        let is_copy = method == StartMethod::Fork;
        let name = name.unwrap_or_else(|| format!("Process-{}", parent.children.len() + 1));
        let (module, is_main, has_server) = (parent.module.clone(), parent.is_main, parent.has_fork_server);
        let interpreter = self.thread(by).interpreter;
        let cells = if is_copy {
            self.interpreter(interpreter).cells.clone()
        } else {
            Cells::default()
        };
        let Some(process) = self.add_process(Some(parent_id), name, daemon, cells, module.clone(), runs) else {
            return Err(Answer::Stops);
        };
        let costs = &self.settings.costs;
        let mut owed = match method {
            StartMethod::Fork => costs.fork.child,
            StartMethod::ForkServer if has_server => costs.fork_server.child,
            StartMethod::ForkServer => costs.fork_server_start + costs.fork_server.child,
            StartMethod::Spawn => costs.spawn.child,
        };
        let imports = module.filter(|_| !is_copy);
        if imports.is_some() {
            owed += costs.module_import;
        }
        if method == StartMethod::ForkServer {
            self.process_mut(parent_id).has_fork_server = true;
        }
        let of = self.process_mut(process);
        of.is_main = is_main && is_copy;
        of.is_importing = imports.is_some();
        let main = of.main;
        if let Some(module) = imports {
            self.push_program(main, module(), Then::Import);
        }
        self.thread_mut(main).owed = owed;
        self.want_lock(main);
        Ok(process)
    }

    /// A child has imported the main module.
    pub(super) fn imported(&mut self, thread: ThreadId) {
        let process = self.thread(thread).process;
        self.process_mut(process).is_importing = false;
    }

    /// A process ends here and now, with this exit code or the one that its main program's end gives.
    pub(super) fn end_process(&mut self, id: ProcessId, code: Option<i64>) {
        let of = self.process_mut(id);
        if of.has_ended() {
            return;
        }
        let outcome = of.outcome.clone();
        let by_itself = match &outcome {
            Some(Err(_)) => FAILED,
            Some(Ok(_)) | None => 0,
        };
        let code = code.unwrap_or(by_itself);
        of.exit_code = Some(code);
        let (lane, parent, children) = (of.lane, of.parent, of.children.clone());
        for child in children {
            if self.process(child).daemon {
                self.end_process(child, Some(TERMINATED));
            }
        }
        for number in 0..self.threads.len() as u32 {
            let thread = ThreadId(number);
            if self.thread(thread).process == id && self.thread(thread).is_alive() {
                self.stop_thread(thread);
            }
        }
        let now = self.now;
        for number in 0..self.interpreters.len() as u32 {
            if self.interpreter(InterpreterId(number)).process == id {
                self.end_interpreter(InterpreterId(number));
            }
        }
        self.recorder
            .enter(now, lane, if code == 0 { State::Done } else { State::Failed });
        self.memory.process_ended(&self.settings.costs.memory);
        self.record_memory();
        let watchers = self.process(id).watchers.clone();
        self.wake_first(&watchers, usize::MAX);
        self.worker_process_ended(id);
        match parent {
            Some(parent) => self.let_exit(parent),
            None => {
                let outcome = outcome.unwrap_or(Ok(Value::Int(code)));
                self.ended.get_or_insert(Ended::Main(outcome));
            }
        }
    }

    pub(super) fn leave_process(&mut self, thread: ThreadId, process: ProcessId) {
        self.process_mut(process).watchers.retain(|waiter| *waiter != thread);
    }

    /// One more interpreter for this process.
    pub(super) fn new_interpreter(&mut self, thread: ThreadId) -> Answer {
        if self.interpreters.len() >= self.settings.limits.processes as usize {
            self.exceed(Limit::Processes);
            return Answer::Stops;
        }
        let process = self.thread(thread).process;
        let interpreter = self.add_interpreter(process, Cells::default());
        self.record_memory();
        interpreter.into()
    }
}
