//! A cancelled task is told by an exception where it waits, and may take its time to clean up.
//!
//! ```python
//! async def upload():
//!     try:
//!         await asyncio.sleep(1)
//!     except asyncio.CancelledError:
//!         print("cancelled, cleaning up")
//!         await asyncio.sleep(0.1)
//!         print("clean")
//!         raise
//!
//! task = asyncio.create_task(upload())
//! await asyncio.sleep(0.1)
//! print("cancel:", task.cancel())
//! try:
//!     await task
//! except asyncio.CancelledError:
//!     print("the task is cancelled")
//! print("cancel again:", task.cancel())
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::Outcome;

async fn upload(stage: Stage) -> Outcome {
    let slept = stage.here.sleep(tenths(10)).await;
    if slept.as_ref().is_err_and(|exception| exception.is_cancelled()) {
        stage.print("cancelled, cleaning up").await?;
        stage.here.sleep(tenths(1)).await?;
        stage.print("clean").await?;
    }
    slept
}

pub async fn main(stage: Stage) -> Tried {
    let here = &stage.here;
    let task = stage.task(upload).await?;
    here.sleep(tenths(1)).await?;
    let asked = here.cancel(task, None).await?;
    stage.print(&format!("cancel: {}", shown(asked))).await?;
    match here.join(task).await {
        Err(exception) if exception.is_cancelled() => stage.print("the task is cancelled").await?,
        other => other.map(|_| ())?,
    }
    let asked = here.cancel(task, None).await?;
    stage.print(&format!("cancel again: {}", shown(asked))).await
}

/// As Python prints it.
const fn shown(truth: bool) -> &'static str {
    if truth { "True" } else { "False" }
}
