//! A fast hash of a state: fold each word in by a rotation, an exclusive or and one multiplication.
//!
//! The same everywhere and in every run, so that a search is too. Not here: any defence against keys that were chosen to
//! collide; the keys are the states of a program of our own. The fold is that of Firefox and rustc (“FxHash”), the
//! constants are 2⁶⁴ divided by the golden ratio and the multiplier of Steele and Vigna's 2021 list for 64 bits.

use std::hash::{Hash, Hasher};

const FOLD: u64 = 0x9e37_79b9_7f4a_7c15;
const FINISH: u64 = 0xd134_2543_de82_ef95;

#[derive(Default)]
struct Fold(u64);

impl Fold {
    const fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(FOLD);
    }
}

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(8) {
            let mut word = [0_u8; 8];
            for (to, from) in word.iter_mut().zip(piece) {
                *to = *from;
            }
            self.word(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.word(u64::from(value));
    }

    fn write_u16(&mut self, value: u16) {
        self.word(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.word(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.word(value);
    }

    fn write_u128(&mut self, value: u128) {
        self.word(value as u64);
        self.word((value >> 64) as u64);
    }

    fn write_usize(&mut self, value: usize) {
        self.word(value as u64);
    }

    fn finish(&self) -> u64 {
        // A multiplication carries upwards only: the high half is folded onto the low one and multiplied once more.
        (self.0 ^ self.0 >> 32).wrapping_mul(FINISH)
    }
}

/// 32 well mixed bits of a key.
pub(super) fn hash(key: &impl Hash) -> u32 {
    let mut fold = Fold::default();
    key.hash(&mut fold);
    (fold.finish() >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys as states are: small numbers in some bits of a word, at its low end or at its high one.
    #[test]
    fn packed_keys_spread_over_the_high_bits() {
        for shift in [0, 20, 44] {
            let mut taken = vec![false; 1 << 16];
            for key in 0..1_u64 << 16 {
                let at = hash(&(key << shift)) >> 16;
                taken[at as usize] = true;
            }
            let n_taken = taken.iter().filter(|taken| **taken).count();
            // By chance alone 1 − 1/e of them are hit.
            assert!(n_taken > 38_000, "{n_taken} at {shift}");
        }
    }

    #[test]
    fn every_part_of_a_key_counts() {
        let key = (7_u64, 3_u8, [1_u8, 2, 3]);
        let others = [(8, 3, [1, 2, 3]), (7, 4, [1, 2, 3]), (7, 3, [1, 2, 4])];
        assert!(others.iter().all(|other| hash(other) != hash(&key)));
        assert_ne!(hash(&1_u128), hash(&(1_u128 << 64)));
    }
}
