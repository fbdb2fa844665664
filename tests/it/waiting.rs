//! The labs about waiting, by their exact numbers on the ideal machine: `event-loop`, `stall`, `fan-out`.

use concurrency_playground::session::Session;
use concurrency_playground::wire::{Holds, LabResult, RawValue, Reply, Request, Row, RunRequest, Runtime};
use proptest::prelude::*;

use crate::fake_page::{FakePage, environment, number, request, text};
use crate::result_words::check_words;

type Params<'a> = &'a [(&'a str, RawValue)];

fn model(lab: &str, params: Params) -> LabResult {
    let result = FakePage::default().model(lab, params);
    check_words(&result);
    result
}

fn row<'a>(result: &'a LabResult, variant: &str) -> &'a Row {
    let mut rows = result.rows.iter();
    rows.find(|row| row.variant.as_deref() == Some(variant))
        .unwrap_or_else(|| panic!("{} has no row {variant}", result.lab))
}

fn holds(result: &LabResult, claim: &str) -> Holds {
    let found = result.claims.iter().find(|judged| judged.id == claim);
    found
        .unwrap_or_else(|| panic!("{} claims no {claim}", result.lab))
        .holds
}

#[test]
fn scenes_take_as_long_as_they_wait() {
    let result = model("event-loop", &[]);
    let seconds = |scene: &str| row(&result, scene).median_ms.expect("it ran") / 1000.0;
    let lessons = ["await", "group", "timeout", "semaphore"].map(seconds);
    assert_eq!(lessons, [0.3, 0.3, 0.1, 0.6]);
    assert_eq!(seconds("never-suspends"), 0.0);
    let only = model("event-loop", &[("scene", text("shield"))]);
    assert_eq!(only.rows.len(), 1);
    assert!(only.finding.text.contains("payment done"), "{}", only.finding.text);
}

/// One program, two clocks.
#[test]
fn both_halves_print_the_same() {
    let measured = FakePage::default().run("event-loop", &[]);
    let modelled = model("event-loop", &[]);
    assert_eq!(measured.rows.len(), modelled.rows.len());
    for (one, other) in measured.rows.iter().zip(&modelled.rows) {
        assert!(one.log.is_some() && one.log == other.log, "{one:?} {other:?}");
        assert_eq!((&one.variant, one.median_ms), (&other.variant, other.median_ms));
    }
    let stalled = FakePage::default().run("stall", &[]);
    let modelled = model("stall", &[("runtime", text("free-threaded"))]);
    for (one, other) in stalled.rows.iter().zip(&modelled.rows) {
        assert_eq!(one.variant, other.variant);
        assert_eq!(one.beats_ms, other.beats_ms, "{:?}", one.variant);
        assert_eq!(
            (one.longest_gap_ms, one.timeout_after_ms, one.program_ended_ms),
            (other.longest_gap_ms, other.timeout_after_ms, other.program_ended_ms),
            "{:?}",
            one.variant
        );
    }
}

#[test]
fn a_stall_is_exact_and_has_a_name() {
    let result = model("stall", &[]);
    let seen = |variant: &str| {
        let row = row(&result, variant);
        (
            row.longest_gap_ms.expect("hearts beat"),
            row.timeout_after_ms,
            row.program_ended_ms.expect("it ended"),
        )
    };
    assert_eq!(seen("blocking"), (1600.0, None, 2100.0));
    assert_eq!(seen("to-thread"), (100.0, Some(500.0), 1800.0));
    assert_eq!(seen("own-timeout"), (100.0, Some(500.0), 1100.0));
    assert_eq!(seen("compute-inline"), (1600.0, None, 2100.0));
    // A switch interval of 5 ms passes before the loop gets the lock back.
    assert_eq!(seen("compute-to-thread"), (105.0, Some(505.0), 1800.0));
    assert_eq!(seen("compute-processes"), (100.0, Some(500.0), 1800.0));
    let (slices, ..) = seen("slices");
    assert!(slices <= 130.0, "{slices}");
    assert_eq!(row(&result, "handlers-blocking").median_ms, Some(1000.0));
    assert_eq!(row(&result, "handlers-awaiting").median_ms, Some(100.0));
    let free = result
        .rows
        .iter()
        .find(|row| row.variant.as_deref() == Some("compute-to-thread") && row.runtime == Some(Runtime::FreeThreaded));
    assert_eq!(free.expect("it is there too").longest_gap_ms, Some(100.0));

    let culprit = row(&result, "blocking")
        .culprit
        .as_deref()
        .expect("somebody held the loop");
    for part in ["fetch_report", "1.5 s", "time.sleep", "line"] {
        assert!(culprit.contains(part), "{culprit}");
    }
    assert!(
        row(&result, "slices").culprit.is_none(),
        "many short steps are no stall"
    );
    assert!(
        row(&result, "to-thread").culprit.is_none(),
        "a thread that blocks is no stall"
    );
}

/// One beat every so often, under the lock: computing elsewhere delays it by the switch interval and no more.
#[test]
fn a_quick_heart_beside_a_computing_thread_is_late_by_the_switch_interval() {
    let result = model(
        "stall",
        &[
            ("variant", text("compute-to-thread")),
            ("heartbeatMs", number(10)),
            ("callMs", number(500)),
            ("runtime", text("gil")),
        ],
    );
    let gap = row(&result, "compute-to-thread").longest_gap_ms.expect("hearts beat");
    assert!((15.0..=20.0).contains(&gap), "{gap}");
    assert_eq!(holds(&result, "compute-to-thread-waits-for-the-lock"), Holds::True);
}

fn fan_out(params: Params) -> LabResult {
    let ideal = [("preset", text("ideal"))];
    let all: Vec<(&str, RawValue)> = ideal.iter().chain(params).cloned().collect();
    model("fan-out", &all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn on_the_ideal_machine_a_batch_takes_its_rounds(
        requests in 1_u32..60,
        places in 1_u32..70,
        delay in 0_u32..300,
        cores in 1_u32..40,
    ) {
        let asked = |variant: &'static str| {
            let result = fan_out(&[
                ("variant", text(variant)),
                ("requests", number(requests)),
                ("delayMs", number(delay)),
                ("workers", number(places)),
                ("limit", number(places)),
                ("deadlineMs", number(0)),
                ("cores", number(cores)),
            ]);
            let row = row(&result, variant).clone();
            assert_eq!(row.answered, Some(requests), "{variant}");
            assert_eq!(row.errors.as_deref(), Some([].as_slice()), "{variant}");
            (row.median_ms.expect("it ran"), row.in_flight_max.expect("it asked"))
        };
        let default_pool = (cores + 4).min(32);
        for (variant, at_once) in [
            ("one-by-one", 1),
            ("threads", places),
            ("processes", places),
            ("tasks", requests),
            ("limited", places),
            ("blocking", 1),
            ("to-thread", default_pool),
            ("gather-to-thread", default_pool),
        ] {
            let (took, in_flight) = asked(variant);
            let at_once = at_once.min(requests);
            prop_assert_eq!(took, f64::from(requests.div_ceil(at_once) * delay), "{}", variant);
            prop_assert!(in_flight <= at_once, "{}: {} under way", variant, in_flight);
            if delay > 0 {
                prop_assert_eq!(in_flight, at_once, "{}", variant);
            }
        }
    }
}

fn errors(row: &Row) -> Vec<(&str, u32)> {
    row.errors
        .iter()
        .flatten()
        .map(|error| (error.kind.as_str(), error.count))
        .collect()
}

#[test]
fn a_server_that_is_full_refuses_and_another_try_helps() {
    let crowd = [
        ("variant", text("threads")),
        ("workers", number(100)),
        ("requests", number(100)),
        ("capacity", number(10)),
        ("backlog", number(40)),
    ];
    let full = fan_out(&crowd);
    let full = row(&full, "threads");
    assert_eq!((full.answered, errors(full)), (Some(50), vec![("connection", 50)]));
    assert_eq!(full.median_ms, Some(1000.0), "five rounds of ten");
    let failing = [("variant", text("threads")), ("failing", number(3))];
    let failed = fan_out(&failing);
    assert_eq!(errors(row(&failed, "threads")), [("connection", 3)]);
    let again: Vec<_> = failing.iter().cloned().chain([("retries", number(1))]).collect();
    let again = fan_out(&again);
    assert_eq!(
        (row(&again, "threads").answered, errors(row(&again, "threads"))),
        (Some(200), vec![])
    );
    assert_eq!(holds(&again, "rounds"), Holds::NotApplicable);
}

#[test]
fn a_failure_ends_a_group_and_no_pool() {
    let ended = |variant: &'static str| {
        let params = [
            ("variant", text(variant)),
            ("failing", number(1)),
            ("limit", number(20)),
        ];
        let result = fan_out(&params);
        let row = row(&result, variant);
        (row.median_ms.expect("it ran"), row.answered.expect("it counts"))
    };
    assert_eq!(ended("threads"), (2000.0, 199));
    assert_eq!(ended("one-by-one"), (40_000.0, 199));
    let (took, answered) = ended("limited");
    assert_eq!(took, 200.0);
    assert!(answered < 20, "{answered}");
}

#[test]
fn a_deadline_ends_tasks_and_only_the_waiting_for_threads() {
    let ended = |variant: &'static str| {
        let params = [("variant", text(variant)), ("deadlineMs", number(500))];
        let result = fan_out(&params);
        let row = row(&result, variant).clone();
        (
            row.median_ms.expect("it ran"),
            row.timeout_after_ms,
            row.answered.expect("it counts"),
        )
    };
    // Two rounds of twenty are over, the third is under way.
    assert_eq!(ended("limited"), (500.0, Some(500.0), 40));
    assert_eq!(ended("threads"), (600.0, Some(500.0), 60));
    // Eight threads, so the third round is under way here too; its calls are answered, though nobody asks.
    assert_eq!(ended("to-thread"), (600.0, Some(500.0), 24));
    assert_eq!(ended("one-by-one"), (40_000.0, None, 200), "nobody looks at a deadline");
}

#[test]
fn more_than_a_day_of_waiting_is_refused_in_words() {
    let ask = |params: Params| {
        let run = RunRequest {
            mode: text("model"),
            ..request("fan-out", params)
        };
        let environment = environment();
        Session::default().handle(Request::Start { run, environment })
    };
    let long = [("requests", number(10_000)), ("delayMs", number(10_000))];
    match ask(&long) {
        Reply::Refused { refusal } => {
            assert_eq!(refusal.parameter.as_deref(), Some("requests"));
            assert!(refusal.message.contains("28 hours"), "{}", refusal.message);
        }
        other => panic!("{other:?}"),
    }
    let at_once: Vec<_> = long.iter().cloned().chain([("variant", text("limited"))]).collect();
    assert!(matches!(ask(&at_once), Reply::Working { .. }));
}
