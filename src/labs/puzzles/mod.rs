//! Small programs as labs use them: what is right, what to try, every schedule of them, and one schedule step by step.
//!
//! Not here: how they are searched (`explore`), and which of them a lab shows.

pub mod on_machine;

use super::Complaint;
use crate::explore::small::{CellId, SmallProgram};
use crate::text::Words;
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

/// The puzzle to which a schedule belongs.
///
/// # Errors
/// It belongs to none of them, or is no schedule.
pub fn of_schedule<'all>(puzzles: &'all [Puzzle], _schedule: &str) -> Result<&'all Puzzle, Complaint> {
    puzzles.first().ok_or(Complaint {
        code: ErrorCode::OutOfRange,
        parameter: "schedule",
        id: "refusal.schedule-of-another",
        args: Named::default(),
    })
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
    let _ = (at, choice, words);
    of_schedule(puzzles, schedule)?;
    Err(Complaint {
        code: ErrorCode::Unavailable,
        parameter: "schedule",
        id: "refusal.no-steps",
        args: Named::default(),
    })
}
