//! What may still happen in a thread's code from each of its lines on, by one backward pass repeated until it rests:
//! which registers are still read before they are written, and which primitives it may still set free.
//!
//! Worked example: in `r = x; x = r + 1` the register lives from the second line to its end, and nowhere else; so two
//! states that differ by what a finished thread last had in it are one state.
//!
//! Not here: what any of it is good for.

use super::line::{ConditionId, LockId, Operand, QueueId, RegisterId, SemaphoreId, Step};
use super::program::SmallProgram;

/// Sets of bits for one place in the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ahead {
    /// Registers that are read before they are written, by their ids.
    pub(super) live: u32,
    /// What may be done sooner or later, by [`Help`].
    pub(super) helps: u64,
    /// Locks that may be released before they are asked for: its own, or another's.
    pub(super) frees: u32,
}

/// What one thread can do for another that is blocked.
#[derive(Clone, Copy)]
pub(super) enum Help {
    Release(LockId),
    Notify(ConditionId),
    Up(SemaphoreId),
    Put(QueueId),
    Get(QueueId),
}

impl Help {
    pub(super) const fn bit(self) -> u64 {
        let (kind, id) = match self {
            Self::Release(LockId(id)) => (0, id),
            Self::Notify(ConditionId(id)) => (1, id),
            Self::Up(SemaphoreId(id)) => (2, id),
            Self::Put(QueueId(id)) => (3, id),
            Self::Get(QueueId(id)) => (4, id),
        };
        1 << (kind * 8 + id)
    }
}

/// One entry for each line and one for the end.
pub(super) fn ahead(program: &SmallProgram, code: &[super::line::Line]) -> Vec<Ahead> {
    let mut places = vec![Ahead::default(); code.len() + 1];
    let place = |places: &[Ahead], at: usize| places.get(at).copied().unwrap_or_default();
    loop {
        let mut has_changed = false;
        for (at, line) in code.iter().enumerate().rev() {
            let (goes_on, jumps) = match line.step {
                Step::Jump(to) => (Ahead::default(), place(&places, to.into())),
                Step::Unless(_, to) => (place(&places, at + 1), place(&places, to.into())),
                _ => (place(&places, at + 1), Ahead::default()),
            };
            let then = Ahead {
                live: goes_on.live | jumps.live,
                helps: goes_on.helps | jumps.helps,
                frees: goes_on.frees | jumps.frees,
            };
            let now = before(program, line.step, then);
            if let Some(known) = places.get_mut(at)
                && *known != now
            {
                *known = now;
                has_changed = true;
            }
        }
        if !has_changed {
            return places;
        }
    }
}

fn before(program: &SmallProgram, step: Step, then: Ahead) -> Ahead {
    let (reads, writes) = registers(step);
    let (helps, frees) = match step {
        Step::Release(lock) => (Help::Release(lock).bit(), then.frees | 1 << lock.0),
        Step::Acquire(lock) | Step::TryAcquire { lock, .. } | Step::AcquireWithin { lock, .. } => {
            (0, then.frees & !(1 << lock.0))
        }
        Step::Wait(condition) => {
            let lock = program
                .conditions
                .get(usize::from(condition.0))
                .map_or(LockId(0), |one| one.lock);
            (Help::Release(lock).bit(), then.frees & !(1 << lock.0))
        }
        Step::Notify(condition, _) => (Help::Notify(condition).bit(), then.frees),
        Step::Up(semaphore) => (Help::Up(semaphore).bit(), then.frees),
        Step::Put(queue, _) => (Help::Put(queue).bit(), then.frees),
        Step::Get { queue, .. } => (Help::Get(queue).bit(), then.frees),
        _ => (0, then.frees),
    };
    Ahead {
        live: then.live & !writes | reads,
        helps: then.helps | helps,
        frees,
    }
}

/// The registers that a step reads, and those that it writes.
pub(super) fn registers(step: Step) -> (u32, u32) {
    let bit = |RegisterId(id): RegisterId| 1_u32 << id;
    let operand = |operand: Operand| match operand {
        Operand::Number(_) => 0,
        Operand::Register(id, _) => bit(id),
    };
    match step {
        Step::Read { into, .. }
        | Step::TryAcquire { into, .. }
        | Step::AcquireWithin { into, .. }
        | Step::Get { into, .. } => (0, bit(into)),
        Step::Set { into, value } => (operand(value), bit(into)),
        Step::Write { value, .. } | Step::Put(_, value) => (operand(value), 0),
        Step::CompareAndSwap {
            expected, new, into, ..
        } => (operand(expected) | operand(new), bit(into)),
        Step::Assert(test) | Step::Unless(test, _) => {
            let (one, other) = test.operands();
            (operand(one) | operand(other), 0)
        }
        Step::Add { .. }
        | Step::Acquire(_)
        | Step::Release(_)
        | Step::Wait(_)
        | Step::Notify(..)
        | Step::Down(_)
        | Step::Up(_)
        | Step::Yield
        | Step::Jump(_) => (0, 0),
    }
}
