//! A small program as a system to explore: who may go on, a step, an order for alike threads, an ending.
//!
//! Not here: what the lines do.

use super::check::MOST_THREADS;
use super::compiled::Operation;
use super::ending::{Ending, Short};
use super::layout::{Shared, Slot, jumps_back};
use super::packed::Packed;
use super::phase::Phase;
use super::prepared::{IS_THERE, Runner, SmallSystem};
use super::quick::MayGo;
use super::rows::Queues;
use crate::explore::system::{System, Thread, Threads};

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
        let standings = self.layout.place.mask << self.layout.phase.mask.count_ones() | self.layout.phase.mask;
        let mut enabled = 0;
        for (thread, runner) in self.threads.iter().enumerate() {
            let standing = state.word(runner.slot.word) >> (runner.standing & 63) & standings;
            let may_go = self.may_go.get(runner.may_go + standing as usize).expect(IS_THERE);
            let may_go = match may_go {
                MayGo::Never => false,
                MayGo::Always => true,
                MayGo::Perhaps => self.finds_its_gate_open(state, runner),
            };
            enabled |= u32::from(may_go) << thread;
        }
        Threads(enabled)
    }

    #[inline]
    fn step(&self, state: &mut Self::State, thread: Thread) {
        let runner = self.runner(thread);
        let place = self.place(self.own(state, runner.slot));
        let quick = self.moves.get(runner.moves + place).expect(IS_THERE);
        if quick.is_some_and(|quick| quick.run(state)) {
            return;
        }
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
            // A fixed few comparisons without a branch, for as many threads as most programs have.
            match slots.as_slice() {
                [a, b] => {
                    let (low, high) = ordered(self.own(state, *a), self.own(state, *b));
                    self.place_all(state, slots, [low, high]);
                }
                [a, b, c] => {
                    let (low, mid) = ordered(self.own(state, *a), self.own(state, *b));
                    let (mid, high) = ordered(mid, self.own(state, *c));
                    let (low, mid) = ordered(low, mid);
                    self.place_all(state, slots, [low, mid, high]);
                }
                [a, b, c, d] => {
                    let (one, two) = ordered(self.own(state, *a), self.own(state, *b));
                    let (three, four) = ordered(self.own(state, *c), self.own(state, *d));
                    let (low, three) = ordered(one, three);
                    let (two, high) = ordered(two, four);
                    let (two, three) = ordered(two, three);
                    self.place_all(state, slots, [low, two, three, high]);
                }
                slots => {
                    let mut parts = [u64::MAX; MOST_THREADS];
                    for (part, slot) in parts.iter_mut().zip(slots) {
                        *part = self.own(state, *slot);
                    }
                    // No part is as large as what fills the array up.
                    parts.sort_unstable();
                    self.place_all(state, slots, parts);
                }
            }
        }
    }

    fn sort_following(&self, state: &mut Self::State, thread: Thread) -> Thread {
        let kind = self.runner(thread);
        let part = self.own(state, kind.slot);
        let alike = (0..).map(Thread).zip(&self.threads);
        let alike = alike.filter(|(_, runner)| runner.like == kind.like);
        // Threads whose parts are equal keep their order, so that no two come to the same place.
        let comes_before = |other: Thread, runner: &Runner| (self.own(state, runner.slot), other) < (part, thread);
        let place = alike
            .clone()
            .filter(|(other, runner)| comes_before(*other, runner))
            .count();
        let at = alike.clone().nth(place).map_or(thread, |(thread, _)| thread);
        self.sort(state);
        at
    }

    fn are_alike(&self, one: Thread, other: Thread) -> bool {
        self.runner(one).like == self.runner(other).like
    }

    fn may_repeat(&self) -> bool {
        let mut codes = self.program.threads.iter();
        codes.any(|code| code.iter().enumerate().any(|(at, line)| jumps_back(at, line.step)))
    }
}

impl<const WORDS: usize> SmallSystem<WORDS> {
    /// Whether what a thread's line waits for is there, or the lock that it needs after its notification.
    fn finds_its_gate_open(&self, state: &Packed<WORDS>, runner: &Runner) -> bool {
        let own = self.own(state, runner.slot);
        let line = self.line(runner, self.place(own));
        // Its own part is still in the state, so there is nothing that it has besides.
        match (self.phase(own), &line.operation) {
            (Phase::Ready, _) => !line.gate.blocks(0, state),
            // A task that was notified goes and queues, if it has to.
            (Phase::Notified, Operation::Wait(_, lock)) => line.row.is_some() || !lock.is_held(0, state),
            (Phase::Queued, Operation::Wait(_, lock)) => !lock.is_held(0, state) && self.is_first(own),
            (Phase::Queued, Operation::Queue(wanted, queues)) => {
                let gives_up = matches!(queues, Queues::ForAWhile(_)) && !wanted.is_free(0, state);
                gives_up || (wanted.is_free(0, state) && self.is_first(own))
            }
            _ => false,
        }
    }

    /// Whether nobody comes before it in its row.
    const fn is_first(&self, own: u64) -> bool {
        self.layout.ticket.raw(own) == 0
    }

    /// Puts parts into slots, one after the other.
    #[inline]
    fn place_all<const N: usize>(&self, state: &mut Packed<WORDS>, slots: &[Slot], parts: [u64; N]) {
        for (slot, part) in slots.iter().zip(parts) {
            let word = state.word_mut(slot.word);
            *word = *word & !(self.layout.own << slot.shift) | part << slot.shift;
        }
    }

    /// What the cells hold.
    fn cells(&self, state: &Packed<WORDS>) -> Vec<i32> {
        let value = |at: &Shared| {
            i32::try_from(at.field.value(state.word(at.word))).expect("a cell holds what is between two such numbers")
        };
        self.layout.cells.iter().map(value).collect()
    }
}
#[inline]
fn ordered(one: u64, other: u64) -> (u64, u64) {
    (one.min(other), one.max(other))
}
