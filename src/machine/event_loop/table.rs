//! Tables of the loop's objects by number: rows that are kept to the end of the run, and rows that are used again.
//!
//! Not here: futures, which say themselves when a row may be used again.

use std::marker::PhantomData;

use super::ids::Id;
use crate::machine::{Exception, Kind};

/// One kind of object.
pub(super) struct Table<I, Row> {
    rows: Vec<Row>,
    ids: PhantomData<I>,
}

impl<I, Row> Default for Table<I, Row> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            ids: PhantomData,
        }
    }
}

impl<I: Id, Row> Table<I, Row> {
    pub(super) fn push(&mut self, row: Row) -> I {
        let number = u32::try_from(self.rows.len()).expect("ceilings are below that");
        self.rows.push(row);
        I::at(number)
    }

    /// # Errors
    /// The program named an object of another loop, or made the number up.
    pub(super) fn get(&self, id: I) -> Result<&Row, Exception> {
        self.rows.get(id.place()).ok_or_else(unknown)
    }

    /// # Errors
    /// The program named an object of another loop, or made the number up.
    pub(super) fn get_mut(&mut self, id: I) -> Result<&mut Row, Exception> {
        self.rows.get_mut(id.place()).ok_or_else(unknown)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (I, &Row)> {
        (0..).map(I::at).zip(&self.rows)
    }
}

/// Bits of a number that say which row it is; the others say how often the row had been used before.
const ROW_BITS: u32 = 22;

/// One kind of object whose row is used again once it has been taken. Numbers are never used again: after 1,024 uses a
/// row is left alone.
pub(super) struct Slots<I, Row> {
    rows: Vec<(u32, Option<Row>)>,
    free: Vec<u32>,
    ids: PhantomData<I>,
}

impl<I, Row> Default for Slots<I, Row> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            free: Vec::new(),
            ids: PhantomData,
        }
    }
}

impl<I: Id, Row> Slots<I, Row> {
    /// Fills a row; nothing where there are more than four million rows in use.
    pub(super) fn push(&mut self, row: Row) -> Option<I> {
        if let Some(place) = self.free.pop() {
            let (uses, filled) = self.rows.get_mut(place as usize)?;
            *filled = Some(row);
            return Some(I::at(*uses << ROW_BITS | place));
        }
        let place = u32::try_from(self.rows.len())
            .ok()
            .filter(|place| *place < 1 << ROW_BITS)?;
        self.rows.push((0, Some(row)));
        Some(I::at(place))
    }

    /// The row, unless it was taken.
    pub(super) fn get_mut(&mut self, id: I) -> Option<&mut Row> {
        let number = u32::try_from(id.place()).ok()?;
        let (uses, row) = self.rows.get_mut(number as usize % (1 << ROW_BITS))?;
        row.as_mut().filter(|_| *uses == number >> ROW_BITS)
    }

    /// Brings a row into the processor's caches.
    #[inline(always)]
    pub(super) fn look_at(&self, id: I) {
        if let Some((uses, row)) = self.rows.get(id.place() % (1 << ROW_BITS)) {
            std::hint::black_box((*uses, row.is_some()));
        }
    }

    /// Empties a row.
    pub(super) fn take(&mut self, id: I) -> Option<Row> {
        let number = u32::try_from(id.place()).ok()?;
        let place = number % (1 << ROW_BITS);
        let (uses, row) = self.rows.get_mut(place as usize)?;
        if row.is_none() || *uses != number >> ROW_BITS {
            return None;
        }
        *uses += 1;
        if *uses < 1 << (u32::BITS - ROW_BITS) {
            self.free.push(place);
        }
        row.take()
    }
}

#[cold]
pub(super) fn unknown() -> Exception {
    Exception::new(Kind::RuntimeError, "no object of this event loop has that number")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::event_loop::HandleId;

    #[test]
    fn a_number_is_never_used_again() {
        let mut slots: Slots<HandleId, u32> = Slots::default();
        let mut seen = std::collections::BTreeSet::new();
        for n in 0..3000 {
            let id = slots.push(n).expect("there is room");
            assert!(seen.insert(id));
            assert_eq!((slots.take(id), slots.take(id)), (Some(n), None));
        }
        assert_eq!(slots.rows.len(), 3, "rows are used 1,024 times each");
    }
}
