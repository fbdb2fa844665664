//! Deadlines in order: a hierarchy of wheels, 64 slots each, which never compares two deadlines that are far apart.
//!
//! Worked example, in nanoseconds, when 0 has passed: deadline 5 lies in slot 5 of the finest wheel, deadline 130 in slot 2
//! of the second (128 to 191). When 5 has been taken and 130 is next, slot 2 is opened: its deadlines fall into the finest
//! wheel, 130 into slot 2 there. A deadline falls at most once a wheel, and those of one deadline stay in the order of their
//! setting. With 100,000 deadlines pending this is several times faster than a heap, most of whose steps miss the caches.
//!
//! Source: Varghese and Lauck, Hashed and Hierarchical Timing Wheels, 1987. Not here: what happens at a deadline.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

/// Slots a wheel are two to the power of this.
const BITS: u32 = 6;
const SLOTS: usize = 1 << BITS;

/// One deadline, with what is to be had then. Of equal ones the lower number comes first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline<T> {
    pub(super) when: u64,
    pub(super) number: u32,
    /// Which timer it is.
    pub(super) slot: u32,
    pub(super) then: T,
}

impl<T> Deadline<T> {
    const fn key(&self) -> (u64, u32) {
        (self.when, self.number)
    }
}

impl<T> PartialEq for Deadline<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Deadline<T> {}

impl<T> PartialOrd for Deadline<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Deadline<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// All deadlines.
pub(super) struct Wheels<T> {
    /// Deadlines before this have been taken, or are in `early`.
    passed: u64,
    /// The finest first; made as far as they are needed.
    wheels: Vec<Wheel<T>>,
    /// Those of the slot of the finest wheel that was opened last: all of one time, in order.
    open: VecDeque<Deadline<T>>,
    /// Those that were set for a time that had passed already.
    early: BinaryHeap<Reverse<Deadline<T>>>,
    n: usize,
    /// Seeded fault: of equal deadlines the last set comes first.
    pub(super) is_reversed: bool,
}

impl<T> Default for Wheels<T> {
    fn default() -> Self {
        Self {
            passed: 0,
            wheels: Vec::new(),
            open: VecDeque::new(),
            early: BinaryHeap::new(),
            n: 0,
            is_reversed: false,
        }
    }
}

struct Wheel<T> {
    /// One bit for each slot that is not empty.
    occupied: u64,
    slots: [Vec<Deadline<T>>; SLOTS],
}

impl<T> Wheel<T> {
    fn new() -> Self {
        Self {
            occupied: 0,
            slots: std::array::from_fn(|_| Vec::new()),
        }
    }
}

impl<T: Copy> Wheels<T> {
    pub(super) fn len(&self) -> usize {
        self.n
    }

    pub(super) fn push(&mut self, deadline: Deadline<T>) {
        self.n += 1;
        self.place(deadline);
    }

    fn place(&mut self, deadline: Deadline<T>) {
        if deadline.when < self.passed {
            self.early.push(Reverse(deadline));
            return;
        }
        // The wheel is the one in which it differs from what has passed; finer ones would mistake it for a nearer one.
        let differing = (deadline.when ^ self.passed) | 1;
        let level = differing.ilog2() / BITS;
        while self.wheels.len() <= level as usize {
            self.wheels.push(Wheel::new());
        }
        let slot = (deadline.when >> (level * BITS)) as usize % SLOTS;
        if let Some(wheel) = self.wheels.get_mut(level as usize)
            && let Some(found) = wheel.slots.get_mut(slot)
        {
            wheel.occupied |= 1 << slot;
            found.push(deadline);
        }
    }

    /// The first of all.
    pub(super) fn first(&mut self) -> Option<Deadline<T>> {
        if let Some(Reverse(early)) = self.early.peek() {
            return Some(*early);
        }
        while self.open.is_empty() {
            self.open_next()?;
        }
        self.open.front().copied()
    }

    /// Takes the first of all.
    pub(super) fn pop(&mut self) -> Option<Deadline<T>> {
        self.first()?;
        self.n -= 1;
        match self.early.pop() {
            Some(Reverse(early)) => Some(early),
            None => self.open.pop_front(),
        }
    }

    /// Opens the nearest slot that is not empty. Every occupied slot lies ahead: those of a wheel are of its current turn.
    fn open_next(&mut self) -> Option<()> {
        let level = self.wheels.iter().position(|wheel| wheel.occupied != 0)?;
        let wheel = self.wheels.get_mut(level)?;
        let slot = wheel.occupied.trailing_zeros();
        wheel.occupied &= !(1 << slot);
        let found = wheel.slots.get_mut(slot as usize)?;
        if level == 0 {
            self.passed = found.first()?.when;
            self.open.extend(found.drain(..));
            if self.is_reversed {
                self.open.make_contiguous().reverse();
            }
            return Some(());
        }
        let shift = level as u32 * BITS;
        self.passed = found.first()?.when >> shift << shift;
        let mut falling = std::mem::take(found);
        for deadline in falling.drain(..) {
            self.place(deadline);
        }
        // Its memory serves the next deadlines of this slot.
        *self.wheels.get_mut(level)?.slots.get_mut(slot as usize)? = falling;
        Some(())
    }

    /// Takes out all that are not so.
    pub(super) fn retain(&mut self, mut is_so: impl FnMut(&Deadline<T>) -> bool) {
        let mut n = 0;
        let mut keep = |deadline: &Deadline<T>| {
            let keeps = is_so(deadline);
            n += usize::from(keeps);
            keeps
        };
        self.open.retain(&mut keep);
        self.early.retain(|Reverse(early)| keep(early));
        for wheel in &mut self.wheels {
            for (place, slot) in wheel.slots.iter_mut().enumerate().filter(|(_, slot)| !slot.is_empty()) {
                slot.retain(&mut keep);
                if slot.is_empty() {
                    wheel.occupied &= !(1 << place);
                }
            }
        }
        self.n = n;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn deadline(when: u64, number: u32) -> Deadline<()> {
        Deadline {
            when,
            number,
            slot: number,
            then: (),
        }
    }

    #[test]
    fn the_example_comes_out_in_order() {
        let mut wheels = Wheels::default();
        [130, 5, 130, 3_000_000_000, 131].iter().zip(0..).for_each(|(when, n)| wheels.push(deadline(*when, n)));
        let order: Vec<u32> = std::iter::from_fn(|| wheels.pop()).map(|next| next.number).collect();
        assert_eq!(order, [1, 0, 2, 4, 3]);
        wheels.push(deadline(7, 5));
        wheels.push(deadline(6, 6));
        assert_eq!(wheels.pop().map(|next| next.number), Some(6), "set for a time that has passed");
    }

    /// Against an ordered set, over mixtures of near, far, equal and past deadlines.
    #[test]
    fn any_mixture_comes_out_in_order() {
        let mut random = 88_172_645_463_325_252_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let (mut wheels, mut set) = (Wheels::default(), BTreeSet::new());
        let mut now = 0;
        for number in 0..20_000 {
            let spread = 1_u64 << (next() % 40);
            let one = deadline((now + next() % spread).saturating_sub(next() % 3), number);
            wheels.push(one);
            set.insert(one);
            if next() % 3 == 0 {
                for _ in 0..next() % 5 {
                    let (mine, theirs) = (wheels.pop(), set.pop_first());
                    assert_eq!(mine, theirs);
                    now = now.max(mine.map_or(now, |mine| mine.when));
                }
            }
            if next() % 500 == 0 {
                wheels.retain(|one| one.number % 2 == 0);
                set.retain(|one| one.number % 2 == 0);
            }
            assert_eq!((wheels.len(), wheels.first()), (set.len(), set.first().copied()));
        }
    }
}
