//! The rows of a modelled run, and what each of them hashes.
//!
//! Not here: the machine.

use super::super::{FILE_BYTES, Kind, kinds, runtimes};
use crate::labs::Asked;
use crate::measure::Subject;
use crate::wire::{Runtime, Strategy};
use crate::workloads::sha256::releases_lock;

/// All rows: what can be asked for, then inputs of each length around the bend.
pub const VARIANTS: &[&str] = &[
    "big", "small", "files", "at-64", "at-512", "at-1024", "at-2047", "at-2048", "at-4096", "at-8192", "at-16384",
    "at-65536",
];

/// The lengths of the rows around the bend, by their ids.
const SWEEP: [(&str, u32); 9] = [
    ("at-64", 64),
    ("at-512", 512),
    ("at-1024", 1_024),
    ("at-2047", 2_047),
    ("at-2048", 2_048),
    ("at-4096", 4_096),
    ("at-8192", 8_192),
    ("at-16384", 16_384),
    ("at-65536", 65_536),
];

/// Bytes of a row around the bend: some 10 ms of one thread. More would show the same gain.
const SWEEP_BYTES: u32 = 16 << 20;

/// Inputs of such a row, at most: a short input takes longer than its bytes do.
const MOST_OF_SWEEP: u32 = 16_384;

/// Inputs of a row that each let go of the lock, at most: more would show the same gain.
const MOST_RELEASING: u32 = 20_000;

/// One row.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is.
    pub subject: Subject,
    /// On which build.
    pub runtime: Runtime,
    /// Tasks, among which the inputs are shared out.
    pub tasks: u32,
    /// Inputs of all tasks together.
    pub inputs: u32,
    /// Bytes of one.
    pub input_bytes: u32,
    /// Whether each is read first.
    pub reads: bool,
    /// Who hashes.
    pub how: How,
    /// Whether it is one of the rows around the bend.
    pub is_sweep: bool,
    /// How many inputs were asked for, where fewer are modelled.
    pub wanted: Option<u32>,
}

/// Who hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// One thread, one task after the other.
    Alone,
    /// A pool of so many threads, made for it.
    Threads(u32),
    /// A pool of so many processes, all of them started before.
    Processes(u32),
}

impl Case {
    /// How many of the inputs are this task's.
    pub fn share(&self, task: u32) -> u32 {
        let up_to = |n: u32| u64::from(self.inputs) * u64::from(n) / u64::from(self.tasks.max(1));
        u32::try_from(up_to(task + 1) - up_to(task)).unwrap_or(u32::MAX)
    }
}

/// The rows of a run. For each kind and runtime one thread first, with which the next is compared.
pub fn cases(asked: &Asked) -> Vec<Case> {
    let runtimes = runtimes(asked);
    let threads = asked.unsigned("threads");
    let mut cases = Vec::new();
    for kind in kinds(asked) {
        for runtime in runtimes.iter().copied() {
            cases.push(case(asked, kind, runtime, How::Alone));
            cases.push(case(asked, kind, runtime, How::Threads(threads)));
            let is_first = runtimes.first() == Some(&runtime);
            if kind == Kind::Big && is_first {
                cases.push(case(asked, kind, runtime, How::Processes(threads)));
            }
        }
    }
    let locked = runtimes.into_iter().find(|runtime| *runtime != Runtime::FreeThreaded);
    if let (Some(runtime), true) = (locked, asked.allows("buffers", Kind::Small.id())) {
        cases.extend(SWEEP.map(|(id, bytes)| of_sweep(asked, runtime, id, bytes)));
    }
    cases
}

fn case(asked: &Asked, kind: Kind, runtime: Runtime, how: How) -> Case {
    let tasks = asked.unsigned("tasks");
    let (inputs, input_bytes) = match kind {
        Kind::Big => (tasks, asked.unsigned("bufferMiB") << 20),
        Kind::Small => (tasks * asked.unsigned("messages"), asked.unsigned("messageBytes")),
        Kind::Files => (asked.unsigned("files"), FILE_BYTES),
    };
    let is_whole = !releases_lock(input_bytes as usize) || inputs <= MOST_RELEASING;
    let (strategy, workers) = match how {
        How::Alone => (Strategy::Serial, 1),
        How::Threads(workers) => (Strategy::Threads, workers),
        How::Processes(workers) => (Strategy::Processes, workers),
    };
    Case {
        subject: Subject {
            variant: Some(kind.id().to_owned()),
            runtime: Some(runtime),
            workers: Some(workers),
            baseline: how == How::Alone,
            ..Subject::new(strategy)
        },
        runtime,
        tasks,
        inputs: if is_whole { inputs } else { MOST_RELEASING },
        input_bytes,
        reads: kind == Kind::Files,
        how,
        is_sweep: false,
        wanted: (!is_whole).then_some(inputs),
    }
}

fn of_sweep(asked: &Asked, runtime: Runtime, id: &str, input_bytes: u32) -> Case {
    let threads = asked.unsigned("threads");
    Case {
        subject: Subject {
            variant: Some(id.to_owned()),
            runtime: Some(runtime),
            workers: Some(threads),
            ..Subject::new(Strategy::Threads)
        },
        runtime,
        // Enough tasks that no thread is without work at the end.
        tasks: threads * 4,
        inputs: (SWEEP_BYTES / input_bytes).min(MOST_OF_SWEEP),
        input_bytes,
        reads: false,
        how: How::Threads(threads),
        is_sweep: true,
        wanted: None,
    }
}
