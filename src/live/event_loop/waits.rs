//! What a task can await: a sleep, a call that another worker makes, a group of tasks; and a timeout around them.
//!
//! Each suspends its task once. What comes back is whether the wait ended by itself or by a cancellation. Not here:
//! values; the heartbeat program needs none.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use super::scheduler::Scheduler;
use super::state::{TaskId, Wait};
use crate::wire::Job;

/// The wait was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// A timeout ended its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedOut {
    /// When it expired, in milliseconds after the start.
    pub at_ms: f64,
}

/// Suspends the running task once; `arm` says what will make it ready again.
async fn suspended(scheduler: &Scheduler, arm: impl FnOnce()) -> Result<(), Cancelled> {
    let mut arm = Some(arm);
    poll_fn(|_| match arm.take() {
        Some(arm) => {
            arm();
            Poll::Pending
        }
        None if scheduler.take_cancellation() => Poll::Ready(Err(Cancelled)),
        None => Poll::Ready(Ok(())),
    })
    .await
}

/// Sleeps; for no time or less it only gives the other tasks a turn.
pub async fn sleep(scheduler: &Scheduler, ms: f64) -> Result<(), Cancelled> {
    suspended(scheduler, || {
        if ms > 0.0 {
            scheduler.suspend(Some(ms));
        } else {
            scheduler.give_way();
        }
    })
    .await
}

/// Has another worker do a job and waits for it. A cancellation ends the waiting, not the job.
pub async fn on_another_worker(scheduler: &Scheduler, job: Job) -> Result<(), Cancelled> {
    let id = Cell::new(None);
    let waited = suspended(scheduler, || id.set(scheduler.hand_over(job))).await;
    if waited.is_err()
        && let Some(id) = id.get()
    {
        scheduler.abandon(id);
    }
    waited
}

/// Runs a body within a time limit. The timeout can only fire while the loop has control, so a body that never
/// suspends is never cut off, however long it takes.
///
/// # Errors
/// The limit passed, and the body ended by that cancellation.
pub async fn within<T>(
    scheduler: &Scheduler,
    limit_ms: Option<f64>,
    body: impl Future<Output = Result<T, Cancelled>>,
) -> Result<Result<T, Cancelled>, TimedOut> {
    let timeout = limit_ms.and_then(|ms| scheduler.set_timeout(ms));
    let ended = body.await;
    let expired = timeout.and_then(|timeout| scheduler.leave_timeout(timeout));
    match expired {
        Some(at_ms) if ended.is_err() => Err(TimedOut { at_ms }),
        _ => Ok(ended),
    }
}

/// Tasks that are waited for together.
#[derive(Debug)]
pub struct Group {
    scheduler: Rc<Scheduler>,
    members: Rc<Members>,
}

#[derive(Debug, Default)]
struct Members {
    running: Cell<u32>,
    waiter: RefCell<Option<(TaskId, Wait)>>,
}

impl Group {
    /// An empty group.
    pub fn new(scheduler: &Rc<Scheduler>) -> Self {
        Self {
            scheduler: Rc::clone(scheduler),
            members: Rc::default(),
        }
    }

    /// Starts a member.
    pub fn spawn(&self, name: String, body: impl Future<Output = ()> + 'static) {
        self.members.running.set(self.members.running.get() + 1);
        let (scheduler, members) = (Rc::clone(&self.scheduler), Rc::clone(&self.members));
        self.scheduler.spawn(name, async move {
            body.await;
            members.running.set(members.running.get() - 1);
            if members.running.get() == 0
                && let Some(waiter) = members.waiter.take()
            {
                scheduler.wake_soon(waiter);
            }
        });
    }

    /// Waits until all members have ended.
    pub async fn joined(self) -> Result<(), Cancelled> {
        if self.members.running.get() == 0 {
            return Ok(());
        }
        suspended(&self.scheduler, || {
            self.members.waiter.replace(self.scheduler.suspend(None));
        })
        .await
    }
}
