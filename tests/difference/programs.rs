//! The Rust half of the comparison with CPython: draws programs and runs them here, as run.mjs asks for them.
//!
//! One JSON line in, for example `{"generate": {"from": 1, "to": 50}}`; one line out for each program, and an empty one.
//! The first argument may name a fault that the loop has; `faults` lists them.
//!
//! Not here: CPython, and any comparing but of the honest loop with one that has a fault.

#[allow(dead_code, unused_imports, reason = "the tests use what is not used here")]
#[path = "../it/difference/mod.rs"]
mod difference;
#[allow(dead_code, unused_imports, reason = "the tests use what is not used here")]
#[path = "../it/stack_interpreter/mod.rs"]
mod stack_interpreter;

use std::io::{self, BufRead, Write};

use concurrency_playground::machine::event_loop::Fault;
use difference::syntax::Script;
use difference::{FAULTS, constructs, generate, listing, python, rows, run};
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

/// Makes answers, on a loop that may have a fault.
#[derive(Clone, Copy)]
struct Programs {
    fault: Option<Fault>,
}

impl Programs {
    fn answer(self, name: String, script: Script, with_faults: bool) -> Answer {
        let log = run(&script, self.fault);
        let faults = FAULTS.iter().filter(|_| with_faults);
        let shows = faults
            .filter(|fault| run(&script, Some(**fault)) != log)
            .map(|fault| format!("{fault:?}"));
        Answer {
            name,
            python: python(&script),
            size: script.size(),
            constructs: constructs(&script).into_iter().collect(),
            shows: shows.collect(),
            log,
            script,
        }
    }

    fn answers(self, ask: Ask) -> Box<dyn Iterator<Item = Answer>> {
        match ask {
            Ask::Generate { from, to, with_faults } => {
                Box::new((from..=to).map(move |seed| self.answer(seed.to_string(), generate(seed), with_faults)))
            }
            Ask::Rows => {
                let rows = rows().into_iter();
                Box::new(rows.map(move |row| self.answer(row.name.to_owned(), row.script, false)))
            }
            Ask::Smaller(script) => {
                let smaller = script.smaller().into_iter();
                Box::new(smaller.map(move |script| self.answer(String::new(), script, false)))
            }
            Ask::Listing(script) => {
                let log = listing(&script);
                let answer = self.answer(String::new(), *script, false);
                Box::new(Some(Answer { log, ..answer }).into_iter())
            }
        }
    }
}

fn main() -> io::Result<()> {
    let argument = std::env::args().nth(1);
    let mut out = io::BufWriter::new(io::stdout().lock());
    if argument.as_deref() == Some("faults") {
        return FAULTS.iter().try_for_each(|fault| writeln!(out, "{fault:?}"));
    }
    let named = |name: &String| FAULTS.into_iter().find(|fault| format!("{fault:?}") == *name);
    let programs = Programs {
        fault: argument
            .as_ref()
            .map(|name| named(name).expect("one of the faults is named")),
    };
    for line in io::stdin().lock().lines() {
        let ask = serde_json::from_str(&line?)?;
        for answer in programs.answers(ask) {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        }
        writeln!(out)?;
        out.flush()?;
    }
    Ok(())
}
