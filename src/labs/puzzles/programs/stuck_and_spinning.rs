//! One waits for a variable by looking at it again and again, with the lock held that the other needs to set it.

use super::super::code::{Code, SEEN, seen};
use super::super::{Goal, Puzzle};
use super::{Known, LOCK, of_threads, one_lock};
use crate::explore::small::{CellId, Operand, Step, Test, Variable};

/// No deadlock, for somebody moves; and nobody ever gets on.
pub const KNOWN: Known = Known {
    id: "stuck-and-spinning",
    most_threads: 2,
    repeats: false,
    build: |shape| {
        let mut setter = Code::new(shape.grain);
        setter.with_lock(Some(LOCK), |code| {
            code.line(Step::Write {
                cell: READY,
                value: Operand::Number(1),
            });
        });
        let mut waiter = Code::new(shape.grain);
        waiter.with_lock(Some(LOCK), |code| {
            code.loops();
            let head = code.here();
            code.line(Step::Read {
                cell: READY,
                into: SEEN,
            });
            code.glued(Step::Unless(Test::Equal(seen(0), Operand::Number(1)), head));
        });
        let mut program = of_threads(shape.grain, vec![setter.end(), waiter.end()]);
        program.cells = vec![Variable::within("ready", 0, 0, 1)];
        program.registers = vec![Variable::within("seen", 0, 0, 1)];
        program.locks = one_lock(&[READY]);
        Puzzle {
            program,
            right: vec![(READY, 1)],
            value: READY,
            goals: vec![Goal::RightAnyway],
        }
    },
};

const READY: CellId = CellId(0);
