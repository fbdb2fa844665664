//! Programs to test with, and short words for their lines.

use concurrency_playground::explore::small::{
    CellId, Condition, ConditionId, Line, Lock, LockId, Operand, Queue, QueueId, RegisterId, Semaphore, SemaphoreId,
    SmallProgram, Step, ThreadCode, Variable,
};
use concurrency_playground::switch_points::{Grain, Operation};

pub const X: CellId = CellId(0);
pub const Y: CellId = CellId(1);
pub const R: RegisterId = RegisterId(0);
pub const S: RegisterId = RegisterId(1);
pub const LOCK: LockId = LockId(0);
pub const OTHER: LockId = LockId(1);
pub const CONDITION: ConditionId = ConditionId(0);
pub const SEMAPHORE: SemaphoreId = SemaphoreId(0);
pub const QUEUE: QueueId = QueueId(0);

pub const fn number(number: i32) -> Operand {
    Operand::Number(number)
}

pub const fn plus(register: RegisterId, more: i32) -> Operand {
    Operand::Register(register, more)
}

pub const fn read(cell: CellId, into: RegisterId) -> Step {
    Step::Read { cell, into }
}

pub const fn write(cell: CellId, value: Operand) -> Step {
    Step::Write { cell, value }
}

/// Every line is a place of its own at the finest grain.
pub fn fine(steps: &[Step]) -> ThreadCode {
    let line = |step: &Step| Line::after(Operation::MemoryAccess, *step);
    steps.iter().map(line).collect()
}

/// Cells `x` and `y`, registers `r` and `s`, two locks, a condition over the first, a semaphore at 1 of 3, a queue of 2.
pub fn program(threads: Vec<ThreadCode>) -> SmallProgram {
    SmallProgram {
        threads,
        cells: vec![Variable::within("x", 0, -10, 10), Variable::within("y", 0, -10, 10)],
        registers: vec![Variable::within("r", 0, -10, 10), Variable::within("s", 0, -10, 10)],
        locks: vec![
            Lock {
                name: "lock",
                protects: vec![X],
            },
            Lock {
                name: "other",
                protects: vec![],
            },
        ],
        conditions: vec![Condition {
            name: "condition",
            lock: LOCK,
        }],
        semaphores: vec![Semaphore {
            name: "semaphore",
            first: 1,
            most: 3,
        }],
        queues: vec![Queue {
            name: "queue",
            capacity: 2,
            most: 9,
        }],
        grain: Grain::Access,
    }
}

/// Threads that count: each adds 1 so many times, in two steps (read, write) or three (read, add, write).
pub fn counter(n_threads: u8, n_additions: u8, n_steps: u8) -> SmallProgram {
    let most = i32::from(n_threads) * i32::from(n_additions);
    let addition = match n_steps {
        2 => vec![read(X, R), write(X, plus(R, 1))],
        _ => vec![
            read(X, R),
            Step::Set {
                into: R,
                value: plus(R, 1),
            },
            write(X, plus(R, 0)),
        ],
    };
    // Written out line by line, as a loop's own counter would make no difference to what is shared.
    let code = addition.repeat(n_additions.into());
    let lines = code.into_iter().enumerate().map(|(at, step)| {
        let starts_over = at > 0 && at % usize::from(n_steps) == 0;
        let place = if starts_over {
            Operation::LoopBackEdge
        } else {
            Operation::MemoryAccess
        };
        Line::after(place, step)
    });
    SmallProgram {
        threads: vec![lines.collect(); n_threads.into()],
        cells: vec![Variable::within("counter", 0, 0, most)],
        registers: vec![Variable::within("r", 0, 0, most)],
        locks: vec![],
        conditions: vec![],
        semaphores: vec![],
        queues: vec![],
        grain: Grain::Access,
    }
}
