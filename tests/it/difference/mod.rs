//! Random programs, to be run here and on CPython: the same log on both sides, line by line.
//!
//! [`generate()`] draws a program from a seed; [`python()`] writes it for CPython; [`lower`] compiles it for the stack
//! interpreter and [`run()`] runs that on the machine's event loop. `tests/difference/run.mjs` runs both and compares.
//!
//! Not here: CPython.

#![allow(clippy::indexing_slicing, reason = "a wrong index ends the test, as it should")]

mod blocks;
#[cfg(test)]
mod checks;
mod constructs;
mod generate;
mod lower;
mod python;
mod rows;
mod run;
pub mod syntax;

use concurrency_playground::machine::event_loop::Fault;

pub use constructs::{CONSTRUCTS, constructs};
pub use generate::generate;
pub use python::python;
pub use rows::{row, rows};
pub use run::{run, run_on_machine, run_with};

/// The code of a program, as `dis` would print it; without what is never called.
pub fn listing(script: &syntax::Script) -> String {
    let (codes, _) = lower::lower(script);
    let called = script.called();
    let codes = codes.iter().filter(|code| called.contains(&code.name));
    codes.map(ToString::to_string).collect()
}

/// Every fault that the loop can have.
pub const FAULTS: [Fault; 19] = [
    Fault::LastInFirstOut,
    Fault::TimersBeforeReady,
    Fault::SameIteration,
    Fault::EqualDeadlinesReversed,
    Fault::Barging,
    Fault::LockDoesNotLock,
    Fault::WakeUpLost,
    Fault::UncancelIgnored,
    Fault::EarlyCancelForgotten,
    Fault::CancelNotPassedOn,
    Fault::TimeoutNeverFires,
    Fault::SiblingsGoOn,
    Fault::GatherInOrderOfCompletion,
    Fault::ShieldLetsThrough,
    Fault::SleepZeroKeepsOn,
    Fault::QueueReversed,
    Fault::LastPutterFirst,
    Fault::GatherCancelsSiblings,
    Fault::TimeoutKeepsCount,
];
