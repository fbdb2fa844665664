//! Rows that cannot run: never a number, always a reason and a cure, and everything else goes on.

use concurrency_playground::wire::{
    Action, ComputeJob, Hands, Holds, Job, Provenance, Row, Runtime, Scheme, ServiceWorkerState, SharedMemory, Strategy,
};

use super::{claim, row, run};
use crate::fake_page::{FakePage, Pool, flag, text};

#[test]
fn without_shared_memory_everything_else_runs() {
    let mut page = FakePage::default();
    page.environment.shared_memory = SharedMemory::NoSharedArrayBuffer;
    let result = run(&mut page, "cpu-bound", &[]);
    for row in &result.rows {
        assert_eq!(row.available, row.strategy != Strategy::Threads, "{}", row.label);
        assert_eq!(
            row.reason.is_some() && row.cure.is_some() && row.samples_ms.is_empty(),
            !row.available
        );
    }
    assert!(
        page.asked
            .iter()
            .all(|action| !matches!(action, Action::OnLab { threads: 1.., .. }))
    );
    assert_eq!(result.environment.threads_asked, None);

    let result = run(&mut page, "lost-updates", &[]);
    assert!(result.rows.iter().all(|row| !row.available));
    assert_eq!(result.finding.id, "unavailable");
}

#[test]
fn a_pool_that_fails_is_found_out_and_done_without() {
    let mut page = FakePage {
        pool: Pool::Fails,
        ..FakePage::default()
    };
    let result = run(&mut page, "cpu-bound", &[]);
    let threads = row(&result, Strategy::Threads, None, Some(Runtime::Gil));
    assert!(!threads.available && threads.reason.as_deref().is_some_and(|reason| reason.ends_with("no")));
    assert!(row(&result, Strategy::Serial, None, None).available);
    let n_pools = page
        .asked
        .iter()
        .filter(|action| matches!(action, Action::OnLab { threads: 1.., .. }))
        .count();
    assert_eq!(n_pools, 1, "asked for once, not again");
}

#[test]
fn isolates_that_do_not_start_are_rows_without_numbers() {
    let result = run(
        &mut FakePage {
            isolates_start: false,
            ..FakePage::default()
        },
        "cpu-bound",
        &[],
    );
    let processes = row(&result, Strategy::Processes, Some("warm"), None);
    assert!(!processes.available && processes.samples_ms.is_empty() && processes.median_ms.is_none());
    assert_eq!(claim(&result, "processes-gain").holds, Holds::NotApplicable);
    assert_eq!(claim(&result, "free-threads-gain").holds, Holds::True);
}

#[test]
fn fewer_threads_than_asked_are_said() {
    let result = run(
        &mut FakePage {
            pool: Pool::StartsShort,
            ..FakePage::default()
        },
        "lost-updates",
        &[("variant", text("lock"))],
    );
    assert_eq!(
        (result.environment.threads_started, result.environment.threads_asked),
        (Some(3), Some(4))
    );
    let warning = result
        .environment
        .warnings
        .iter()
        .find(|warning| warning.id == "fewer-started")
        .expect("it is said");
    assert!(warning.text.starts_with("3 of 4"));
}

#[test]
fn capabilities_name_what_is_missing_and_why() {
    let mut page = FakePage::default();
    page.environment.shared_memory = SharedMemory::NotIsolated;
    page.environment.service_worker = ServiceWorkerState::Unsupported;
    page.environment.scheme = Scheme::File;
    let result = run(&mut page, "capabilities", &[]);
    assert_eq!(result.finding.id, "no-threads");
    let network = row(&result, Strategy::EventLoop, Some("network"), None);
    assert!(
        !network.available
            && network
                .cure
                .as_deref()
                .is_some_and(|cure| cure.contains("./build.sh serve"))
    );
    assert_eq!(claim(&result, "threads-follow-shared-memory").holds, Holds::True);
    let derived: Vec<&Row> = result
        .rows
        .iter()
        .filter(|row| row.provenance == Provenance::Derived)
        .collect();
    assert_eq!(derived.len(), 12);
    let n_of = |value: &str| derived.iter().filter(|row| row.value.as_deref() == Some(value)).count();
    assert_eq!((n_of("on"), n_of("off"), n_of("fatal")), (7, 3, 2));
    assert_eq!(
        run(&mut FakePage::default(), "capabilities", &[]).finding.id,
        "all-work"
    );
}

#[test]
fn one_pool_serves_a_whole_run() {
    let mut page = FakePage::default();
    run(&mut page, "cpu-bound", &[("curve", flag(true))]);
    for action in &page.asked {
        let Action::OnLab {
            threads, job, limit_ms, ..
        } = action
        else {
            continue;
        };
        assert_eq!(*threads, 8);
        assert!((8_000..10_000).contains(limit_ms), "{limit_ms}");
        if let Job::Compute(ComputeJob {
            hands: Hands::Threads { workers, .. },
            ..
        }) = job
        {
            assert!(workers <= threads);
        }
    }
}
