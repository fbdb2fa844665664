//! A time limit around a long sleep ends the waiting, not a moment later.
//!
//! ```python
//! try:
//!     async with asyncio.timeout(0.1):
//!         print("waiting")
//!         await asyncio.sleep(1)
//!         print("never reached")
//! except TimeoutError:
//!     print("TimeoutError")
//! ```

use super::{Stage, Tried, tenths};
use crate::machine::Kind;

pub async fn main(stage: Stage) -> Tried {
    let body = async {
        stage.print("waiting").await?;
        stage.here.sleep(tenths(10)).await?;
        stage.print("never reached").await
    };
    match stage.here.timeout(tenths(1), body).await {
        Err(exception) if exception.kind() == Kind::Timeout => stage.print("TimeoutError").await,
        other => other,
    }
}
