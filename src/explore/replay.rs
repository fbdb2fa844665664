//! A schedule gone through step by step: the states it comes by, and its preemptions.
//!
//! Not here: schedules as text, and searching.

use super::schedule::Schedule;
use super::system::{System, Thread};

/// What a schedule did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay<T> {
    /// The state at the start, and after each step.
    pub states: Vec<T>,
    /// How often a thread that could go on was interrupted by another.
    pub n_preemptions: u32,
}

/// A schedule that cannot be followed to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CannotGo {
    /// The step, from 0; those before it can be done.
    pub step: u32,
    /// Who should go there, and is blocked, has ended, or is no thread of this program.
    pub thread: Thread,
}

/// Lets the threads go as the schedule says. An error names the first step whose thread could not.
pub fn replay<S: System>(system: &S, schedule: &Schedule) -> Result<Replay<S::State>, CannotGo> {
    let mut state = system.start();
    let mut states = vec![state.clone()];
    let mut n_preemptions = 0;
    let mut last = None;
    for (step, thread) in (0..).zip(schedule.0.iter().copied()) {
        let enabled = system.enabled(&state);
        if thread.0 >= system.n_threads() || !enabled.has(thread) {
            return Err(CannotGo { step, thread });
        }
        n_preemptions += u32::from(last.is_some_and(|last| last != thread && enabled.has(last)));
        system.step(&mut state, thread);
        states.push(state.clone());
        last = Some(thread);
    }
    Ok(Replay { states, n_preemptions })
}

impl<T> Replay<T> {
    /// Where it came to.
    #[must_use]
    pub fn end(&self) -> &T {
        self.states.last().expect("the start is always there")
    }
}
