//! Medians and how sure they are. Not here: what to conclude from them (`verdict`).
//!
//! The interval is a percentile bootstrap (Efron 1979): the samples are drawn again with replacement
//! [`N_RESAMPLES`] times, and the middle 95 % of the medians drawn is the interval. It assumes no shape of noise,
//! which matters because timing noise only ever adds. The generator is seeded, so that the same samples and the same
//! seed always give the same interval.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

/// How often the samples are drawn again.
pub const N_RESAMPLES: usize = 2_000;

/// The share of resampled medians left out at each end: 95 % remain.
const TAIL: f64 = 0.025;

/// A median with the interval it lies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The samples' median, or the quotient of two medians.
    pub value: f64,
    /// The interval's lower end; never above the value.
    pub low: f64,
    /// Its upper end; never below the value.
    pub high: f64,
}

/// The median; none without samples. Of an even number: the mean of the middle two.
#[must_use]
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

/// The median with its interval. One sample has no interval, so there is none for fewer than two.
#[must_use]
pub fn median_interval(samples: &[f64], seed: u32) -> Option<Estimate> {
    let value = median(samples).filter(|_| samples.len() >= 2)?;
    let mut generator = Pcg32::seed_from_u64(seed.into());
    let mut urn = Urn::new(samples);
    let medians = (0..N_RESAMPLES).map(|_| urn.median(&mut generator)).collect();
    Some(middle_of(medians, value))
}

/// Median of `baseline` / median of `other`, with its interval: over 1, `other` is faster. The two are resampled
/// independently, as they are not pairs. None for fewer than two samples a side, or where a sample is not above 0,
/// which says that the clock was too coarse to compare anything.
#[must_use]
pub fn ratio_interval(baseline: &[f64], other: &[f64], seed: u32) -> Option<Estimate> {
    let comparable = |samples: &[f64]| samples.len() >= 2 && samples.iter().all(|sample| *sample > 0.0);
    if !comparable(baseline) || !comparable(other) {
        return None;
    }
    let value = median(baseline)? / median(other)?;
    let mut generator = Pcg32::seed_from_u64(seed.into());
    let (mut above, mut below) = (Urn::new(baseline), Urn::new(other));
    let ratios = (0..N_RESAMPLES)
        .map(|_| above.median(&mut generator) / below.median(&mut generator))
        .collect();
    Some(middle_of(ratios, value))
}

fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = *sorted.get(sorted.len() / 2 - 1)?;
    Some(f64::midpoint(lower, upper))
}

/// Draws as many samples as there are, with replacement. It keeps them sorted and counts how often each was drawn, so
/// that a median needs no sorting.
struct Urn {
    sorted: Vec<f64>,
    drawn: Vec<usize>,
}

impl Urn {
    fn new(samples: &[f64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            drawn: vec![0; sorted.len()],
            sorted,
        }
    }

    fn median(&mut self, generator: &mut Pcg32) -> f64 {
        self.drawn.fill(0);
        // A 32-bit range draws the same numbers on 32-bit wasm and 64-bit machines; a `usize` range would not.
        let n_samples = u32::try_from(self.sorted.len()).unwrap_or(u32::MAX);
        for _ in 0..n_samples {
            if let Some(times) = self.drawn.get_mut(generator.random_range(0..n_samples) as usize) {
                *times += 1;
            }
        }
        let half = self.sorted.len() / 2;
        if self.sorted.len() % 2 == 1 {
            self.ranked(half)
        } else {
            f64::midpoint(self.ranked(half - 1), self.ranked(half))
        }
    }

    /// The drawn sample of this rank, from 0.
    fn ranked(&self, rank: usize) -> f64 {
        let mut n_below = 0;
        for (sample, times) in self.sorted.iter().zip(&self.drawn) {
            n_below += times;
            if n_below > rank {
                return *sample;
            }
        }
        f64::NAN
    }
}

fn middle_of(mut drawn: Vec<f64>, value: f64) -> Estimate {
    drawn.sort_by(f64::total_cmp);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a length is an index"
    )]
    let n_cut = (drawn.len() as f64 * TAIL) as usize;
    let low = drawn.get(n_cut).copied().unwrap_or(value);
    let high = drawn
        .len()
        .checked_sub(n_cut + 1)
        .and_then(|index| drawn.get(index))
        .copied()
        .unwrap_or(value);
    // Resampling may miss the value itself by chance; an interval without its own median would confuse everybody.
    Estimate {
        value,
        low: low.min(value),
        high: high.max(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_the_middle_or_the_mean_of_the_middle_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[9.0, 1.0, 5.0, 6.0]), Some(5.5));
    }

    #[test]
    fn five_samples_span_their_whole_range() {
        // The least of five is the resample's median when it is drawn 3 times or more: 5.8 %, over the 2.5 % cut off.
        let interval = median_interval(&[10.0, 11.0, 12.0, 13.0, 30.0], 1).expect("five samples have an interval");
        assert_eq!(
            interval,
            Estimate {
                value: 12.0,
                low: 10.0,
                high: 30.0
            }
        );
    }

    #[test]
    fn many_samples_narrow_the_interval() {
        let samples: Vec<f64> = (0..101).map(f64::from).collect();
        let interval = median_interval(&samples, 1).expect("there are samples");
        // Theory (order statistics of a binomial): ranks 40 to 60 of 101.
        assert!((38.0..=43.0).contains(&interval.low), "{interval:?}");
        assert!((57.0..=62.0).contains(&interval.high), "{interval:?}");
    }

    #[test]
    fn one_sample_has_no_interval_and_zero_has_no_ratio() {
        assert_eq!(median_interval(&[5.0], 1), None);
        assert_eq!(ratio_interval(&[5.0, 5.0], &[0.0, 1.0], 1), None);
    }

    #[test]
    fn a_ratio_over_one_is_faster() {
        let ratio = ratio_interval(&[200.0, 202.0, 204.0], &[100.0, 101.0, 102.0], 1).expect("comparable");
        assert_eq!(ratio.value, 2.0);
        assert!(ratio.low > 1.9 && ratio.high < 2.1, "{ratio:?}");
    }

    #[test]
    fn the_seed_fixes_the_interval() {
        let samples: Vec<f64> = (0..40).map(|index| f64::from(index * 37 % 41)).collect();
        assert_eq!(median_interval(&samples, 7), median_interval(&samples, 7));
    }
}
