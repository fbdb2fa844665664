//! What a step does: runs a thread's lines to the next place where another may come in.
//!
//! A line that would block is not started: no thread queues for a lock, so whoever is asked first takes it, which allows
//! every order that a real lock could choose. Only a wait for a notification is something that a thread is inside. Tasks
//! do queue: what `asyncio` has for them goes to whoever came first, and nobody passes by.
//!
//! A loop without any place where another may come in is one step; it ends after [`MOST_LINES`] with a failure.
//!
//! Not here: the short way that most steps take, and what a blocked thread waits for.

use super::check::MOST_THREADS;
use super::compiled::{Compiled, Operation, failure_number, phase_number};
use super::layout::{QueueBits, Slot};
use super::line::{Amount, ConditionId};
use super::packed::{Packed, ones};
use super::phase::{Failure, MOST_LINES, Phase};
use super::prepared::{IS_THERE, Runner, SmallSystem};
use super::rows::Inside;
use crate::explore::system::Thread;

/// What a line did.
enum Flow {
    Next,
    To(u8),
    /// It waits inside the line, which has begun.
    Waits,
    /// It waits inside the line for what the line takes first of all.
    Queues,
    Fails(Failure),
}

impl<const WORDS: usize> SmallSystem<WORDS> {
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
    pub(super) fn go_on(
        &self,
        runner: &Runner,
        own: &mut u64,
        others: &mut Packed<WORDS>,
        mut runs: impl FnMut(usize),
    ) {
        let mut place = self.place(*own);
        let mut line = self.line(runner, place);
        if self.layout.phase.raw(*own) != 0 {
            match self.go_on_inside(line, own, others) {
                Inside::Ends => runs(place),
                Inside::EndsWait => {}
                Inside::Queues => return,
                Inside::Fails => {
                    runs(place);
                    return self.fail(runner, place, own, Failure::OutOfRange);
                }
            }
            self.layout.phase.set_raw(own, 0);
            place += 1;
            line = self.line(runner, place);
            if line.lets_in || line.gate.waits(*own, others) {
                self.layout.place.set_raw(own, place as u64);
                *own &= line.keep;
                return;
            }
        }
        let mut n_lines = 0;
        loop {
            let flow = self.run(line, own, others);
            if !matches!(flow, Flow::Queues) {
                runs(place);
            }
            place = match flow {
                Flow::Next => place + 1,
                Flow::To(place) => usize::from(place),
                Flow::Waits | Flow::Queues => break,
                Flow::Fails(failure) => return self.fail(runner, place, own, failure),
            };
            line = self.line(runner, place);
            if line.lets_in || line.gate.waits(*own, others) {
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

    pub(super) fn set_phase(&self, own: &mut u64, phase: Phase) {
        self.layout.phase.set_raw(own, phase_number(&self.layout.phases, phase));
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
    fn run(&self, line: &Compiled<WORDS>, own: &mut u64, others: &mut Packed<WORDS>) -> Flow {
        let is_kept = match &line.operation {
            Operation::Queue(wanted, queues) => match self.queue(line, wanted, *queues, own, others) {
                Some(is_kept) => is_kept,
                None => return Flow::Queues,
            },
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
