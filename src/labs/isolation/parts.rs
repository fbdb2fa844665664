//! The rows of one measured run, and their actions. Not here: what they mean.

use super::{LARGE_BYTES, SMALL_BYTES};
use crate::labs::Asked;
use crate::labs::absence::of_shared_memory;
use crate::measure::{Absence, DEFAULT_LIMIT_MS, Experiment, Subject};
use crate::wire::{Action, AppendJob, CrossJob, Crossing, Environment, Fault, IsolateKind, Job, Strategy};

/// A sample of crossings lasts at least so long, so that a coarse clock can see it; one crossing may be all of it.
const LEAST_MS: u32 = 20;

/// How long the processes beside the one that traps work: long after it has.
const SURVIVORS_WORK_MS: u32 = 20;

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The list of the worker that hands nothing out.
    Parent,
    /// Threads append to one list.
    SharedList,
    /// Each isolate appends to its own.
    OwnLists(IsolateKind),
    /// A payload goes to another interpreter.
    Crossing(Crossing, Size),
    /// One of several processes traps.
    Trap,
}

/// Which payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The smallest.
    Small,
    /// The one asked for.
    Asked,
    /// The largest.
    Large,
}

/// All rows, in the order shown. A copy is what transferring and sharing as much is compared with.
pub const ALL: &[Part] = &[
    Part::Parent,
    Part::SharedList,
    Part::OwnLists(IsolateKind::Interpreter),
    Part::OwnLists(IsolateKind::Process),
    Part::Crossing(Crossing::Copy, Size::Small),
    Part::Crossing(Crossing::Transfer, Size::Small),
    Part::Crossing(Crossing::Share, Size::Small),
    Part::Crossing(Crossing::Copy, Size::Asked),
    Part::Crossing(Crossing::Transfer, Size::Asked),
    Part::Crossing(Crossing::Share, Size::Asked),
    Part::Crossing(Crossing::Copy, Size::Large),
    Part::Crossing(Crossing::Transfer, Size::Large),
    Part::Crossing(Crossing::Share, Size::Large),
    Part::Trap,
];

impl Part {
    fn variant(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::SharedList | Self::OwnLists(_) => "list",
            Self::Crossing(Crossing::Copy, Size::Small) => "copy-1k",
            Self::Crossing(Crossing::Copy, Size::Asked) => "copy",
            Self::Crossing(Crossing::Copy, Size::Large) => "copy-64m",
            Self::Crossing(Crossing::Transfer, Size::Small) => "transfer-1k",
            Self::Crossing(Crossing::Transfer, Size::Asked) => "transfer",
            Self::Crossing(Crossing::Transfer, Size::Large) => "transfer-64m",
            Self::Crossing(Crossing::Share, Size::Small) => "share-1k",
            Self::Crossing(Crossing::Share, Size::Asked) => "share",
            Self::Crossing(Crossing::Share, Size::Large) => "share-64m",
            Self::Trap => "crash",
        }
    }

    fn strategy(self) -> Strategy {
        match self {
            Self::Parent => Strategy::Serial,
            Self::SharedList => Strategy::Threads,
            Self::OwnLists(IsolateKind::Interpreter) | Self::Crossing(..) => Strategy::Interpreters,
            Self::OwnLists(IsolateKind::Process) | Self::Trap => Strategy::Processes,
        }
    }

    /// The size of its payload; 0 where it has none.
    pub fn bytes(self, asked: &Asked) -> u32 {
        match self {
            Self::Crossing(_, Size::Small) => SMALL_BYTES,
            Self::Crossing(_, Size::Asked) => asked.unsigned("payloadBytes"),
            Self::Crossing(_, Size::Large) => LARGE_BYTES,
            Self::Parent | Self::SharedList | Self::OwnLists(_) | Self::Trap => 0,
        }
    }
}

/// One run.
#[derive(Debug)]
pub struct Parts {
    asked: Asked,
    workers: u32,
    items: u32,
    chunk: u32,
    absent: Option<Absence>,
}

impl Parts {
    /// Plans the rows.
    pub fn new(asked: &Asked, environment: &Environment) -> Self {
        Self {
            asked: asked.clone(),
            workers: asked.unsigned("workers"),
            items: asked.unsigned("items"),
            chunk: asked.unsigned("chunk").max(1),
            absent: of_shared_memory(environment),
        }
    }

    /// The list is told by its length, so an item is only counted.
    fn append(&self, items: u32, threads: u32) -> Job {
        Job::Append(AppendJob {
            items,
            threads,
            chunk: self.chunk,
            sabotage: None,
        })
    }
}

impl Experiment for Parts {
    fn subjects(&self) -> Vec<Subject> {
        let subject = |part: &Part| {
            let is_shared = matches!(part, Part::SharedList | Part::Crossing(Crossing::Share, _));
            Subject {
                variant: Some(part.variant().to_owned()),
                workers: Some(match part {
                    Part::Parent => 1,
                    Part::Crossing(..) => 2,
                    Part::SharedList | Part::OwnLists(_) | Part::Trap => self.workers,
                }),
                needs_pool: *part == Part::SharedList,
                baseline: matches!(part, Part::Crossing(Crossing::Copy, _)),
                absent: self.absent.clone().filter(|_| is_shared),
                ..Subject::new(part.strategy())
            }
        };
        ALL.iter().map(subject).collect()
    }

    fn action(&self, row: usize, _size: u32) -> Action {
        // The sampler asks for rows of `subjects` only.
        let part = ALL.get(row).copied().unwrap_or(Part::Parent);
        let limit_ms = DEFAULT_LIMIT_MS;
        let on_lab = |threads, job| Action::OnLab {
            threads,
            job,
            callers: 0,
            limit_ms,
        };
        match part {
            Part::Parent => on_lab(0, self.append(0, 0)),
            Part::SharedList => on_lab(self.workers, self.append(self.items, self.workers)),
            Part::OwnLists(kind) => {
                let n_calls = self.items.div_ceil(self.chunk);
                let chunk = |number| self.chunk.min(self.items - number * self.chunk);
                Action::OnIsolates {
                    kind,
                    workers: self.workers,
                    cold: false,
                    jobs: (0..n_calls).map(|number| self.append(chunk(number), 0)).collect(),
                    limit_ms,
                }
            }
            Part::Crossing(way, _) => Action::OnPair {
                job: CrossJob {
                    way,
                    bytes: part.bytes(&self.asked),
                    least_ms: LEAST_MS,
                },
                limit_ms,
            },
            Part::Trap => {
                let survivor = |_| Job::Busy { ms: SURVIVORS_WORK_MS };
                let trap = Job::Fault { fault: Fault::Trap };
                Action::OnOwnProcesses {
                    jobs: [trap].into_iter().chain((1..self.workers).map(survivor)).collect(),
                    limit_ms,
                }
            }
        }
    }
}
