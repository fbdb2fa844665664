//! Jobs that wait and compute, gone through by one worker in one of three ways.
//!
//! ```python
//! async def job():
//!     await asyncio.sleep(wait)        # or time.sleep(wait)
//!     compute()
//!
//! async with asyncio.TaskGroup() as group:   # at once
//!     for _ in range(jobs):
//!         group.create_task(job())
//! ```
//!
//! One program for both halves of its lab. Not here: what the times mean.

use crate::machine::front::{self, Here};
use crate::machine::{Exception, Nanoseconds, Outcome, Program, Value};
use crate::wire::{Sabotage, WaitsHow, WaitsJob};

/// The program of the main task.
pub fn program(here: &Here, job: WaitsJob) -> Box<dyn Program> {
    front::program(here, move |here| async move {
        all(&here, job).await?;
        Ok(Value::None)
    })
}

async fn all(here: &Here, job: WaitsJob) -> Result<(), Exception> {
    let in_line = job.sabotage == Some(Sabotage::GroupThatRunsOneAfterAnother);
    if job.how != WaitsHow::AtOnce || in_line {
        for _ in 0..job.jobs {
            one(here, job).await?;
        }
        return Ok(());
    }
    here.group(async |group| {
        for _ in 0..job.jobs {
            here.spawn_in(group, |here| async move { one(&here, job).await })
                .await?;
        }
        Ok(())
    })
    .await
}

async fn one(here: &Here, job: WaitsJob) -> Outcome {
    let blocks = job.how == WaitsHow::Blocking || job.sabotage == Some(Sabotage::AwaitThatBlocks);
    let is_hollow = job.sabotage == Some(Sabotage::CallThatDoesNotBlock);
    if job.wait_ms > 0 && !is_hollow {
        if blocks {
            here.block(Nanoseconds::millis(job.wait_ms.into())).await;
        } else {
            here.sleep(Nanoseconds::millis(job.wait_ms.into())).await?;
        }
    }
    if job.compute_ms > 0 && !is_hollow {
        here.compute(Nanoseconds::millis(job.compute_ms.into())).await;
    }
    Ok(Value::None)
}
