//! Tasks that queue for a lock or a semaphore, as `asyncio` has it: who comes first has it first, and one that comes while
//! others wait waits behind them, even if it is free.
//!
//! Worked example: A has the lock, B and C wait inside their lines with tickets 0 and 1. A releases it and asks for it
//! again at once: it has ticket 2. B can go on, and nobody else; C then has ticket 0, and A 1.
//!
//! Not here: threads, which queue for nothing, and waiting for a notification.

use super::check::MOST_THREADS;
use super::compiled::{Compiled, LockBits, Operation};
use super::layout::{Shared, Slot};
use super::packed::{Field, Packed};
use super::phase::Phase;
use super::prepared::SmallSystem;

/// What tasks queue for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<const WORDS: usize> {
    Lock(LockBits<WORDS>),
    Semaphore(Shared),
}

/// How a task queues.
#[derive(Clone, Copy, Debug)]
pub(super) enum Queues {
    /// As long as it takes.
    Patiently,
    /// Not behind somebody who holds it: it looks whether it is locked first. Then it tells that it has it.
    UnlessHeld(Field),
    /// It gives up after a while, and tells whether it has it.
    ForAWhile(Field),
}

impl<const WORDS: usize> Wanted<WORDS> {
    #[inline]
    pub(super) fn is_free(&self, own: u64, others: &Packed<WORDS>) -> bool {
        match self {
            Self::Lock(lock) => !lock.is_held(own, others),
            Self::Semaphore(at) => at.field.raw(others.word(at.word)) > 0,
        }
    }

    /// Takes it, when it is free.
    pub(super) fn take(&self, own: &mut u64, others: &mut Packed<WORDS>) {
        match self {
            Self::Lock(lock) => *own |= lock.own,
            Self::Semaphore(at) => {
                let word = others.word_mut(at.word);
                at.field.set_raw(word, at.field.raw(*word) - 1);
            }
        }
    }
}

/// What came of going on inside a line.
pub(super) enum Inside {
    /// The line is over.
    Ends,
    /// The wait for a notification is over.
    EndsWait,
    /// It waits on, in a row now.
    Queues,
    /// There is no room for the answer.
    Fails,
}

impl<const WORDS: usize> SmallSystem<WORDS> {
    /// How a thread that is inside its line goes on: it was notified, or it is its turn in a row, or it gives up.
    #[cold]
    pub(super) fn go_on_inside(&self, line: &Compiled<WORDS>, own: &mut u64, others: &mut Packed<WORDS>) -> Inside {
        let is_queued = self.phase(*own) == Phase::Queued;
        match &line.operation {
            Operation::Wait(_, lock) => {
                if is_queued {
                    self.leave_row(line, own, others);
                } else if line.row.is_some() && (lock.is_held(*own, others) || self.row(others, line.row) > 0) {
                    self.join_row(line, own, others);
                    return Inside::Queues;
                }
                *own |= lock.own;
                Inside::EndsWait
            }
            Operation::Queue(wanted, queues) => {
                // In a while it may be another's still; it then gives up.
                let is_mine = wanted.is_free(*own, others);
                self.leave_row(line, own, others);
                if self.answer(*queues, own, is_mine) {
                    if is_mine {
                        wanted.take(own, others);
                    }
                    Inside::Ends
                } else {
                    Inside::Fails
                }
            }
            _ => Inside::Ends,
        }
    }

    /// A task comes to a line that takes something: whether there is room for the answer; nothing if it queues.
    #[cold]
    pub(super) fn queue(
        &self,
        line: &Compiled<WORDS>,
        wanted: &Wanted<WORDS>,
        queues: Queues,
        own: &mut u64,
        others: &mut Packed<WORDS>,
    ) -> Option<bool> {
        let is_free = wanted.is_free(*own, others);
        let is_answered = match queues {
            Queues::UnlessHeld(_) if !is_free => self.answer(queues, own, false),
            _ if is_free && self.row(others, line.row) == 0 => {
                let is_kept = self.answer(queues, own, true);
                if is_kept {
                    wanted.take(own, others);
                }
                is_kept
            }
            _ => {
                self.join_row(line, own, others);
                return None;
            }
        };
        Some(is_answered)
    }

    /// Tells whether it has it, where the line asks; false if the register has no room for that.
    fn answer(&self, queues: Queues, own: &mut u64, is_mine: bool) -> bool {
        match queues {
            Queues::Patiently => true,
            Queues::UnlessHeld(into) | Queues::ForAWhile(into) => into.set(own, is_mine.into()),
        }
    }

    /// How many stand in a row, except one whose part is taken out.
    fn row(&self, state: &Packed<WORDS>, row: Option<u8>) -> u64 {
        self.queued(state, row).count() as u64
    }

    fn queued(&self, state: &Packed<WORDS>, row: Option<u8>) -> impl Iterator<Item = (Slot, u64)> {
        let parts = self.threads.iter().map(|thread| (thread, self.own(state, thread.slot)));
        parts
            .filter(move |(thread, own)| {
                self.phase(*own) == Phase::Queued && self.line(thread, self.place(*own)).row == row
            })
            .map(|(thread, own)| (thread.slot, own))
    }

    fn join_row(&self, line: &Compiled<WORDS>, own: &mut u64, others: &Packed<WORDS>) {
        self.layout.ticket.set_raw(own, self.row(others, line.row));
        self.set_phase(own, Phase::Queued);
    }

    /// Those behind it move up.
    fn leave_row(&self, line: &Compiled<WORDS>, own: &mut u64, others: &mut Packed<WORDS>) {
        let ticket = self.layout.ticket.raw(*own);
        self.layout.ticket.set_raw(own, 0);
        let mut behind = [None; MOST_THREADS];
        for (place, other) in behind.iter_mut().zip(self.queued(others, line.row)) {
            *place = Some(other);
        }
        for (slot, other) in behind.into_iter().flatten() {
            let before = self.layout.ticket.raw(other);
            if before > ticket {
                let mut other = self.take(others, slot);
                self.layout.ticket.set_raw(&mut other, before - 1);
                *others.word_mut(slot.word) |= other << slot.shift;
            }
        }
    }
}
