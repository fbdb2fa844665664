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
    deadlines: Wheels,
    slots: Vec<Slot>,
    free: Vec<u32>,
    next_number: u32,
    /// As CPython counts it: a cancelled timer that comes due is not counted down.
    n_cancelled: usize,
}

/// What is read and written of a timer lies together: with many pending, each place that is touched misses the caches.
struct Slot {
    number: u32,
    /// Nothing once it was cancelled or has come due.
    then: Option<Timed>,
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
        let filled = Slot {
            number,
            then: Some(then),
        };
        let slot = if let Some(slot) = self.free.pop() {
            *self.slots.get_mut(slot as usize)? = filled;
            slot
        } else {
            self.slots.push(filled);
            u32::try_from(self.slots.len() - 1).ok()?
        };
        self.deadlines.push(Deadline {
            when: when.0,
            number: if self.deadlines.is_reversed { !number } else { number },
            slot,
        });
        Some(TimerRef { slot, number })
    }

    /// Cancels a timer that has not come due; of one that has, nothing is left to cancel.
    pub(super) fn cancel(&mut self, timer: TimerRef) {
        let slot = self.slots.get_mut(timer.slot as usize);
        if let Some(slot) = slot.filter(|slot| slot.number == timer.number)
            && slot.then.take().is_some()
        {
            self.n_cancelled += 1;
        }
    }

    /// Takes cancelled timers out: all of them if they are many, else those at the head. `gone` is told their numbers.
    pub(super) fn sweep(&mut self, mut gone: impl FnMut(u32)) {
        if self.n_cancelled == 0 {
            return;
        }
        if self.deadlines.len() > MIN_FOR_SWEEP && self.n_cancelled * 2 > self.deadlines.len() {
            let (slots, free) = (&self.slots, &mut self.free);
            self.deadlines.retain(|deadline| {
                let is_live = is_live(slots, deadline.slot);
                if !is_live {
                    free.push(deadline.slot);
                    gone(deadline.number);
                }
                is_live
            });
            self.n_cancelled = 0;
            return;
        }
        while let Some(first) = self.deadlines.first().filter(|first| !is_live(&self.slots, first.slot)) {
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

    /// What is to be done at the deadlines that have come near since this was cleared, but for those that were cancelled.
    pub(super) fn near(&self) -> impl Iterator<Item = Timed> + Clone {
        let near = self.deadlines.near.iter();
        near.filter_map(|slot| self.slots.get(*slot as usize)?.then)
    }

    pub(super) fn has_near(&self) -> bool {
        !self.deadlines.near.is_empty()
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
        let then = self.slots.get_mut(first.slot as usize)?.then.take();
        Some((first.number, then))
    }

    /// The deadline of a timer that is still set. It is looked for among all of them: only who explains a run asks.
    pub(super) fn when(&self, timer: TimerRef) -> Option<Nanoseconds> {
        let slot = self.slots.get(timer.slot as usize)?;
        slot.then.filter(|_| slot.number == timer.number)?;
        let mut all = self.deadlines.all();
        let found = all.find(|deadline| deadline.slot == timer.slot)?;
        Some(Nanoseconds(found.when))
    }
}

fn is_live(slots: &[Slot], place: u32) -> bool {
    slots.get(place as usize).is_some_and(|slot| slot.then.is_some())
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
