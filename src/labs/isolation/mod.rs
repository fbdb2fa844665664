//! What is not shared, what crossing costs, and what dies together.
//!
//! Not here: the list itself and the crossing (`live`, and the workers), and the rows' actions (`parts`).

mod claims;
mod lists;
mod model;
mod parts;

use super::ceilings::{check_cold_starts, check_length};
use super::parameters::{BUDGET_MS, CORES, LOGICAL_CORES, Parameter, REPEATS, RUNTIME, Value};
use super::rows::{measured, runtime_of};
use super::{About, Asked, Complaint, Evidence, Lab, Model, linked, presets};
use crate::measure::verdict::Verdict;
use crate::measure::{Experiment, TakenRow, digits};
use crate::text::args;
use crate::wire::{Environment, ErrorCode, ErrorCount, JobOutcome, Mode, Named, Row, Runtime, Strategy};
use parts::{Part, Parts};

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct Isolation;

/// Its place in the list.
pub const LAB: Isolation = Isolation;

/// The ends of the range of payloads, which every run has: 1 KiB and 64 MiB.
const SMALL_BYTES: u32 = 1 << 10;
const LARGE_BYTES: u32 = 1 << 26;

/// Calls of a list row, at most: each is a message there and one back.
const MOST_CALLS: u32 = 10_000;

const PARAMETERS: &[Parameter] = &[
    Parameter::unsigned("items", "", 1_000, 1, 100_000),
    Parameter::unsigned("payloadBytes", "bytes", 1 << 20, 1, 1 << 26),
    Parameter::unsigned("chunk", "", 1, 1, 100_000),
    Parameter::unsigned("workers", "", 4, 1, 64),
    RUNTIME.only(Mode::Model),
    REPEATS,
    BUDGET_MS,
    presets::parameter("lesson-a"),
    CORES,
    LOGICAL_CORES,
];

impl Lab for Isolation {
    fn about(&self) -> About {
        About {
            id: "isolation",
            modes: &[Mode::Measured, Mode::Model],
            parameters: PARAMETERS,
            strategies: &[
                Strategy::Serial,
                Strategy::Threads,
                Strategy::Interpreters,
                Strategy::Processes,
            ],
            variants: VARIANTS,
            claims: claims::CLAIMS,
            opening: &[("chunk", Value::Unsigned(10))],
            minutes: 15,
            sections: &["A: Interpreters", "B: What processes cost", "C: Processes"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn check(&self, asked: &Asked, _environment: &Environment) -> Result<(), Complaint> {
        let (items, chunk) = (asked.unsigned("items"), asked.unsigned("chunk").max(1));
        let calls = items.div_ceil(chunk);
        if calls > MOST_CALLS {
            let numbers = [
                ("items", items),
                ("calls", calls),
                ("most", MOST_CALLS),
                ("least", items.div_ceil(MOST_CALLS)),
            ];
            return Err(Complaint {
                code: ErrorCode::TooLarge,
                parameter: "chunk",
                id: "refusal.too-many-calls",
                args: args(numbers.map(|(name, number)| (name, number.into()))),
            });
        }
        if asked.maybe_unsigned("repeats").is_none() {
            return Ok(());
        }
        check_cold_starts(asked)?;
        check_length(parts::ALL.len(), asked)
    }

    fn plan(&self, asked: &Asked, environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Parts::new(asked, environment))
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        let rows = evidence.taken.rows.iter().zip(parts::ALL);
        rows.map(|(taken, part)| row(evidence, taken, *part)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        if evidence.is_void() {
            return ("void", args([]));
        }
        found(evidence, rows)
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}

/// The variants of both halves' rows.
const VARIANTS: &[&str] = &[
    "parent",
    "list",
    "copy-1k",
    "transfer-1k",
    "share-1k",
    "copy",
    "transfer",
    "share",
    "copy-64m",
    "transfer-64m",
    "share-64m",
    "chunk-1",
    "chunk-10",
    "chunk-100",
    "chunk-1000",
    "import",
    "import-refused",
    "crash",
];

/// The runtime of a modelled run.
fn runtime(asked: &Asked) -> Runtime {
    asked.choice("runtime").and_then(runtime_of).unwrap_or(Runtime::Gil)
}

fn row(evidence: &Evidence<'_>, taken: &TakenRow, part: Part) -> Row {
    let mut row = measured(evidence, taken);
    if !matches!(part, Part::Crossing(..)) {
        // Crossings are compared with each other, and nothing else with them.
        (row.speedup, row.speedup_low, row.speedup_high, row.efficiency) = (None, None, None, None);
    }
    let Some(last) = taken.samples.last() else { return row };
    match part {
        Part::Parent => {
            row.value = lists::parent(last).map(|length| length.to_string());
            row.expected = Some("0".to_owned());
        }
        Part::SharedList | Part::OwnLists(_) => {
            let lists = lists::of(last);
            let sum = lists.added();
            row.value = Some(sum.to_string());
            row.expected = Some(evidence.asked.unsigned("items").to_string());
            row.totals = Some(lists.lengths.iter().map(ToString::to_string).collect());
            let lengths: Vec<String> = lists.lengths.iter().map(ToString::to_string).collect();
            let id = if part == Part::SharedList {
                "note.shared-list"
            } else {
                "note.own-lists"
            };
            row.notes
                .push(evidence.say(id, &args([("lengths", lengths.join(", ").into())])));
        }
        Part::Crossing(_, _) => {
            if let Some(JobOutcome::Crossed { rounds, bytes, .. }) = last.jobs.first() {
                row.value = Some(bytes.to_string());
                row.expected = Some(part.bytes(evidence.asked).to_string());
                row.notes
                    .push(evidence.say("note.rounds", &args([("rounds", (*rounds).into())])));
            }
        }
        Part::Trap => {
            let n_died = last
                .jobs
                .iter()
                .filter(|job| matches!(job, JobOutcome::Died { .. }))
                .count();
            let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            row.answered = Some(count(last.jobs.len() - n_died));
            row.errors = Some(vec![ErrorCount {
                kind: "crashed".to_owned(),
                count: count(n_died),
            }]);
        }
    }
    row
}

/// What the payload's rows show: whether sharing it was faster than copying it.
fn found(evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
    let row = |variant: &str| {
        let found = rows.iter().find(|row| row.variant.as_deref() == Some(variant));
        found.filter(|row| row.available && row.median_ms.is_some())
    };
    let ms = |variant: &str| digits::significant(row(variant).and_then(|row| row.median_ms).unwrap_or_default(), 3);
    let numbers = |times: f64| {
        args([
            ("bytes", evidence.asked.unsigned("payloadBytes").into()),
            ("copy", ms("copy").into()),
            ("share", ms("share").into()),
            ("small", ms("copy-1k").into()),
            ("large", ms("copy-64m").into()),
            ("times", digits::significant(times, 2).into()),
        ])
    };
    if row("copy").is_none() {
        return ("unavailable", args([]));
    }
    let taken = evidence.row(Strategy::Interpreters, Some("share"), None);
    let Some(comparison) = taken.and_then(|taken| evidence.comparison(taken)) else {
        return ("copied", numbers(0.0));
    };
    let times = comparison.speedup.value;
    match comparison.verdict {
        Verdict::Faster => ("shared-faster", numbers(times)),
        Verdict::Slower => ("shared-slower", numbers(1.0 / times)),
        Verdict::NoDifference => ("no-difference", numbers(times)),
        Verdict::TooFew => ("too-few", args([])),
    }
}
