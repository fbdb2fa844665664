//! What CPython does with the script: recorded by running it, twelve times for each of two ages of Python.
//!
//! Of today: the packages `multiprocessing` and `concurrent.futures` of CPython 3.14.2, run under Linux by the interpreter
//! of 3.13.0, with stand-ins for two functions that it lacks. Of before: CPython 3.9.18 and 3.13.0, which agree. A pool whose first worker fails ends the second, which may not have got as far as the
//! top level: then it ran one time less than is written here.
//!
//! Not here: the script itself.

use super::outcome::Outcome;
use super::script::{Script, Source};
use crate::machine::threads::StartMethod;

/// The end of a script that nobody failed in.
pub const ENDS_WELL: &str = "done";

/// What was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// How often the top level ran again.
    imports: u32,
    /// What a child failed with, with exit code 1.
    child: Option<&'static str>,
    /// What the first process failed with.
    parent: Option<&'static str>,
}

const fn well(imports: u32) -> Recorded {
    Recorded {
        imports,
        child: None,
        parent: None,
    }
}

const fn failed(imports: u32, child: &'static str, parent: &'static str) -> Recorded {
    Recorded {
        imports,
        child: Some(child),
        parent: Some(parent),
    }
}

/// What was recorded of a script.
pub fn of(script: Script) -> Recorded {
    let (child, reset, broken) = ("FileNotFoundError", "ConnectionResetError", "BrokenProcessPool");
    let unready = "RuntimeError";
    match (script.method, script.guard, script.source, script.server_imports) {
        (StartMethod::Fork, true, Source::File, _) => well(0),
        (StartMethod::Fork, true, Source::StandardInput, _) => well(0),
        (StartMethod::Fork, false, Source::File, _) => well(0),
        (StartMethod::Fork, false, Source::StandardInput, _) => well(0),
        (StartMethod::ForkServer, true, Source::File, true) => well(1),
        (StartMethod::ForkServer, true, Source::StandardInput, true) => failed(0, child, reset),
        (StartMethod::ForkServer, false, Source::File, true) => failed(1, unready, reset),
        (StartMethod::ForkServer, false, Source::StandardInput, true) => failed(0, child, reset),
        (StartMethod::ForkServer, true, Source::File, false) => well(2),
        (StartMethod::ForkServer, true, Source::StandardInput, false) => failed(0, child, broken),
        (StartMethod::ForkServer, false, Source::File, false) => failed(2, unready, broken),
        (StartMethod::ForkServer, false, Source::StandardInput, false) => failed(0, child, broken),
        (StartMethod::Spawn, true, Source::File, _) => well(2),
        (StartMethod::Spawn, true, Source::StandardInput, _) => failed(0, child, broken),
        (StartMethod::Spawn, false, Source::File, _) => failed(2, unready, broken),
        (StartMethod::Spawn, false, Source::StandardInput, _) => failed(0, child, broken),
    }
}

impl Recorded {
    /// Whether this is what a row shows.
    pub fn is(&self, outcome: &Outcome<'_>) -> bool {
        // Where a child fails, how many came as far as the top level is a race.
        let imports = if self.child.is_some() && self.imports > 0 {
            (1..=self.imports).contains(&outcome.imports)
        } else {
            outcome.imports == self.imports
        };
        let code = self.child.map(|_| "1");
        outcome.runs == 1
            && imports
            && outcome.child == self.child
            && outcome.exit_code == code
            && outcome.parent == self.parent
    }

    /// What the first process ends with.
    pub fn end(&self) -> &'static str {
        self.parent.unwrap_or(ENDS_WELL)
    }
}
