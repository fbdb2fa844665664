//! The rows of a modelled run. Not here: the machine.

use super::super::{LARGE_BYTES, SMALL_BYTES, runtime};
use crate::labs::Asked;
use crate::machine::threads::{StartMethod, Workers};
use crate::measure::Subject;
use crate::wire::{Runtime, Sabotage, Strategy};

/// Chunks of the rows that compare them, by their ids.
const CHUNKS: [(&str, u32); 4] = [
    ("chunk-1", 1),
    ("chunk-10", 10),
    ("chunk-100", 100),
    ("chunk-1000", 1_000),
];

/// Items of those rows, at most: more would show the same.
const MOST_ITEMS: u32 = 10_000;

/// One row.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is.
    pub subject: Subject,
    /// What is done.
    pub what: What,
    /// By whom.
    pub workers_are: Workers,
    /// How many of them.
    pub workers: u32,
    /// Items of the lists and chunks.
    pub items: u32,
    /// Whether lists that should be one are several.
    pub has_own_lists: bool,
}

/// What a row does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Workers append to what they call the list.
    List {
        /// Items a call.
        chunk: u32,
    },
    /// A map over trivial items.
    Chunks {
        /// Items a call.
        chunk: u32,
    },
    /// One payload is handed to a worker that is there.
    Crossing {
        /// Its size.
        bytes: u32,
    },
    /// Each worker imports one module.
    Import {
        /// Whether the module can be loaded more than once in a process.
        is_made_for_many: bool,
    },
    /// One of the workers crashes while all work.
    Crash,
}

impl Case {
    /// Puts a fault in that is the lab's own.
    pub fn spoil(&mut self, sabotage: Option<Sabotage>) {
        match (sabotage, &mut self.what) {
            (Some(Sabotage::ChunksThatAreIgnored), What::Chunks { chunk }) => *chunk = 1,
            // What was to be shared is packed and sent.
            (Some(Sabotage::SharingThatCopies), What::Crossing { .. }) if self.workers_are == Workers::Threads => {
                self.workers_are = Workers::Processes(StartMethod::ForkServer);
            }
            (Some(Sabotage::ListsOfTheirOwn), What::List { .. }) => self.has_own_lists = true,
            (Some(Sabotage::ExtensionThatLoadsAnywhere), What::Import { is_made_for_many }) => *is_made_for_many = true,
            // The crash takes down whoever shares a process: with this fault all do.
            (Some(Sabotage::TrapThatSpreads), What::Crash) => self.workers_are = Workers::Threads,
            // Every worker gets a process of its own.
            (Some(Sabotage::TrapThatStaysInside), What::Crash) => {
                self.workers_are = Workers::Processes(StartMethod::ForkServer);
            }
            _ => {}
        }
    }
}

/// The rows of a run.
pub fn cases(asked: &Asked) -> Vec<Case> {
    let runtime = runtime(asked);
    let is_old = runtime == Runtime::GilLegacy;
    let (workers, items) = (asked.unsigned("workers"), asked.unsigned("items"));
    let processes = Workers::Processes(if is_old {
        StartMethod::Fork
    } else {
        StartMethod::ForkServer
    });
    let case = |workers_are, variant: &str, what| Case {
        subject: Subject {
            variant: Some(variant.to_owned()),
            runtime: Some(runtime),
            workers: Some(match what {
                What::Crossing { .. } => 1,
                _ => workers,
            }),
            baseline: variant == "chunk-1"
                || (matches!(workers_are, Workers::Processes(_)) && matches!(what, What::Crossing { .. })),
            ..Subject::new(match workers_are {
                Workers::Threads => Strategy::Threads,
                Workers::Interpreters => Strategy::Interpreters,
                Workers::Processes(_) => Strategy::Processes,
            })
        },
        what,
        workers_are,
        workers,
        items: match what {
            What::Chunks { .. } => items.min(MOST_ITEMS),
            _ => items,
        },
        has_own_lists: false,
    };
    // Interpreters with a lock of their own are younger than the old lock.
    let has_interpreters = !is_old;
    let all = [Workers::Threads, Workers::Interpreters, processes];
    let all = || {
        all.into_iter()
            .filter(|of| has_interpreters || *of != Workers::Interpreters)
    };

    let chunk = asked.unsigned("chunk");
    let mut cases: Vec<Case> = all().map(|of| case(of, "list", What::List { chunk })).collect();
    for (copy, share, bytes) in [
        ("copy-1k", "share-1k", SMALL_BYTES),
        ("copy", "share", asked.unsigned("payloadBytes")),
        ("copy-64m", "share-64m", LARGE_BYTES),
    ] {
        let what = What::Crossing { bytes };
        cases.push(case(processes, copy, what));
        if has_interpreters {
            cases.push(case(Workers::Interpreters, copy, what));
        }
        cases.push(case(Workers::Threads, share, what));
    }
    cases.extend(CHUNKS.map(|(variant, chunk)| case(processes, variant, What::Chunks { chunk })));
    let import = |is_made_for_many| What::Import { is_made_for_many };
    cases.push(case(Workers::Threads, "import", import(true)));
    if has_interpreters {
        cases.push(case(Workers::Interpreters, "import", import(true)));
        cases.push(case(Workers::Interpreters, "import-refused", import(false)));
    }
    cases.extend(all().map(|of| case(of, "crash", What::Crash)));
    cases
}
