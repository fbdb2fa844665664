//! A coroutine that nobody awaits never runs; all that tells of it is a warning when its object is gone.
//!
//! ```python
//! async def save():
//!     print("saved")
//!
//! forgotten = save()
//! print("save() called")
//! await asyncio.sleep(0.1)
//! print("nothing was saved")
//! del forgotten
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::event_loop::LoopCall;
use crate::machine::{Outcome, Value};

async fn save(stage: Stage) -> Outcome {
    stage.print("saved").await?;
    Ok(Value::None)
}

pub async fn main(stage: Stage) -> Tried {
    let here = &stage.here;
    let on_stage = stage.clone();
    let forgotten = here.coroutine("save", |_| save(on_stage)).await?;
    stage.print("save() called").await?;
    here.sleep(tenths(1)).await?;
    stage.print("nothing was saved").await?;
    here.ask(LoopCall::DropCoroutine(forgotten)).await.map(|_| ())
}
