//! What a search has found so far, and the report that it becomes.
//!
//! Not here: how it is found.

use std::collections::BTreeMap;
use std::hash::Hash;

use super::count::Count;
use super::deadlock::{Deadlock, Goal};
use super::layers::Layers;
use super::report::{Coverage, DeadlockFound, OutcomeFound, RepeatFound, Report, Schedules, Witness};
use super::schedule::Schedule;
use super::system::{System, Thread};
use super::walks::Walked;

/// What was found so far.
#[derive(Debug)]
pub(super) struct Found<O> {
    /// What can be reached, in order, with the exact number of schedules where there is one.
    pub goals: Vec<(Goal<O>, Option<Count>)>,
    /// A schedule to each, and its preemptions.
    pub ways: Vec<Option<(Vec<Thread>, u32)>>,
    pub n_states: u32,
    pub n_steps: u32,
    pub is_endless: bool,
    /// Whether not all could be searched.
    pub is_bounded: bool,
    pub bound: Option<u8>,
    pub repeats: Vec<RepeatFound>,
    pub repeats_complete: bool,
    /// What random walks ended at.
    pub walked: Option<Walked<O>>,
}

/// What all that was found says about one goal.
#[derive(Debug)]
struct Reached {
    n_schedules: Option<Count>,
    n_walks: u32,
    witness: Option<Witness>,
}

impl<O: Clone + Ord> Found<O> {
    pub const fn new() -> Self {
        Self {
            goals: Vec::new(),
            ways: Vec::new(),
            n_states: 0,
            n_steps: 0,
            is_endless: false,
            is_bounded: false,
            bound: None,
            repeats: Vec::new(),
            repeats_complete: true,
            walked: None,
        }
    }

    /// What a finished count says.
    pub fn take_counts<K: Clone + Eq + Hash>(&mut self, layers: Layers<K, O>) {
        self.n_states = layers.n_states() as u32;
        self.n_steps = layers.n_steps();
        let ends = layers.into_ends().into_iter();
        self.goals = ends.map(|(goal, count)| (goal, Some(count))).collect();
    }

    pub fn report<S: System<Outcome = O>>(&self, system: &S) -> Report<O> {
        let mut report = Report {
            coverage: self.coverage(),
            schedules: self.schedules(),
            n_states: self.n_states,
            n_steps: self.n_steps,
            outcomes: Vec::new(),
            deadlocks: Vec::new(),
            repeats: self.repeats.clone(),
            repeats_complete: self.repeats_complete && !self.is_bounded,
        };
        for (goal, reached) in self.reached() {
            report.deadlocks.extend(deadlock(system, goal, &reached));
            report.add(&goal.outcome, reached);
        }
        report
    }

    fn coverage(&self) -> Coverage {
        match (&self.walked, self.bound) {
            _ if !self.is_bounded => Coverage::Complete,
            (None, Some(bound)) => Coverage::Preemptions { bound },
            (walked, bound) => Coverage::Walks {
                bound,
                walks: walked.as_ref().map_or(0, |walked| walked.n_walks),
                cut: walked.as_ref().map_or(0, |walked| walked.n_cut),
            },
        }
    }

    fn schedules(&self) -> Schedules {
        let mut total = Count::default();
        for count in self.goals.iter().filter_map(|(_, count)| count.as_ref()) {
            total += count;
        }
        match (self.is_endless, self.is_bounded) {
            (true, _) => Schedules::Endless,
            (false, true) => Schedules::Covered(total),
            (false, false) => Schedules::Exactly(total),
        }
    }

    fn reached(&self) -> BTreeMap<&Goal<O>, Reached> {
        let ways = self.ways.iter().cloned().chain(std::iter::repeat(None));
        let found = self.goals.iter().zip(ways).map(|((goal, count), way)| {
            let witness = way.map(|(way, n_preemptions)| Witness {
                schedule: Schedule(way),
                n_preemptions,
                is_fewest: true,
            });
            let reached = Reached {
                n_schedules: count.clone(),
                n_walks: 0,
                witness,
            };
            (goal, reached)
        });
        let mut all: BTreeMap<&Goal<O>, Reached> = found.collect();
        for (goal, seen) in self.walked.iter().flat_map(|walked| &walked.seen) {
            // What was not met within the bound has no schedule there.
            let reached = all.entry(goal).or_insert_with(|| Reached {
                n_schedules: Some(Count::default()),
                n_walks: 0,
                witness: None,
            });
            reached.n_walks = seen.n_walks;
            reached.witness.get_or_insert_with(|| Witness {
                schedule: Schedule(seen.way.clone()),
                n_preemptions: seen.n_preemptions,
                is_fewest: false,
            });
        }
        all
    }
}

fn deadlock<S: System>(system: &S, goal: &Goal<S::Outcome>, reached: &Reached) -> Option<DeadlockFound<S::Outcome>> {
    goal.shape.as_ref()?;
    let witness = reached.witness.clone()?;
    let mut state = system.start();
    witness
        .schedule
        .0
        .iter()
        .for_each(|thread| system.step(&mut state, *thread));
    Some(DeadlockFound {
        outcome: goal.outcome.clone(),
        deadlock: Deadlock::at(system, &state)?,
        n_schedules: reached.n_schedules.clone(),
        n_walks: reached.n_walks,
        witness,
    })
}

impl<O: Clone + Ord> Report<O> {
    /// Adds what was reached; goals of one outcome come one after the other.
    fn add(&mut self, outcome: &O, reached: Reached) {
        let Some(found) = self.outcomes.last_mut().filter(|found| found.outcome == *outcome) else {
            self.outcomes.push(OutcomeFound {
                outcome: outcome.clone(),
                n_schedules: reached.n_schedules,
                n_walks: reached.n_walks,
                witness: reached.witness,
            });
            return;
        };
        if let (Some(sum), Some(more)) = (&mut found.n_schedules, &reached.n_schedules) {
            *sum += more;
        }
        found.n_walks += reached.n_walks;
        let cost = |witness: &Option<Witness>| {
            let witness = witness.as_ref();
            witness.map_or((true, u32::MAX), |witness| (!witness.is_fewest, witness.n_preemptions))
        };
        if cost(&reached.witness) < cost(&found.witness) {
            found.witness = reached.witness;
        }
    }
}
