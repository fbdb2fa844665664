//! The repeating part as a schedule: once round in a component, with a step of everybody who keeps moving there.
//!
//! Not here: whether such a round is a livelock (`repeats`).

use std::hash::Hash;

use super::chunks::Chunks;
use super::components::Components;
use super::graph::Graph;
use super::repeats::Repeating;
use super::system::{Thread, Threads};
use super::table::Table;

/// A round under way. It goes by legs, each the shortest way to something that is missing yet.
#[derive(Debug)]
pub(super) struct Tour {
    entry: u32,
    component: usize,
    /// Who has not gone yet.
    to_go: Threads,
    /// Who is to be met where it cannot go, so that a fair scheduler owes it nothing.
    to_block: Threads,
    round: Vec<Thread>,
    /// Of this leg: the states in the order in which they were reached, each with the place of the one before and who
    /// went there in the highest five bits; the one that is looked at, and its next step.
    reached: Table<u32>,
    before: Chunks<u32>,
    at: u32,
    place: u32,
}

const PLACE: u32 = (1 << 27) - 1;

impl Tour {
    /// A round from a state and back to it.
    pub fn new(entry: u32, component: usize, repeating: &Repeating) -> Self {
        let mut tour = Self {
            entry,
            component,
            to_go: repeating.moving,
            to_block: repeating.overtaken,
            round: Vec::new(),
            reached: Table::for_about(0),
            before: Chunks::new(),
            at: 0,
            place: 0,
        };
        tour.begin_leg(entry);
        tour
    }

    fn begin_leg(&mut self, from: u32) {
        self.reached.clear_for_about(0);
        self.before.clear();
        self.reached.insert(from);
        self.before.push(0);
        (self.at, self.place) = (0, 0);
    }

    /// Looks at so many steps more; false once the round is closed.
    pub fn go_on<K, O>(&mut self, graph: &Graph<K, O>, components: &Components, budget: &mut u32) -> bool
    where
        K: Clone + Eq + Hash,
        O: Clone + Ord,
    {
        while *budget > 0 {
            *budget -= 1;
            let Some(from) = self.reached.key(self.at).copied() else {
                // All of a component can be reached from anywhere in it, so that a leg always finds what it looks for.
                return false;
            };
            let Some((thread, to)) = graph.step(from, self.place) else {
                (self.at, self.place) = (self.at + 1, 0);
                continue;
            };
            self.place += 1;
            if components.of(to) != Some(self.component) {
                continue;
            }
            let enabled = |state| {
                graph
                    .steps(state)
                    .fold(Threads::NONE, |all, (thread, _)| all.with(thread))
            };
            let wanted = if self.to_go.is_empty() && self.to_block.is_empty() {
                to == self.entry
            } else {
                self.to_go.has(thread) || self.to_block.0 & !enabled(to).0 != 0
            };
            if wanted {
                self.end_leg(thread);
                self.to_block.0 &= enabled(to).0;
                if to == self.entry && self.to_go.is_empty() && self.to_block.is_empty() {
                    return false;
                }
                self.begin_leg(to);
            } else if self.reached.insert(to).1 {
                self.before.push(u32::from(thread.0) << 27 | self.at);
            }
        }
        true
    }

    /// Takes the way to the state that is looked at, and one step more.
    fn end_leg(&mut self, thread: Thread) {
        let mut leg = vec![thread];
        let mut at = self.at;
        while let Some(before) = self.before.get(at).filter(|_| at > 0) {
            leg.push(Thread((before >> 27) as u8));
            at = before & PLACE;
        }
        leg.reverse();
        for thread in leg {
            self.to_go = self.to_go.without(thread);
            self.round.push(thread);
        }
    }

    /// Who goes, once round.
    pub fn into_round(self) -> Vec<Thread> {
        self.round
    }
}
