//! A time limit around a shielded task ends the waiting; the task goes on to its end.
//!
//! ```python
//! async def payment():
//!     await asyncio.sleep(0.3)
//!     print("payment done")
//!
//! task = asyncio.create_task(payment())
//! try:
//!     async with asyncio.timeout(0.1):
//!         await asyncio.shield(task)
//! except TimeoutError:
//!     print("TimeoutError")
//! await task
//! print("after payment")
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::{Kind, Outcome, Value};

async fn payment(stage: Stage) -> Outcome {
    stage.here.sleep(tenths(3)).await?;
    stage.print("payment done").await?;
    Ok(Value::None)
}

pub async fn main(stage: Stage) -> Tried {
    let here = &stage.here;
    let task = stage.task(payment).await?;
    let body = async {
        let shielded = here.shield(task).await?;
        here.join(shielded).await
    };
    match here.timeout(tenths(1), body).await {
        Err(exception) if exception.kind() == Kind::Timeout => stage.print("TimeoutError").await?,
        other => other.map(|_| ())?,
    }
    here.join(task).await?;
    stage.print("after payment").await
}
