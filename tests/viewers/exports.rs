//! Writes exports for the viewers to open: `exports DIRECTORY`. What a run can have is in one make-believe run.
//!
//! Not here: any viewer, see run.mjs.

#[path = "../it/trace/synthetic.rs"]
mod synthetic;

use std::fs;
use std::io;
use std::path::Path;

use concurrency_playground::machine::trace::export::{ChromeTrace, Export, SpansCsv};
use concurrency_playground::machine::trace::{Log, Recorder};
use synthetic::Synthetic;

fn main() -> io::Result<()> {
    let usage = || io::Error::other("usage: exports DIRECTORY");
    let directory = std::env::args().nth(1).ok_or_else(usage)?;
    let directory = Path::new(&directory);
    fs::create_dir_all(directory)?;
    write(directory, "synthetic", &synthetic())
}

fn synthetic() -> Log {
    let about = Synthetic {
        n_tasks: 12,
        n_calls: 6_000,
        seed: 1,
        ends_one_in: 40,
    };
    let (recorder, now) = about.record(Recorder::on());
    recorder.finish(now).expect("the recorder was on")
}

fn write(directory: &Path, name: &str, log: &Log) -> io::Result<()> {
    fs::write(directory.join(format!("{name}.json")), ChromeTrace::new(log).whole())?;
    fs::write(directory.join(format!("{name}.csv")), SpansCsv::new(log).whole())
}
