//! A small program as a system to explore: packed states, and steps that look nothing up and allocate nothing.
//!
//! A line that would block is not started: nobody queues for a lock, so whoever is asked first takes it, which allows
//! every order that a real lock could choose. Only a wait for a notification is something that a thread is inside.
//!
//! A loop without any place where another may come in is one step; it ends after [`MOST_LINES`] with a failure.
//!
//! Not here: what a blocked thread waits for, and how a state looks to a reader.

use super::check::{MOST_THREADS, Problem, check};
use super::compiled::{Compiled, Compiler, LockBits, Operation, failure_number, phase_number};
use super::ending::{Ending, Short};
use super::layout::{Layout, QueueBits, Slot, jumps_back};
use super::line::{Amount, ConditionId};
use super::packed::{Packed, ones};
use super::phase::{Failure, MOST_LINES, Phase};
use super::program::SmallProgram;
use crate::explore::system::{System, Thread, Threads};

/// One thread: where its part of a state lies, and where its code begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runner {
    pub(super) slot: Slot,
    /// Its first line among all.
    pub(super) code: usize,
    /// The first thread with the same code: itself, if there is none before it.
    pub(super) like: Thread,
}

/// A checked program whose states fit into so many words.
#[derive(Clone, Debug)]
pub struct SmallSystem<const WORDS: usize> {
    pub(super) program: SmallProgram,
    pub(super) layout: Layout,
    pub(super) lines: Vec<Compiled<WORDS>>,
    pub(super) threads: Vec<Runner>,
    pub(super) locks: Vec<LockBits<WORDS>>,
    /// Where the parts of alike threads lie, one list for each kind of which there are two or more.
    alike: Vec<Vec<Slot>>,
    start: Packed<WORDS>,
}

/// A checked program in as few words as it needs.
#[derive(Clone, Debug)]
pub enum AnySystem {
    /// A state is one word: most programs, and the fastest.
    One(SmallSystem<1>),
    /// A state is up to four words.
    Four(SmallSystem<4>),
}

impl AnySystem {
    /// Checks a program and makes it ready to run.
    ///
    /// # Errors
    ///
    /// What is wrong with the program.
    pub fn new(program: SmallProgram) -> Result<Self, Problem> {
        match words_needed(&program)? {
            0 | 1 => SmallSystem::new(program).map(Self::One),
            _ => SmallSystem::new(program).map(Self::Four),
        }
    }
}

/// How many words of 64 bits a state of this program takes.
///
/// # Errors
///
/// What is wrong with the program.
pub fn words_needed(program: &SmallProgram) -> Result<usize, Problem> {
    check(program)?;
    Layout::of(program).map(|layout| layout.words)
}

/// What a line did.
enum Flow {
    Next,
    To(u8),
    /// It waits inside the line.
    Waits,
    Fails(Failure),
}

const IS_THERE: &str = "a thread is one of the program's, and stands at one of its lines";

impl<const WORDS: usize> SmallSystem<WORDS> {
    /// Checks a program and makes it ready to run.
    ///
    /// # Errors
    ///
    /// What is wrong with the program, or that its states need more words.
    pub fn new(program: SmallProgram) -> Result<Self, Problem> {
        check(&program)?;
        let layout = Layout::of(&program)?;
        if layout.words > WORDS {
            return Err(Problem::TooLarge(layout.words));
        }
        let compiler = Compiler {
            program: &program,
            layout: &layout,
        };
        let mut lines: Vec<Compiled<WORDS>> = Vec::new();
        let mut threads: Vec<Runner> = Vec::new();
        let mut keeps = Vec::new();
        for ((thread, code), slot) in (0..).map(Thread).zip(&program.threads).zip(&layout.slots) {
            let twin = program.threads.iter().zip(&threads).find(|(other, _)| *other == code);
            let runner = match twin {
                Some((_, twin)) => Runner { slot: *slot, ..*twin },
                None => Runner {
                    slot: *slot,
                    code: lines.len(),
                    like: thread,
                },
            };
            if twin.is_none() {
                lines.extend(compiler.code(code));
            }
            keeps.push(lines.get(runner.code).expect("every code has an end at least").keep);
            threads.push(runner);
        }
        let locks = (0..)
            .zip(&program.locks)
            .map(|(id, _)| compiler.lock(super::line::LockId(id)))
            .collect();
        let start = compiler.start(keeps.into_iter());
        let kinds = threads.iter().map(|kind| {
            let alike = threads.iter().filter(|thread| thread.like == kind.like);
            alike.map(|thread| thread.slot).collect::<Vec<_>>()
        });
        let mut alike: Vec<Vec<Slot>> = kinds.filter(|slots| slots.len() > 1).collect();
        alike.sort_unstable();
        alike.dedup();
        Ok(Self {
            layout,
            lines,
            threads,
            locks,
            alike,
            start,
            program,
        })
    }

    /// The program.
    #[must_use]
    pub const fn program(&self) -> &SmallProgram {
        &self.program
    }

    #[inline]
    pub(super) fn runner(&self, thread: Thread) -> &Runner {
        self.threads.get(thread.index()).expect(IS_THERE)
    }

    #[inline]
    pub(super) fn own(&self, state: &Packed<WORDS>, slot: Slot) -> u64 {
        state.word(slot.word) >> slot.shift & self.layout.own
    }

    /// Takes a thread's part out of a state: what stays are the others.
    #[inline]
    fn take(&self, state: &mut Packed<WORDS>, slot: Slot) -> u64 {
        let word = state.word_mut(slot.word);
        let own = *word >> slot.shift & self.layout.own;
        *word ^= own << slot.shift;
        own
    }

    /// A thread's line in its code, from 0; the number of its lines at its end.
    #[inline]
    pub(super) const fn place(&self, own: u64) -> usize {
        self.layout.place.raw(own) as usize
    }

    #[inline]
    pub(super) fn line(&self, runner: &Runner, place: usize) -> &Compiled<WORDS> {
        self.lines.get(runner.code + place).expect(IS_THERE)
    }

    pub(super) fn phase(&self, own: u64) -> Phase {
        let number = self.layout.phase.raw(own) as usize;
        *self.layout.phases.get(number).expect("no other phase is ever set")
    }

    fn set_phase(&self, own: &mut u64, phase: Phase) {
        self.layout.phase.set_raw(own, phase_number(&self.layout.phases, phase));
    }

    /// The condition whose notification a thread waits for.
    pub(super) fn waits_inside(&self, runner: &Runner, own: u64) -> Option<ConditionId> {
        match (self.phase(own), &self.line(runner, self.place(own)).operation) {
            (Phase::Waiting, Operation::Wait(condition, _)) => Some(*condition),
            _ => None,
        }
    }

    /// Those who wait for a notification, with their parts, except one whose part is taken out.
    fn waiters(&self, state: &Packed<WORDS>, condition: ConditionId) -> impl Iterator<Item = (Slot, u64)> {
        let parts = self.threads.iter().map(|thread| (thread, self.own(state, thread.slot)));
        parts
            .filter(move |(thread, own)| self.waits_inside(thread, *own) == Some(condition))
            .map(|(thread, own)| (thread.slot, own))
    }

    fn notify(&self, state: &mut Packed<WORDS>, condition: ConditionId, amount: Amount) {
        let mut waiters = [None; MOST_THREADS];
        for (place, waiter) in waiters.iter_mut().zip(self.waiters(state, condition)) {
            *place = Some(waiter);
        }
        for (slot, _) in waiters.into_iter().flatten() {
            let mut own = self.take(state, slot);
            match self.layout.ticket.raw(own) {
                ticket if ticket > 0 && amount == Amount::One => self.layout.ticket.set_raw(&mut own, ticket - 1),
                _ => {
                    self.layout.ticket.set_raw(&mut own, 0);
                    self.set_phase(&mut own, Phase::Notified);
                }
            }
            *state.word_mut(slot.word) |= own << slot.shift;
        }
    }

    /// Runs one line that does not block. `own` is the thread's part, `others` the state without it.
    #[inline]
    fn run(&self, operation: &Operation<WORDS>, own: &mut u64, others: &mut Packed<WORDS>) -> Flow {
        let is_kept = match operation {
            Operation::Read(from, into) => into.set(own, from.field.value(others.word(from.word))),
            Operation::Set(value, into) => into.set(own, value.of(*own)),
            Operation::Write(value, to) => to.field.set(others.word_mut(to.word), value.of(*own)),
            Operation::Add(amount, to) => {
                let word = others.word_mut(to.word);
                to.field.set(word, to.field.value(*word) + amount)
            }
            Operation::CompareAndSwap {
                cell,
                expected,
                new,
                into,
            } => {
                let word = others.word_mut(cell.word);
                let is_expected = cell.field.value(*word) == expected.of(*own);
                // All or nothing: a register without room for the answer may not leave the cell changed.
                let (kept_word, new) = (*word, new.of(*own));
                let is_kept = (!is_expected || cell.field.set(word, new)) && into.set(own, is_expected.into());
                if !is_kept {
                    *word = kept_word;
                }
                is_kept
            }
            Operation::Acquire(lock) => {
                *own |= lock.own;
                true
            }
            Operation::TryAcquire(lock, into) => {
                let is_free = !lock.is_held(*own, others);
                let is_kept = into.set(own, is_free.into());
                if is_kept && is_free {
                    *own |= lock.own;
                }
                is_kept
            }
            Operation::Release(lock) => {
                if !lock.is_held(*own, others) {
                    return Flow::Fails(Failure::ReleasedFreeLock);
                }
                *own &= !lock.own;
                others.clear(&lock.all);
                true
            }
            Operation::Wait(condition, lock) => {
                if *own & lock.own == 0 {
                    return Flow::Fails(Failure::WaitedWithoutLock);
                }
                *own &= !lock.own;
                let ticket = self.waiters(others, *condition).count() as u64;
                self.layout.ticket.set_raw(own, ticket);
                self.set_phase(own, Phase::Waiting);
                return Flow::Waits;
            }
            Operation::Notify(condition, amount, lock) => {
                if *own & lock.own == 0 {
                    return Flow::Fails(Failure::NotifiedWithoutLock);
                }
                self.notify(others, *condition, *amount);
                true
            }
            Operation::Down(at) => {
                let word = others.word_mut(at.word);
                at.field.set(word, at.field.value(*word) - 1)
            }
            Operation::Up(at) => {
                let word = others.word_mut(at.word);
                at.field.set(word, at.field.value(*word) + 1)
            }
            Operation::Put(queue, value) => put(queue, value.of(*own), others.word_mut(queue.word)),
            Operation::Get(queue, into) => {
                let word = others.word_mut(queue.word);
                let is_kept = into.set(own, first_of(queue, *word));
                if is_kept {
                    remove_first(queue, word);
                }
                is_kept
            }
            Operation::Assert(question) if !question.holds(*own) => return Flow::Fails(Failure::Assertion),
            Operation::Unless(question, to) if !question.holds(*own) => return Flow::To(*to),
            Operation::Jump(to) => return Flow::To(*to),
            Operation::Nothing | Operation::Assert(_) | Operation::Unless(..) | Operation::End => true,
        };
        if is_kept {
            Flow::Next
        } else {
            Flow::Fails(Failure::OutOfRange)
        }
    }

    /// The lines that an enabled thread runs in its next step, in order; a loop's as often as they are run. The line that
    /// fails it is one of them, and so is a wait for a notification, once: when it begins.
    #[must_use]
    pub fn lines_of_step(&self, state: &Packed<WORDS>, thread: Thread) -> Vec<u8> {
        let (runner, mut others) = (self.runner(thread), *state);
        let mut own = self.take(&mut others, runner.slot);
        let mut lines = Vec::new();
        self.go_on(runner, &mut own, &mut others, |place| {
            lines.push(u8::try_from(place).expect("a checked program has few lines"));
        });
        lines
    }

    /// Runs from an enabled thread's line to where its step ends, and tells each line that is run.
    #[inline]
    fn go_on(&self, runner: &Runner, own: &mut u64, others: &mut Packed<WORDS>, mut runs: impl FnMut(usize)) {
        let mut place = self.place(*own);
        let mut line = self.line(runner, place);
        if self.layout.phase.raw(*own) != 0 {
            // Notified, or it would not be enabled: the wait ends with the lock.
            if let Operation::Wait(_, lock) = &line.operation {
                *own |= lock.own;
            }
            self.layout.phase.set_raw(own, 0);
            place += 1;
            line = self.line(runner, place);
            if line.lets_in || line.gate.blocks(*own, others) {
                self.layout.place.set_raw(own, place as u64);
                *own &= line.keep;
                return;
            }
        }
        let mut n_lines = 0;
        loop {
            runs(place);
            place = match self.run(&line.operation, own, others) {
                Flow::Next => place + 1,
                Flow::To(place) => usize::from(place),
                Flow::Waits => break,
                Flow::Fails(failure) => return self.fail(runner, place, own, failure),
            };
            line = self.line(runner, place);
            if line.lets_in || line.gate.blocks(*own, others) {
                break;
            }
            n_lines += 1;
            if n_lines == MOST_LINES {
                return self.fail(runner, place, own, Failure::NeverLetsGo);
            }
        }
        self.layout.place.set_raw(own, place as u64);
        *own &= line.keep;
    }

    /// A failed thread has no register any more, but its locks.
    #[cold]
    fn fail(&self, runner: &Runner, place: usize, own: &mut u64, failure: Failure) {
        let code = self.program.threads.get(runner.like.index()).expect(IS_THERE);
        *own &= self.line(runner, code.len()).keep;
        self.layout.place.set_raw(own, place as u64);
        self.layout
            .phase
            .set_raw(own, failure_number(&self.layout.phases, failure));
    }

    /// What the cells hold.
    pub(super) fn cells(&self, state: &Packed<WORDS>) -> Vec<i32> {
        let value = |at: &super::layout::Shared| {
            i32::try_from(at.field.value(state.word(at.word))).expect("a cell holds what is between two such numbers")
        };
        self.layout.cells.iter().map(value).collect()
    }
}

/// False, and nothing is changed, where the number is outside of what the queue holds.
fn put(queue: &QueueBits, value: i64, word: &mut u64) -> bool {
    let fits = (0..=queue.most).contains(&value);
    if fits {
        let length = queue.length.raw(*word);
        // The gate saw that there is room, so the number lies below the length field.
        *word |= value.unsigned_abs() << (queue.content.shift + length as u32 * queue.bits_each);
        queue.length.set_raw(word, length + 1);
    }
    fits
}

const fn first_of(queue: &QueueBits, word: u64) -> i64 {
    (queue.content.raw(word) & ones(queue.bits_each)).cast_signed()
}

/// The gate saw that there is one.
const fn remove_first(queue: &QueueBits, word: &mut u64) {
    queue.content.set_raw(word, queue.content.raw(*word) >> queue.bits_each);
    queue.length.set_raw(word, queue.length.raw(*word) - 1);
}

impl<const WORDS: usize> System for SmallSystem<WORDS> {
    type State = Packed<WORDS>;
    type Outcome = Ending;

    fn n_threads(&self) -> u8 {
        u8::try_from(self.threads.len()).expect("a checked program has few threads")
    }

    fn start(&self) -> Self::State {
        self.start
    }

    #[inline]
    fn enabled(&self, state: &Self::State) -> Threads {
        let mut enabled = Threads::NONE;
        for (thread, runner) in (0..).map(Thread).zip(&self.threads) {
            let own = self.own(state, runner.slot);
            let line = self.line(runner, self.place(own));
            // Its own part is still in the state, which changes nothing that a gate asks.
            let can_go_on = if self.layout.phase.raw(own) == 0 {
                !line.gate.blocks(0, state)
            } else if let (Phase::Notified, Operation::Wait(_, lock)) = (self.phase(own), &line.operation) {
                !lock.is_held(0, state)
            } else {
                false
            };
            if can_go_on {
                enabled = enabled.with(thread);
            }
        }
        enabled
    }

    #[inline]
    fn step(&self, state: &mut Self::State, thread: Thread) {
        let runner = self.runner(thread);
        let mut own = self.take(state, runner.slot);
        self.go_on(runner, &mut own, state, |_| {});
        *state.word_mut(runner.slot.word) |= own << runner.slot.shift;
    }

    fn has_ended(&self, state: &Self::State, thread: Thread) -> bool {
        let runner = self.runner(thread);
        let own = self.own(state, runner.slot);
        match self.phase(own) {
            Phase::Failed(_) => true,
            _ => matches!(self.line(runner, self.place(own)).operation, Operation::End),
        }
    }

    fn waits_for(&self, state: &Self::State, thread: Thread) -> Threads {
        self.helpers(state, thread)
    }

    fn outcome(&self, state: &Self::State) -> Ending {
        let (mut stuck, mut failed) = (Vec::new(), Vec::new());
        for (thread, runner) in (0..).map(Thread).zip(&self.threads) {
            let own = self.own(state, runner.slot);
            let failure = match self.phase(own) {
                Phase::Failed(failure) => Some(failure),
                _ => None,
            };
            let short = Short {
                like: runner.like,
                line: u8::try_from(self.place(own)).expect("a checked program has few lines"),
                failure,
            };
            if failure.is_some() {
                failed.push(short);
            } else if !self.has_ended(state, thread) {
                stuck.push(short);
            }
        }
        stuck.sort_unstable();
        failed.sort_unstable();
        match (stuck.is_empty(), failed.is_empty()) {
            (false, _) => Ending::Deadlock { stuck, failed },
            (true, false) => Ending::Failed {
                failed,
                cells: self.cells(state),
            },
            (true, true) => Ending::Finished {
                cells: self.cells(state),
            },
        }
    }

    #[inline]
    fn sort(&self, state: &mut Self::State) {
        for slots in &self.alike {
            let mut parts = [0; MOST_THREADS];
            for (part, slot) in parts.iter_mut().zip(slots) {
                *part = self.own(state, *slot);
            }
            // All slots of a kind are as many as threads at most, and unused places of the array stay behind.
            let (parts, _) = parts.split_at_mut(slots.len().min(MOST_THREADS));
            if parts.is_sorted() {
                continue;
            }
            parts.sort_unstable();
            for (part, slot) in parts.iter().zip(slots) {
                let word = state.word_mut(slot.word);
                *word = *word & !(self.layout.own << slot.shift) | part << slot.shift;
            }
        }
    }

    fn are_alike(&self, one: Thread, other: Thread) -> bool {
        self.runner(one).like == self.runner(other).like
    }

    fn may_repeat(&self) -> bool {
        let mut codes = self.program.threads.iter();
        codes.any(|code| code.iter().enumerate().any(|(at, line)| jumps_back(at, line.step)))
    }
}
