//! Small programs: a few threads, a few dozen lines, shared cells and the usual primitives.
//!
//! Worked example, two threads that count, with the places where another may come in (`·`) at the finest grain:
//!
//!     A:  r = x · x = r + 1        B:  r = x · x = r + 1
//!
//! Six schedules: `AABB`, `ABAB`, `ABBA`, `BAAB`, `BABA`, `BBAA`; the first and the last end at 2, the other four at 1.
//!
//! Not here: which programs there are (labs), and how they are searched.

mod line;
mod program;

pub use line::{
    Amount, CellId, ConditionId, Line, LockId, Operand, QueueId, RegisterId, SemaphoreId, Step, Test, ThreadCode,
};
pub use program::{Condition, Lock, Queue, Semaphore, SmallProgram, Variable};
