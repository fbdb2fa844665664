//! What tests put wrong with a small program, to see a claim turn false. Not here: anything that a request can ask for.

use super::Puzzle;
use crate::explore::small::{Operand, Step};
use crate::switch_points::Grain;
use crate::wire::Sabotage;

impl Puzzle {
    /// The same with a fault; the same where the fault is of something else.
    #[must_use]
    pub fn with_fault(mut self, fault: Option<Sabotage>) -> Self {
        let grain = self.program.grain;
        for line in self.program.threads.iter_mut().flatten() {
            line.step = match (fault, line.step) {
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

/// Goes on with the next line, whatever comes.
const NOTHING: Step = Step::Unless(super::code::ALWAYS, 0);
