//! Transfers that take two locks, one after the other: what the programs of two locks have in common.
//!
//! Not here: how the locks are taken; that is what they differ in.

use super::super::code::{Code, SEEN};
use super::super::{Goal, Puzzle};
use super::{Shape, goals, of_threads};
use crate::explore::small::{CellId, Lock, LockId, Operand, Step, Test, Variable};

const MOVED: CellId = CellId(0);
const LEFT: LockId = LockId(0);
const RIGHT: LockId = LockId(1);

/// Whether a thread that only tried got the lock.
pub const GOT_IT: Variable = Variable::within("got", 0, 0, 1);

/// That it did not.
pub const IN_VAIN: Test = Test::Equal(Operand::Register(SEEN, 0), Operand::Number(0));

/// Threads that take two locks, move something, and give the locks back. Every other takes them in opposite order, unless
/// that is fixed. `take` writes how a thread comes to hold the first and the second.
pub fn transfers(
    shape: Shape,
    registers: Vec<Variable>,
    goal: Option<Goal>,
    take: impl Fn(&mut Code, LockId, LockId),
) -> Puzzle {
    let threads = (0..shape.threads).map(|number| {
        let opposite = number % 2 == 1 && !shape.fixed;
        let (first, second) = if opposite { (RIGHT, LEFT) } else { (LEFT, RIGHT) };
        let mut code = Code::new(shape.grain);
        take(&mut code, first, second);
        code.line(Step::Add { cell: MOVED, amount: 1 });
        code.line(Step::Release(second));
        code.line(Step::Release(first));
        code.end()
    });
    let n_threads = i32::from(shape.threads);
    let mut program = of_threads(shape.grain, threads.collect());
    program.cells = vec![Variable::within("moved", 0, 0, n_threads)];
    program.registers = registers;
    program.locks = ["left", "right"]
        .map(|name| Lock {
            name,
            protects: vec![MOVED],
        })
        .into();
    Puzzle {
        program,
        right: vec![(MOVED, n_threads)],
        value: MOVED,
        goals: goals(shape.fixed, goal),
    }
}
