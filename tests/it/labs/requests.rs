//! The measured half of `fan-out`: real programs, made-up answers, exact numbers.

use concurrency_playground::wire::{
    Action, Holds, IsolateKind, Job, LabResult, RequestJob, Row, ServiceWorkerState, Strategy,
};

use super::{Params, claim, row, run};
use crate::fake_page::{FakePage, Slow, number, text};

fn fan_out(params: Params) -> LabResult {
    run(&mut FakePage::default(), "fan-out", params)
}

fn by_variant<'a>(result: &'a LabResult, variant: &str) -> &'a Row {
    let found = result.rows.iter().find(|row| row.variant.as_deref() == Some(variant));
    found.unwrap_or_else(|| panic!("no row {variant}"))
}

fn errors(row: &Row) -> Vec<(&str, u32)> {
    let all = row.errors.iter().flatten();
    all.map(|error| (error.kind.as_str(), error.count)).collect()
}

#[test]
fn the_lessons_figures_in_virtual_time() {
    let result = fan_out(&[]);
    for (variant, took, answered, at_once, workers) in [
        ("one-by-one", 2_000.0, 10, 1, None),
        ("threads", 2_000.0, 200, 20, Some(20)),
        ("processes", 2_000.0, 200, 20, Some(20)),
        ("tasks", 200.0, 200, 200, None),
        ("limited", 2_000.0, 200, 20, None),
        ("blocking", 2_000.0, 10, 1, None),
        // Eight cores have twelve threads.
        ("to-thread", 3_400.0, 200, 12, Some(12)),
        ("gather-to-thread", 3_400.0, 200, 12, Some(12)),
    ] {
        let row = by_variant(&result, variant);
        assert_eq!(row.median_ms, Some(took), "{variant}");
        assert_eq!(row.samples_ms, [took], "{variant}");
        assert_eq!(
            (row.answered, row.in_flight_max),
            (Some(answered), Some(at_once)),
            "{variant}"
        );
        assert_eq!((row.workers, errors(row)), (workers, vec![]), "{variant}");
        assert_eq!(row.p50_ms, Some(200.0), "{variant}");
        let curve = row.in_flight.as_ref().expect("it is drawn");
        assert_eq!(curve.iter().map(|point| point.value).max(), Some(at_once), "{variant}");
        assert_eq!(
            curve.last().map(|point| (point.at_ms, point.value)),
            Some((took, 0)),
            "{variant}"
        );
        assert!(
            row.speedup.is_none(),
            "{variant}: ten requests are no measure for two hundred"
        );
    }
    for few in ["one-by-one", "blocking"] {
        let row = by_variant(&result, few);
        assert!(row.label.ends_with("(10 requests)"), "{}", row.label);
        let notes = row.notes.join(" ");
        assert!(
            notes.contains("10 requests instead of 200") && notes.contains("40 s"),
            "{notes}"
        );
    }
    let deadline = by_variant(&result, "deadline-tasks");
    assert_eq!(
        (deadline.median_ms, deadline.timeout_after_ms),
        (Some(100.0), Some(100.0))
    );
    assert_eq!(
        (deadline.answered, errors(deadline)),
        (Some(0), vec![("cancelled", 200)])
    );
    let threads = by_variant(&result, "deadline-to-thread");
    assert_eq!(
        (threads.median_ms, threads.timeout_after_ms),
        (Some(200.0), Some(100.0))
    );
    let failure = by_variant(&result, "failure-group");
    assert_eq!(failure.median_ms, Some(200.0));
    assert!(errors(failure).contains(&("connection", 1)), "{:?}", errors(failure));
    assert!(
        !result
            .rows
            .iter()
            .any(|row| row.variant.as_deref() == Some("many-tasks"))
    );
    assert!(!result.published.is_empty());
}

#[test]
fn each_row_asks_as_it_says() {
    let mut page = FakePage::default();
    run(&mut page, "fan-out", &[("failing", number(3)), ("retries", number(1))]);
    let mut kinds = Vec::new();
    for action in &page.asked {
        match action {
            Action::OnLab {
                threads: 0,
                job: Job::Batch(batch),
                ..
            } => assert!(!batch.request.by_timer),
            Action::OnIsolates {
                kind,
                workers: 20,
                cold: false,
                jobs,
                ..
            } => {
                kinds.push(*kind);
                let failures = jobs.iter().map(|job| match job {
                    Job::Request(RequestJob { failures, .. }) => *failures,
                    other => panic!("{other:?}"),
                });
                assert_eq!((jobs.len(), failures.sum::<u32>()), (200, 3));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(kinds, [IsolateKind::Interpreter, IsolateKind::Process]);
}

#[test]
fn failures_and_retries_are_counted() {
    let failing = |retries| {
        fan_out(&[
            ("variant", text("threads")),
            ("failing", number(3)),
            ("retries", number(retries)),
        ])
    };
    let failed = failing(0);
    let threads = by_variant(&failed, "threads");
    assert_eq!(
        (threads.answered, errors(threads)),
        (Some(197), vec![("connection", 3)])
    );
    let again = failing(1);
    let threads = by_variant(&again, "threads");
    assert_eq!(
        (threads.answered, errors(threads), threads.p99_ms),
        (Some(200), vec![], Some(400.0))
    );
    let group = fan_out(&[("variant", text("limited")), ("failing", number(1))]);
    assert_eq!(claim(&group, "all-answered").holds, Holds::NotApplicable);
    assert_eq!(group.finding.id, "one");
}

#[test]
fn a_deadline_is_for_what_can_be_cancelled() {
    let short = |variant: &str| {
        let result = fan_out(&[("variant", text(variant)), ("deadlineMs", number(500))]);
        by_variant(&result, variant).clone()
    };
    let tasks = short("limited");
    assert_eq!(
        (tasks.median_ms, tasks.answered, tasks.timeout_after_ms),
        (Some(500.0), Some(40), Some(500.0))
    );
    let handed = short("to-thread");
    assert_eq!((handed.median_ms, handed.timeout_after_ms), (Some(600.0), Some(500.0)));
    let threads = short("threads");
    assert_eq!(
        (threads.median_ms, threads.answered, threads.timeout_fired),
        (Some(2_000.0), Some(200), Some(false))
    );
    assert!(
        threads.notes.iter().any(|note| note.contains("without the deadline")),
        "{:?}",
        threads.notes
    );
}

#[test]
fn requests_that_pass_the_service_worker_by_are_rows_without_numbers() {
    let mut page = FakePage {
        slow: Slow::BlockingPassesBy,
        ..FakePage::default()
    };
    let result = run(&mut page, "fan-out", &[]);
    for row in &result.rows {
        let awaits = row.strategy == Strategy::EventLoop && row.variant.as_deref() != Some("blocking");
        assert_eq!(row.available, awaits, "{}", row.label);
        let says = |part: &Option<String>, word| part.as_deref().is_some_and(|text| text.contains(word));
        assert_eq!(
            says(&row.reason, "blocking requests") && says(&row.cure, "tasks"),
            !awaits,
            "{}",
            row.label
        );
        assert_eq!(
            row.samples_ms.is_empty() && row.answered.is_none(),
            !awaits,
            "{}",
            row.label
        );
    }
    assert_eq!(claim(&result, "blocking-is-one-by-one").holds, Holds::NotApplicable);
    assert_eq!(claim(&result, "within-the-limit").holds, Holds::True);
    assert_eq!(result.finding.id, "one", "{}", result.finding.text);

    page.slow = Slow::PassesBy;
    let result = run(&mut page, "fan-out", &[]);
    let tasks = row(&result, Strategy::EventLoop, Some("tasks"), None);
    assert!(
        !tasks.available
            && tasks
                .reason
                .as_deref()
                .is_some_and(|reason| reason.contains("did not answer"))
    );
    assert_eq!(result.finding.id, "unavailable");
}

#[test]
fn where_nobody_answers_timers_stand_in_and_the_rows_say_so() {
    let mut page = FakePage {
        // Whatever is asked would pass by: nobody may be asked.
        slow: Slow::PassesBy,
        ..FakePage::default()
    };
    page.environment.service_worker = ServiceWorkerState::Unsupported;
    let result = run(&mut page, "fan-out", &[]);
    for row in &result.rows {
        let notes = row.notes.join(" ");
        assert!(
            row.available && notes.contains("Timers stand in"),
            "{}: {notes}",
            row.label
        );
    }
    for claim in &result.claims {
        assert_eq!(claim.holds, Holds::True, "{}: {}", claim.id, claim.why);
    }
    let result = run(&mut page, "fan-out", &[("capacity", number(20))]);
    for row in &result.rows {
        // The rows at close range have a server without a limit.
        let is_close = row
            .variant
            .as_deref()
            .is_some_and(|id| id.contains("deadline") || id.contains("failure"));
        assert_eq!(row.available, is_close, "{}", row.label);
    }
}

/// Values may take a claim what it needs; then it says so, and is not called false.
#[test]
fn at_the_ends_of_ranges_no_claim_is_false() {
    for values in [
        vec![("requests", 1)],
        vec![("requests", 500), ("limit", 1), ("delayMs", 20), ("workers", 64)],
        vec![("requests", 4), ("limit", 1), ("workers", 1)],
        vec![("limit", 10_000)],
        vec![("delayMs", 0)],
        vec![("delayMs", 1)],
        vec![("delayMs", 19)],
        vec![("deadlineMs", 0)],
        vec![("deadlineMs", 1)],
        vec![("deadlineMs", 200)],
        vec![("failing", 1)],
        vec![("failing", 10_000), ("retries", 10), ("delayMs", 20)],
        vec![("failing", 300), ("retries", 2), ("requests", 100)],
    ] {
        let params: Vec<_> = values.iter().map(|(name, value)| (*name, number(*value))).collect();
        let result = fan_out(&params);
        for claim in &result.claims {
            assert_ne!(claim.holds, Holds::False, "{values:?}: {}: {}", claim.id, claim.why);
        }
        for row in &result.rows {
            let counted = row.answered.unwrap_or_default() + errors(row).iter().map(|(_, count)| count).sum::<u32>();
            let made = if ["one-by-one", "blocking"].contains(&row.variant.as_deref().unwrap_or_default()) {
                10
            } else {
                500
            };
            let asked = values
                .iter()
                .find(|(name, _)| *name == "requests")
                .map_or(200, |(_, n)| *n);
            assert_eq!(counted, asked.min(made), "{values:?}: {}", row.label);
        }
    }
}

/// What a busy machine spoils is no contradiction.
#[test]
fn late_answers_leave_invariants_alone() {
    let mut page = FakePage {
        slow: Slow::Late(150.0),
        ..FakePage::default()
    };
    let result = run(&mut page, "fan-out", &[]);
    for claim in &result.claims {
        assert_eq!(claim.holds, Holds::True, "{}: {}", claim.id, claim.why);
    }
    let slow = result.rows.iter().find(|row| row.variant.as_deref() == Some("limited"));
    assert_eq!(slow.and_then(|row| row.median_ms), Some(3_500.0));
}
