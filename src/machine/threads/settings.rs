//! What a machine is made with.
//!
//! Not here: the constants of real machines (a preset's), and the loop's own settings in full.

use super::{Costs, Switch};
use crate::machine::Nanoseconds;
use crate::machine::event_loop::LoopSettings;
use crate::machine::trace;
use crate::wire::Runtime;

/// Everything that fixes a run, but for its programs.
#[derive(Clone, Debug)]
pub struct MachineSettings {
    /// Physical cores, from 1.
    pub cores: u32,
    /// Logical cores, from [`cores`](Self::cores); core `n` shares the physical core `n % cores`. What Python calls the
    /// number of CPUs.
    pub logical_cores: u32,
    /// Which Python.
    pub runtime: Runtime,
    /// `sys.setswitchinterval`: 5 ms unless a program says otherwise.
    pub switch_interval: Nanoseconds,
    /// What things take.
    pub costs: Costs,
    /// How event loops are; their costs and lanes are filled in by the machine.
    pub event_loops: LoopSettings,
    /// Drives core phase, jitter and arrival laws; unused where [`costs`](Self::costs) ask for none of them.
    pub seed: u32,
    /// Another schedule than the machine's own; none of it, left alone. In any order.
    pub switches: Vec<Switch>,
    /// Where a run ends, whatever it does.
    pub limits: Limits,
    /// From which length a callback of an event loop is a stall: 100 ms.
    pub stall: Nanoseconds,
    /// Whether a trace is written.
    pub traced: bool,
    /// How much of it there may be, and whether the run ends there.
    pub trace_limits: trace::Limits,
    /// What is wrong with it, to see a claim fail; nothing, in honest runs.
    pub fault: Option<MachineFault>,
}

/// Where a run ends, whatever it does; each an explained result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Effects of all programs, and what happens between them: a thousand million.
    pub steps: u64,
    /// Virtual time: one day.
    pub time: Nanoseconds,
    /// Threads alive at once: 100,000.
    pub threads: u32,
    /// Processes and interpreters alive at once: 10,000.
    pub processes: u32,
    /// Locks, queues, futures and whatever else is made: 16 million.
    pub objects: u32,
    /// Threads and processes started by one that was started by one …: 1,000.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 1_000_000_000,
            time: Nanoseconds::seconds(86_400),
            threads: 100_000,
            processes: 10_000,
            objects: 16_000_000,
            depth: 1_000,
        }
    }
}

/// A fault to seed, each of which some claim must notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineFault {
    /// Threads' locks are acquired by anybody at any time.
    LockDoesNotLock,
    /// Every pool has one worker.
    PoolOneAfterAnother,
    /// All interpreters and processes have the same cells.
    CellsAreShared,
    /// No runtime has an interpreter lock.
    NoInterpreterLock,
    /// Time-outs of threads never pass.
    TimeoutNeverFires,
    /// Check points that programs state are passed without a look.
    CheckPointsIgnored,
}

impl Default for MachineSettings {
    /// The ideal machine: four cores, Python 3.10 and later.
    fn default() -> Self {
        Self {
            cores: 4,
            logical_cores: 4,
            runtime: Runtime::Gil,
            switch_interval: Nanoseconds::millis(5),
            costs: Costs::IDEAL,
            event_loops: LoopSettings::default(),
            seed: 1,
            switches: Vec::new(),
            limits: Limits::default(),
            stall: Nanoseconds::millis(100),
            traced: false,
            trace_limits: trace::Limits::default(),
            fault: None,
        }
    }
}
