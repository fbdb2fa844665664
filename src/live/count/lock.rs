//! Each addition under one mutex.
//!
//! As CPython's `threading.Lock` does it: a free mutex is taken at once; for a held one the interpreter lock is given
//! up first, because whoever holds the mutex may need it to go on.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use super::race::Variant;
use crate::workloads::counting::{Counter, Turn};

/// The counter and its mutex. The counter stays an atomic of its own, read and written as the plain one is: what
/// keeps its additions whole is the mutex alone.
#[derive(Debug, Default)]
pub struct Lock {
    mutex: Mutex<()>,
    cell: AtomicU32,
}

/// A thread's hands on it.
#[derive(Debug)]
pub struct LockCounter<'a> {
    lock: &'a Lock,
    held: Option<MutexGuard<'a, ()>>,
}

impl Variant for Lock {
    type Counter<'a> = LockCounter<'a>;

    fn counter(&self, _thread: u32) -> LockCounter<'_> {
        LockCounter { lock: self, held: None }
    }

    fn value(&self) -> u32 {
        self.cell.load(Ordering::Relaxed)
    }
}

impl Counter for LockCounter<'_> {
    #[inline(always)]
    fn before(&mut self, turn: &mut impl Turn) {
        let mutex = &self.lock.mutex;
        self.held = Some(match mutex.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => turn.wait(|| mutex.lock().unwrap_or_else(PoisonError::into_inner)),
        });
    }

    #[inline(always)]
    fn read(&mut self) -> u32 {
        self.lock.cell.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn write(&mut self, sum: u32, _turn: &mut impl Turn) {
        self.lock.cell.store(sum, Ordering::Relaxed);
    }

    #[inline(always)]
    fn after(&mut self) {
        self.held = None;
    }
}
