//! The counts of many states side by side: as many 64-bit limbs each as the largest has needed so far.
//!
//! Not here: one count by itself (`count`).

use super::count::Count;

/// Counts by number. They begin at 0.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    /// Limbs of each.
    width: usize,
    words: Vec<u64>,
}

impl Counts {
    pub const fn new() -> Self {
        Self {
            width: 1,
            words: Vec::new(),
        }
    }

    /// Forgets all, and keeps the room and the width.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// One more, which is 0.
    #[inline]
    pub fn push_zero(&mut self) {
        match self.width {
            1 => self.words.push(0),
            width => self.words.resize(self.words.len() + width, 0),
        }
    }

    /// The limbs of one, the least first.
    #[inline]
    pub fn limbs(&self, index: u32) -> &[u64] {
        let from = index as usize * self.width;
        self.words.get(from..from + self.width).unwrap_or_default()
    }

    pub fn get(&self, index: u32) -> Count {
        Count::from_limbs(self.limbs(index))
    }

    /// Adds to one; the limbs may be more or fewer than there are here.
    #[inline]
    pub fn add(&mut self, index: u32, limbs: &[u64]) {
        // By far the most searches never leave the first arm.
        if let ([limb], 1) = (limbs, self.width) {
            let word = self.words.get_mut(index as usize).expect("the count was pushed");
            let (sum, carry) = word.overflowing_add(*limb);
            *word = sum;
            if carry {
                self.carry(index);
            }
        } else {
            self.add_wide(index, limbs);
        }
    }

    fn add_wide(&mut self, index: u32, limbs: &[u64]) {
        let length = limbs.iter().rposition(|limb| *limb != 0).map_or(0, |last| last + 1);
        while self.width < length {
            self.widen();
        }
        let from = index as usize * self.width;
        let words = self
            .words
            .get_mut(from..from + self.width)
            .expect("the count was pushed");
        let mut carry = false;
        for (at, word) in words.iter_mut().enumerate() {
            if at >= length && !carry {
                return;
            }
            let (sum, one) = word.overflowing_add(limbs.get(at).copied().unwrap_or(0));
            let (sum, two) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, one || two);
        }
        if carry {
            self.carry(index);
        }
    }

    /// What flowed over the last limb becomes the first of the next.
    #[cold]
    fn carry(&mut self, index: u32) {
        self.widen();
        let last = (index as usize + 1) * self.width - 1;
        *self.words.get_mut(last).expect("the count was pushed") = 1;
    }

    /// One more limb for each, without starting over.
    #[cold]
    fn widen(&mut self) {
        let mut words = Vec::with_capacity(self.words.len() / self.width * (self.width + 1));
        for limbs in self.words.chunks(self.width) {
            words.extend_from_slice(limbs);
            words.push(0);
        }
        self.width += 1;
        self.words = words;
    }

    /// Memory held.
    pub fn n_bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_grow_wider_while_they_are_added_to() {
        let mut counts = Counts::new();
        let mut plain: Vec<Count> = Vec::new();
        for index in 0..5_u64 {
            counts.push_zero();
            counts.add(index as u32, &[index + 1]);
            plain.push(Count::from(index + 1));
        }
        // Doubling and mixing takes them from one limb to five.
        for round in 0..1_000_u32 {
            let (into, from) = (round % 5, (round * 3 + 1) % 5);
            for from in [into, from] {
                let limbs = counts.limbs(from).to_vec();
                counts.add(into, &limbs);
                let other = plain[from as usize].clone();
                plain[into as usize] += &other;
            }
        }
        assert!(plain.iter().any(|count| count.n_bits() > 256));
        for (index, count) in plain.iter().enumerate() {
            assert_eq!(counts.get(index as u32), *count);
        }
        counts.push_zero();
        assert_eq!(counts.get(5), Count::default());
        counts.clear();
        counts.push_zero();
        counts.add(0, &[3]);
        assert_eq!(counts.get(0), Count::from(3_u64));
    }
}
