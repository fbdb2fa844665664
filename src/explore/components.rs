//! Strongly connected components: the states between which a program can go to and fro for ever.
//!
//! Tarjan's algorithm (“Depth-first search and linear graph algorithms”, 1972) with a stack of its own instead of
//! recursion, so that it can stop after any number of steps and no depth is too deep.
//!
//! Not here: what a component means for the threads (`repeats`).

use std::hash::Hash;

use super::graph::Graph;

/// A walk over a graph that finds its components.
#[derive(Debug)]
pub(super) struct Components {
    /// When each state was first seen, from 1; 0 if it was not.
    seen: Vec<u32>,
    /// The earliest state on the stack that it is known to lead to.
    low: Vec<u32>,
    /// Its component; those that are left at once have none.
    of: Vec<u32>,
    /// States whose component is not known yet.
    open: Vec<u32>,
    /// The way from the start to where the walk is, each state with its next step.
    way: Vec<(u32, u32)>,
    /// A state whose component is being taken off the stack, and whether it is one that can be gone round in.
    closing: Option<(u32, bool)>,
    n_seen: u32,
    n_components: u32,
}

/// It is on the stack, or not seen.
const OPEN: u32 = u32::MAX;
/// It never comes again.
const NONE: u32 = u32::MAX - 1;

impl Components {
    pub fn new(n_states: usize) -> Self {
        Self {
            seen: vec![0; n_states],
            low: vec![0; n_states],
            of: vec![OPEN; n_states],
            open: Vec::new(),
            way: vec![(0, 0)],
            closing: None,
            n_seen: 0,
            n_components: 0,
        }
    }

    /// How many components there are in which one can go round; final once the walk is done.
    pub const fn len(&self) -> usize {
        self.n_components as usize
    }

    /// The component of a state that can come again.
    pub fn of(&self, state: u32) -> Option<usize> {
        let component = self.of.get(state as usize).filter(|component| **component < NONE)?;
        Some(*component as usize)
    }

    /// Goes so many steps on; false once all is known.
    pub fn go_on<K: Clone + Eq + Hash, O: Clone + Ord>(&mut self, graph: &Graph<K, O>, budget: &mut u32) -> bool {
        while *budget > 0 {
            *budget -= 1;
            if let Some((root, repeats)) = self.closing {
                self.close_one(root, repeats);
            } else if let Some((state, place)) = self.way.last().copied() {
                self.walk(graph, state, place);
            } else {
                return false;
            }
        }
        true
    }

    fn walk<K: Clone + Eq + Hash, O: Clone + Ord>(&mut self, graph: &Graph<K, O>, state: u32, place: u32) {
        if place == 0 {
            self.n_seen += 1;
            set(&mut self.seen, state, self.n_seen);
            set(&mut self.low, state, self.n_seen);
            self.open.push(state);
        }
        let Some((_, to)) = graph.step(state, place) else {
            self.way.pop();
            let low = get(&self.low, state);
            if let Some((before, _)) = self.way.last() {
                let least = get(&self.low, *before).min(low);
                set(&mut self.low, *before, least);
            }
            if low == get(&self.seen, state) {
                let alone = self.open.last() == Some(&state);
                let repeats = !alone || graph.steps(state).any(|(_, to)| to == state);
                self.closing = Some((state, repeats));
            }
            return;
        };
        if let Some(top) = self.way.last_mut() {
            top.1 += 1;
        }
        if get(&self.seen, to) == 0 {
            self.way.push((to, 0));
        } else if get(&self.of, to) == OPEN {
            let least = get(&self.low, state).min(get(&self.seen, to));
            set(&mut self.low, state, least);
        }
    }

    fn close_one(&mut self, root: u32, repeats: bool) {
        let state = self.open.pop().expect("the root lies below all of its component");
        set(&mut self.of, state, if repeats { self.n_components } else { NONE });
        if state == root {
            self.closing = None;
            self.n_components += u32::from(repeats);
        }
    }
}

fn get(list: &[u32], state: u32) -> u32 {
    *list
        .get(state as usize)
        .expect("there is one for every state of the graph")
}

fn set(list: &mut [u32], state: u32, value: u32) {
    *list
        .get_mut(state as usize)
        .expect("there is one for every state of the graph") = value;
}
