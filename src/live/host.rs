//! What the surroundings lend to measured work: a clock and a way to block. Not here: any clock of our own.

/// A clock and a blocking wait, given by the browser or by a native test.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Milliseconds since the epoch, comparable between all workers.
    pub now_ms: fn() -> f64,
    /// Blocks the calling worker for this many milliseconds.
    pub block_ms: fn(f64),
}
