//! Small programs: a few threads, a few dozen lines, shared cells and the usual primitives.
//!
//! Worked example, two threads that count, with the places where another may come in (`·`) at the finest grain:
//!
//! ```text
//! A:  r = x · x = r + 1        B:  r = x · x = r + 1
//! ```
//!
//! Six schedules: `AABB`, `ABAB`, `ABBA`, `BAAB`, `BABA`, `BBAA`; the first and the last end at 2, the other four at 1.
//!
//! [`SmallProgram`] is the program as data, [`SmallSystem`] the same ready to explore, [`Ending`] how a run of it ends,
//! [`View`] a state for a reader.
//!
//! Not here: which programs there are (labs), and how they are searched.

mod check;
mod compiled;
mod ending;
mod flow;
mod hash;
mod layout;
mod line;
mod packed;
mod phase;
mod prepared;
mod program;
mod quick;
mod rows;
mod run;
mod system;
mod text;
mod view;
mod waits;

pub use check::{MOST_CODE, MOST_PRIMITIVES, MOST_THREADS, MOST_VARIABLES, MOST_WORDS, Problem};
pub use ending::{Ending, Short};
pub use hash::program_hash;
pub use line::{
    Amount, CellId, ConditionId, Line, LockId, Operand, QueueId, RegisterId, SemaphoreId, Step, Test, ThreadCode,
};
pub use packed::Packed;
pub use phase::{Failure, MOST_LINES};
pub use prepared::{AnySystem, SmallSystem, words_needed};
pub use program::{Condition, Lock, Queue, Semaphore, SmallProgram, Variable};
pub use view::{ConditionView, Doing, LockView, Named, QueueView, ThreadView, View};
pub use waits::Reason;
