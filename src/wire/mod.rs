//! Every type that crosses between Rust and the page; TypeScript's types are generated from these.
//!
//! Not here: behaviour. These are plain data; `session` gives them meaning. How they become JSON, `shape` tells. Integers are at most 32 bits wide,
//! larger ones travel as decimal strings, times are milliseconds as `f64`.

#[cfg(test)]
mod agreement;
mod description;
mod environment;
mod explored;
mod job;
mod plain;
mod position;
mod read;
mod result;
mod run;
mod shape;
mod trace;
mod vocabulary;
mod write;

pub use description::*;
pub use environment::*;
pub use explored::*;
pub use job::*;
pub use plain::*;
pub use position::*;
pub use read::{Read, Reader, read};
pub use result::*;
pub use run::*;
pub use trace::*;
pub use vocabulary::*;
pub use write::Write;
