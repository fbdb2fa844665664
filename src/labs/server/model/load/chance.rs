//! Chance for millions of requests: the machine's own exponential law, from a table.
//!
//! −ln(u) for a random 64-bit u: the whole powers of two are its leading zeros, and the rest is looked up by its first ten
//! bits, with a straight line in between. The line is below the curve by less than 2⁻²³, a hundredth of a microsecond on
//! a second. Whole numbers only, the same everywhere. Not here: any entropy.

use rand::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;

use crate::machine::threads::negative_log2;

/// ln 2 in units of 2⁻³².
const LN_2: u64 = 2_977_044_472;

const TABLE_BITS: u32 = 10;
const TABLE_SIZE: u64 = 1 << TABLE_BITS;

/// One stream of random numbers.
#[derive(Debug)]
pub struct Chance {
    random: Pcg32,
    /// ln(1 + i / 1024) in units of 2⁻³².
    logarithms: Vec<u64>,
}

impl Chance {
    /// The stream of this number under this seed.
    pub fn new(seed: u32, stream: u32) -> Self {
        let fraction = |place: u64| {
            let log2 = if place == TABLE_SIZE {
                1 << 32
            } else {
                (1 << 32) - negative_log2((TABLE_SIZE + place) << (63 - TABLE_BITS))
            };
            (log2 * LN_2) >> 32
        };
        Self {
            random: Pcg32::seed_from_u64(u64::from(stream) << 32 | u64::from(seed)),
            logarithms: (0..=TABLE_SIZE).map(fraction).collect(),
        }
    }

    /// Exponential with mean 1, in units of 2⁻²⁴.
    pub fn exponential(&mut self) -> u64 {
        let random = self.random.next_u64() | 1;
        let zeros = random.leading_zeros();
        // Without its first one, which is always there: the part between two powers of two.
        let mantissa = (random << zeros) << 1;
        let place = (mantissa >> (64 - TABLE_BITS)) as usize;
        let within = mantissa << TABLE_BITS >> 42;
        let at = |place: usize| self.logarithms.get(place).copied().unwrap_or(LN_2);
        let (low, high) = (at(place), at(place + 1));
        let fraction = low + (((high - low) * within) >> 22);
        ((u64::from(zeros) + 1) * LN_2 - fraction) >> 8
    }

    /// Whether something that happens so many times in a hundred happens now.
    pub fn percent(&mut self, share: u32) -> bool {
        let wide = u64::from(self.random.next_u32()) * 100;
        (wide >> 32) < u64::from(share)
    }
}

/// A mean time by a factor in units of 2⁻²⁴.
pub fn scaled(mean: u64, factor: u64) -> u64 {
    // A factor has 30 bits: from −ln(2⁻⁶⁴) = 44.4.
    if mean < 1 << 33 {
        (mean * factor) >> 24
    } else {
        let wide = (u128::from(mean) * u128::from(factor)) >> 24;
        u64::try_from(wide).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quantiles of the law, and its mean: within what 400,000 draws leave to chance.
    #[test]
    fn the_law_is_exponential() {
        let mut chance = Chance::new(3, 1);
        let n = 400_000_u32;
        let mut drawn: Vec<f64> = (0..n)
            .map(|_| chance.exponential() as f64 / f64::from(1 << 24))
            .collect();
        let mean = drawn.iter().sum::<f64>() / f64::from(n);
        assert!((mean - 1.0).abs() < 0.005, "{mean}");
        drawn.sort_by(f64::total_cmp);
        for share in [0.01, 0.1, 0.5, 0.9, 0.99, 0.999] {
            let found = drawn[(share * f64::from(n)) as usize];
            let expected = -(1.0_f64 - share).ln();
            assert!((found / expected - 1.0).abs() < 0.05, "{share}: {found} for {expected}");
        }
    }

    /// The table is the curve, to a line between its points.
    #[test]
    fn the_line_keeps_to_the_curve() {
        let chance = Chance::new(1, 0);
        for (place, found) in chance.logarithms.iter().enumerate() {
            let expected = (1.0 + place as f64 / 1024.0).ln() * 4_294_967_296.0;
            assert!(
                (*found as f64 - expected).abs() < 4.0,
                "{place}: {found} for {expected}"
            );
        }
    }

    #[test]
    fn a_share_is_kept_and_its_ends_are_sure() {
        let mut chance = Chance::new(1, 0);
        assert!((0..1_000).all(|_| !chance.percent(0) && chance.percent(100)));
        let n = (0..100_000).filter(|_| chance.percent(30)).count();
        assert!(n.abs_diff(30_000) < 700, "{n}");
    }

    #[test]
    fn times_scale_beyond_the_short_way() {
        assert_eq!(scaled(1_000, 1 << 24), 1_000);
        assert_eq!(scaled(1 << 40, 3 << 23), 3 << 39);
    }
}
