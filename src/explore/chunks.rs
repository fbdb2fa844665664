//! A list that grows without moving what is in it: pieces of equal length.
//!
//! A plain vector doubles by copying all it holds, which for tens of millions of states is a pause and three times the
//! memory at once. Not here: removal, but for all at once.

const BITS: u32 = 14;
const LENGTH: usize = 1 << BITS;

/// A list in pieces. Its indices are u32.
#[derive(Clone, Debug)]
pub(super) struct Chunks<T> {
    pieces: Vec<Vec<T>>,
    length: usize,
}

impl<T> Chunks<T> {
    pub const fn new() -> Self {
        Self {
            pieces: Vec::new(),
            length: 0,
        }
    }

    pub const fn len(&self) -> usize {
        self.length
    }

    pub fn push(&mut self, value: T) {
        let piece = self.length >> BITS;
        if piece == self.pieces.len() {
            // The first piece grows from nothing, so that a small search stays small.
            let room = if piece == 0 { 0 } else { LENGTH };
            self.pieces.push(Vec::with_capacity(room));
        }
        self.length += 1;
        if let Some(piece) = self.pieces.get_mut(piece) {
            piece.push(value);
        }
    }

    #[inline]
    pub fn get(&self, index: u32) -> Option<&T> {
        self.pieces
            .get((index >> BITS) as usize)?
            .get(index as usize & (LENGTH - 1))
    }

    /// Forgets all, and keeps the room.
    pub fn clear(&mut self) {
        self.pieces.iter_mut().for_each(Vec::clear);
        self.length = 0;
    }

    /// Memory held, without what the values themselves own.
    pub fn n_bytes(&self) -> usize {
        let room: usize = self.pieces.iter().map(Vec::capacity).sum();
        room * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_list() {
        let mut list = Chunks::new();
        for round in 0..2 {
            let n = 3 * LENGTH + 5 + round;
            (0..n).for_each(|value| list.push(value));
            assert_eq!(list.len(), n);
            assert!((0..n).all(|index| list.get(index as u32) == Some(&index)));
            assert_eq!(list.get(n as u32), None);
            assert!(list.n_bytes() >= n * size_of::<usize>());
            list.clear();
            assert_eq!((list.len(), list.get(0)), (0, None));
        }
    }
}
