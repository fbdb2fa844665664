//! One line of a small program. Not here: what it does to a state.

use crate::switch_points::Operation;

/// A shared variable, by its place among the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u8);

/// A variable of one thread's own, by its place among that thread's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterId(pub u8);

/// A lock: whoever holds it keeps the others out. Any thread may release it, as Python's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockId(pub u8);

/// A condition variable, over one of the locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConditionId(pub u8);

/// A counting semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SemaphoreId(pub u8);

/// A queue: first in, first out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueId(pub u8);

/// A whole number: one that stands in the line, or a register's, plus some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// This number.
    Number(i32),
    /// The register's number plus this one.
    Register(RegisterId, i32),
}

/// What a line asks of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// They are equal.
    Equal(Operand, Operand),
    /// They are not.
    NotEqual(Operand, Operand),
    /// The first is less than the second.
    Less(Operand, Operand),
    /// The first is the second or more.
    AtLeast(Operand, Operand),
}

impl Test {
    /// The two numbers that it compares.
    #[must_use]
    pub const fn operands(self) -> (Operand, Operand) {
        match self {
            Self::Equal(one, other)
            | Self::NotEqual(one, other)
            | Self::Less(one, other)
            | Self::AtLeast(one, other) => (one, other),
        }
    }

    /// The test that holds exactly where this one does not.
    #[must_use]
    pub const fn negated(self) -> Self {
        match self {
            Self::Equal(one, other) => Self::NotEqual(one, other),
            Self::NotEqual(one, other) => Self::Equal(one, other),
            Self::Less(one, other) => Self::AtLeast(one, other),
            Self::AtLeast(one, other) => Self::Less(one, other),
        }
    }
}

/// How many of those who wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Amount {
    /// The one that has waited longest.
    One,
    /// All of them.
    All,
}

/// What one line does, in one indivisible step. Jumps go to a line by its place in its thread's code; the place after
/// the last line is the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// `into = cell`
    Read {
        /// Where from.
        cell: CellId,
        /// Where to.
        into: RegisterId,
    },
    /// `into = value`
    Set {
        /// Where to.
        into: RegisterId,
        /// What.
        value: Operand,
    },
    /// `cell = value`
    Write {
        /// Where to.
        cell: CellId,
        /// What.
        value: Operand,
    },
    /// Adds to a cell and reads and writes it in one step.
    Add {
        /// Which.
        cell: CellId,
        /// How much.
        amount: i32,
    },
    /// `into = 1` and `cell = new` if the cell is as expected, else `into = 0`.
    CompareAndSwap {
        /// Which.
        cell: CellId,
        /// What it should be.
        expected: Operand,
        /// What it becomes.
        new: Operand,
        /// Whether it was.
        into: RegisterId,
    },
    /// Waits until the lock is free, and takes it. Among threads whoever is quicker has it; tasks have it in the order of
    /// their coming, and one that comes while others wait waits behind them, even if the lock is free.
    Acquire(LockId),
    /// Takes the lock if it is free: `into` says whether. Never waits; but a task, which asks whether it is
    /// locked and else acquires it, waits behind those to whom it is about to go.
    TryAcquire {
        /// Which.
        lock: LockId,
        /// 1 or 0.
        into: RegisterId,
    },
    /// Takes the lock, or gives up after a while: `into` says which. While the lock is held, going on means that the
    /// time has passed, so that whoever waits so is never stuck. Before a lock that is held others may come in.
    AcquireWithin {
        /// Which.
        lock: LockId,
        /// 1 or 0.
        into: RegisterId,
    },
    /// Frees the lock. One that is free already fails the thread, as Python raises.
    Release(LockId),
    /// Frees the condition's lock and waits for a notification; then waits for the lock and takes it. Without holding the
    /// lock it fails the thread.
    Wait(ConditionId),
    /// Lets threads that wait go on; none of those who come later. Without holding the condition's lock it fails the
    /// thread, as Python raises.
    Notify(ConditionId, Amount),
    /// Waits until the semaphore is above 0, and takes one off; tasks in the order of their coming.
    Down(SemaphoreId),
    /// Gives one back to the semaphore.
    Up(SemaphoreId),
    /// Waits until the queue has room, and puts a number in.
    Put(QueueId, Operand),
    /// Waits until the queue has something, and takes the first.
    Get {
        /// Which.
        queue: QueueId,
        /// Where to.
        into: RegisterId,
    },
    /// Does nothing but let others go on, at the place before it: `sleep(0)`, or `await` of something outside.
    Yield,
    /// Fails the thread unless it holds; the others go on.
    Assert(Test),
    /// Goes on at another line if the test does not hold.
    Unless(Test, u8),
    /// Goes on at another line.
    Jump(u8),
}

impl Step {
    /// What kind of place lies behind it in Python: a call into C where it is one, else the next bytecode.
    #[must_use]
    pub const fn place_behind(&self) -> Operation {
        match self {
            Self::Acquire(_)
            | Self::TryAcquire { .. }
            | Self::AcquireWithin { .. }
            | Self::Release(_)
            | Self::Wait(_)
            | Self::Notify(..)
            | Self::Down(_)
            | Self::Up(_)
            | Self::Put(..)
            | Self::Get { .. }
            | Self::Add { .. }
            | Self::CompareAndSwap { .. } => Operation::AfterCallIntoC,
            Self::Read { .. }
            | Self::Set { .. }
            | Self::Write { .. }
            | Self::Yield
            | Self::Assert(_)
            | Self::Unless(..)
            | Self::Jump(_) => Operation::BetweenBytecodes,
        }
    }
}

/// A line: its step, and what kind of place lies before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// What it does.
    pub step: Step,
    /// What kind of place is before it: the table of switch points says under which grain another thread may come in
    /// there. None: nowhere, it belongs to the line before. What blocks lets others in before it under every grain.
    pub before: Option<Operation>,
}

impl Line {
    /// A line before which lies a place of this kind.
    #[must_use]
    pub const fn after(before: Operation, step: Step) -> Self {
        Self {
            step,
            before: Some(before),
        }
    }

    /// A line that belongs to the one before it: what it does is its thread's own business.
    #[must_use]
    pub const fn glued(step: Step) -> Self {
        Self { step, before: None }
    }
}

/// What one thread does, from its first line on. Threads with equal code are alike.
pub type ThreadCode = Vec<Line>;
