//! How threads start and end.
//!
//! Not here: what they do meanwhile.

use std::collections::VecDeque;

use super::blocking::Answer;
use super::calls::{Body, Spawn};
use super::pools::{Manager, Worker};
use super::progress::Limit;
use super::thread::{Frame, FrameBody, Phase, Then, Thread, Used, Wait, Work};
use super::watch::LoopWatch;
use super::{ExecutorId, InterpreterId, Machine, ProcessId, ThreadId};
use crate::machine::event_loop::{EventLoop, LoopSettings};
use crate::machine::trace::{Instant, LaneId, LaneKind};
use crate::machine::{Input, Nanoseconds, Outcome};

/// What a new thread is to run.
pub(super) enum Runs {
    /// What a program says.
    Body(Body),
    /// The rounds of a pool's worker.
    Worker(ExecutorId),
    /// The rounds of a process pool's manager.
    Manager(ExecutorId),
}

impl Machine {
    /// `threading.Thread(…).start()`
    pub(super) fn spawn(&mut self, by: ThreadId, spawn: Spawn) -> Answer {
        let process = self.thread(by).process;
        let interpreter = spawn.interpreter.unwrap_or(self.thread(by).interpreter);
        let is_here = self
            .interpreters
            .get(interpreter.index())
            .is_some_and(|of| of.process == process);
        if !is_here {
            return Answer::unknown();
        }
        let runs = Runs::Body(spawn.body);
        match self.start_thread(by, interpreter, spawn.name, spawn.daemon, runs) {
            Some(started) => Answer::Blocks(Wait::Started(started, started.into()), None),
            None => Answer::Stops,
        }
    }

    /// A thread that another starts and waits for; none if there are too many.
    pub(super) fn start_thread(
        &mut self,
        by: ThreadId,
        interpreter: InterpreterId,
        name: Option<String>,
        daemon: bool,
        runs: Runs,
    ) -> Option<ThreadId> {
        let (process, depth) = (self.thread(by).process, self.thread(by).depth + 1);
        if depth > self.settings.limits.depth {
            self.exceed(Limit::Depth);
            return None;
        }
        let started = self.add_thread(process, interpreter, name, daemon, depth, runs)?;
        if !daemon {
            self.process_mut(process).n_keeping += 1;
        }
        self.thread_mut(started).watchers.push_back(by);
        self.want_lock(started);
        Some(started)
    }

    /// A thread that nothing has been done with yet; none if there are too many.
    pub(super) fn add_thread(
        &mut self,
        process: ProcessId,
        interpreter: InterpreterId,
        name: Option<String>,
        daemon: bool,
        depth: u32,
        runs: Runs,
    ) -> Option<ThreadId> {
        if self.memory.threads() >= self.settings.limits.threads {
            self.exceed(Limit::Threads);
            return None;
        }
        let id = ThreadId(self.threads.len() as u32);
        let of = self.process_mut(process);
        let name = name.unwrap_or_else(|| {
            of.n_named += 1;
            format!("Thread-{}", of.n_named)
        });
        let parent = self.interpreter(interpreter).lane;
        let now = self.now;
        let lane = self.recorder.lane(now, LaneKind::Thread, Some(parent), || name.clone());
        let body = self.frame_body(runs, lane);
        self.threads.push(Thread {
            lane,
            name,
            process,
            interpreter,
            daemon,
            depth,
            phase: Phase::New,
            epoch: 0,
            since: now,
            frames: vec![Frame {
                body,
                then: Then::EndThread,
            }],
            input: Input::Start,
            pending: None,
            work: Work::default(),
            owed: self.settings.costs.thread_begin,
            deadline: None,
            waking: false,
            switches_seen: 0,
            watchers: VecDeque::new(),
            has_begun: false,
            outcome: None,
            works_for: None,
            default_pool: None,
            last_core: None,
            used: Used::default(),
            turns_seen: 0,
            loop_watch: LoopWatch::default(),
        });
        self.memory.thread_started(&self.settings.costs.memory);
        self.record_memory();
        Some(id)
    }

    fn frame_body(&self, runs: Runs, lane: LaneId) -> FrameBody {
        match runs {
            Runs::Body(Body::Program(program)) => FrameBody::Program(program),
            Runs::Body(Body::Loop(main)) => {
                let mut event_loop = EventLoop::new(LoopSettings {
                    costs: self.settings.costs.event_loop,
                    thread_lane: Some(lane),
                    ..self.settings.event_loops.clone()
                });
                event_loop.start(main);
                FrameBody::Loop(Box::new(event_loop), false)
            }
            Runs::Worker(pool) => FrameBody::Worker(Worker::new(pool)),
            Runs::Manager(pool) => FrameBody::Manager(Manager::new(pool)),
        }
    }

    /// The main program of a thread has ended.
    pub(super) fn thread_ended(&mut self, thread: ThreadId, outcome: Outcome) {
        let of = self.thread_mut(thread);
        of.frames.clear();
        of.outcome = Some(outcome.clone());
        let process = of.process;
        self.watch.progress();
        if let Err(exception) = &outcome {
            let (now, lane) = (self.now, self.thread(thread).lane);
            let label = || format!("{:?} {}", exception.kind(), exception.message());
            self.recorder.instant(now, lane, Instant::Exception, label);
        }
        if self.process(process).main != thread {
            if let Err(exception) = outcome {
                self.watch.complaints.push(exception);
            }
            self.stop_thread(thread);
            return;
        }
        self.process_mut(process).outcome = Some(outcome);
        self.wake_watchers(thread);
        self.shut_pools_of(process);
        self.settle_woken();
        if self.may_exit(thread) {
            self.end_process(process, None);
        } else {
            self.block(thread, Wait::Exit, None);
        }
    }

    /// A thread is no more, wherever it was.
    pub(super) fn stop_thread(&mut self, thread: ThreadId) {
        match std::mem::replace(&mut self.thread_mut(thread).phase, Phase::New) {
            Phase::Ended => {
                self.thread_mut(thread).phase = Phase::Ended;
                return;
            }
            Phase::Running(core) => {
                self.thread_mut(thread).phase = Phase::Running(core);
                self.leave_core(thread);
            }
            Phase::NeedsCore => self.cores.queue.retain(|waiter| *waiter != thread),
            Phase::Blocked(wait) => self.forget_wait(thread, &wait),
            Phase::New | Phase::NeedsLock => {}
        }
        self.enter(thread, Phase::Ended);
        self.forget_lock(thread);
        let of = self.thread_mut(thread);
        // A program of a stopped thread is dropped, and with it what it holds.
        of.frames.clear();
        of.pending = None;
        of.owed = Nanoseconds::ZERO;
        let n_tasks = std::mem::take(&mut of.loop_watch.n_tasks);
        let (process, daemon) = (of.process, of.daemon);
        let costs = &self.settings.costs.memory;
        self.memory.tasks_changed(costs, n_tasks, 0);
        self.memory.thread_ended(costs);
        self.record_memory();
        if !daemon && self.process(process).main != thread {
            self.process_mut(process).n_keeping -= 1;
        }
        self.wake_watchers(thread);
        self.worker_ended(thread);
        self.let_exit(process);
    }

    /// Wakes who waits for a thread to begin or end.
    pub(super) fn wake_watchers(&mut self, thread: ThreadId) {
        let watchers = self.thread(thread).watchers.clone();
        self.wake_first(&watchers, usize::MAX);
    }

    /// Wakes a process's main thread if nothing keeps it any longer.
    pub(super) fn let_exit(&mut self, process: ProcessId) {
        let main = self.process(process).main;
        if matches!(self.thread(main).wait(), Some(Wait::Exit)) && self.may_exit(main) {
            self.wake(main);
        }
    }

    /// Whether nothing keeps a process alive but its main thread.
    pub(super) fn may_exit(&self, main: ThreadId) -> bool {
        let process = self.process(self.thread(main).process);
        let mut children = process.children.iter().map(|child| self.process(*child));
        process.n_keeping == 0 && children.all(|child| child.daemon || child.has_ended())
    }
}
