//! Concurrency or parallelism: ten jobs that mostly wait, and the same ten where all of it is computing, with one worker
//! that goes through them in line, one that overlaps their waits, and a worker for each.
//!
//! Not here: the actions of each row (`race`).

mod claims;
mod model;
mod race;

use super::parameters::{CORES, LOGICAL_CORES, Parameter, RUNTIME};
use super::rows::measured;
use super::{About, Asked, Complaint, Evidence, Lab, Model, linked, presets};
use crate::measure::Experiment;
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{Environment, ErrorCode, Mode, Named, Row, Strategy};
use race::Race;

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct Waiters;

/// Its place in the list.
pub const LAB: Waiters = Waiters;

/// The rows: what the jobs do, and who does them.
const VARIANTS: &[&str] = &[
    "waiting-in-line",
    "waiting-overlapped",
    "waiting-many",
    "computing-in-line",
    "computing-overlapped",
    "computing-many",
];

const PARAMETERS: &[Parameter] = &[
    Parameter::unsigned("jobs", "", 10, 1, 1_000),
    Parameter::unsigned("waitMs", "ms", 100, 0, 10_000),
    Parameter::unsigned("computeMs", "ms", 5, 0, 10_000),
    Parameter::unsigned("workers", "", 1, 1, 64),
    Parameter::choice("variant", None, VARIANTS),
    presets::parameter("lesson-a"),
    RUNTIME.only(Mode::Model),
    CORES,
    LOGICAL_CORES,
];

/// As many workers as jobs, but no more than these.
const MOST_WORKERS: u32 = 64;

/// All jobs one after another take at most so long where they are measured, in milliseconds.
const LONGEST_LINE_MS: u64 = 60_000;

/// A gain that is worth a word, and what is none.
const GAIN: f64 = 1.1;
const LOSS: f64 = 0.9;

impl Lab for Waiters {
    fn about(&self) -> About {
        About {
            id: "waiters",
            modes: &[Mode::Measured, Mode::Model],
            parameters: PARAMETERS,
            strategies: &[
                Strategy::Serial,
                Strategy::EventLoop,
                Strategy::Threads,
                Strategy::Processes,
            ],
            variants: VARIANTS,
            claims: claims::CLAIMS,
            opening: &[],
            minutes: 8,
            sections: &[
                "A: Concurrency and parallelism",
                "B: Two kinds of waiting",
                "C: Concurrency is not parallelism",
            ],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn check(&self, asked: &Asked, _environment: &Environment) -> Result<(), Complaint> {
        // A measured run is on no machine of the model's.
        let is_measured = asked.choice("preset").is_none();
        let line_ms = u64::from(asked.unsigned("jobs")) * u64::from(job_ms(asked));
        if !is_measured || line_ms <= LONGEST_LINE_MS {
            return Ok(());
        }
        let seconds = |ms: u64| u32::try_from(ms / 1_000).unwrap_or(u32::MAX).into();
        Err(Complaint {
            code: ErrorCode::TooLarge,
            parameter: "jobs",
            id: "refusal.line-too-long",
            args: args([
                ("jobs", asked.unsigned("jobs").into()),
                ("each", job_ms(asked).into()),
                ("seconds", seconds(line_ms)),
                ("most", seconds(LONGEST_LINE_MS)),
            ]),
        })
    }

    fn plan(&self, asked: &Asked, _environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Race::new(asked))
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        let rows = evidence.taken.rows.iter();
        rows.map(|taken| measured(evidence, taken)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        if evidence.is_void() {
            ("void", args([]))
        } else {
            found(rows)
        }
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}

/// How long one job takes that is alone, in milliseconds.
fn job_ms(asked: &Asked) -> u32 {
    asked.unsigned("waitMs") + asked.unsigned("computeMs")
}

/// A worker for each job.
fn many(asked: &Asked) -> u32 {
    asked.unsigned("jobs").min(MOST_WORKERS)
}

/// Whether a variant is what the rows below it are compared with: the jobs in line that do the same.
fn is_in_line(variant: &str) -> bool {
    variant.ends_with("in-line")
}

/// What rows of either half show.
fn found(rows: &[Row]) -> (&'static str, Named) {
    // From the medians: one sample each has no interval, and so no speed-up of its own.
    let fastest = |variant: &str| {
        let rows = rows.iter().filter(|row| row.variant.as_deref() == Some(variant));
        rows.filter_map(|row| row.median_ms.filter(|ms| *ms > 0.0))
            .reduce(f64::min)
    };
    let gain = |kind: &str, how: &str| Some(fastest(&format!("{kind}-in-line"))? / fastest(&format!("{kind}-{how}"))?);
    let shown = |number: f64| significant(number, 3).into();
    let gains = |overlap: f64, cores: f64| args([("overlap", shown(overlap)), ("cores", shown(cores))]);
    match (gain("waiting", "overlapped"), gain("computing", "many")) {
        (Some(overlap), _) if overlap < LOSS => ("reversed", gains(overlap, 0.0)),
        (Some(overlap), _) if overlap <= GAIN => ("no-difference", gains(overlap, 0.0)),
        (Some(overlap), Some(cores)) if cores > GAIN => ("both", gains(overlap, cores)),
        (Some(overlap), Some(cores)) => ("overlap-only", gains(overlap, cores)),
        _ => match rows.iter().find(|row| row.available) {
            Some(row) => (
                "one",
                args([
                    ("label", row.label.as_str().into()),
                    ("took", shown(row.median_ms.unwrap_or_default())),
                ]),
            ),
            None => ("unavailable", args([])),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labs::compare;
    use crate::labs::rows::empty;
    use crate::wire::Provenance;

    fn row(variant: &str, ms: f64) -> Row {
        let mut row = empty(Strategy::Serial, variant.to_owned(), Provenance::Modelled);
        row.variant = Some(variant.to_owned());
        row.baseline = is_in_line(variant);
        row.median_ms = Some(ms);
        row
    }

    /// Faster, no difference, reversed, alone, nothing at all.
    #[test]
    fn there_is_a_finding_for_every_regime() {
        let finding = |times: [f64; 4]| {
            let ids = [
                "waiting-in-line",
                "waiting-overlapped",
                "computing-in-line",
                "computing-many",
            ];
            let mut rows: Vec<Row> = ids.iter().zip(times).map(|(id, ms)| row(id, ms)).collect();
            compare(&mut rows);
            found(&rows).0
        };
        assert_eq!(finding([1_050.0, 150.0, 1_050.0, 300.0]), "both");
        assert_eq!(finding([1_050.0, 150.0, 1_050.0, 1_100.0]), "overlap-only");
        assert_eq!(finding([100.0, 100.0, 100.0, 100.0]), "no-difference");
        assert_eq!(finding([100.0, 150.0, 100.0, 100.0]), "reversed");
        let mut alone = vec![row("waiting-overlapped", 150.0)];
        compare(&mut alone);
        assert_eq!(found(&alone).0, "one");
        alone.iter_mut().for_each(|row| row.available = false);
        assert_eq!(found(&alone).0, "unavailable");
    }
}
