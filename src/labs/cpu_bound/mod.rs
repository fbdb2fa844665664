//! Ways to run the same computing: one after another, threads with and without the interpreter lock, interpreters,
//! processes, and how far more workers help.
//!
//! Not here: the computing itself (`workloads`), and the actions of each row (`race`).

mod claims;
mod curve;
mod known;
mod model;
mod race;

use super::ceilings::{check_cold_starts, check_length};
use super::evidence::{median_hand_overs, median_overlap, sample_overlap};
use super::parameters::{BUDGET_MS, CORES, LOGICAL_CORES, Parameter, REPEATS, RUNTIME, SWITCH_INTERVAL_US, Value};
use super::rows::measured;
use super::{About, Asked, Complaint, Evidence, Lab, Model, linked, presets};
use crate::measure::digits::whole;
use crate::measure::verdict::{Verdict, compare};
use crate::measure::{Experiment, Sample, TakenRow, digits, from_start};
use crate::text::args;
use crate::wire::{Environment, JobOutcome, Mode, Named, Row, Runtime, Strategy};
use race::Race;

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct CpuBound;

/// Its place in the list.
pub const LAB: CpuBound = CpuBound;

/// The variant of the row that shows that time grows with the size.
const HALF_SIZE: &str = "half-size";

const VARIANTS: &[&str] = &[
    HALF_SIZE,
    "warm",
    "cold",
    "short",
    "short-warm",
    "short-cold",
    "long",
    "long-warm",
];

const PARAMETERS: &[Parameter] = &[
    Parameter::choice("workload", Some("names"), &["names", "squares", "modulo"]),
    Parameter::unsigned("tasks", "", 8, 1, 64),
    Parameter::unsigned("size", "", 150_000, 1, 20_000_000),
    Parameter::unsigned("workers", "", 4, 1, 64),
    Parameter::choice("pool", Some("warm"), &["warm", "cold"]),
    SWITCH_INTERVAL_US,
    Parameter::flag("curve", false),
    Parameter::choice("strategy", None, &["serial", "threads", "interpreters", "processes"]),
    RUNTIME,
    REPEATS,
    BUDGET_MS,
    presets::parameter("lesson-a"),
    CORES,
    LOGICAL_CORES,
];

impl Lab for CpuBound {
    fn about(&self) -> About {
        About {
            id: "cpu-bound",
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
            opening: &[("tasks", Value::Unsigned(4))],
            minutes: 10,
            sections: &["A: CPU-bound work", "B: CPU-bound work", "C: CPU-bound work"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn check(&self, asked: &Asked, environment: &Environment) -> Result<(), Complaint> {
        if asked.choice("pool") == Some("cold") {
            check_cold_starts(asked)?;
        }
        check_length(Race::new(asked, environment).subjects().len(), asked)
    }

    fn plan(&self, asked: &Asked, environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Race::new(asked, environment))
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        evidence.taken.rows.iter().map(|taken| row(evidence, taken)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        if evidence.is_void() {
            return ("void", args([]));
        }
        if let Some(fit) = curve::fit(evidence) {
            return ("curve", fit);
        }
        compared(evidence, rows)
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::CpuBoundModel)
    }
}

fn row(evidence: &Evidence<'_>, taken: &TakenRow) -> Row {
    let mut row = measured(evidence, taken);
    if taken.subject.variant.as_deref() == Some(HALF_SIZE) {
        row.speedup = None;
        row.speedup_low = None;
        row.speedup_high = None;
        row.efficiency = None;
        row.scaled_size = Some((evidence.taken.size / 2).max(1));
        return row;
    }
    let Some(last) = taken.samples.last() else { return row };
    let totals = totals(last);
    let known = known::totals(evidence.asked.choice("workload"), evidence.taken.size, totals.len());
    if !known.is_empty() {
        row.value = Some(totals.iter().take(known.len()).cloned().collect::<Vec<_>>().join(", "));
        row.expected = Some(known.join(", "));
    }
    row.totals = Some(totals);
    row.spans = Some(from_start(&last.spans));
    if has_lock(taken) {
        row.hand_overs = median_hand_overs(taken).map(whole);
    } else {
        row.overlap = median_overlap(taken);
        row.overlaps = Some(taken.samples.iter().map(sample_overlap).collect());
    }
    row
}

/// Under an interpreter lock a span also holds the waiting for it, so spans cannot say who really worked.
fn has_lock(taken: &TakenRow) -> bool {
    matches!(taken.subject.runtime, Some(Runtime::Gil | Runtime::GilLegacy))
}

/// The tasks' results of one sample, whoever computed them.
fn totals(sample: &Sample) -> Vec<String> {
    let of_job = |job: &JobOutcome| {
        if let JobOutcome::Computed { totals, .. } = job {
            totals.clone()
        } else {
            Vec::new()
        }
    };
    sample.jobs.iter().flat_map(of_job).collect()
}

/// The finding where rows are compared with one after another.
fn compared(evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
    let rivals = || {
        let pairs = evidence.taken.rows.iter().zip(rows);
        pairs.filter(|(taken, _)| !taken.subject.baseline && taken.subject.variant.as_deref() != Some(HALF_SIZE))
    };
    let n_absent = u32::try_from(rivals().filter(|(taken, _)| !taken.is_available()).count()).unwrap_or(u32::MAX);
    let judged: Vec<(&TakenRow, &Row, Verdict)> = rivals()
        .filter_map(|(taken, row)| Some((taken, row, evidence.comparison(taken)?.verdict)))
        .collect();
    if judged.is_empty() {
        let id = if n_absent > 0 { "unavailable" } else { "alone" };
        let median = evidence
            .baseline()
            .map_or(0.0, |row| digits::significant(super::rows::median_ms(row), 3));
        return (id, args([("absent", n_absent.into()), ("median", median.into())]));
    }
    if judged.iter().all(|(_, _, verdict)| *verdict == Verdict::TooFew) {
        return ("too-few", args([]));
    }
    if let Some((locked, free)) = reversed(evidence) {
        return ("reversed", args([("locked", locked.into()), ("free", free.into())]));
    }
    let extreme = |wanted: Verdict, sign: f64| {
        let of_verdict = judged.iter().filter(|(_, _, verdict)| *verdict == wanted);
        of_verdict.max_by(|one, two| (sign * speedup(one.1)).total_cmp(&(sign * speedup(two.1))))
    };
    if let Some((taken, row, _)) = extreme(Verdict::Faster, 1.0) {
        let id = if has_lock(taken) { "locked-faster" } else { "faster" };
        return (id, numbers(row));
    }
    match extreme(Verdict::Slower, -1.0) {
        Some((_, row, _)) => ("slower", numbers(row)),
        None => ("no-difference", args([])),
    }
}

/// The labels of two rows of threads, where those under the lock were faster than those without it.
fn reversed(evidence: &Evidence<'_>) -> Option<(String, String)> {
    let locked = evidence.row(Strategy::Threads, None, Some(Runtime::Gil))?;
    let free = evidence.row(Strategy::Threads, None, Some(Runtime::FreeThreaded))?;
    let comparison = compare(&locked.samples_ms(), &free.samples_ms(), evidence.asked.seed)?;
    let label = |row: &TakenRow| super::label(evidence.lab, &row.subject, evidence.words);
    (comparison.verdict == Verdict::Slower).then(|| (label(locked), label(free)))
}

fn speedup(row: &Row) -> f64 {
    row.speedup.unwrap_or_default()
}

fn numbers(row: &Row) -> Named {
    let (low, high) = (
        row.speedup_low.unwrap_or_default(),
        row.speedup_high.unwrap_or_default(),
    );
    args([
        ("label", row.label.as_str().into()),
        ("speedup", digits::rounded(speedup(row), low, high).into()),
        ("low", digits::rounded(low, low, high).into()),
        ("high", digits::rounded(high, low, high).into()),
        ("workers", row.workers.unwrap_or_default().into()),
    ])
}
