//! A timer that is due goes behind what is ready; timers of the same delay fire in the order of their making.
//!
//! ```python
//! loop = asyncio.get_running_loop()
//! loop.call_later(0, print, "timer of 0 s")
//! loop.call_soon(print, "soon")
//! loop.call_soon(print, "soon, too")
//! await asyncio.sleep(0)
//! print("main")
//!
//! async def sleeper(number):
//!     await asyncio.sleep(0.1)
//!     print("sleeper", number)
//!
//! async with asyncio.TaskGroup() as group:
//!     for number in (1, 2, 3):
//!         group.create_task(sleeper(number))
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::front;
use crate::machine::{Outcome, Program, Value};

async fn sleeper(stage: Stage, number: u32) -> Outcome {
    stage.here.sleep(tenths(1)).await?;
    stage.print(&format!("sleeper {number}")).await?;
    Ok(Value::None)
}

/// A callback that prints.
fn printing(stage: &Stage, text: &'static str) -> Box<dyn Program> {
    let stage = stage.clone();
    front::program(&stage.here.clone(), |_| async move {
        stage.print(text).await?;
        Ok(Value::None)
    })
}

pub async fn main(stage: Stage) -> Tried {
    let here = &stage.here;
    here.call_later(tenths(0), printing(&stage, "timer of 0 s")).await?;
    here.call_soon(printing(&stage, "soon")).await?;
    here.call_soon(printing(&stage, "soon, too")).await?;
    here.sleep(tenths(0)).await?;
    stage.print("main").await?;
    here.group(async |group| {
        for number in 1..=3 {
            stage.task_in(group, |stage| sleeper(stage, number)).await?;
        }
        Ok(())
    })
    .await
}
