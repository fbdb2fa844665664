//! `x = f(x) + 1`: a function is entered between the read and the write, and with it a check point is passed.

use std::sync::atomic::{AtomicU32, Ordering};

use super::race::Variant;
use crate::switch_points::Operation;
use crate::workloads::counting::{Counter, Turn};

/// The counter.
#[derive(Debug, Default)]
pub struct Call(AtomicU32);

/// A thread's hands on it.
#[derive(Debug)]
pub struct CallCounter<'a>(&'a AtomicU32);

impl Variant for Call {
    type Counter<'a> = CallCounter<'a>;

    fn counter(&self, _thread: u32) -> CallCounter<'_> {
        CallCounter(&self.0)
    }

    fn value(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counter for CallCounter<'_> {
    #[inline(always)]
    fn read(&mut self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn between(&mut self, turn: &mut impl Turn) {
        turn.reached(Operation::FunctionEntry);
    }

    #[inline(always)]
    fn write(&mut self, sum: u32, _turn: &mut impl Turn) {
        self.0.store(sum, Ordering::Relaxed);
    }
}
