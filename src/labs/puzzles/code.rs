//! Writes a thread's code line by line, and notes before each line what kind of place lies there.
//!
//! Worked example: `read` after `acquire` has before it the place after a call into C, `write` after `read` the place
//! between two bytecodes. Not here: which of them another thread may use; the table of switch points says that.

use crate::explore::small::{Line, LockId, Operand, RegisterId, Step, Test, ThreadCode};
use crate::switch_points::{Grain, Operation};

/// The one variable that most threads of these programs need.
pub const SEEN: RegisterId = RegisterId(0);

/// One thread's code in the making.
#[derive(Debug)]
pub struct Code {
    grain: Grain,
    lines: Vec<Line>,
    /// What lies before the next line; nothing where it goes on from a sleep, before which the others had their turns.
    place: Option<Operation>,
}

/// A jump whose target is not there yet.
#[derive(Debug)]
#[must_use = "a jump without a target goes to itself"]
pub struct OpenJump(usize);

impl Code {
    /// Nothing yet; of a program of this grain.
    pub fn new(grain: Grain) -> Self {
        Self {
            grain,
            lines: Vec::new(),
            place: Some(Operation::BetweenBytecodes),
        }
    }

    /// A line of its own.
    pub fn line(&mut self, step: Step) {
        self.lines.push(Line {
            step,
            before: self.place,
        });
        self.place = Some(step.place_behind());
    }

    /// A line that is part of the one before.
    pub fn glued(&mut self, step: Step) {
        self.lines.push(Line::glued(step));
    }

    /// `sleep(0)`, awaited where the program is of tasks: others may go on.
    pub fn sleep(&mut self) {
        let place = match self.grain {
            Grain::Await => Operation::Await,
            Grain::CheckPoint | Grain::Access => Operation::VoluntaryRelease,
        };
        self.lines.push(Line::after(place, Step::Yield));
        self.place = None;
    }

    /// The next line is in a Python function that is called for it.
    pub fn calls(&mut self) {
        self.place = Some(Operation::FunctionEntry);
    }

    /// The next line is the head of a loop, come back to.
    pub fn loops(&mut self) {
        self.place = Some(Operation::LoopBackEdge);
    }

    /// Goes on elsewhere unless the test holds. Part of the line before: what it asks is the thread's own.
    pub fn unless(&mut self, test: Test) -> OpenJump {
        self.glued(Step::Unless(test, 0));
        OpenJump(self.lines.len() - 1)
    }

    /// The jump goes to the next line, or to the end.
    pub fn land(&mut self, OpenJump(from): OpenJump) {
        let here = self.here();
        if let Some(Line {
            step: Step::Unless(_, to),
            ..
        }) = self.lines.get_mut(from)
        {
            *to = here;
        }
    }

    /// The next line's place, for jumping back.
    pub fn here(&self) -> u8 {
        u8::try_from(self.lines.len()).expect("the programs of the labs have at most 250 lines")
    }

    /// Some lines with the lock held, where there is one.
    pub fn with_lock(&mut self, lock: Option<LockId>, lines: impl FnOnce(&mut Self)) {
        if let Some(lock) = lock {
            self.line(Step::Acquire(lock));
        }
        lines(self);
        if let Some(lock) = lock {
            self.line(Step::Release(lock));
        }
    }

    /// All lines.
    pub fn end(self) -> ThreadCode {
        self.lines
    }
}

/// What always holds.
pub const ALWAYS: Test = Test::Equal(Operand::Number(0), Operand::Number(0));

/// What [`SEEN`] holds, plus some.
pub const fn seen(more: i32) -> Operand {
    Operand::Register(SEEN, more)
}
