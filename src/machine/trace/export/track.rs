//! The small parts of a trace in Chrome's format: tracks, times and texts as JSON.
//!
//! Not here: what is written where.

use std::fmt::Write;

use crate::machine::Nanoseconds;

/// The process that all cores are shown in; others begin behind it.
pub(super) const CORES: u32 = 1;

/// A row of a trace: what the format calls a thread of a process.
#[derive(Clone, Copy)]
pub(super) struct Track {
    pub process: u32,
    pub thread: u32,
}

impl Track {
    /// An event up to its time.
    pub fn begin(self, out: &mut String, phase: char, name: &str, category: &str, at: Nanoseconds) {
        let _ = write!(
            out,
            ",\n{{\"ph\":\"{phase}\",\"pid\":{},\"tid\":{},\"cat\":\"{category}\",\"name\":",
            self.process, self.thread
        );
        text(out, name);
        out.push_str(",\"ts\":");
        micros(out, at);
    }

    /// The two events of a span.
    pub fn span(
        self,
        out: &mut String,
        name: &str,
        category: &str,
        (start, end): (Nanoseconds, Nanoseconds),
        arguments: &Arguments,
    ) {
        for (phase, at) in [('B', start), ('E', end)] {
            self.begin(out, phase, name, category, at);
            if !arguments.0.is_empty() {
                out.push_str(",\"args\":{");
                out.push_str(&arguments.0);
                out.push('}');
            }
            out.push('}');
        }
    }

    pub fn name(self, out: &mut String, of: &str, name: &str) {
        self.about(out, of, "name");
        text(out, name);
        out.push_str("}}");
    }

    /// Its place among the others: as it is numbered.
    pub fn order(self, out: &mut String, of: &str) {
        self.about(out, of, "sort_index");
        let _ = write!(out, "{}}}}}", self.thread);
    }

    fn about(self, out: &mut String, of: &str, what: &str) {
        let Self { process, thread } = self;
        let _ = write!(
            out,
            ",\n{{\"ph\":\"M\",\"pid\":{process},\"tid\":{thread},\"name\":\"{of}_{what}\",\"args\":{{\"{what}\":"
        );
    }
}

/// What a span has to say beside its name.
#[derive(Default)]
pub(super) struct Arguments(String);

impl Arguments {
    pub fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        text(&mut self.0, value);
    }

    pub fn number(&mut self, name: &str, value: u32) {
        self.name(name);
        let _ = write!(self.0, "{value}");
    }

    fn name(&mut self, name: &str) {
        let comma = if self.0.is_empty() { "" } else { "," };
        let _ = write!(self.0, "{comma}\"{name}\":");
    }
}

/// Microseconds with as many decimals as it takes: `1500` ns is `1.5`.
pub(super) fn micros(out: &mut String, time: Nanoseconds) {
    let (whole, rest) = (time.0 / 1000, time.0 % 1000);
    let _ = write!(out, "{whole}");
    if rest > 0 {
        let _ = write!(out, ".{rest:03}");
        out.truncate(out.trim_end_matches('0').len());
    }
}

/// A text as JSON.
pub(super) fn text(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            '\n' => out.push_str("\\n"),
            // Line separators too: a trace may be read as a script.
            control if control < ' ' || matches!(control, '\u{7f}' | '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_texts() {
        let written = |time| {
            let mut out = String::new();
            micros(&mut out, Nanoseconds(time));
            out
        };
        assert_eq!(
            [0, 1_500, 2_000, 1_000_000, 7].map(written),
            ["0", "1.5", "2", "1000", "0.007"]
        );
        assert_eq!(written(u64::MAX), "18446744073709551.615");
        let mut out = String::new();
        text(&mut out, "a \"b\" \\ \n\t\u{2028}é");
        assert_eq!(out, r#""a \"b\" \\ \n\u0009\u2028é""#);
        assert_eq!(
            crate::json::Json::parse(&out).expect("JSON").text(),
            Some("a \"b\" \\ \n\t\u{2028}é")
        );
    }
}
