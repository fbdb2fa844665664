//! Anything at all, in any order: every request has an answer. Not here: what a good answer is.

use concurrency_playground::session::Session;
use concurrency_playground::wire::{ActionOutcome, Impossible, JobOutcome, RawParameter, RawValue, Reply, Request};
use proptest::prelude::*;

use super::{other, raw, written};
use crate::fake_page::{environment, flag, number, request, text};

fn any_raw() -> impl Strategy<Value = RawValue> {
    prop_oneof![
        any::<f64>().prop_map(raw),
        (0..100_000_000u32).prop_map(number),
        ".{0,80}".prop_map(|value| text(&value)),
        "-?[0-9]{0,12}".prop_map(|value| written(&value)),
        any::<bool>().prop_map(flag),
        Just(RawValue::Missing),
        ".{0,20}".prop_map(|what| other(&what)),
    ]
}

fn any_name() -> impl Strategy<Value = String> {
    let known = [
        "size",
        "tasks",
        "workers",
        "variant",
        "repeats",
        "budgetMs",
        "threads",
        "callMs",
        "where",
        "__proto__",
    ];
    prop_oneof![prop::sample::select(known.to_vec()).prop_map(str::to_owned), ".{0,30}"]
}

fn any_lab() -> impl Strategy<Value = RawValue> {
    let labs = ["capabilities", "cpu-bound", "stall", "lost-updates"];
    prop_oneof![4 => prop::sample::select(labs.to_vec()).prop_map(text), 1 => any_raw()]
}

fn any_outcome() -> impl Strategy<Value = ActionOutcome> {
    let job = prop_oneof![
        any::<u32>().prop_map(|threads| JobOutcome::Pinged { threads }),
        any::<f64>().prop_map(|elapsed_ms| JobOutcome::Blocked { elapsed_ms }),
        any::<f64>().prop_map(|nanoseconds| JobOutcome::Calibrated { nanoseconds }),
        (any::<f64>(), any::<u32>(), any::<u32>(), any::<f64>()).prop_map(|(elapsed_ms, value, expected, overlap)| {
            JobOutcome::Counted {
                elapsed_ms,
                value,
                expected,
                overlap,
                at_once: value,
                hand_overs: expected,
            }
        }),
        (any::<f64>(), prop::collection::vec("[0-9]{0,9}", 0..9)).prop_map(|(elapsed_ms, totals)| {
            JobOutcome::Computed {
                elapsed_ms,
                totals,
                spans: Vec::new(),
                hand_overs: 0,
            }
        }),
    ];
    prop_oneof![
        4 => (any::<f64>(), prop::collection::vec(job, 0..3), any::<u32>(), any::<bool>()).prop_map(
            |(elapsed_ms, jobs, started, hidden)| ActionOutcome::Performed { elapsed_ms, jobs, spans: Vec::new(), started, hidden }
        ),
        1 => Just(ActionOutcome::Unavailable { why: Impossible::NoSharedMemory }),
        1 => Just(ActionOutcome::Unavailable { why: Impossible::NoPage }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any request gets an answer, and any answers to what it asks for do, for a while.
    #[test]
    fn nothing_makes_it_panic(
        lab in any_lab(),
        mode in prop_oneof![4 => Just(text("measured")), 1 => any_raw()],
        params in prop::collection::vec((any_name(), any_raw()), 0..3),
        seed in prop_oneof![Just(RawValue::Missing), any_raw()],
        cores: u32,
        step: f64,
        outcomes in prop::collection::vec(any_outcome(), 0..12),
    ) {
        let mut session = Session::default();
        let mut run = request("", &[]);
        run.lab = lab;
        run.mode = mode;
        run.seed = seed;
        run.params = params.into_iter().map(|(name, value)| RawParameter { name, value }).collect();
        let mut environment = environment();
        environment.cores_claimed = cores;
        environment.clock_step_ms = step;
        match session.handle(Request::Start { run, environment }) {
            Reply::Refused { refusal } => prop_assert!(!refusal.message.is_empty()),
            Reply::Perform { .. } => {}
            reply => prop_assert!(false, "{:?}", reply),
        }
        for outcome in outcomes {
            let reply = session.handle(Request::Continue { outcome });
            let goes_on = matches!(reply, Reply::Perform { .. } | Reply::Rejected { .. } | Reply::Finished { .. });
            prop_assert!(goes_on);
        }
    }
}
