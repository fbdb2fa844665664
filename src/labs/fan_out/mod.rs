//! Many slow requests: one after another, on threads, in processes, as tasks, with and without a limit.
//!
//! Not here: making requests (`live`), and the service that answers them (the service worker's slow API).

mod asking;
mod claims;
mod model;
mod seen;
mod summary;

use super::absence::{self, of_service_worker};
use super::ceilings::LONGEST_RUN_MS;
use super::parameters::{Asked, CORES, LOGICAL_CORES, Parameter, RUNTIME, Value};
use super::rows::measured;
use super::{About, Complaint, Evidence, Lab, Model, linked, presets};
use crate::measure::{Experiment, TakenRow, digits};
use crate::text::args;
use crate::wire::{Environment, ErrorCode, Mode, Named, Row, Strategy};
use asking::{Asking, Batches, By, askings};
use seen::{Seen, seen};

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

/// All rows: what cannot be chosen is one thing seen at close range, and runs where nothing is chosen.
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
    "deadline-to-thread",
    "failure-group",
    "many-tasks",
    "many-limited",
    "many-threads",
];

/// Rows of the measured half alone.
const MEASURED_ONLY: &[&str] = &["deadline-to-thread"];

/// Rows of the model alone: a browser has no such crowds, and nothing that ends a blocking request.
const MODEL_ONLY: &[&str] = &["deadline-threads", "many-tasks", "many-limited", "many-threads"];

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
    RUNTIME.only(Mode::Model),
    CORES,
    LOGICAL_CORES,
];

/// The longest that one row may wait in virtual time, in milliseconds: a day, as the machine itself allows.
const LONGEST_WAIT_MS: u64 = 86_000_000;

/// Requests and workers that are measured at most.
const MOST_REQUESTS: u32 = 500;
const MOST_WORKERS: u32 = 64;

/// Less than this share of the time is a difference; more could be the noise of a single sample.
const CLEARLY_LESS: f64 = 0.9;

impl Lab for FanOut {
    fn about(&self) -> About {
        About {
            id: "fan-out",
            modes: &[Mode::Measured, Mode::Model],
            parameters: PARAMETERS,
            strategies: &[
                Strategy::Serial,
                Strategy::Threads,
                Strategy::Processes,
                Strategy::EventLoop,
                Strategy::ToThread,
            ],
            variants: VARIANTS,
            claims: claims::CLAIMS,
            opening: &[
                ("requests", Value::Unsigned(40)),
                ("delayMs", Value::Unsigned(50)),
                ("workers", Value::Unsigned(10)),
                ("limit", Value::Unsigned(10)),
            ],
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

    fn check(&self, asked: &Asked, environment: &Environment) -> Result<(), Complaint> {
        // Only a modelled run has a machine.
        if asked.choice("preset").is_some() {
            check_modelled(asked)
        } else {
            check_measured(asked, environment)
        }
    }

    fn plan(&self, asked: &Asked, environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Batches::new(asked, environment))
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        let askings = askings(evidence.asked, evidence.environment);
        let rows = evidence.taken.rows.iter().zip(askings);
        rows.map(|(taken, asking)| row(evidence, taken, &asking)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        if evidence.is_void() {
            return ("void", args([]));
        }
        found(&askings(evidence.asked, evidence.environment), rows)
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}

/// The threads of asyncio's default pool on so many cores: min(32, cores + 4).
fn most_threads(cores: u32) -> u32 {
    cores.saturating_add(4).min(32)
}

/// One request after another is the longest that any row of the model waits.
fn check_modelled(asked: &Asked) -> Result<(), Complaint> {
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

/// What is measured is bounded: requests, workers, and the time that all rows wait together.
fn check_measured(asked: &Asked, environment: &Environment) -> Result<(), Complaint> {
    let askings = askings(asked, environment);
    let is_pooled = askings.iter().any(|asking| matches!(asking.by, By::Isolates(_)));
    for (parameter, most, is_meant) in [("requests", MOST_REQUESTS, true), ("workers", MOST_WORKERS, is_pooled)] {
        let came = asked.unsigned(parameter);
        if is_meant && came > most {
            return Err(Complaint {
                code: ErrorCode::TooLarge,
                parameter,
                id: "refusal.measured-most",
                args: args([
                    ("parameter", parameter.into()),
                    ("most", most.into()),
                    ("came", came.into()),
                ]),
            });
        }
    }
    let waits_ms: u64 = askings.iter().map(Asking::planned_ms).sum();
    if waits_ms <= u64::from(LONGEST_RUN_MS) {
        return Ok(());
    }
    Err(Complaint {
        code: ErrorCode::TooLarge,
        parameter: "requests",
        id: "refusal.measured-too-long",
        args: args([
            ("requests", asked.unsigned("requests").into()),
            ("delay", asked.unsigned("delayMs").into()),
            (
                "minutes",
                u32::try_from(waits_ms.div_ceil(60_000)).unwrap_or(u32::MAX).into(),
            ),
        ]),
    })
}

fn row(evidence: &Evidence<'_>, taken: &TakenRow, asking: &Asking) -> Row {
    let mut row = measured(evidence, taken);
    if let Some(seen) = seen(taken, asking) {
        seen.tell(asking, &mut row);
        note(evidence, asking, &seen, &mut row);
    }
    row
}

fn note(evidence: &Evidence<'_>, asking: &Asking, seen: &Seen, row: &mut Row) {
    let requests = evidence.asked.unsigned("requests");
    if asking.requests < requests {
        let whole = seen.makespan_ms * f64::from(requests) / f64::from(asking.requests.max(1));
        let numbers = args([
            ("made", asking.requests.into()),
            ("asked", requests.into()),
            ("whole", digits::significant(whole, 2).into()),
        ]);
        row.notes.push(evidence.say("note.few", &numbers));
        // Beside bars of other batches the name must say it as well.
        let name = args([("label", row.label.as_str().into()), ("made", asking.requests.into())]);
        row.label = evidence.say("label.few", &name);
    }
    if let Some(absence) = of_service_worker(evidence.environment) {
        let (reason, cure) = absence::in_words(&absence, evidence);
        let words = args([("reason", reason.into()), ("cure", cure.into())]);
        row.notes.push(evidence.say("note.timers", &words));
    }
    if let By::Isolates(_) = asking.by {
        let deadline = asking.deadline_ms.map(f64::from);
        if deadline.is_some_and(|deadline| deadline < seen.makespan_ms) {
            row.notes.push(evidence.say("note.no-deadline", &args([])));
        }
        if row.strategy == Strategy::Threads {
            row.notes.push(evidence.say("note.threads", &args([])));
        }
    }
}

/// What the measured rows show. Rows seen at close range and those that made only a few requests are no rivals.
fn found(askings: &[Asking], rows: &[Row]) -> (&'static str, Named) {
    let ran = || rows.iter().zip(askings).filter(|(row, _)| row.available);
    let rivals = || ran().filter(|(_, asking)| CHOICES.contains(&asking.id) && !is_few(asking));
    let line = ran().find(|(_, asking)| asking.id == "one-by-one").map(|(row, _)| row);
    let is_whole = |(row, asking): &(&Row, &Asking)| row.answered == Some(asking.requests);
    let fastest = rivals()
        .filter(is_whole)
        .min_by(|one, two| ms(one.0).total_cmp(&ms(two.0)));
    let most = || rivals().max_by_key(|(row, _)| row.answered.unwrap_or_default());
    // Where none but those few ran, one of them is all there is.
    let Some((best, asking)) = fastest.or_else(most).or_else(|| ran().next()) else {
        return ("unavailable", args([]));
    };
    let numbers = |line: Option<&Row>| {
        let made = line.and_then(|line| line.answered).unwrap_or_default();
        let took = line.map(ms).unwrap_or_default();
        args([
            ("label", best.label.as_str().into()),
            ("answered", best.answered.unwrap_or_default().into()),
            ("requests", asking.requests.into()),
            ("took", digits::significant(ms(best), 3).into()),
            ("made", made.into()),
            ("line", digits::significant(took, 3).into()),
        ])
    };
    if fastest.is_none() && rivals().count() > 1 {
        return ("incomplete", numbers(None));
    }
    let line = line.filter(|line| fastest.is_some() && line.answered > Some(0));
    let Some(line) = line else {
        return ("one", numbers(None));
    };
    let each = |row: &Row| ms(row) / f64::from(row.answered.unwrap_or(1).max(1));
    let id = match each(best) / each(line) {
        share if share < CLEARLY_LESS => "faster",
        share if share <= 1.0 / CLEARLY_LESS => "no-difference",
        _ => "reversed",
    };
    (id, numbers(Some(line)))
}

/// Whether a row makes only a few requests, one after another.
fn is_few(asking: &Asking) -> bool {
    use crate::wire::BatchHow::{Blocking, OneByOne};
    matches!(asking.by, By::Loop(OneByOne | Blocking))
}

fn ms(row: &Row) -> f64 {
    row.median_ms.unwrap_or(f64::INFINITY)
}
