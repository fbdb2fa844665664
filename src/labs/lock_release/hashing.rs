//! The rows of one run, how much each hashes, and the actions that measure them. Not here: what they mean.
//!
//! Each kind of input has a unit of its own (MiB of a buffer, messages of a task, files), so the kinds are probed and
//! fitted into the time of a sample one by one; the threads of one kind all hash the same.

use super::{FILE_BYTES, Kind, kinds, runtimes};
use crate::labs::Asked;
use crate::labs::absence::of_shared_memory;
use crate::measure::digits::two_digits;
use crate::measure::{Absence, DEFAULT_LIMIT_MS, Experiment, Subject};
use crate::wire::{Action, Environment, HashJob, Job, JobOutcome, Runtime, Strategy};

/// A probe that takes this long tells enough: its first, cold part no longer dominates.
const PROBE_MS: f64 = 30.0;

/// How much larger each probe is than the one before.
const PROBE_GROWTH: u32 = 8;

/// CPython's own.
const SWITCH_INTERVAL_US: u32 = 5_000;

/// One row: inputs of this kind, under this runtime, by so many threads.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crew {
    kind: Kind,
    runtime: Runtime,
    threads: u32,
    is_baseline: bool,
}

/// How long a kind of input takes here.
#[derive(Clone, Copy, Debug)]
struct Unit {
    kind: Kind,
    asked: u32,
    probe_size: u32,
    /// Of one unit of size in all tasks, by one thread.
    ms: Option<f64>,
}

/// One run.
#[derive(Debug)]
pub struct Hashing {
    crews: Vec<Crew>,
    tasks: u32,
    message_bytes: u32,
    pool: u32,
    absent: Option<Absence>,
    units: Vec<Unit>,
    /// What one sample may take.
    share_ms: f64,
}

/// How many rows a run has: for each kind and runtime one thread, and several.
pub fn n_rows(asked: &Asked) -> usize {
    kinds(asked).count() * runtimes(asked).len() * 2
}

impl Unit {
    /// The size asked for, or the largest that fits a sample; of buffers a power of two, whose digest is known.
    fn fitting(&self, sample_ms: f64) -> u32 {
        let Some(ms) = self.ms.filter(|ms| ms * f64::from(self.asked) > sample_ms) else {
            return self.asked;
        };
        let fits = two_digits(sample_ms / ms);
        match self.kind {
            Kind::Big => 1 << fits.ilog2(),
            Kind::Small | Kind::Files => fits,
        }
    }
}

impl Hashing {
    /// Plans the rows.
    pub fn new(asked: &Asked, environment: &Environment) -> Self {
        let threads = asked.unsigned("threads");
        let groups = kinds(asked).flat_map(|kind| runtimes(asked).into_iter().map(move |runtime| (kind, runtime)));
        let crew = |kind, runtime, threads, is_baseline| Crew {
            kind,
            runtime,
            threads,
            is_baseline,
        };
        let crews =
            groups.flat_map(|(kind, runtime)| [crew(kind, runtime, 1, true), crew(kind, runtime, threads, false)]);
        let absent = of_shared_memory(environment);
        let units = kinds(asked).map(|kind| {
            let size = asked.unsigned(kind.parameter());
            Unit {
                kind,
                asked: size,
                probe_size: kind.first_probe().min(size),
                ms: None,
            }
        });
        Self {
            crews: crews.collect(),
            tasks: asked.unsigned("tasks"),
            message_bytes: asked.unsigned("messageBytes"),
            // One size for all rows: another would mean another pool, made anew between two samples.
            pool: if threads > 1 && absent.is_none() { threads } else { 0 },
            absent,
            units: units.collect(),
            share_ms: f64::from(asked.unsigned("budgetMs")) / (f64::from(asked.unsigned("repeats")) + 1.0),
        }
    }

    /// The size that a kind is run with, and how long one thread takes for it as far as the probes tell.
    fn fitted(&self, kind: Kind) -> (u32, f64) {
        let Some(unit) = self.units.iter().find(|unit| unit.kind == kind) else {
            return (1, 0.0);
        };
        let ms = unit.ms.unwrap_or_default();
        let size = unit.fitting(self.share_ms);
        (size, ms * f64::from(size))
    }

    fn hash(&self, crew: Crew, size: u32) -> Action {
        let (inputs, input_bytes) = match crew.kind {
            Kind::Big => (self.tasks, size << 20),
            Kind::Small => (size.saturating_mul(self.tasks), self.message_bytes),
            Kind::Files => (size, FILE_BYTES),
        };
        Action::OnLab {
            threads: self.pool,
            job: Job::Hash(HashJob {
                tasks: self.tasks,
                inputs,
                input_bytes,
                reads: crew.kind == Kind::Files,
                workers: crew.threads,
                runtime: crew.runtime,
                switch_interval_us: SWITCH_INTERVAL_US,
                sabotage: None,
            }),
            callers: 0,
            limit_ms: DEFAULT_LIMIT_MS,
        }
    }
}

impl Experiment for Hashing {
    fn subjects(&self) -> Vec<Subject> {
        let subject = |crew: &Crew| {
            let needs_pool = crew.threads > 1;
            Subject {
                variant: Some(crew.kind.id().to_owned()),
                runtime: Some(crew.runtime),
                workers: Some(crew.threads),
                needs_pool,
                baseline: crew.is_baseline,
                absent: self.absent.clone().filter(|_| needs_pool),
                ..Subject::new(if crew.is_baseline {
                    Strategy::Serial
                } else {
                    Strategy::Threads
                })
            }
        };
        self.crews.iter().map(subject).collect()
    }

    fn next_probe(&self) -> Option<Action> {
        let unit = self.units.iter().find(|unit| unit.ms.is_none())?;
        let crew = self
            .crews
            .iter()
            .find(|crew| crew.kind == unit.kind && crew.threads == 1)?;
        Some(self.hash(*crew, unit.probe_size))
    }

    fn probed(&mut self, ms: f64, _job: &JobOutcome) {
        let Some(unit) = self.units.iter_mut().find(|unit| unit.ms.is_none()) else {
            return;
        };
        if ms >= PROBE_MS || unit.probe_size >= unit.asked {
            unit.ms = Some(ms / f64::from(unit.probe_size));
        } else {
            unit.probe_size = unit.probe_size.saturating_mul(PROBE_GROWTH).min(unit.asked);
        }
    }

    fn predicted_ms(&self, row: usize, _size: u32) -> Option<f64> {
        Some(self.fitted(self.crews.get(row)?.kind).1)
    }

    fn action(&self, row: usize, _size: u32) -> Action {
        // The sampler asks for rows of `subjects` only.
        let crew = self.crews.get(row).copied().unwrap_or(Crew {
            kind: Kind::Big,
            runtime: Runtime::Gil,
            threads: 1,
            is_baseline: true,
        });
        self.hash(crew, self.fitted(crew.kind).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labs::{Lab, Value};
    use crate::wire::Mode;

    fn asked(buffers: &'static str) -> Asked {
        let mut asked = Asked::defaults(super::super::LAB.about().parameters, Mode::Measured, 1);
        asked.set("buffers", Value::Choice(buffers));
        asked
    }

    /// The probes of one kind, each taking so long a unit, and the size that they lead to.
    fn probed(buffers: &'static str, unit_ms: f64) -> (Vec<u32>, u32) {
        let mut hashing = Hashing::new(&asked(buffers), &crate::labs::tests::environment());
        let mut sizes = Vec::new();
        while hashing.next_probe().is_some() {
            let unit = hashing.units[0];
            sizes.push(unit.probe_size);
            hashing.probed(unit_ms * f64::from(unit.probe_size), &JobOutcome::Pinged { threads: 0 });
        }
        (sizes, hashing.fitted(hashing.units[0].kind).0)
    }

    #[test]
    fn probes_grow_until_they_tell_and_sizes_fit_a_sample() {
        // A sample may take 500 ms.
        assert_eq!(probed("big", 25.0), (vec![1, 8], 16));
        assert_eq!(probed("big", 1.0), (vec![1, 8, 32], 32));
        assert_eq!(probed("big", 900.0), (vec![1], 1));
        assert_eq!(probed("small", 0.003), (vec![250, 2_000, 16_000], 100_000));
        assert_eq!(probed("files", 0.4), (vec![20, 160], 1_200));
    }
}
