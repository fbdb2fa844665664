//! The session takes anything and answers once: refusals in words, every state, no panic.

mod anything;

use concurrency_playground::session::Session;
use concurrency_playground::wire::{
    ActionOutcome, ErrorCode, Impossible, JobOutcome, RawParameter, RawValue, Refusal, Reply, Request, RunRequest,
};

use crate::fake_page::{FakePage, environment, flag, number, request, text};

fn raw(value: f64) -> RawValue {
    RawValue::Number { value }
}

fn written(value: &str) -> RawValue {
    RawValue::Written {
        value: value.to_owned(),
    }
}

fn other(what: &str) -> RawValue {
    RawValue::Other { what: what.to_owned() }
}

fn start(run: RunRequest) -> Request {
    Request::Start {
        run,
        environment: environment(),
    }
}

fn refusal(run: RunRequest) -> Refusal {
    match Session::default().handle(start(run)) {
        Reply::Refused { refusal } => refusal,
        reply => panic!("{reply:?}"),
    }
}

fn is_accepted(run: RunRequest) -> bool {
    matches!(Session::default().handle(start(run)), Reply::Perform { .. })
}

#[test]
fn a_machine_with_fewer_logical_cores_than_physical_ones_is_refused() {
    for lab in [
        "cpu-bound",
        "isolation",
        "lock-release",
        "event-loop",
        "fan-out",
        "stall",
        "lost-updates",
        "locks",
    ] {
        let refused = refusal(RunRequest {
            mode: text("model"),
            ..request(lab, &[("cores", number(8)), ("logicalCores", number(4))])
        });
        assert_eq!(
            (refused.code, refused.parameter.as_deref()),
            (ErrorCode::OutOfRange, Some("logicalCores")),
            "{lab}"
        );
        assert!(
            refused.message.contains('8') && refused.message.contains('4'),
            "{}",
            refused.message
        );
    }
}

#[test]
fn hostile_values_are_refused_with_code_parameter_and_range() {
    let huge = "x".repeat(1_000);
    for (lab, name, value, code) in [
        ("lost-updates", "threads", number(1_000), ErrorCode::OutOfRange),
        ("lost-updates", "threads", number(1), ErrorCode::OutOfRange),
        ("cpu-bound", "workers", raw(-1.0), ErrorCode::OutOfRange),
        ("cpu-bound", "size", raw(1e308), ErrorCode::OutOfRange),
        ("cpu-bound", "size", raw(f64::INFINITY), ErrorCode::OutOfRange),
        ("cpu-bound", "size", raw(f64::NAN), ErrorCode::WrongType),
        ("cpu-bound", "size", raw(1.5), ErrorCode::WrongType),
        ("cpu-bound", "size", text("150000"), ErrorCode::WrongType),
        ("cpu-bound", "size", flag(true), ErrorCode::WrongType),
        ("cpu-bound", "size", other("null"), ErrorCode::WrongType),
        ("cpu-bound", "size", written("1e5"), ErrorCode::WrongType),
        ("cpu-bound", "size", written(" 5"), ErrorCode::WrongType),
        ("cpu-bound", "size", written("007"), ErrorCode::WrongType),
        ("cpu-bound", "size", written("+5"), ErrorCode::WrongType),
        ("cpu-bound", "size", written(""), ErrorCode::WrongType),
        ("cpu-bound", "size", written("-"), ErrorCode::WrongType),
        ("cpu-bound", "size", written("٣"), ErrorCode::WrongType),
        ("cpu-bound", "size", written("-5"), ErrorCode::OutOfRange),
        (
            "cpu-bound",
            "size",
            written("99999999999999999999999999"),
            ErrorCode::OutOfRange,
        ),
        ("cpu-bound", "curve", written("yes"), ErrorCode::WrongType),
        ("cpu-bound", "curve", number(1), ErrorCode::WrongType),
        ("cpu-bound", "workload", text("hashes"), ErrorCode::OutOfRange),
        ("cpu-bound", "workload", text(&huge), ErrorCode::OutOfRange),
        ("cpu-bound", "workload", number(1), ErrorCode::WrongType),
        ("cpu-bound", "preset", text("lesson-a"), ErrorCode::UnknownParameter),
        ("cpu-bound", "cores", number(4), ErrorCode::UnknownParameter),
        ("cpu-bound", "logicalCores", number(4), ErrorCode::UnknownParameter),
        ("cpu-bound", "__proto__", other("object"), ErrorCode::UnknownParameter),
        ("cpu-bound", "constructor", number(1), ErrorCode::UnknownParameter),
        ("cpu-bound", "", number(1), ErrorCode::UnknownParameter),
        ("cpu-bound", "SIZE", number(1), ErrorCode::UnknownParameter),
        ("capabilities", "repeats", number(5), ErrorCode::UnknownParameter),
        ("lost-updates", "variant", text("await-between"), ErrorCode::OutOfRange),
        ("stall", "variant", text("compute-nowhere"), ErrorCode::OutOfRange),
        ("stall", "callMs", number(3_001), ErrorCode::OutOfRange),
    ] {
        let refused = refusal(request(lab, &[(name, value.clone())]));
        assert_eq!(
            (refused.code, refused.parameter.as_deref()),
            (code, Some(name)),
            "{lab} {name} {value:?}"
        );
        assert!(refused.message.chars().count() < 400, "{}", refused.message);
        assert!(
            !refused.message.contains(['{', '}']) && !refused.message.starts_with('['),
            "{}",
            refused.message
        );
    }
}

#[test]
fn messages_give_the_range_and_what_came() {
    let refused = refusal(request("lost-updates", &[("threads", number(1_000))]));
    assert_eq!(refused.message, "threads must be from 2 to 16; what came is 1000.");
    let refused = refusal(request("cpu-bound", &[("workload", text("a\u{0}b\u{202e}"))]));
    assert_eq!(
        refused.message,
        "workload must be one of names, squares, modulo; what came is “a\\u{0}b\\u{202e}”."
    );
    let long = "y".repeat(500);
    let refused = refusal(request("cpu-bound", &[(long.as_str(), number(1))]));
    assert_eq!(refused.parameter.map(|name| name.chars().count()), Some(61));
}

#[test]
fn the_rest_of_a_request_is_judged_too() {
    let with = |change: &dyn Fn(&mut RunRequest)| {
        let mut run = request("stall", &[]);
        change(&mut run);
        let refused = refusal(run);
        (refused.code, refused.parameter.unwrap_or_default())
    };
    let owned = |code, parameter: &str| (code, parameter.to_owned());
    assert_eq!(
        with(&|run| run.lab = text("toString")),
        owned(ErrorCode::UnknownLab, "lab")
    );
    assert_eq!(
        with(&|run| run.lab = text(&"z".repeat(1_000))),
        owned(ErrorCode::UnknownLab, "lab")
    );
    assert_eq!(
        with(&|run| run.lab = RawValue::Missing),
        owned(ErrorCode::WrongType, "lab")
    );
    assert_eq!(with(&|run| run.lab = number(3)), owned(ErrorCode::WrongType, "lab"));
    assert_eq!(
        with(&|run| {
            run.lab = text("capabilities");
            run.mode = text("model");
        }),
        owned(ErrorCode::ModeNotOffered, "mode")
    );
    assert_eq!(
        with(&|run| run.mode = text("fast")),
        owned(ErrorCode::ModeNotOffered, "mode")
    );
    assert_eq!(
        with(&|run| run.mode = RawValue::Missing),
        owned(ErrorCode::WrongType, "mode")
    );
    assert_eq!(with(&|run| run.seed = raw(-1.0)), owned(ErrorCode::OutOfRange, "seed"));
    assert_eq!(
        with(&|run| run.seed = raw(4_294_967_296.0)),
        owned(ErrorCode::OutOfRange, "seed")
    );
    assert_eq!(with(&|run| run.seed = text("1")), owned(ErrorCode::WrongType, "seed"));
    assert_eq!(
        with(&|run| run.schedule = text("1,2")),
        owned(ErrorCode::UnknownParameter, "schedule")
    );
    assert_eq!(
        with(&|run| run.language = text("tlh")),
        owned(ErrorCode::OutOfRange, "language")
    );
    assert_eq!(
        with(&|run| run.language = number(1)),
        owned(ErrorCode::WrongType, "language")
    );
    assert_eq!(
        with(&|run| run.unknown = vec!["turbo".to_owned()]),
        owned(ErrorCode::UnknownParameter, "turbo")
    );
    let twice = |run: &mut RunRequest| {
        let parameter = RawParameter {
            name: "callMs".to_owned(),
            value: number(100),
        };
        run.params = vec![parameter.clone(), parameter];
    };
    assert_eq!(with(&twice), owned(ErrorCode::OutOfRange, "callMs"));
    let many = |run: &mut RunRequest| {
        run.params = (0..101)
            .map(|index| RawParameter {
                name: format!("p{index}"),
                value: number(1),
            })
            .collect();
    };
    assert_eq!(with(&many), owned(ErrorCode::TooLarge, "params"));
}

#[test]
fn values_that_are_too_much_together_are_refused() {
    let code = |lab, params: &[(&str, RawValue)]| {
        let refused = refusal(request(lab, params));
        assert!(
            !refused.message.contains('{') && !refused.message.starts_with('['),
            "{}",
            refused.message
        );
        (refused.code, refused.parameter)
    };
    let too_large = |parameter: &str| (ErrorCode::TooLarge, Some(parameter.to_owned()));
    assert_eq!(
        code("cpu-bound", &[("curve", flag(true)), ("budgetMs", number(60_000))]),
        too_large("budgetMs")
    );
    let cold = [
        ("pool", text("cold")),
        ("workers", number(64)),
        ("repeats", number(100)),
    ];
    assert_eq!(code("cpu-bound", &cold), too_large("repeats"));
    assert_eq!(code("fan-out", &[("requests", number(501))]), too_large("requests"));
    assert_eq!(code("fan-out", &[("workers", number(65))]), too_large("workers"));
    let slow = [
        ("delayMs", number(10_000)),
        ("workers", number(1)),
        ("requests", number(500)),
    ];
    assert_eq!(code("fan-out", &slow), too_large("requests"));
    assert_eq!(code("isolation", &[("items", number(10_001))]), too_large("chunk"));
    let many = [("workers", number(64)), ("repeats", number(32))];
    assert_eq!(code("isolation", &many), too_large("repeats"));
    let page = [("where", text("page")), ("variant", text("own-timeout"))];
    assert_eq!(
        code("stall", &page),
        (ErrorCode::OutOfRange, Some("variant".to_owned()))
    );
}

#[test]
fn ends_of_ranges_and_written_values_are_accepted() {
    assert!(is_accepted(request(
        "lost-updates",
        &[("threads", number(16)), ("additions", number(1))]
    )));
    assert!(is_accepted(request(
        "cpu-bound",
        &[("size", written("20000000")), ("curve", written("true"))]
    )));
    assert!(is_accepted(request(
        "cpu-bound",
        &[("workload", written("names")), ("pool", text("cold"))]
    )));
    assert!(is_accepted(request(
        "stall",
        &[("timeoutMs", raw(-0.0)), ("callMs", RawValue::Missing)]
    )));
    assert!(is_accepted(request(
        "fan-out",
        &[("requests", number(500)), ("workers", number(64))]
    )));
    let crowd = [
        ("workers", number(10_000)),
        ("limit", number(10_000)),
        ("variant", text("limited")),
    ];
    assert!(is_accepted(request("fan-out", &crowd)), "no pool has these workers");
    let mut run = request("stall", &[]);
    run.seed = written("4294967295");
    assert!(is_accepted(run));
}

#[test]
fn each_state_takes_what_makes_sense_and_rejects_the_rest() {
    let mut session = Session::default();
    let nonsense = || Request::Continue {
        outcome: ActionOutcome::Unavailable {
            why: Impossible::NoPage,
        },
    };
    assert!(
        matches!(session.handle(nonsense()), Reply::Rejected { .. }),
        "idle: nothing to continue"
    );
    assert_eq!(
        session.handle(Request::Cancel),
        Reply::Ready,
        "idle: nothing to cancel, and that is fine"
    );

    let Reply::Perform { progress, .. } = session.handle(start(request("stall", &[]))) else {
        panic!("it starts")
    };
    assert_eq!(
        (progress.done, progress.total, progress.sampling, progress.left_ms),
        (0, 9, true, None)
    );
    assert_eq!(progress.label, "Measuring: Event loop, the call blocks");
    assert!(
        matches!(session.handle(start(request("stall", &[]))), Reply::Rejected { .. }),
        "one run at a time"
    );
    assert_eq!(session.handle(Request::Cancel), Reply::Ready);
    assert!(
        matches!(session.handle(start(request("stall", &[]))), Reply::Perform { .. }),
        "free again"
    );

    let wrong = ActionOutcome::Performed {
        elapsed_ms: 1.0,
        jobs: vec![JobOutcome::Pinged { threads: 1 }],
        spans: Vec::new(),
        started: 1,
        hidden: false,
    };
    assert!(
        matches!(
            session.handle(Request::Continue { outcome: wrong }),
            Reply::Rejected { .. }
        ),
        "another kind"
    );
    assert!(
        matches!(session.handle(start(request("stall", &[]))), Reply::Perform { .. }),
        "and free once more"
    );
}

#[test]
fn a_language_is_spoken_once_its_table_is_there() {
    let mut session = Session::default();
    let table = r#"{"refusal.range": "{parameter}: {min} bis {max}, nicht {came}."}"#.to_owned();
    let speak = Request::Speak {
        language: "de".to_owned(),
        table,
    };
    assert_eq!(session.handle(speak), Reply::Ready);
    let mut run = request("cpu-bound", &[("size", number(0))]);
    run.language = text("de");
    let Reply::Refused { refusal } = session.handle(start(run)) else {
        panic!("0 is out of range")
    };
    assert_eq!(refusal.message, "size: 1 bis 20.000.000, nicht 0.");
    for table in ["", "[]", "{\"a\": 1}", "{"] {
        let speak = Request::Speak {
            language: "fr".to_owned(),
            table: table.to_owned(),
        };
        assert!(matches!(session.handle(speak), Reply::Rejected { .. }), "{table}");
    }
}

#[test]
fn progress_counts_to_the_end() {
    let mut page = FakePage::default();
    let mut session = Session::default();
    let mut reply = session.handle(start(request("lost-updates", &[("variant", text("plain"))])));
    let mut last = None;
    while let Reply::Perform { action, progress } = reply {
        assert!(
            progress.done < progress.total && !progress.label.is_empty(),
            "{progress:?}"
        );
        assert!(last.is_none_or(|done| done < progress.done));
        last = Some(progress.done);
        // One probe, three warm-ups, five rounds of three.
        assert!(
            progress.total <= 19 && progress.sampling == (progress.done >= 4),
            "{progress:?}"
        );
        assert_eq!(progress.left_ms.is_some(), progress.done > 4);
        let outcome = page.perform(action);
        reply = session.handle(Request::Continue { outcome });
    }
    assert_eq!(last, Some(18));
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let bytes = || serde_json::to_string(&FakePage::default().run("cpu-bound", &[])).expect("plain JSON");
    assert_eq!(bytes(), bytes());
}
