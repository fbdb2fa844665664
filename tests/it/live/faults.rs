//! What can break natively without taking the tests down, and what is refused because it could only hang.

use std::panic::{AssertUnwindSafe, catch_unwind};

use concurrency_playground::wire::{CountJob, CountVariant, Fault, Job, JobOutcome, Runtime, StallJob, StallVariant};

use super::{THREADS, on_pool};

/// The message of the panic that a job ends in.
fn panic_of(job: &Job) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| on_pool(job))).expect_err("the job panics");
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .expect("a panic has a text")
}

#[test]
fn a_panic_in_a_pool_thread_reaches_the_caller_and_the_pool_goes_on() {
    assert_eq!(panic_of(&Job::Fault { fault: Fault::Panic }), "a fault was asked for");
    assert_eq!(on_pool(&Job::Ping), JobOutcome::Pinged { threads: THREADS });
}

#[test]
fn more_threads_than_the_pool_has_are_refused() {
    let job = Job::Count(CountJob {
        variant: CountVariant::Plain,
        runtime: Runtime::Gil,
        threads: THREADS + 1,
        additions: 1,
        switch_interval_us: 1,
        work_per_bytecode: 0,
        sabotage: None,
    });
    let text = panic_of(&job);
    assert!(text.contains("9 threads asked of a pool of 8"), "{text}");
}

#[test]
fn a_loops_job_is_not_a_workers_job() {
    let stall = StallJob {
        variant: StallVariant::Blocking,
        call_ms: 10,
        heartbeat_ms: 5,
        timeout_ms: 0,
        slice_ms: 1,
        quiet_ms: 0,
        sabotage: None,
    };
    assert!(panic_of(&Job::Stall(stall)).contains("event_loop::Program"));
}
