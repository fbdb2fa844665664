//! A schedule of the explorer in full: which lines each of its steps runs. Not here: who runs them.

use super::record::RunLine;
use crate::explore::small::{AnySystem, Doing, Ending, Reason, SmallProgram, SmallSystem};
use crate::explore::system::{System, Thread};

/// One step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Whose.
    pub thread: Thread,
    /// The lines that it runs, in order.
    pub lines: Vec<u8>,
    /// Whether it begins with having the lock again after a notification.
    pub ends_wait: bool,
    /// Whether it ends inside a wait for one.
    pub into_wait: bool,
    /// The line before which, or inside which, it leaves its thread; the number of lines behind the last.
    pub stands: u8,
}

/// A schedule in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its steps.
    pub turns: Vec<Turn>,
    /// How the program has ended after it; none if some thread could go on.
    pub ending: Option<Ending>,
}

impl Plan {
    /// Finds out what a schedule's steps run; the number of the first step whose thread cannot go on, if one cannot.
    ///
    /// # Errors
    /// The thread of this step cannot go on there, or the program cannot be explored.
    pub fn new(program: &SmallProgram, schedule: &[Thread]) -> Result<Self, usize> {
        match AnySystem::new(program.clone()) {
            Ok(AnySystem::One(system)) => Self::of(&system, schedule),
            Ok(AnySystem::Four(system)) => Self::of(&system, schedule),
            Err(_) => Err(0),
        }
    }

    fn of<const WORDS: usize>(system: &SmallSystem<WORDS>, schedule: &[Thread]) -> Result<Self, usize> {
        let mut state = system.start();
        let mut turns = Vec::new();
        for (number, thread) in schedule.iter().copied().enumerate() {
            if !system.enabled(&state).has(thread) {
                return Err(number);
            }
            let lines = system.lines_of_step(&state, thread);
            let view = |state: &_| {
                let threads = system.view(state).threads;
                let view = threads.get(thread.index()).map(|thread| (thread.doing, thread.line));
                view.expect("an enabled thread is one of the program's")
            };
            let (before, stood) = view(&state);
            system.step(&mut state, thread);
            let (after, stands) = view(&state);
            // A task may have gone from its notification to the lock's row only.
            let is_inside = matches!(
                after,
                Doing::Wakes(_) | Doing::Blocked(Reason::LockAfterNotification { .. })
            );
            let is_in_row = is_inside && stands == stood && lines.is_empty();
            turns.push(Turn {
                thread,
                lines,
                ends_wait: matches!(before, Doing::Wakes(_)) && !is_in_row,
                into_wait: matches!(after, Doing::Blocked(Reason::Notification(_))),
                stands,
            });
        }
        let is_over = system.enabled(&state).is_empty();
        Ok(Self {
            turns,
            ending: is_over.then(|| system.outcome(&state)),
        })
    }

    /// All lines, in the order in which they are run.
    #[must_use]
    pub fn order(&self) -> Vec<RunLine> {
        let lines = |turn: &Turn| {
            let thread = turn.thread;
            turn.lines.clone().into_iter().map(move |line| (thread, line))
        };
        self.turns.iter().flat_map(lines).collect()
    }
}
