//! An exact number of schedules, of any size.
//!
//! Not here: the counts of a layer of states, which lie side by side (`counts`).

use std::cmp::Ordering;
use std::fmt;
use std::ops::AddAssign;

/// The largest power of ten in one limb, and its exponent.
const CHUNK: u128 = 10_u128.pow(19);

/// A whole number from 0, exact however large. `Display` shows all its digits.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Count {
    /// In base 2⁶⁴, the least first; the last is not 0.
    limbs: Vec<u64>,
}

impl Count {
    /// From base 2⁶⁴, the least first.
    pub(super) fn from_limbs(limbs: &[u64]) -> Self {
        let length = limbs.iter().rposition(|limb| *limb != 0).map_or(0, |last| last + 1);
        Self {
            limbs: limbs.iter().copied().take(length).collect(),
        }
    }

    /// Base 2⁶⁴, the least first, without zeros at the end.
    pub(super) fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Whether it is 0.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// How many binary digits it has; 0 has none.
    #[must_use]
    pub fn n_bits(&self) -> u32 {
        let last = self.limbs.last().map_or(0, |last| 64 - last.leading_zeros());
        (self.limbs.len().saturating_sub(1) * 64) as u32 + last
    }

    /// What remains without another; nothing if that is more.
    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        let mut limbs = self.limbs.clone();
        let mut borrow = false;
        for (at, limb) in limbs.iter_mut().enumerate() {
            let (less, one) = limb.overflowing_sub(other.limbs.get(at).copied().unwrap_or(0));
            let (less, two) = less.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (less, one || two);
        }
        (!borrow && other.limbs.len() <= limbs.len()).then(|| Self::from_limbs(&limbs))
    }

    /// Which part of a total it is, to the accuracy of the result; 0 of 0 is 0. Right where both are far beyond any f64.
    #[must_use]
    pub fn share_of(&self, total: &Self) -> f64 {
        if self.is_zero() || total.is_zero() {
            return 0.0;
        }
        let (part, part_exponent) = self.leading();
        let (whole, whole_exponent) = total.leading();
        let difference = part_exponent - whole_exponent;
        // In two halves: 2⁻¹⁰⁷⁴ is the least number there is, and its square root is still whole.
        part / whole * 2_f64.powi(difference / 2) * 2_f64.powi(difference - difference / 2)
    }

    /// Its first 64 binary digits as a number from 1 to 2, and the power of two that makes it whole.
    fn leading(&self) -> (f64, i32) {
        let n_bits = self.n_bits() as i32;
        let top = self.limbs.iter().rev().take(2);
        let (mut first, mut second) = (0, 0);
        for (place, limb) in top.enumerate() {
            *(if place == 0 { &mut first } else { &mut second }) = *limb;
        }
        let both = u128::from(first) << 64 | u128::from(second);
        let digits = (both << both.leading_zeros()) >> 64;
        (digits as f64 / 2_f64.powi(63), n_bits - 1)
    }
}

impl From<u64> for Count {
    fn from(value: u64) -> Self {
        Self::from_limbs(&[value])
    }
}

impl From<u128> for Count {
    fn from(value: u128) -> Self {
        Self::from_limbs(&[value as u64, (value >> 64) as u64])
    }
}

impl AddAssign<&Self> for Count {
    fn add_assign(&mut self, other: &Self) {
        if self.limbs.len() < other.limbs.len() {
            self.limbs.resize(other.limbs.len(), 0);
        }
        let mut carry = false;
        for (at, limb) in self.limbs.iter_mut().enumerate() {
            let (more, one) = limb.overflowing_add(other.limbs.get(at).copied().unwrap_or(0));
            let (more, two) = more.overflowing_add(u64::from(carry));
            (*limb, carry) = (more, one || two);
        }
        if carry {
            self.limbs.push(1);
        }
    }
}

impl Ord for Count {
    fn cmp(&self, other: &Self) -> Ordering {
        let lengths = self.limbs.len().cmp(&other.limbs.len());
        lengths.then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

impl PartialOrd for Count {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut limbs = self.limbs.clone();
        // Nineteen digits at a time, the last ones first.
        let mut groups = Vec::new();
        while !limbs.is_empty() {
            let mut rest = 0_u128;
            for limb in limbs.iter_mut().rev() {
                let value = rest << 64 | u128::from(*limb);
                *limb = (value / CHUNK) as u64;
                rest = value % CHUNK;
            }
            groups.push(rest);
            while limbs.last() == Some(&0) {
                limbs.pop();
            }
        }
        let mut text = groups.pop().unwrap_or(0).to_string();
        for group in groups.iter().rev() {
            text.push_str(&format!("{group:019}"));
        }
        formatter.pad_integral(true, "", &text)
    }
}

impl fmt::Debug for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power_of_two(exponent: u32) -> Count {
        let mut count = Count::from(1_u64);
        for _ in 0..exponent {
            let same = count.clone();
            count += &same;
        }
        count
    }

    #[test]
    fn all_digits_are_shown() {
        assert_eq!(Count::default().to_string(), "0");
        assert_eq!(Count::from(u64::MAX).to_string(), u64::MAX.to_string());
        for value in [1, 10_u128.pow(19), 10_u128.pow(19) - 1, 10_u128.pow(38) + 7, u128::MAX] {
            assert_eq!(Count::from(value).to_string(), value.to_string());
        }
        let known = "1606938044258990275541962092341162602522202993782792835301376";
        assert_eq!(power_of_two(200).to_string(), known);
        assert_eq!(format!("{:>4}", Count::from(7_u64)), "   7");
    }

    #[test]
    fn sums_differences_and_order_agree_with_the_machine_s_own() {
        let some = [0_u128, 1, u128::from(u64::MAX), 1 << 64, (1 << 127) - 1, 0xffff << 60];
        for (one, other) in some.into_iter().flat_map(|one| some.map(|other| (one, other))) {
            let (left, right) = (Count::from(one), Count::from(other));
            let mut sum = left.clone();
            sum += &right;
            assert_eq!(sum, Count::from(one + other));
            assert_eq!(left.cmp(&right), one.cmp(&other));
            assert_eq!(left.minus(&right), one.checked_sub(other).map(Count::from));
        }
        let large = power_of_two(256);
        assert_eq!(large.n_bits(), 257);
        let less = large.minus(&Count::from(1_u64)).unwrap();
        assert!(less < large && less.n_bits() == 256);
    }

    #[test]
    fn shares_are_right_for_numbers_beyond_any_float() {
        let share = |part: &Count, whole: &Count| part.share_of(whole);
        assert_eq!(share(&Count::from(4_u64), &Count::from(6_u64)), 4.0 / 6.0);
        assert_eq!(share(&Count::default(), &Count::default()), 0.0);
        assert_eq!(share(&power_of_two(2000), &power_of_two(2001)), 0.5);
        assert_eq!(share(&power_of_two(10), &power_of_two(1084)), f64::from_bits(1));
        assert_eq!(share(&power_of_two(10), &power_of_two(1500)), 0.0);
        let (mut three, large) = (power_of_two(1400), power_of_two(1401));
        three += &large;
        assert_eq!(share(&large, &three), 2.0 / 3.0);
        assert_eq!(share(&three, &three), 1.0);
    }
}
