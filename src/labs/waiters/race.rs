//! The measured rows, and the actions of each: workers that block and compute for real, and one loop.
//!
//! On other workers computing is a fixed amount of work, as large as a probe says it must be, so that workers who share a
//! core show it. On the loop it is so much time of its one worker. Every row takes its sample once: most of it is bound to
//! timers. Not here: what the times mean.

use super::{VARIANTS, is_in_line, job_ms, many};
use crate::labs::Asked;
use crate::measure::{DEFAULT_LIMIT_MS, Experiment, Subject};
use crate::wire::{Action, ComputeJob, Hands, IsolateKind, Job, JobOutcome, Strategy, WaitsHow, WaitsJob, Workload};

/// Steps of the first probe, how long one must take to tell enough, and how much larger the next one is.
const FIRST_PROBE: u32 = 400_000;
const PROBE_MS: f64 = 30.0;
const PROBE_GROWTH: u32 = 8;
const LARGEST_PROBE: u32 = 400_000_000;

/// One task of a job computes for at most so long, so that its steps fit a number; a longer job has several.
const TASK_MS: u32 = 500;

/// How much longer than planned a row may take before the watchdog ends it.
const ROOM_MS: u32 = 8_000;

/// One run.
#[derive(Debug)]
pub struct Race {
    variants: Vec<&'static str>,
    jobs: u32,
    wait_ms: u32,
    compute_ms: u32,
    job_ms: u32,
    workers: u32,
    many: u32,
    probe: u32,
    steps_a_ms: Option<f64>,
}

impl Race {
    /// Plans the rows.
    pub fn new(asked: &Asked) -> Self {
        let variants = VARIANTS.iter().copied().filter(|id| asked.allows("variant", id));
        Self {
            variants: variants.collect(),
            jobs: asked.unsigned("jobs"),
            wait_ms: asked.unsigned("waitMs"),
            compute_ms: asked.unsigned("computeMs"),
            job_ms: job_ms(asked),
            workers: asked.unsigned("workers"),
            many: many(asked),
            probe: FIRST_PROBE,
            steps_a_ms: None,
        }
    }

    fn computing(&self, ms: u32) -> Job {
        let tasks = ms.div_ceil(TASK_MS).max(1);
        let steps = f64::from(ms) / f64::from(tasks) * self.steps_a_ms.unwrap_or(1.0);
        compute((0..tasks).collect(), whole(steps))
    }

    fn on_isolates(&self, workers: u32, waits: u32, computes: u32) -> Action {
        let all = |job: Job| std::iter::repeat_n(job, self.jobs as usize);
        let waiting = (waits > 0).then(|| all(Job::Block { ms: waits }));
        let computing = (computes > 0).then(|| all(self.computing(computes)));
        let mut jobs: Vec<Job> = waiting
            .into_iter()
            .flatten()
            .chain(computing.into_iter().flatten())
            .collect();
        if jobs.is_empty() {
            // Nothing to wait for and nothing to compute: each job is only handed out.
            jobs = all(Job::Block { ms: 0 }).collect();
        }
        Action::OnIsolates {
            kind: IsolateKind::Process,
            workers,
            cold: false,
            jobs,
            limit_ms: self.limit_ms(),
        }
    }

    fn on_loop(&self, wait_ms: u32, compute_ms: u32) -> Action {
        Action::OnLab {
            threads: 0,
            job: Job::Waits(WaitsJob {
                how: WaitsHow::AtOnce,
                jobs: self.jobs,
                wait_ms,
                compute_ms,
                sabotage: None,
            }),
            callers: 0,
            limit_ms: self.limit_ms(),
        }
    }

    /// Twice what all jobs take in line: a busy machine is not an endless one.
    fn limit_ms(&self) -> u32 {
        let line_ms = self.jobs.saturating_mul(self.job_ms);
        DEFAULT_LIMIT_MS.max(line_ms.saturating_mul(2).saturating_add(ROOM_MS))
    }
}

impl Experiment for Race {
    fn subjects(&self) -> Vec<Subject> {
        let subject = |id: &&'static str| {
            let (strategy, workers) = match *id {
                "waiting-in-line" | "computing-in-line" => (Strategy::Serial, self.workers),
                "waiting-overlapped" | "computing-overlapped" => (Strategy::EventLoop, 1),
                _ => (Strategy::Processes, self.many),
            };
            Subject {
                variant: Some((*id).to_owned()),
                workers: Some(workers),
                baseline: is_in_line(id),
                once: true,
                ..Subject::new(strategy)
            }
        };
        self.variants.iter().map(subject).collect()
    }

    fn next_probe(&self) -> Option<Action> {
        self.steps_a_ms.is_none().then(|| Action::OnLab {
            threads: 0,
            job: compute(vec![0], self.probe),
            callers: 0,
            limit_ms: DEFAULT_LIMIT_MS,
        })
    }

    fn probed(&mut self, ms: f64, _job: &JobOutcome) {
        if ms >= PROBE_MS || self.probe >= LARGEST_PROBE {
            self.steps_a_ms = Some(f64::from(self.probe) / ms.max(f64::MIN_POSITIVE));
        } else {
            self.probe *= PROBE_GROWTH;
        }
    }

    fn action(&self, row: usize, _size: u32) -> Action {
        match self.variants.get(row).copied().unwrap_or_default() {
            "waiting-in-line" => self.on_isolates(self.workers, self.wait_ms, self.compute_ms),
            "waiting-many" => self.on_isolates(self.many, self.wait_ms, self.compute_ms),
            "computing-in-line" => self.on_isolates(self.workers, 0, self.job_ms),
            "computing-many" => self.on_isolates(self.many, 0, self.job_ms),
            "computing-overlapped" => self.on_loop(0, self.job_ms),
            // The sampler asks for rows of `subjects` only; a wrong number would show as the overlapped waits.
            _ => self.on_loop(self.wait_ms, self.compute_ms),
        }
    }
}

fn compute(tasks: Vec<u32>, size: u32) -> Job {
    Job::Compute(ComputeJob {
        workload: Workload::Modulo,
        tasks,
        size,
        hands: Hands::Alone,
        sabotage: None,
    })
}

/// A number of steps, at least one.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range of u32"
)]
fn whole(steps: f64) -> u32 {
    steps.round().clamp(1.0, f64::from(u32::MAX)) as u32
}
