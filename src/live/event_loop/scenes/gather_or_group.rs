//! One of two fails: a gather raises and lets the other go on, a group cancels it.
//!
//! ```python
//! async def bad():
//!     await asyncio.sleep(0.1)
//!     raise ValueError
//!
//! async def good():
//!     try:
//!         await asyncio.sleep(0.2)
//!         print("good ends")
//!     except asyncio.CancelledError:
//!         print("good is cancelled")
//!         raise
//!
//! task = asyncio.create_task(good())
//! try:
//!     await asyncio.gather(task, bad())
//! except ValueError:
//!     print("gather: ValueError")
//! await task
//! try:
//!     async with asyncio.TaskGroup() as group:
//!         group.create_task(good())
//!         group.create_task(bad())
//! except* ValueError:
//!     print("group: ValueError")
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::front::{self, raise};
use crate::machine::{Kind, Outcome, Value};

async fn bad(stage: Stage) -> Outcome {
    stage.here.sleep(tenths(1)).await?;
    raise("ValueError")
}

async fn good(stage: Stage) -> Outcome {
    match stage.here.sleep(tenths(2)).await {
        Ok(_) => stage.print("good ends").await?,
        Err(exception) => {
            stage.print("good is cancelled").await?;
            return Err(exception);
        }
    }
    Ok(Value::None)
}

pub async fn main(stage: Stage) -> Tried {
    let here = &stage.here;
    let task = stage.task(good).await?;
    let on_stage = stage.clone();
    let failing = front::program(here, |_| bad(on_stage));
    match here.gather(vec![task.into(), failing.into()]).await {
        Err(exception) if exception.message() == "ValueError" => stage.print("gather: ValueError").await?,
        other => other.map(|_| ())?,
    }
    here.join(task).await?;
    let ended = here
        .group(async |group| {
            stage.task_in(group, good).await?;
            stage.task_in(group, bad).await
        })
        .await;
    match ended {
        Err(exception) if exception.kind() == Kind::Group => stage.print("group: ValueError").await,
        other => other.map(|_| ()),
    }
}
