//! One takes a lock again and again and works; the other asks for it all the time instead of waiting.

use super::super::code::{Code, SEEN, seen};
use super::super::{Goal, Puzzle};
use super::{Known, LOCK, of_threads, one_lock};
use crate::explore::small::{CellId, Operand, Step, Test, Variable};

/// Who asks all the time may keep the one that holds the lock from ever getting its turn; only an unfair scheduler lets it.
pub const KNOWN: Known = Known {
    id: "starvation",
    most_threads: 2,
    repeats: false,
    build: |shape| {
        let mut worker = Code::new(shape.grain);
        for _ in 0..ROUNDS {
            worker.with_lock(Some(LOCK), |code| {
                code.sleep();
                code.line(Step::Add { cell: DONE, amount: 1 });
            });
        }
        let mut asker = Code::new(shape.grain);
        asker.loops();
        let head = asker.here();
        asker.line(Step::TryAcquire { lock: LOCK, into: SEEN });
        asker.glued(Step::Unless(Test::Equal(seen(0), Operand::Number(1)), head));
        asker.line(Step::Add { cell: DONE, amount: 1 });
        asker.line(Step::Release(LOCK));
        let mut program = of_threads(shape.grain, vec![worker.end(), asker.end()]);
        program.cells = vec![Variable::within("done", 0, 0, ROUNDS + 1)];
        program.registers = vec![Variable::within("got", 0, 0, 1)];
        program.locks = one_lock(&[DONE]);
        Puzzle {
            program,
            right: vec![(DONE, ROUNDS + 1)],
            value: DONE,
            goals: vec![Goal::RightAnyway],
        }
    },
};

const DONE: CellId = CellId(0);
/// How often the worker takes the lock: twice is again and again.
const ROUNDS: i32 = 2;
