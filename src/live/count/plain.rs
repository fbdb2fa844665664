//! `x += 1` without any care: read, add, write.
//!
//! Read and write are relaxed atomic accesses, the honest equivalent of a racing store in Rust: no data race in the
//! language's sense, and nothing that keeps two additions apart.

use std::sync::atomic::{AtomicU32, Ordering};

use super::race::Variant;
use crate::live::turn::Free;
use crate::workloads::counting::{Counter, Turn, Unlocked, count};

/// The counter.
#[derive(Debug, Default)]
pub struct Plain(AtomicU32);

/// A thread's hands on a plain counter.
#[derive(Debug)]
pub struct PlainCounter<'a>(pub &'a AtomicU32);

impl Variant for Plain {
    type Counter<'a> = PlainCounter<'a>;

    fn counter(&self, _thread: u32) -> PlainCounter<'_> {
        PlainCounter(&self.0)
    }

    fn count_unlocked(
        &self,
        counter: &mut PlainCounter<'_>,
        additions: u32,
        work_per_bytecode: u32,
        _turn: &mut Free<'_>,
    ) {
        plain_additions(counter.0, additions, work_per_bytecode);
    }

    fn value(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counter for PlainCounter<'_> {
    #[inline(always)]
    fn read(&mut self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn write(&mut self, sum: u32, _turn: &mut impl Turn) {
        self.0.store(sum, Ordering::Relaxed);
    }
}

/// Plain additions without an interpreter lock. Kept apart under a name of its own, so that a test can read it in the
/// shipped module: its loop holds one atomic load, one atomic store and no read-modify-write.
#[inline(never)]
#[allow(
    unsafe_code,
    reason = "an exported name is the only way to find the function in the shipped module"
)]
#[unsafe(no_mangle)]
pub extern "C" fn plain_additions(counter: &AtomicU32, additions: u32, work_per_bytecode: u32) {
    count(additions, work_per_bytecode, &mut PlainCounter(counter), &mut Unlocked);
}
