//! Six workers and a semaphore of two: two at a time, in the order of asking.
//!
//! ```python
//! places = asyncio.Semaphore(2)
//! inside = most = 0
//!
//! async def worker(number):
//!     global inside, most
//!     async with places:
//!         print("worker", number, "in")
//!         inside += 1
//!         most = max(most, inside)
//!         await asyncio.sleep(0.2)
//!         inside -= 1
//!
//! async with asyncio.TaskGroup() as group:
//!     for number in range(1, 7):
//!         group.create_task(worker(number))
//! print("all done, at most", most, "inside")
//! ```

use std::cell::Cell;
use std::rc::Rc;

use super::{Stage, Tried, tenths};
use crate::machine::event_loop::SemaphoreId;
use crate::machine::{Outcome, Value};

/// How many workers are inside, and how many were at most.
#[derive(Default)]
struct Inside {
    now: Cell<u32>,
    most: Cell<u32>,
}

async fn worker(stage: Stage, places: SemaphoreId, number: u32, inside: Rc<Inside>) -> Outcome {
    let body = async {
        stage.print(&format!("worker {number} in")).await?;
        inside.now.set(inside.now.get() + 1);
        inside.most.set(inside.most.get().max(inside.now.get()));
        stage.here.sleep(tenths(2)).await?;
        inside.now.set(inside.now.get() - 1);
        Ok(())
    };
    stage.here.semaphore(places, body).await?;
    Ok(Value::None)
}

pub async fn main(stage: Stage) -> Tried {
    let here = &stage.here;
    let places = here.new_semaphore(2).await?;
    let inside = Rc::<Inside>::default();
    here.group(async |group| {
        for number in 1..=6 {
            let inside = Rc::clone(&inside);
            stage
                .task_in(group, |stage| worker(stage, places, number, inside))
                .await?;
        }
        Ok(())
    })
    .await?;
    stage
        .print(&format!("all done, at most {} inside", inside.most.get()))
        .await
}
