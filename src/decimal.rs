//! Decimal numbers read and written by plain arithmetic. Being right to the last bit takes tables and big integers, more
//! than a tenth of the wasm file; what people write and read has few digits. Not here: signs of a language (`text`).
//!
//! Worked example: 0.000123 is 123 × 10⁻⁶, and 123 / 10⁶ is one division of exact numbers, so the nearest `f64` comes
//! out. That holds for up to 15 digits and powers up to 10²²; past that the last bits are off.

/// The largest power of ten that is exact as `f64`.
const EXACT_POWER: i32 = 22;

/// Digits that `f64` always keeps.
const KEPT_DIGITS: i32 = 15;

/// Digits that are right even where scaling takes several steps.
const SURE_DIGITS: i32 = 12;

/// Reads a number as JSON writes it; leading zeros are let pass.
#[must_use]
pub fn read(written: &str) -> Option<f64> {
    let (sign, rest) = written.strip_prefix('-').map_or((1.0, written), |rest| (-1.0, rest));
    let (digits, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || digits.ends_with('.') {
        return None;
    }
    let mut value = 0_u64;
    let mut power: i32 = power.parse().ok()?;
    for (index, character) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = character.to_digit(10)?;
        if value < 10_u64.pow(17) {
            value = value * 10 + u64::from(digit);
        } else {
            power = power.saturating_add(1);
        }
        if index >= whole.len() {
            power = power.saturating_sub(1);
        }
    }
    Some(sign * scaled(value as f64, power))
}

/// Writes a number as short as it is, with at most 15 digits: `1234.5`, `0.000001`; as `1e308` from 10¹⁵ and below 10⁻⁶.
#[must_use]
pub fn write(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if number < 0.0 { "-" } else { "" };
    let size = number.abs();
    if size.is_infinite() {
        return format!("{sign}Infinity");
    }
    if size == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e15).contains(&size) {
        let whole_digits = size.log10().floor() as i32 + 1;
        let n_decimals = (KEPT_DIGITS - whole_digits).max(0);
        let written = fixed(number, n_decimals.unsigned_abs() as usize);
        return if n_decimals > 0 {
            trimmed(&written).to_owned()
        } else {
            written
        };
    }
    let mut power = size.log10().floor() as i32;
    let mut leading = scaled(size, -power);
    // The logarithm may be off by one beside a power of ten.
    if leading >= 10.0 - 1e-12 {
        power += 1;
        leading /= 10.0;
    }
    let written = fixed(leading, (SURE_DIGITS - 1).unsigned_abs() as usize);
    format!("{sign}{}e{power}", trimmed(&written))
}

/// Writes a number with this many decimals, halves rounded away from zero; as [`write`] does where that takes more than
/// 19 digits.
#[must_use]
pub fn fixed(number: f64, n_decimals: usize) -> String {
    let sign = if number < 0.0 { "-" } else { "" };
    let units = scaled(number.abs(), i32::try_from(n_decimals).unwrap_or(i32::MAX)).round();
    if units.is_nan() || units >= 1e19 {
        return write(number);
    }
    let digits = format!("{:0width$}", units as u64, width = n_decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - n_decimals);
    if n_decimals == 0 {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

/// Without the zeros that say nothing after the point.
fn trimmed(written: &str) -> &str {
    written.trim_end_matches('0').trim_end_matches('.')
}

/// `number` × 10 to the power, in as few steps as exact powers allow.
fn scaled(number: f64, power: i32) -> f64 {
    let mut number = number;
    // Farther than any number reaches, from its smallest to its largest.
    let mut left = power.clamp(-800, 800);
    while left != 0 && number != 0.0 {
        let step = left.clamp(-EXACT_POWER, EXACT_POWER);
        let scale = (0..step.abs()).fold(1.0, |scale, _| scale * 10.0);
        number = if step > 0 { number * scale } else { number / scale };
        left -= step;
    }
    number
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_and_what_people_write() {
        for (written, number) in [
            ("0.000123", 0.000_123),
            ("123e-6", 0.000_123),
            ("-1.50", -1.5),
            ("0", 0.0),
            ("007", 7.0),
            ("1E+3", 1e3),
            ("4294967295", 4_294_967_295.0),
        ] {
            assert_eq!(read(written), Some(number), "{written}");
        }
        assert_eq!(read("1e99999999999"), None);
        assert_eq!(read("1e999"), Some(f64::INFINITY));
        assert_eq!(read("1e-999"), Some(0.0));
        for wrong in ["", "-", ".5", "5.", "1e", "1.2.3", "+1", "0x1", "٣"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn written_as_short_as_they_are() {
        for (number, written) in [
            (0.1 + 0.2, "0.3"),
            (1_234.5, "1234.5"),
            (-0.25, "-0.25"),
            (1e-6, "0.000001"),
            (1e308, "1e308"),
            (-1e-7, "-1e-7"),
            (f64::MAX, "1.79769313486e308"),
            (5e-324, "4.94065645841e-324"),
            (1e15, "1e15"),
            (999_999_999_999_999.0, "999999999999999"),
            (100.0, "100"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
            (-0.0, "0"),
        ] {
            assert_eq!(write(number), written);
        }
        assert_eq!(fixed(-1_234.5, 2), "-1234.50");
        assert_eq!(fixed(0.999, 2), "1.00");
        assert_eq!(fixed(2.5, 0), "3");
        assert_eq!(fixed(1e300, 2), "1e300");
        assert_eq!(fixed(f64::NAN, 2), "NaN");
    }

    proptest! {
        #[test]
        fn up_to_fifteen_digits_nothing_is_lost(digits in -999_999_999_999_999_i64..=999_999_999_999_999, power in -22..=6_i32) {
            let written = format!("{digits}e{power}");
            let number: f64 = written.parse().expect("it is a number");
            prop_assert_eq!(read(&written), Some(number));
            if (1e-6..1e15).contains(&number.abs()) {
                prop_assert_eq!(write(number).parse::<f64>(), Ok(number));
            }
        }

        #[test]
        fn elsewhere_little_is_lost(number in any::<f64>()) {
            let read = read(&number.to_string()).expect("it is a number");
            prop_assert!((read / number - 1.0).abs() < 1e-14 || read == number || number.abs() < 1e-307, "{read} {number}");
            let written: f64 = write(number).parse().expect("it is a number");
            prop_assert!((written / number - 1.0).abs() < 1e-11 || written == number || number.abs() < 1e-307, "{written} {number}");
        }
    }
}
