//! A lock that is held while its thread waits for something outside.

use super::super::code::Code;
use super::super::{Goal, Puzzle};
use super::{Known, LOCK, alike, of_threads, one_lock};
use crate::explore::small::{CellId, Step, Variable};

/// Every schedule ends right; what is lost is time.
pub const KNOWN: Known = Known {
    id: "held-too-long",
    most_threads: 8,
    repeats: false,
    build: |shape| {
        let mut code = Code::new(shape.grain);
        code.with_lock(Some(LOCK), |code| {
            code.sleep();
            code.line(Step::Add { cell: DONE, amount: 1 });
        });
        let mut program = of_threads(shape.grain, alike(shape.threads, &code.end()));
        program.cells = vec![Variable::within("answers", 0, 0, i32::from(shape.threads))];
        program.locks = one_lock(&[DONE]);
        Puzzle {
            program,
            right: vec![(DONE, i32::from(shape.threads))],
            value: DONE,
            goals: vec![Goal::RightAnyway],
        }
    },
};

const DONE: CellId = CellId(0);
