//! A semaphore that lets one in at a time, and a clean-up that gives back what was never taken.

use super::super::code::{Code, SEEN, seen};
use super::super::{Goal, Puzzle};
use super::{Known, goals, of_threads};
use crate::explore::small::{CellId, Operand, Semaphore, SemaphoreId, Step, Test, Variable};

/// One release too many, and two are inside.
pub const KNOWN: Known = Known {
    id: "semaphore",
    most_threads: 8,
    repeats: false,
    build: |shape| {
        let threads = (0..shape.threads).map(|number| {
            let mut code = Code::new(shape.grain);
            if number + 1 == shape.threads && !shape.fixed {
                code.line(Step::Up(PLACES));
            }
            code.line(Step::Down(PLACES));
            code.line(Step::Add {
                cell: INSIDE,
                amount: 1,
            });
            code.sleep();
            code.line(Step::Read {
                cell: INSIDE,
                into: SEEN,
            });
            code.glued(Step::Assert(Test::Equal(seen(0), Operand::Number(1))));
            code.line(Step::Add {
                cell: INSIDE,
                amount: -1,
            });
            code.line(Step::Up(PLACES));
            code.end()
        });
        let n = i32::from(shape.threads);
        let mut program = of_threads(shape.grain, threads.collect());
        program.cells = vec![Variable::within("inside", 0, 0, n)];
        program.registers = vec![Variable::within("seen", 0, 0, n)];
        program.semaphores = vec![Semaphore {
            name: "places",
            first: 1,
            most: shape.threads + 2,
        }];
        Puzzle {
            program,
            right: vec![(INSIDE, 0)],
            value: INSIDE,
            goals: goals(shape.fixed, Goal::Fail),
        }
    },
};

const INSIDE: CellId = CellId(0);
const PLACES: SemaphoreId = SemaphoreId(0);
