//! How long counting together must be to tell what sharing costs, and its actions. Not here: counting.
//!
//! An addition is given an interpreter's cost, about 80 ns, as in the lab `lost-updates`: what sharing adds then stands
//! beside what an addition takes anyway. All rows run the same number, so that they can be compared.

use super::{runtime, sharing};
use crate::labs::Asked;
use crate::labs::counting::{self, BASE_WORK, Calibration};
use crate::measure::digits::two_digits;
use crate::measure::{Absence, Experiment, Subject};
use crate::wire::{Action, CountJob, CountVariant, JobOutcome, Runtime, Strategy};

/// Additions a thread: a row of four threads then takes 10 to 100 ms a sample.
const ADDITIONS: u32 = 100_000;

/// A lock that everybody wants makes additions so many times as dear as one thread's own, one after the other.
const CROWDED: f64 = 2.0;

/// CPython's own; it decides nothing where there is no interpreter lock.
const SWITCH_INTERVAL_US: u32 = 5_000;

/// One run.
#[derive(Debug)]
pub struct Cost {
    rows: Vec<(&'static str, CountVariant)>,
    threads: u32,
    runtime: Runtime,
    absent: Option<Absence>,
    /// What an addition takes where nothing is shared.
    calibration: Calibration,
}

impl Cost {
    /// Plans the rows.
    pub fn new(asked: &Asked, absent: Option<Absence>) -> Self {
        Self {
            rows: sharing(asked).collect(),
            threads: asked.unsigned("threads"),
            runtime: runtime(asked),
            absent,
            calibration: Calibration::new(asked.unsigned("threads")),
        }
    }

    /// At the most: a row whose threads have to wait for each other.
    fn longest_ms(&self, additions: u32) -> f64 {
        self.calibration.one_after_another_ms(additions) * CROWDED
    }
}

impl Experiment for Cost {
    fn subjects(&self) -> Vec<Subject> {
        let subject = |(id, variant): &(&'static str, CountVariant)| Subject {
            variant: Some((*id).to_owned()),
            runtime: Some(self.runtime),
            workers: Some(self.threads),
            needs_pool: true,
            baseline: *variant == CountVariant::Lock,
            absent: self.absent.clone(),
            ..Subject::new(Strategy::Threads)
        };
        self.rows.iter().map(subject).collect()
    }

    fn next_probe(&self) -> Option<Action> {
        self.calibration.next_probe()
    }

    fn probed(&mut self, _ms: f64, job: &JobOutcome) {
        self.calibration.probed(job);
    }

    fn asked_size(&self) -> u32 {
        ADDITIONS
    }

    fn fitting_size(&self, sample_ms: f64) -> u32 {
        let longest_ms = self.longest_ms(ADDITIONS);
        if longest_ms > sample_ms {
            two_digits(f64::from(ADDITIONS) * sample_ms / longest_ms)
        } else {
            ADDITIONS
        }
    }

    fn predicted_ms(&self, _row: usize, size: u32) -> Option<f64> {
        Some(self.longest_ms(size))
    }

    fn action(&self, row: usize, size: u32) -> Action {
        // The sampler asks for rows of `subjects` only.
        let variant = self.rows.get(row).map_or(CountVariant::Lock, |(_, variant)| *variant);
        counting::action(CountJob {
            variant,
            runtime: self.runtime,
            threads: self.threads,
            additions: size,
            switch_interval_us: SWITCH_INTERVAL_US,
            work_per_bytecode: BASE_WORK,
            sabotage: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labs::{Lab, Value};
    use crate::wire::Mode;

    fn cost(threads: u32) -> Cost {
        let mut asked = Asked::defaults(super::super::LAB.about().parameters, Mode::Measured, 1);
        asked.set("threads", Value::Unsigned(threads));
        let mut cost = Cost::new(&asked, None);
        cost.probed(0.0, &JobOutcome::Calibrated { nanoseconds: 80.0 });
        cost
    }

    #[test]
    fn all_rows_run_what_fits_the_dearest() {
        // 4 × 100,000 additions of 80 ns, twice as dear, are 64 ms.
        assert_eq!(cost(4).fitting_size(500.0), ADDITIONS);
        assert_eq!(cost(4).fitting_size(32.0), 50_000);
        assert_eq!(cost(16).fitting_size(32.0), 12_000);
        assert_eq!(cost(4).predicted_ms(3, 50_000), Some(32.0));
    }

    #[test]
    fn one_lock_is_what_the_others_are_compared_with() {
        let subjects = cost(4).subjects();
        let baselines: Vec<bool> = subjects.iter().map(|subject| subject.baseline).collect();
        assert_eq!(baselines, [true, false, false, false]);
        assert!(subjects.iter().all(|subject| subject.needs_pool));
    }
}
