//! Many slow requests: one after another, on threads, in processes, as tasks, with and without a limit.
//!
//! Not here: real requests; this lab is modelled only.

mod model;

use super::parameters::{Asked, CORES, LOGICAL_CORES, Parameter, RUNTIME};
use super::{About, Complaint, Lab, Model, linked, presets};
use crate::text::args;
use crate::wire::{Environment, ErrorCode, Mode, Strategy};

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct FanOut;

/// Its place in the list.
pub const LAB: FanOut = FanOut;

/// The variants that a run can be asked for.
const CHOICES: &[&str] = &[
    "one-by-one",
    "threads",
    "processes",
    "tasks",
    "limited",
    "blocking",
    "to-thread",
    "gather-to-thread",
];

/// All rows of a run without a choice: the rest are each one thing seen at close range.
const VARIANTS: &[&str] = &[
    "one-by-one",
    "threads",
    "processes",
    "tasks",
    "limited",
    "blocking",
    "to-thread",
    "gather-to-thread",
    "deadline-tasks",
    "deadline-threads",
    "failure-group",
    "many-tasks",
    "many-limited",
    "many-threads",
];

const PARAMETERS: &[Parameter] = &[
    Parameter::unsigned("requests", "", 200, 1, 10_000),
    Parameter::unsigned("delayMs", "ms", 200, 0, 10_000),
    Parameter::choice("variant", None, CHOICES),
    Parameter::unsigned("workers", "", 20, 1, 10_000),
    Parameter::unsigned("limit", "", 20, 1, 10_000),
    Parameter::unsigned("deadlineMs", "ms", 5_000, 0, 600_000),
    Parameter::unsigned("failing", "", 0, 0, 10_000),
    Parameter::unsigned("capacity", "", 0, 0, 10_000),
    Parameter::unsigned("backlog", "", 512, 0, 10_000),
    Parameter::unsigned("retries", "", 0, 0, 10),
    presets::parameter("lesson-a"),
    RUNTIME,
    CORES,
    LOGICAL_CORES,
];

/// The longest that one row may wait in virtual time, in milliseconds: a day, as the machine itself allows.
const LONGEST_WAIT_MS: u64 = 86_000_000;

impl Lab for FanOut {
    fn about(&self) -> About {
        About {
            id: "fan-out",
            modes: &[Mode::Model],
            parameters: PARAMETERS,
            strategies: &[
                Strategy::Serial,
                Strategy::Threads,
                Strategy::Processes,
                Strategy::EventLoop,
                Strategy::ToThread,
            ],
            variants: VARIANTS,
            claims: &[],
            opening: &[],
            minutes: 20,
            sections: &[
                "A: Two hundred slow requests",
                "B: Waiting in threads and in coroutines",
                "C: Many connections",
            ],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    /// One request after another is the longest that any row waits.
    fn check(&self, asked: &Asked, _environment: &Environment) -> Result<(), Complaint> {
        let in_line = ["one-by-one", "blocking"].iter().any(|id| asked.allows("variant", id));
        let (requests, delay) = (asked.unsigned("requests"), asked.unsigned("delayMs"));
        let waits_ms = u64::from(requests) * u64::from(delay) * u64::from(asked.unsigned("retries") + 1);
        if !in_line || waits_ms <= LONGEST_WAIT_MS {
            return Ok(());
        }
        let hours = waits_ms.div_ceil(3_600_000);
        Err(Complaint {
            code: ErrorCode::TooLarge,
            parameter: "requests",
            id: "refusal.waits-too-long",
            args: args([
                ("requests", requests.into()),
                ("delay", delay.into()),
                ("hours", u32::try_from(hours).unwrap_or(u32::MAX).into()),
            ]),
        })
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}
