//! What a run came to: threads, processes, hand-overs, loops.
//!
//! Not here: memory (`memory`), endpoints (`network`), cells (`interpreters`), trouble (`watch`, `diagnosis`).

use super::interpreter_lock::HandOvers;
use super::thread::Used;
use super::{InterpreterId, Machine, ProcessId, ThreadId};
use crate::machine::Outcome;
use crate::machine::event_loop::EventLoop;
use crate::machine::trace::{LaneId, State};

/// One thread, alive or ended.
#[derive(Clone, Debug)]
pub struct ThreadReport {
    /// Its id.
    pub id: ThreadId,
    /// Its name.
    pub name: String,
    /// Its lane.
    pub lane: LaneId,
    /// Its process.
    pub process: ProcessId,
    /// Its interpreter.
    pub interpreter: InterpreterId,
    /// Whether its process does not wait for it.
    pub daemon: bool,
    /// What it is doing.
    pub state: State,
    /// What it has used of cores.
    pub used: Used,
    /// How it ended, if it has.
    pub outcome: Option<Outcome>,
}

/// One process, alive or ended.
#[derive(Clone, Debug)]
pub struct ProcessReport {
    /// Its id.
    pub id: ProcessId,
    /// Its name.
    pub name: String,
    /// Its lane.
    pub lane: LaneId,
    /// Who started it; none of the first.
    pub parent: Option<ProcessId>,
    /// Its main interpreter.
    pub interpreter: InterpreterId,
    /// Its exit code, if it has ended.
    pub exit_code: Option<i64>,
}

impl Machine {
    /// One thread.
    #[must_use]
    pub fn thread_report(&self, id: ThreadId) -> Option<ThreadReport> {
        let thread = self.threads.get(id.index())?;
        Some(ThreadReport {
            id,
            name: thread.name.clone(),
            lane: thread.lane,
            process: thread.process,
            interpreter: thread.interpreter,
            daemon: thread.daemon,
            state: self.state_of(id),
            used: thread.used,
            outcome: thread.outcome.clone(),
        })
    }

    /// All threads, in the order of their making.
    #[must_use]
    pub fn thread_reports(&self) -> Vec<ThreadReport> {
        let all = 0..self.threads.len() as u32;
        all.filter_map(|number| self.thread_report(ThreadId(number))).collect()
    }

    /// All processes, in the order of their making.
    #[must_use]
    pub fn process_reports(&self) -> Vec<ProcessReport> {
        let all = self.processes.iter().zip(0..);
        all.map(|(process, number)| ProcessReport {
            id: ProcessId(number),
            name: process.name.clone(),
            lane: process.lane,
            parent: process.parent,
            interpreter: process.interpreter,
            exit_code: process.exit_code,
        })
        .collect()
    }

    /// How often interpreter locks went from one thread to another, in all interpreters.
    #[must_use]
    pub fn hand_overs(&self) -> HandOvers {
        let each = self.interpreters.iter().map(|interpreter| interpreter.lock.hand_overs);
        each.fold(HandOvers::default(), |sum, one| HandOvers {
            forced: sum.forced + one.forced,
            voluntary: sum.voluntary + one.voluntary,
        })
    }

    /// How often one interpreter's lock went from one thread to another.
    #[must_use]
    pub fn hand_overs_of(&self, interpreter: InterpreterId) -> Option<HandOvers> {
        self.interpreters.get(interpreter.index()).map(|of| of.lock.hand_overs)
    }

    /// What all threads have used of cores.
    #[must_use]
    pub fn used(&self) -> Used {
        self.threads
            .iter()
            .map(|thread| thread.used)
            .fold(Used::default(), |sum, one| Used {
                computed: sum.computed + one.computed,
                overhead: sum.overhead + one.overhead,
                on_core: sum.on_core + one.on_core,
            })
    }

    /// The event loop that runs on a thread, if any.
    #[must_use]
    pub fn event_loop(&self, thread: ThreadId) -> Option<&EventLoop> {
        self.threads.get(thread.index())?.event_loop()
    }
}
