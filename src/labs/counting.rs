//! What the labs whose threads count together have in common: what an addition costs here, counting as an action, and what a
//! row of it reached.
//!
//! Not here: the counting itself (`live`), and how much of it a lab asks for.

use super::evidence::{median_overlap, sample_overlap};
use crate::measure::digits::whole;
use crate::measure::statistics::median;
use crate::measure::{DEFAULT_LIMIT_MS, Sample, TakenRow};
use crate::wire::{Action, CountJob, Job, JobOutcome, Row};

/// Multiply-adds a bytecode that make an addition cost about what an interpreter takes.
pub const BASE_WORK: u32 = 10;

/// Additions of one thread that tell what one costs: about 8 ms, four times over.
const CALIBRATED: u32 = 100_000;

/// What one addition costs here, once it is known.
#[derive(Debug)]
pub struct Calibration {
    threads: u32,
    addition_ms: Option<f64>,
}

impl Calibration {
    /// Not known yet; of a run with so many threads.
    pub const fn new(threads: u32) -> Self {
        Self {
            threads,
            addition_ms: None,
        }
    }

    /// What tells; nothing once it is known.
    pub fn next_probe(&self) -> Option<Action> {
        let job = Job::CalibrateCount {
            additions: CALIBRATED,
            work_per_bytecode: BASE_WORK,
        };
        self.addition_ms.is_none().then(|| on_lab(self.threads, job))
    }

    /// Takes in what the probe told.
    pub fn probed(&mut self, job: &JobOutcome) {
        if let JobOutcome::Calibrated { nanoseconds } = job {
            self.addition_ms = Some(nanoseconds / 1e6);
        }
    }

    /// Milliseconds of so many additions of every thread, if one thread after another ran; 0 before it is known.
    pub fn one_after_another_ms(&self, additions: u32) -> f64 {
        self.addition_ms.unwrap_or_default() * f64::from(self.threads) * f64::from(additions)
    }
}

/// Counting, on threads of the lab worker.
pub fn action(job: CountJob) -> Action {
    on_lab(job.threads, Job::Count(job))
}

fn on_lab(threads: u32, job: Job) -> Action {
    Action::OnLab {
        threads,
        job,
        callers: 0,
        limit_ms: DEFAULT_LIMIT_MS,
    }
}

/// What a sample reached.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// In the end.
    pub value: u32,
    /// What would be right.
    pub expected: u32,
}

impl Counted {
    /// Additions that are missing.
    pub const fn lost(self) -> u32 {
        self.expected.saturating_sub(self.value)
    }
}

/// What each sample of a row reached.
pub fn counted(taken: &TakenRow) -> Vec<Counted> {
    all(&taken.samples).collect()
}

/// How far each run of a row was off, the warm-up included: a counter above the right value is as wrong as one below it.
pub fn off_by(taken: &TakenRow) -> impl Iterator<Item = u32> {
    let runs = all(&taken.warm_up).chain(all(&taken.samples));
    runs.map(|one| one.value.abs_diff(one.expected))
}

fn all(samples: &[Sample]) -> impl Iterator<Item = Counted> {
    let jobs = samples.iter().filter_map(|sample| sample.jobs.first());
    jobs.filter_map(|job| match job {
        JobOutcome::Counted { value, expected, .. } => Some(Counted {
            value: *value,
            expected: *expected,
        }),
        _ => None,
    })
}

/// Additions lost: the median of a row's samples; none without samples.
pub fn median_lost(taken: &TakenRow) -> Option<u32> {
    let losses: Vec<f64> = counted(taken).into_iter().map(|one| f64::from(one.lost())).collect();
    median(&losses).map(whole)
}

/// Puts what was reached, what was lost and how much the threads overlapped into a row; nothing where nothing ran.
pub fn fill(taken: &TakenRow, row: &mut Row) {
    let counts = counted(taken);
    let Some(last) = counts.last() else {
        return;
    };
    row.value = Some(last.value.to_string());
    row.expected = Some(last.expected.to_string());
    row.lost = median_lost(taken);
    row.losses = Some(counts.iter().map(|one| one.lost()).collect());
    row.overlap = median_overlap(taken);
    row.overlaps = Some(taken.samples.iter().map(sample_overlap).collect());
}
