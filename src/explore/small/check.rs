//! Whether a program makes sense: every id names something, every jump lands, every range holds its first value.
//!
//! Not here: whether it does what its author meant.

use super::line::{ConditionId, LockId, Operand, QueueId, RegisterId, SemaphoreId, Step, Test};
use super::program::{SmallProgram, Variable};
use crate::explore::system::Thread;

/// The most threads of a small program.
pub const MOST_THREADS: usize = 8;
/// The most lines of a thread.
pub const MOST_CODE: usize = 250;
/// The most cells, and the most registers.
pub const MOST_VARIABLES: usize = 16;
/// The most locks, conditions, semaphores and queues, of each.
pub const MOST_PRIMITIVES: usize = 8;
/// The most bits of a state: four words, of which no thread's and no queue's part is cut in two.
pub const MOST_WORDS: usize = 4;

/// Why a program cannot be explored: a mistake in the program, never in what the learner does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It has none, or more than [`MOST_THREADS`].
    NThreads(usize),
    /// A thread has more than [`MOST_CODE`] lines.
    NLines(Thread, usize),
    /// There are more of something than [`MOST_VARIABLES`] or [`MOST_PRIMITIVES`].
    TooMany(&'static str),
    /// A line names something that is not there.
    Unknown(Thread, u8),
    /// A line jumps out of its thread's code.
    JumpsOut(Thread, u8),
    /// A line is there to let others go on, but nowhere lies a place before it.
    LetsNobodyIn(Thread, u8),
    /// What a variable, a semaphore or a queue holds at first or at all is outside of what it may hold.
    Range(&'static str),
    /// A condition without a lock, or a lock of a cell that is not there.
    Unrelated(&'static str),
    /// A state needs so many words; the system has fewer, or there are more than [`MOST_WORDS`].
    TooLarge(usize),
}

/// Finds what is wrong with it, if anything is.
pub(super) fn check(program: &SmallProgram) -> Result<(), Problem> {
    let n_threads = program.threads.len();
    if n_threads == 0 || n_threads > MOST_THREADS {
        return Err(Problem::NThreads(n_threads));
    }
    for (what, how_many, most) in [
        ("cells", program.cells.len(), MOST_VARIABLES),
        ("registers", program.registers.len(), MOST_VARIABLES),
        ("locks", program.locks.len(), MOST_PRIMITIVES),
        ("conditions", program.conditions.len(), MOST_PRIMITIVES),
        ("semaphores", program.semaphores.len(), MOST_PRIMITIVES),
        ("queues", program.queues.len(), MOST_PRIMITIVES),
    ] {
        if how_many > most {
            return Err(Problem::TooMany(what));
        }
    }
    check_what_is_shared(program)?;
    for (thread, code) in (0..).map(Thread).zip(&program.threads) {
        if code.len() > MOST_CODE {
            return Err(Problem::NLines(thread, code.len()));
        }
        for (at, line) in (0..).zip(code) {
            if let Step::Unless(_, to) | Step::Jump(to) = line.step
                && usize::from(to) > code.len()
            {
                return Err(Problem::JumpsOut(thread, at));
            }
            if !names_what_is_there(program, line.step) {
                return Err(Problem::Unknown(thread, at));
            }
            if line.step == Step::Yield && line.before.is_none() {
                return Err(Problem::LetsNobodyIn(thread, at));
            }
        }
    }
    Ok(())
}

fn check_what_is_shared(program: &SmallProgram) -> Result<(), Problem> {
    let holds_its_first = |variable: &Variable| (variable.least..=variable.most).contains(&variable.first);
    if let Some(wrong) = program
        .cells
        .iter()
        .chain(&program.registers)
        .find(|variable| !holds_its_first(variable))
    {
        return Err(Problem::Range(wrong.name));
    }
    if let Some(wrong) = program.semaphores.iter().find(|one| one.first > one.most) {
        return Err(Problem::Range(wrong.name));
    }
    // Python's queue of capacity 0 is one without an end; this one would be without room.
    if let Some(wrong) = program.queues.iter().find(|queue| queue.capacity == 0) {
        return Err(Problem::Range(wrong.name));
    }
    let has_lock = |lock: LockId| usize::from(lock.0) < program.locks.len();
    if let Some(wrong) = program.conditions.iter().find(|one| !has_lock(one.lock)) {
        return Err(Problem::Unrelated(wrong.name));
    }
    for lock in &program.locks {
        if lock
            .protects
            .iter()
            .any(|cell| usize::from(cell.0) >= program.cells.len())
        {
            return Err(Problem::Unrelated(lock.name));
        }
    }
    Ok(())
}

fn names_what_is_there(program: &SmallProgram, step: Step) -> bool {
    let cell = |id: super::line::CellId| usize::from(id.0) < program.cells.len();
    let register = |id: RegisterId| usize::from(id.0) < program.registers.len();
    let lock = |id: LockId| usize::from(id.0) < program.locks.len();
    let condition = |id: ConditionId| usize::from(id.0) < program.conditions.len();
    let semaphore = |id: SemaphoreId| usize::from(id.0) < program.semaphores.len();
    let queue = |id: QueueId| usize::from(id.0) < program.queues.len();
    let operand = |operand: Operand| match operand {
        Operand::Number(_) => true,
        Operand::Register(id, _) => register(id),
    };
    let test = |test: Test| {
        let (one, other) = test.operands();
        operand(one) && operand(other)
    };
    match step {
        Step::Read { cell: from, into } => cell(from) && register(into),
        Step::Set { into, value } => register(into) && operand(value),
        Step::Write { cell: to, value } => cell(to) && operand(value),
        Step::Add { cell: to, .. } => cell(to),
        Step::CompareAndSwap {
            cell: which,
            expected,
            new,
            into,
        } => cell(which) && operand(expected) && operand(new) && register(into),
        Step::Acquire(id) | Step::Release(id) => lock(id),
        Step::TryAcquire { lock: id, into } | Step::AcquireWithin { lock: id, into } => lock(id) && register(into),
        Step::Wait(id) | Step::Notify(id, _) => condition(id),
        Step::Down(id) | Step::Up(id) => semaphore(id),
        Step::Put(id, value) => queue(id) && operand(value),
        Step::Get { queue: id, into } => queue(id) && register(into),
        Step::Assert(what) | Step::Unless(what, _) => test(what),
        Step::Yield | Step::Jump(_) => true,
    }
}
