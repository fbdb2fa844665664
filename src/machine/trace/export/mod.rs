//! A log as files for other tools: Chrome's Trace Event Format, which Perfetto and speedscope open, and a table of spans.
//!
//! Both are written in pieces of a length that the caller says, so that a large one neither holds a worker for long nor
//! has to be in memory at once. Not here: saving a file.

mod chrome;
mod csv;
mod track;

pub use chrome::ChromeTrace;
pub use csv::SpansCsv;

/// A file that is written in pieces.
pub trait Export {
    /// Adds the next piece, at least `n_bytes` long unless the file ends; whether there is more.
    fn write(&mut self, out: &mut String, n_bytes: usize) -> bool;

    /// The whole file.
    #[must_use]
    fn whole(mut self) -> String
    where
        Self: Sized,
    {
        let mut out = String::new();
        while self.write(&mut out, 1 << 20) {}
        out
    }
}
