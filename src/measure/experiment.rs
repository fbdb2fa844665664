//! What a lab wants measured: rows, their actions, and how the work's size relates to time.
//!
//! Not here: the order of actions, and when enough was measured (`sampler`).

use std::fmt::Debug;

use crate::wire::{Action, Impossible, Job, JobOutcome, Runtime, Strategy};

/// The watchdog's limit where nothing demands more: an endless loop is reported within 10 s.
pub const DEFAULT_LIMIT_MS: u32 = 8_000;

/// Why a row has no numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Absence {
    /// Known before the run from what the page found out: the id of its reason and cure in the text table.
    Foreseen(&'static str),
    /// Found when it was tried.
    Found(Impossible),
}

/// One row to be measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The strategy.
    pub strategy: Strategy,
    /// What the lab varies inside it.
    pub variant: Option<String>,
    /// The runtime, where it matters.
    pub runtime: Option<Runtime>,
    /// Workers that take part.
    pub workers: Option<u32>,
    /// Whether it cannot do without a pool over shared memory.
    pub needs_pool: bool,
    /// Bound to timers: one sample and no warm-up.
    pub once: bool,
    /// Whether the rows below it, up to the next such row, are compared with this one.
    pub baseline: bool,
    /// Known not to work here.
    pub absent: Option<Absence>,
}

impl Subject {
    /// A row that is measured repeatedly, needs no pool, and is nobody's baseline.
    #[must_use]
    pub fn new(strategy: Strategy) -> Self {
        Self {
            strategy,
            variant: None,
            runtime: None,
            workers: None,
            needs_pool: false,
            once: false,
            baseline: false,
            absent: None,
        }
    }
}

/// What a lab wants measured. All rows run the same size, so that they can be compared.
pub trait Experiment: Debug {
    /// The rows, in the order shown. Asked once.
    fn subjects(&self) -> Vec<Subject>;

    /// The next short action that is run only to learn how long work takes here; none when enough is known.
    fn next_probe(&self) -> Option<Action> {
        None
    }

    /// Tells what the probe asked for last showed.
    fn probed(&mut self, _ms: f64, _job: &JobOutcome) {}

    /// The size asked for, in the lab's own unit.
    fn asked_size(&self) -> u32 {
        1
    }

    /// The largest size, at most the one asked for, whose samples take at most `sample_ms` as far as the probes tell.
    fn fitting_size(&self, _sample_ms: f64) -> u32 {
        self.asked_size()
    }

    /// A size at least `factor` times the asked one, for samples too short for the clock; none where the learner
    /// chose the size or the known results hang on it.
    fn grown_size(&self, _factor: f64) -> Option<u32> {
        None
    }

    /// Samples shorter than this say little whatever the clock: the size then grows, where it may.
    fn least_sample_ms(&self) -> f64 {
        0.0
    }

    /// How long a row's sample will take in milliseconds, as far as the probes tell.
    fn predicted_ms(&self, _row: usize, _size: u32) -> Option<f64> {
        None
    }

    /// One sample of a row. Its watchdog limit is a lower bound: the sampler raises it where a sample takes longer.
    fn action(&self, row: usize, size: u32) -> Action;
}

/// Nothing to measure: no rows.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl Experiment for Nothing {
    fn subjects(&self) -> Vec<Subject> {
        Vec::new()
    }

    fn action(&self, _row: usize, _size: u32) -> Action {
        // Never asked for, as there is no row; it would only see whether the worker is there.
        Action::OnLab {
            threads: 0,
            job: Job::Ping,
            callers: 0,
            limit_ms: DEFAULT_LIMIT_MS,
        }
    }
}
