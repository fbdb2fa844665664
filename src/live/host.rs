//! What the surroundings lend to measured work: a clock, ways to block and to be busy, and a service to ask. Not here: any
//! clock of our own in wasm.

use crate::wire::{RequestEnd, SlowRequest};

/// A clock, a blocking wait and a busy one, and a blocking request, given by the browser or by a native program.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Milliseconds since the epoch, comparable between all workers.
    pub now_ms: fn() -> f64,
    /// Blocks the calling worker for this many milliseconds.
    pub block_ms: fn(f64),
    /// Keeps the calling worker computing for this many milliseconds.
    pub busy_ms: fn(f64),
    /// Asks the slow API, and blocks the calling worker until it has answered.
    pub ask: fn(&SlowRequest) -> RequestEnd,
}

impl Host {
    /// Milliseconds since the epoch.
    #[must_use]
    pub fn now(self) -> f64 {
        (self.now_ms)()
    }

    /// Blocks the calling worker for this many milliseconds.
    pub fn block(self, ms: f64) {
        (self.block_ms)(ms);
    }

    /// Keeps the calling worker computing for this many milliseconds.
    pub fn compute(self, ms: f64) {
        (self.busy_ms)(ms);
    }

    /// Asks the slow API, and blocks the calling worker until it has answered.
    #[must_use]
    pub fn ask(self, request: &SlowRequest) -> RequestEnd {
        (self.ask)(request)
    }

    /// The operating system's clock and sleep, for native tests and the native half of the benchmarks. The clock
    /// counts from the first reading instead of the epoch; only differences mean anything. There is no service to ask:
    /// what is asked of it sleeps, and is answered or fails as it should.
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    #[allow(
        clippy::disallowed_methods,
        reason = "measured work needs the real clock; no model uses this host"
    )]
    pub fn native() -> Self {
        use std::sync::LazyLock;
        use std::time::{Duration, Instant};

        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        Self {
            now_ms: || START.elapsed().as_secs_f64() * 1e3,
            block_ms: |ms| std::thread::sleep(Duration::from_secs_f64(ms.max(0.0) / 1e3)),
            busy_ms: |ms| {
                let end = Instant::now() + Duration::from_secs_f64(ms.max(0.0) / 1e3);
                while Instant::now() < end {
                    std::hint::spin_loop();
                }
            },
            ask: |request| {
                std::thread::sleep(Duration::from_millis(request.delay_ms.into()));
                if request.fails {
                    RequestEnd::Failed
                } else {
                    RequestEnd::Answered
                }
            },
        }
    }
}
