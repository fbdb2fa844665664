//! What a search has found. Not here: words about it.

use super::count::Count;
use super::deadlock::Deadlock;
use super::repeats::Repeating;
use super::schedule::Schedule;

/// All that a finished search has found, in an order of its own: equal searches give equal reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Report<O> {
    /// What was covered.
    pub coverage: Coverage,
    /// How many schedules there are.
    pub schedules: Schedules,
    /// Merged states that were counted, those of each number of steps by themselves; without a count, states in all.
    pub n_states: u32,
    /// Steps of the longest schedule, as far as was counted.
    pub n_steps: u32,
    /// How it may end, in the order of the outcomes.
    pub outcomes: Vec<OutcomeFound<O>>,
    /// Every deadlock that differs by more than the names of threads that do the same; their outcomes are above too.
    pub deadlocks: Vec<DeadlockFound<O>>,
    /// How it may go on for ever, those with the fewest preemptions first; alike ones are one.
    pub repeats: Vec<RepeatFound>,
    /// Whether all ways to go on for ever are above: false where there were too many states to tell them apart.
    pub repeats_complete: bool,
}

/// What a search has covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Everything: what is not in the report cannot happen.
    Complete,
    /// All schedules with at most so many preemptions.
    Preemptions {
        /// How many.
        bound: u8,
    },
    /// All schedules within the bound, if one could be searched, and besides so many random ones.
    Walks {
        /// The most preemptions that were searched completely; nothing where even none was too many.
        bound: Option<u8>,
        /// Random walks.
        walks: u32,
        /// Those of them that were given up for being too long.
        cut: u32,
    },
}

/// How many schedules there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedules {
    /// Exactly so many.
    Exactly(Count),
    /// So many were covered by the search; there are more.
    Covered(Count),
    /// The program can go on for ever, so that there is no number.
    Endless,
}

/// An outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeFound<O> {
    /// How it ends.
    pub outcome: O,
    /// How many of the schedules end so; nothing where schedules are endless.
    pub n_schedules: Option<Count>,
    /// Random walks that ended so.
    pub n_walks: u32,
    /// A schedule that ends so; nothing only where the search was hurried.
    pub witness: Option<Witness>,
}

/// A deadlock.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadlockFound<O> {
    /// Its outcome.
    pub outcome: O,
    /// Who waits for whom after the witness.
    pub deadlock: Deadlock,
    /// How many of the schedules end in this one or in one like it; nothing where schedules are endless.
    pub n_schedules: Option<Count>,
    /// Random walks that did.
    pub n_walks: u32,
    /// A schedule to it.
    pub witness: Witness,
}

/// A way to go on for ever.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatFound {
    /// What it is.
    pub repeating: Repeating,
    /// A schedule to where it begins.
    pub witness: Witness,
    /// What can be repeated from there for ever: everybody who keeps moving goes, and it ends where it began.
    pub round: Schedule,
    /// How many sets of states are like it.
    pub n_alike: u32,
}

/// A schedule that shows something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Who goes at each step.
    pub schedule: Schedule,
    /// How often a thread that could go on is interrupted.
    pub n_preemptions: u32,
    /// Whether no schedule to the same end has fewer. Not known for what only random walks have found.
    pub is_fewest: bool,
}

impl<O: PartialEq> Report<O> {
    /// An outcome by itself.
    #[must_use]
    pub fn outcome(&self, outcome: &O) -> Option<&OutcomeFound<O>> {
        self.outcomes.iter().find(|found| found.outcome == *outcome)
    }

    /// Which part of all schedules ends so, if schedules were counted. With a bound: of those that were covered.
    #[must_use]
    pub fn share(&self, outcome: &OutcomeFound<O>) -> Option<f64> {
        match &self.schedules {
            Schedules::Exactly(total) | Schedules::Covered(total) => {
                Some(outcome.n_schedules.as_ref()?.share_of(total))
            }
            Schedules::Endless => None,
        }
    }
}
