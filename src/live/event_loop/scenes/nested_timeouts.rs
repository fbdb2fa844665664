//! Two time limits inside each other: the one whose time is up raises, at its own place.
//!
//! ```python
//! async def wait(outer, inner):
//!     try:
//!         async with asyncio.timeout(outer):
//!             try:
//!                 async with asyncio.timeout(inner):
//!                     await asyncio.sleep(1)
//!             except TimeoutError:
//!                 print("inner TimeoutError")
//!     except TimeoutError:
//!         print("outer TimeoutError")
//!
//! await wait(0.2, 0.1)
//! await wait(0.1, 0.2)
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::Kind;

async fn wait(stage: &Stage, outer: u64, inner: u64) -> Tried {
    let here = &stage.here;
    let inner_block = async {
        match here.timeout(tenths(inner), here.sleep(tenths(10))).await {
            Err(exception) if exception.kind() == Kind::Timeout => stage.print("inner TimeoutError").await,
            other => other.map(|_| ()),
        }
    };
    match here.timeout(tenths(outer), inner_block).await {
        Err(exception) if exception.kind() == Kind::Timeout => stage.print("outer TimeoutError").await,
        other => other,
    }
}

pub async fn main(stage: Stage) -> Tried {
    wait(&stage, 2, 1).await?;
    wait(&stage, 1, 2).await
}
