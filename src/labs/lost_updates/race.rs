//! How long a counting race must be, and its actions. Not here: counting.
//!
//! A compiled addition takes nanoseconds, so a million of them are over before the interpreter lock changes hands for
//! the first time. Every addition is therefore given an interpreter's cost: seven "bytecodes" of [`BASE_WORK`]
//! dependent multiply-adds, about 80 ns. Where a lock's switch interval decides what is lost, that is not enough yet:
//! with fewer than 15 hand-overs some runs lose nothing. Rows under a lock get as much more cost as makes a run span
//! [`WANTED_INTERVALS`] intervals. Free-threaded rows, and those that give the lock up at every addition, need no
//! more than the base cost and the barrier.

use super::variant_id;
use crate::labs::Asked;
use crate::labs::counting::{self, BASE_WORK, Calibration};
use crate::measure::digits::{two_digits, whole};
use crate::measure::{Absence, Experiment, Subject};
use crate::wire::{Action, CountJob, CountVariant, JobOutcome, Runtime, Strategy};

/// Switch intervals a run under a lock should span.
pub const WANTED_INTERVALS: f64 = 50.0;

/// A little more than wanted, so that noise in the calibration does not fall below.
const MARGIN: f64 = 1.1;

/// No browser hands a lock over faster than this, whatever the interval asked.
const FASTEST_HAND_OVER_MS: f64 = 0.1;

/// The dearest addition: about 0.8 ms.
const MOST_WORK: u32 = 100_000;

/// What one sample may take of a row's budget, the warm-up counted as one.
fn share_of_sample_ms(asked: &Asked) -> f64 {
    f64::from(asked.unsigned("budgetMs")) / (f64::from(asked.unsigned("repeats")) + 1.0)
}

/// What a sample under a lock takes when it spans the wanted intervals.
fn wanted_ms(switch_interval_us: u32) -> f64 {
    let interval_ms = (f64::from(switch_interval_us) / 1_000.0).max(FASTEST_HAND_OVER_MS);
    WANTED_INTERVALS * MARGIN * interval_ms
}

/// Whether the budget has the time for samples under a lock that span the wanted intervals.
pub fn has_time(asked: &Asked) -> bool {
    share_of_sample_ms(asked) >= wanted_ms(asked.unsigned("switchIntervalUs"))
}

/// One run.
#[derive(Debug)]
pub struct Race {
    races: Vec<(CountVariant, Runtime)>,
    threads: u32,
    additions: u32,
    switch_interval_us: u32,
    absent: Option<Absence>,
    /// What an addition takes at the base cost.
    calibration: Calibration,
    /// What one sample may take.
    share_ms: f64,
}

impl Race {
    /// Plans the rows.
    pub fn new(asked: &Asked, races: Vec<(CountVariant, Runtime)>, absent: Option<Absence>) -> Self {
        Self {
            races,
            threads: asked.unsigned("threads"),
            additions: asked.unsigned("additions"),
            switch_interval_us: asked.unsigned("switchIntervalUs"),
            absent,
            calibration: Calibration::new(asked.unsigned("threads")),
            share_ms: share_of_sample_ms(asked),
        }
    }

    /// Multiply-adds a bytecode of a row.
    fn work(&self, variant: CountVariant, runtime: Runtime, additions: u32) -> u32 {
        let base_ms = self.calibration.one_after_another_ms(additions);
        if runtime == Runtime::FreeThreaded || variant == CountVariant::Wide || base_ms <= 0.0 {
            return BASE_WORK;
        }
        let wanted_ms = wanted_ms(self.switch_interval_us).min(self.share_ms);
        let work = (f64::from(BASE_WORK) * wanted_ms / base_ms).ceil();
        whole(work.clamp(f64::from(BASE_WORK), f64::from(MOST_WORK)))
    }
}

impl Experiment for Race {
    fn subjects(&self) -> Vec<Subject> {
        let subject = |(variant, runtime): &(CountVariant, Runtime)| Subject {
            variant: Some(variant_id(*variant).to_owned()),
            runtime: Some(*runtime),
            workers: Some(self.threads),
            needs_pool: true,
            absent: self.absent.clone(),
            ..Subject::new(Strategy::Threads)
        };
        self.races.iter().map(subject).collect()
    }

    fn next_probe(&self) -> Option<Action> {
        self.calibration.next_probe()
    }

    fn probed(&mut self, _ms: f64, job: &JobOutcome) {
        self.calibration.probed(job);
    }

    fn asked_size(&self) -> u32 {
        self.additions
    }

    fn fitting_size(&self, sample_ms: f64) -> u32 {
        let base_ms = self.calibration.one_after_another_ms(self.additions);
        if base_ms > sample_ms {
            two_digits(f64::from(self.additions) * sample_ms / base_ms)
        } else {
            self.additions
        }
    }

    fn predicted_ms(&self, row: usize, size: u32) -> Option<f64> {
        let (variant, runtime) = self.races.get(row)?;
        let work = self.work(*variant, *runtime, size);
        Some(self.calibration.one_after_another_ms(size) * f64::from(work) / f64::from(BASE_WORK))
    }

    fn action(&self, row: usize, size: u32) -> Action {
        // The sampler asks for rows of `subjects` only.
        let (variant, runtime) = self
            .races
            .get(row)
            .copied()
            .unwrap_or((CountVariant::Plain, Runtime::Gil));
        counting::action(CountJob {
            variant,
            runtime,
            threads: self.threads,
            additions: size,
            switch_interval_us: self.switch_interval_us,
            work_per_bytecode: self.work(variant, runtime, size),
            sabotage: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(asked: &[(&'static str, u32)]) -> Race {
        let mut values = Asked::defaults(
            crate::labs::Lab::about(&super::super::LostUpdates).parameters,
            crate::wire::Mode::Measured,
            1,
        );
        for (id, number) in asked {
            values.set(id, crate::labs::Value::Unsigned(*number));
        }
        let mut race = Race::new(&values, vec![(CountVariant::Plain, Runtime::Gil)], None);
        race.probed(0.0, &JobOutcome::Calibrated { nanoseconds: 78.0 });
        race
    }

    #[test]
    fn a_run_under_a_lock_spans_fifty_intervals() {
        let race = race(&[]);
        // 4 × 250,000 additions of 78 ns are 78 ms; 50 intervals of 5 ms and a margin are 275 ms.
        assert_eq!(race.work(CountVariant::Plain, Runtime::Gil, 250_000), 36);
        assert!((race.predicted_ms(0, 250_000).expect("calibrated") - 280.8).abs() < 0.1);
        assert_eq!(
            race.work(CountVariant::Plain, Runtime::FreeThreaded, 250_000),
            BASE_WORK
        );
        assert_eq!(race.work(CountVariant::Wide, Runtime::Gil, 250_000), BASE_WORK);
    }

    #[test]
    fn long_intervals_stay_within_the_budget() {
        let race = race(&[("switchIntervalUs", 50_000)]);
        assert!(race.predicted_ms(0, 250_000).expect("calibrated") <= 3_000.0 / 6.0 * 1.1);
    }

    #[test]
    fn many_additions_are_scaled_down() {
        let race = race(&[("threads", 16), ("additions", 10_000_000)]);
        assert_eq!(race.fitting_size(500.0), 400_000);
        assert_eq!(race.work(CountVariant::Plain, Runtime::Gil, 400_000), BASE_WORK);
    }

    #[test]
    fn few_additions_cost_no_more_than_the_dearest() {
        assert_eq!(
            race(&[("additions", 1)]).work(CountVariant::Plain, Runtime::Gil, 1),
            MOST_WORK
        );
    }
}
