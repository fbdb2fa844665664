//! The spans of a log as a table (RFC 4180), one line each, in the order of their ends.
//!
//! Not here: wake-ups, counters and marks.

use std::fmt::Write;

use super::Export;
use crate::machine::trace::State;
use crate::machine::trace::log::Log;
use crate::machine::trace::spans::{Span, Spans};

const HEADER: &str = "start_ns,end_ns,lane,lane_name,lane_kind,parent,state,cause,holder,call,line,cell\r\n";

/// Writes the table.
#[derive(Debug)]
pub struct SpansCsv<'log> {
    log: &'log Log,
    spans: Option<Spans<'log>>,
}

impl<'log> SpansCsv<'log> {
    /// A writer that has written nothing yet.
    #[must_use]
    pub fn new(log: &'log Log) -> Self {
        Self { log, spans: None }
    }
}

impl Export for SpansCsv<'_> {
    fn write(&mut self, out: &mut String, n_bytes: usize) -> bool {
        let until = out.len().saturating_add(n_bytes);
        let spans = self.spans.get_or_insert_with(|| {
            out.push_str(HEADER);
            self.log.spans()
        });
        while out.len() < until {
            let Some(span) = spans.next() else { return false };
            row(out, self.log, &span);
        }
        true
    }
}

fn row(out: &mut String, log: &Log, span: &Span) {
    let _ = write!(out, "{},{},{},", span.start.0, span.end.0, span.lane.0);
    field(out, log.lane_name(span.lane));
    let made = log.made(span.lane);
    let _ = write!(out, ",{},", made.map_or("", |made| made.kind.word()));
    optional(out, made.and_then(|made| made.parent).map(|parent| parent.0));
    let _ = write!(
        out,
        ",{},{},",
        span.state.word(),
        span.state.cause().unwrap_or_default()
    );
    if let State::Blocked(_, Some(holder)) = span.state {
        optional(out, Some(holder.0));
    }
    out.push(',');
    field(out, log.text(span.call));
    out.push(',');
    optional(out, (span.line > 0).then_some(span.line));
    out.push(',');
    optional(out, span.cell.map(|cell| cell.0));
    out.push_str("\r\n");
}

fn optional(out: &mut String, number: Option<u32>) {
    if let Some(number) = number {
        let _ = write!(out, "{number}");
    }
}

/// A text, in quotes where it has to be. One that a spreadsheet would take for a formula gets a quote sign in front.
fn field(out: &mut String, text: &str) {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        "'"
    } else {
        ""
    };
    if guard.is_empty() && !text.contains(['"', ',', '\n', '\r']) {
        out.push_str(text);
    } else {
        let _ = write!(out, "\"{guard}{}\"", text.replace('"', "\"\""));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let written = |text| {
            let mut out = String::new();
            field(&mut out, text);
            out
        };
        assert_eq!(
            ["plain", "a,b", "say \"x\"", "=1+1", ""].map(written),
            ["plain", "\"a,b\"", "\"say \"\"x\"\"\"", "\"'=1+1\"", ""]
        );
    }
}
