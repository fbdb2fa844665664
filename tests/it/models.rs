//! Every lab's model: claims true at defaults, false under their fault, and the same bytes each time.

use std::collections::BTreeSet;

use concurrency_playground::labs::parameters::Takes;
use concurrency_playground::labs::{LABS, Lab};
use concurrency_playground::wire::{Holds, LabResult, Mode, Provenance, Sabotage};

use crate::fake_page::{FakePage, number, text};
use crate::result_words::check_words;

fn modelled() -> impl Iterator<Item = &'static dyn Lab> {
    LABS.iter()
        .copied()
        .filter(|lab| lab.about().modes.contains(&Mode::Model))
}

fn model(lab: &str, sabotage: Option<Sabotage>) -> LabResult {
    let mut page = FakePage {
        sabotage,
        ..FakePage::default()
    };
    let result = page.model(lab, &[]);
    check_words(&result);
    result
}

#[test]
fn at_defaults_every_claim_of_a_model_holds() {
    for lab in modelled() {
        let id = lab.about().id;
        let result = model(id, None);
        let claims = lab.model().expect("it has one").claims();
        assert_eq!(result.claims.len(), claims.len(), "{id}");
        for claim in &result.claims {
            assert_eq!(claim.holds, Holds::True, "{id}: {} {}", claim.id, claim.why);
        }
        for row in &result.rows {
            assert!(row.available && row.median_ms.is_some(), "{id}: {row:?}");
            assert_eq!(row.provenance, Provenance::Modelled, "{id}");
        }
        let is_compared_with_itself = result.rows.iter().any(|row| row.baseline && row.speedup.is_some());
        assert!(!is_compared_with_itself, "{id}");
    }
}

/// Where a machine or a runtime is not one that a claim speaks of, the claim says so; it is not called false.
#[test]
fn on_another_machine_or_runtime_no_claim_is_false() {
    for lab in modelled() {
        let id = lab.about().id;
        let choices = |parameter: &'static str| {
            let found = lab.about().parameters.iter().find(|found| found.id == parameter);
            let choices: &[&str] = match found.map(|found| found.takes) {
                Some(Takes::Choice { choices, .. }) => choices,
                _ => &[],
            };
            let known = choices.iter().filter(|choice| **choice != "here");
            known.map(move |choice| (parameter, *choice))
        };
        for (parameter, choice) in choices("preset").chain(choices("runtime")) {
            let result = FakePage::default().model(id, &[(parameter, text(choice))]);
            check_words(&result);
            for claim in &result.claims {
                let (claim, why) = (&claim.id, (claim.holds, &claim.why));
                assert_ne!(why.0, Holds::False, "{id}, {parameter} {choice}: {claim}: {}", why.1);
            }
        }
    }
}

/// At the ends of their ranges, values may take a claim what it needs; then it says so.
#[test]
fn at_the_ends_of_ranges_no_claim_is_false() {
    let cases = [
        (
            "fan-out",
            vec![("requests", 10_000), ("delayMs", 1), ("workers", 200)],
            "to-thread",
        ),
        ("fan-out", vec![("capacity", 1), ("backlog", 0)], ""),
        ("fan-out", vec![("requests", 5), ("failing", 10_000)], ""),
        ("lost-updates", vec![("switchIntervalUs", 1), ("additions", 20_000)], ""),
        (
            "lost-updates",
            vec![("switchIntervalUs", 50_000), ("threads", 16), ("additions", 20_000)],
            "",
        ),
        ("isolation", vec![("workers", 1), ("items", 1)], ""),
        (
            "isolation",
            vec![("workers", 64), ("items", 100_000), ("chunk", 100_000)],
            "",
        ),
        (
            "isolation",
            vec![("cores", 1), ("items", 10_000), ("payloadBytes", 1)],
            "",
        ),
        (
            "isolation",
            vec![("cores", 256), ("workers", 64), ("payloadBytes", 67_108_864)],
            "",
        ),
        ("lock-release", vec![("cores", 1)], ""),
        ("lock-release", vec![("threads", 1), ("tasks", 1)], ""),
        ("lock-release", vec![("threads", 64), ("tasks", 64), ("cores", 4)], ""),
        (
            "lock-release",
            vec![("bufferMiB", 1), ("messages", 1), ("files", 1)],
            "",
        ),
        (
            "lock-release",
            vec![("messageBytes", 2_048), ("files", 20_000), ("tasks", 4)],
            "",
        ),
        (
            "lock-release",
            vec![
                ("messageBytes", 65_536),
                ("messages", 400_000),
                ("tasks", 64),
                ("bufferMiB", 256),
            ],
            "",
        ),
        ("locks", vec![("threads", 2)], ""),
        ("locks", vec![("threads", 16)], ""),
        ("locks", vec![("cores", 1)], ""),
        ("locks", vec![("cores", 2), ("timeoutMs", 1)], ""),
        ("server", vec![("cores", 1)], ""),
        (
            "server",
            vec![("requests", 100), ("arrivalsPerSecond", 100_000), ("computeMs", 1)],
            "",
        ),
        (
            "server",
            vec![("requests", 100), ("arrivalsPerSecond", 1), ("blockingShare", 100)],
            "",
        ),
        (
            "server",
            vec![
                ("workers", 64),
                ("threads", 64),
                ("cores", 256),
                ("computeMs", 1_000),
                ("requests", 100),
            ],
            "",
        ),
        ("server", vec![("connections", 1), ("threads", 64)], ""),
        ("stall", vec![("cores", 1)], ""),
        ("waiters", vec![("cores", 1)], ""),
        ("waiters", vec![("jobs", 1), ("waitMs", 0), ("computeMs", 0)], ""),
        ("waiters", vec![("jobs", 1_000), ("waitMs", 20), ("computeMs", 2)], ""),
        ("waiters", vec![("jobs", 10), ("workers", 64), ("waitMs", 10_000)], ""),
        ("stall", vec![("callMs", 10), ("heartbeatMs", 1_000)], ""),
        ("choose", vec![("atOnce", 1), ("memoryMiB", 16)], ""),
        ("choose", vec![("cores", 1), ("atOnce", 50), ("memoryMiB", 64)], ""),
        (
            "choose",
            vec![("cores", 256), ("logicalCores", 512), ("memoryMiB", 65_536)],
            "",
        ),
        ("start-methods", vec![("tasks", 1), ("size", 1)], ""),
        ("start-methods", vec![("tasks", 64), ("size", 20_000_000)], ""),
        ("start-methods", vec![("cores", 1), ("tasks", 3)], ""),
        ("start-methods", vec![("cores", 256), ("logicalCores", 512)], ""),
        ("cpu-bound", vec![("cores", 1), ("size", 1_000)], ""),
        (
            "cpu-bound",
            vec![("cores", 256), ("tasks", 1), ("workers", 64), ("size", 1_000)],
            "",
        ),
    ];
    for (id, numbers, variant) in cases {
        let chosen = (!variant.is_empty()).then(|| ("variant", text(variant)));
        let params: Vec<_> = numbers
            .iter()
            .map(|(name, value)| (*name, number(*value)))
            .chain(chosen)
            .collect();
        let result = FakePage::default().model(id, &params);
        check_words(&result);
        for claim in &result.claims {
            assert_ne!(
                claim.holds,
                Holds::False,
                "{id} {params:?}: {}: {}",
                claim.id,
                claim.why
            );
        }
    }
}

/// Whoever gave up early is not called the fastest.
#[test]
fn a_batch_that_failed_is_not_fast() {
    let finding = |params: &[_]| FakePage::default().model("fan-out", params).finding;
    let crowded = finding(&[("capacity", number(1)), ("backlog", number(0))]);
    assert_eq!(
        crowded.args.0.get("answered"),
        crowded.args.0.get("requests"),
        "{}",
        crowded.text
    );
    let broken = finding(&[("requests", number(5)), ("failing", number(10_000))]);
    assert_eq!(broken.id, "incomplete", "{}", broken.text);
}

/// What a service under load is said to do: some keep up, all do, none does, or there is none.
#[test]
fn a_service_has_a_finding_for_every_regime() {
    let finding = |params: &[_]| FakePage::default().model("server", params).finding.id;
    let few = ("requests", number(500));
    assert_eq!(finding(std::slice::from_ref(&few)), "one-keeps-up");
    let enough = [few.clone(), ("workers", number(5)), ("threads", number(8))];
    assert_eq!(finding(&enough), "keeps-up");
    let blocked = [few.clone(), ("kind", text("asgi")), ("blockingShare", number(100))];
    assert_eq!(finding(&blocked), "falls-behind");
    assert_eq!(finding(&[("variant", text("query-refused"))]), "one");
    assert_eq!(finding(&[("variant", text("textbook"))]), "textbook");
    let alone = FakePage::default().model("server", &[("variant", text("at-once"))]);
    assert!(
        alone.finding.id == "one" && alone.trace.is_some(),
        "{:?}",
        alone.finding
    );
}

/// Two million requests are gone through in slices, each of which tells how far it is, and can be the last.
#[test]
fn a_service_under_load_can_be_stopped() {
    use concurrency_playground::session::Session;
    use concurrency_playground::wire::{Reply, Request, RunRequest};

    let mut session = Session::default();
    let params = [("variant", text("load-asgi")), ("requests", number(2_000_000))];
    let run = RunRequest {
        mode: text("model"),
        ..crate::fake_page::request("server", &params)
    };
    let environment = crate::fake_page::environment();
    let mut reply = session.handle(Request::Start { run, environment });
    for _ in 0..20 {
        let Reply::Working { progress } = reply else {
            panic!("{reply:?}")
        };
        assert!(progress.sampling && !progress.label.is_empty(), "{progress:?}");
        reply = session.handle(Request::GoOn);
    }
    let Reply::Working { progress } = reply else {
        panic!("{reply:?}")
    };
    assert!(progress.label.contains("of 2,000,000 requests"), "{progress:?}");
    assert_eq!(session.handle(Request::Cancel), Reply::Ready);
}

#[test]
fn every_claim_of_a_model_is_false_under_its_fault() {
    for lab in modelled() {
        let id = lab.about().id;
        let claims = lab.model().expect("it has one").claims();
        // Claims with the same fault share a run.
        let mut faults: Vec<Sabotage> = Vec::new();
        for spec in claims {
            if !faults.contains(&spec.sabotage) {
                faults.push(spec.sabotage);
            }
        }
        for fault in faults {
            let sick = model(id, Some(fault));
            for spec in claims.iter().filter(|spec| spec.sabotage == fault) {
                let judged = sick
                    .claims
                    .iter()
                    .find(|claim| claim.id == spec.id)
                    .expect("it is judged");
                assert_eq!(
                    judged.holds,
                    Holds::False,
                    "{id}: {} under {fault:?}: {}",
                    spec.id,
                    judged.why
                );
            }
        }
        let ids: BTreeSet<&str> = claims.iter().map(|claim| claim.id).collect();
        assert_eq!(ids.len(), claims.len(), "{id}: a claim twice");
    }
}

/// Rows, claims and the hash of the log: byte for byte.
#[test]
fn the_same_run_is_the_same_to_the_byte() {
    for lab in modelled() {
        let id = lab.about().id;
        let json = |result: &LabResult| serde_json::to_string(result).expect("a result is plain JSON");
        let (one, two) = (model(id, None), model(id, None));
        assert_eq!(json(&one), json(&two), "{id}");
        assert!(one.trace_hash.is_some(), "{id} leaves no trace");
    }
}
