//! The explorer's search, over systems that are as plain as can be.

#![allow(clippy::indexing_slicing, reason = "a wrong index ends the test, as it should")]

mod automata;
mod brute;
mod budget;
mod counter;
mod counting;
mod endless;
mod locks;
mod schedules;
mod script;
mod uniform;

use concurrency_playground::explore::{Report, Search, SearchLimits, System};

/// A search from beginning to end within the usual limits.
fn search<S: System>(system: S) -> Report<S::Outcome> {
    within(system, SearchLimits::default())
}

fn within<S: System>(system: S, limits: SearchLimits) -> Report<S::Outcome> {
    let mut search = Search::new(system, limits);
    search.finish();
    search.report().expect("it is finished")
}
