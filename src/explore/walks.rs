//! Random walks: at each step one of those who can go, all alike likely. For programs that cannot be searched whole.
//!
//! They are a sample, and not a fair one of all schedules: a schedule with few choices is walked more often than one with
//! many. Not here: uniformly drawn schedules (`uniform`).

use std::collections::BTreeMap;

use super::deadlock::Goal;
use super::limits::SearchLimits;
use super::random::Random;
use super::system::{System, Thread};

/// Walks under way.
#[derive(Debug)]
pub(super) struct Walks<T, O> {
    random: Random,
    state: Option<T>,
    way: Vec<Thread>,
    n_preemptions: u32,
    walked: Walked<O>,
}

/// What came of them.
#[derive(Debug)]
pub(super) struct Walked<O> {
    pub seen: BTreeMap<Goal<O>, Seen>,
    pub n_walks: u32,
    /// Walks that were longer than a schedule may be.
    pub n_cut: u32,
}

/// What walks ended at.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub n_walks: u32,
    /// The one with the fewest preemptions, the first of several.
    pub way: Vec<Thread>,
    pub n_preemptions: u32,
}

impl<T: Clone, O: Clone + Ord> Walks<T, O> {
    pub fn new(seed: u32) -> Self {
        Self {
            random: Random::new(seed),
            state: None,
            way: Vec::new(),
            n_preemptions: 0,
            walked: Walked {
                seen: BTreeMap::new(),
                n_walks: 0,
                n_cut: 0,
            },
        }
    }

    pub const fn n_walks(&self) -> u32 {
        self.walked.n_walks
    }

    pub fn into_walked(self) -> Walked<O> {
        self.walked
    }

    /// Goes so many steps on; false once all walks are done.
    pub fn go_on<S>(&mut self, system: &S, limits: &SearchLimits, budget: &mut u32) -> bool
    where
        S: System<State = T, Outcome = O>,
    {
        while *budget > 0 {
            *budget -= 1;
            let Some(state) = &mut self.state else {
                if self.walked.n_walks == limits.walks {
                    return false;
                }
                self.state = Some(system.start());
                self.way.clear();
                self.n_preemptions = 0;
                continue;
            };
            let enabled = system.enabled(state);
            let is_cut = self.way.len() >= limits.steps as usize;
            if enabled.is_empty() || is_cut {
                self.walked.n_walks += 1;
                if enabled.is_empty() {
                    // What is counted is known by its sorted state.
                    system.sort(state);
                    let goal = Goal::at(system, state);
                    self.note(goal);
                } else {
                    self.walked.n_cut += 1;
                }
                self.state = None;
                continue;
            }
            let thread = self.random.one_of(enabled);
            let last = self.way.last().copied();
            self.n_preemptions += u32::from(last.is_some_and(|last| last != thread && enabled.has(last)));
            system.step(state, thread);
            self.way.push(thread);
        }
        true
    }

    fn note(&mut self, goal: Goal<O>) {
        let seen = self.walked.seen.entry(goal).or_insert_with(|| Seen {
            n_walks: 0,
            way: self.way.clone(),
            n_preemptions: self.n_preemptions,
        });
        seen.n_walks += 1;
        if self.n_preemptions < seen.n_preemptions {
            seen.way.clone_from(&self.way);
            seen.n_preemptions = self.n_preemptions;
        }
    }
}
