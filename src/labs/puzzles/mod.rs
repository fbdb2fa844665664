//! Small programs as labs use them: what is right, what to try, every schedule of them, and one schedule step by step.
//!
//! Not here: how they are searched (`explore`), and which of them a lab shows.

mod code;
mod faults;
mod following;
mod grading;
pub mod on_machine;
mod position;
pub mod programs;
mod scene;
mod searching;

pub use scene::{Followed, one_after_another, scene, scene_within};
pub use searching::Searching;

use super::Complaint;
use crate::explore::small::{CellId, SmallProgram, program_hash};
use crate::explore::{Schedule, Thread};
use crate::text::{Words, args};
use crate::wire::{Choice, ErrorCode, Named, Position};

/// A small program and what is wanted of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Puzzle {
    /// The program, at one grain.
    pub program: SmallProgram,
    /// What the cells hold in the end if nothing went wrong.
    pub right: Vec<(CellId, i32)>,
    /// The cell that the lab is about.
    pub value: CellId,
    /// What to try.
    pub goals: Vec<Goal>,
}

/// Something to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// End with values that are not right.
    Lose,
    /// End where nobody can go on.
    Deadlock,
    /// Make an assertion fail.
    Fail,
    /// End with this value.
    Reach(i32),
    /// End right, although threads take turns: with a preemption or more.
    RightAnyway,
}

impl Puzzle {
    /// The program's fingerprint, which stands before each of its schedules.
    #[must_use]
    pub fn hash(&self) -> u32 {
        program_hash(&self.program)
    }

    /// A thread's line, from 0, as code.
    #[must_use]
    pub fn code(&self, thread: Thread, line: u8) -> String {
        let code = self.program.code(thread, line);
        code.map(|code| code.to_string()).unwrap_or_default()
    }

    fn n_threads(&self) -> u8 {
        u8::try_from(self.program.threads.len()).unwrap_or(u8::MAX)
    }
}

/// The puzzle to which a schedule belongs, and the schedule; an empty one is the beginning of the first.
///
/// # Errors
/// It belongs to none of them, or is no schedule.
pub fn of_schedule<'all>(puzzles: &'all [Puzzle], text: &str) -> Result<(&'all Puzzle, Schedule), Complaint> {
    let mut complaint = refused("refusal.schedule-of-another", args([]));
    for puzzle in puzzles {
        match following::parse(text, puzzle.hash(), puzzle.n_threads()) {
            Ok(schedule) => {
                following::Following::new(puzzle).follow(&schedule)?;
                return Ok((puzzle, schedule));
            }
            // What is wrong with it in its own program says more than that it is not of another.
            Err(other) if other.id == "refusal.schedule-of-another" => {}
            Err(wrong) => complaint = wrong,
        }
    }
    Err(complaint)
}

/// Where one of the puzzles stands after the first `at` steps of a schedule and a choice.
///
/// # Errors
/// The schedule belongs to none of them, or the chosen thread cannot go on.
pub fn stand(
    puzzles: &[Puzzle],
    schedule: &str,
    at: Option<u32>,
    choice: Choice,
    words: &Words,
) -> Result<Position, Complaint> {
    let (puzzle, schedule) = of_schedule(puzzles, schedule)?;
    puzzle.stand(schedule, at, choice, words)
}

fn refused(id: &'static str, numbers: Named) -> Complaint {
    Complaint {
        code: ErrorCode::OutOfRange,
        parameter: "schedule",
        id,
        args: numbers,
    }
}
