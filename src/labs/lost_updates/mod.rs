//! A counter without a lock: which additions get lost, and what keeps them.
//!
//! Not here: the counting (`live`), and how long a race must be to show anything (`race`).

mod claims;
mod model;
mod race;

use super::absence::of_shared_memory;
use super::ceilings::check_length;
use super::counting;
use super::evidence::median_hand_overs;
use super::parameters::{BUDGET_MS, CORES, LOGICAL_CORES, Parameter, REPEATS, RUNTIME, SWITCH_INTERVAL_US, Value};
use super::rows::{measured, runtime_id};
use super::{About, Asked, Complaint, Evidence, Lab, Model, linked, presets};
use crate::measure::digits::whole;
use crate::measure::{Experiment, TakenRow, digits};
use crate::text::args;
use crate::wire::{CountVariant, Environment, ErrorCode, Mode, Named, Plain, Row, Runtime, Strategy};
use race::Race;

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct LostUpdates;

/// Its place in the list.
pub const LAB: LostUpdates = LostUpdates;

/// What can be asked for. What awaits in between is modelled only: on one thread there is nothing to measure.
const CHOICES: &[&str] = &[
    "plain",
    "call",
    "wide",
    AWAIT_BETWEEN,
    "lock",
    "atomic",
    "own-then-merge",
    "queue",
];

/// The variants of rows.
const VARIANTS: &[&str] = &[
    "plain",
    "plain-often",
    "call",
    "wide",
    AWAIT_BETWEEN,
    "lock",
    "atomic",
    "own-then-merge",
    "queue",
];

const AWAIT_BETWEEN: &str = "await-between";

const RUNTIMES: [Runtime; 3] = [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded];

/// What runs side by side when neither variant nor runtime was chosen: every variant where it says most.
const SIDE_BY_SIDE: &[(CountVariant, Runtime)] = &[
    (CountVariant::Plain, Runtime::GilLegacy),
    (CountVariant::Plain, Runtime::Gil),
    (CountVariant::Plain, Runtime::FreeThreaded),
    (CountVariant::Call, Runtime::Gil),
    (CountVariant::Wide, Runtime::Gil),
    (CountVariant::Lock, Runtime::FreeThreaded),
    (CountVariant::Atomic, Runtime::FreeThreaded),
    (CountVariant::OwnThenMerge, Runtime::FreeThreaded),
    (CountVariant::Queue, Runtime::FreeThreaded),
];

const PARAMETERS: &[Parameter] = &[
    Parameter::choice("variant", None, CHOICES),
    RUNTIME,
    Parameter::unsigned("threads", "", 4, 2, 16),
    Parameter::unsigned("additions", "", 250_000, 1, 10_000_000),
    SWITCH_INTERVAL_US,
    REPEATS,
    BUDGET_MS,
    presets::parameter("lesson-a"),
    CORES,
    LOGICAL_CORES,
];

impl Lab for LostUpdates {
    fn about(&self) -> About {
        About {
            id: "lost-updates",
            modes: &[Mode::Measured, Mode::Model],
            parameters: PARAMETERS,
            strategies: &[Strategy::Threads, Strategy::EventLoop],
            variants: VARIANTS,
            claims: claims::CLAIMS,
            opening: &[("variant", Value::Choice("plain"))],
            minutes: 15,
            sections: &["A: Shared state", "B: Race conditions", "C: Threads and shared state"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn check(&self, asked: &Asked, _environment: &Environment) -> Result<(), Complaint> {
        let is_measured = asked.maybe_unsigned("repeats").is_some();
        if is_measured && asked.choice("variant") == Some(AWAIT_BETWEEN) {
            return Err(Complaint {
                code: ErrorCode::OutOfRange,
                parameter: "variant",
                id: "refusal.model-only",
                args: args([("choice", AWAIT_BETWEEN.into())]),
            });
        }
        check_length(races(asked).len(), asked)
    }

    fn plan(&self, asked: &Asked, environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Race::new(asked, races(asked), of_shared_memory(environment)))
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        evidence.taken.rows.iter().map(|taken| row(evidence, taken)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        if !rows.iter().any(|row| row.available) {
            return ("unavailable", args([]));
        }
        let losing = rows.iter().filter(|row| row.lost.unwrap_or_default() > 0);
        let worst = losing.max_by(|one, two| share(one).total_cmp(&share(two)));
        let is_locked = |row: &&Row| row.runtime == Some(Runtime::Gil) && row.variant.as_deref() == Some("plain");
        let lucky = rows
            .iter()
            .any(|row| is_locked(&row) && row.losses.as_ref().is_some_and(|all| !any_lost(all)));
        let Some(worst) = worst else {
            let sometimes = rows
                .iter()
                .filter_map(|row| row.losses.as_ref())
                .any(|losses| any_lost(losses));
            let id = match (sometimes, lucky) {
                (true, _) => "sometimes",
                (false, true) => "luck",
                (false, false) => "none-lost",
            };
            return (id, args([]));
        };
        let id = if evidence.is_void() {
            "void"
        } else if lucky {
            "luck-beside-loss"
        } else {
            "lost"
        };
        // A count fits a number; were it none, the text itself would be shown rather than nothing.
        let expected = worst.expected.as_deref().unwrap_or_default();
        let expected = expected
            .parse::<u32>()
            .map_or_else(|_| Plain::from(expected), Plain::from);
        let numbers = args([
            ("label", worst.label.as_str().into()),
            ("share", digits::significant(share(worst), 2).into()),
            ("lost", worst.lost.unwrap_or_default().into()),
            ("expected", expected),
        ]);
        (id, numbers)
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::LostUpdatesModel)
    }
}

/// The variants and runtimes of a measured run.
fn races(asked: &Asked) -> Vec<(CountVariant, Runtime)> {
    if asked.choice("variant").is_none() && asked.choice("runtime").is_none() {
        return SIDE_BY_SIDE.to_vec();
    }
    let all = [
        CountVariant::Plain,
        CountVariant::Call,
        CountVariant::Wide,
        CountVariant::Lock,
        CountVariant::Atomic,
        CountVariant::OwnThenMerge,
        CountVariant::Queue,
    ];
    let pairs = all
        .into_iter()
        .flat_map(|variant| RUNTIMES.map(|runtime| (variant, runtime)));
    pairs
        .filter(|(variant, runtime)| {
            asked.allows("variant", variant_id(*variant)) && asked.allows("runtime", runtime_id(*runtime))
        })
        .collect()
}

fn variant_id(variant: CountVariant) -> &'static str {
    match variant {
        CountVariant::Plain => "plain",
        CountVariant::Call => "call",
        CountVariant::Wide => "wide",
        CountVariant::Lock => "lock",
        CountVariant::Atomic => "atomic",
        CountVariant::OwnThenMerge => "own-then-merge",
        CountVariant::Queue => "queue",
        // No rows of this lab.
        CountVariant::Batches => "batches",
        CountVariant::Sharded => "sharded",
    }
}

fn row(evidence: &Evidence<'_>, taken: &TakenRow) -> Row {
    let mut row = measured(evidence, taken);
    counting::fill(taken, &mut row);
    if row.value.is_none() {
        return row;
    }
    if taken.subject.runtime != Some(Runtime::FreeThreaded) {
        row.hand_overs = median_hand_overs(taken).map(whole);
    }
    row.notes.extend(cost_note(evidence, &row));
    row
}

/// Says what an addition was made to cost, and how many switch intervals a sample spans.
fn cost_note(evidence: &Evidence<'_>, row: &Row) -> Option<String> {
    let median = row.median_ms?;
    let n_additions = f64::from(evidence.asked.unsigned("threads")) * f64::from(evidence.taken.size);
    let interval_ms = f64::from(evidence.asked.unsigned("switchIntervalUs")) / 1_000.0;
    let cost_ms = median / n_additions.max(1.0);
    let intervals = digits::significant(median / interval_ms, 2);
    let is_short = median < race::WANTED_INTERVALS * interval_ms * 0.8;
    let id = match row.runtime {
        Some(Runtime::FreeThreaded) | None => "note.cost-free",
        Some(_) if row.variant.as_deref() == Some("wide") => "note.cost-free",
        Some(_) if !is_short => "note.cost-locked",
        Some(_) if race::has_time(evidence.asked) => "note.cost-low",
        Some(_) => "note.cost-short",
    };
    let args = args([
        ("cost", digits::significant(cost_ms, 2).into()),
        ("intervals", intervals.into()),
    ]);
    Some(evidence.say(id, &args))
}

fn any_lost(losses: &[u32]) -> bool {
    losses.iter().any(|lost| *lost > 0)
}

/// Share of the additions that a row lost, by its medians.
fn share(row: &Row) -> f64 {
    let expected: u32 = row
        .expected
        .as_deref()
        .and_then(|number| number.parse().ok())
        .unwrap_or_default();
    f64::from(row.lost.unwrap_or_default()) / f64::from(expected.max(1))
}
