//! How a measured run is planned, interleaved and judged: samples, intervals, verdicts.
//!
//! Not here: work, workers and clocks. A [`Sampler`] says which action is due and is told what became of it; a test
//! with made-up answers drives it as well as a browser does.

mod answer;
pub mod digits;
mod experiment;
pub mod notes;
mod overlap;
mod sampler;
pub mod statistics;
mod taken;
pub mod verdict;

pub use answer::Sample;
pub use experiment::{Absence, DEFAULT_LIMIT_MS, Experiment, Nothing, Subject};
pub use overlap::{Overlap, from_start, overlap};
pub use sampler::{Sampler, Step};
pub use taken::{Settings, Taken, TakenRow};
