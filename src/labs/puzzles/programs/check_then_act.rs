//! Withdrawals that look at the balance and then take from it: 100 is there, and each wants 80.

use super::super::code::{Code, SEEN, seen};
use super::super::{Goal, Puzzle};
use super::{Known, LOCK, alike, goals, of_threads, one_lock};
use crate::explore::small::{CellId, Operand, Step, Test, Variable};

/// Two look before either takes.
pub const KNOWN: Known = Known {
    id: "check-then-act",
    most_threads: 8,
    repeats: false,
    build: |shape| {
        let lock = shape.fixed.then_some(LOCK);
        let mut code = Code::new(shape.grain);
        code.with_lock(lock, |code| {
            code.line(Step::Read {
                cell: BALANCE,
                into: SEEN,
            });
            let too_little = code.unless(Test::AtLeast(seen(0), Operand::Number(WANTED)));
            code.sleep();
            code.line(Step::Write {
                cell: BALANCE,
                value: seen(-WANTED),
            });
            code.line(Step::Add {
                cell: PAID,
                amount: WANTED,
            });
            code.land(too_little);
        });
        let mut program = of_threads(shape.grain, alike(shape.threads, &code.end()));
        program.cells = vec![
            Variable::within("balance", THERE, 0, THERE),
            Variable::within("paid", 0, 0, WANTED * i32::from(shape.threads)),
        ];
        program.registers = vec![Variable::within("seen", 0, 0, THERE)];
        if shape.fixed {
            program.locks = one_lock(&[BALANCE, PAID]);
        }
        Puzzle {
            program,
            right: vec![(BALANCE, THERE - WANTED), (PAID, WANTED)],
            value: PAID,
            goals: goals(shape.fixed, Goal::Lose),
        }
    },
};

const BALANCE: CellId = CellId(0);
const PAID: CellId = CellId(1);
const THERE: i32 = 100;
const WANTED: i32 = 80;
