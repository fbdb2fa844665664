//! Time in whole nanoseconds: never floats, which get stuck at large values.
//!
//! Not here: any clock. Who runs programs moves the time.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// A point in virtual time since the start, or a span of it, in nanoseconds; up to 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanoseconds(pub u64);

impl Nanoseconds {
    /// No time; the start.
    pub const ZERO: Self = Self(0);
    /// Later than anything happens.
    pub const MAX: Self = Self(u64::MAX);

    /// Whole microseconds.
    #[must_use]
    pub const fn micros(n: u64) -> Self {
        Self(n.saturating_mul(1_000))
    }

    /// Whole milliseconds.
    #[must_use]
    pub const fn millis(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000))
    }

    /// Whole seconds.
    #[must_use]
    pub const fn seconds(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000_000))
    }

    /// As a number of milliseconds, for showing.
    #[must_use]
    pub fn as_millis(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// As a number of seconds, for showing.
    #[must_use]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The difference, zero where it would be negative.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Nanoseconds {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanoseconds {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanoseconds {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.since(other)
    }
}

/// Seconds with as many decimals as it takes: `1.5 s`.
impl fmt::Display for Nanoseconds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        if rest == 0 {
            return write!(formatter, "{whole} s");
        }
        let decimals = format!("{rest:09}");
        write!(formatter, "{whole}.{} s", decimals.trim_end_matches('0'))
    }
}
