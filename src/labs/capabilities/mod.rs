//! What can this page run? Every strategy is asked to do something here, and the answer counts, not a feature test.
//!
//! Beside it, the lessons' own question as a computed table: when is Python's lock on (`lock_table`)? Not here: how
//! the page finds out about isolation, clock and service worker; that comes in with the environment.

mod claims;
mod lock_table;

use super::absence::{of_service_worker, of_shared_memory};
use super::rows::measured;
use super::{About, Asked, Evidence, Lab};
use crate::measure::{DEFAULT_LIMIT_MS, Experiment, Subject, TakenRow};
use crate::text::args;
use crate::wire::{
    Action, Environment, IsolateKind, Job, JobOutcome, Mode, Named, Provenance, Row, SharedMemory, StallJob,
    StallVariant, Strategy,
};

/// Threads and isolates asked for at most: enough to see that several start.
const MOST_WORKERS: u32 = 4;

/// Delay asked of the slow API, in milliseconds.
const DELAY_MS: u32 = 50;

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities;

/// Its place in the list.
pub const LAB: Capabilities = Capabilities;

/// The variants of measured rows that are no strategy of their own.
const NETWORK: &str = "network";
const PAGE: &str = "page";

impl Lab for Capabilities {
    fn about(&self) -> About {
        About {
            id: "capabilities",
            modes: &[Mode::Measured],
            parameters: &[],
            strategies: &[
                Strategy::Serial,
                Strategy::EventLoop,
                Strategy::ToThread,
                Strategy::Threads,
                Strategy::Interpreters,
                Strategy::Processes,
            ],
            variants: VARIANTS,
            claims: claims::CLAIMS,
            opening: &[],
            minutes: 5,
            sections: &["A: What you have", "B: Which Python is this", "C: Builds of Python"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn plan(&self, _asked: &Asked, environment: &Environment) -> Box<dyn Experiment> {
        let workers = if environment.cores_claimed == 0 {
            2
        } else {
            environment.cores_claimed.clamp(2, MOST_WORKERS)
        };
        Box::new(Roll {
            workers,
            environment: environment.clone(),
        })
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        let tried = evidence.taken.rows.iter().map(|taken| row(evidence, taken));
        tried.chain(lock_table::rows(evidence)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        let tried = || rows.iter().filter(|row| row.provenance == Provenance::Measured);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (n_all, n_works) = (tried().count(), tried().filter(|row| row.available).count());
        let environment = evidence.environment;
        let missing: Vec<&str> = tried()
            .filter(|row| !row.available)
            .map(|row| row.label.as_str())
            .collect();
        let threads = tried().find(|row| row.strategy == Strategy::Threads && row.available);
        let numbers = args([
            ("works", count(n_works).into()),
            ("all", count(n_all).into()),
            ("missing", missing.join("; ").into()),
            ("isolated", environment.isolated.into()),
            (
                "sharedMemory",
                (environment.shared_memory == SharedMemory::Works).into(),
            ),
            ("simd", environment.simd.into()),
            ("cores", environment.cores_claimed.into()),
            ("clockStepMs", environment.clock_step_ms.into()),
            (
                "threads",
                threads.and_then(|row| row.workers).unwrap_or_default().into(),
            ),
        ]);
        let id = match (evidence.is_void(), n_works == n_all, threads.is_some()) {
            (true, ..) => "void",
            (false, true, _) => "all-work",
            (false, false, true) => "some-work",
            (false, false, false) => "no-threads",
        };
        (id, numbers)
    }
}

const VARIANTS: &[&str] = &[
    NETWORK,
    PAGE,
    "default-unset-ready",
    "default-unset-unready",
    "default-0-ready",
    "default-0-unready",
    "default-1-ready",
    "default-1-unready",
    "free-threaded-unset-ready",
    "free-threaded-unset-unready",
    "free-threaded-0-ready",
    "free-threaded-0-unready",
    "free-threaded-1-ready",
    "free-threaded-1-unready",
];

/// What is tried, in the order in which one pool serves all: those that need none first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    Serial,
    EventLoop,
    ToThread,
    Threads,
    Interpreters,
    Processes,
    Network,
    Page,
}

const TRIALS: [Trial; 8] = [
    Trial::Serial,
    Trial::EventLoop,
    Trial::ToThread,
    Trial::Threads,
    Trial::Interpreters,
    Trial::Processes,
    Trial::Network,
    Trial::Page,
];

/// One run.
#[derive(Debug)]
struct Roll {
    workers: u32,
    environment: Environment,
}

impl Experiment for Roll {
    fn subjects(&self) -> Vec<Subject> {
        TRIALS.into_iter().map(|trial| self.subject(trial)).collect()
    }

    fn action(&self, row: usize, _size: u32) -> Action {
        let limit_ms = DEFAULT_LIMIT_MS;
        let on_lab = |threads, job, callers| Action::OnLab {
            threads,
            job,
            callers,
            limit_ms,
        };
        let isolates = |kind| Action::OnIsolates {
            kind,
            workers: self.workers,
            cold: false,
            jobs: (0..self.workers).map(|_| Job::Ping).collect(),
            limit_ms,
        };
        // The sampler asks for rows of `subjects` only.
        match TRIALS.get(row).copied().unwrap_or(Trial::Serial) {
            Trial::Serial => on_lab(0, Job::Ping, 0),
            Trial::EventLoop => on_lab(0, Job::Stall(tiny(StallVariant::Slices)), 0),
            Trial::ToThread => on_lab(0, Job::Stall(tiny(StallVariant::ToThread)), 1),
            Trial::Threads => on_lab(self.workers, Job::Ping, 0),
            Trial::Interpreters => isolates(IsolateKind::Interpreter),
            Trial::Processes => isolates(IsolateKind::Process),
            Trial::Network => Action::OnNetwork {
                delay_ms: DELAY_MS,
                limit_ms,
            },
            Trial::Page => Action::OnPage {
                stall: tiny(StallVariant::Slices),
                limit_ms,
            },
        }
    }
}

impl Roll {
    fn subject(&self, trial: Trial) -> Subject {
        let (strategy, variant, workers) = match trial {
            Trial::Serial => (Strategy::Serial, None, None),
            Trial::EventLoop => (Strategy::EventLoop, None, None),
            Trial::ToThread => (Strategy::ToThread, None, None),
            Trial::Threads => (Strategy::Threads, None, Some(self.workers)),
            Trial::Interpreters => (Strategy::Interpreters, None, Some(self.workers)),
            Trial::Processes => (Strategy::Processes, None, Some(self.workers)),
            Trial::Network => (Strategy::EventLoop, Some(NETWORK), None),
            Trial::Page => (Strategy::EventLoop, Some(PAGE), None),
        };
        let absent = match trial {
            Trial::Threads => of_shared_memory(&self.environment),
            Trial::Network => of_service_worker(&self.environment),
            _ => None,
        };
        Subject {
            variant: variant.map(str::to_owned),
            workers,
            once: true,
            needs_pool: trial == Trial::Threads,
            absent,
            ..Subject::new(strategy)
        }
    }
}

/// A heartbeat of 40 ms in all: long enough to beat, short enough not to be noticed on the page's own loop.
fn tiny(variant: StallVariant) -> StallJob {
    StallJob {
        variant,
        call_ms: 20,
        heartbeat_ms: 5,
        timeout_ms: 1_000,
        slice_ms: 5,
        quiet_ms: 10,
        sabotage: None,
    }
}

fn row(evidence: &Evidence<'_>, taken: &TakenRow) -> Row {
    let mut row = measured(evidence, taken);
    // One answer is no measurement of speed: what counts is that it came, and from how many.
    row.notes.clear();
    if let Some((answered, asked)) = answers(taken) {
        row.value = Some(answered.to_string());
        row.expected = Some(asked.to_string());
        row.workers = taken.subject.workers.map(|_| answered);
        row.notes.push(evidence.say(
            "note.answered",
            &args([("answered", answered.into()), ("asked", asked.into())]),
        ));
    }
    row
}

/// How many answered of how many asked; none for a row that did not run.
fn answers(taken: &TakenRow) -> Option<(u32, u32)> {
    let sample = taken.samples.first()?;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let asked = taken.subject.workers.unwrap_or(1);
    let answered = match (taken.subject.strategy, sample.jobs.first()) {
        (Strategy::Threads, Some(JobOutcome::Pinged { threads })) => *threads,
        (Strategy::Interpreters | Strategy::Processes, _) => sample.started.min(count(sample.jobs.len())),
        (Strategy::Serial, Some(JobOutcome::Pinged { .. })) => 1,
        // A loop has answered when its heart beat and its call came to an end.
        (_, Some(JobOutcome::Stalled(seen))) => u32::from(!seen.beats_ms.is_empty() && seen.call_ended_ms.is_some()),
        // The slow API has answered when it took its time; half of it allows for any clock.
        (_, None) => u32::from(sample.elapsed_ms >= f64::from(DELAY_MS) / 2.0),
        _ => 0,
    };
    Some((answered, asked))
}
