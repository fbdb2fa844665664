//! {{id}}: one sentence on the question this lab asks.
//!
//! Not here: what it deliberately leaves to other modules.

mod claims;

use super::parameters::{BUDGET_MS, Parameter, REPEATS};
use super::rows::measured;
use super::{About, Asked, Evidence, Lab};
use crate::measure::{DEFAULT_LIMIT_MS, Experiment, Subject};
use crate::text::args;
use crate::wire::{Action, Environment, Job, Mode, Named, Row, Strategy};

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct ThisLab;

/// Its place in the list.
pub const LAB: ThisLab = ThisLab;

const PARAMETERS: &[Parameter] = &[
    Parameter::unsigned("milliseconds", "ms", 20, 1, 1_000),
    REPEATS,
    BUDGET_MS,
];

impl Lab for ThisLab {
    fn about(&self) -> About {
        About {
            id: "{{id}}",
            modes: &[Mode::Measured],
            parameters: PARAMETERS,
            strategies: &[Strategy::Serial],
            variants: &[],
            claims: claims::CLAIMS,
            opening: &[],
            minutes: 5,
            sections: &["A: where it belongs"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn plan(&self, asked: &Asked, _environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Wait {
            ms: asked.unsigned("milliseconds"),
        })
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        evidence
            .taken
            .rows
            .iter()
            .map(|taken| measured(evidence, taken))
            .collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        if evidence.is_void() {
            return ("void", args([]));
        }
        let median = rows.iter().find_map(|row| row.median_ms);
        median.map_or(("unavailable", args([])), |median| {
            ("took", args([("median", median.into())]))
        })
    }
}

/// One run: replace it by what your lab measures.
#[derive(Debug)]
struct Wait {
    ms: u32,
}

impl Experiment for Wait {
    fn subjects(&self) -> Vec<Subject> {
        vec![Subject {
            baseline: true,
            ..Subject::new(Strategy::Serial)
        }]
    }

    fn action(&self, _row: usize, _size: u32) -> Action {
        Action::OnLab {
            threads: 0,
            job: Job::Block { ms: self.ms },
            callers: 0,
            limit_ms: DEFAULT_LIMIT_MS,
        }
    }
}
