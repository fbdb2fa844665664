//! Counters under every variant and runtime: what may be lost, what never is, and how much ran at once.

use concurrency_playground::wire::{CountJob, CountVariant, Job, JobOutcome, Runtime, Sabotage};

use super::on_pool;

const RUNTIMES: [Runtime; 3] = [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded];

#[derive(Clone, Copy, Debug)]
struct Counted {
    elapsed_ms: f64,
    lost: u32,
    overlap: f64,
    at_once: u32,
    hand_overs: u32,
}

/// Four threads at about 80 ns an addition in an optimised build, and a switch interval of 0.5 ms: a run of some 100
/// intervals takes some 50 ms.
fn race(variant: CountVariant, runtime: Runtime, additions: u32, sabotage: Option<Sabotage>) -> Counted {
    let job = Job::Count(CountJob {
        variant,
        runtime,
        threads: 4,
        additions,
        switch_interval_us: 500,
        work_per_bytecode: 10,
        sabotage,
    });
    match on_pool(&job) {
        JobOutcome::Counted {
            elapsed_ms,
            value,
            expected,
            overlap,
            at_once,
            hand_overs,
        } => {
            assert_eq!(expected, 4 * additions);
            assert!(value <= expected && (0.0..=1.0).contains(&overlap) && (1..=4).contains(&at_once));
            Counted {
                elapsed_ms,
                lost: expected - value,
                overlap,
                at_once,
                hand_overs,
            }
        }
        other => panic!("{other:?}"),
    }
}

/// Of several runs, how many lost something.
fn runs_with_losses(n_runs: u32, run: impl Fn() -> Counted) -> u32 {
    (0..n_runs).map(|_| u32::from(run().lost > 0)).sum()
}

#[test]
fn the_protected_variants_never_lose() {
    for variant in [
        CountVariant::Lock,
        CountVariant::Atomic,
        CountVariant::OwnThenMerge,
        CountVariant::Queue,
        CountVariant::Batches,
        CountVariant::Sharded,
    ] {
        for runtime in RUNTIMES {
            assert_eq!(race(variant, runtime, 20_000, None).lost, 0, "{variant:?} {runtime:?}");
            assert_eq!(
                race(variant, runtime, 1, None).lost,
                0,
                "{variant:?} {runtime:?}, one addition each"
            );
            // No whole number of batches.
            assert_eq!(race(variant, runtime, 1_234, None).lost, 0, "{variant:?} {runtime:?}");
        }
    }
}

#[test]
fn plain_under_the_lock_loses_nothing_and_is_never_run_at_once() {
    let seen = race(CountVariant::Plain, Runtime::Gil, 100_000, None);
    assert_eq!(seen.lost, 0);
    assert!(seen.hand_overs >= 15, "{seen:?}");
    assert!(seen.overlap < 0.05 && seen.at_once == 1, "{seen:?}");
}

#[test]
fn a_check_point_between_read_and_write_loses_in_most_runs() {
    let call = runs_with_losses(5, || race(CountVariant::Call, Runtime::Gil, 50_000, None));
    assert!(call >= 3, "call: {call} of 5");
    let legacy = runs_with_losses(5, || race(CountVariant::Plain, Runtime::GilLegacy, 50_000, None));
    assert!(legacy >= 3, "plain before 3.10: {legacy} of 5");
}

#[test]
fn wide_loses_over_half() {
    let seen = race(CountVariant::Wide, Runtime::Gil, 50_000, None);
    assert!(seen.lost > 100_000, "{seen:?}");
}

/// On a machine with one core nothing runs at once, and then nothing need be lost: what is asserted is the tie
/// between the two.
#[test]
fn free_threads_that_overlap_lose() {
    for _ in 0..5 {
        let seen = race(CountVariant::Plain, Runtime::FreeThreaded, 100_000, None);
        assert_eq!(seen.hand_overs, 0);
        assert!(seen.overlap < 0.5 || seen.lost > 0, "{seen:?}");
        assert!(seen.elapsed_ms > 0.0);
    }
}

#[test]
fn each_fault_shows() {
    let broken = |variant, runtime, fault| race(variant, runtime, 50_000, Some(fault));
    let free = Runtime::FreeThreaded;
    for (variant, fault) in [
        (CountVariant::Lock, Sabotage::LockThatDoesNotLock),
        (CountVariant::Sharded, Sabotage::LockThatDoesNotLock),
        (CountVariant::Atomic, Sabotage::AtomicThatTears),
        (CountVariant::OwnThenMerge, Sabotage::SharedOwnCounters),
        (CountVariant::Plain, Sabotage::NoInterpreterLock),
    ] {
        let runtime = if fault == Sabotage::NoInterpreterLock {
            Runtime::Gil
        } else {
            free
        };
        let seen = (0..5)
            .map(|_| broken(variant, runtime, fault))
            .max_by_key(|seen| seen.lost)
            .expect("five runs");
        assert!(seen.lost > 0 || seen.overlap < 0.5, "{fault:?}: {seen:?}");
    }
    assert_eq!(broken(CountVariant::Queue, free, Sabotage::QueueThatDrops).lost, 2_000);
    // Every hundredth batch of a hundred.
    assert_eq!(
        broken(CountVariant::Batches, free, Sabotage::QueueThatDrops).lost,
        2_000
    );
    assert_eq!(broken(CountVariant::Plain, free, Sabotage::PlainThatIsAtomic).lost, 0);
    assert_eq!(
        broken(CountVariant::Wide, Runtime::Gil, Sabotage::WideThatKeepsTheLock).lost,
        0
    );
    assert_eq!(
        broken(CountVariant::Call, Runtime::Gil, Sabotage::CallWithoutCheckPoint).lost,
        0
    );
    let in_turn = broken(CountVariant::Plain, free, Sabotage::PoolThatRunsOneAfterAnother);
    assert_eq!((in_turn.lost, in_turn.overlap, in_turn.at_once), (0, 0.0, 1));
}
