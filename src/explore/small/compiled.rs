//! A line made ready to run: what it names is replaced by where that lies, so that a step looks nothing up.
//!
//! Not here: running it.

use super::check::MOST_PRIMITIVES;
use super::flow::{Ahead, ahead};
use super::layout::{Layout, QueueBits, Shared};
use super::line::{Amount, CellId, ConditionId, LockId, Operand, QueueId, RegisterId, SemaphoreId, Step, Test};
use super::packed::{Field, Packed};
use super::phase::{Failure, Phase};
use super::program::{SmallProgram, Variable};
use super::rows::{Queues, Wanted};
use crate::switch_points::Grain;

/// A lock: its holder's bit in each thread's part.
#[derive(Clone, Copy, Debug)]
pub(super) struct LockBits<const WORDS: usize> {
    /// In a thread's own part.
    pub(super) own: u64,
    /// Of all threads, in a state.
    pub(super) all: [u64; WORDS],
}

impl<const WORDS: usize> LockBits<WORDS> {
    /// Whether somebody holds it, where one thread's part is taken out of the state.
    #[inline]
    pub(super) fn is_held(&self, own: u64, others: &Packed<WORDS>) -> bool {
        own & self.own != 0 || others.has_any(&self.all)
    }
}

/// [`Operand`]
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    Number(i64),
    Register(Field, i64),
}

impl Value {
    #[inline]
    pub(super) const fn of(self, own: u64) -> i64 {
        match self {
            Self::Number(number) => number,
            Self::Register(field, more) => field.value(own) + more,
        }
    }
}

/// [`Test`], of which two kinds are the other two the other way round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub(super) one: Value,
    pub(super) other: Value,
    pub(super) asks_less: bool,
    /// What it has to be for the test to hold.
    pub(super) wanted: bool,
}

impl Question {
    #[inline]
    pub(super) const fn holds(&self, own: u64) -> bool {
        let (one, other) = (self.one.of(own), self.other.of(own));
        let is_so = if self.asks_less { one < other } else { one == other };
        is_so == self.wanted
    }
}

/// [`Step`]
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation<const WORDS: usize> {
    Read(Shared, Field),
    Set(Value, Field),
    Write(Value, Shared),
    Add(i64, Shared),
    CompareAndSwap {
        cell: Shared,
        expected: Value,
        new: Value,
        into: Field,
    },
    Acquire(LockBits<WORDS>),
    /// With a time-out or without: while the lock is held, both go on without it.
    TryAcquire(LockBits<WORDS>, Field),
    /// Of a task: takes it if it is free and nobody waits for it, else joins those who do.
    Queue(Wanted<WORDS>, Queues),
    Release(LockBits<WORDS>),
    Wait(ConditionId, LockBits<WORDS>),
    Notify(ConditionId, Amount, LockBits<WORDS>),
    Down(Shared),
    Up(Shared),
    Put(QueueBits, Value),
    Get(QueueBits, Field),
    Nothing,
    Assert(Question),
    Unless(Question, u8),
    Jump(u8),
    /// Behind the last line.
    End,
}

/// What a line waits for before it starts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gate<const WORDS: usize> {
    Open,
    Lock(LockBits<WORDS>),
    /// It can always start, but comes to a lock that is held only to wait a while: others may come in before it.
    LockForAWhile(LockBits<WORDS>),
    Semaphore(Shared),
    Room(QueueBits),
    Something(QueueBits),
    /// The end.
    Closed,
}

impl<const WORDS: usize> Gate<WORDS> {
    /// Whether the line would block, where one thread's part is taken out of the state.
    #[inline]
    pub(super) fn blocks(&self, own: u64, others: &Packed<WORDS>) -> bool {
        match self {
            Self::Open | Self::LockForAWhile(_) => false,
            Self::Lock(lock) => lock.is_held(own, others),
            Self::Semaphore(at) => at.field.raw(others.word(at.word)) == 0,
            Self::Room(queue) => queue.length.raw(others.word(queue.word)) == queue.length.span,
            Self::Something(queue) => queue.length.raw(others.word(queue.word)) == 0,
            Self::Closed => true,
        }
    }

    /// Whether a step ends before the line, whatever place lies there, because it would wait.
    #[inline]
    pub(super) fn waits(&self, own: u64, others: &Packed<WORDS>) -> bool {
        match self {
            Self::LockForAWhile(lock) => lock.is_held(own, others),
            gate => gate.blocks(own, others),
        }
    }
}

/// A line, or the end.
#[derive(Clone, Debug)]
pub(super) struct Compiled<const WORDS: usize> {
    pub(super) operation: Operation<WORDS>,
    pub(super) gate: Gate<WORDS>,
    /// Whether others may come in before it.
    pub(super) lets_in: bool,
    /// In which row a task stands that is queued inside this line: a number for each lock and semaphore.
    pub(super) row: Option<u8>,
    /// All bits of a thread's part but its dead registers.
    pub(super) keep: u64,
    pub(super) ahead: Ahead,
}

/// Looks up where things lie; the program was checked.
pub(super) struct Compiler<'a, const WORDS: usize> {
    pub(super) program: &'a SmallProgram,
    pub(super) layout: &'a Layout,
}

const IS_CHECKED: &str = "every id of a checked program names something";

impl<const WORDS: usize> Compiler<'_, WORDS> {
    /// A thread's lines, and its end.
    pub(super) fn code(&self, code: &[super::line::Line]) -> Vec<Compiled<WORDS>> {
        let lines = code.iter().map(|line| {
            let lets_in = line.before.is_some_and(|place| self.program.grain.may_switch(place));
            (
                self.operation(line.step),
                self.gate(line.step),
                lets_in,
                self.row(line.step),
            )
        });
        lines
            .chain([(Operation::End, Gate::Closed, true, None)])
            .zip(ahead(self.program, code))
            .map(|((operation, gate, lets_in, row), ahead)| Compiled {
                operation,
                gate,
                lets_in,
                row,
                keep: self.layout.own & !self.dead(ahead.live),
                ahead,
            })
            .collect()
    }

    fn dead(&self, live: u32) -> u64 {
        let registers = (0_u32..).zip(&self.layout.registers);
        registers
            .filter(|(id, _)| live >> id & 1 == 0)
            .fold(0, |dead, (_, field)| dead | field.bits())
    }

    /// Whether locks and semaphores go to whoever has waited longest, as `asyncio`'s do.
    fn is_fair(&self) -> bool {
        is_fair(self.program)
    }

    /// Locks first, then semaphores.
    fn row(&self, step: Step) -> Option<u8> {
        let lock = match step {
            _ if !self.is_fair() => return None,
            Step::Acquire(lock) | Step::TryAcquire { lock, .. } | Step::AcquireWithin { lock, .. } => lock,
            Step::Wait(ConditionId(id)) => self.program.conditions.get(usize::from(id)).expect(IS_CHECKED).lock,
            Step::Down(SemaphoreId(id)) => return u8::try_from(MOST_PRIMITIVES).ok().map(|locks| locks + id),
            _ => return None,
        };
        Some(lock.0)
    }

    fn gate(&self, step: Step) -> Gate<WORDS> {
        match step {
            // Who would have to wait does so inside the line.
            Step::Acquire(_) | Step::AcquireWithin { .. } | Step::Down(_) if self.is_fair() => Gate::Open,
            Step::Acquire(lock) => Gate::Lock(self.lock(lock)),
            Step::AcquireWithin { lock, .. } => Gate::LockForAWhile(self.lock(lock)),
            Step::Down(semaphore) => Gate::Semaphore(self.semaphore(semaphore)),
            Step::Put(queue, _) => Gate::Room(self.queue(queue)),
            Step::Get { queue, .. } => Gate::Something(self.queue(queue)),
            _ => Gate::Open,
        }
    }

    fn operation(&self, step: Step) -> Operation<WORDS> {
        let lock = |lock| Wanted::Lock(self.lock(lock));
        match step {
            Step::Acquire(id) if self.is_fair() => Operation::Queue(lock(id), Queues::Patiently),
            Step::TryAcquire { lock: id, into } if self.is_fair() => {
                Operation::Queue(lock(id), Queues::UnlessHeld(self.register(into)))
            }
            Step::AcquireWithin { lock: id, into } if self.is_fair() => {
                Operation::Queue(lock(id), Queues::ForAWhile(self.register(into)))
            }
            Step::Down(id) if self.is_fair() => {
                Operation::Queue(Wanted::Semaphore(self.semaphore(id)), Queues::Patiently)
            }
            Step::Read { cell, into } => Operation::Read(self.cell(cell), self.register(into)),
            Step::Set { into, value } => Operation::Set(self.value(value), self.register(into)),
            Step::Write { cell, value } => Operation::Write(self.value(value), self.cell(cell)),
            Step::Add { cell, amount } => Operation::Add(amount.into(), self.cell(cell)),
            Step::CompareAndSwap {
                cell,
                expected,
                new,
                into,
            } => Operation::CompareAndSwap {
                cell: self.cell(cell),
                expected: self.value(expected),
                new: self.value(new),
                into: self.register(into),
            },
            Step::Acquire(lock) => Operation::Acquire(self.lock(lock)),
            Step::TryAcquire { lock, into } | Step::AcquireWithin { lock, into } => {
                Operation::TryAcquire(self.lock(lock), self.register(into))
            }
            Step::Release(lock) => Operation::Release(self.lock(lock)),
            Step::Wait(condition) => Operation::Wait(condition, self.lock_of(condition)),
            Step::Notify(condition, amount) => Operation::Notify(condition, amount, self.lock_of(condition)),
            Step::Down(semaphore) => Operation::Down(self.semaphore(semaphore)),
            Step::Up(semaphore) => Operation::Up(self.semaphore(semaphore)),
            Step::Put(queue, value) => Operation::Put(self.queue(queue), self.value(value)),
            Step::Get { queue, into } => Operation::Get(self.queue(queue), self.register(into)),
            Step::Yield => Operation::Nothing,
            Step::Assert(test) => Operation::Assert(self.question(test)),
            Step::Unless(test, to) => Operation::Unless(self.question(test), to),
            Step::Jump(to) => Operation::Jump(to),
        }
    }

    fn question(&self, test: Test) -> Question {
        let (one, other) = test.operands();
        let (asks_less, wanted) = match test {
            Test::Equal(..) => (false, true),
            Test::NotEqual(..) => (false, false),
            Test::Less(..) => (true, true),
            Test::AtLeast(..) => (true, false),
        };
        Question {
            one: self.value(one),
            other: self.value(other),
            asks_less,
            wanted,
        }
    }

    fn value(&self, operand: Operand) -> Value {
        match operand {
            Operand::Number(number) => Value::Number(number.into()),
            Operand::Register(id, more) => Value::Register(self.register(id), more.into()),
        }
    }

    fn register(&self, RegisterId(id): RegisterId) -> Field {
        *self.layout.registers.get(usize::from(id)).expect(IS_CHECKED)
    }

    fn cell(&self, CellId(id): CellId) -> Shared {
        *self.layout.cells.get(usize::from(id)).expect(IS_CHECKED)
    }

    fn semaphore(&self, SemaphoreId(id): SemaphoreId) -> Shared {
        *self.layout.semaphores.get(usize::from(id)).expect(IS_CHECKED)
    }

    fn queue(&self, QueueId(id): QueueId) -> QueueBits {
        *self.layout.queues.get(usize::from(id)).expect(IS_CHECKED)
    }

    fn lock_of(&self, ConditionId(id): ConditionId) -> LockBits<WORDS> {
        let condition = self.program.conditions.get(usize::from(id)).expect(IS_CHECKED);
        self.lock(condition.lock)
    }

    pub(super) fn lock(&self, LockId(id): LockId) -> LockBits<WORDS> {
        let own = self.layout.held.get(usize::from(id)).expect(IS_CHECKED).bits();
        let mut all = Packed([0; WORDS]);
        for slot in &self.layout.slots {
            *all.word_mut(slot.word) |= own << slot.shift;
        }
        LockBits { own, all: all.0 }
    }

    /// The state in which it begins: at the first line, everything at its first value, dead registers zeroed.
    pub(super) fn start(&self, keeps: impl Iterator<Item = u64>) -> Packed<WORDS> {
        let mut state = Packed([0; WORDS]);
        for (slot, keep) in self.layout.slots.iter().zip(keeps) {
            let mut own = 0;
            for (field, variable) in self.layout.registers.iter().zip(&self.program.registers) {
                if field.mask != 0 {
                    field.set_raw(&mut own, first(variable));
                }
            }
            *state.word_mut(slot.word) |= (own & keep) << slot.shift;
        }
        for (at, variable) in self.layout.cells.iter().zip(&self.program.cells) {
            at.field.set_raw(state.word_mut(at.word), first(variable));
        }
        for (at, semaphore) in self.layout.semaphores.iter().zip(&self.program.semaphores) {
            at.field.set_raw(state.word_mut(at.word), semaphore.first.into());
        }
        state
    }
}

fn first(variable: &Variable) -> u64 {
    (i64::from(variable.first) - i64::from(variable.least)).unsigned_abs()
}

/// Whether locks and semaphores of a program go to whoever has waited longest: those of tasks do.
pub(super) fn is_fair(program: &SmallProgram) -> bool {
    program.grain == Grain::Await
}

/// What number each phase has; one that cannot be is never asked for.
pub(super) fn phase_number(phases: &[Phase], phase: Phase) -> u64 {
    let at = phases.iter().position(|one| *one == phase);
    at.expect("a step that can lead to a phase puts it on the program's list") as u64
}

/// As [`phase_number`], of a failure.
pub(super) fn failure_number(phases: &[Phase], failure: Failure) -> u64 {
    phase_number(phases, Phase::Failed(failure))
}
