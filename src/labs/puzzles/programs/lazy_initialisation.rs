//! One thing that is made by whoever needs it first: each looks whether it is there, and makes it if not.

use super::super::code::{Code, SEEN, seen};
use super::super::{Goal, Puzzle};
use super::{Known, LOCK, alike, goals, of_threads, one_lock};
use crate::explore::small::{CellId, Operand, Step, Test, Variable};

/// Two find it missing, and both make it.
pub const KNOWN: Known = Known {
    id: "lazy-initialisation",
    most_threads: 8,
    repeats: false,
    build: |shape| {
        let lock = shape.fixed.then_some(LOCK);
        let mut code = Code::new(shape.grain);
        code.with_lock(lock, |code| {
            code.line(Step::Read {
                cell: INSTANCE,
                into: SEEN,
            });
            let is_there = code.unless(Test::Equal(seen(0), Operand::Number(0)));
            // Making it takes a while.
            code.sleep();
            code.line(Step::Add { cell: MADE, amount: 1 });
            code.line(Step::Write {
                cell: INSTANCE,
                value: Operand::Number(1),
            });
            code.land(is_there);
        });
        let mut program = of_threads(shape.grain, alike(shape.threads, &code.end()));
        program.cells = vec![
            Variable::within("instance", 0, 0, 1),
            Variable::within("made", 0, 0, i32::from(shape.threads)),
        ];
        program.registers = vec![Variable::within("seen", 0, 0, 1)];
        if shape.fixed {
            program.locks = one_lock(&[INSTANCE, MADE]);
        }
        Puzzle {
            program,
            right: vec![(INSTANCE, 1), (MADE, 1)],
            value: MADE,
            goals: goals(shape.fixed, Goal::Lose),
        }
    },
};

const INSTANCE: CellId = CellId(0);
const MADE: CellId = CellId(1);
