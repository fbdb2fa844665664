//! Tasks of each workload, alone and on threads: the same totals everywhere, and what the spans show.

use concurrency_playground::wire::{ComputeJob, Hands, Job, JobOutcome, Runtime, Sabotage, WorkSpan, Workload};

use super::{on_pool, perform};
use concurrency_playground::live::Host;

const RUNTIMES: [Runtime; 3] = [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded];

struct Computed {
    elapsed_ms: f64,
    totals: Vec<String>,
    spans: Vec<WorkSpan>,
    hand_overs: u32,
}

fn threads(workers: u32, runtime: Runtime) -> Hands {
    Hands::Threads {
        workers,
        runtime,
        switch_interval_us: 100,
    }
}

fn compute(workload: Workload, n_tasks: u32, size: u32, hands: Hands, sabotage: Option<Sabotage>) -> Computed {
    let job = Job::Compute(ComputeJob {
        workload,
        tasks: (0..n_tasks).collect(),
        size,
        hands,
        sabotage,
    });
    let outcome = if hands == Hands::Alone {
        perform(&job, Host::native())
    } else {
        on_pool(&job)
    };
    match outcome {
        JobOutcome::Computed {
            elapsed_ms,
            totals,
            spans,
            hand_overs,
        } => Computed {
            elapsed_ms,
            totals,
            spans,
            hand_overs,
        },
        other => panic!("{other:?}"),
    }
}

/// The totals are CPython's for 10,000 names and steps.
#[test]
fn all_hands_give_the_same_totals() {
    for (workload, expected) in [
        (Workload::Names, ["5970", "6008"]),
        (Workload::Squares, ["333283335000", "333283335000"]),
        (Workload::Modulo, ["19999", "19999"]),
    ] {
        let alone = compute(workload, 2, 10_000, Hands::Alone, None);
        assert_eq!(alone.totals, expected, "{workload:?}");
        for runtime in RUNTIMES {
            assert_eq!(
                compute(workload, 2, 10_000, threads(4, runtime), None).totals,
                expected,
                "{workload:?} {runtime:?}"
            );
        }
    }
}

#[test]
fn each_task_is_done_once_within_the_elapsed_time() {
    for hands in [
        Hands::Alone,
        threads(3, Runtime::Gil),
        threads(8, Runtime::FreeThreaded),
    ] {
        let seen = compute(Workload::Modulo, 20, 20_000, hands, None);
        let tasks: Vec<u32> = seen.spans.iter().map(|span| span.task).collect();
        assert_eq!(tasks, (0..20).collect::<Vec<_>>(), "in the order asked");
        let workers = if let Hands::Threads { workers, .. } = hands {
            workers
        } else {
            1
        };
        let first = seen
            .spans
            .iter()
            .map(|span| span.start_ms)
            .fold(f64::INFINITY, f64::min);
        for span in &seen.spans {
            assert!(span.worker < workers && span.start_ms <= span.end_ms, "{span:?}");
            assert!(span.end_ms - first <= seen.elapsed_ms, "{span:?}");
        }
    }
}

#[test]
fn under_the_lock_threads_change_and_without_it_nothing_is_handed_over() {
    // Two tasks of 100,000 names take some 8 ms at least, and the switch interval here is 0.1 ms.
    assert!(compute(Workload::Names, 2, 100_000, threads(2, Runtime::Gil), None).hand_overs >= 1);
    assert_eq!(
        compute(Workload::Names, 2, 1_000, threads(2, Runtime::FreeThreaded), None).hand_overs,
        0
    );
}

#[test]
fn no_tasks_and_more_threads_than_tasks() {
    assert!(
        compute(Workload::Names, 0, 10, threads(2, Runtime::Gil), None)
            .totals
            .is_empty()
    );
    assert_eq!(
        compute(Workload::Names, 1, 1_000, threads(8, Runtime::Gil), None).totals,
        ["599"]
    );
}

#[test]
fn each_fault_shows() {
    let free = threads(2, Runtime::FreeThreaded);
    let broken = compute(Workload::Names, 2, 1_000, free, Some(Sabotage::WrongTotals));
    assert_eq!(broken.totals, ["598", "609"]);
    let unlocked = compute(
        Workload::Names,
        2,
        100_000,
        threads(2, Runtime::Gil),
        Some(Sabotage::NoInterpreterLock),
    );
    assert_eq!(unlocked.hand_overs, 0);
    let one_by_one = compute(
        Workload::Modulo,
        8,
        100_000,
        free,
        Some(Sabotage::PoolThatRunsOneAfterAnother),
    );
    for pair in one_by_one.spans.windows(2) {
        assert!(pair[0].end_ms <= pair[1].start_ms, "no two at once: {pair:?}");
    }
    let any_size = compute(Workload::Names, 1, 1, Hands::Alone, Some(Sabotage::TimeThatIgnoresSize));
    assert_eq!(any_size.totals, ["89266"], "the full 150,000");
}
