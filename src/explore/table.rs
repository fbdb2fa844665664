//! The set of states: open addressing over 32-bit slots, each with a key's place in a list and five bits of its hash.
//!
//! Small slots, because what a search waits for is memory. A key's home is named by the high bits of its hash, and most
//! probes of other keys are settled by the five low bits alone. A big table is cut into parts by the highest bits: each
//! doubles by itself, so that no insertion stops the page. Keys keep the order in which they came; the list is the queue
//! of a search.
//!
//! Not here: removal, but for all at once.

use std::hash::Hash;

use super::chunks::Chunks;
use super::hash::hash;

/// From so many expected keys on a table is made of parts.
const BIG: usize = 1 << 18;
const BIG_PARTS: u32 = 6;
const LEAST_SLOTS: usize = 16;
const EMPTY: u32 = 0;
/// The bits of a slot that say which key, from 1; those above are the lowest of its hash.
const PLACE_BITS: u32 = 27;
const PLACE: u32 = (1 << PLACE_BITS) - 1;

/// A set of fewer than 2²⁷ keys, each with the number at which it came.
#[derive(Clone, Debug)]
pub(super) struct Table<K> {
    /// How many of the hash's bits choose a part.
    part_bits: u32,
    parts: Vec<Part>,
    keys: Chunks<K>,
}

#[derive(Clone, Debug, Default)]
struct Part {
    /// A power of two of them, at most three quarters taken.
    slots: Vec<u32>,
    n_taken: usize,
}

impl<K: Eq + Hash> Table<K> {
    /// An empty one with room for so many.
    pub fn for_about(n_keys: usize) -> Self {
        let mut table = Self {
            part_bits: 0,
            parts: Vec::new(),
            keys: Chunks::new(),
        };
        table.clear_for_about(n_keys);
        table
    }

    /// One that may grow to any size.
    pub fn for_many() -> Self {
        Self {
            part_bits: BIG_PARTS,
            parts: vec![Part::default(); 1 << BIG_PARTS],
            keys: Chunks::new(),
        }
    }

    /// Forgets all, and makes room for so many.
    pub fn clear_for_about(&mut self, n_keys: usize) {
        self.keys.clear();
        self.part_bits = if n_keys >= BIG { BIG_PARTS } else { 0 };
        self.parts.resize_with(1 << self.part_bits, Part::default);
        let n_slots = ((n_keys >> self.part_bits) / 3 * 4)
            .next_power_of_two()
            .max(LEAST_SLOTS);
        for part in &mut self.parts {
            part.n_taken = 0;
            part.slots.clear();
            part.slots.resize(n_slots, EMPTY);
        }
    }

    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    #[inline]
    pub fn key(&self, index: u32) -> Option<&K> {
        self.keys.get(index)
    }

    /// Its number, and whether it is new.
    #[inline]
    pub fn insert(&mut self, key: K) -> (u32, bool) {
        let hash = hash(&key);
        // Shifting by 32 − 0 is done in two steps: it would be out of range.
        let part = hash >> 1 >> (31 - self.part_bits);
        let part = self
            .parts
            .get_mut(part as usize)
            .expect("there is a part for every value of its bits");
        if (part.n_taken + 1) * 4 > part.slots.len() * 3 {
            part.grow(self.part_bits, &self.keys);
        }
        let mask = part.slots.len() - 1;
        let mut at = home(hash, self.part_bits, part.slots.len());
        loop {
            let slot = part.slots.get_mut(at & mask).expect("the mask keeps it inside");
            if *slot == EMPTY {
                let index = self.keys.len() as u32;
                *slot = hash << PLACE_BITS | (index + 1);
                part.n_taken += 1;
                self.keys.push(key);
                return (index, true);
            }
            if (*slot ^ hash << PLACE_BITS) >> PLACE_BITS == 0 {
                let index = (*slot & PLACE) - 1;
                if self.keys.get(index) == Some(&key) {
                    return (index, false);
                }
            }
            at += 1;
        }
    }

    /// Its number, if it is there.
    pub fn find(&self, key: &K) -> Option<u32> {
        let hash = hash(key);
        let slots = &self.parts.get((hash >> 1 >> (31 - self.part_bits)) as usize)?.slots;
        let mask = slots.len().checked_sub(1)?;
        let mut at = home(hash, self.part_bits, slots.len());
        loop {
            let slot = *slots.get(at & mask)?;
            if slot == EMPTY {
                return None;
            }
            if (slot ^ hash << PLACE_BITS) >> PLACE_BITS == 0 && self.keys.get((slot & PLACE) - 1) == Some(key) {
                return Some((slot & PLACE) - 1);
            }
            at += 1;
        }
    }

    /// Memory held, without what the keys themselves own.
    pub fn n_bytes(&self) -> usize {
        let slots: usize = self.parts.iter().map(|part| part.slots.capacity()).sum();
        slots * size_of::<u32>() + self.keys.n_bytes()
    }
}

/// Where to look first, in a part of so many slots.
#[inline]
const fn home(hash: u32, part_bits: u32, n_slots: usize) -> usize {
    let bits = n_slots.trailing_zeros();
    // The bits after those that chose the part; the slots are at least 16, so the shift is in range.
    ((hash << part_bits) as u64 >> (32 - bits)) as usize
}

impl Part {
    #[cold]
    fn grow<K: Hash>(&mut self, part_bits: u32, keys: &Chunks<K>) {
        let n_slots = (self.slots.len() * 2).max(LEAST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; n_slots]);
        let mask = n_slots - 1;
        for taken in old.into_iter().filter(|slot| *slot != EMPTY) {
            let key = keys.get((taken & PLACE) - 1).expect("a slot that is taken names a key");
            let mut at = home(hash(key), part_bits, n_slots);
            loop {
                let slot = self.slots.get_mut(at & mask).expect("the mask keeps it inside");
                if *slot == EMPTY {
                    *slot = taken;
                    break;
                }
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds_what_it_was_given(mut table: Table<u64>, n: u64) {
        let key = |index: u64| (index * index) << 7;
        assert_eq!(table.find(&key(0)), None);
        for index in 0..n {
            assert_eq!(table.insert(key(index)), (index as u32, true));
        }
        for index in 0..n {
            assert_eq!(table.insert(key(index)), (index as u32, false));
            assert_eq!(table.find(&key(index)), Some(index as u32));
            assert_eq!(table.key(index as u32), Some(&key(index)));
        }
        assert_eq!(
            (table.len(), table.find(&1), table.key(n as u32)),
            (n as usize, None, None)
        );
        assert!(table.n_bytes() >= n as usize * 12);
        table.clear_for_about(3);
        assert_eq!((table.len(), table.find(&key(0))), (0, None));
        assert_eq!(table.insert(9), (0, true));
    }

    #[test]
    fn it_is_a_set_in_the_order_of_arrival() {
        holds_what_it_was_given(Table::for_about(0), 5_000);
        holds_what_it_was_given(Table::for_about(BIG), 5_000);
        holds_what_it_was_given(Table::for_many(), 40_000);
    }

    /// Keys of one hash are told apart by themselves.
    #[test]
    fn equal_hashes_are_not_equal_keys() {
        #[derive(PartialEq, Eq, Debug)]
        struct Alike(u32);
        impl Hash for Alike {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                state.write_u8(1);
            }
        }
        let mut table = Table::for_about(0);
        for key in 0..100 {
            assert_eq!(table.insert(Alike(key)), (key, true));
        }
        assert!((0..100).all(|key| table.find(&Alike(key)) == Some(key)));
    }
}
