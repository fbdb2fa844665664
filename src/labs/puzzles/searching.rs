//! The search through all schedules of a puzzle, in slices, and what it found in the form of a result.
//!
//! Not here: the search itself (`explore`).

use super::Puzzle;
use super::on_machine::replay;
use crate::explore::small::{AnySystem, Ending, SmallSystem};
use crate::explore::{
    Count, Coverage, RepeatFound, RepeatKind, Report, Schedule, Schedules, Search, SearchLimits, Threads,
};
use crate::switch_points::Grain;
use crate::text::{Words, args};
use crate::wire::{EndlessKind, Explored, ExploredEndless, ExploredOutcome, Plain, Sabotage};

/// States of one search, for each of its ways: a few seconds in a browser. A phone's memory holds them.
const MOST_STATES: u32 = 12_000_000;
const MOST_BYTES: usize = 512 << 20;

/// A search under way.
#[derive(Debug)]
pub struct Searching {
    puzzle: Puzzle,
    search: AnySearch,
    /// Whether the machine follows schedules; in a test it may not.
    is_followed: bool,
}

#[derive(Debug)]
enum AnySearch {
    One(Box<Search<SmallSystem<1>>>),
    Four(Box<Search<SmallSystem<4>>>),
}

impl Searching {
    /// One that has not begun.
    #[must_use]
    pub fn new(puzzle: Puzzle, seed: u32, fault: Option<Sabotage>) -> Self {
        let limits = SearchLimits {
            states: MOST_STATES,
            bytes: MOST_BYTES,
            seed,
            ..SearchLimits::default()
        };
        Self::within(puzzle, limits, fault)
    }

    /// The same within other limits.
    #[must_use]
    pub fn within(puzzle: Puzzle, limits: SearchLimits, fault: Option<Sabotage>) -> Self {
        let system = AnySystem::new(puzzle.program.clone());
        let search = match system.expect("a test makes every program of the labs, in every shape") {
            AnySystem::One(system) => AnySearch::One(Box::new(Search::new(system, limits))),
            AnySystem::Four(system) => AnySearch::Four(Box::new(Search::new(system, limits))),
        };
        Self {
            puzzle,
            search,
            is_followed: fault != Some(Sabotage::ScheduleThatIsNotFollowed),
        }
    }

    /// Looks at about so many states more; true while there is more to do.
    pub fn go_on(&mut self, n_states: u32) -> bool {
        match &mut self.search {
            AnySearch::One(search) => search.go_on(n_states),
            AnySearch::Four(search) => search.go_on(n_states),
        }
    }

    /// States looked at in what it does now.
    #[must_use]
    pub fn n_states(&self) -> u32 {
        match &self.search {
            AnySearch::One(search) => search.progress().n_states,
            AnySearch::Four(search) => search.progress().n_states,
        }
    }

    /// What it found; nothing before it is done.
    #[must_use]
    pub fn explored(&self, words: &Words) -> Option<Explored> {
        let report = match &self.search {
            AnySearch::One(search) => search.report(),
            AnySearch::Four(search) => search.report(),
        };
        let found = Found {
            puzzle: &self.puzzle,
            report: &report?,
            words,
            is_followed: self.is_followed,
        };
        Some(found.explored())
    }
}

struct Found<'a> {
    puzzle: &'a Puzzle,
    report: &'a Report<Ending>,
    words: &'a Words,
    is_followed: bool,
}

impl Found<'_> {
    fn explored(&self) -> Explored {
        let report = self.report;
        let mut outcomes: Vec<ExploredOutcome> = report
            .outcomes
            .iter()
            .filter_map(|found| {
                let witness = found.witness.as_ref()?;
                Some(ExploredOutcome {
                    grade: self.puzzle.grade(&found.outcome),
                    text: self.say(&found.outcome),
                    value: self.puzzle.value(&found.outcome).map(|value| value.to_string()),
                    schedules: self.exactly(found.n_schedules.as_ref()),
                    share: self
                        .exactly(found.n_schedules.as_ref())
                        .and_then(|_| report.share(found)),
                    preemptions: witness.n_preemptions,
                    witness: witness.schedule.write(self.puzzle.hash()),
                })
            })
            .collect();
        // Within a grade they stay in the order of their values.
        outcomes.sort_by_key(|outcome| outcome.grade);
        // What no fair scheduler can help comes first; of one kind, what is reached with the fewest preemptions.
        let mut repeats: Vec<&RepeatFound> = report.repeats.iter().collect();
        repeats.sort_by_key(|found| found.repeating.kind);
        Explored {
            program: self.program(),
            schedules: match &report.schedules {
                Schedules::Exactly(count) => Some(count.to_string()),
                Schedules::Covered(_) | Schedules::Endless => None,
            },
            states: report.n_states.into(),
            complete: report.coverage == Coverage::Complete && report.repeats_complete,
            coverage: self.coverage(),
            followed: self.followed(),
            outcomes,
            endless: repeats.into_iter().map(|repeat| self.endless(repeat)).collect(),
        }
    }

    /// How many of the witnesses the machine follows to the same end.
    fn followed(&self) -> u32 {
        let mut n_followed = 0;
        for found in &self.report.outcomes {
            let Some(witness) = &found.witness else { continue };
            let schedule = if self.is_followed {
                witness.schedule.0.as_slice()
            } else {
                &[]
            };
            let replayed = replay(&self.puzzle.program, schedule);
            n_followed += u32::from(replayed.is_ok_and(|replayed| replayed.on_machine.ending() == found.outcome));
        }
        n_followed
    }

    /// An ending in words, and of a deadlock who waits for whom in a circle.
    fn say(&self, ending: &Ending) -> String {
        let said = self.puzzle.say_ending(ending, self.words);
        let deadlock = self.report.deadlocks.iter().find(|found| found.outcome == *ending);
        let Some(cycle) = deadlock
            .map(|found| &found.deadlock.cycle)
            .filter(|cycle| !cycle.is_empty())
        else {
            return said;
        };
        let next = cycle.iter().skip(1).chain(cycle.first());
        let waits = cycle.iter().zip(next).map(|(waiter, holder)| {
            let numbers = args([
                ("waiter", waiter.name().to_string().into()),
                ("holder", holder.name().to_string().into()),
            ]);
            self.words.fill("puzzle.waits-for", &numbers)
        });
        let waits: Vec<String> = waits.collect();
        let numbers = args([("ending", said.into()), ("waits", waits.join(", ").into())]);
        self.words.fill("puzzle.ending.cycle", &numbers)
    }

    /// Counts are shown where they are of all schedules.
    fn exactly(&self, count: Option<&Count>) -> Option<String> {
        let is_exact = matches!(self.report.schedules, Schedules::Exactly(_));
        count.filter(|_| is_exact).map(ToString::to_string)
    }

    fn program(&self) -> String {
        let program = &self.puzzle.program;
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let numbers = args([
            ("threads", count(program.threads.len()).into()),
            ("lines", count(program.threads.iter().map(Vec::len).sum()).into()),
        ]);
        let id = match program.grain {
            Grain::Await => "puzzle.searched.tasks",
            Grain::CheckPoint | Grain::Access => "puzzle.searched.threads",
        };
        self.words.fill(id, &numbers)
    }

    fn coverage(&self) -> String {
        let report = self.report;
        let covered = match &report.schedules {
            Schedules::Exactly(count) | Schedules::Covered(count) => number(count),
            Schedules::Endless => "".into(),
        };
        let (id, bound, walks) = match (report.coverage, &report.schedules) {
            (Coverage::Complete, Schedules::Endless) => ("endless", 0, 0),
            (Coverage::Complete, _) => ("complete", 0, 0),
            (Coverage::Preemptions { bound }, _) => ("preemptions", bound, 0),
            (Coverage::Walks { bound: None, walks, .. }, _) => ("walks", 0, walks),
            (
                Coverage::Walks {
                    bound: Some(bound),
                    walks,
                    ..
                },
                _,
            ) => ("preemptions-and-walks", bound, walks),
        };
        let numbers = args([
            ("states", report.n_states.into()),
            ("schedules", covered),
            ("bound", u32::from(bound).into()),
            ("walks", walks.into()),
        ]);
        self.words.fill(&format!("puzzle.coverage.{id}"), &numbers)
    }

    fn endless(&self, found: &RepeatFound) -> ExploredEndless {
        let repeating = found.repeating;
        let (kind, id) = match repeating.kind {
            RepeatKind::Livelock => (EndlessKind::Livelock, "livelock"),
            RepeatKind::Starvation => (EndlessKind::Starvation, "starvation"),
            RepeatKind::StuckAndSpinning => (EndlessKind::StuckAndSpinning, "stuck-and-spinning"),
        };
        let waiting = Threads(repeating.starved.0 | repeating.overtaken.0);
        let numbers = args([
            ("moving", names(repeating.moving).into()),
            ("stuck", names(repeating.stuck).into()),
            ("waiting", names(waiting).into()),
        ]);
        let mut way = found.witness.schedule.0.clone();
        way.extend(&found.round.0);
        ExploredEndless {
            kind,
            text: self.words.fill(&format!("puzzle.endless.{id}"), &numbers),
            certain: repeating.certain,
            preemptions: found.witness.n_preemptions,
            witness: Schedule(way).write(self.puzzle.hash()),
        }
    }
}

/// A count as a number of the language, where a number holds it exactly; else its digits.
pub(super) fn number(count: &Count) -> Plain {
    let digits = count.to_string();
    match digits.parse::<f64>() {
        Ok(number) if count.n_bits() <= f64::MANTISSA_DIGITS => number.into(),
        _ => digits.into(),
    }
}

fn names(threads: Threads) -> String {
    let names: Vec<String> = threads.iter().map(|thread| thread.name().to_string()).collect();
    names.join(", ")
}
