//! The rest of a schedule, drawn at random from any state: evenly among all ways on where they can be counted, and step
//! by step where they are too many.
//!
//! Not here: what is drawn from the start again and again (`uniform`), nor walks that are counted (`walks`).

use std::hash::Hash;

use super::count::Count;
use super::limits::SearchLimits;
use super::random::Random;
use super::system::{System, Thread, Threads};
use super::uniform::UniformSchedules;

/// How a schedule was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// Each of so many ways to the end was alike likely.
    Even(Count),
    /// They are too many to count, or some never end: at each step each thread that could go was alike likely. A
    /// schedule with few choices comes up more often so.
    StepByStep,
}

/// The rest of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Who goes, to the end; cut at the limits' steps.
    pub rest: Vec<Thread>,
    /// How it was drawn.
    pub fairness: Fairness,
}

/// Draws a way from a state to the end. Of the limits it heeds states, bytes and steps. The same state, limits and seed
/// draw the same way.
pub fn draw<S>(system: &S, from: &S::State, limits: SearchLimits, seed: u32) -> Drawn
where
    S: System,
    S::State: Hash,
{
    let start = from.clone();
    let mut ways = UniformSchedules::new(From { system, start }, limits);
    while ways.go_on(u32::MAX) {}
    if let Some(drawn) = ways.draw(seed).and_then(|mut drawn| drawn.next())
        && let Some(total) = ways.total()
    {
        return Drawn {
            rest: drawn.0,
            fairness: Fairness::Even(total),
        };
    }
    Drawn {
        rest: walk(system, from, limits.steps, seed),
        fairness: Fairness::StepByStep,
    }
}

fn walk<S: System>(system: &S, from: &S::State, most: u32, seed: u32) -> Vec<Thread> {
    let mut random = Random::new(seed);
    let mut state = from.clone();
    let mut rest = Vec::new();
    while rest.len() < most as usize {
        let enabled = system.enabled(&state);
        if enabled.is_empty() {
            break;
        }
        let thread = random.one_of(enabled);
        system.step(&mut state, thread);
        rest.push(thread);
    }
    rest
}

/// A system that starts elsewhere.
#[derive(Debug)]
struct From<'system, S: System> {
    system: &'system S,
    start: S::State,
}

impl<S: System> System for From<'_, S> {
    type State = S::State;
    type Outcome = S::Outcome;

    fn n_threads(&self) -> u8 {
        self.system.n_threads()
    }

    fn start(&self) -> S::State {
        self.start.clone()
    }

    fn enabled(&self, state: &S::State) -> Threads {
        self.system.enabled(state)
    }

    fn step(&self, state: &mut S::State, thread: Thread) {
        self.system.step(state, thread);
    }

    fn has_ended(&self, state: &S::State, thread: Thread) -> bool {
        self.system.has_ended(state, thread)
    }

    fn waits_for(&self, state: &S::State, thread: Thread) -> Threads {
        self.system.waits_for(state, thread)
    }

    fn outcome(&self, state: &S::State) -> S::Outcome {
        self.system.outcome(state)
    }

    fn sort(&self, state: &mut S::State) {
        self.system.sort(state);
    }

    fn sort_following(&self, state: &mut S::State, thread: Thread) -> Thread {
        self.system.sort_following(state, thread)
    }

    fn are_alike(&self, one: Thread, other: Thread) -> bool {
        self.system.are_alike(one, other)
    }

    fn may_repeat(&self) -> bool {
        self.system.may_repeat()
    }
}
