//! Who imports your main module? Three ways to start a process, what each runs again, and what starting costs.
//!
//! Not here: the script whose top level runs (`model::script`), and the actions of the measured rows (`starts`).

mod claims;
mod defaults;
mod model;
mod starts;

use super::ceilings::{check_length, check_starts_a_sample};
use super::parameters::{BUDGET_MS, CORES, LOGICAL_CORES, Parameter, REPEATS, RUNTIME};
use super::rows::{measured, median_ms};
use super::{About, Asked, Complaint, Evidence, Lab, Model, linked, presets};
use crate::measure::verdict::{Comparison, Verdict, compare};
use crate::measure::{Experiment, TakenRow, digits, from_start};
use crate::text::args;
use crate::wire::{Environment, Mode, Named, Row, Strategy};
use starts::Starts;

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct StartMethods;

/// Its place in the list.
pub const LAB: StartMethods = StartMethods;

/// The start methods, by their names in Python.
const METHODS: &[&str] = &["fork", "forkserver", "spawn"];

/// How long a pool lives.
const POOLS: &[&str] = &["cold", "warm", "per-task"];

/// Workers of a pool: lesson B's.
const WORKERS: u32 = 4;

/// Outcomes of the script, costs of starting, and what is the default where.
const VARIANTS: &[&str] = &[
    "fork-guard-file",
    "fork-guard-stdin",
    "fork-bare-file",
    "fork-bare-stdin",
    "forkserver-guard-file",
    "forkserver-guard-stdin",
    "forkserver-bare-file",
    "forkserver-bare-stdin",
    "spawn-guard-file",
    "spawn-guard-stdin",
    "spawn-bare-file",
    "spawn-bare-stdin",
    "fork-cold",
    "fork-warm",
    "fork-per-task",
    "forkserver-cold",
    "forkserver-warm",
    "forkserver-per-task",
    "spawn-cold",
    "spawn-warm",
    "spawn-per-task",
    "default-linux-old",
    "default-linux",
    "default-macos-old",
    "default-macos",
    "default-windows",
];

const PARAMETERS: &[Parameter] = &[
    Parameter::choice("startMethod", None, METHODS),
    Parameter::flag("guard", true).only(Mode::Model),
    Parameter::choice("source", None, &["file", "stdin"]).only(Mode::Model),
    Parameter::choice("pool", None, POOLS),
    Parameter::unsigned("tasks", "", 4, 1, 64),
    Parameter::unsigned("size", "", 3_000_000, 1, 20_000_000),
    REPEATS,
    BUDGET_MS,
    presets::parameter("lesson-b"),
    RUNTIME.only(Mode::Model),
    CORES,
    LOGICAL_CORES,
];

impl Lab for StartMethods {
    fn about(&self) -> About {
        About {
            id: "start-methods",
            modes: &[Mode::Measured, Mode::Model],
            parameters: PARAMETERS,
            strategies: &[Strategy::Serial, Strategy::Processes],
            variants: VARIANTS,
            claims: claims::CLAIMS,
            opening: &[],
            minutes: 15,
            sections: &["A: Processes", "B: CPU-bound work", "C: Processes and their start"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn check(&self, asked: &Asked, _environment: &Environment) -> Result<(), Complaint> {
        let most = |pool: &str, workers: u32| if asked.allows("pool", pool) { workers } else { 0 };
        let starts_a_sample = most("cold", WORKERS).max(most("per-task", asked.unsigned("tasks")));
        check_starts_a_sample(asked, starts_a_sample)?;
        check_length(Starts::new(asked).subjects().len(), asked)
    }

    fn plan(&self, asked: &Asked, _environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Starts::new(asked))
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        let taken = evidence.taken.rows.iter().map(|taken| row(evidence, taken));
        taken.chain(defaults::rows(evidence)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        if evidence.is_void() {
            return ("void", args([]));
        }
        let judged = METHODS.iter().filter_map(|method| {
            let (kept, renewed) = kept_and_renewed(evidence, method)?;
            let comparison = compare(&renewed.samples_ms(), &kept.samples_ms(), evidence.asked.seed)?;
            Some((kept, renewed, comparison))
        });
        let clearest = judged.max_by(|one, two| one.2.speedup.value.total_cmp(&two.2.speedup.value));
        let Some((kept, renewed, Comparison { speedup, verdict })) = clearest else {
            return alone(evidence, rows);
        };
        let label = |row: &TakenRow| super::label(evidence.lab, &row.subject, evidence.words);
        let shown = |number: f64| digits::rounded(number, speedup.low, speedup.high).into();
        let numbers = args([
            ("kept", label(kept).into()),
            ("renewed", label(renewed).into()),
            ("times", shown(speedup.value)),
            ("low", shown(speedup.low)),
            ("high", shown(speedup.high)),
        ]);
        match verdict {
            Verdict::Faster => ("reuse", numbers),
            Verdict::Slower => ("reversed", numbers),
            Verdict::NoDifference => ("no-difference", args([])),
            Verdict::TooFew => ("too-few", args([])),
        }
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}

/// The row of a pool that is kept, and that of one pool for each task, where both ran.
fn kept_and_renewed<'run>(evidence: &Evidence<'run>, method: &str) -> Option<(&'run TakenRow, &'run TakenRow)> {
    let row = |pool: &str| evidence.row(Strategy::Processes, Some(&format!("{method}-{pool}")), None);
    Some((row("warm")?, row("per-task")?))
}

/// The finding of a run that has nothing to compare.
fn alone(evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
    let ran = rows
        .iter()
        .find(|row| row.strategy == Strategy::Processes && !row.samples_ms.is_empty());
    let line = evidence.baseline().map(median_ms).unwrap_or_default();
    ran.map_or(("unavailable", args([])), |row| one(row, line))
}

/// One row beside one after another, in either half.
fn one(row: &Row, line: f64) -> (&'static str, Named) {
    let took = row.median_ms.unwrap_or_default();
    let numbers = [("took", took), ("line", line)].map(|(id, ms)| (id, digits::significant(ms, 3).into()));
    let [took, line] = numbers;
    ("one", args([("label", row.label.as_str().into()), took, line]))
}

fn row(evidence: &Evidence<'_>, taken: &TakenRow) -> Row {
    let mut row = measured(evidence, taken);
    let Some(last) = taken.samples.last() else { return row };
    row.spans = Some(from_start(&last.spans));
    let variant = taken.subject.variant.as_deref().unwrap_or_default();
    let stands_for = match variant.split('-').next() {
        Some("forkserver") => Some("note.forkserver"),
        Some("spawn") => Some("note.spawn"),
        _ => None,
    };
    row.notes.extend(stands_for.map(|id| evidence.say(id, &args([]))));
    row
}
