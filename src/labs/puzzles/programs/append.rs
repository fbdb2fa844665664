//! A list that grows: by writing its length back, or by one `append`, which no thread can cut in two.

use super::super::{Goal, Puzzle};
use super::counter::{Addition, additions};
use super::{Known, Shape};

/// Writing the length back against one append.
pub const KNOWN: Known = Known {
    id: "append",
    most_threads: 8,
    repeats: true,
    build: |shape| {
        let addition = if shape.fixed { Addition::Atomic } else { Addition::Plain };
        renamed(additions(addition, shape), shape)
    },
};

/// An append is an addition to the length.
fn renamed(mut puzzle: Puzzle, shape: Shape) -> Puzzle {
    for cell in &mut puzzle.program.cells {
        cell.name = "length";
    }
    for register in &mut puzzle.program.registers {
        register.name = "n";
    }
    if !shape.fixed {
        puzzle.goals = vec![Goal::RightAnyway, Goal::Lose];
    }
    puzzle
}
