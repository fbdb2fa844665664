//! Writes exports for the viewers to open: `exports DIRECTORY [MOST_EVENTS]`. One of each lab's model, and one of a
//! make-believe run that has everything a run can have.
//!
//! A lab has a trace for each row; the one written is the longest that is no longer than MOST_EVENTS (50,000), because
//! what is tested is the form. Not here: any viewer, see run.mjs.

#[path = "../it/trace/synthetic.rs"]
mod synthetic;

use std::fs;
use std::io;
use std::path::Path;

use concurrency_playground::labs::{Asked, LABS, Lab};
use concurrency_playground::machine::threads::Progress;
use concurrency_playground::machine::trace::export::{ChromeTrace, Export, SpansCsv};
use concurrency_playground::machine::trace::{Log, Recorder};
use concurrency_playground::wire::Mode;
use synthetic::Synthetic;

const MOST_EVENTS: u32 = 50_000;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = || io::Error::other("usage: exports DIRECTORY [MOST_EVENTS]");
    let directory = arguments.next().ok_or_else(usage)?;
    let most_events = match arguments.next() {
        Some(number) => number.parse().map_err(|_| usage())?,
        None => MOST_EVENTS,
    };
    let directory = Path::new(&directory);
    fs::create_dir_all(directory)?;
    write(directory, "synthetic", &synthetic())?;
    for lab in LABS {
        if let Some(log) = longest(*lab, most_events) {
            write(directory, lab.about().id, &log)?;
        }
    }
    Ok(())
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

/// The longest log of a lab's rows at defaults that is short enough; the shortest where none is.
fn longest(lab: &dyn Lab, most_events: u32) -> Option<Log> {
    let model = lab.model()?;
    let mut asked = Asked::defaults(lab.about().parameters, Mode::Model, 1);
    model.settle(&mut asked);
    let logs = model.scenes(&asked).into_iter().map(|subject| {
        let mut machine = model.scene(&asked, &subject, None).machine;
        while matches!(machine.run(u64::MAX), Progress::Paused) {}
        let now = machine.now();
        std::mem::take(machine.recorder_mut())
            .finish(now)
            .expect("a lab's machine is traced")
    });
    logs.max_by_key(|log| {
        let n_events = log.n_events();
        if n_events <= most_events {
            (true, n_events)
        } else {
            (false, u32::MAX - n_events)
        }
    })
}

fn write(directory: &Path, name: &str, log: &Log) -> io::Result<()> {
    fs::write(directory.join(format!("{name}.json")), ChromeTrace::new(log).whole())?;
    fs::write(directory.join(format!("{name}.csv")), SpansCsv::new(log).whole())
}
