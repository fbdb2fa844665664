//! The shortest way for what a search does most: asking who may go on, and moving one number from here to there.
//!
//! A read, a write, an addition and a set are all one thing: a number is taken from some bits, something is added, and
//! it is put into other bits; the thread's next line and its dead registers are known beforehand. A row of shifts and
//! masks does that without a question asked but whether the number fits.
//!
//! Not here: all other lines, and those after which the thread goes straight on; they take the long way.

use super::compiled::{Compiled, Gate, Operation, Value};
use super::layout::{Layout, Slot};
use super::packed::{Field, Packed};
use super::phase::Phase;

/// Whether a thread in a given phase and at a given line may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MayGo {
    Never,
    Always,
    /// It depends on what is shared.
    Perhaps,
}

/// One line of one thread that moves a number, and after which others may come in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    from_word: u8,
    from_shift: u8,
    to_word: u8,
    to_shift: u8,
    own_word: u8,
    /// No bits at all, where the number stands in the line.
    from_mask: u64,
    /// What to add, the difference of the two fields' least numbers included.
    more: u64,
    span: u64,
    /// The bits that do not change, of the word that it goes to.
    to_rest: u64,
    /// Likewise of the thread's word: everything but the place and what is dead from now on.
    own_rest: u64,
    /// The next place, in its bits.
    next: u64,
}

impl Move {
    /// Nothing where the line takes the long way.
    pub(super) fn of<const WORDS: usize>(
        layout: &Layout,
        slot: Slot,
        place: usize,
        line: &Compiled<WORDS>,
        next: &Compiled<WORDS>,
    ) -> Option<Self> {
        let own = |field: Field| {
            let shift = field.shift + slot.shift;
            // A register without bits may lie one beyond its word.
            (field.mask != 0).then_some((slot.word, Field { shift, ..field }))
        };
        // Some field of no bits, for what is not taken from anywhere.
        let nowhere = (slot.word, Field::default());
        let value = |value: Value| match value {
            Value::Number(number) => Some((nowhere, number)),
            Value::Register(field, more) => own(field).map(|from| (from, more)),
        };
        let ((from, more), to) = match line.operation {
            Operation::Read(cell, into) => (((cell.word, cell.field), 0), own(into)?),
            Operation::Set(from, into) => (value(from)?, own(into)?),
            Operation::Write(from, cell) => (value(from)?, (cell.word, cell.field)),
            Operation::Add(more, cell) => (((cell.word, cell.field), more), (cell.word, cell.field)),
            _ => return None,
        };
        if !next.lets_in {
            return None;
        }
        let ((from_word, from), (to_word, to)) = (from, to);
        let dead = layout.own & !next.keep;
        Some(Self {
            from_word: u8::try_from(from_word).ok()?,
            from_shift: u8::try_from(from.shift).ok()?,
            to_word: u8::try_from(to_word).ok()?,
            to_shift: u8::try_from(to.shift).ok()?,
            own_word: u8::try_from(slot.word).ok()?,
            from_mask: from.mask,
            // Whatever is added wraps around, and wraps back when the field's least is taken off.
            more: (from.least + more - to.least).cast_unsigned(),
            span: to.span,
            to_rest: !to.bits(),
            own_rest: !((dead | layout.place.bits()) << slot.shift),
            next: (place as u64 + 1) << layout.place.shift << slot.shift,
        })
    }

    /// False, and nothing is changed, where the number does not fit.
    #[inline]
    pub(super) fn run<const WORDS: usize>(&self, state: &mut Packed<WORDS>) -> bool {
        let from = state.word(self.from_word.into()) >> (self.from_shift & 63) & self.from_mask;
        let raw = from.wrapping_add(self.more);
        let fits = raw <= self.span;
        if fits {
            let to = state.word_mut(self.to_word.into());
            *to = *to & self.to_rest | raw << (self.to_shift & 63);
            let own = state.word_mut(self.own_word.into());
            *own = *own & self.own_rest | self.next;
        }
        fits
    }
}

/// For each phase and line of a code, as one number (the line in the upper bits), whether its thread may go on.
pub(super) fn may_go<const WORDS: usize>(layout: &Layout, code: &[Compiled<WORDS>]) -> Vec<MayGo> {
    let n_phases = 1_usize << layout.phase.mask.count_ones();
    let lines = code.iter().flat_map(|line| {
        (0..n_phases).map(|phase| match (layout.phases.get(phase), &line.gate) {
            (Some(Phase::Ready), Gate::Open | Gate::LockForAWhile(_)) => MayGo::Always,
            (Some(Phase::Ready), Gate::Closed) => MayGo::Never,
            (Some(Phase::Ready | Phase::Notified | Phase::Queued), _) => MayGo::Perhaps,
            _ => MayGo::Never,
        })
    });
    lines.collect()
}
