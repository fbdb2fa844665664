//! The clock of a program on the loop: the host's, from the first turn on. Not here: waiting.

use crate::live::Host;
use crate::machine::{Input, Nanoseconds, Value};

const NANOSECONDS_PER_MS: f64 = 1e6;

/// A clock that starts with the first turn.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// What it is read from, and what else the surroundings lend.
    pub host: Host,
    started_ms: Option<f64>,
}

impl Clock {
    /// One that has not started.
    pub fn new(host: Host) -> Self {
        Self { host, started_ms: None }
    }

    /// Starts it, where it has not, and reads it.
    pub fn start(&mut self) -> Nanoseconds {
        self.started_ms.get_or_insert_with(|| self.host.now());
        self.now()
    }

    /// The time since the start.
    pub fn now(self) -> Nanoseconds {
        Nanoseconds((self.now_ms() * NANOSECONDS_PER_MS).round().max(0.0) as u64)
    }

    /// The time since the start in milliseconds, as exact as the host is; zero before it.
    pub fn now_ms(self) -> f64 {
        self.started_ms.map_or(0.0, |started| self.host.now() - started)
    }

    /// When it started, in milliseconds on the clock that all workers share.
    pub fn started_ms(self) -> f64 {
        self.started_ms.unwrap_or_else(|| self.host.now())
    }

    /// What a program is answered that asks for the time.
    pub fn answer(self) -> Input {
        Input::Value(Value::Int(i64::try_from(self.now().0).unwrap_or(i64::MAX)))
    }
}
