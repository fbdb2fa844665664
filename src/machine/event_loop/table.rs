//! Tables of the loop's objects: one row each, by number, kept to the end of the run.
//!
//! Not here: futures, whose rows are used again.

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

#[cold]
pub(super) fn unknown() -> Exception {
    Exception::new(Kind::RuntimeError, "no object of this event loop has that number")
}
