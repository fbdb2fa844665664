//! Threads that count: read, add, write, and what may come between.

use super::super::code::{Code, SEEN, seen};
use super::super::{Goal, Puzzle};
use super::{Known, LOCK, Shape, alike, of_threads, one_lock};
use crate::explore::small::{CellId, Step, Variable};

/// The counter that everybody knows, and the lock around it.
pub const KNOWN: Known = Known {
    id: "counter",
    most_threads: 8,
    repeats: true,
    build: |shape| {
        let addition = if shape.fixed { Addition::Locked } else { Addition::Plain };
        additions(addition, shape)
    },
};

/// How one addition is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addition {
    /// Read, add, write.
    Plain,
    /// With a call of a Python function between the read and the write.
    Call,
    /// With `sleep(0)` between them.
    Wide,
    /// With a lock around them.
    Locked,
    /// In one step.
    Atomic,
}

const COUNTER: CellId = CellId(0);

/// Threads that make so many additions each.
pub fn additions(addition: Addition, shape: Shape) -> Puzzle {
    let all = i32::from(shape.threads) * i32::from(shape.increments);
    let lock = (addition == Addition::Locked).then_some(LOCK);
    let mut code = Code::new(shape.grain);
    for round in 0..shape.increments {
        if round > 0 {
            code.loops();
        }
        code.with_lock(lock, |code| add(code, addition));
    }
    let mut program = of_threads(shape.grain, alike(shape.threads, &code.end()));
    program.cells = vec![Variable::within("counter", 0, 0, all)];
    program.registers = vec![Variable::within("r", 0, 0, all + 1)];
    if lock.is_some() {
        program.locks = one_lock(&[COUNTER]);
    }
    let can_lose = matches!(addition, Addition::Plain | Addition::Call | Addition::Wide);
    Puzzle {
        program,
        right: vec![(COUNTER, all)],
        value: COUNTER,
        goals: if can_lose {
            // The least that can be left surprises everyone: 2, however often each adds; 1 if each adds once.
            vec![
                Goal::RightAnyway,
                Goal::Lose,
                Goal::Reach(i32::from(shape.increments.min(2))),
            ]
        } else {
            vec![Goal::RightAnyway]
        },
    }
}

fn add(code: &mut Code, addition: Addition) {
    if addition == Addition::Atomic {
        code.line(Step::Add {
            cell: COUNTER,
            amount: 1,
        });
        return;
    }
    code.line(Step::Read {
        cell: COUNTER,
        into: SEEN,
    });
    match addition {
        Addition::Call => code.calls(),
        Addition::Wide => code.sleep(),
        Addition::Plain | Addition::Locked | Addition::Atomic => {}
    }
    code.line(Step::Set {
        into: SEEN,
        value: seen(1),
    });
    code.line(Step::Write {
        cell: COUNTER,
        value: seen(0),
    });
}
