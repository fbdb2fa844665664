//! Chance, from the run's seed alone: jitter, core phase, latencies. Whole numbers only, the same everywhere.
//!
//! Not here: any entropy.

use rand::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;

use crate::machine::Nanoseconds;

/// A run's source of random numbers: PCG 32.
#[derive(Clone, Debug)]
pub(super) struct Random(Pcg32);

impl Random {
    pub fn new(seed: u32) -> Self {
        Self(Pcg32::seed_from_u64(u64::from(seed)))
    }

    /// Any number below a limit, all alike likely but for one part in 2³²; 0 below 1.
    pub fn below(&mut self, limit: u64) -> u64 {
        let wide = u128::from(self.0.next_u64()) * u128::from(limit);
        (wide >> 64) as u64
    }

    /// Any time from one to another, both possible.
    pub fn between(&mut self, low: Nanoseconds, high: Nanoseconds) -> Nanoseconds {
        low + Nanoseconds(self.below(high.since(low).0.saturating_add(1)))
    }

    /// Exponential with this mean: −mean · ln(u), by whole numbers.
    pub fn exponential(&mut self, mean: Nanoseconds) -> Nanoseconds {
        // ln(u) = log2(u) · ln 2; both in units of 2⁻³². ln 2 = 0.693147180559945…
        const LN_2: u128 = 2_977_044_472;
        let log = u128::from(negative_log2(self.0.next_u64() | 1));
        let scaled = (u128::from(mean.0) * log * LN_2) >> 64;
        Nanoseconds(u64::try_from(scaled).unwrap_or(u64::MAX))
    }

    /// A cost with its jitter: up to so many thousandths more or less.
    pub fn jittered(&mut self, cost: Nanoseconds, permille: u32) -> Nanoseconds {
        let span = u64::from(permille.min(1000));
        let factor = 1000 - span + self.below(2 * span + 1);
        let scaled = u128::from(cost.0) * u128::from(factor) / 1000;
        Nanoseconds(u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

/// −log2(x / 2⁶⁴) in units of 2⁻³², for x from 1. Digit by digit: squaring a number between 1 and 2 doubles its
/// logarithm, and whether the square reaches 2 is the next binary digit.
pub(crate) fn negative_log2(x: u64) -> u64 {
    let zeros = x.leading_zeros();
    // x = m · 2^(63 − zeros) with m in [1, 2), kept as 1.63 fixed point.
    let mut mantissa = x << zeros;
    let mut fraction = 0_u64;
    for _ in 0..32 {
        let square = (u128::from(mantissa) * u128::from(mantissa)) >> 63;
        let carry = square >> 64;
        fraction = fraction << 1 | carry as u64;
        mantissa = (square >> carry) as u64;
    }
    // log2(x / 2⁶⁴) = −1 − zeros + fraction.
    (u64::from(zeros) + 1) * (1 << 32) - fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_right_where_it_is_known() {
        assert_eq!(negative_log2(1 << 63), 1 << 32);
        assert_eq!(negative_log2(1), 64 << 32);
        // 2⁶³·√2: half a power of two more.
        assert!(negative_log2(13_043_817_825_332_782_212).abs_diff(1 << 31) <= 1);
        assert!(negative_log2(u64::MAX) <= 1);
    }

    #[test]
    fn the_laws_have_their_means() {
        let mut random = Random::new(7);
        let mean = Nanoseconds::micros(100);
        let n = 100_000;
        let sum: u64 = (0..n).map(|_| random.exponential(mean).0).sum();
        assert!((sum / n).abs_diff(mean.0) < mean.0 / 50, "{}", sum / n);
        let above = (0..n).filter(|_| random.exponential(mean).0 > 2 * mean.0).count();
        // e⁻² of them.
        assert!(above.abs_diff(13_534) < 400, "{above}");
        let sum: u64 = (0..n).map(|_| random.between(Nanoseconds(10), Nanoseconds(20)).0).sum();
        assert!((sum as f64 / n as f64 - 15.0).abs() < 0.05);
        assert_eq!(random.between(Nanoseconds(10), Nanoseconds(10)), Nanoseconds(10));
        assert!((0..1000).all(|_| (90..=110).contains(&random.jittered(Nanoseconds(100), 100).0)));
    }

    /// A run of today is the same run in a later version.
    #[test]
    fn a_seed_is_for_ever() {
        let mut random = Random::new(1);
        let drawn: Vec<u64> = (0..4).map(|_| random.below(1000)).collect();
        assert_eq!(drawn, [491, 69, 160, 102]);
        assert_eq!(random.exponential(Nanoseconds::millis(1)), Nanoseconds(2_966_274));
        assert_ne!(drawn, (0..4).map(|_| Random::new(2).below(1000)).collect::<Vec<u64>>());
    }
}
