//! Two things handed over, one after the other: by a variable that is overwritten, or by a queue.

use super::super::code::{Code, SEEN, seen};
use super::super::{Goal, Puzzle};
use super::{Known, goals, of_threads};
use crate::explore::small::{CellId, Operand, Queue, QueueId, Step, Variable};

/// What is not taken in time is overwritten, and what is taken may be taken twice.
pub const KNOWN: Known = Known {
    id: "queue",
    most_threads: 2,
    repeats: false,
    build: |shape| {
        let mut producer = Code::new(shape.grain);
        for item in 1..=2 {
            if shape.fixed {
                producer.line(Step::Put(QUEUE, Operand::Number(item)));
            } else {
                producer.line(Step::Write {
                    cell: SLOT,
                    value: Operand::Number(item),
                });
            }
            producer.sleep();
        }
        let mut consumer = Code::new(shape.grain);
        for got in [FIRST, SECOND] {
            if shape.fixed {
                consumer.line(Step::Get {
                    queue: QUEUE,
                    into: SEEN,
                });
            } else {
                consumer.line(Step::Read { cell: SLOT, into: SEEN });
            }
            consumer.line(Step::Write {
                cell: got,
                value: seen(0),
            });
            consumer.sleep();
        }
        let mut program = of_threads(shape.grain, vec![producer.end(), consumer.end()]);
        program.cells = vec![Variable::within("first", 0, 0, 2), Variable::within("second", 0, 0, 2)];
        program.registers = vec![Variable::within("item", 0, 0, 2)];
        if shape.fixed {
            program.queues = vec![Queue {
                name: "queue",
                capacity: 1,
                most: 2,
            }];
        } else {
            program.cells.push(Variable::within("slot", 0, 0, 2));
        }
        Puzzle {
            program,
            right: vec![(FIRST, 1), (SECOND, 2)],
            value: SECOND,
            goals: goals(shape.fixed, Goal::Lose),
        }
    },
};

const FIRST: CellId = CellId(0);
const SECOND: CellId = CellId(1);
const SLOT: CellId = CellId(2);
const QUEUE: QueueId = QueueId(0);
