//! The schedule with the fewest preemptions to each goal: a 0–1 breadth-first search.
//!
//! Its nodes are states with the thread that went last. A step is free where the last thread goes on, or cannot; where
//! it could and another goes, it costs one preemption. One search finds all goals, each at its least cost.
//!
//! Of equal schedules the same one is told everywhere, and it is the one with its runs as early as they can be: free
//! steps are followed depth first, so that whoever goes on does so to the end before anybody is tried later, and of
//! several threads the later one goes first. Worked example: two threads with two increments each end at 2 by
//! `BAAAABBB`; `BBBAAAAB` has one preemption as well, and comes later.
//!
//! Not here: what a goal is.

use std::hash::Hash;

use super::bounded::NOBODY;
use super::chunks::Chunks;
use super::limits::{Pace, SearchLimits};
use super::names::Named;
use super::system::{System, Thread, Threads};
use super::table::Table;

/// Which goal a state is, if any, by its number; it is asked with the threads that can go on there.
pub(super) type IsGoal<'goals, K> = &'goals dyn Fn(&K, Threads) -> Option<usize>;

/// A search for the fewest preemptions.
#[derive(Debug)]
pub(super) struct WitnessSearch<K> {
    /// Whether states are sorted first.
    sorted: bool,
    nodes: Table<Node<K>>,
    /// For each node the one before, and in the highest five bits who went.
    before: Chunks<u32>,
    /// Nodes of this cost that a preemption led to: the next one to be looked at, and where they end.
    start: u32,
    starts_end: u32,
    /// Nodes of this cost that free steps led to, the next one last.
    stack: Vec<u32>,
    /// Nodes of this cost in the order in which they were looked at.
    looked_at: Chunks<u32>,
    /// Once that is all of them: whose preemptions are looked at.
    preempted: Option<u32>,
    cost: u32,
    found: Vec<Option<Found>>,
    n_missing: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node<K> {
    state: K,
    last: u8,
}

#[derive(Clone, Copy, Debug)]
struct Found {
    node: u32,
    cost: u32,
}

const PLACE: u32 = (1 << 27) - 1;

impl<K: Clone + Eq + Hash> WitnessSearch<K> {
    pub fn new<S: System<State = K>>(system: &S, sorted: bool, n_goals: usize) -> Self {
        let mut search = Self {
            sorted,
            nodes: Table::for_many(),
            before: Chunks::new(),
            start: 0,
            starts_end: 1,
            stack: Vec::new(),
            looked_at: Chunks::new(),
            preempted: None,
            cost: 0,
            found: vec![None; n_goals],
            n_missing: n_goals,
        };
        let mut state = system.start();
        if sorted {
            system.sort(&mut state);
        }
        search.nodes.insert(Node { state, last: NOBODY });
        search.before.push(0);
        search
    }

    /// Looks at so many nodes more; done once all goals are found, or nothing is left.
    pub fn go_on<S>(&mut self, system: &S, limits: &SearchLimits, is_goal: IsGoal<'_, K>, budget: &mut u32) -> Pace
    where
        S: System<State = K>,
    {
        while *budget > 0 {
            if self.n_missing == 0 {
                return Pace::Done;
            }
            *budget -= 1;
            let at = if let Some(at) = self.preempted {
                let Some(node) = self.looked_at.get(at).copied() else {
                    if self.starts_end == self.nodes.len() as u32 {
                        return Pace::Done;
                    }
                    self.begin_cost();
                    continue;
                };
                self.preempted = Some(at + 1);
                self.preempt(system, node);
                at
            } else {
                let Some(node) = self.next_node() else {
                    self.preempted = Some(0);
                    self.starts_end = self.nodes.len() as u32;
                    continue;
                };
                self.looked_at.push(node);
                self.go_freely(system, node, is_goal);
                node
            };
            if limits.exceeded(self.nodes.len(), at, || self.n_bytes()) {
                return Pace::Over;
            }
        }
        Pace::More
    }

    fn next_node(&mut self) -> Option<u32> {
        self.stack.pop().or_else(|| {
            let next = self.start;
            (next < self.starts_end).then(|| {
                self.start += 1;
                next
            })
        })
    }

    /// The preemptions of all nodes of one cost have led to those of the next.
    fn begin_cost(&mut self) {
        self.start = self.starts_end;
        self.starts_end = self.nodes.len() as u32;
        self.looked_at.clear();
        self.preempted = None;
        self.cost += 1;
    }

    /// The free steps of a node; here it is seen whether it is a goal.
    fn go_freely<S: System<State = K>>(&mut self, system: &S, at: u32, is_goal: IsGoal<'_, K>) {
        let Node { state, last } = self.node(at);
        let enabled = system.enabled(&state);
        let goal = is_goal(&state, enabled).and_then(|goal| self.found.get_mut(goal));
        if let Some(found) = goal.filter(|found| found.is_none()) {
            *found = Some(Found {
                node: at,
                cost: self.cost,
            });
            self.n_missing -= 1;
        }
        let next = match last {
            NOBODY => enabled,
            _ => Threads::one(Thread(last)),
        };
        // The first to be reached is to be the first to be looked at, so they are stacked from the end.
        let first_new = self.nodes.len() as u32;
        for thread in next.iter().rev() {
            self.step(system, at, &state, thread);
        }
        self.stack.extend((first_new..self.nodes.len() as u32).rev());
    }

    fn preempt<S: System<State = K>>(&mut self, system: &S, at: u32) {
        let Node { state, last } = self.node(at);
        if last != NOBODY {
            let others = system.enabled(&state).without(Thread(last));
            for thread in others.iter().rev() {
                self.step(system, at, &state, thread);
            }
        }
    }

    fn node(&self, at: u32) -> Node<K> {
        self.nodes.key(at).expect("only nodes are queued").clone()
    }

    fn step<S: System<State = K>>(&mut self, system: &S, at: u32, state: &K, thread: Thread) {
        let mut after = state.clone();
        system.step(&mut after, thread);
        let place = if self.sorted {
            system.sort_following(&mut after, thread)
        } else {
            thread
        };
        let can_go_on = system.enabled(&after).has(place);
        let node = Node {
            state: after,
            last: if can_go_on { place.0 } else { NOBODY },
        };
        if self.nodes.insert(node).1 {
            self.before.push(u32::from(thread.0) << 27 | at);
        }
    }

    fn n_bytes(&self) -> usize {
        let queued = self.stack.capacity() * size_of::<u32>();
        self.nodes.n_bytes() + self.before.n_bytes() + self.looked_at.n_bytes() + queued
    }

    pub fn n_states(&self) -> usize {
        self.nodes.len()
    }

    /// The schedule to a goal and its preemptions, if it was found.
    pub fn way_to<S: System<State = K>>(&self, system: &S, goal: usize) -> Option<(Vec<Thread>, u32)> {
        let found = (*self.found.get(goal)?)?;
        let mut places = Vec::new();
        let mut node = found.node;
        while node > 0 {
            let before = *self.before.get(node)?;
            places.push(Thread((before >> 27) as u8));
            node = before & PLACE;
        }
        places.reverse();
        if self.sorted {
            let mut named = Named::start(system);
            places.iter_mut().for_each(|place| *place = named.step(system, *place));
        }
        Some((places, found.cost))
    }
}
