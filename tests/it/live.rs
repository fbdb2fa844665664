//! Measured work through the public door, natively: shapes and invariants, never how fast a machine was.

mod appending;
mod computing;
mod counting;
mod driver;
mod faults;
mod hashing;

use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use concurrency_playground::live::{Host, perform};
use concurrency_playground::wire::{Job, JobOutcome};

/// Threads of the tests' pool: as many as the largest race here.
const THREADS: u32 = 8;

/// A job on a pool of eight threads. One at a time: two races side by side would only measure each other.
pub fn on_pool(job: &Job) -> JobOutcome {
    static POOL: Once = Once::new();
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn: MutexGuard<'_, ()> = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    POOL.call_once(|| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(THREADS as usize)
            .build_global()
            .expect("no other test starts a pool");
    });
    perform(job, Host::native())
}

#[test]
fn every_thread_of_the_pool_answers() {
    assert_eq!(on_pool(&Job::Ping), JobOutcome::Pinged { threads: THREADS });
}

#[test]
fn a_blocking_call_takes_its_time() {
    let JobOutcome::Blocked { elapsed_ms } = perform(&Job::Block { ms: 20 }, Host::native()) else {
        panic!()
    };
    assert!(elapsed_ms >= 20.0, "{elapsed_ms}");
}

/// The digest is Python's `hashlib.sha256(bytes(i % 251 for i in range(3072))).hexdigest()`.
#[test]
fn a_buffer_is_hashed() {
    let job = Job::Digest {
        kibibytes: 3,
        repeats: 2,
    };
    let JobOutcome::Digested { elapsed_ms, digest } = perform(&job, Host::native()) else {
        panic!()
    };
    assert_eq!(elapsed_ms.len(), 2);
    assert_eq!(
        digest,
        "5f24b2f16026ec7d0450a5a08283d3cfd47302fe859f579ed79fe7d2663b73f9"
    );
}

/// A hundred multiply-adds a bytecode instead of one: an addition must cost more, whatever the machine. Many short
/// samples, so that one of them is likely to run undisturbed.
#[test]
fn an_addition_costs_what_it_is_told() {
    let nanoseconds = |work_per_bytecode| {
        let job = Job::CalibrateCount {
            additions: 1_000,
            work_per_bytecode,
        };
        let once = |_| match perform(&job, Host::native()) {
            JobOutcome::Calibrated { nanoseconds } => nanoseconds,
            other => panic!("{other:?}"),
        };
        (0..50).map(once).fold(f64::INFINITY, f64::min)
    };
    let (cheap, dear) = (nanoseconds(1), nanoseconds(100));
    assert!(cheap > 0.0 && dear > 2.0 * cheap, "{cheap} ns, {dear} ns");
}
