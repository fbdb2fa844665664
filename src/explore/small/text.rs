//! A line as the code that a reader sees, made from the very step that runs.
//!
//! It reads like Python where Python has it (`lock.acquire()`), like a plain function where it has not
//! (`atomic_add(counter, 1)`), and jumps are jumps: lines are counted from 1, as editors do.
//!
//! Not here: sentences; code is the same in every language.

use std::fmt::{self, Display, Formatter};

use super::line::{Amount, CellId, ConditionId, LockId, Operand, QueueId, RegisterId, SemaphoreId, Step, Test};
use super::program::SmallProgram;
use crate::explore::system::Thread;

impl SmallProgram {
    /// A thread's line, from 0, as code. Nothing behind its last.
    #[must_use]
    pub fn code(&self, thread: Thread, line: u8) -> Option<impl Display> {
        let code = self.threads.get(thread.index())?;
        let step = code.get(usize::from(line))?.step;
        Some(Code {
            program: self,
            step,
            n_lines: code.len(),
        })
    }
}

struct Code<'a> {
    program: &'a SmallProgram,
    step: Step,
    n_lines: usize,
}

impl Display for Code<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self.step {
            Step::Read { cell, into } => write!(to, "{} = {}", self.register(into), self.cell(cell)),
            Step::Set { into, value } => write!(to, "{} = {}", self.register(into), self.value(value)),
            Step::Write { cell, value } => write!(to, "{} = {}", self.cell(cell), self.value(value)),
            Step::Add { cell, amount } => write!(to, "atomic_add({}, {amount})", self.cell(cell)),
            Step::CompareAndSwap {
                cell,
                expected,
                new,
                into,
            } => {
                write!(to, "{} = compare_and_swap(", self.register(into))?;
                write!(
                    to,
                    "{}, {}, {})",
                    self.cell(cell),
                    self.value(expected),
                    self.value(new)
                )
            }
            Step::Acquire(lock) => write!(to, "{}.acquire()", self.lock(lock)),
            Step::TryAcquire { lock, into } => {
                write!(
                    to,
                    "{} = {}.acquire(blocking=False)",
                    self.register(into),
                    self.lock(lock)
                )
            }
            Step::AcquireWithin { lock, into } => {
                write!(to, "{} = {}.acquire(timeout=…)", self.register(into), self.lock(lock))
            }
            Step::Release(lock) => write!(to, "{}.release()", self.lock(lock)),
            Step::Wait(condition) => write!(to, "{}.wait()", self.condition(condition)),
            Step::Notify(condition, Amount::One) => write!(to, "{}.notify()", self.condition(condition)),
            Step::Notify(condition, Amount::All) => write!(to, "{}.notify_all()", self.condition(condition)),
            Step::Down(semaphore) => write!(to, "{}.acquire()", self.semaphore(semaphore)),
            Step::Up(semaphore) => write!(to, "{}.release()", self.semaphore(semaphore)),
            Step::Put(queue, value) => write!(to, "{}.put({})", self.queue(queue), self.value(value)),
            Step::Get { queue, into } => write!(to, "{} = {}.get()", self.register(into), self.queue(queue)),
            Step::Yield => write!(to, "sleep(0)"),
            Step::Assert(test) => write!(to, "assert {}", self.test(test)),
            // The line jumps where the test fails, so the code asks for the opposite.
            Step::Unless(test, line) => write!(to, "if {}: {}", self.test(test.negated()), self.goto(line)),
            Step::Jump(line) => write!(to, "{}", self.goto(line)),
        }
    }
}

/// For an id that nothing has: such a program is refused before it runs, but may be shown.
const UNKNOWN: &str = "?";

impl Code<'_> {
    fn register(&self, RegisterId(id): RegisterId) -> &'static str {
        let register = self.program.registers.get(usize::from(id));
        register.map_or(UNKNOWN, |one| one.name)
    }

    fn cell(&self, CellId(id): CellId) -> &'static str {
        self.program.cells.get(usize::from(id)).map_or(UNKNOWN, |one| one.name)
    }

    fn lock(&self, LockId(id): LockId) -> &'static str {
        self.program.locks.get(usize::from(id)).map_or(UNKNOWN, |one| one.name)
    }

    fn condition(&self, ConditionId(id): ConditionId) -> &'static str {
        let condition = self.program.conditions.get(usize::from(id));
        condition.map_or(UNKNOWN, |one| one.name)
    }

    fn semaphore(&self, SemaphoreId(id): SemaphoreId) -> &'static str {
        let semaphore = self.program.semaphores.get(usize::from(id));
        semaphore.map_or(UNKNOWN, |one| one.name)
    }

    fn queue(&self, QueueId(id): QueueId) -> &'static str {
        self.program.queues.get(usize::from(id)).map_or(UNKNOWN, |one| one.name)
    }

    fn value(&self, operand: Operand) -> String {
        match operand {
            Operand::Number(number) => number.to_string(),
            Operand::Register(id, 0) => self.register(id).to_owned(),
            Operand::Register(id, more) => {
                let sign = if more < 0 { '-' } else { '+' };
                format!("{} {sign} {}", self.register(id), more.unsigned_abs())
            }
        }
    }

    fn test(&self, test: Test) -> String {
        let (one, other) = test.operands();
        let sign = match test {
            Test::Equal(..) => "==",
            Test::NotEqual(..) => "!=",
            Test::Less(..) => "<",
            Test::AtLeast(..) => ">=",
        };
        format!("{} {sign} {}", self.value(one), self.value(other))
    }

    fn goto(&self, line: u8) -> String {
        if usize::from(line) == self.n_lines {
            "goto end".to_owned()
        } else {
            format!("goto {}", u32::from(line) + 1)
        }
    }
}
