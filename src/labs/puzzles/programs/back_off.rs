//! Two who are polite: whoever cannot have the second lock gives the first one back, and tries again.

use super::super::code::{Code, SEEN, seen};
use super::super::{Goal, Puzzle};
use super::{Known, of_threads};
use crate::explore::small::{CellId, Lock, LockId, Operand, Step, Test, Variable};

/// No deadlock, and yet it need not end: both may give way to each other for ever.
pub const KNOWN: Known = Known {
    id: "back-off",
    most_threads: 2,
    repeats: false,
    build: |shape| {
        let threads = (0..shape.threads).map(|number| {
            let opposite = number % 2 == 1 && !shape.fixed;
            let (first, second) = if opposite { (RIGHT, LEFT) } else { (LEFT, RIGHT) };
            let mut code = Code::new(shape.grain);
            code.loops();
            let head = code.here();
            code.line(Step::Acquire(first));
            code.sleep();
            code.line(Step::TryAcquire {
                lock: second,
                into: SEEN,
            });
            let got_it = code.unless(Test::Equal(seen(0), Operand::Number(0)));
            code.line(Step::Release(first));
            code.glued(Step::Jump(head));
            code.land(got_it);
            code.line(Step::Add { cell: MOVED, amount: 1 });
            code.line(Step::Release(second));
            code.line(Step::Release(first));
            code.end()
        });
        let mut program = of_threads(shape.grain, threads.collect());
        program.cells = vec![Variable::within("moved", 0, 0, i32::from(shape.threads))];
        program.registers = vec![Variable::within("got", 0, 0, 1)];
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
            goals: vec![Goal::RightAnyway],
        }
    },
};

const MOVED: CellId = CellId(0);
const LEFT: LockId = LockId(0);
const RIGHT: LockId = LockId(1);
