//! The machine: a deterministic computer in virtual time, on which every modelled lab runs.
//!
//! A run is fixed by its programs, its settings and its seed: the same events in the same order, natively and in every
//! browser. From the bottom up:
//!
//! * [`time`]: nanoseconds of a clock that only programs and waiting move.
//! * [`value`], [`exception`]: what programs pass to each other and throw, opaque to the machine.
//! * [`program`]: what runs here: `resume(Input) → Effect`, one step at a time.
//! * [`front`]: programs written as `async fn` over one small handle.
//! * [`event_loop`]: one scheduler for tasks, after CPython's asyncio; it reads no clock and never waits.
//! * [`threads`]: cores, threads, interpreters with and without a lock, processes, and what threads wait for.
//! * [`trace`]: what happened, as a log that is stepped forwards and back.
//!
//! Not here: any lab, any search over schedules, any real clock.

pub mod event_loop;
pub mod exception;
pub mod front;
pub mod program;
pub mod threads;
pub mod time;
pub mod trace;
pub mod value;

pub use exception::{Exception, Kind};
pub use program::{Access, Compute, Computing, Effect, Input, Note, Outcome, Program};
pub use time::Nanoseconds;
pub use value::Value;
