//! The rows of one run, and the actions that measure them. Not here: what they mean.

use super::HALF_SIZE;
use crate::labs::absence::of_shared_memory;
use crate::labs::{Asked, rows::runtime_id};
use crate::measure::digits::two_digits;
use crate::measure::{DEFAULT_LIMIT_MS, Experiment, Subject};
use crate::wire::{Action, ComputeJob, Environment, Hands, IsolateKind, Job, JobOutcome, Runtime, Strategy, Workload};

/// A probe that takes this long tells enough: its first, cold part no longer dominates.
const PROBE_MS: f64 = 30.0;

/// How much larger each probe is than the one before.
const PROBE_GROWTH: u32 = 8;

/// Samples shorter than this measure the handing out of tasks rather than the tasks.
const LEAST_SAMPLE_MS: f64 = 8.0;

/// Who computes in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Crew {
    Serial,
    HalfSize,
    Threads(Runtime, u32),
    CurvePoint(u32),
    Isolates(IsolateKind),
}

/// One run.
#[derive(Debug)]
pub struct Race {
    workload: Workload,
    n_tasks: u32,
    size: u32,
    size_is_free: bool,
    workers: u32,
    pool: u32,
    is_cold: bool,
    switch_interval_us: u32,
    crews: Vec<Crew>,
    subjects: Vec<Subject>,
    probe_size: u32,
    ms_per_unit: Option<f64>,
}

impl Race {
    /// Plans the rows.
    pub fn new(asked: &Asked, environment: &Environment) -> Self {
        let workload = match asked.choice("workload") {
            Some("squares") => Workload::Squares,
            Some("modulo") => Workload::Modulo,
            _ => Workload::Names,
        };
        let (n_tasks, size, workers) = (
            asked.unsigned("tasks"),
            asked.unsigned("size"),
            asked.unsigned("workers"),
        );
        let is_cold = asked.choice("pool") == Some("cold");
        let crews = crews(asked, environment, workers);
        let absent = of_shared_memory(environment);
        let subjects: Vec<Subject> = crews
            .iter()
            .map(|crew| {
                let mut subject = crew.subject(workers, is_cold);
                subject.absent = absent.clone().filter(|_| subject.needs_pool);
                subject
            })
            .collect();
        // One size for all rows: another size would mean another pool, made anew between two samples.
        let in_pool = crews
            .iter()
            .zip(&subjects)
            .filter(|(_, subject)| subject.absent.is_none());
        let pool = in_pool.filter_map(|(crew, _)| crew.threads()).max().unwrap_or_default();
        let first_probe = match workload {
            Workload::Names => 16_000,
            Workload::Squares | Workload::Modulo => 400_000,
        };
        Self {
            workload,
            n_tasks,
            size,
            // CPython's results for `names` are known at the default size only, which is long enough anyway.
            size_is_free: !asked.was_given("size") && workload != Workload::Names,
            workers,
            pool,
            is_cold,
            switch_interval_us: asked.unsigned("switchIntervalUs"),
            crews,
            subjects,
            probe_size: (first_probe / n_tasks.max(1)).clamp(1, size),
            ms_per_unit: None,
        }
    }

    fn on_lab(&self, hands: Hands, size: u32) -> Action {
        let job = self.job((0..self.n_tasks).collect(), hands, size);
        Action::OnLab {
            threads: self.pool,
            job,
            callers: 0,
            limit_ms: DEFAULT_LIMIT_MS,
        }
    }

    fn threads(&self, runtime: Runtime, workers: u32) -> Hands {
        Hands::Threads {
            workers,
            runtime,
            switch_interval_us: self.switch_interval_us,
        }
    }

    fn job(&self, tasks: Vec<u32>, hands: Hands, size: u32) -> Job {
        Job::Compute(ComputeJob {
            workload: self.workload,
            tasks,
            size,
            hands,
            sabotage: None,
        })
    }
}

impl Crew {
    fn threads(self) -> Option<u32> {
        if let Self::Threads(_, workers) | Self::CurvePoint(workers) = self {
            Some(workers)
        } else {
            None
        }
    }

    fn subject(self, workers: u32, is_cold: bool) -> Subject {
        let warmth = Some(if is_cold { "cold" } else { "warm" }.to_owned());
        match self {
            Self::Serial => Subject {
                baseline: true,
                workers: Some(1),
                ..Subject::new(Strategy::Serial)
            },
            Self::HalfSize => Subject {
                variant: Some(HALF_SIZE.to_owned()),
                workers: Some(1),
                ..Subject::new(Strategy::Serial)
            },
            Self::Threads(runtime, threads) => Subject {
                runtime: Some(runtime),
                workers: Some(threads),
                needs_pool: true,
                ..Subject::new(Strategy::Threads)
            },
            Self::CurvePoint(threads) => Subject {
                variant: Some(threads.to_string()),
                ..Self::Threads(Runtime::FreeThreaded, threads).subject(workers, is_cold)
            },
            Self::Isolates(IsolateKind::Interpreter) => Subject {
                variant: warmth,
                workers: Some(workers),
                ..Subject::new(Strategy::Interpreters)
            },
            Self::Isolates(IsolateKind::Process) => Subject {
                variant: warmth,
                workers: Some(workers),
                ..Subject::new(Strategy::Processes)
            },
        }
    }
}

/// The rows: one after another always, as all others are compared with it.
fn crews(asked: &Asked, environment: &Environment, workers: u32) -> Vec<Crew> {
    let mut crews = vec![Crew::Serial, Crew::HalfSize];
    if asked.allows("strategy", "threads") {
        let runtimes = match asked.choice("runtime") {
            Some("gil-legacy") => vec![Runtime::GilLegacy],
            _ => vec![Runtime::Gil, Runtime::FreeThreaded],
        };
        let allowed = runtimes
            .into_iter()
            .filter(|runtime| asked.allows("runtime", runtime_id(*runtime)));
        crews.extend(allowed.map(|runtime| Crew::Threads(runtime, workers)));
    }
    if asked.allows("strategy", "interpreters") {
        crews.push(Crew::Isolates(IsolateKind::Interpreter));
    }
    if asked.allows("strategy", "processes") {
        crews.push(Crew::Isolates(IsolateKind::Process));
    }
    if asked.flag("curve") {
        let most = if asked.was_given("workers") {
            workers
        } else {
            environment.cores_claimed.clamp(2, 64)
        };
        crews.extend(curve_points(most).map(Crew::CurvePoint));
    }
    crews
}

/// Every number of workers up to 8, then in growing steps, and the last: a curve needs no more points.
fn curve_points(most: u32) -> impl Iterator<Item = u32> {
    let steps = [10, 12, 16, 20, 24, 32, 40, 48, 56, 64];
    (1..=8).chain(steps).filter(move |point| *point < most).chain([most])
}

impl Experiment for Race {
    fn subjects(&self) -> Vec<Subject> {
        self.subjects.clone()
    }

    fn next_probe(&self) -> Option<Action> {
        self.ms_per_unit
            .is_none()
            .then(|| self.on_lab(Hands::Alone, self.probe_size))
    }

    fn probed(&mut self, ms: f64, _job: &JobOutcome) {
        if ms >= PROBE_MS || self.probe_size >= self.size {
            self.ms_per_unit = Some(ms / f64::from(self.probe_size));
        } else {
            self.probe_size = self.probe_size.saturating_mul(PROBE_GROWTH).min(self.size);
        }
    }

    fn asked_size(&self) -> u32 {
        self.size
    }

    fn fitting_size(&self, sample_ms: f64) -> u32 {
        match self.ms_per_unit {
            Some(unit) if unit * f64::from(self.size) > sample_ms => two_digits(sample_ms / unit),
            _ => self.size,
        }
    }

    fn grown_size(&self, factor: f64) -> Option<u32> {
        let wanted = f64::from(self.size) * factor;
        // The lessons' own sizes, a little short of what is wanted rather than far beyond it.
        let published = [3_000_000, 20_000_000]
            .into_iter()
            .find(|size| f64::from(*size) * 1.5 >= wanted);
        published.filter(|_| self.size_is_free)
    }

    fn least_sample_ms(&self) -> f64 {
        LEAST_SAMPLE_MS
    }

    fn predicted_ms(&self, _row: usize, size: u32) -> Option<f64> {
        // No row should be slower than one after another; starting cold workers is covered by the limit's own room.
        self.ms_per_unit.map(|unit| unit * f64::from(size))
    }

    fn action(&self, row: usize, size: u32) -> Action {
        let crew = self.crews.get(row).copied().unwrap_or(Crew::Serial);
        match crew {
            Crew::Serial => self.on_lab(Hands::Alone, size),
            Crew::HalfSize => self.on_lab(Hands::Alone, (size / 2).max(1)),
            Crew::Threads(runtime, workers) => self.on_lab(self.threads(runtime, workers), size),
            Crew::CurvePoint(workers) => self.on_lab(self.threads(Runtime::FreeThreaded, workers), size),
            Crew::Isolates(kind) => Action::OnIsolates {
                kind,
                workers: self.workers,
                cold: self.is_cold,
                jobs: (0..self.n_tasks)
                    .map(|task| self.job(vec![task], Hands::Alone, size))
                    .collect(),
                limit_ms: DEFAULT_LIMIT_MS,
            },
        }
    }
}
