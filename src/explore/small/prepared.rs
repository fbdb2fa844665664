//! A small program made ready to explore: checked, laid out in bits, compiled.
//!
//! Not here: what a step does, and how a search asks for one.

use super::check::{Problem, check};
use super::compiled::{Compiled, Compiler, LockBits, Operation};
use super::layout::{Layout, Slot};
use super::line::{ConditionId, LockId};
use super::packed::Packed;
use super::phase::Phase;
use super::program::SmallProgram;
use super::quick::{MayGo, Move, may_go};
use crate::explore::system::Thread;

/// One thread: where its part of a state lies, and where its code begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runner {
    pub(super) slot: Slot,
    /// Its first line among those of all codes.
    pub(super) code: usize,
    /// Its first line among those of all threads.
    pub(super) moves: usize,
    /// Where its phase and line lie as one number, and where that number's list begins.
    pub(super) standing: u32,
    pub(super) may_go: usize,
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
    /// The lines of all threads that have a short way.
    pub(super) moves: Vec<Option<Move>>,
    /// Of each code, for each phase and line.
    pub(super) may_go: Vec<MayGo>,
    pub(super) locks: Vec<LockBits<WORDS>>,
    /// Where the parts of alike threads lie, one list for each kind of which there are two or more.
    pub(super) alike: Vec<Vec<Slot>>,
    pub(super) start: Packed<WORDS>,
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
pub(super) const IS_THERE: &str = "a thread is one of the program's, and stands at one of its lines";

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
        let (mut moves, mut all_may_go, mut keeps) = (Vec::new(), Vec::new(), Vec::new());
        for ((thread, code), slot) in (0..).map(Thread).zip(&program.threads).zip(&layout.slots) {
            let twin = program.threads.iter().zip(&threads).find(|(other, _)| *other == code);
            let compiled = compiler.code(code);
            let (code, like, may_go_from) = match twin {
                Some((_, twin)) => (twin.code, twin.like, twin.may_go),
                None => (lines.len(), thread, all_may_go.len()),
            };
            threads.push(Runner {
                slot: *slot,
                code,
                moves: moves.len(),
                standing: layout.phase.shift + slot.shift,
                may_go: may_go_from,
                like,
            });
            let with_next = (0..).zip(compiled.iter().zip(compiled.iter().skip(1)));
            moves.extend(with_next.map(|(place, (line, next))| Move::of(&layout, *slot, place, line, next)));
            keeps.extend(compiled.first().map(|line| line.keep));
            if code == lines.len() {
                all_may_go.extend(may_go(&layout, &compiled));
                lines.extend(compiled);
            }
        }
        let locks = (0..)
            .zip(&program.locks)
            .map(|(id, _)| compiler.lock(LockId(id)))
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
            moves,
            may_go: all_may_go,
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
    pub(super) fn take(&self, state: &mut Packed<WORDS>, slot: Slot) -> u64 {
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

    /// The condition whose notification a thread waits for.
    pub(super) fn waits_inside(&self, runner: &Runner, own: u64) -> Option<ConditionId> {
        match (self.phase(own), &self.line(runner, self.place(own)).operation) {
            (Phase::Waiting, Operation::Wait(condition, _)) => Some(*condition),
            _ => None,
        }
    }
}
