//! How much memory is in use, counted by documented constants ([`MemoryCosts`]).
//!
//! Not here: what a program itself allocates.

use super::{Machine, MemoryCosts};
use crate::machine::trace::CounterKind;

/// Memory at one moment, or at most, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Really used: processes, interpreters, threads and tasks.
    pub used: u64,
    /// Address space set aside for the stacks of threads.
    pub reserved: u64,
}

#[derive(Debug, Default)]
pub(super) struct Memory {
    threads: u32,
    processes: u32,
    interpreters: u64,
    tasks: u64,
    pub now: MemoryUse,
    pub peak: MemoryUse,
}

impl Memory {
    pub fn threads(&self) -> u32 {
        self.threads
    }

    pub fn processes(&self) -> u32 {
        self.processes
    }

    pub fn thread_started(&mut self, costs: &MemoryCosts) {
        self.threads += 1;
        self.count(costs);
    }

    pub fn thread_ended(&mut self, costs: &MemoryCosts) {
        self.threads -= 1;
        self.count(costs);
    }

    pub fn process_started(&mut self, costs: &MemoryCosts) {
        self.processes += 1;
        self.count(costs);
    }

    pub fn process_ended(&mut self, costs: &MemoryCosts) {
        self.processes -= 1;
        self.count(costs);
    }

    pub fn interpreter_ended(&mut self, costs: &MemoryCosts) {
        self.interpreters = self.interpreters.saturating_sub(1);
        self.count(costs);
    }

    pub fn interpreter_started(&mut self, costs: &MemoryCosts) {
        self.interpreters += 1;
        self.count(costs);
    }

    /// A loop that had so many tasks has so many now.
    pub fn tasks_changed(&mut self, costs: &MemoryCosts, before: u32, after: u32) {
        if before != after {
            self.tasks = self.tasks + u64::from(after) - u64::from(before);
            self.count(costs);
        }
    }

    /// The main thread and interpreter of a process are part of what a process takes.
    fn count(&mut self, costs: &MemoryCosts) {
        let more_interpreters = self.interpreters.saturating_sub(self.processes.into());
        let more_threads = u64::from(self.threads.saturating_sub(self.processes));
        self.now = MemoryUse {
            used: u64::from(self.processes) * costs.process
                + more_interpreters * costs.interpreter
                + more_threads * costs.thread
                + self.tasks * costs.task,
            reserved: more_threads * costs.thread_stack,
        };
        self.peak.used = self.peak.used.max(self.now.used);
        self.peak.reserved = self.peak.reserved.max(self.now.reserved);
    }
}

impl Machine {
    /// The most memory that was in use at once.
    #[must_use]
    pub fn peak_memory(&self) -> MemoryUse {
        self.memory.peak
    }

    /// The memory in use now.
    #[must_use]
    pub fn memory(&self) -> MemoryUse {
        self.memory.now
    }

    /// Counted on the first process's lane: memory is the machine's.
    pub(super) fn record_memory(&mut self) {
        if let Some(first) = self.processes.first() {
            let (now, lane) = (self.now, first.lane);
            self.recorder
                .count(now, lane, CounterKind::Memory, self.memory.now.used);
        }
    }
}
