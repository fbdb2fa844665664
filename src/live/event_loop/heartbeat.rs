//! The heartbeat program: a heart that beats beside a task that is quiet, makes one call, and is quiet again.
//!
//! One program for both halves of its lab: the real clock drives it in a worker, the machine in virtual time. Worked
//! example, with a beat every 100 ms, 300 ms of quiet and a call of 1,500 ms that blocks the loop: beats at 0, 100 and
//! 200, then at 1,800, because nothing else runs while the call's step lasts: a gap of 1,600 ms. The timeout of 500 ms
//! around the call is due at 800, but only the loop can fire it, and by the time the loop has control again the call has
//! ended.
//!
//! Not here: what the gaps mean. It writes down when things happened.

use std::cell::RefCell;
use std::rc::Rc;

use crate::machine::event_loop::{FutureId, LoopCall, TaskOptions};
use crate::machine::front::{self, Here};
use crate::machine::threads::{
    ExecutorId, NewPool, Payload, Pool, PoolCall, StartMethod, Submit, ThreadCall, Work, Workers,
};
use crate::machine::{Effect, Exception, Kind, Nanoseconds, Note, Outcome, Program, Value};
use crate::wire::{Sabotage, StallJob, StallSeen, StallVariant};

/// How many handlers, and how long each takes in milliseconds.
const HANDLERS: u32 = 10;
const HANDLER_MS: u32 = 100;
/// The task that makes the call.
const MAIN: &str = "fetch_report";
/// What holds a loop, by the names a Python programmer knows.
const BLOCKING_CALL: &str = "time.sleep";
const COMPUTING_CALL: &str = "sum_of_squares";

type Tried<T = ()> = Result<T, Exception>;

/// The program of the main task. What it sees is complete when it has ended, but for the program's own end.
pub fn program(here: &Here, job: StallJob, seen: &Rc<RefCell<StallSeen>>) -> Box<dyn Program> {
    let seen = Rc::clone(seen);
    front::program(here, |here| async move {
        let stage = Stage { here, job, seen };
        stage.main().await?;
        Ok(Value::None)
    })
}

/// What every part of the program needs.
#[derive(Clone)]
struct Stage {
    here: Here,
    job: StallJob,
    seen: Rc<RefCell<StallSeen>>,
}

impl Stage {
    async fn main(&self) -> Tried {
        let main = self.here.current_task().await?;
        self.here.set_name(main, MAIN).await?;
        let heart = self.clone();
        let heartbeat = self
            .here
            .spawn_named("heartbeat", |_| async move { heart.beat().await })
            .await?;
        self.quiet().await?;
        self.seen.borrow_mut().call_started_ms = self.now_ms().await?;
        self.call().await?;
        self.quiet().await?;
        self.seen.borrow_mut().main_ended_ms = self.now_ms().await?;
        self.here.cancel(heartbeat, None).await?;
        Ok(())
    }

    /// Missed beats are not made up for: each waits a whole interval after the one before.
    async fn beat(&self) -> Outcome {
        loop {
            let now = self.now_ms().await?;
            self.seen.borrow_mut().beats_ms.push(now);
            self.here.sleep(ms(self.job.heartbeat_ms)).await?;
        }
    }

    async fn quiet(&self) -> Tried {
        self.here.sleep(ms(self.job.quiet_ms)).await.map(|_| ())
    }

    async fn call(&self) -> Tried {
        match self.job.variant {
            StallVariant::Blocking => self.in_time(self.blocking()).await,
            StallVariant::ToThread => self.in_time(self.to_thread(self.call_ms())).await,
            StallVariant::OwnTimeout => self.own_timeout().await,
            StallVariant::Slices => self.in_time(self.slices()).await,
            StallVariant::ComputeInline => self.in_time(self.computing()).await,
            StallVariant::ComputeToThread => self.in_time(self.computing_elsewhere(Pool::Default)).await,
            StallVariant::ComputeProcesses => {
                // Made before the clock of the call starts, as a service makes its pool when it starts.
                let pool = self.process_pool().await?;
                self.in_time(self.computing_elsewhere(Pool::Of(pool))).await
            }
            StallVariant::HandlersBlocking | StallVariant::HandlersAwaiting => self.handlers().await,
        }
    }

    /// Runs a call inside the loop's timeout and writes down how it ended. A call elsewhere that nobody waits for any
    /// more has no end here; the program's own end shows it.
    async fn in_time(&self, call: impl Future<Output = Tried>) -> Tried {
        let is_set = !self.sabotaged(Sabotage::TimeoutThatNeverFires);
        let timeout = self.here.new_timeout(is_set.then(|| ms(self.job.timeout_ms))).await?;
        let ended = self.here.in_timeout(timeout, call).await;
        let timed_out = match ended {
            Ok(()) => false,
            Err(exception) if exception.kind() == Kind::Timeout => true,
            Err(other) => return Err(other),
        };
        let now = self.now_ms().await?;
        let is_elsewhere = matches!(
            self.job.variant,
            StallVariant::ToThread | StallVariant::ComputeToThread | StallVariant::ComputeProcesses
        );
        let mut seen = self.seen.borrow_mut();
        seen.timeout_at_ms = timed_out.then_some(now);
        seen.call_ended_ms = (!(timed_out && is_elsewhere)).then_some(now);
        Ok(())
    }

    /// Asynchronous by its form only: it never suspends.
    async fn blocking(&self) -> Tried {
        self.block(self.call_ms()).await;
        Ok(())
    }

    async fn to_thread(&self, call_ms: u32) -> Tried {
        if self.sabotaged(Sabotage::ToThreadThatBlocks) {
            self.block(call_ms).await;
            return Ok(());
        }
        let call = |here: Here| async move {
            blocking_call(&here, call_ms).await;
            Ok(Value::None)
        };
        self.here.to_thread(call).await.map(|_| ())
    }

    /// The call ends by a time limit of its own, as `requests.get(timeout=…)` does; the loop's timeout would only
    /// fire at the same moment, so there is none.
    async fn own_timeout(&self) -> Tried {
        let limited = !self.sabotaged(Sabotage::TimeoutThatNeverFires) && self.call_ms() > self.job.timeout_ms;
        let call_ms = if limited { self.job.timeout_ms } else { self.call_ms() };
        self.to_thread(call_ms).await?;
        let now = self.now_ms().await?;
        let mut seen = self.seen.borrow_mut();
        seen.call_ended_ms = Some(now);
        seen.timeout_at_ms = limited.then_some(now);
        Ok(())
    }

    async fn slices(&self) -> Tried {
        let mut left = self.call_ms();
        while left > 0 {
            let slice = self.job.slice_ms.clamp(1, left);
            self.block(slice).await;
            left -= slice;
            if !self.sabotaged(Sabotage::SlicesThatDoNotYield) {
                self.here.sleep(Nanoseconds::ZERO).await?;
            }
        }
        Ok(())
    }

    async fn computing(&self) -> Tried {
        computing_call(&self.here, self.call_ms()).await;
        Ok(())
    }

    async fn process_pool(&self) -> Tried<ExecutorId> {
        let pool = NewPool {
            workers: Workers::Processes(StartMethod::default()),
            max_workers: Some(1),
            ..NewPool::default()
        };
        let call = ThreadCall::Pool(PoolCall::New(Box::new(pool)));
        ExecutorId::try_from(self.here.perform(Effect::Thread(call)).await?)
    }

    /// Computes on a thread or in a process, and waits for it.
    async fn computing_elsewhere(&self, pool: Pool) -> Tried {
        if self.sabotaged(Sabotage::ToThreadThatBlocks) {
            return self.computing().await;
        }
        let call_ms = self.call_ms();
        let call = front::program(&self.here, |here| async move {
            computing_call(&here, call_ms).await;
            Ok(Value::None)
        });
        let submit = Submit {
            pool,
            work: Work::One(call),
            payload: Payload::default(),
            answer_to: None,
        };
        let future = self.here.run_in_executor(submit).await?;
        self.here.join(future).await.map(|_| ())
    }

    async fn handlers(&self) -> Tried {
        self.here
            .group(async |group| {
                for number in 1..=HANDLERS {
                    let stage = self.clone();
                    let handler = front::program(&self.here, |_| async move { stage.handler().await });
                    let options = TaskOptions {
                        name: Some(format!("handler {number}").into()),
                        ..TaskOptions::default()
                    };
                    let call = LoopCall::CreateGroupTask(group, handler.into(), Some(Box::new(options)));
                    FutureId::try_from(self.here.ask(call).await?)?;
                }
                Ok(())
            })
            .await
    }

    async fn handler(&self) -> Outcome {
        let awaits = self.job.variant == StallVariant::HandlersAwaiting;
        if awaits && !self.sabotaged(Sabotage::AwaitThatBlocks) {
            self.here.sleep(ms(HANDLER_MS)).await?;
        } else if !self.sabotaged(Sabotage::CallThatDoesNotBlock) {
            self.block(HANDLER_MS).await;
        }
        let now = self.now_ms().await?;
        self.seen.borrow_mut().call_ended_ms = Some(now);
        Ok(Value::None)
    }

    async fn block(&self, call_ms: u32) {
        blocking_call(&self.here, call_ms).await;
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

    async fn now_ms(&self) -> Tried<f64> {
        Ok(self.here.time().await?.as_millis())
    }
}

/// Blocks its thread, under a name by which a stall can be explained.
async fn blocking_call(here: &Here, call_ms: u32) {
    if call_ms > 0 {
        here.note(Note::Doing(BLOCKING_CALL)).await;
        here.note(Note::Line(line!() + 1)).await;
        here.block(ms(call_ms)).await;
    }
}

/// Computes on its thread, under a name by which a stall can be explained.
async fn computing_call(here: &Here, call_ms: u32) {
    if call_ms > 0 {
        here.note(Note::Doing(COMPUTING_CALL)).await;
        here.note(Note::Line(line!() + 1)).await;
        here.compute(ms(call_ms)).await;
    }
}

fn ms(milliseconds: u32) -> Nanoseconds {
    Nanoseconds::millis(milliseconds.into())
}
