//! The timer heap, keyed by deadline and then by the order of setting, with cancelled timers as CPython keeps them.
//!
//! Worked example: of 101 timers 51 are cancelled, which is more than half of more than 100: the next sweep takes all 51
//! out. Of 100 timers 99 are cancelled: only those at the head go. Source: `BaseEventLoop._run_once`, `base_events.py`.
//!
//! Not here: what a timer does.

use super::callbacks::Callback;
use super::ids::{AsCompletedId, FutureId, HandleId, TimeoutId};
use super::wheel::{Deadline, Wheels};
use crate::machine::Nanoseconds;

/// Below this many timers cancelled ones are left where they are.
const MIN_FOR_SWEEP: usize = 100;

/// What is done when a timer is due: those of the callbacks that are small and timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timed {
    /// [`Callback::Release`]
    Release(FutureId, u32),
    /// [`Callback::CompletedOver`]
    CompletedOver(AsCompletedId),
    /// [`Callback::Expire`]
    Expire(TimeoutId, u32),
    /// [`Callback::Handle`]
    Handle(HandleId),
}

impl From<Timed> for Callback {
    fn from(timed: Timed) -> Self {
        match timed {
            Timed::Release(task, wait) => Self::Release(task, wait),
            Timed::CompletedOver(id) => Self::CompletedOver(id),
            Timed::Expire(id, armed) => Self::Expire(id, armed),
            Timed::Handle(id) => Self::Handle(id),
        }
    }
}

/// One timer that was set: the same slot may hold another by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimerRef {
    slot: u32,
    number: u32,
}

/// All timers.
#[derive(Default)]
pub(super) struct Timers {
    deadlines: Wheels<Timed>,
    slots: Vec<Slot>,
    /// One bit a slot: it holds a timer that was neither cancelled nor due. Small enough to stay in the caches.
    live: Vec<u64>,
    free: Vec<u32>,
    next_number: u32,
    /// As CPython counts it: a cancelled timer that comes due is not counted down.
    n_cancelled: usize,
}

struct Slot {
    number: u32,
    when: Nanoseconds,
}

fn is_set(bits: &[u64], place: u32) -> bool {
    bits.get(place as usize / 64)
        .is_some_and(|word| word >> (place % 64) & 1 == 1)
}

fn set(bits: &mut Vec<u64>, place: u32, to: bool) {
    if bits.len() <= place as usize / 64 {
        bits.resize(place as usize / 64 + 1, 0);
    }
    if let Some(word) = bits.get_mut(place as usize / 64) {
        *word = *word & !(1 << (place % 64)) | u64::from(to) << (place % 64);
    }
}

impl Timers {
    /// Seeds a fault: of equal deadlines the last set comes first.
    pub(super) fn reverse_equal(&mut self) {
        self.deadlines.is_reversed = true;
    }

    pub(super) fn len(&self) -> usize {
        self.deadlines.len()
    }

    /// Sets a timer; nothing after four thousand million of them, where the numbers end.
    pub(super) fn set(&mut self, when: Nanoseconds, then: Timed) -> Option<TimerRef> {
        let number = self.next_number;
        self.next_number = number.checked_add(1)?;
        let filled = Slot { number, when };
        let slot = if let Some(slot) = self.free.pop() {
            *self.slots.get_mut(slot as usize)? = filled;
            slot
        } else {
            self.slots.push(filled);
            u32::try_from(self.slots.len() - 1).ok()?
        };
        set(&mut self.live, slot, true);
        self.deadlines.push(Deadline {
            when: when.0,
            number: if self.deadlines.is_reversed { !number } else { number },
            slot,
            then,
        });
        Some(TimerRef { slot, number })
    }

    /// Cancels a timer that has not come due; of one that has, nothing is left to cancel.
    pub(super) fn cancel(&mut self, timer: TimerRef) {
        if self.is_live(timer) {
            set(&mut self.live, timer.slot, false);
            self.n_cancelled += 1;
        }
    }

    fn is_live(&self, timer: TimerRef) -> bool {
        let is_it = |slot: &Slot| slot.number == timer.number;
        is_set(&self.live, timer.slot) && self.slots.get(timer.slot as usize).is_some_and(is_it)
    }

    /// Takes cancelled timers out: all of them if they are many, else those at the head. `gone` is told their numbers.
    pub(super) fn sweep(&mut self, mut gone: impl FnMut(u32)) {
        if self.n_cancelled == 0 {
            return;
        }
        if self.deadlines.len() > MIN_FOR_SWEEP && self.n_cancelled * 2 > self.deadlines.len() {
            let (live, free) = (&self.live, &mut self.free);
            self.deadlines.retain(|deadline| {
                let is_live = is_set(live, deadline.slot);
                if !is_live {
                    free.push(deadline.slot);
                    gone(deadline.number);
                }
                is_live
            });
            self.n_cancelled = 0;
            return;
        }
        while let Some(first) = self.deadlines.first().filter(|first| !is_set(&self.live, first.slot)) {
            gone(first.number);
            self.free.push(first.slot);
            self.deadlines.pop();
            self.n_cancelled = self.n_cancelled.saturating_sub(1);
        }
    }

    /// The next deadline.
    pub(super) fn head(&mut self) -> Option<Nanoseconds> {
        self.deadlines.first().map(|first| Nanoseconds(first.when))
    }

    /// What is to be done at the deadlines that have come near since this was cleared, cancelled or not.
    pub(super) fn near(&self) -> &[Timed] {
        &self.deadlines.near
    }

    pub(super) fn clear_near(&mut self) {
        self.deadlines.near.clear();
    }

    /// Takes the next timer that is due, with what is to be done unless it was cancelled.
    pub(super) fn pop_due(&mut self, now: Nanoseconds) -> Option<(u32, Option<Timed>)> {
        if self.deadlines.first()?.when > now.0 {
            return None;
        }
        let first = self.deadlines.pop()?;
        self.free.push(first.slot);
        let is_live = is_set(&self.live, first.slot);
        set(&mut self.live, first.slot, false);
        Some((first.number, is_live.then_some(first.then)))
    }

    /// The deadline of a timer that is still set.
    pub(super) fn when(&self, timer: TimerRef) -> Option<Nanoseconds> {
        let slot = self.slots.get(timer.slot as usize)?;
        self.is_live(timer).then_some(slot.when)
    }
}

impl TimerRef {
    /// The order in which it was set.
    pub(super) const fn number(self) -> u32 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(n: u32) -> (Timers, Vec<TimerRef>) {
        let mut timers = Timers::default();
        let set = (0..n).map(|n| timers.set(Nanoseconds(u64::from(n)), Timed::Release(FutureId(n), 0)));
        let refs = set.map(|timer| timer.expect("numbers have not ended")).collect();
        (timers, refs)
    }

    #[test]
    fn many_cancelled_timers_are_swept_and_few_only_from_the_head() {
        let (mut timers, refs) = filled(101);
        refs.iter().skip(50).for_each(|timer| timers.cancel(*timer));
        let mut swept = 0;
        timers.sweep(|_| swept += 1);
        assert_eq!((swept, timers.len()), (51, 50));

        let (mut timers, refs) = filled(100);
        refs.iter().skip(1).for_each(|timer| timers.cancel(*timer));
        timers.sweep(|_| swept += 1);
        assert_eq!((swept, timers.len()), (51, 100));
        timers.cancel(refs[0]);
        timers.sweep(|_| swept += 1);
        assert_eq!((swept, timers.len()), (151, 0));
    }

    #[test]
    fn a_slot_that_is_used_again_is_another_timer() {
        let (mut timers, refs) = filled(1);
        assert!(matches!(timers.pop_due(Nanoseconds::ZERO), Some((0, Some(_)))));
        let again = timers
            .set(Nanoseconds::ZERO, Timed::Release(FutureId(5), 0))
            .expect("room");
        timers.cancel(refs[0]);
        assert!(
            matches!(timers.pop_due(Nanoseconds::ZERO), Some((1, Some(_)))),
            "{again:?}"
        );
    }
}
