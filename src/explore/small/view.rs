//! A state for a reader: each thread, its registers and why it is blocked, and whatever is shared.
//!
//! Data alone, with the names that the program gives. Not here: sentences, which a lab says in its reader's language.

use super::layout::{QueueBits, Shared};
use super::line::{CellId, ConditionId, LockId};
use super::packed::{Packed, ones};
use super::phase::{Failure, Phase};
use super::prepared::SmallSystem;
use super::waits::Reason;
use crate::explore::system::{System, Thread};

/// A name and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// As the program calls it.
    pub name: &'static str,
    /// Its value.
    pub value: i32,
}

/// What a thread is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Its line is next.
    Next,
    /// It was notified and has only to take the lock, which is free.
    Wakes(ConditionId),
    /// It cannot go on.
    Blocked(Reason),
    /// It came to its end.
    Done,
    /// It failed at its line.
    Failed(Failure),
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadView {
    /// Which.
    pub thread: Thread,
    /// Its line, from 0: the next one, or the one that it is inside of or failed at. The number of its lines when done.
    pub line: u8,
    /// What it is at.
    pub doing: Doing,
    /// The registers that it still needs.
    pub registers: Vec<Named>,
}

/// A lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockView {
    /// As the program calls it.
    pub name: &'static str,
    /// Who holds it.
    pub holder: Option<Thread>,
    /// Who cannot go on without it, in no order: whoever is asked first takes it.
    pub wanted_by: Vec<Thread>,
    /// The cells that it is meant to protect.
    pub protects: Vec<CellId>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionView {
    /// As the program calls it.
    pub name: &'static str,
    /// Its lock.
    pub lock: LockId,
    /// Who waits for a notification, the longest first.
    pub waiters: Vec<Thread>,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// As the program calls it.
    pub name: &'static str,
    /// How many it holds at most.
    pub capacity: u8,
    /// What it holds, the first first.
    pub content: Vec<u16>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// All threads.
    pub threads: Vec<ThreadView>,
    /// All cells.
    pub cells: Vec<Named>,
    /// All locks.
    pub locks: Vec<LockView>,
    /// All conditions.
    pub conditions: Vec<ConditionView>,
    /// All semaphores, and at what they stand.
    pub semaphores: Vec<Named>,
    /// All queues.
    pub queues: Vec<QueueView>,
}

const IS_SMALL: &str = "it is between two numbers of 32 bits";

impl<const WORDS: usize> SmallSystem<WORDS> {
    /// A state for a reader.
    #[must_use]
    pub fn view(&self, state: &Packed<WORDS>) -> View {
        let threads: Vec<ThreadView> = (0..self.n_threads())
            .map(|thread| self.view_thread(state, Thread(thread)))
            .collect();
        let shared = |name: &'static str, at: &Shared| Named {
            name,
            value: i32::try_from(at.field.value(state.word(at.word))).expect(IS_SMALL),
        };
        let (program, layout) = (&self.program, &self.layout);
        let cells = program.cells.iter().zip(&layout.cells);
        let semaphores = program.semaphores.iter().zip(&layout.semaphores);
        let wants = |thread: &&ThreadView, wanted: LockId| match thread.doing {
            Doing::Blocked(Reason::Lock { lock, .. } | Reason::LockAfterNotification { lock, .. }) => lock == wanted,
            _ => false,
        };
        let locks = (0..).map(LockId).zip(&program.locks).map(|(id, lock)| LockView {
            name: lock.name,
            holder: self.holder(state, id),
            wanted_by: threads
                .iter()
                .filter(|thread| wants(thread, id))
                .map(|thread| thread.thread)
                .collect(),
            protects: lock.protects.clone(),
        });
        let conditions = (0..).map(ConditionId).zip(&program.conditions);
        let conditions = conditions.map(|(id, condition)| ConditionView {
            name: condition.name,
            lock: condition.lock,
            waiters: self.waiters_in_order(state, id),
        });
        let queues = program.queues.iter().zip(&layout.queues);
        View {
            cells: cells.map(|(cell, at)| shared(cell.name, at)).collect(),
            locks: locks.collect(),
            conditions: conditions.collect(),
            semaphores: semaphores.map(|(one, at)| shared(one.name, at)).collect(),
            queues: queues
                .map(|(queue, at)| QueueView {
                    name: queue.name,
                    capacity: queue.capacity,
                    content: content(at, state.word(at.word)),
                })
                .collect(),
            threads,
        }
    }

    fn view_thread(&self, state: &Packed<WORDS>, thread: Thread) -> ThreadView {
        let runner = self.runner(thread);
        let own = self.own(state, runner.slot);
        let place = self.place(own);
        let line = u8::try_from(place).expect("a checked program has few lines");
        let blocked = self.blocked(state, thread).map(Doing::Blocked);
        let doing = match self.phase(own) {
            Phase::Failed(failure) => Doing::Failed(failure),
            _ if self.has_ended(state, thread) => Doing::Done,
            Phase::Ready => blocked.unwrap_or(Doing::Next),
            Phase::Waiting | Phase::Notified | Phase::Queued => blocked.unwrap_or_else(|| self.wakes(thread, place)),
        };
        let live = match doing {
            Doing::Failed(_) | Doing::Done => 0,
            _ => self.line(runner, place).ahead.live,
        };
        let registers = (0_u32..).zip(self.program.registers.iter().zip(&self.layout.registers));
        let registers = registers
            .filter(|(id, _)| live >> id & 1 == 1)
            .map(|(_, (register, field))| Named {
                name: register.name,
                value: i32::try_from(field.value(own)).expect(IS_SMALL),
            })
            .collect();
        ThreadView {
            thread,
            line,
            doing,
            registers,
        }
    }

    fn waiters_in_order(&self, state: &Packed<WORDS>, condition: ConditionId) -> Vec<Thread> {
        let threads = (0..).map(Thread).zip(&self.threads);
        let mut waiters: Vec<(u64, Thread)> = threads
            .map(|(thread, runner)| (thread, runner, self.own(state, runner.slot)))
            .filter(|(_, runner, own)| self.waits_inside(runner, *own) == Some(condition))
            .map(|(thread, _, own)| (self.layout.ticket.raw(own), thread))
            .collect();
        waiters.sort_unstable();
        waiters.into_iter().map(|(_, thread)| thread).collect()
    }

    fn wakes(&self, thread: Thread, place: usize) -> Doing {
        use super::line::Step;
        let code = self.program.threads.get(thread.index());
        match code.and_then(|code| code.get(place)).map(|line| line.step) {
            Some(Step::Wait(condition)) => Doing::Wakes(condition),
            _ => Doing::Next,
        }
    }
}

fn content(queue: &QueueBits, word: u64) -> Vec<u16> {
    let all = queue.content.raw(word);
    let n_numbers = queue.length.raw(word) as u32;
    (0..n_numbers)
        .map(|at| all >> (at * queue.bits_each) & ones(queue.bits_each))
        .map(|number| u16::try_from(number).expect("no queue holds larger numbers"))
        .collect()
}
