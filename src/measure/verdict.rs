//! Is it faster? The one rule by which two rows are compared. Not here: where the samples come from.
//!
//! A row is called faster only when two things hold, because either alone errs too often with five samples:
//!
//! 1. the interval of the quotient of medians lies above 1 (bootstrap intervals of five samples are too narrow: with
//!    equal work in both arms they alone would claim a difference several times in a hundred);
//! 2. the ranks agree: a one-sided Mann-Whitney test (1947) at [`ALPHA`], exact for small samples.
//!
//! Worked example: 5 baseline samples and 5 others, every other one below every baseline one. Of the 252 ways to
//! order them only 1 is as extreme, so p = 1 / 252 = 0.4 %: faster. With one pair in the wrong order p = 2 / 252 =
//! 0.8 %: still faster. With two such pairs p = 4 / 252 = 1.6 %: no measurable difference. Four against four can at
//! best reach 1 / 70 = 1.4 %, so fewer than five samples never decide; the verdict then is [`Verdict::TooFew`].

use super::statistics::{Estimate, ratio_interval};

/// The chance of calling equal work faster (and the same again for slower) that is accepted.
pub const ALPHA: f64 = 0.01;

/// Pairs of samples up to which ranks are counted exactly; beyond, the normal approximation errs by under 0.25 %
/// in the middle and far less in the tails, where it decides.
const EXACT_PAIRS: usize = 400;

/// How a row compares with its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Interval and ranks both say so.
    Faster,
    /// Interval and ranks both say so.
    Slower,
    /// Enough samples, and no clear difference: a result, not a failure.
    NoDifference,
    /// So few samples that not even perfect separation would decide.
    TooFew,
}

/// A speed-up with its verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Baseline's median / this median, with its interval.
    pub speedup: Estimate,
    /// What may be said about it.
    pub verdict: Verdict,
}

/// Compares; none where no quotient exists (see [`ratio_interval`]).
#[must_use]
pub fn compare(baseline: &[f64], other: &[f64], seed: u32) -> Option<Comparison> {
    let speedup = ratio_interval(baseline, other, seed)?;
    let verdict = if chance_of_rank_sum(0, baseline.len(), other.len()) > ALPHA {
        Verdict::TooFew
    } else if speedup.low > 1.0 && ranks_below(other, baseline) {
        Verdict::Faster
    } else if speedup.high < 1.0 && ranks_below(baseline, other) {
        Verdict::Slower
    } else {
        Verdict::NoDifference
    };
    Some(Comparison { speedup, verdict })
}

/// Whether `these` are smaller than `those` by their ranks. A tie counts against it: a coarse clock makes ties.
fn ranks_below(these: &[f64], those: &[f64]) -> bool {
    let n_against = these
        .iter()
        .map(|this| those.iter().filter(|that| *that <= this).count())
        .sum();
    chance_of_rank_sum(n_against, these.len(), those.len()) <= ALPHA
}

/// The chance that at most `n_against` of the pairs are in the wrong order although both sides are alike.
fn chance_of_rank_sum(n_against: usize, n_these: usize, n_those: usize) -> f64 {
    let n_pairs = n_these * n_those;
    if n_pairs == 0 {
        return 1.0;
    }
    if n_pairs <= EXACT_PAIRS {
        let ways = orders_by_pairs(n_these, n_those);
        let all: f64 = ways.iter().sum();
        return ways.iter().take(n_against + 1).sum::<f64>() / all;
    }
    let mean = n_pairs as f64 / 2.0;
    let deviation = (n_pairs as f64 * (n_these + n_those + 1) as f64 / 12.0).sqrt();
    normal_below((n_against as f64 + 0.5 - mean) / deviation)
}

/// For each number of pairs in the wrong order, in how many orders of all samples it occurs: the coefficients of the
/// Gaussian binomial, built factor by factor: multiplied by (1 - x^(m + i)), divided by (1 - x^i).
fn orders_by_pairs(n_these: usize, n_those: usize) -> Vec<f64> {
    let mut ways = vec![0.0; n_these * n_those + 1];
    if let Some(first) = ways.first_mut() {
        *first = 1.0;
    }
    for factor in 1..=n_these {
        let up = n_those + factor;
        for index in (up..ways.len()).rev() {
            let below = ways.get(index - up).copied().unwrap_or_default();
            if let Some(count) = ways.get_mut(index) {
                *count -= below;
            }
        }
        for index in factor..ways.len() {
            let below = ways.get(index - factor).copied().unwrap_or_default();
            if let Some(count) = ways.get_mut(index) {
                *count += below;
            }
        }
    }
    ways
}

/// The normal distribution's lower tail, to about 1e-7 (Abramowitz and Stegun 26.2.17).
fn normal_below(deviations: f64) -> f64 {
    if deviations > 0.0 {
        return 1.0 - normal_below(-deviations);
    }
    let step = 1.0 / (1.0 - 0.231_641_9 * deviations);
    let coefficients = [
        1.330_274_429,
        -1.821_255_978,
        1.781_477_937,
        -0.356_563_782,
        0.319_381_530,
    ];
    let series = coefficients
        .iter()
        .fold(0.0, |sum, coefficient| (sum + coefficient) * step);
    (-deviations * deviations / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * series
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-6, "{found} instead of {wanted}");
    }

    #[test]
    fn ranks_are_counted_as_the_worked_example_says() {
        close(chance_of_rank_sum(0, 5, 5), 1.0 / 252.0);
        close(chance_of_rank_sum(1, 5, 5), 2.0 / 252.0);
        close(chance_of_rank_sum(2, 5, 5), 4.0 / 252.0);
        close(chance_of_rank_sum(0, 4, 4), 1.0 / 70.0);
        close(chance_of_rank_sum(25, 5, 5), 1.0);
    }

    #[test]
    fn the_two_ways_of_counting_agree_where_they_meet() {
        // 20 × 20 is counted, 20 × 21 approximated; the tables give 5 % at about a third of the pairs.
        for n_against in [110, 114, 138, 180] {
            let exact = chance_of_rank_sum(n_against, 20, 20);
            let approximate = {
                let (mean, deviation) = (200.0, (400.0f64 * 41.0 / 12.0).sqrt());
                normal_below((f64::from(u32::try_from(n_against).expect("small")) + 0.5 - mean) / deviation)
            };
            assert!((exact - approximate).abs() < 2.5e-3, "{exact} {approximate}");
        }
    }

    #[test]
    fn the_normal_tail_has_its_textbook_values() {
        close(normal_below(0.0), 0.5);
        assert!((normal_below(-1.959_964) - 0.025).abs() < 1e-6);
        assert!((normal_below(1.644_854) - 0.95).abs() < 1e-6);
    }

    #[test]
    fn separated_samples_decide_and_overlapping_ones_do_not() {
        let slow = [10.0, 10.2, 10.4, 10.6, 10.8];
        let fast = [5.0, 5.1, 5.2, 5.3, 5.4];
        let verdict = |one: &[f64], two: &[f64]| compare(one, two, 1).expect("comparable").verdict;
        assert_eq!(verdict(&slow, &fast), Verdict::Faster);
        assert_eq!(verdict(&fast, &slow), Verdict::Slower);
        assert_eq!(verdict(&slow, &[10.1, 10.3, 10.5, 10.7, 10.9]), Verdict::NoDifference);
        assert_eq!(verdict(&slow[..4], &fast[..4]), Verdict::TooFew);
    }

    #[test]
    fn ties_never_decide() {
        assert_eq!(
            compare(&[2.0; 30], &[2.0; 30], 1).expect("comparable").verdict,
            Verdict::NoDifference
        );
    }
}
