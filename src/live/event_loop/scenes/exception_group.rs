//! Two tasks of a group fail, one of them while it cleans up: the group raises both errors at once.
//!
//! ```python
//! async def first():
//!     await asyncio.sleep(0.1)
//!     raise ValueError
//!
//! async def second():
//!     try:
//!         await asyncio.sleep(1)
//!     finally:
//!         print("second cleans up")
//!         raise KeyError
//!
//! async def third():
//!     await asyncio.sleep(1)
//!
//! try:
//!     async with asyncio.TaskGroup() as group:
//!         for child in (first, second, third):
//!             group.create_task(child())
//! except* ValueError:
//!     print("caught ValueError")
//! except* KeyError:
//!     print("caught KeyError")
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::Outcome;
use crate::machine::front::raise;
use crate::wire::Sabotage;

async fn first(stage: Stage) -> Outcome {
    stage.here.sleep(tenths(1)).await?;
    raise("ValueError")
}

async fn second(stage: Stage) -> Outcome {
    let _ = stage.here.sleep(tenths(10)).await;
    stage.print("second cleans up").await?;
    raise("KeyError")
}

async fn third(stage: Stage) -> Outcome {
    stage.here.sleep(tenths(10)).await
}

pub async fn main(stage: Stage) -> Tried {
    let ended = stage
        .here
        .group(async |group| {
            stage.task_in(group, first).await?;
            stage.task_in(group, second).await?;
            stage.task_in(group, third).await
        })
        .await;
    let Err(raised) = ended else { return Ok(()) };
    let kept = if stage.has(Sabotage::GroupThatKeepsOneError) {
        1
    } else {
        usize::MAX
    };
    for name in ["ValueError", "KeyError"] {
        let mut errors = raised.exceptions().iter().take(kept);
        if errors.any(|error| error.message() == name) {
            stage.print(&format!("caught {name}")).await?;
        }
    }
    Ok(())
}
