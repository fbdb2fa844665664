//! How many digits of a number mean something. Not here: words and units (`text`).

/// Rounds a value so that its last digit is about a tenth of the interval's width: 171.3 in 170 to 174 stays 171.3,
/// 171.3428 in 150 to 230 becomes 171. Without a width three significant digits stay.
#[must_use]
pub fn rounded(value: f64, low: f64, high: f64) -> f64 {
    let width = high - low;
    if width > 0.0 && width.is_finite() {
        round_to(value, width / 10.0)
    } else {
        significant(value, 3)
    }
}

/// Rounds to this many significant digits.
#[must_use]
pub fn significant(value: f64, n_digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    round_to(value, 10f64.powi(magnitude(value) - n_digits + 1))
}

/// Cut to two digits, at least 1: a size like 63,000 says by itself that it was chosen.
#[must_use]
pub fn two_digits(size: f64) -> u32 {
    let size = size.clamp(1.0, f64::from(u32::MAX));
    let unit = 10f64.powf((size.log10().floor() - 1.0).max(0.0));
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to u32's range"
    )]
    let cut = ((size / unit).floor() * unit) as u32;
    cut.max(1)
}

/// Rounds to a power of ten that is at most `step`.
fn round_to(value: f64, step: f64) -> f64 {
    if !value.is_finite() || step <= 0.0 {
        return value;
    }
    let power = magnitude(step);
    // Powers of ten below 1 are not exact in binary: dividing by the exact one above keeps 0.3 from being 0.30000000000000004.
    if power < 0 {
        let scale = 10f64.powi(-power);
        (value * scale).round() / scale
    } else {
        let scale = 10f64.powi(power);
        (value / scale).round() * scale
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the magnitude of a finite number is within ±324"
)]
fn magnitude(value: f64) -> i32 {
    value.abs().log10().floor() as i32
}

/// A number that is one of counts within `u32`, as a median of such is, to the nearest whole one.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a median of counts is within u32"
)]
#[must_use]
pub fn whole(number: f64) -> u32 {
    number.round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_interval() {
        assert_eq!(rounded(171.342_8, 170.0, 174.0), 171.3);
        assert_eq!(rounded(171.342_8, 150.0, 230.0), 171.0);
        assert_eq!(rounded(1_713.428, 1_000.0, 3_500.0), 1_700.0);
        assert_eq!(rounded(1.957_3, 1.93, 1.99), 1.957);
        assert_eq!(rounded(171.342_8, 171.0, 171.0), 171.0);
    }

    #[test]
    fn sizes_are_cut_never_raised() {
        assert_eq!(
            [63_999.0, 99.9, 9.9, 0.3, 1e300].map(two_digits),
            [63_000, 99, 9, 1, 4_200_000_000]
        );
        assert_eq!(two_digits(f64::NAN), 1);
    }

    #[test]
    fn significant_digits_survive_extremes() {
        assert_eq!(significant(0.0, 3), 0.0);
        assert_eq!(significant(0.001_234, 3), 0.001_23);
        assert_eq!(significant(-98_765.0, 2), -99_000.0);
        assert!(significant(f64::NAN, 3).is_nan());
    }
}
