//! A state as a few words of bits, and numbers kept in some bits of a word.
//!
//! Not here: what lies where.

use std::hash::{Hash, Hasher};

/// A state in `WORDS` words. Small and without pointers, because a search keeps millions and compares them all day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Packed<const WORDS: usize>(pub(super) [u64; WORDS]);

impl<const WORDS: usize> Hash for Packed<WORDS> {
    /// The words alone: a derived one would also hash how many there are.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        for word in self.0 {
            hasher.write_u64(word);
        }
    }
}

const LIES_WITHIN: &str = "a system is only made when its state fits into its words";

impl<const WORDS: usize> Packed<WORDS> {
    #[inline]
    pub(super) fn word(&self, at: usize) -> u64 {
        *self.0.get(at).expect(LIES_WITHIN)
    }

    #[inline]
    pub(super) fn word_mut(&mut self, at: usize) -> &mut u64 {
        self.0.get_mut(at).expect(LIES_WITHIN)
    }

    /// Whether any of these bits is set.
    #[inline]
    pub(super) fn has_any(&self, bits: &[u64; WORDS]) -> bool {
        self.0.iter().zip(bits).fold(0, |all, (word, bits)| all | word & bits) != 0
    }

    #[inline]
    pub(super) fn clear(&mut self, bits: &[u64; WORDS]) {
        for (word, bits) in self.0.iter_mut().zip(bits) {
            *word &= !bits;
        }
    }
}

/// A whole number within its ends, in some bits of a word: kept as its distance from the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    /// How far up in the word; below 64.
    pub(super) shift: u32,
    /// As many ones as it has bits.
    pub(super) mask: u64,
    pub(super) least: i64,
    /// The most less the least.
    pub(super) span: u64,
}

impl Field {
    /// Its bits in a word.
    pub(super) const fn bits(self) -> u64 {
        self.mask << self.shift
    }

    #[inline]
    pub(super) const fn raw(self, word: u64) -> u64 {
        word >> self.shift & self.mask
    }

    #[inline]
    pub(super) const fn set_raw(self, word: &mut u64, raw: u64) {
        *word = *word & !self.bits() | raw << self.shift;
    }

    #[inline]
    pub(super) const fn value(self, word: u64) -> i64 {
        self.raw(word).cast_signed() + self.least
    }

    /// Sets it. False, and nothing is changed, where the value is outside its ends.
    #[inline]
    #[must_use]
    pub(super) const fn set(self, word: &mut u64, value: i64) -> bool {
        // A value below the least wraps to more than any span.
        let raw = (value - self.least).cast_unsigned();
        let fits = raw <= self.span;
        if fits {
            self.set_raw(word, raw);
        }
        fits
    }
}

/// How many bits keep any number from 0 to this one.
pub(super) const fn bits_for(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// As many ones, at most 63.
pub(super) const fn ones(bits: u32) -> u64 {
    (1 << bits) - 1
}
