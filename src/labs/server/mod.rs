//! Requests to a web service: workers with threads against event loops, and what one request does to the others.
//!
//! Not here: a web server. One request is measured, on a loop in a worker; services under load are modelled.

mod claims;
mod model;

use super::parameters::{CORES, LOGICAL_CORES, Parameter, RUNTIME};
use super::rows::measured;
use super::{About, Asked, Evidence, Lab, Model, linked, presets};
use crate::measure::digits::significant;
use crate::measure::{DEFAULT_LIMIT_MS, Experiment, Subject, TakenRow};
use crate::text::args;
use crate::wire::{Action, Environment, Job, Mode, Named, Row, Strategy, WaitsHow, WaitsJob};

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct Server;

/// Its place in the list.
pub const LAB: Server = Server;

/// Calls of one request, and how long each takes in milliseconds.
const CALLS: u32 = 2;
const CALL_MS: u32 = 200;

/// Half of the wait, and a little.
const HALF: f64 = 0.75;

const PARAMETERS: &[Parameter] = &[
    Parameter::choice("variant", None, model::VARIANTS).only(Mode::Model),
    Parameter::choice("kind", None, &["wsgi", "asgi"]).only(Mode::Model),
    Parameter::unsigned("workers", "", 1, 1, 64).only(Mode::Model),
    Parameter::unsigned("threads", "", 1, 1, 64).only(Mode::Model),
    Parameter::unsigned("arrivalsPerSecond", "", 50, 1, 100_000).only(Mode::Model),
    Parameter::unsigned("requests", "", 20_000, 100, 2_000_000).only(Mode::Model),
    Parameter::choice("calls", None, &["one-by-one", "at-once"]),
    Parameter::unsigned("blockingShare", "%", 0, 0, 100).only(Mode::Model),
    Parameter::unsigned("computeMs", "ms", 0, 0, 1_000).only(Mode::Model),
    Parameter::choice("heavy", None, &["in-request", "thread", "queue"]).only(Mode::Model),
    Parameter::choice("middleware", None, &["async", "sync"]).only(Mode::Model),
    Parameter::choice("database", None, &["none", "async", "sync-to-async", "sync"]).only(Mode::Model),
    Parameter::unsigned("connections", "", 20, 1, 1_000).only(Mode::Model),
    Parameter::choice("service", None, &["fixed", "exponential"]).only(Mode::Model),
    presets::parameter("lesson-c"),
    RUNTIME.only(Mode::Model),
    CORES,
    LOGICAL_CORES,
];

impl Lab for Server {
    fn about(&self) -> About {
        About {
            id: "server",
            modes: &[Mode::Measured, Mode::Model],
            parameters: PARAMETERS,
            strategies: &[
                Strategy::Threads,
                Strategy::Processes,
                Strategy::EventLoop,
                Strategy::ToThread,
            ],
            variants: model::VARIANTS,
            claims: claims::CLAIMS,
            opening: &[],
            minutes: 25,
            sections: &["C: Web services: workers, threads and event loops"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn plan(&self, asked: &Asked, _environment: &Environment) -> Box<dyn Experiment> {
        Box::new(OneRequest { ways: ways(asked) })
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        let rows = evidence.taken.rows.iter();
        rows.map(|taken| measured(evidence, taken)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        if evidence.is_void() {
            return ("void", args([]));
        }
        let took = |id: &str| {
            let row = rows.iter().find(|row| row.variant.as_deref() == Some(id));
            row.and_then(|row| row.median_ms)
        };
        let shown = |ms: f64| significant(ms, 3).into();
        match (took("one-by-one"), took("at-once")) {
            (Some(line), Some(both)) => {
                let id = match both {
                    _ if both <= line * HALF => "halved",
                    _ if both <= line => "little-gained",
                    _ => "reversed",
                };
                (id, args([("line", shown(line)), ("both", shown(both))]))
            }
            (Some(ms), None) => ("in-line", args([("took", shown(ms))])),
            (None, Some(ms)) => ("together", args([("took", shown(ms))])),
            (None, None) => ("unavailable", args([])),
        }
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}

/// How the one request can make its calls.
const WAYS: [(&str, WaitsHow); 2] = [("one-by-one", WaitsHow::OneByOne), ("at-once", WaitsHow::AtOnce)];

fn ways(asked: &Asked) -> Vec<(&'static str, WaitsHow)> {
    WAYS.into_iter().filter(|(id, _)| asked.allows("calls", id)).collect()
}

/// One request on a loop in a worker, for real. It is bound to timers, so it is made once each way.
#[derive(Debug)]
struct OneRequest {
    ways: Vec<(&'static str, WaitsHow)>,
}

impl Experiment for OneRequest {
    fn subjects(&self) -> Vec<Subject> {
        let subject = |(id, _): &(&str, WaitsHow)| Subject {
            variant: Some((*id).to_owned()),
            workers: Some(1),
            once: true,
            ..Subject::new(Strategy::EventLoop)
        };
        self.ways.iter().map(subject).collect()
    }

    fn action(&self, row: usize, _size: u32) -> Action {
        // The sampler asks for rows of `subjects` only; a wrong number would show as calls one by one.
        let how = self.ways.get(row).map_or(WaitsHow::OneByOne, |(_, how)| *how);
        Action::OnLab {
            threads: 0,
            job: Job::Waits(WaitsJob {
                how,
                jobs: CALLS,
                wait_ms: CALL_MS,
                compute_ms: 0,
                sabotage: None,
            }),
            callers: 0,
            limit_ms: DEFAULT_LIMIT_MS,
        }
    }
}

/// How long a row's one sample took, in milliseconds.
fn took(taken: &TakenRow) -> Option<f64> {
    taken.samples.first().map(|sample| sample.ms)
}
