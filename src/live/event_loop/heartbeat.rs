//! The program: a heartbeat beside a task that is quiet, makes a call in one of six ways, and is quiet again.
//!
//! Not here: what the gaps mean. It writes down when things happened.

use std::cell::RefCell;
use std::rc::Rc;

use super::scheduler::Scheduler;
use super::waits::{Cancelled, Group, on_another_worker, sleep, within};
use crate::wire::{Job, Sabotage, StallJob, StallSeen, StallVariant};

/// How many handlers, and how long each takes in milliseconds.
const HANDLERS: u32 = 10;
const HANDLER_MS: u32 = 100;
/// The call that holds the loop, by the name a Python programmer knows.
const BLOCKING_CALL: &str = "time.sleep";

/// What every part of the program needs.
#[derive(Clone, Debug)]
struct Stage {
    scheduler: Rc<Scheduler>,
    job: StallJob,
    seen: Rc<RefCell<StallSeen>>,
}

/// Makes the program's tasks; the loop runs them.
pub fn start(scheduler: &Rc<Scheduler>, job: StallJob, seen: &Rc<RefCell<StallSeen>>) {
    let stage = Stage {
        scheduler: Rc::clone(scheduler),
        job,
        seen: Rc::clone(seen),
    };
    scheduler.spawn("fetch_report".to_owned(), async move { stage.main().await });
}

impl Stage {
    async fn main(&self) {
        let heart = self.clone();
        let heartbeat = self
            .scheduler
            .spawn("heartbeat".to_owned(), async move { heart.beat().await });
        // Nothing cancels this task but its own timeouts, which end inside the call: quiet is never cut short.
        let _ = self.quiet().await;
        self.seen.borrow_mut().call_started_ms = self.scheduler.now_ms();
        self.call().await;
        let _ = self.quiet().await;
        self.seen.borrow_mut().main_ended_ms = self.scheduler.now_ms();
        self.scheduler.cancel(heartbeat);
    }

    /// Missed beats are not made up for: each waits a whole interval after the one before.
    async fn beat(&self) {
        loop {
            self.seen.borrow_mut().beats_ms.push(self.scheduler.now_ms());
            if sleep(&self.scheduler, self.job.heartbeat_ms.into()).await.is_err() {
                return;
            }
        }
    }

    async fn quiet(&self) -> Result<(), Cancelled> {
        sleep(&self.scheduler, self.job.quiet_ms.into()).await
    }

    async fn call(&self) {
        match self.job.variant {
            StallVariant::Blocking => self.in_time(self.blocking()).await,
            StallVariant::ToThread => self.in_time(self.to_thread(self.call_ms())).await,
            StallVariant::OwnTimeout => self.own_timeout().await,
            StallVariant::Slices => self.in_time(self.slices()).await,
            StallVariant::HandlersBlocking | StallVariant::HandlersAwaiting => self.handlers().await,
        }
    }

    /// Runs a call inside the loop's timeout and writes down how it ended. A call on another worker that nobody waits
    /// for any more has no end here; the program's own end shows it.
    async fn in_time(&self, call: impl Future<Output = Result<(), Cancelled>>) {
        let set = !self.sabotaged(Sabotage::TimeoutThatNeverFires);
        let outcome = within(&self.scheduler, set.then(|| self.job.timeout_ms.into()), call).await;
        let now = self.scheduler.now_ms();
        let mut seen = self.seen.borrow_mut();
        seen.timeout_at_ms = outcome.err().map(|timed_out| timed_out.at_ms);
        let goes_on = outcome.is_err() && self.job.variant == StallVariant::ToThread;
        seen.call_ended_ms = (!goes_on).then_some(now);
    }

    /// Asynchronous by its form only: it never suspends.
    async fn blocking(&self) -> Result<(), Cancelled> {
        self.block(self.call_ms());
        Ok(())
    }

    async fn to_thread(&self, ms: u32) -> Result<(), Cancelled> {
        if self.sabotaged(Sabotage::ToThreadThatBlocks) {
            self.block(ms);
            return Ok(());
        }
        on_another_worker(&self.scheduler, Job::Block { ms }).await
    }

    /// The call ends by a time limit of its own, as `requests.get(timeout=…)` does; the loop's timeout would only
    /// fire at the same moment, so there is none.
    async fn own_timeout(&self) {
        let limited = !self.sabotaged(Sabotage::TimeoutThatNeverFires) && self.call_ms() > self.job.timeout_ms;
        let ms = if limited { self.job.timeout_ms } else { self.call_ms() };
        let _ = self.to_thread(ms).await;
        let now = self.scheduler.now_ms();
        let mut seen = self.seen.borrow_mut();
        seen.call_ended_ms = Some(now);
        seen.timeout_at_ms = limited.then_some(now);
    }

    async fn slices(&self) -> Result<(), Cancelled> {
        let mut left = self.call_ms();
        while left > 0 {
            let slice = self.job.slice_ms.clamp(1, left);
            self.block(slice);
            left -= slice;
            if !self.sabotaged(Sabotage::SlicesThatDoNotYield) {
                sleep(&self.scheduler, 0.0).await?;
            }
        }
        Ok(())
    }

    async fn handlers(&self) {
        let group = Group::new(&self.scheduler);
        for number in 1..=HANDLERS {
            let stage = self.clone();
            group.spawn(format!("handler {number}"), async move {
                let awaits = stage.job.variant == StallVariant::HandlersAwaiting;
                if awaits && !stage.sabotaged(Sabotage::AwaitThatBlocks) {
                    // Nobody cancels a handler, so the sleep ends by itself.
                    let _ = sleep(&stage.scheduler, HANDLER_MS.into()).await;
                } else if !stage.sabotaged(Sabotage::CallThatDoesNotBlock) {
                    stage.block(HANDLER_MS);
                }
                stage.seen.borrow_mut().call_ended_ms = Some(stage.scheduler.now_ms());
            });
        }
        let _ = group.joined().await;
    }

    fn block(&self, ms: u32) {
        if ms > 0 {
            self.scheduler.block(BLOCKING_CALL, ms.into());
        }
    }

    fn call_ms(&self) -> u32 {
        if self.sabotaged(Sabotage::CallThatDoesNotBlock) {
            0
        } else {
            self.job.call_ms
        }
    }

    fn sabotaged(&self, fault: Sabotage) -> bool {
        self.job.sabotage == Some(fault)
    }
}
