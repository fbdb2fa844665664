//! A small program as data: its threads' code, and what they share.
//!
//! Not here: its state while it runs.

use super::line::{CellId, LockId, ThreadCode};
use crate::switch_points::Grain;

/// A variable, shared or a thread's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Its name in the code.
    pub name: &'static str,
    /// What it holds at first.
    pub first: i32,
    /// The least it ever holds.
    pub least: i32,
    /// The most it ever holds. Less room is less to search through.
    pub most: i32,
}

impl Variable {
    /// One that starts at `first` and stays within the ends, both included.
    #[must_use]
    pub const fn within(name: &'static str, first: i32, least: i32, most: i32) -> Self {
        Self {
            name,
            first,
            least,
            most,
        }
    }
}

/// A lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lock {
    /// Its name in the code.
    pub name: &'static str,
    /// The cells that it is meant to protect, for showing.
    pub protects: Vec<CellId>,
}

/// A condition variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Its name in the code.
    pub name: &'static str,
    /// Its lock.
    pub lock: LockId,
}

/// A semaphore.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Semaphore {
    /// Its name in the code.
    pub name: &'static str,
    /// What it stands at first.
    pub first: u8,
    /// The most it ever stands at.
    pub most: u8,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Queue {
    /// Its name in the code.
    pub name: &'static str,
    /// How many numbers it holds at most.
    pub capacity: u8,
    /// The most of any number that is put in; the least is 0.
    pub most: u16,
}

/// A small program. At most 8 threads of at most 250 lines; what a thread needs is in its code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SmallProgram {
    /// What each thread does.
    pub threads: Vec<ThreadCode>,
    /// What they share.
    pub cells: Vec<Variable>,
    /// The variables of a thread's own: each thread has all of them.
    pub registers: Vec<Variable>,
    /// Its locks.
    pub locks: Vec<Lock>,
    /// Its condition variables.
    pub conditions: Vec<Condition>,
    /// Its semaphores.
    pub semaphores: Vec<Semaphore>,
    /// Its queues.
    pub queues: Vec<Queue>,
    /// At which places another thread may come in.
    pub grain: Grain,
}
