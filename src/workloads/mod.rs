//! Pure functions that burn time or count: each takes numbers and gives a number.
//!
//! Not here: threads, locks, clocks. Whoever runs a workload under an interpreter lock passes a `tick`, called where
//! an interpreter would look whether somebody else wants its lock; alone it is `|| ()` and leaves no trace.

pub mod arithmetic;
pub mod counting;
mod mersenne;
pub mod names;
pub mod sha256;

pub use mersenne::Mersenne;
