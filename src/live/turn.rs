//! A racing thread's turn to run, with and without the interpreter lock: check points where its runtime has them, and
//! how long it had to wait.
//!
//! Not here: the lock itself, and what the thread does with its turn.

use std::marker::PhantomData;

use super::Host;
use super::interpreter_lock::InterpreterLock;
use super::overlap::Track;
use crate::switch_points::{Operation, may_switch};
use crate::wire::Runtime;
use crate::workloads::counting::Turn;

/// A runtime as a type, so that code compiled for it holds exactly its check points.
pub trait Rules {
    /// Which runtime.
    const RUNTIME: Runtime;
}

/// Python 3.10 and later.
#[derive(Debug)]
pub struct Gil;

impl Rules for Gil {
    const RUNTIME: Runtime = Runtime::Gil;
}

/// Python 3.9 and before.
#[derive(Debug)]
pub struct GilLegacy;

impl Rules for GilLegacy {
    const RUNTIME: Runtime = Runtime::GilLegacy;
}

/// A turn without an interpreter lock: only waits are noted.
#[derive(Debug)]
pub struct Free<'a> {
    track: &'a mut Track,
    host: Host,
}

impl<'a> Free<'a> {
    /// A turn that begins now.
    pub fn new(track: &'a mut Track, host: Host) -> Self {
        Self { track, host }
    }

    /// The time now is the end of one more piece of the thread's work.
    pub fn mark(&mut self) {
        self.track.mark(self.host.now());
    }
}

impl Turn for Free<'_> {
    #[inline(always)]
    fn reached(&mut self, _operation: Operation) {}

    #[inline(always)]
    fn let_go(&mut self) {}

    fn wait<T>(&mut self, meanwhile: impl FnOnce() -> T) -> T {
        let since = self.host.now();
        let result = meanwhile();
        self.track.pause(since, self.host.now());
        result
    }
}

/// A turn under a lock. It holds the lock from when it is made until it is dropped.
#[derive(Debug)]
pub struct UnderLock<'a, R> {
    lock: &'a InterpreterLock,
    thread: u32,
    /// Where pauses are noted: only when the thread really had to wait, so that notes cost nothing otherwise.
    track: &'a mut Track,
    host: Host,
    rules: PhantomData<R>,
}

impl<'a, R: Rules> UnderLock<'a, R> {
    /// Waits for the lock and takes it.
    pub fn take(lock: &'a InterpreterLock, thread: u32, track: &'a mut Track, host: Host) -> Self {
        let mut turn = Self {
            lock,
            thread,
            track,
            host,
            rules: PhantomData,
        };
        turn.take_back(None);
        turn
    }

    /// The time now is the end of one more piece of the thread's work.
    pub fn mark(&mut self) {
        self.track.mark(self.host.now());
    }

    /// `waiting_since`: when the thread stopped, if that is known already.
    fn take_back(&mut self, waiting_since: Option<f64>) {
        let mut since = waiting_since;
        if !self.lock.try_take(self.thread) {
            since = since.or_else(|| Some(self.host.now()));
            self.lock.take(self.thread);
        }
        if let Some(since) = since {
            self.track.pause(since, self.host.now());
        }
    }

    #[cold]
    fn hand_over(&mut self) {
        self.wait(|| ());
    }
}

impl<R: Rules> Turn for UnderLock<'_, R> {
    #[inline(always)]
    fn reached(&mut self, operation: Operation) {
        if may_switch(R::RUNTIME, operation) && self.lock.drop_requested() {
            self.hand_over();
        }
    }

    /// Often called, so it reads the clock only if somebody else came between. When that was is not known then: all
    /// since the last note counts as waiting, too little progress rather than too much.
    fn let_go(&mut self) {
        let forced = self.lock.drop_requested();
        self.lock.release(self.thread);
        if !forced && self.lock.try_take(self.thread) {
            return;
        }
        self.take_back(Some(self.track.last_noted()));
    }

    fn wait<T>(&mut self, meanwhile: impl FnOnce() -> T) -> T {
        let since = self.host.now();
        self.lock.release(self.thread);
        let result = meanwhile();
        self.take_back(Some(since));
        result
    }
}

impl<R> Drop for UnderLock<'_, R> {
    fn drop(&mut self) {
        self.lock.release(self.thread);
    }
}
