//! A coroutine object is made; nothing of it runs until it is awaited, and it can be awaited once.
//!
//! ```python
//! async def report():
//!     print("report runs")
//!     return "done"
//!
//! coroutine = report()
//! print("made, nothing has run")
//! await asyncio.sleep(0.1)
//! print("awaited:", await coroutine)
//! try:
//!     await coroutine
//! except RuntimeError:
//!     print("RuntimeError: awaited twice")
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::event_loop::{Awaitable, Waitable};
use crate::machine::{Kind, Outcome, Value};
use crate::wire::Sabotage;

async fn report(stage: Stage) -> Outcome {
    stage.print("report runs").await?;
    Ok(Value::Text("done".into()))
}

pub async fn main(stage: Stage) -> Tried {
    let here = &stage.here;
    let on_stage = stage.clone();
    let mut coroutine = Waitable::from(here.coroutine("report", |_| report(on_stage)).await?);
    if stage.has(Sabotage::CoroutineThatBeginsAtOnce) {
        coroutine = here.create_task(coroutine).await?.into();
    }
    stage.print("made, nothing has run").await?;
    here.sleep(tenths(1)).await?;
    if let Value::Text(result) = here.wait_on(awaiting(&coroutine)).await? {
        stage.print(&format!("awaited: {result}")).await?;
    }
    match here.wait_on(awaiting(&coroutine)).await {
        Err(exception) if exception.kind() == Kind::RuntimeError => stage.print("RuntimeError: awaited twice").await,
        other => other.map(|_| ()),
    }
}

fn awaiting(waitable: &Waitable) -> Awaitable {
    match waitable {
        Waitable::Coroutine(coroutine) => Awaitable::Coroutine(*coroutine),
        Waitable::Future(task) => Awaitable::Future(*task),
        Waitable::Program(_) => Awaitable::Sleep(tenths(0)),
    }
}
