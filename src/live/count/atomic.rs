//! One atomic addition: read, add and write in one step that nothing can come between.

use std::sync::atomic::{AtomicU32, Ordering};

use super::race::Variant;
use crate::workloads::counting::{Counter, Turn};

/// The counter.
#[derive(Debug, Default)]
pub struct Atomic(AtomicU32);

/// A thread's hands on it.
#[derive(Debug)]
pub struct AtomicCounter<'a>(&'a AtomicU32);

impl Variant for Atomic {
    type Counter<'a> = AtomicCounter<'a>;

    fn counter(&self, _thread: u32) -> AtomicCounter<'_> {
        AtomicCounter(&self.0)
    }

    fn value(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counter for AtomicCounter<'_> {
    /// Nothing is read ahead: that is the point.
    #[inline(always)]
    fn read(&mut self) -> u32 {
        0
    }

    #[inline(always)]
    fn write(&mut self, _sum: u32, _turn: &mut impl Turn) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
