//! Counting: all states after the same number of steps are one layer, and each state carries the exact number of
//! schedules into it.
//!
//! Worked example, two threads that read and write a counter, states as (A, B, x) with `r` for one that has read: the
//! start has one way in; so have the two states after one step, or, sorted, that one state has two; after four steps
//! x = 1 has four ways in and x = 2 has two.
//!
//! A sorted state stands for all that differ from it by names alone, and its count is the sum of theirs: each of them has
//! as many continuations as any other, so that the totals are exact. Only two layers are alive at a time.
//!
//! Not here: states that come again, for then the layers never end; and how a schedule into a state went.

use std::collections::BTreeMap;
use std::hash::Hash;

use super::count::Count;
use super::counts::Counts;
use super::deadlock::Goal;
use super::limits::{Pace, SearchLimits};
use super::system::System;
use super::table::Table;

/// A count of all schedules, layer by layer.
#[derive(Debug)]
pub(super) struct Layers<K, O> {
    layer: Layer<K>,
    next: Layer<K>,
    /// The state of the layer that is to be looked at.
    at: u32,
    n_steps: u32,
    /// States of the layers before.
    n_before: usize,
    ends: BTreeMap<Goal<O>, Count>,
}

/// States with a count each.
#[derive(Debug)]
pub(super) struct Layer<K> {
    pub states: Table<K>,
    pub counts: Counts,
}

impl<K: Clone + Eq + Hash, O: Clone + Ord> Layers<K, O> {
    pub fn new<S: System<State = K, Outcome = O>>(system: &S) -> Self {
        let mut layer = Layer::for_about(1);
        let mut start = system.start();
        system.sort(&mut start);
        layer.add(start, &[1]);
        Self {
            layer,
            next: Layer::for_about(2),
            at: 0,
            n_steps: 0,
            n_before: 0,
            ends: BTreeMap::new(),
        }
    }

    /// Looks at so many states more, or at fewer if it is done before.
    pub fn go_on<S>(&mut self, system: &S, limits: &SearchLimits, budget: &mut u32) -> Pace
    where
        S: System<State = K, Outcome = O>,
    {
        while *budget > 0 {
            *budget -= 1;
            let Some(state) = self.layer.states.key(self.at) else {
                if self.next.states.len() == 0 {
                    return Pace::Done;
                }
                if self.n_steps == limits.steps {
                    return Pace::Over;
                }
                self.begin_layer();
                continue;
            };
            let enabled = system.enabled(state);
            let ways = self.layer.counts.limbs(self.at);
            if enabled.is_empty() {
                *self.ends.entry(Goal::at(system, state)).or_default() += &Count::from_limbs(ways);
            }
            for thread in enabled.iter() {
                let mut after = state.clone();
                system.step(&mut after, thread);
                system.sort(&mut after);
                self.next.add(after, ways);
            }
            self.at += 1;
            if limits.exceeded(self.n_states(), self.at, || self.n_bytes()) {
                return Pace::Over;
            }
        }
        Pace::More
    }

    fn begin_layer(&mut self) {
        self.n_before += self.layer.states.len();
        self.n_steps += 1;
        self.at = 0;
        std::mem::swap(&mut self.layer, &mut self.next);
        // One layer is seldom a quarter larger than the one before; where it is, the table doubles.
        let about = self.layer.states.len();
        self.next.states.clear_for_about(about + about / 4);
        self.next.counts.clear();
    }

    /// Merged states so far, each layer's by itself.
    pub fn n_states(&self) -> usize {
        self.n_before + self.layer.states.len() + self.next.states.len()
    }

    fn n_bytes(&self) -> usize {
        self.layer.n_bytes() + self.next.n_bytes()
    }

    /// Steps of the longest schedule so far.
    pub const fn n_steps(&self) -> u32 {
        self.n_steps
    }

    /// The ends, each with the exact number of its schedules.
    pub fn into_ends(self) -> BTreeMap<Goal<O>, Count> {
        self.ends
    }
}

impl<K: Eq + Hash> Layer<K> {
    pub fn for_about(n_states: usize) -> Self {
        Self {
            states: Table::for_about(n_states),
            counts: Counts::new(),
        }
    }

    /// So many more ways into a state.
    #[inline]
    pub fn add(&mut self, state: K, ways: &[u64]) {
        let (index, is_new) = self.states.insert(state);
        if is_new {
            self.counts.push_zero();
        }
        self.counts.add(index, ways);
    }

    pub fn n_bytes(&self) -> usize {
        self.states.n_bytes() + self.counts.n_bytes()
    }
}
