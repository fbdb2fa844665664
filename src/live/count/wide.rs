//! Read, give the interpreter lock up and take it again, write: what a sleep of nothing in between does.
//!
//! Without an interpreter lock there is nothing to give up, and the addition is a plain one.

use std::sync::atomic::{AtomicU32, Ordering};

use super::race::Variant;
use crate::workloads::counting::{Counter, Turn};

/// The counter.
#[derive(Debug, Default)]
pub struct Wide(AtomicU32);

/// A thread's hands on it.
#[derive(Debug)]
pub struct WideCounter<'a>(&'a AtomicU32);

impl Variant for Wide {
    type Counter<'a> = WideCounter<'a>;

    fn counter(&self, _thread: u32) -> WideCounter<'_> {
        WideCounter(&self.0)
    }

    fn value(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counter for WideCounter<'_> {
    #[inline(always)]
    fn read(&mut self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn between(&mut self, turn: &mut impl Turn) {
        turn.let_go();
    }

    #[inline(always)]
    fn write(&mut self, sum: u32, _turn: &mut impl Turn) {
        self.0.store(sum, Ordering::Relaxed);
    }
}
