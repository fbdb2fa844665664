//! The machine `here`: probes of this browser first, then the model of what they found.

use concurrency_playground::session::Session;
use concurrency_playground::wire::{
    Action, IsolateKind, Job, LabResult, Plain, RawValue, Reply, Request, RunRequest, Strategy,
};

use crate::fake_page::{FakePage, environment, request, text};

const HERE: &str = "here";

fn model(page: &mut FakePage, params: &[(&str, RawValue)]) -> LabResult {
    let here = ("preset", text(HERE));
    let params: Vec<(&str, RawValue)> = params.iter().cloned().chain([here]).collect();
    page.model("cpu-bound", &params)
}

fn found(result: &LabResult, name: &str) -> Option<f64> {
    let found = result.environment.found.as_ref().expect("it says what it found");
    match found.0.get(name) {
        Some(Plain::Number(number)) => Some(*number),
        _ => None,
    }
}

#[test]
fn probes_come_first_and_make_the_machine() {
    let mut page = FakePage::default();
    let result = model(&mut page, &[]);
    let is_start = |kind| move |action: &Action| matches!(action, Action::OnIsolates { kind: of, .. } if *of == kind);
    assert!(page.asked.iter().any(is_start(IsolateKind::Process)));
    assert!(page.asked.iter().any(is_start(IsolateKind::Interpreter)));
    let computing = page.asked.iter().filter(|action| {
        matches!(
            action,
            Action::OnLab {
                job: Job::Compute(_),
                threads: 0,
                ..
            }
        )
    });
    assert_eq!(computing.count(), 3, "one probe a workload");
    assert_eq!(found(&result, "cores"), Some(f64::from(environment().cores_claimed)));
    assert_eq!(result.params.0.get("cores"), Some(&Plain::from(environment().cores_claimed)));
    let name_ps = found(&result, "names_ps").expect("names were timed");
    let serial = result.rows.iter().find(|row| row.baseline).expect("one after another");
    let expected_ms = 8.0 * 150_000.0 * name_ps / 1e9;
    let off = serial.median_ms.expect("it ran") / expected_ms - 1.0;
    assert!(off.abs() < 0.01, "{serial:?} against {expected_ms} ms");
}

#[test]
fn what_cannot_be_probed_stays_as_python_has_it() {
    let mut page = FakePage {
        isolates_start: false,
        ..FakePage::default()
    };
    let result = model(&mut page, &[]);
    assert_eq!(found(&result, "process_start"), None);
    assert!(found(&result, "names_ps").is_some());
    let processes = result.rows.iter().find(|row| row.strategy == Strategy::Processes);
    assert!(processes.is_some_and(|row| row.available));
}

/// No other machine asks anything of the page, and this one takes no other answer than the one that is due.
#[test]
fn only_this_machine_probes_and_only_an_answer_goes_on() {
    let mut page = FakePage::default();
    let result = page.model("cpu-bound", &[]);
    assert!(page.asked.is_empty() && result.environment.found.is_none());

    let mut session = Session::default();
    let start = |preset: &str| Request::Start {
        run: RunRequest {
            mode: text("model"),
            ..request("cpu-bound", &[("preset", text(preset))])
        },
        environment: environment(),
    };
    let reply = session.handle(start(HERE));
    assert!(matches!(reply, Reply::Perform { .. }), "{reply:?}");
    assert!(matches!(session.handle(Request::GoOn), Reply::Rejected { .. }));
    session.handle(Request::Cancel);

    assert!(matches!(session.handle(start("ideal")), Reply::Working { .. }));
    let outcome = FakePage::default().perform(Action::OnIsolates {
        kind: IsolateKind::Process,
        workers: 1,
        cold: true,
        jobs: vec![Job::Ping],
        limit_ms: 1_000,
    });
    assert!(matches!(session.handle(Request::Continue { outcome }), Reply::Rejected { .. }));
}
