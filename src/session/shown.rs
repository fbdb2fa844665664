//! What came in, as it can be shown in a sentence: short, on one line, harmless. Not here: judging it.

use crate::decimal;
use crate::wire::RawValue;

/// The longest piece of foreign text that a message repeats, in characters.
const MOST_CHARACTERS: usize = 60;

/// A value in words.
#[must_use]
pub fn value(raw: &RawValue) -> String {
    match raw {
        RawValue::Number { value } => decimal::write(*value),
        RawValue::Text { value } | RawValue::Written { value } => format!("“{}”", text(value)),
        RawValue::Flag { value } => value.to_string(),
        RawValue::Missing => "nothing".to_owned(),
        RawValue::Other { what } => text(what),
    }
}

/// A text cut to [`MOST_CHARACTERS`], with whatever could change a line or the reading direction escaped.
#[must_use]
pub fn text(text: &str) -> String {
    let mut characters = text.chars();
    let mut shown = String::new();
    for character in characters.by_ref().take(MOST_CHARACTERS) {
        if is_harmless(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_unicode());
        }
    }
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Control characters, line separators, and the marks that turn the reading direction or are not seen at all.
fn is_harmless(character: char) -> bool {
    let is_hidden =
        matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !character.is_control() && !is_hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_wild_text_becomes_short_and_tame() {
        assert_eq!(text("size"), "size");
        assert_eq!(text("a\nb\u{202e}c"), "a\\u{a}b\\u{202e}c");
        let long = text(&"x".repeat(10_000_000));
        assert_eq!(long.chars().count(), 61);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn numbers_stay_short() {
        let shown = |number| value(&RawValue::Number { value: number });
        assert_eq!(shown(1e308), "1e308");
        assert_eq!(shown(f64::NAN), "NaN");
        assert_eq!(shown(f64::NEG_INFINITY), "-Infinity");
        assert_eq!(shown(-1.5), "-1.5");
        assert_eq!(shown(0.0), "0");
    }
}
