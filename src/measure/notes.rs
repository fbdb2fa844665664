//! What is wrong with a row's samples, if anything. Not here: the words for it.

use super::statistics::median;

/// The least number of clock steps a sample should last: a step then is at most 1 % of it.
pub const LEAST_CLOCK_STEPS: f64 = 100.0;

/// A sample this many times the median is an outlier: noise only ever adds, so only slow ones are looked for.
const OUTLIER: f64 = 1.5;

/// The spread of one worker's samples, as a share of their median, over which the machine counts as busy otherwise.
const BUSY_SPREAD: f64 = 0.2;

/// The change between a series' first and last third, as a share of its median, that makes it a trend.
const TREND_CHANGE: f64 = 0.1;

/// The sum of signs a trend of five samples needs: all ten pairs in order. Of n samples: as rare as that.
const TREND_DEVIATIONS: f64 = 2.2;

/// How many samples lie far above the median.
#[must_use]
pub fn n_outliers(samples: &[f64]) -> usize {
    let Some(middle) = median(samples) else { return 0 };
    samples.iter().filter(|sample| **sample > middle * OUTLIER).count()
}

/// Whether samples get steadily slower or faster (Mann-Kendall, and by over a tenth): warming up or a hot processor.
#[must_use]
pub fn has_trend(samples: &[f64]) -> bool {
    let (n_samples, Some(middle)) = (samples.len(), median(samples)) else {
        return false;
    };
    if n_samples < 5 || middle <= 0.0 {
        return false;
    }
    let score: i32 = samples
        .iter()
        .enumerate()
        .flat_map(|(index, early)| samples.iter().skip(index + 1).map(move |late| (early, late)))
        .map(|(early, late)| i32::from(late > early) - i32::from(late < early))
        .sum();
    let n = n_samples as f64;
    let deviation = (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    let third = n_samples.div_ceil(3);
    let change = match (
        samples.get(..third).and_then(median),
        samples.get(n_samples - third..).and_then(median),
    ) {
        (Some(first), Some(last)) => (last - first).abs() / middle,
        _ => 0.0,
    };
    f64::from(score.abs()) >= TREND_DEVIATIONS * deviation && change > TREND_CHANGE
}

/// Whether a single worker's samples differ so much that something else must be using the processor.
#[must_use]
pub fn is_busy(single_worker: &[f64]) -> bool {
    let Some(middle) = median(single_worker) else {
        return false;
    };
    let (least, most) = single_worker
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), sample| {
            (least.min(*sample), most.max(*sample))
        });
    single_worker.len() >= 3 && middle > 0.0 && (most - least) / middle > BUSY_SPREAD
}

/// Whether a sample is too short for the clock.
#[must_use]
pub fn is_too_short(samples: &[f64], clock_step_ms: f64) -> bool {
    samples.iter().any(|sample| *sample < LEAST_CLOCK_STEPS * clock_step_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_are_far_above_the_median() {
        assert_eq!(n_outliers(&[10.0, 11.0, 10.5, 30.0, 10.2]), 1);
        assert_eq!(n_outliers(&[10.0, 11.0, 10.5, 14.0, 10.2]), 0);
        assert_eq!(n_outliers(&[]), 0);
    }

    #[test]
    fn a_trend_is_steady_and_large() {
        assert!(has_trend(&[10.0, 11.0, 12.0, 13.0, 14.0]));
        assert!(has_trend(&[14.0, 13.0, 12.0, 11.0, 10.0]));
        assert!(!has_trend(&[10.0, 10.1, 10.2, 10.3, 10.4]), "too small to matter");
        assert!(!has_trend(&[10.0, 14.0, 10.0, 14.0, 12.0]), "not steady");
        assert!(!has_trend(&[1.0, 2.0, 3.0, 4.0]), "too few");
    }

    #[test]
    fn a_fifth_of_spread_is_a_busy_machine() {
        assert!(is_busy(&[100.0, 101.0, 125.0]));
        assert!(!is_busy(&[100.0, 101.0, 119.0]));
    }

    #[test]
    fn a_hundred_steps_are_enough() {
        assert!(is_too_short(&[99.0, 200.0], 1.0));
        assert!(!is_too_short(&[100.0, 200.0], 1.0));
    }
}
