//! Two locks and what can go wrong with them, told apart; and what sharing one counter costs in four ways.
//!
//! Not here: the small programs (`labs::puzzles`), the counting on real threads (`live`), and how long it must be
//! (`cost`).

mod claims;
mod cost;
mod model;

use super::absence::of_shared_memory;
use super::ceilings::check_length;
use super::counting;
use super::parameters::{BUDGET_MS, CORES, LOGICAL_CORES, Parameter, REPEATS, RUNTIME};
use super::rows::{measured, runtime_of};
use super::{About, Asked, Complaint, Evidence, Lab, Model, linked, presets};
use crate::measure::{Experiment, TakenRow, digits};
use crate::text::args;
use crate::wire::{CountVariant, Environment, Mode, Named, Row, Runtime, Strategy};

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct Locks;

/// Its place in the list.
pub const LAB: Locks = Locks;

const PROGRAMS: &[&str] = &[
    "two-locks",
    "back-off",
    "starvation",
    "stuck-and-spinning",
    "held-too-long",
];

/// How threads share a counter, the dearest first, and how they then count.
const SHARING: [(&str, CountVariant); 4] = [
    ("one-lock", CountVariant::Lock),
    ("sharded", CountVariant::Sharded),
    ("queue", CountVariant::Batches),
    ("own-then-merge", CountVariant::OwnThenMerge),
];

const PARAMETERS: &[Parameter] = &[
    Parameter::choice("program", None, PROGRAMS).only(Mode::Model),
    Parameter::flag("ordered", false).only(Mode::Model),
    Parameter::unsigned("timeoutMs", "ms", 0, 0, 10_000).only(Mode::Model),
    Parameter::choice("sharing", None, &["one-lock", "sharded", "queue", "own-then-merge"]),
    Parameter::unsigned("threads", "", 4, 2, 16),
    RUNTIME,
    REPEATS,
    BUDGET_MS,
    presets::parameter("ideal"),
    CORES,
    LOGICAL_CORES,
];

impl Lab for Locks {
    fn about(&self) -> About {
        About {
            id: "locks",
            modes: &[Mode::Measured, Mode::Model],
            parameters: PARAMETERS,
            strategies: &[Strategy::Threads],
            variants: &[
                "two-locks",
                "two-locks-ordered",
                "two-locks-within",
                "back-off",
                "starvation",
                "stuck-and-spinning",
                "held-too-long",
                "one-lock",
                "sharded",
                "queue",
                "own-then-merge",
            ],
            claims: claims::CLAIMS,
            opening: &[],
            minutes: 20,
            sections: &["A: Locks", "B: Deadlocks", "C: What sharing costs"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn check(&self, asked: &Asked, _environment: &Environment) -> Result<(), Complaint> {
        check_length(sharing(asked).count(), asked)
    }

    fn plan(&self, asked: &Asked, environment: &Environment) -> Box<dyn Experiment> {
        Box::new(cost::Cost::new(asked, of_shared_memory(environment)))
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        evidence.taken.rows.iter().map(|taken| row(evidence, taken)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        let timed = || rows.iter().filter_map(|row| Some((row, row.median_ms?)));
        let (Some((dear, dear_ms)), Some((cheap, cheap_ms))) = (
            timed().max_by(|one, other| one.1.total_cmp(&other.1)),
            timed().min_by(|one, other| one.1.total_cmp(&other.1)),
        ) else {
            return ("unavailable", args([]));
        };
        let ns = |ms: f64| digits::significant(addition_ns(evidence, ms), 2);
        let numbers = args([
            ("dear", dear.label.as_str().into()),
            ("dearNs", ns(dear_ms).into()),
            ("cheap", cheap.label.as_str().into()),
            ("cheapNs", ns(cheap_ms).into()),
        ]);
        let id = if evidence.is_void() {
            "void"
        } else if rows.len() == 1 {
            "alone"
        } else {
            "apart"
        };
        (id, numbers)
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}

/// The ways of sharing that a run has, if it has any.
fn sharing(asked: &Asked) -> impl Iterator<Item = (&'static str, CountVariant)> {
    // Whoever chooses a program of the model alone does not ask what sharing costs.
    let is_program_alone = asked.choice("program").is_some() && asked.choice("sharing").is_none();
    SHARING
        .into_iter()
        .filter(move |(id, _)| !is_program_alone && asked.allows("sharing", id))
}

/// Where nothing else was asked for, threads run at the same time: only then can they be in each other's way.
fn runtime(asked: &Asked) -> Runtime {
    let chosen = asked.choice("runtime").and_then(runtime_of);
    chosen.unwrap_or(Runtime::FreeThreaded)
}

fn row(evidence: &Evidence<'_>, taken: &TakenRow) -> Row {
    let mut row = measured(evidence, taken);
    counting::fill(taken, &mut row);
    let Some(ms) = row.median_ms else {
        return row;
    };
    let ns = digits::significant(addition_ns(evidence, ms), 2);
    row.notes
        .push(evidence.say("note.addition", &args([("ns", ns.into())])));
    row
}

/// Nanoseconds from one addition of a thread to its next, where so many take so long.
fn addition_ns(evidence: &Evidence<'_>, ms: f64) -> f64 {
    ms * 1e6 / f64::from(evidence.taken.size.max(1))
}
