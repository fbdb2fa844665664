//! Transfers that need two locks, and take them in opposite order, or all in the same.

use super::super::code::Code;
use super::super::{Goal, Puzzle};
use super::{Known, of_threads};
use crate::explore::small::{CellId, Lock, LockId, Step, Variable};

/// Each holds what the other needs.
pub const KNOWN: Known = Known {
    id: "two-locks",
    most_threads: 8,
    repeats: false,
    build: |shape| {
        let threads = (0..shape.threads).map(|number| {
            let opposite = number % 2 == 1 && !shape.fixed;
            let (first, second) = if opposite { (RIGHT, LEFT) } else { (LEFT, RIGHT) };
            let mut code = Code::new(shape.grain);
            code.line(Step::Acquire(first));
            code.sleep();
            code.line(Step::Acquire(second));
            code.line(Step::Add { cell: MOVED, amount: 1 });
            code.line(Step::Release(second));
            code.line(Step::Release(first));
            code.end()
        });
        let mut program = of_threads(shape.grain, threads.collect());
        program.cells = vec![Variable::within("moved", 0, 0, i32::from(shape.threads))];
        program.locks = ["left", "right"]
            .map(|name| Lock {
                name,
                protects: vec![MOVED],
            })
            .into();
        Puzzle {
            program,
            right: vec![(MOVED, i32::from(shape.threads))],
            value: MOVED,
            goals: if shape.fixed {
                vec![Goal::RightAnyway]
            } else {
                vec![Goal::RightAnyway, Goal::Deadlock]
            },
        }
    },
};

const MOVED: CellId = CellId(0);
const LEFT: LockId = LockId(0);
const RIGHT: LockId = LockId(1);
