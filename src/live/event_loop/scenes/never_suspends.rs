//! An async function that never suspends: awaiting it is a plain call, and switches to nobody.
//!
//! ```python
//! async def other():
//!     print("other")
//!
//! async def compute():
//!     print("compute")
//!
//! task = asyncio.create_task(other())
//! print("task made")
//! await compute()
//! print("after await")
//! await task
//! print("after task")
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::{Outcome, Value};
use crate::wire::Sabotage;

async fn other(stage: Stage) -> Outcome {
    stage.print("other").await?;
    Ok(Value::None)
}

async fn compute(stage: Stage) -> Outcome {
    if stage.has(Sabotage::AwaitThatGivesWay) {
        stage.here.sleep(tenths(0)).await?;
    }
    stage.print("compute").await?;
    Ok(Value::None)
}

pub async fn main(stage: Stage) -> Tried {
    let here = &stage.here;
    let task = stage.task(other).await?;
    stage.print("task made").await?;
    let on_stage = stage.clone();
    let coroutine = here.coroutine("compute", |_| compute(on_stage)).await?;
    here.await_coroutine(coroutine).await?;
    stage.print("after await").await?;
    here.join(task).await?;
    stage.print("after task").await
}
