//! What a run says it found, in every regime, and the figures it says it with.

use concurrency_playground::wire::{Plain, Runtime, Sabotage, SharedMemory, Strategy};

use super::{Params, claim, row, run};
use crate::fake_page::{FakePage, Pool, Slow, flag, number, text};

#[test]
fn computing_has_a_finding_for_every_regime() {
    let find = |mut page: FakePage, params: Params| run(&mut page, "cpu-bound", params).finding;
    let default = FakePage::default;
    assert_eq!(find(default(), &[]).id, "faster");
    assert_eq!(
        find(
            FakePage {
                cores: 1,
                free_speed: 0.5,
                ..default()
            },
            &[("runtime", text("free-threaded"))]
        )
        .id,
        "slower"
    );
    let one = FakePage {
        cores: 1,
        lock_speed: 1.0,
        ..default()
    };
    assert_eq!(find(one, &[("strategy", text("threads"))]).id, "no-difference");
    let odd = FakePage {
        cores: 1,
        free_speed: 0.5,
        lock_speed: 1.0,
        ..default()
    };
    assert_eq!(find(odd, &[("strategy", text("threads"))]).id, "reversed");
    assert_eq!(
        find(
            FakePage {
                lock_speed: 1.5,
                ..default()
            },
            &[("runtime", text("gil")), ("strategy", text("threads"))]
        )
        .id,
        "locked-faster"
    );
    assert_eq!(find(default(), &[("strategy", text("serial"))]).id, "alone");
    assert_eq!(find(default(), &[("repeats", number(4))]).id, "too-few");
    let mut bare = FakePage {
        isolates_start: false,
        ..default()
    };
    bare.environment.shared_memory = SharedMemory::NotIsolated;
    assert_eq!(find(bare, &[]).id, "unavailable");
    let curve = find(default(), &[("curve", flag(true))]);
    assert_eq!(curve.id, "curve");
    assert_eq!(curve.args.0.get("workers"), Some(&Plain::Number(8.0)));
    // Eight tasks do not divide by 3, 5, 6 or 7 workers: that too cannot be shared out.
    assert!(
        matches!(curve.args.0.get("serialShare"), Some(Plain::Number(share)) if *share < 0.1),
        "{curve:?}"
    );
}

#[test]
fn starting_has_a_finding_for_every_regime() {
    let find = |mut page: FakePage, params: Params| run(&mut page, "start-methods", params).finding;
    let default = FakePage::default;
    let reuse = find(default(), &[]);
    assert_eq!(reuse.id, "reuse", "{}", reuse.text);
    // On one core the tasks are no faster at once, and on this page starting takes no time.
    let level = FakePage {
        cores: 1,
        start_ms: 0.0,
        ..default()
    };
    assert_eq!(find(level, &[]).id, "no-difference");
    // A page on which a start gives time back.
    let odd = FakePage {
        cores: 1,
        start_ms: -2.0,
        ..default()
    };
    assert_eq!(find(odd, &[]).id, "reversed");
    assert_eq!(find(default(), &[("repeats", number(4))]).id, "too-few");
    assert_eq!(find(default(), &[("pool", text("cold"))]).id, "one");
    let fork = find(default(), &[("startMethod", text("fork"))]);
    assert_eq!(fork.id, "unavailable");
    let bare = FakePage {
        isolates_start: false,
        ..default()
    };
    assert_eq!(find(bare, &[]).id, "unavailable");
    let hidden = FakePage {
        hidden_at: Some(1),
        ..default()
    };
    assert_eq!(find(hidden, &[]).id, "void");
}

/// The model's, one for each thing that can be asked of it.
#[test]
fn modelled_starts_have_a_finding_for_every_regime() {
    let find = |params: Params, sabotage| {
        let mut page = FakePage {
            sabotage,
            ..FakePage::default()
        };
        let result = page.model("start-methods", params);
        crate::result_words::check_words(&result);
        result.finding.id
    };
    let script = |method: &'static str, source: &'static str| [("startMethod", text(method)), ("source", text(source))];
    assert_eq!(find(&[], None), "both");
    assert_eq!(find(&[("source", text("file"))], None), "outcomes");
    assert_eq!(find(&script("spawn", "file"), None), "works");
    assert_eq!(find(&script("spawn", "stdin"), None), "fails");
    assert_eq!(find(&[("pool", text("warm"))], None), "one");
    assert_eq!(find(&[], Some(Sabotage::ForkThatImports)), "differs");
}

#[test]
fn counting_has_a_finding_for_every_regime() {
    let find = |mut page: FakePage, params: Params| run(&mut page, "lost-updates", params).finding.id;
    let default = FakePage::default;
    assert_eq!(find(default(), &[]), "luck-beside-loss");
    assert_eq!(find(default(), &[("variant", text("wide"))]), "lost");
    assert_eq!(
        find(default(), &[("variant", text("plain")), ("runtime", text("gil"))]),
        "luck"
    );
    assert_eq!(find(default(), &[("variant", text("lock"))]), "none-lost");
    assert_eq!(
        find(
            FakePage {
                pool: Pool::Fails,
                ..default()
            },
            &[]
        ),
        "unavailable"
    );
}

#[test]
fn stalling_has_a_finding_for_every_regime() {
    let find = |mut page: FakePage, params: Params| run(&mut page, "stall", params).finding.id;
    let default = FakePage::default;
    let sick = |sabotage| FakePage {
        sabotage: Some(sabotage),
        ..default()
    };
    assert_eq!(find(default(), &[]), "both");
    assert_eq!(find(default(), &[("variant", text("blocking"))]), "stalled");
    assert_eq!(find(default(), &[("variant", text("slices"))]), "one");
    assert_eq!(find(sick(Sabotage::CallThatDoesNotBlock), &[]), "not-stalled");
    assert_eq!(find(sick(Sabotage::ToThreadThatBlocks), &[]), "reversed");
}

#[test]
fn asking_has_a_finding_for_every_regime() {
    let find = |mut page: FakePage, params: Params| run(&mut page, "fan-out", params).finding;
    let default = FakePage::default;
    let slow = |slow| FakePage { slow, ..default() };
    let one_request = [("requests", number(1))];
    for (page, params, id) in [
        (default(), [].as_slice(), "faster"),
        (default(), &one_request, "no-difference"),
        (slow(Slow::Late(100.0)), &one_request, "reversed"),
        (default(), &[("failing", number(10_000))], "incomplete"),
        (default(), &[("variant", text("limited"))], "one"),
        (default(), &[("variant", text("one-by-one"))], "one"),
        (
            FakePage {
                hidden_at: Some(0),
                ..default()
            },
            &[],
            "void",
        ),
        // Last: a worker remembers that its requests went past.
        (
            slow(Slow::BlockingPassesBy),
            &[("variant", text("threads"))],
            "unavailable",
        ),
        (slow(Slow::PassesBy), &[], "unavailable"),
    ] {
        let finding = find(page, params);
        assert_eq!(finding.id, id, "{params:?}: {}", finding.text);
    }
    let finding = find(default(), &[("variant", text("tasks"))]);
    assert_eq!(
        finding.args.0.get("answered"),
        finding.args.0.get("requests"),
        "{}",
        finding.text
    );
}

#[test]
fn one_request_has_a_finding_for_every_regime() {
    let find = |mut page: FakePage, params: Params| run(&mut page, "server", params).finding.id;
    let default = FakePage::default;
    let sick = |sabotage| FakePage {
        sabotage: Some(sabotage),
        ..default()
    };
    assert_eq!(find(default(), &[]), "halved");
    assert_eq!(find(default(), &[("calls", text("one-by-one"))]), "in-line");
    assert_eq!(find(default(), &[("calls", text("at-once"))]), "together");
    assert_eq!(find(sick(Sabotage::GroupThatRunsOneAfterAnother), &[]), "little-gained");
    let result = run(&mut default(), "server", &[]);
    let took = |variant| row(&result, Strategy::EventLoop, Some(variant), None).median_ms;
    assert_eq!((took("one-by-one"), took("at-once")), (Some(400.0), Some(200.0)));
}

#[test]
fn waiting_has_a_finding_for_every_regime() {
    let find = |mut page: FakePage, params: Params| run(&mut page, "waiters", params).finding.id;
    let default = FakePage::default;
    assert_eq!(find(default(), &[]), "both");
    let one_core = || FakePage { cores: 1, ..default() };
    assert_eq!(find(one_core(), &[]), "overlap-only");
    assert_eq!(find(default(), &[("jobs", number(1))]), "no-difference");
    let shared = [
        ("workers", number(8)),
        ("waitMs", number(0)),
        ("computeMs", number(100)),
    ];
    assert_eq!(find(default(), &shared), "reversed");
    assert_eq!(find(default(), &[("variant", text("waiting-overlapped"))]), "one");
    let mut bare = FakePage {
        isolates_start: false,
        ..default()
    };
    assert_eq!(
        run(&mut bare, "waiters", &[("variant", text("waiting-many"))])
            .finding
            .id,
        "unavailable"
    );
}

#[test]
fn hashing_has_a_finding_for_every_regime() {
    let find = |mut page: FakePage, params: Params| run(&mut page, "lock-release", params).finding;
    let default = FakePage::default;
    let found = find(default(), &[]);
    assert_eq!(found.id, "released", "{}", found.text);
    let long = [("messageBytes", number(4_096)), ("messages", number(1_000))];
    assert_eq!(find(default(), &long).id, "both-faster");
    let one_core = || FakePage { cores: 1, ..default() };
    assert_eq!(find(one_core(), &[]).id, "none-faster");
    let few = [
        ("tasks", number(1)),
        ("messageBytes", number(4_096)),
        ("messages", number(1_000)),
    ];
    assert_eq!(find(default(), &few).id, "none-faster");
    let unlocked = FakePage {
        sabotage: Some(Sabotage::NoInterpreterLock),
        ..default()
    };
    assert_eq!(find(unlocked, &[]).id, "both-faster");
    let free = ("runtime", text("free-threaded"));
    assert_eq!(find(default(), std::slice::from_ref(&free)).id, "faster");
    assert_eq!(find(default(), &[("buffers", text("files"))]).id, "faster");
    assert_eq!(find(default(), &[("repeats", number(4))]).id, "too-few");
    let slow = FakePage {
        cores: 1,
        free_speed: 0.5,
        ..default()
    };
    assert_eq!(find(slow, &[free]).id, "slower");
    let same = FakePage {
        lock_speed: 1.0,
        ..default()
    };
    assert_eq!(find(same, &[("buffers", text("small"))]).id, "no-difference");
    let mut bare = default();
    bare.environment.shared_memory = SharedMemory::NotIsolated;
    assert_eq!(find(bare, &[]).id, "unavailable");
}

/// Each kind is fitted into a sample's time by itself, the rows say so, and buffers keep a length whose digest is known.
#[test]
fn hashing_rows_say_how_much_they_hashed() {
    let result = run(&mut FakePage::default(), "lock-release", &[]);
    let serial = |variant| row(&result, Strategy::Serial, Some(variant), Some(Runtime::Gil));
    let big = serial("big");
    assert_eq!((big.scaled_size, big.releases), (Some(16), Some(8)));
    assert!(
        big.notes
            .iter()
            .any(|note| note.contains("16 MiB a buffer instead of 32")),
        "{:?}",
        big.notes
    );
    assert_eq!(big.value, big.expected);
    assert!(big.expected.is_some());
    let small = serial("small");
    assert_eq!((small.scaled_size, small.releases), (None, Some(0)));
    let files = serial("files");
    assert_eq!((files.scaled_size, files.releases), (None, Some(2_000)));
    for free in result
        .rows
        .iter()
        .filter(|row| row.runtime == Some(Runtime::FreeThreaded))
    {
        assert_eq!((free.releases, free.hand_overs), (None, None), "{}", free.label);
    }
}

#[test]
fn isolation_has_a_finding_for_every_regime() {
    let find = |mut page: FakePage, params: Params| run(&mut page, "isolation", params).finding;
    let default = FakePage::default;
    let found = find(default(), &[]);
    assert_eq!(found.id, "shared-faster", "{}", found.text);
    assert_eq!(find(default(), &[("payloadBytes", number(1))]).id, "no-difference");
    let slow = FakePage {
        free_speed: 0.01,
        ..default()
    };
    assert_eq!(find(slow, &[]).id, "shared-slower");
    assert_eq!(find(default(), &[("repeats", number(4))]).id, "too-few");
    let mut bare = default();
    bare.environment.shared_memory = SharedMemory::NotIsolated;
    assert_eq!(find(bare, &[]).id, "copied");
    let alone = FakePage {
        isolates_start: false,
        ..default()
    };
    assert_eq!(find(alone, &[]).id, "unavailable");
}

#[test]
fn isolation_rows_say_whose_list_grew_and_what_crossed() {
    let result = run(
        &mut FakePage::default(),
        "isolation",
        &[("workers", number(2)), ("items", number(10))],
    );
    let of = |strategy, variant| row(&result, strategy, Some(variant), None);
    let totals = |row: &concurrency_playground::wire::Row| row.totals.clone().unwrap_or_default();
    assert_eq!(of(Strategy::Serial, "parent").value.as_deref(), Some("0"));
    assert_eq!(totals(of(Strategy::Threads, "list")), ["10", "10"]);
    let own = of(Strategy::Processes, "list");
    assert_eq!(
        (own.value.as_deref(), own.expected.as_deref()),
        (Some("10"), Some("10"))
    );
    assert_eq!(totals(own).len(), 2);
    let large = of(Strategy::Interpreters, "copy-64m");
    assert_eq!(large.value.as_deref(), Some("67108864"));
    let share = of(Strategy::Interpreters, "share-64m");
    assert!(share.speedup.is_some_and(|speedup| speedup > 100.0), "{share:?}");
    assert!(own.speedup.is_none(), "a list is compared with no crossing");
    let crash = of(Strategy::Processes, "crash");
    assert_eq!(crash.answered, Some(1));
    assert!(
        crash
            .errors
            .iter()
            .flatten()
            .all(|error| error.kind == "crashed" && error.count == 1)
    );
    // Of one worker's list nobody can tell whether it is its own.
    let one = run(&mut FakePage::default(), "isolation", &[("items", number(1))]);
    assert_eq!(
        claim(&one, "isolates-have-their-own").holds,
        concurrency_playground::wire::Holds::NotApplicable
    );
}

/// Nothing is called all of it, or none of it, that is only nearly so.
#[test]
fn searching_has_a_finding_for_every_regime() {
    let find = |params: Params| FakePage::default().model("interleavings", params).finding;
    let access = ("grain", text("access"));
    for (params, id) in [
        (vec![access.clone()], "wrong"),
        (vec![access.clone(), ("threads", number(4))], "nearly-all-wrong"),
        (vec![("grain", text("await"))], "right"),
    ] {
        let finding = find(&params);
        assert_eq!(finding.id, id, "{}", finding.text);
    }
}
