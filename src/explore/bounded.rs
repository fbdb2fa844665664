//! A system with a bound on preemptions: the same threads, but a thread that can go on is interrupted at most so often.
//!
//! It is a [`System`] itself, so that it is counted as any other: its states carry who went last and how many
//! preemptions are left, and exactly the schedules within the bound are its schedules.
//!
//! Not here: the fewest preemptions of an outcome (`witness`).

use super::system::{System, Thread, Threads};

/// Nobody went last, or whoever did cannot go on: what comes next is no preemption.
pub(super) const NOBODY: u8 = 32;

/// A system and the most preemptions it may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounded<'system, S> {
    pub system: &'system S,
    pub bound: u8,
}

/// A state with what decides whether a step is a preemption.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct BoundedState<T> {
    state: T,
    last: u8,
    left: u8,
}

impl<S: System> System for Bounded<'_, S> {
    type State = BoundedState<S::State>;
    type Outcome = S::Outcome;

    fn n_threads(&self) -> u8 {
        self.system.n_threads()
    }

    fn start(&self) -> Self::State {
        BoundedState {
            state: self.system.start(),
            last: NOBODY,
            left: self.bound,
        }
    }

    fn enabled(&self, state: &Self::State) -> Threads {
        if state.last != NOBODY && state.left == 0 {
            Threads::one(Thread(state.last))
        } else {
            self.system.enabled(&state.state)
        }
    }

    fn step(&self, state: &mut Self::State, thread: Thread) {
        if state.last != NOBODY && state.last != thread.0 {
            state.left -= 1;
        }
        self.system.step(&mut state.state, thread);
        let can_go_on = self.system.enabled(&state.state).has(thread);
        state.last = if can_go_on { thread.0 } else { NOBODY };
    }

    fn has_ended(&self, state: &Self::State, thread: Thread) -> bool {
        self.system.has_ended(&state.state, thread)
    }

    fn waits_for(&self, state: &Self::State, thread: Thread) -> Threads {
        self.system.waits_for(&state.state, thread)
    }

    fn outcome(&self, state: &Self::State) -> Self::Outcome {
        self.system.outcome(&state.state)
    }

    fn sort(&self, state: &mut Self::State) {
        if state.last == NOBODY {
            self.system.sort(&mut state.state);
        } else {
            state.last = self.system.sort_following(&mut state.state, Thread(state.last)).0;
        }
    }

    fn are_alike(&self, one: Thread, other: Thread) -> bool {
        self.system.are_alike(one, other)
    }
}
