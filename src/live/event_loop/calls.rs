//! Calls that other workers make for the loop: a bounded number at a time, the others in a queue.
//!
//! As CPython's thread pool does it: first in, first out; nothing stops a call that runs; one that is given up while it
//! is queued never starts. Not here: who the other workers are, and what a call does.

use std::collections::VecDeque;

use super::state::{TaskId, Wait};
use crate::wire::{HandedCall, Job};

/// Who waits for a call.
pub type Waiter = (TaskId, Wait);

/// All calls of a loop that have not ended.
#[derive(Debug)]
pub struct Calls {
    limit: usize,
    numbered: u32,
    queued: VecDeque<(HandedCall, Waiter)>,
    /// Started, and to be handed out at the end of this turn.
    starting: Vec<HandedCall>,
    /// Started and not answered.
    running: Vec<Running>,
}

#[derive(Debug)]
struct Running {
    id: u32,
    /// None once nobody waits for it any more.
    waiter: Option<Waiter>,
}

impl Calls {
    /// None yet; at most `limit` will run at a time.
    pub fn new(limit: u32) -> Self {
        Self {
            limit: limit as usize,
            numbered: 0,
            queued: VecDeque::new(),
            starting: Vec::new(),
            running: Vec::new(),
        }
    }

    /// A new call, started now or when there is room; its number.
    pub fn hand_over(&mut self, job: Job, waiter: Waiter) -> u32 {
        let id = self.numbered;
        self.numbered += 1;
        self.queued.push_back((HandedCall { id, job }, waiter));
        self.start();
        id
    }

    /// Nobody waits for this call any more.
    pub fn abandon(&mut self, id: u32) {
        self.queued.retain(|(call, _)| call.id != id);
        if let Some(running) = self.running.iter_mut().find(|running| running.id == id) {
            running.waiter = None;
        }
    }

    /// A call has ended, so the next one starts. Says who waited for it, if anybody still did.
    pub fn answered(&mut self, id: u32) -> Option<Waiter> {
        let index = self.running.iter().position(|running| running.id == id)?;
        let ended = self.running.swap_remove(index);
        self.start();
        ended.waiter
    }

    /// The calls to be handed out now.
    pub fn take_starting(&mut self) -> Vec<HandedCall> {
        std::mem::take(&mut self.starting)
    }

    /// Whether all have ended.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty() && self.queued.is_empty()
    }

    fn start(&mut self) {
        while self.running.len() < self.limit
            && let Some((call, waiter)) = self.queued.pop_front()
        {
            self.running.push(Running {
                id: call.id,
                waiter: Some(waiter),
            });
            self.starting.push(call);
        }
    }
}
