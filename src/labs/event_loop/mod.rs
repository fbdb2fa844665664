//! What `await` does: thirteen small scenes, each printing in an order that says something about the loop.
//!
//! Not here: the scenes (`live::event_loop::scenes`). Every row is bound to timers, so it is taken once.

mod claims;
mod model;
mod scenes;

use super::parameters::{CORES, LOGICAL_CORES, Parameter, RUNTIME, Value};
use super::rows::measured;
use super::{About, Asked, Evidence, Lab, Model, linked, presets};
use crate::measure::{DEFAULT_LIMIT_MS, Experiment, Subject, TakenRow};
use crate::text::args;
use crate::wire::{Action, Environment, Job, JobOutcome, LogLine, Mode, Named, Row, Strategy};
use scenes::{IDS, Played, SCENES};

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct Awaiting;

/// Its place in the list.
pub const LAB: Awaiting = Awaiting;

const PARAMETERS: &[Parameter] = &[
    Parameter::choice("scene", None, IDS),
    presets::parameter("ideal"),
    RUNTIME.only(Mode::Model),
    CORES,
    LOGICAL_CORES,
];

impl Lab for Awaiting {
    fn about(&self) -> About {
        About {
            id: "event-loop",
            modes: &[Mode::Measured, Mode::Model],
            parameters: PARAMETERS,
            strategies: &[Strategy::EventLoop],
            variants: IDS,
            claims: claims::CLAIMS,
            opening: &[("scene", Value::Choice("await"))],
            minutes: 15,
            sections: &["A: async and await, one thread that takes turns"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn plan(&self, asked: &Asked, _environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Play { scenes: chosen(asked) })
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        let rows = evidence.taken.rows.iter();
        rows.map(|taken| {
            let mut row = measured(evidence, taken);
            row.log = seen(taken).map(|(_, log)| log.to_vec());
            row
        })
        .collect()
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

fn chosen(asked: &Asked) -> Vec<&'static Played> {
    SCENES.iter().filter(|scene| asked.allows("scene", scene.id)).collect()
}

/// What rows of either half show.
fn found(rows: &[Row]) -> (&'static str, Named) {
    let with_log = rows.iter().filter(|row| row.available && row.log.is_some());
    let odd = with_log.clone().find(|row| !prints_as_python(row));
    let printed = |row: &Row| {
        let log = row.log.as_deref().unwrap_or_default();
        scenes::in_order(log.iter().map(|line| line.text.as_str()))
    };
    match (odd, with_log.clone().count(), with_log.clone().next()) {
        (Some(row), _, _) => (
            "differs",
            args([
                ("label", row.label.as_str().into()),
                ("printed", printed(row).as_str().into()),
            ]),
        ),
        (None, 1, Some(row)) => (
            "one",
            args([
                ("printed", printed(row).as_str().into()),
                ("took", row.median_ms.unwrap_or_default().into()),
            ]),
        ),
        (None, n, Some(_)) => (
            "as-python",
            args([("count", u32::try_from(n).unwrap_or(u32::MAX).into())]),
        ),
        (None, _, None) => ("unavailable", args([])),
    }
}

/// Whether a row printed what CPython prints, in the same order.
fn prints_as_python(row: &Row) -> bool {
    let Some(scene) = row.variant.as_deref().and_then(scenes::by_id) else {
        return false;
    };
    let printed = row.log.iter().flatten().map(|line| line.text.as_str());
    printed.eq(scene.lines.iter().map(|(_, text)| *text))
}

/// What the row's one sample was: its time and its log.
fn seen(taken: &TakenRow) -> Option<(f64, &[LogLine])> {
    let job = taken.samples.first().and_then(|sample| sample.jobs.first());
    if let Some(JobOutcome::Played { elapsed_ms, log }) = job {
        Some((*elapsed_ms, log))
    } else {
        None
    }
}

/// One run.
#[derive(Debug)]
struct Play {
    scenes: Vec<&'static Played>,
}

impl Experiment for Play {
    fn subjects(&self) -> Vec<Subject> {
        self.scenes.iter().map(|scene| scenes::subject(scene)).collect()
    }

    fn action(&self, row: usize, _size: u32) -> Action {
        // The sampler asks for rows of `subjects` only; a wrong number would show as the first scene.
        let scene = self.scenes.get(row).copied().unwrap_or(&SCENES[0]);
        Action::OnLab {
            threads: 0,
            job: Job::Scene {
                scene: scene.scene,
                sabotage: None,
            },
            callers: 0,
            limit_ms: DEFAULT_LIMIT_MS,
        }
    }
}
