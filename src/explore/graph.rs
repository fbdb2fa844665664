//! All states of a program and the steps between them, for programs that may come back to a state.
//!
//! Not here: which states come again (`components`).

use std::collections::BTreeSet;
use std::hash::Hash;

use super::chunks::Chunks;
use super::deadlock::Goal;
use super::limits::{Pace, SearchLimits};
use super::system::{System, Thread};
use super::table::Table;

/// States by number, from the start on in the order in which they were found.
#[derive(Debug)]
pub(super) struct Graph<K, O> {
    sorted: bool,
    states: Table<K>,
    /// Where each state's steps begin; the next one's beginning is its end.
    first_step: Chunks<u32>,
    /// Where a step leads, and in the highest five bits who goes.
    steps: Chunks<u32>,
    ends: BTreeSet<Goal<O>>,
}

const PLACE: u32 = (1 << 27) - 1;

impl<K: Clone + Eq + Hash, O: Clone + Ord> Graph<K, O> {
    pub fn new<S: System<State = K, Outcome = O>>(system: &S, sorted: bool) -> Self {
        let mut start = system.start();
        if sorted {
            system.sort(&mut start);
        }
        let mut states = Table::for_many();
        states.insert(start);
        Self {
            sorted,
            states,
            first_step: Chunks::new(),
            steps: Chunks::new(),
            ends: BTreeSet::new(),
        }
    }

    /// Looks at so many states more.
    pub fn go_on<S>(&mut self, system: &S, limits: &SearchLimits, budget: &mut u32) -> Pace
    where
        S: System<State = K, Outcome = O>,
    {
        while *budget > 0 {
            *budget -= 1;
            let at = self.first_step.len() as u32;
            self.first_step.push(self.steps.len() as u32);
            let Some(state) = self.states.key(at).cloned() else {
                return Pace::Done;
            };
            let enabled = system.enabled(&state);
            if enabled.is_empty() {
                self.ends.insert(Goal::at(system, &state));
            }
            for thread in enabled.iter() {
                let mut after = state.clone();
                system.step(&mut after, thread);
                if self.sorted {
                    system.sort(&mut after);
                }
                let (to, _) = self.states.insert(after);
                self.steps.push(u32::from(thread.0) << 27 | to);
            }
            if limits.exceeded(self.states.len(), at, || self.n_bytes()) {
                return Pace::Over;
            }
        }
        Pace::More
    }

    pub fn n_states(&self) -> usize {
        self.states.len()
    }

    pub fn n_bytes(&self) -> usize {
        // The walk over the graph that follows holds up to five numbers for each state.
        let later = self.states.len() * 5 * size_of::<u32>();
        self.states.n_bytes() + self.first_step.n_bytes() + self.steps.n_bytes() + later
    }

    pub fn state(&self, index: u32) -> Option<&K> {
        self.states.key(index)
    }

    pub fn find(&self, state: &K) -> Option<u32> {
        self.states.find(state)
    }

    /// A state's step by its place among the state's, from 0: who goes, and where it leads.
    #[inline]
    pub fn step(&self, from: u32, place: u32) -> Option<(Thread, u32)> {
        let step = self.first_step.get(from)? + place;
        let end = self.first_step.get(from + 1)?;
        let step = (step < *end).then(|| self.steps.get(step))??;
        Some((Thread((step >> 27) as u8), step & PLACE))
    }

    /// All steps of a state.
    pub fn steps(&self, from: u32) -> impl Iterator<Item = (Thread, u32)> {
        (0..).map_while(move |place| self.step(from, place))
    }

    /// How it may end.
    pub const fn ends(&self) -> &BTreeSet<Goal<O>> {
        &self.ends
    }
}
