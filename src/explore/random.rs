//! Chance, from a seed alone: who goes next. Not here: any entropy.

use rand::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;

use super::count::Count;
use super::system::{Thread, Threads};

/// PCG 32, as everywhere in this crate.
#[derive(Clone, Debug)]
pub(super) struct Random(Pcg32);

impl Random {
    pub fn new(seed: u32) -> Self {
        Self(Pcg32::seed_from_u64(u64::from(seed)))
    }

    /// One of these, all exactly alike likely; the first where there is none.
    pub fn one_of(&mut self, threads: Threads) -> Thread {
        let n_threads = threads.len().max(1);
        // Numbers beyond the last whole multiple would favour the first threads.
        let limit = u32::MAX - u32::MAX % n_threads;
        let drawn = loop {
            let drawn = self.0.next_u32();
            if drawn < limit {
                break drawn % n_threads;
            }
        };
        threads.iter().nth(drawn as usize).unwrap_or(Thread(0))
    }

    /// Any number below a limit, all exactly alike likely; 0 below 0.
    pub fn below(&mut self, limit: &Count) -> Count {
        let n_bits = limit.n_bits();
        if n_bits == 0 {
            return Count::default();
        }
        // At least half of all numbers with as many digits are below it.
        loop {
            let mut limbs: Vec<u64> = limit.limbs().iter().map(|_| self.0.next_u64()).collect();
            if let Some(last) = limbs.last_mut() {
                *last &= u64::MAX >> (63 - (n_bits - 1) % 64);
            }
            let drawn = Count::from_limbs(&limbs);
            if drawn < *limit {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_drawn_about_as_often() {
        let mut random = Random::new(1);
        let threads = Threads(0b10110);
        let mut drawn = [0; 5];
        (0..30_000).for_each(|_| drawn[random.one_of(threads).index()] += 1);
        assert_eq!((drawn[0], drawn[3]), (0, 0));
        assert!(
            [1, 2, 4].iter().all(|thread| (9_700..10_300).contains(&drawn[*thread])),
            "{drawn:?}"
        );
        let mut drawn = [0; 5];
        let limit = Count::from(5_u64);
        (0..30_000).for_each(|_| drawn[random.below(&limit).limbs().first().map_or(0, |limb| *limb as usize)] += 1);
        assert!(drawn.iter().all(|n| (5_700..6_300).contains(n)), "{drawn:?}");
    }

    #[test]
    fn large_limits_are_kept_and_used() {
        let mut random = Random::new(2);
        let limit = Count::from((1_u128 << 127) + 1);
        let half = Count::from(1_u128 << 126);
        let drawn: Vec<Count> = (0..1_000).map(|_| random.below(&limit)).collect();
        assert!(drawn.iter().all(|count| *count < limit));
        let above = drawn.iter().filter(|count| **count >= half).count();
        assert!((430..570).contains(&above), "{above}");
    }
}
