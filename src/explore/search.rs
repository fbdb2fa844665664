//! A search under way: what it does after what, in slices.
//!
//! A program that never comes back to a state is counted at once. One that may do so is first walked through with a set
//! of visited states: without a cycle it is counted too; with one its schedules are endless, and what is told is how it
//! may end and how it may go on for ever. What is too large is searched with at most 0, 1, 2, 3 preemptions, as far as
//! the limits go, and then by random walks.
//!
//! Not here: each of those (`layers`, `graph`, `endless`, `bounded`, `witness`, `walks`), what becomes of it (`found`),
//! and any clock: the caller asks
//! for slices and stops when it likes.

use super::bounded::{Bounded, BoundedState};
use super::components::Components;
use super::count::Count;
use super::deadlock::{Goal, kind_of};
use super::endless::Endless;
use super::found::Found;
use super::graph::Graph;
use super::layers::Layers;
use super::limits::{Pace, SearchLimits};
use super::report::Report;
use super::system::{System, Thread, Threads};
use super::walks::Walks;
use super::witness::WitnessSearch;

/// A search of all schedules of a system.
#[derive(Debug)]
pub struct Search<S: System> {
    system: S,
    limits: SearchLimits,
    phase: Phase<S::State, S::Outcome>,
    found: Found<S::Outcome>,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it does.
    pub phase: SearchPhase,
    /// States so far in this phase; walks, while it walks.
    pub n_states: u32,
}

/// What a search does, in this order; a phase that is not needed is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchPhase {
    /// Finds all states, to see whether any can come again.
    Exploring,
    /// Counts schedules.
    Counting,
    /// Finds out how the program may go on for ever.
    Repeats,
    /// Counts schedules with at most so many preemptions.
    Bounded {
        /// How many.
        bound: u8,
    },
    /// Finds schedules with the fewest preemptions.
    Witnesses,
    /// Walks at random.
    Walking,
    /// All is done.
    Done,
}

#[derive(Debug)]
enum Phase<T, O> {
    Exploring(Graph<T, O>),
    Untangling(Graph<T, O>, Components),
    Counting(Layers<T, O>),
    // In a box: it is far larger than the others.
    Repeats(Box<Endless<T, O>>),
    Bounded(u8, Layers<BoundedState<T>, O>),
    Witnesses(WitnessSearch<T>),
    Walking(Walks<T, O>),
    Done,
}

impl<S: System> Search<S> {
    /// A search that has not begun.
    pub fn new(system: S, limits: SearchLimits) -> Self {
        Self {
            phase: if system.may_repeat() {
                Phase::Exploring(Graph::new(&system, true))
            } else {
                Phase::Counting(Layers::new(&system))
            },
            system,
            limits,
            found: Found::new(),
        }
    }

    /// Looks at about so many states more; true while there is more to do. What is found does not hang on how often it
    /// is called with how many.
    pub fn go_on(&mut self, n_states: u32) -> bool {
        let mut budget = n_states;
        while budget > 0 && !matches!(self.phase, Phase::Done) {
            self.advance(&mut budget);
        }
        !matches!(self.phase, Phase::Done)
    }

    /// All of it at once.
    pub fn finish(&mut self) {
        while self.go_on(u32::MAX) {}
    }

    /// The caller's patience is at its end: gives up what it does for what comes after, as if a limit were reached.
    pub fn hurry(&mut self) {
        let phase = std::mem::replace(&mut self.phase, Phase::Done);
        self.phase = self.give_up(phase);
    }

    /// The system that is searched.
    pub const fn system(&self) -> &S {
        &self.system
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let (phase, n_states) = match &self.phase {
            Phase::Exploring(graph) | Phase::Untangling(graph, _) => (SearchPhase::Exploring, graph.n_states()),
            Phase::Counting(layers) => (SearchPhase::Counting, layers.n_states()),
            Phase::Repeats(endless) => (SearchPhase::Repeats, endless.n_states()),
            Phase::Bounded(bound, layers) => (SearchPhase::Bounded { bound: *bound }, layers.n_states()),
            Phase::Witnesses(search) => (SearchPhase::Witnesses, search.n_states()),
            Phase::Walking(walks) => (SearchPhase::Walking, walks.n_walks() as usize),
            Phase::Done => (SearchPhase::Done, self.found.n_states as usize),
        };
        Progress {
            phase,
            n_states: n_states as u32,
        }
    }

    fn advance(&mut self, budget: &mut u32) {
        let (system, limits) = (&self.system, &self.limits);
        let (phase, pace) = match std::mem::replace(&mut self.phase, Phase::Done) {
            Phase::Exploring(mut graph) => {
                let pace = graph.go_on(system, limits, budget);
                (Phase::Exploring(graph), pace)
            }
            Phase::Untangling(graph, mut components) => {
                let more = components.go_on(&graph, budget);
                (Phase::Untangling(graph, components), Pace::done_unless(more))
            }
            Phase::Counting(mut layers) => {
                let pace = layers.go_on(system, limits, budget);
                (Phase::Counting(layers), pace)
            }
            Phase::Repeats(mut endless) => match endless.go_on(system, limits, budget) {
                Ok(repeats) => {
                    self.found.repeats = repeats;
                    (Phase::Repeats(endless), Pace::Done)
                }
                Err(pace) => (Phase::Repeats(endless), pace),
            },
            Phase::Bounded(bound, mut layers) => {
                let pace = layers.go_on(&Bounded { system, bound }, limits, budget);
                (Phase::Bounded(bound, layers), pace)
            }
            Phase::Witnesses(mut search) => {
                let goals = &self.found.goals;
                let pace = search.go_on(
                    system,
                    limits,
                    &|state, enabled| goal(system, goals, state, enabled),
                    budget,
                );
                (Phase::Witnesses(search), pace)
            }
            Phase::Walking(mut walks) => {
                let more = walks.go_on(system, limits, budget);
                (Phase::Walking(walks), Pace::done_unless(more))
            }
            Phase::Done => return,
        };
        self.phase = match pace {
            Pace::More => phase,
            Pace::Done => self.complete(phase),
            Pace::Over => self.give_up(phase),
        };
    }

    /// What comes after a phase that is done.
    fn complete(&mut self, phase: Phase<S::State, S::Outcome>) -> Phase<S::State, S::Outcome> {
        match phase {
            Phase::Exploring(graph) => {
                let components = Components::new(graph.n_states());
                Phase::Untangling(graph, components)
            }
            Phase::Untangling(_, components) if components.len() == 0 => Phase::Counting(Layers::new(&self.system)),
            Phase::Untangling(graph, components) => {
                self.found.is_endless = true;
                self.found.n_states = graph.n_states() as u32;
                self.found.goals = graph.ends().iter().cloned().map(|goal| (goal, None)).collect();
                let all = (0..self.system.n_threads()).map(Thread);
                let is_sorted = all.clone().any(|thread| kind_of(&self.system, thread) != thread);
                Phase::Repeats(Box::new(if is_sorted {
                    Endless::new(&self.system)
                } else {
                    Endless::of(graph, components)
                }))
            }
            Phase::Counting(layers) => {
                self.found.take_counts(layers);
                self.look_for_witnesses()
            }
            Phase::Repeats(_) => self.look_for_witnesses(),
            Phase::Bounded(bound, layers) => {
                self.found.bound = Some(bound);
                self.found.take_counts(layers);
                if bound < self.limits.preemptions {
                    self.bound(bound + 1)
                } else {
                    self.look_for_witnesses()
                }
            }
            Phase::Witnesses(search) => {
                let n_goals = self.found.goals.len();
                self.found.ways = (0..n_goals).map(|goal| search.way_to(&self.system, goal)).collect();
                if self.found.is_bounded && self.limits.walks > 0 {
                    Phase::Walking(Walks::new(self.limits.seed))
                } else {
                    Phase::Done
                }
            }
            Phase::Walking(walks) => {
                self.found.walked = Some(walks.into_walked());
                Phase::Done
            }
            Phase::Done => Phase::Done,
        }
    }

    /// What comes after a phase that was too much.
    fn give_up(&mut self, phase: Phase<S::State, S::Outcome>) -> Phase<S::State, S::Outcome> {
        match phase {
            Phase::Exploring(_) | Phase::Untangling(..) | Phase::Counting(_) => {
                self.found.is_bounded = true;
                self.bound(0)
            }
            Phase::Repeats(_) => {
                self.found.repeats_complete = false;
                self.look_for_witnesses()
            }
            Phase::Bounded(..) => self.look_for_witnesses(),
            // What was found until then stays.
            Phase::Witnesses(_) | Phase::Walking(_) | Phase::Done => self.complete(phase),
        }
    }

    fn bound(&self, bound: u8) -> Phase<S::State, S::Outcome> {
        let system = &self.system;
        Phase::Bounded(bound, Layers::new(&Bounded { system, bound }))
    }

    fn look_for_witnesses(&self) -> Phase<S::State, S::Outcome> {
        Phase::Witnesses(WitnessSearch::new(&self.system, true, self.found.goals.len()))
    }

    /// What was found; nothing while there is more to do.
    pub fn report(&self) -> Option<Report<S::Outcome>> {
        let found = matches!(self.phase, Phase::Done).then_some(&self.found)?;
        Some(found.report(&self.system))
    }
}

impl Pace {
    const fn done_unless(more: bool) -> Self {
        if more { Self::More } else { Self::Done }
    }
}

/// The number of the goal that a state is.
fn goal<S: System>(
    system: &S,
    goals: &[(Goal<S::Outcome>, Option<Count>)],
    state: &S::State,
    enabled: Threads,
) -> Option<usize> {
    if !enabled.is_empty() {
        return None;
    }
    let here = Goal::at(system, state);
    goals.binary_search_by(|(goal, _)| goal.cmp(&here)).ok()
}
