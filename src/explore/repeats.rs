//! What it means for the threads that a program can go round in some of its states for ever.
//!
//! Three things that are often mixed up, and told apart here:
//!
//! * **livelock**: it can go on for ever although the scheduler is fair, that is, lets nobody wait for ever who could go
//!   all the time;
//! * **starvation**: only an unfair scheduler can keep it up, by never letting somebody go who could;
//! * **stuck and spinning**: there is no way out, some are blocked for ever, and others go round for ever. No deadlock,
//!   for somebody moves, and yet it never ends.
//!
//! Not here: how those states are found (`components`), nor a schedule to them (`witness`) and round in them (`tour`).

use std::collections::BTreeMap;
use std::hash::Hash;

use super::components::Components;
use super::deadlock::kinds_of;
use super::graph::Graph;
use super::system::{System, Thread, Threads};

/// How a program goes on for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepeatKind {
    /// A fair scheduler can keep it up.
    Livelock,
    /// There is no way out; some are blocked for ever while others go round for ever.
    StuckAndSpinning,
    /// Only an unfair scheduler can keep it up.
    Starvation,
}

/// States that a program can go round in for ever, by what that means for its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeating {
    /// What it is.
    pub kind: RepeatKind,
    /// Those who keep moving.
    pub moving: Threads,
    /// Those who are blocked in all of the states.
    pub stuck: Threads,
    /// Those who have ended.
    pub ended: Threads,
    /// Those who could go in all of the states, and for whom to go is to leave them: they never get their turn.
    pub starved: Threads,
    /// Those who could go in some of the states but not in all, and for whom to go is to leave them: somebody else is
    /// always first.
    pub overtaken: Threads,
    /// Whether there is no way out: whoever comes here stays for ever.
    pub certain: bool,
}

/// One component while its states are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    always_enabled: Threads,
    ever_enabled: Threads,
    moving: Threads,
    always_ended: Threads,
    leaves: bool,
}

/// What makes two components the same to a reader: all but the names of threads that do the same.
type Alike = (RepeatKind, bool, [Vec<Thread>; 5]);

/// A look at all states of all components.
#[derive(Debug)]
pub(super) struct Repeats {
    facts: Vec<Facts>,
    at: u32,
    /// For each component the number of those like it.
    pub group_of: Vec<usize>,
    /// How many components are in each group.
    pub n_components: Vec<u32>,
}

impl Facts {
    const NEW: Self = Self {
        always_enabled: Threads(u32::MAX),
        ever_enabled: Threads::NONE,
        moving: Threads::NONE,
        always_ended: Threads(u32::MAX),
        leaves: false,
    };

    fn told(self, n_threads: u8) -> Repeating {
        let all = Threads(u32::MAX >> (32 - u32::from(n_threads.max(1))));
        let starved = Threads(self.always_enabled.0 & !self.moving.0);
        let stuck = Threads(all.0 & !self.ever_enabled.0 & !self.always_ended.0);
        let certain = !self.leaves;
        Repeating {
            kind: if !starved.is_empty() {
                RepeatKind::Starvation
            } else if certain && !stuck.is_empty() {
                RepeatKind::StuckAndSpinning
            } else {
                RepeatKind::Livelock
            },
            moving: self.moving,
            stuck,
            ended: Threads(self.always_ended.0 & all.0),
            starved,
            overtaken: Threads(self.ever_enabled.0 & !self.always_enabled.0 & !self.moving.0),
            certain,
        }
    }
}

impl Repeats {
    pub fn new(components: &Components) -> Self {
        Self {
            facts: vec![Facts::NEW; components.len()],
            at: 0,
            group_of: Vec::new(),
            n_components: Vec::new(),
        }
    }

    /// Looks at so many states more; false once all are seen and the components grouped.
    pub fn go_on<S, K, O>(&mut self, system: &S, graph: &Graph<K, O>, components: &Components, budget: &mut u32) -> bool
    where
        S: System<State = K, Outcome = O>,
        K: Clone + Eq + Hash,
        O: Clone + Ord,
    {
        while *budget > 0 {
            *budget -= 1;
            let Some(state) = graph.state(self.at) else {
                self.group(system);
                return false;
            };
            let component = components.of(self.at);
            if let Some(facts) = component.and_then(|component| self.facts.get_mut(component)) {
                let enabled = system.enabled(state);
                facts.always_enabled.0 &= enabled.0;
                facts.ever_enabled.0 |= enabled.0;
                let ended = (0..system.n_threads()).map(Thread);
                let ended = ended.filter(|thread| system.has_ended(state, *thread));
                facts.always_ended.0 &= ended.fold(0, |all, thread| all | Threads::one(thread).0);
                for (thread, to) in graph.steps(self.at) {
                    if components.of(to) == component {
                        facts.moving = facts.moving.with(thread);
                    } else {
                        facts.leaves = true;
                    }
                }
            }
            self.at += 1;
        }
        true
    }

    fn group<S: System>(&mut self, system: &S) {
        let mut groups: BTreeMap<Alike, usize> = BTreeMap::new();
        for facts in &self.facts {
            let told = facts.told(system.n_threads());
            let sets = [told.moving, told.stuck, told.ended, told.starved, told.overtaken];
            let key = (told.kind, told.certain, sets.map(|threads| kinds_of(system, threads)));
            let next = groups.len();
            let group = *groups.entry(key).or_insert(next);
            self.group_of.push(group);
            self.n_components.resize(groups.len(), 0);
            if let Some(n_components) = self.n_components.get_mut(group) {
                *n_components += 1;
            }
        }
    }

    /// What a component means.
    pub fn told<S: System>(&self, system: &S, component: usize) -> Option<Repeating> {
        Some(self.facts.get(component)?.told(system.n_threads()))
    }
}
