//! The rows of a run: the described job and the table of decisions under every strategy, the job of four sections, or one
//! of the mistakes.
//!
//! Not here: what runs.

use super::super::advice::{Advice, Needs, Shared, Time, advise};
use super::super::{SECTIONS, YOURS};
use super::mistakes;
use crate::labs::Asked;
use crate::measure::Subject;
use crate::wire::{Runtime, Strategy};

/// All ways to do a job.
pub const STRATEGIES: [Strategy; 6] = [
    Strategy::Serial,
    Strategy::Threads,
    Strategy::Processes,
    Strategy::Interpreters,
    Strategy::EventLoop,
    Strategy::ToThread,
];

/// The rows of the table of decisions.
pub const DECISIONS: [&str; 9] = [
    "network-calls",
    "thousands",
    "python-computing",
    "releasing-code",
    "no-locks",
    "deadline",
    "slow-services",
    "few-queries",
    "crash-outside",
];

/// What a row of the table is about, on the machine and the Python that were asked for; the described job for any other.
pub fn needs_of(asked: &Asked, variant: &str) -> Needs {
    let plain = Needs::plain(asked);
    match variant {
        "network-calls" => plain,
        "thousands" => Needs {
            at_once: 2_000,
            has_async: true,
            ..plain
        },
        "python-computing" => Needs {
            time: Time::Computes,
            ..plain
        },
        "releasing-code" => Needs {
            time: Time::Releases,
            ..plain
        },
        "no-locks" => Needs {
            time: Time::Releases,
            shared: Shared::LockFree,
            ..plain
        },
        "deadline" => Needs {
            has_async: true,
            deadline: true,
            ..plain
        },
        // A server with sixty requests under way, each asking five slow services.
        "slow-services" => Needs {
            at_once: 300,
            has_async: true,
            ..plain
        },
        "few-queries" => Needs { at_once: 1, ..plain },
        "crash-outside" => Needs {
            crash_safe: true,
            ..plain
        },
        _ => Needs::of(asked),
    }
}

/// What is advised for a row of the table, or for the described job.
pub fn advice_of(asked: &Asked, variant: &str) -> Advice {
    advise(&needs_of(asked, variant))
}

/// One section of the job of four.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// What it is like.
    pub needs: Needs,
    /// Who does it.
    pub strategy: Strategy,
}

/// The four: twenty pages to fetch, eight to parse, eight to hash, and one row after the other to store.
pub fn sections(asked: &Asked) -> [Section; 4] {
    let plain = Needs {
        memory_mib: asked.unsigned("memoryMiB").max(1),
        ..Needs::plain(asked)
    };
    let needs = [
        Needs {
            at_once: 20,
            has_async: true,
            ..plain
        },
        Needs {
            time: Time::Computes,
            at_once: 8,
            ..plain
        },
        Needs {
            time: Time::Releases,
            at_once: 8,
            ..plain
        },
        Needs { at_once: 1, ..plain },
    ];
    let mut of_section = SECTIONS.iter();
    needs.map(|needs| {
        let chosen = of_section.next().and_then(|section| asked.choice(section));
        let strategy = match chosen {
            Some("serial") => Strategy::Serial,
            Some("threads") => Strategy::Threads,
            Some("processes") => Strategy::Processes,
            Some("event-loop") => Strategy::EventLoop,
            _ => advise(&needs).strategy,
        };
        Section { needs, strategy }
    })
}

/// Whether any section was given to somebody by the learner.
pub fn assigns(asked: &Asked) -> bool {
    SECTIONS.iter().any(|section| asked.choice(section).is_some())
}

/// The rows of the job: nothing assigned, then one section more each time.
pub const JOB: [&str; 5] = ["job-none", "job-fetching", "job-parsing", "job-hashing", "job-storing"];

/// The sections as they are in one of these rows: those before it assigned, the rest one after another.
pub fn sections_in(asked: &Asked, variant: &str) -> Option<[Section; 4]> {
    let n_assigned = JOB.iter().position(|row| *row == variant)?;
    let mut number = 0;
    Some(sections(asked).map(|section| {
        number += 1;
        let strategy = if number <= n_assigned {
            section.strategy
        } else {
            Strategy::Serial
        };
        Section { strategy, ..section }
    }))
}

/// All rows.
pub fn subjects(asked: &Asked) -> Vec<Subject> {
    if let Some(case) = asked.choice("case") {
        return mistakes::subjects(asked, case);
    }
    let table = [YOURS].into_iter().chain(DECISIONS);
    let evidence = table.flat_map(|variant| {
        let needs = needs_of(asked, variant);
        let offered = STRATEGIES.into_iter().filter(move |strategy| needs.offers(*strategy));
        offered.map(move |strategy| Subject {
            workers: Some(needs.workers(strategy)),
            baseline: variant == YOURS && strategy == Strategy::Serial,
            ..row(strategy, variant, needs.runtime)
        })
    });
    let [fetching, parsing, hashing, storing] = sections(asked);
    let added = [None, Some(fetching), Some(parsing), Some(hashing), Some(storing)];
    let job = JOB.into_iter().zip(added).map(|(variant, section)| {
        let strategy = section.map_or(Strategy::Serial, |section| section.strategy);
        row(strategy, variant, Needs::plain(asked).runtime)
    });
    evidence.chain(job).collect()
}

fn row(strategy: Strategy, variant: &str, runtime: Runtime) -> Subject {
    Subject {
        variant: Some(variant.to_owned()),
        runtime: Some(runtime),
        ..Subject::new(strategy)
    }
}
