//! What tests put wrong with a small program, to see a claim turn false. Not here: anything that a request can ask for.

use super::Puzzle;
use crate::explore::small::{LockId, Operand, Step};
use crate::switch_points::Grain;
use crate::wire::Sabotage;

impl Puzzle {
    /// The same with a fault; the same where the fault is of something else.
    #[must_use]
    pub fn with_fault(mut self, fault: Option<Sabotage>) -> Self {
        let grain = self.program.grain;
        let has_order = self.program.locks.len() > 1;
        let threads = self.program.threads.iter_mut().enumerate();
        let lines =
            threads.flat_map(|(number, code)| code.iter_mut().enumerate().map(move |(at, line)| (number, at, line)));
        for (number, at, line) in lines {
            line.step = match (fault, line.step) {
                (Some(Sabotage::OrderThatIsNotKept), step) if has_order && number % 2 == 1 => other_way_round(step),
                (Some(Sabotage::LoopThatIsLeft), Step::Jump(to) | Step::Unless(_, to)) if usize::from(to) <= at => {
                    NOTHING
                }
                (Some(Sabotage::TimeoutThatNeverFires), Step::AcquireWithin { lock, .. }) => Step::Acquire(lock),
                (Some(Sabotage::LockThatDoesNotLock), Step::Acquire(_) | Step::Release(_)) => NOTHING,
                (Some(Sabotage::WriteThatIsLost), Step::Write { .. }) if grain == Grain::Await => NOTHING,
                (
                    Some(Sabotage::PlainThatIsAtomic),
                    Step::Write {
                        cell,
                        value: Operand::Register(..),
                    },
                ) => Step::Add { cell, amount: 1 },
                (_, step) => step,
            };
        }
        self
    }
}

/// The same with the first two locks exchanged.
const fn other_way_round(step: Step) -> Step {
    match step {
        Step::Acquire(lock) => Step::Acquire(other(lock)),
        Step::Release(lock) => Step::Release(other(lock)),
        Step::TryAcquire { lock, into } => Step::TryAcquire {
            lock: other(lock),
            into,
        },
        Step::AcquireWithin { lock, into } => Step::AcquireWithin {
            lock: other(lock),
            into,
        },
        step => step,
    }
}

const fn other(lock: LockId) -> LockId {
    match lock.0 {
        0 => LockId(1),
        1 => LockId(0),
        _ => lock,
    }
}

/// Goes on with the next line, whatever comes.
const NOTHING: Step = Step::Unless(super::code::ALWAYS, 0);
