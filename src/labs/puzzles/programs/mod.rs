//! The small programs of the labs: one file a program, and one line in [`PROGRAMS`] or [`LOCK_PROGRAMS`].
//!
//! Not here: how they are searched or shown.

mod append;
mod back_off;
mod check_then_act;
mod counter;
mod held_too_long;
mod lazy_initialisation;
mod missed_wake_up;
mod queue;
mod semaphore;
mod starvation;
mod stuck_and_spinning;
mod transfers;
mod two_locks;
mod two_locks_within;

pub use counter::{Addition, additions};

use super::{Goal, Puzzle};
use crate::explore::small::{CellId, Lock, LockId, SmallProgram, ThreadCode};
use crate::switch_points::Grain;

/// What one of the programs is asked to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Mended.
    pub fixed: bool,
    /// Threads or tasks, 2 to 8.
    pub threads: u8,
    /// How often each does its work, 1 to 50.
    pub increments: u8,
    /// Where another may come in.
    pub grain: Grain,
}

/// One of the programs.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its id, the same in links, texts and tests.
    pub id: &'static str,
    /// The most threads it takes; the least is 2.
    pub most_threads: u8,
    /// Whether its threads do their work more than once where asked.
    pub repeats: bool,
    /// Makes it.
    pub build: fn(Shape) -> Puzzle,
}

/// Those of the lab `interleavings`, each broken and fixed, in teaching order.
pub const PROGRAMS: &[Known; 8] = &[
    counter::KNOWN,
    check_then_act::KNOWN,
    lazy_initialisation::KNOWN,
    append::KNOWN,
    two_locks::KNOWN,
    semaphore::KNOWN,
    missed_wake_up::KNOWN,
    queue::KNOWN,
];

/// Those of the lab `locks`, in teaching order. Where they take two locks, fixed means in the same order; the others are
/// as they are. Some spin, which needs a grain at which a loop lets others in: check points or accesses.
pub const LOCK_PROGRAMS: &[Known] = &[
    two_locks::KNOWN,
    two_locks_within::KNOWN,
    back_off::KNOWN,
    starvation::KNOWN,
    stuck_and_spinning::KNOWN,
    held_too_long::KNOWN,
];

/// The program with this id in the lab `interleavings`.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Known> {
    PROGRAMS.iter().find(|known| known.id == id)
}

/// The program with this id in the lab `locks`.
#[must_use]
pub fn of_locks(id: &str) -> Option<&'static Known> {
    LOCK_PROGRAMS.iter().find(|known| known.id == id)
}

/// A program with threads and nothing shared yet.
fn of_threads(grain: Grain, threads: Vec<ThreadCode>) -> SmallProgram {
    SmallProgram {
        threads,
        cells: Vec::new(),
        registers: Vec::new(),
        locks: Vec::new(),
        conditions: Vec::new(),
        semaphores: Vec::new(),
        queues: Vec::new(),
        grain,
    }
}

/// The same code in each of the threads.
fn alike(n: u8, code: &ThreadCode) -> Vec<ThreadCode> {
    (0..n).map(|_| code.clone()).collect()
}

/// The lock of the programs that have one.
const LOCK: LockId = LockId(0);

/// [`LOCK`], around these cells.
fn one_lock(protects: &[CellId]) -> Vec<Lock> {
    vec![Lock {
        name: "lock",
        protects: protects.to_vec(),
    }]
}

/// What there is to try: to end right, and where it is broken to make it go wrong, if it can.
fn goals(fixed: bool, wrong: impl Into<Option<Goal>>) -> Vec<Goal> {
    let wrong = wrong.into().filter(|_| !fixed);
    [Goal::RightAnyway].into_iter().chain(wrong).collect()
}
