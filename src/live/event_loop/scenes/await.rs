//! A task awaits a sleep; the loop runs others meanwhile.
//!
//! ```python
//! async def ticker():
//!     for number in (1, 2):
//!         await asyncio.sleep(0.1)
//!         print("tick", number)
//!
//! task = asyncio.create_task(ticker())
//! print("before")
//! await asyncio.sleep(0.3)
//! print("after")
//! await task
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::{Outcome, Value};
use crate::wire::Sabotage;

async fn ticker(stage: Stage) -> Outcome {
    for number in [1, 2] {
        stage.here.sleep(tenths(1)).await?;
        stage.print(&format!("tick {number}")).await?;
    }
    Ok(Value::None)
}

pub async fn main(stage: Stage) -> Tried {
    let task = stage.task(ticker).await?;
    stage.print("before").await?;
    if stage.has(Sabotage::AwaitThatBlocks) {
        stage.here.block(tenths(3)).await;
    } else {
        stage.here.sleep(tenths(3)).await?;
    }
    stage.print("after").await?;
    stage.here.join(task).await.map(|_| ())
}
