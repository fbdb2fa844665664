//! The rows of one measured run, and the actions that measure them. Not here: what they mean.
//!
//! A browser has no way to copy a worker that runs, so there is no `fork` here. A worker that is made from the module that
//! the page has compiled already stands for a copy of a prepared server, one that fetches and compiles the module itself
//! for a new Python.

use super::{METHODS, POOLS, WORKERS};
use crate::labs::Asked;
use crate::measure::digits::two_digits;
use crate::measure::{Absence, DEFAULT_LIMIT_MS, Experiment, Subject};
use crate::wire::{Action, ComputeJob, Hands, IsolateKind, Job, JobOutcome, Strategy, Workload};

/// A probe that takes this long tells enough: its first, cold part no longer dominates.
const PROBE_MS: f64 = 30.0;

/// How much larger each probe is than the one before, and the first one's steps.
const PROBE_GROWTH: u32 = 8;
const FIRST_PROBE: u32 = 400_000;

/// What one start may take before the watchdog ends the run; browsers take a tenth of it.
const START_MS: u32 = 1_000;

/// How long workers live in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// Started before the clock, and kept.
    Warm,
    /// Started within the measured time and ended after it.
    Cold,
    /// One for each task.
    PerTask,
}

/// Who computes in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Crew {
    Serial,
    Copied,
    Isolates(IsolateKind, Life),
}

/// One run.
#[derive(Debug)]
pub struct Starts {
    n_tasks: u32,
    size: u32,
    crews: Vec<(Crew, Subject)>,
    probe_size: u32,
    ms_per_step: Option<f64>,
}

impl Starts {
    /// Plans the rows: those of `fork` only where it was asked for, to say why there are none.
    pub fn new(asked: &Asked) -> Self {
        let serial = Subject {
            workers: Some(1),
            baseline: true,
            ..Subject::new(Strategy::Serial)
        };
        let mut crews = vec![(Crew::Serial, serial)];
        let asked_for_fork = asked.choice("startMethod") == Some("fork");
        let methods = METHODS
            .iter()
            .copied()
            .filter(|method| asked.allows("startMethod", method));
        for method in methods.filter(|method| asked_for_fork || *method != "fork") {
            for pool in POOLS.iter().copied().filter(|pool| asked.allows("pool", pool)) {
                crews.push(row(method, pool, asked.unsigned("tasks")));
            }
        }
        let (n_tasks, size) = (asked.unsigned("tasks"), asked.unsigned("size"));
        Self {
            n_tasks,
            size,
            crews,
            probe_size: (FIRST_PROBE / n_tasks.max(1)).clamp(1, size.max(1)),
            ms_per_step: None,
        }
    }

    fn on_lab(&self, size: u32) -> Action {
        Action::OnLab {
            threads: 0,
            job: job((0..self.n_tasks).collect(), size),
            callers: 0,
            limit_ms: DEFAULT_LIMIT_MS,
        }
    }
}

fn job(tasks: Vec<u32>, size: u32) -> Job {
    Job::Compute(ComputeJob {
        workload: Workload::Squares,
        tasks,
        size,
        hands: Hands::Alone,
        sabotage: None,
    })
}

/// A row of processes.
fn row(method: &str, pool: &str, n_tasks: u32) -> (Crew, Subject) {
    let life = match pool {
        "warm" => Life::Warm,
        "per-task" => Life::PerTask,
        _ => Life::Cold,
    };
    let crew = match method {
        "fork" => Crew::Copied,
        "forkserver" => Crew::Isolates(IsolateKind::Interpreter, life),
        _ => Crew::Isolates(IsolateKind::Process, life),
    };
    let subject = Subject {
        variant: Some(format!("{method}-{pool}")),
        workers: Some(if life == Life::PerTask { n_tasks } else { WORKERS }),
        absent: (crew == Crew::Copied).then_some(Absence::Foreseen("no-fork")),
        ..Subject::new(Strategy::Processes)
    };
    (crew, subject)
}

impl Experiment for Starts {
    fn subjects(&self) -> Vec<Subject> {
        self.crews.iter().map(|(_, subject)| subject.clone()).collect()
    }

    fn next_probe(&self) -> Option<Action> {
        self.ms_per_step.is_none().then(|| self.on_lab(self.probe_size))
    }

    fn probed(&mut self, ms: f64, _job: &JobOutcome) {
        if ms >= PROBE_MS || self.probe_size >= self.size {
            self.ms_per_step = Some(ms / f64::from(self.probe_size));
        } else {
            self.probe_size = self.probe_size.saturating_mul(PROBE_GROWTH).min(self.size);
        }
    }

    fn asked_size(&self) -> u32 {
        self.size
    }

    fn fitting_size(&self, sample_ms: f64) -> u32 {
        match self.ms_per_step {
            Some(step) if step * f64::from(self.size) > sample_ms => two_digits(sample_ms / step),
            _ => self.size,
        }
    }

    fn predicted_ms(&self, _row: usize, size: u32) -> Option<f64> {
        // No row should be slower than one after another; what starting takes is covered by the limits below.
        self.ms_per_step.map(|step| step * f64::from(size))
    }

    fn action(&self, row: usize, size: u32) -> Action {
        let each = || (0..self.n_tasks).map(|task| job(vec![task], size)).collect();
        match self.crews.get(row).map(|(crew, _)| *crew) {
            Some(Crew::Isolates(kind, Life::PerTask)) => Action::OnNewIsolates {
                kind,
                jobs: each(),
                limit_ms: DEFAULT_LIMIT_MS + self.n_tasks * START_MS,
            },
            Some(Crew::Isolates(kind, life)) => Action::OnIsolates {
                kind,
                workers: WORKERS,
                cold: life == Life::Cold,
                jobs: each(),
                limit_ms: DEFAULT_LIMIT_MS,
            },
            // What is known not to work here is not asked for.
            Some(Crew::Serial | Crew::Copied) | None => self.on_lab(size),
        }
    }
}
