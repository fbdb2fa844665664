//! The lab that advises: what it finds in every regime, its mistakes one by one, and settings drawn at random.

use concurrency_playground::labs::by_id;
use concurrency_playground::labs::parameters::Takes;
use concurrency_playground::wire::{Holds, LabResult, Plain, RawValue, Sabotage};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::Params;
use crate::fake_page::{FakePage, flag, number, text};
use crate::result_words::check_words;

fn choose(params: Params) -> LabResult {
    let result = FakePage::default().model("choose", params);
    check_words(&result);
    result
}

#[test]
fn choosing_has_a_finding_for_every_regime() {
    let find = |params: Params| choose(params).finding;
    let plain = find(&[]);
    assert_eq!(plain.id, "advice", "{}", plain.text);
    assert!(plain.text.starts_with("Threads, 10 at once"), "{}", plain.text);
    let stuck = find(&[("deadline", flag(true))]);
    assert_eq!(stuck.id, "none-right", "{}", stuck.text);
    let mut sick = FakePage {
        sabotage: Some(Sabotage::AdvisedThatDawdles),
        ..FakePage::default()
    };
    assert_eq!(sick.model("choose", &[]).finding.id, "not-the-fastest");
    let given_out = find(&[("parsing", text("threads"))]);
    assert_eq!(given_out.id, "job", "{}", given_out.text);
}

/// What decides, and who is advised then.
#[test]
fn advice_follows_from_what_a_job_is_like() {
    let cases: [(Params, &str, &str); 8] = [
        (
            &[("time", text("computes"))],
            "Processes",
            "one thread computes at a time",
        ),
        (
            &[("time", text("computes")), ("runtime", text("free-threaded"))],
            "Threads",
            "has no lock",
        ),
        (&[("time", text("releases"))], "Threads", "lets go"),
        (
            &[("time", text("releases")), ("shared", text("lock-free"))],
            "Processes",
            "cannot be locked",
        ),
        (
            &[("libraries", text("async")), ("deadline", flag(true))],
            "Event loop",
            "can be cancelled",
        ),
        (
            &[("libraries", text("async")), ("atOnce", number(500))],
            "Event loop",
            "than threads fit",
        ),
        (&[("atOnce", number(1))], "One after another", "there is one job"),
        (&[("crashSafe", flag(true))], "Processes", "a crash must stay outside"),
    ];
    for (params, strategy, reason) in cases {
        let finding = choose(params).finding;
        assert_eq!(finding.id, "advice", "{params:?}: {}", finding.text);
        assert!(
            finding.text.starts_with(strategy) && finding.text.contains(reason),
            "{params:?}: {}",
            finding.text
        );
    }
}

#[test]
fn every_mistake_is_worse_than_its_cure() {
    let found = |case: &str| {
        let result = choose(&[("case", text(case))]);
        assert_eq!(result.rows.len(), 2, "{case}");
        for row in &result.rows {
            assert!(row.available, "{case}: {row:?}");
        }
        assert_eq!(result.finding.id, case);
        result
    };
    let amount = |result: &LabResult, name: &str| match result.finding.args.0.get(name) {
        Some(Plain::Number(number)) => *number,
        other => panic!("{name}: {other:?}"),
    };
    for (case, quantity, times) in [
        ("threads-for-computing", "Ms", 1.5),
        ("blocking-in-coroutine", "Gap", 5.0),
        ("unbounded-tasks", "Errors", 5.0),
        ("unlocked-state", "Lost", 5.0),
        ("pool-per-task", "Ms", 1.5),
        ("large-objects", "Ms", 1.5),
        ("timeout-for-thread", "Ended", 1.2),
    ] {
        let result = found(case);
        let (written, better) = (
            amount(&result, &format!("written{quantity}")),
            amount(&result, &format!("better{quantity}")),
        );
        assert!(written > better * times, "{case}: {}", result.finding.text);
    }
    // One query is no faster by awaiting it.
    let query = found("async-for-one-query");
    let (written, better) = (amount(&query, "writtenMs"), amount(&query, "betterMs"));
    assert!(written > better * 0.98, "{}", query.finding.text);
    for case in ["append-as-proof", "lock-order"] {
        let result = found(case);
        let worst = |name: &str| result.finding.args.0.get(name).cloned();
        assert_ne!(worst("writtenWorst"), Some(Plain::Text(String::new())), "{case}");
        assert_eq!(worst("betterWorst"), Some(Plain::Text(String::new())), "{case}");
    }
    let guard = found("no-guard");
    assert!(
        guard.finding.text.contains("BrokenProcessPool"),
        "{}",
        guard.finding.text
    );
}

/// Whatever a job is like: the advice is good, or nothing is, or the claim says that it does not apply.
#[test]
fn advice_is_good_at_random_settings() {
    let mut random = Pcg32::seed_from_u64(14);
    let about = by_id("choose").expect("it is a lab").about();
    for _ in 0..60 {
        let mut params: Vec<(&str, RawValue)> = Vec::new();
        for parameter in about.parameters {
            let is_job = ["case", "fetching", "parsing", "hashing", "storing", "logicalCores"].contains(&parameter.id);
            if is_job || random.random::<f64>() < 0.4 {
                continue;
            }
            let value = match (parameter.id, parameter.takes) {
                // A debug build takes its time, and larger ones are tried elsewhere.
                ("atOnce", _) => number(random.random_range(1..=150)),
                ("cores", _) => number(random.random_range(1..=12)),
                ("memoryMiB", _) => number(16 << random.random_range(0..=12)),
                (_, Takes::Unsigned { min, max, .. }) => number(random.random_range(min..=max)),
                (_, Takes::Flag { .. }) => flag(random.random()),
                (_, Takes::Choice { choices, .. }) => {
                    let known: Vec<&&str> = choices.iter().filter(|choice| **choice != "here").collect();
                    let place = random.random_range(0..known.len());
                    text(known.get(place).expect("it was drawn from them"))
                }
            };
            params.push((parameter.id, value));
        }
        let result = choose(&params);
        for claim in &result.claims {
            assert_ne!(claim.holds, Holds::False, "{params:?}: {}: {}", claim.id, claim.why);
        }
    }
}
