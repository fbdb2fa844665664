//! The Rust half of the comparison with CPython: draws programs and runs them here, as run.mjs asks for them.
//!
//! One JSON line in, for example `{"generate": {"from": 1, "to": 50}}`; one line out for each program. Not here: CPython, and
//! any comparing but with a loop that has a fault.

#[allow(dead_code, unused_imports, reason = "the tests use what is not used here")]
#[path = "../it/difference/mod.rs"]
mod difference;
#[allow(dead_code, unused_imports, reason = "the tests use what is not used here")]
#[path = "../it/stack_interpreter/mod.rs"]
mod stack_interpreter;

use std::io::{self, BufRead, Write};

use difference::{FAULTS, constructs, generate, listing, python, rows, run};
use difference::syntax::Script;
use serde::{Deserialize, Serialize};

/// What run.mjs asks.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
enum Ask {
    /// The programs of these seeds.
    Generate {
        from: u32,
        /// The last.
        to: u32,
        /// Whether each is run under every fault, too.
        with_faults: bool,
    },
    /// The programs of the table of behaviours.
    Rows,
    /// Every program that is a little smaller than this one.
    Smaller(Box<Script>),
    /// The code of a program.
    Listing(Box<Script>),
}

/// One program, and what it does here.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    /// The seed, or the row.
    name: String,
    python: String,
    log: String,
    size: usize,
    constructs: Vec<&'static str>,
    /// The faults that change its log.
    shows: Vec<String>,
    script: Script,
}

impl Answer {
    fn of(name: String, script: Script, with_faults: bool) -> Self {
        let log = run(&script, None);
        let faults = FAULTS.iter().filter(|_| with_faults);
        let shows = faults.filter(|fault| run(&script, Some(**fault)) != log).map(|fault| format!("{fault:?}"));
        Self {
            name,
            python: python(&script),
            size: script.size(),
            constructs: constructs(&script).into_iter().collect(),
            shows: shows.collect(),
            log,
            script,
        }
    }
}

fn answers(ask: Ask) -> Box<dyn Iterator<Item = Answer>> {
    match ask {
        Ask::Generate { from, to, with_faults } => {
            Box::new((from..=to).map(move |seed| Answer::of(seed.to_string(), generate(seed), with_faults)))
        }
        Ask::Rows => Box::new(rows().into_iter().map(|row| Answer::of(row.name.to_owned(), row.script, false))),
        Ask::Smaller(script) => {
            Box::new(script.smaller().into_iter().map(|smaller| Answer::of(String::new(), smaller, false)))
        }
        Ask::Listing(script) => {
            let mut answer = Answer::of(String::new(), *script, false);
            answer.log = listing(&answer.script);
            Box::new(Some(answer).into_iter())
        }
    }
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let ask = serde_json::from_str(&line?)?;
        for answer in answers(ask) {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        }
        // An empty line ends an answer.
        writeln!(out)?;
        out.flush()?;
    }
    Ok(())
}
