//! Measured strategies: real work on real workers.
//!
//! One file or folder a job: [`perform`] is the list of them. Not here: who gets which job, how often, and what the
//! numbers mean; the session decides that. Not here either: the browser. Work reads its clock through [`Host`].

mod append;
mod compute;
mod count;
mod digest;
pub mod event_loop;
mod fault;
mod hash;
mod host;
mod interpreter_lock;
mod overlap;
mod ping;
#[cfg_attr(all(target_family = "wasm", not(target_feature = "atomics")), path = "no_pool.rs")]
mod pool;
mod request;
mod turn;

pub use count::plain_additions;
pub use host::Host;
pub use interpreter_lock::InterpreterLock;

use crate::wire::{Job, JobOutcome};

/// Runs one job to its end, on this worker and the pool beside it.
///
/// # Panics
/// The job asks for more threads than the pool has, is a loop's job, which [`event_loop::Program`] runs turn by turn, or
/// is one between two workers. All are bugs of the caller; the session asks for none of them.
#[must_use]
pub fn perform(job: &Job, host: Host) -> JobOutcome {
    match *job {
        Job::Ping => ping::perform(),
        Job::Compute(ref job) => compute::perform(job, host),
        Job::Count(ref job) => count::perform(job, host),
        Job::CalibrateCount {
            additions,
            work_per_bytecode,
        } => count::calibrate(additions, work_per_bytecode, host),
        Job::Request(ref job) => request::perform(job, host),
        Job::Stall(_) | Job::Scene { .. } | Job::Batch(_) | Job::Waits(_) => {
            panic!("a loop's job runs turn by turn: event_loop::Program")
        }
        Job::Block { ms } => elsewhere(Host::block, ms, host),
        Job::Busy { ms } => elsewhere(Host::compute, ms, host),
        Job::Hash(ref job) => hash::perform(job, host),
        Job::Append(ref job) => append::perform(job, host),
        Job::Cross(_) => panic!("a payload crosses between two workers: they do it themselves"),
        Job::Digest { kibibytes, repeats } => digest::perform(kibibytes, repeats, host),
        Job::Fault { fault } => fault::perform(fault),
    }
}

/// A call as handed to another worker.
fn elsewhere(call: fn(Host, f64), ms: u32, host: Host) -> JobOutcome {
    let start = host.now();
    call(host, f64::from(ms));
    JobOutcome::Blocked {
        elapsed_ms: host.now() - start,
    }
}
