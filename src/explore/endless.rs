//! How a program may go on for ever: what each set of states means that it can go round in, a schedule to it, and once
//! round in it.
//!
//! States are not sorted here: who keeps moving and who is stuck is a question about threads by name.
//!
//! Not here: programs that cannot come back to a state.

use std::hash::Hash;

use super::components::Components;
use super::graph::Graph;
use super::limits::{Pace, SearchLimits};
use super::repeats::{Repeating, Repeats};
use super::report::{RepeatFound, Witness};
use super::schedule::Schedule;
use super::system::{System, Thread, Threads};
use super::tour::Tour;
use super::witness::WitnessSearch;

/// A search for ways to go on for ever.
#[derive(Debug)]
pub(super) struct Endless<K, O> {
    graph: Graph<K, O>,
    stage: Stage<K>,
}

#[derive(Debug)]
enum Stage<K> {
    Graph,
    Components(Components),
    Repeats(Components, Repeats),
    Witnesses(Components, Repeats, WitnessSearch<K>),
    Tours(Components, Tours),
}

/// What remains to be gone round in.
#[derive(Debug)]
struct Tours {
    to_do: std::vec::IntoIter<Entry>,
    tour: Option<(Entry, Tour)>,
    found: Vec<RepeatFound>,
}

/// Where a schedule enters states that can be gone round in.
#[derive(Debug)]
struct Entry {
    repeating: Repeating,
    way: Vec<Thread>,
    n_preemptions: u32,
    state: u32,
    component: usize,
    n_alike: u32,
}

impl<K: Clone + Eq + Hash, O: Clone + Ord> Endless<K, O> {
    /// From nothing.
    pub fn new<S: System<State = K, Outcome = O>>(system: &S) -> Self {
        Self {
            graph: Graph::new(system, false),
            stage: Stage::Graph,
        }
    }

    /// From a graph of states that were not sorted, or that sorting would not have changed.
    pub const fn of(graph: Graph<K, O>, components: Components) -> Self {
        Self {
            graph,
            stage: Stage::Components(components),
        }
    }

    pub fn n_states(&self) -> usize {
        match &self.stage {
            Stage::Witnesses(_, _, search) => self.graph.n_states() + search.n_states(),
            _ => self.graph.n_states(),
        }
    }

    /// Goes so much further; what was found once it is done.
    pub fn go_on<S>(&mut self, system: &S, limits: &SearchLimits, budget: &mut u32) -> Result<Vec<RepeatFound>, Pace>
    where
        S: System<State = K, Outcome = O>,
    {
        let graph = &self.graph;
        match &mut self.stage {
            Stage::Graph => match self.graph.go_on(system, limits, budget) {
                Pace::Done => self.stage = Stage::Components(Components::new(self.graph.n_states())),
                pace => return Err(pace),
            },
            Stage::Components(components) => {
                if !components.go_on(graph, budget) {
                    let components = std::mem::replace(components, Components::new(0));
                    let repeats = Repeats::new(&components);
                    self.stage = Stage::Repeats(components, repeats);
                }
            }
            Stage::Repeats(components, repeats) => {
                if !repeats.go_on(system, graph, components, budget) {
                    let search = WitnessSearch::new(system, false, repeats.n_components.len());
                    let components = std::mem::replace(components, Components::new(0));
                    let repeats = std::mem::replace(repeats, Repeats::new(&Components::new(0)));
                    self.stage = Stage::Witnesses(components, repeats, search);
                }
            }
            Stage::Witnesses(components, repeats, search) => {
                let is_goal = |state: &K, _: Threads| group_of(graph, components, repeats, state);
                let left = SearchLimits {
                    bytes: limits.bytes.saturating_sub(graph.n_bytes()),
                    ..*limits
                };
                match search.go_on(system, &left, &is_goal, budget) {
                    Pace::Done => {
                        let entries = entries(system, graph, components, repeats, search);
                        let components = std::mem::replace(components, Components::new(0));
                        self.stage = Stage::Tours(components, Tours::new(entries));
                    }
                    pace => return Err(pace),
                }
            }
            Stage::Tours(components, tours) => {
                if !tours.go_on(graph, components, budget) {
                    return Ok(std::mem::take(&mut tours.found));
                }
            }
        }
        Err(Pace::More)
    }
}

fn group_of<K, O>(graph: &Graph<K, O>, components: &Components, repeats: &Repeats, state: &K) -> Option<usize>
where
    K: Clone + Eq + Hash,
    O: Clone + Ord,
{
    let component = components.of(graph.find(state)?)?;
    repeats.group_of.get(component).copied()
}

/// The first state of each group that its schedule reaches.
fn entries<S, K, O>(
    system: &S,
    graph: &Graph<K, O>,
    components: &Components,
    repeats: &Repeats,
    search: &WitnessSearch<K>,
) -> Vec<Entry>
where
    S: System<State = K, Outcome = O>,
    K: Clone + Eq + Hash,
    O: Clone + Ord,
{
    let groups = repeats.n_components.iter().enumerate();
    let entries = groups.filter_map(|(group, n_alike)| {
        let (way, n_preemptions) = search.way_to(system, group)?;
        let mut state = system.start();
        way.iter().for_each(|thread| system.step(&mut state, *thread));
        let state = graph.find(&state)?;
        let component = components.of(state)?;
        Some(Entry {
            repeating: repeats.told(system, component)?,
            way,
            n_preemptions,
            state,
            component,
            n_alike: *n_alike,
        })
    });
    let mut entries: Vec<Entry> = entries.collect();
    entries.sort_by_key(|entry| (entry.n_preemptions, entry.repeating.kind, entry.way.len()));
    entries
}

impl Tours {
    fn new(entries: Vec<Entry>) -> Self {
        Self {
            to_do: entries.into_iter(),
            tour: None,
            found: Vec::new(),
        }
    }

    fn go_on<K, O>(&mut self, graph: &Graph<K, O>, components: &Components, budget: &mut u32) -> bool
    where
        K: Clone + Eq + Hash,
        O: Clone + Ord,
    {
        while *budget > 0 {
            let Some((entry, mut tour)) = self.tour.take() else {
                let Some(entry) = self.to_do.next() else {
                    return false;
                };
                let tour = Tour::new(entry.state, entry.component, &entry.repeating);
                self.tour = Some((entry, tour));
                continue;
            };
            if tour.go_on(graph, components, budget) {
                self.tour = Some((entry, tour));
                continue;
            }
            self.found.push(RepeatFound {
                repeating: entry.repeating,
                witness: Witness {
                    schedule: Schedule(entry.way),
                    n_preemptions: entry.n_preemptions,
                    is_fewest: true,
                },
                round: Schedule(tour.into_round()),
                n_alike: entry.n_alike,
            });
        }
        true
    }
}
