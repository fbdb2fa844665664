//! Which one should I use? What a job is like decides: advice with its reason, and the evidence beside it.
//!
//! Not here: the rules (`advice`), and what each strategy makes of a job (`model`).

mod advice;
mod model;

use super::parameters::{CORES, LOGICAL_CORES, Parameter, RUNTIME};
use super::{About, Lab, Model, linked, presets};
use crate::wire::{Mode, Strategy};

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct Choose;

/// Its place in the list.
pub const LAB: Choose = Choose;

/// The common mistakes, in teaching order.
const CASES: &[&str] = &[
    "threads-for-computing",
    "blocking-in-coroutine",
    "async-for-one-query",
    "unbounded-tasks",
    "unlocked-state",
    "append-as-proof",
    "pool-per-task",
    "large-objects",
    "lock-order",
    "no-guard",
    "timeout-for-thread",
];

/// The job that was described, the rows of the table of decisions, the job of four sections, and the mistakes.
const VARIANTS: &[&str] = &[
    YOURS,
    "network-calls",
    "thousands",
    "python-computing",
    "releasing-code",
    "no-locks",
    "deadline",
    "slow-services",
    "few-queries",
    "crash-outside",
    "job-none",
    "job-fetching",
    "job-parsing",
    "job-hashing",
    "job-storing",
    "threads-for-computing-written",
    "threads-for-computing-better",
    "blocking-in-coroutine-written",
    "blocking-in-coroutine-better",
    "async-for-one-query-written",
    "async-for-one-query-better",
    "unbounded-tasks-written",
    "unbounded-tasks-better",
    "unlocked-state-written",
    "unlocked-state-better",
    "append-as-proof-written",
    "append-as-proof-better",
    "pool-per-task-written",
    "pool-per-task-better",
    "large-objects-written",
    "large-objects-better",
    "lock-order-written",
    "lock-order-better",
    "no-guard-written",
    "no-guard-better",
    "timeout-for-thread-written",
    "timeout-for-thread-better",
];

/// The variant of the job that was described.
const YOURS: &str = "yours";

/// The sections of the job of four, and what each can be given to.
const SECTIONS: [&str; 4] = ["fetching", "parsing", "hashing", "storing"];
const HANDS: &[&str] = &["serial", "threads", "processes", "event-loop"];

const PARAMETERS: &[Parameter] = &[
    Parameter::choice("time", Some("waits"), &["waits", "computes", "releases"]),
    Parameter::unsigned("atOnce", "", 10, 1, 100_000),
    Parameter::choice("shared", Some("none"), &["none", "locked", "lock-free"]),
    Parameter::choice("libraries", Some("blocking"), &["blocking", "async"]),
    Parameter::flag("deadline", false),
    Parameter::unsigned("memoryMiB", "MiB", 1_024, 16, 65_536),
    Parameter::flag("crashSafe", false),
    Parameter::choice("case", None, CASES),
    Parameter::choice("fetching", None, HANDS),
    Parameter::choice("parsing", None, HANDS),
    Parameter::choice("hashing", None, HANDS),
    Parameter::choice("storing", None, HANDS),
    presets::parameter("lesson-a"),
    RUNTIME,
    CORES,
    LOGICAL_CORES,
];

impl Lab for Choose {
    fn about(&self) -> About {
        About {
            id: "choose",
            modes: &[Mode::Model],
            parameters: PARAMETERS,
            strategies: &[
                Strategy::Serial,
                Strategy::Threads,
                Strategy::Processes,
                Strategy::Interpreters,
                Strategy::EventLoop,
                Strategy::ToThread,
            ],
            variants: VARIANTS,
            claims: &[],
            opening: &[],
            minutes: 25,
            sections: &["A: Which one to use", "B: Choosing", "C: A table of decisions"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}
