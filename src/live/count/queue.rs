//! Threads put additions into a bounded queue; one consumer owns the counter.
//!
//! An item is one addition, or the sum of a batch of them. The consumer takes all that is there at once, into a second buffer of the same size, so
//! that no item costs an allocation and few cost a wake-up. Nobody waits with the interpreter lock held.

use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::race::Variant;
use crate::switch_points::Operation;
use crate::workloads::counting::{Counter, Turn};

/// Items the queue holds at most.
const CAPACITY: usize = 1024;
/// The fault drops every item whose number this divides.
const DROPPED: u32 = 100;

/// The queue and the consumer's counter.
#[derive(Debug)]
pub struct Queue {
    waiting: Mutex<Waiting>,
    /// Signalled when items come into an empty queue, and when the last producer ends.
    filled: Condvar,
    /// Signalled when a full queue was emptied.
    emptied: Condvar,
    /// Written by the consumer alone, once, when it has ended.
    value: AtomicU32,
    /// Additions an item, from 1.
    batch: u32,
    drops: bool,
}

#[derive(Debug)]
struct Waiting {
    items: VecDeque<u32>,
    producers: u32,
}

/// A producer's hands on it.
#[derive(Debug)]
pub struct Producer<'a> {
    queue: &'a Queue,
    /// Additions that are not handed over yet.
    sum: u32,
}

impl Queue {
    /// An empty queue; `drops`: as a fault, the consumer loses every hundredth item.
    pub fn new(producers: u32, batch: u32, drops: bool) -> Self {
        Self {
            waiting: Mutex::new(Waiting {
                items: VecDeque::with_capacity(CAPACITY),
                producers,
            }),
            filled: Condvar::new(),
            emptied: Condvar::new(),
            value: AtomicU32::new(0),
            batch,
            drops,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an item in if there is room.
    fn try_put(&self, waiting: &mut Waiting, item: u32) -> bool {
        let room = waiting.items.len() < CAPACITY;
        if room {
            waiting.items.push_back(item);
            if waiting.items.len() == 1 {
                self.filled.notify_one();
            }
        }
        room
    }

    /// Waits for room.
    fn put(&self, item: u32) {
        let mut waiting = self.waiting();
        while !self.try_put(&mut waiting, item) {
            waiting = self.emptied.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Moves everything that is there into `batch`, which is empty.
    fn take(&self, waiting: &mut Waiting, batch: &mut VecDeque<u32>) {
        let full = waiting.items.len() == CAPACITY;
        mem::swap(&mut waiting.items, batch);
        if full {
            self.emptied.notify_all();
        }
    }

    /// Waits until something is there or all producers have ended.
    fn wait_and_take(&self, batch: &mut VecDeque<u32>) {
        let mut waiting = self.waiting();
        while waiting.items.is_empty() && waiting.producers > 0 {
            waiting = self.filled.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        self.take(&mut waiting, batch);
    }
}

impl Variant for Queue {
    type Counter<'a> = Producer<'a>;
    const CONSUMES: bool = true;

    fn counter(&self, _thread: u32) -> Producer<'_> {
        Producer { queue: self, sum: 0 }
    }

    fn ended(&self) {
        self.waiting().producers -= 1;
        self.filled.notify_one();
    }

    fn consume(&self, turn: &mut impl Turn) {
        let mut batch = VecDeque::with_capacity(CAPACITY);
        let (mut value, mut seen) = (0_u32, 0_u32);
        loop {
            self.take(&mut self.waiting(), &mut batch);
            if batch.is_empty() {
                turn.wait(|| self.wait_and_take(&mut batch));
            }
            if batch.is_empty() {
                break;
            }
            for item in batch.drain(..) {
                seen += 1;
                if !(self.drops && seen % DROPPED == 0) {
                    value += item;
                }
                turn.reached(Operation::LoopBackEdge);
            }
        }
        self.value.store(value, Ordering::Relaxed);
    }

    fn value(&self) -> u32 {
        self.value.load(Ordering::Relaxed)
    }
}

impl Counter for Producer<'_> {
    /// Producers never see the counter.
    #[inline(always)]
    fn read(&mut self) -> u32 {
        0
    }

    #[inline(always)]
    fn write(&mut self, _sum: u32, turn: &mut impl Turn) {
        self.sum += 1;
        if self.sum < self.queue.batch {
            return;
        }
        let item = mem::take(&mut self.sum);
        let at_once = self.queue.try_put(&mut self.queue.waiting(), item);
        if !at_once {
            turn.wait(|| self.queue.put(item));
        }
    }
}

impl Drop for Producer<'_> {
    /// What does not fill a batch is handed over at the end, when no interpreter lock is held any more.
    fn drop(&mut self) {
        if self.sum > 0 {
            self.queue.put(self.sum);
        }
    }
}
