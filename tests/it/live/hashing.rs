//! Inputs hashed alone and on threads: the same digests everywhere, and the lock let go of exactly as often as it should.

use concurrency_playground::live::Host;
use concurrency_playground::wire::{HashJob, HashesSeen, Job, JobOutcome, Runtime, Sabotage};

use super::{on_pool, perform};

const RUNTIMES: [Runtime; 3] = [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded];

const JOB: HashJob = HashJob {
    tasks: 4,
    inputs: 10,
    input_bytes: 3_000,
    reads: false,
    workers: 3,
    runtime: Runtime::Gil,
    switch_interval_us: 100,
    sabotage: None,
};

fn hash(job: HashJob) -> HashesSeen {
    let job = Job::Hash(job);
    let outcome = match job {
        Job::Hash(HashJob { workers: 1, .. }) => perform(&job, Host::native()),
        _ => on_pool(&job),
    };
    match outcome {
        JobOutcome::Hashed(seen) => seen,
        other => panic!("{other:?}"),
    }
}

/// The digests are Python's `hashlib.sha256((TEXT * n)[:n_bytes]).hexdigest()`.
#[test]
fn everybody_computes_pythons_digests() {
    for (input_bytes, expected) in [
        (64, "2ff100b36c386c65a1afc462ad53e25479bec9498ed00aa5a04de584bc25301b"),
        (
            2_047,
            "5d5823f47eff70838ed2e5c7d3022a4e0ea7a72d3238d2e1ae074d91602c34c7",
        ),
        (
            3_000,
            "9236b0c8403f68c6e0c3a6d79882354eea52a1358713026daa874dd1688ed5dd",
        ),
    ] {
        for runtime in RUNTIMES {
            for (workers, reads) in [(1, false), (3, false), (1, true), (3, true)] {
                let seen = hash(HashJob {
                    input_bytes,
                    reads,
                    workers,
                    runtime,
                    ..JOB
                });
                assert_eq!(
                    seen.digests, [expected; 4],
                    "{input_bytes} {runtime:?} {workers} {reads}"
                );
                assert_eq!((seen.inputs, seen.input_bytes), (10, input_bytes));
            }
        }
    }
}

#[test]
fn the_lock_is_let_go_of_once_for_each_long_input() {
    for (input_bytes, runtime, expected) in [
        (2_047, Runtime::Gil, 0),
        (2_048, Runtime::Gil, 10),
        (2_048, Runtime::GilLegacy, 10),
        (2_048, Runtime::FreeThreaded, 0),
    ] {
        for (workers, reads) in [(1, false), (3, false), (3, true)] {
            let seen = hash(HashJob {
                input_bytes,
                reads,
                workers,
                runtime,
                ..JOB
            });
            assert_eq!(seen.releases, expected, "{input_bytes} {runtime:?} {workers} {reads}");
        }
    }
}

#[test]
fn inputs_are_shared_out_and_tasks_without_any_are_none() {
    let shares = |inputs, tasks| {
        let job = HashJob { inputs, tasks, ..JOB };
        (0..tasks).map(|task| job.share(task)).collect::<Vec<_>>()
    };
    assert_eq!(shares(10, 4), [2, 3, 2, 3]);
    assert_eq!(shares(2, 4), [0, 1, 0, 1]);
    let few = hash(HashJob { inputs: 2, ..JOB });
    let tasks: Vec<u32> = few.spans.iter().map(|span| span.task).collect();
    assert_eq!((few.digests.len(), few.releases, tasks), (2, 2, vec![1, 3]));
}

/// Each span is a task, on one of the workers.
#[test]
fn spans_stay_within_the_elapsed_time() {
    let seen = hash(JOB);
    let first = seen
        .spans
        .iter()
        .map(|span| span.start_ms)
        .fold(f64::INFINITY, f64::min);
    for span in &seen.spans {
        assert!(span.worker < 3 && span.start_ms <= span.end_ms, "{span:?}");
        assert!(span.end_ms - first <= seen.elapsed_ms, "{span:?}");
    }
}

#[test]
fn each_fault_shows() {
    let with = |sabotage| {
        hash(HashJob {
            sabotage: Some(sabotage),
            ..JOB
        })
    };
    assert_eq!(with(Sabotage::HashThatKeepsTheLock).releases, 0);
    let unlocked = with(Sabotage::NoInterpreterLock);
    assert_eq!((unlocked.releases, unlocked.hand_overs), (0, 0));
    assert_ne!(with(Sabotage::WrongTotals).digests, hash(JOB).digests);
}
