//! Three tasks in a group wait at the same time: the group takes as long as the longest.
//!
//! ```python
//! async def fetch(name, delay):
//!     print(name, "starts")
//!     await asyncio.sleep(delay)
//!     print(name, "ends")
//!     return name
//!
//! async with asyncio.TaskGroup() as group:
//!     tasks = [group.create_task(fetch(name, delay)) for name, delay in (("a", 0.3), ("b", 0.1), ("c", 0.2))]
//! print("results", *(task.result() for task in tasks))
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::{Outcome, Value};
use crate::wire::Sabotage;

async fn fetch(stage: Stage, name: &'static str, delay: u64) -> Outcome {
    stage.print(&format!("{name} starts")).await?;
    stage.here.sleep(tenths(delay)).await?;
    stage.print(&format!("{name} ends")).await?;
    Ok(Value::Text(name.into()))
}

pub async fn main(stage: Stage) -> Tried {
    let here = &stage.here;
    let tasks = here
        .group(async |group| {
            let mut tasks = Vec::new();
            for (name, delay) in [("a", 3), ("b", 1), ("c", 2)] {
                let task = stage.task_in(group, |stage| fetch(stage, name, delay)).await?;
                if stage.has(Sabotage::GroupThatRunsOneAfterAnother) {
                    here.join(task).await?;
                }
                tasks.push(task);
            }
            Ok(tasks)
        })
        .await?;
    let mut results = String::from("results");
    for task in tasks {
        if let Value::Text(name) = here.result(task).await? {
            results += &format!(" {name}");
        }
    }
    stage.print(&results).await
}
