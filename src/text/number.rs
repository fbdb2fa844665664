//! Numbers as a language writes them. Not here: how many digits of a number mean something (`measure::digits`).

use crate::decimal;
use crate::measure::digits::significant;

/// Digits shown where nobody asked for fewer.
const MOST_DIGITS: i32 = 4;

/// Writes a number: `ms` as a time, `percent` as a share, a digit as that many decimals, else as short as it is.
pub fn write(number: f64, style: &str, language: &str) -> String {
    match style {
        "ms" if number.abs() >= 1_000.0 => format!("{} s", short(number / 1_000.0, language)),
        "ms" if number.abs() >= 1.0 || number == 0.0 => format!("{} ms", short(number, language)),
        "ms" => format!("{} µs", short(number * 1_000.0, language)),
        "percent" => format!("{} %", short((number * 1_000.0).round() / 10.0, language)),
        _ => match style.parse::<usize>() {
            Ok(n_decimals) => localised(&decimal::fixed(number, n_decimals), language),
            Err(_) => short(number, language),
        },
    }
}

fn short(number: f64, language: &str) -> String {
    let is_whole = number.fract() == 0.0;
    let shown = if is_whole {
        number
    } else {
        significant(number, MOST_DIGITS)
    };
    localised(&decimal::write(shown), language)
}

/// Puts in the language's decimal sign and thousands separators: English 1,234.5, German 1.234,5.
fn localised(written: &str, language: &str) -> String {
    let (thousands, decimal) = if language.starts_with("de") {
        ('.', ',')
    } else {
        (',', '.')
    };
    let (sign, digits) = written.strip_prefix('-').map_or(("", written), |digits| ("-", digits));
    let (whole, fraction) = digits
        .split_once('.')
        .map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    let mut grouped = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) && whole.chars().all(|digit| digit.is_ascii_digit()) {
            grouped.push(thousands);
        }
        grouped.push(digit);
    }
    if let Some(fraction) = fraction {
        grouped.push(decimal);
        grouped.push_str(fraction);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_get_the_unit_that_suits_them() {
        assert_eq!(write(1_713.4, "ms", "en"), "1.713 s");
        assert_eq!(write(171.3, "ms", "en"), "171.3 ms");
        assert_eq!(write(0.25, "ms", "en"), "250 µs");
        assert_eq!(write(0.0, "ms", "en"), "0 ms");
    }

    #[test]
    fn languages_differ_in_signs_only() {
        assert_eq!(write(1_000_000.0, "", "en"), "1,000,000");
        assert_eq!(write(1_000_000.0, "", "de"), "1.000.000");
        assert_eq!(write(-1_234.5, "2", "en"), "-1,234.50");
        assert_eq!(write(-1_234.5, "2", "de-AT"), "-1.234,50");
        assert_eq!(write(123.0, "", "en"), "123");
    }

    #[test]
    fn shares_and_odd_numbers() {
        assert_eq!(write(0.123_4, "percent", "en"), "12.3 %");
        assert_eq!(write(f64::INFINITY, "", "en"), "Infinity");
        assert_eq!(write(f64::NAN, "", "en"), "NaN");
        assert_eq!(write(2.0 / 3.0, "", "en"), "0.6667");
    }
}
