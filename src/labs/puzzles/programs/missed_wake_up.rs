//! One waits for a condition, the other notifies; what if nobody waits yet when the notification comes?

use super::super::code::{Code, SEEN, seen};
use super::super::{Goal, Puzzle};
use super::{Known, LOCK, Shape, goals, of_threads, one_lock};
use crate::explore::small::{Amount, CellId, Condition, ConditionId, Operand, Step, Test, ThreadCode, Variable};

/// It looks without the lock, and then waits for what has happened already.
pub const KNOWN: Known = Known {
    id: "missed-wake-up",
    most_threads: 2,
    repeats: false,
    build: |shape| {
        let consumer = if shape.fixed {
            looks_again(shape)
        } else {
            looks_once(shape)
        };
        let mut program = of_threads(shape.grain, vec![consumer, producer(shape)]);
        program.cells = vec![Variable::within("ready", 0, 0, 1)];
        program.registers = vec![Variable::within("seen", 0, 0, 1)];
        program.locks = one_lock(&[READY]);
        program.conditions = vec![Condition {
            name: "condition",
            lock: LOCK,
        }];
        Puzzle {
            program,
            right: vec![(READY, 1)],
            value: READY,
            goals: goals(shape.fixed, Goal::Deadlock),
        }
    },
};

const READY: CellId = CellId(0);
const CONDITION: ConditionId = ConditionId(0);

/// Looks, then takes the lock, then waits.
fn looks_once(shape: Shape) -> ThreadCode {
    let mut code = Code::new(shape.grain);
    code.line(Step::Read {
        cell: READY,
        into: SEEN,
    });
    let is_ready = code.unless(Test::Equal(seen(0), Operand::Number(0)));
    // Entering the condition is a call of a Python function.
    code.calls();
    code.with_lock(Some(LOCK), |code| code.line(Step::Wait(CONDITION)));
    code.land(is_ready);
    code.end()
}

/// Looks with the lock held, and again after every wait.
fn looks_again(shape: Shape) -> ThreadCode {
    let mut code = Code::new(shape.grain);
    code.with_lock(Some(LOCK), |code| {
        let head = code.here();
        code.line(Step::Read {
            cell: READY,
            into: SEEN,
        });
        let is_ready = code.unless(Test::Equal(seen(0), Operand::Number(0)));
        code.line(Step::Wait(CONDITION));
        code.glued(Step::Jump(head));
        code.land(is_ready);
    });
    code.end()
}

fn producer(shape: Shape) -> ThreadCode {
    let mut code = Code::new(shape.grain);
    let set = |code: &mut Code| {
        code.line(Step::Write {
            cell: READY,
            value: Operand::Number(1),
        });
    };
    if !shape.fixed {
        set(&mut code);
        code.calls();
    }
    code.with_lock(Some(LOCK), |code| {
        if shape.fixed {
            set(code);
        }
        code.line(Step::Notify(CONDITION, Amount::One));
    });
    code.end()
}
