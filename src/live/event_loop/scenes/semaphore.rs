//! Six workers and a semaphore of two: two at a time, in the order of asking.
//!
//! ```python
//! places = asyncio.Semaphore(2)
//!
//! async def worker(number):
//!     async with places:
//!         print("worker", number, "in")
//!         await asyncio.sleep(0.2)
//!         print("worker", number, "out")
//!
//! async with asyncio.TaskGroup() as group:
//!     for number in range(1, 7):
//!         group.create_task(worker(number))
//! print("all done")
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::event_loop::SemaphoreId;
use crate::machine::{Outcome, Value};

async fn worker(stage: Stage, places: SemaphoreId, number: u32) -> Outcome {
    let inside = async {
        stage.print(format!("worker {number} in")).await?;
        stage.here.sleep(tenths(2)).await?;
        stage.print(format!("worker {number} out")).await
    };
    stage.here.semaphore(places, inside).await?;
    Ok(Value::None)
}

pub async fn main(stage: Stage) -> Tried {
    let here = &stage.here;
    let places = here.new_semaphore(2).await?;
    here.group(async |group| {
        for number in 1..=6 {
            stage.task_in(group, |stage| worker(stage, places, number)).await?;
        }
        Ok(())
    })
    .await?;
    stage.print("all done").await
}
