//! What a blocked thread waits for, and who could let it go on.
//!
//! Not here: whether anybody ever does; the search finds out.

use super::compiled::LockBits;
use super::flow::Help;
use super::line::{ConditionId, LockId, QueueId, SemaphoreId, Step};
use super::packed::Packed;
use super::phase::Phase;
use super::prepared::{Runner, SmallSystem};
use crate::explore::system::{System, Thread, Threads};

/// Why a thread cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The lock is held.
    Lock {
        /// Which.
        lock: LockId,
        /// By whom; it may be the thread itself.
        holder: Thread,
    },
    /// The semaphore stands at 0.
    Semaphore(SemaphoreId),
    /// The queue has no room.
    QueueFull(QueueId),
    /// The queue has nothing.
    QueueEmpty(QueueId),
    /// Nobody has notified it yet.
    Notification(ConditionId),
    /// It was notified, but the condition's lock is held.
    LockAfterNotification {
        /// The condition that it waited for.
        condition: ConditionId,
        /// Its lock.
        lock: LockId,
        /// Who holds it.
        holder: Thread,
    },
}

impl<const WORDS: usize> SmallSystem<WORDS> {
    /// Why a thread is blocked; nothing where it can go on or has ended.
    #[must_use]
    pub fn blocked(&self, state: &Packed<WORDS>, thread: Thread) -> Option<Reason> {
        let runner = self.runner(thread);
        let own = self.own(state, runner.slot);
        let place = self.place(own);
        let code = self.program.threads.get(thread.index())?;
        let step = code.get(place)?.step;
        let line = self.line(runner, place);
        match (self.phase(own), step) {
            (Phase::Waiting, Step::Wait(condition)) => Some(Reason::Notification(condition)),
            // A task that was notified goes on by queueing.
            (Phase::Notified, Step::Wait(_)) if line.row.is_some() => None,
            (Phase::Queued, _) if self.enabled(state).has(thread) => None,
            (Phase::Queued, Step::Acquire(lock) | Step::TryAcquire { lock, .. } | Step::AcquireWithin { lock, .. }) => {
                let holder = self.holder_or_next(state, lock)?;
                Some(Reason::Lock { lock, holder })
            }
            (Phase::Queued, Step::Down(semaphore)) => Some(Reason::Semaphore(semaphore)),
            (Phase::Notified | Phase::Queued, Step::Wait(condition)) => {
                let lock = self.program.conditions.get(usize::from(condition.0))?.lock;
                let holder = self.holder_or_next(state, lock)?;
                Some(Reason::LockAfterNotification {
                    condition,
                    lock,
                    holder,
                })
            }
            (Phase::Ready, step) if line.gate.blocks(0, state) => match step {
                Step::Acquire(lock) => {
                    let holder = self.holder(state, lock)?;
                    Some(Reason::Lock { lock, holder })
                }
                Step::Down(semaphore) => Some(Reason::Semaphore(semaphore)),
                Step::Put(queue, _) => Some(Reason::QueueFull(queue)),
                Step::Get { queue, .. } => Some(Reason::QueueEmpty(queue)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Who holds a lock.
    #[must_use]
    pub fn holder(&self, state: &Packed<WORDS>, lock: LockId) -> Option<Thread> {
        let bits: &LockBits<WORDS> = self.locks.get(usize::from(lock.0))?;
        (0..)
            .map(Thread)
            .zip(&self.threads)
            .find(|(_, runner)| self.own(state, runner.slot) & bits.own != 0)
            .map(|(thread, _)| thread)
    }

    /// Who holds a lock; if it is free, who is first in its row.
    fn holder_or_next(&self, state: &Packed<WORDS>, lock: LockId) -> Option<Thread> {
        let is_next = |runner: &Runner| {
            let own = self.own(state, runner.slot);
            let is_in_row = self.line(runner, self.place(own)).row == Some(lock.0);
            self.phase(own) == Phase::Queued && is_in_row && self.layout.ticket.raw(own) == 0
        };
        let next = || (0..).map(Thread).zip(&self.threads).find(|(_, runner)| is_next(runner));
        self.holder(state, lock).or_else(|| next().map(|(thread, _)| thread))
    }

    /// [`System::waits_for`]
    pub(super) fn helpers(&self, state: &Packed<WORDS>, thread: Thread) -> Threads {
        match self.blocked(state, thread) {
            None => Threads::NONE,
            Some(Reason::Lock { lock, holder } | Reason::LockAfterNotification { lock, holder, .. }) => {
                self.releasers(state, thread, lock, holder)
            }
            Some(Reason::Semaphore(semaphore)) => self.who_can(state, thread, Help::Up(semaphore)),
            Some(Reason::QueueFull(queue)) => self.who_can(state, thread, Help::Get(queue)),
            Some(Reason::QueueEmpty(queue)) => self.who_can(state, thread, Help::Put(queue)),
            Some(Reason::Notification(condition)) => self.who_can(state, thread, Help::Notify(condition)),
        }
    }

    /// The holder, if it may still release the lock (or is the thread itself, which waits for what it has); and whoever
    /// may release it before asking for it, as any thread may. Where that is nobody: whoever may ever release it.
    fn releasers(&self, state: &Packed<WORDS>, thread: Thread, lock: LockId, holder: Thread) -> Threads {
        let all = self.who_can(state, thread, Help::Release(lock));
        let others = all.iter().filter(|other| {
            let runner = self.runner(*other);
            let own = self.own(state, runner.slot);
            let is_next = self.phase(own) == Phase::Ready;
            is_next && self.line(runner, self.place(own)).ahead.frees >> lock.0 & 1 == 1
        });
        let mut helpers = others.fold(Threads::NONE, Threads::with);
        if holder == thread || all.has(holder) {
            helpers = helpers.with(holder);
        }
        if helpers.is_empty() { all } else { helpers }
    }

    /// The other threads that have not ended and may still do this.
    fn who_can(&self, state: &Packed<WORDS>, thread: Thread, help: Help) -> Threads {
        (0..self.n_threads())
            .map(Thread)
            .filter(|other| *other != thread && !self.has_ended(state, *other))
            .filter(|other| {
                let runner = self.runner(*other);
                let own = self.own(state, runner.slot);
                self.line(runner, self.place(own)).ahead.helps & help.bit() != 0
            })
            .fold(Threads::NONE, Threads::with)
    }
}
