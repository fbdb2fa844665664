//! The traces of the labs' models, by their hashes: `tests/fixtures/trace-hashes.json` holds them as they are natively, and
//! the browser tests hold every engine to the same file.
//!
//! A change of the machine or of a lab changes them. This writes the file anew; look at what changed before it is kept:
//!
//! ```sh
//! WRITE_TRACE_HASHES=1 cargo test --test it trace_hashes
//! ```

use std::fs;
use std::path::PathBuf;

use concurrency_playground::labs::{LABS, Lab, presets};
use concurrency_playground::wire::{Mode, RawValue, RunRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::fake_page::{FakePage, flag, number, request, text};

/// One run and what its trace hashes to.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    lab: String,
    params: Map<String, Value>,
    seed: u32,
    trace_hash: String,
}

/// Parameters beside the defaults and the presets: what is computed, how it is switched, and what goes wrong.
fn more(lab: &str) -> Vec<Value> {
    match lab {
        "cpu-bound" => vec![
            json!({ "workload": "modulo", "tasks": 5, "workers": 3, "switchIntervalUs": 100 }),
            json!({ "pool": "cold", "workers": 16, "cores": 2, "preset": "lesson-c" }),
            json!({ "curve": true, "size": 10_000 }),
        ],
        "isolation" => vec![
            json!({ "items": 37, "chunk": 5, "workers": 3, "payloadBytes": 4_000_000 }),
            json!({ "items": 100, "cores": 1, "runtime": "free-threaded", "preset": "lesson-b" }),
        ],
        "lock-release" => vec![
            json!({ "buffers": "small", "messageBytes": 5_000, "messages": 300, "threads": 3 }),
            json!({ "buffers": "files", "files": 77, "tasks": 5, "preset": "lesson-c", "runtime": "gil-legacy" }),
        ],
        "choose" => vec![
            json!({ "time": "computes", "shared": "locked", "atOnce": 30 }),
            json!({ "libraries": "async", "deadline": true, "crashSafe": true, "runtime": "free-threaded" }),
            json!({ "case": "large-objects" }),
            json!({ "fetching": "threads", "parsing": "event-loop" }),
        ],
        "start-methods" => vec![
            json!({ "startMethod": "forkserver", "source": "file", "guard": false }),
            json!({ "startMethod": "spawn", "source": "stdin" }),
            json!({ "runtime": "gil-legacy", "source": "file" }),
            json!({ "pool": "per-task", "tasks": 3, "size": 100_000, "preset": "lesson-c" }),
        ],
        "event-loop" => vec![
            json!({ "scene": "cancel-and-clean-up", "preset": "lesson-b" }),
            json!({ "scene": "semaphore", "runtime": "free-threaded" }),
        ],
        "fan-out" => vec![
            json!({ "variant": "limited", "requests": 1_000, "limit": 50, "preset": "lesson-c" }),
            json!({ "variant": "tasks", "failing": 7, "capacity": 30, "backlog": 20, "retries": 2 }),
            json!({ "variant": "to-thread", "runtime": "free-threaded", "cores": 1 }),
        ],
        "server" => vec![
            json!({ "requests": 2_000, "workers": 3, "threads": 4, "service": "exponential", "computeMs": 7 }),
            json!({
                "variant": "load-asgi", "requests": 5_000, "blockingShare": 2, "heavy": "thread", "computeMs": 5,
                "database": "sync-to-async", "middleware": "sync", "workers": 2
            }),
        ],
        "stall" => vec![
            json!({ "variant": "handlers-blocking", "preset": "lesson-a" }),
            json!({ "callMs": 321, "sliceMs": 7, "heartbeatMs": 50, "timeoutMs": 0 }),
        ],
        "lost-updates" => vec![
            json!({ "variant": "plain", "runtime": "free-threaded", "threads": 8, "additions": 20_000 }),
            json!({ "variant": "call", "switchIntervalUs": 50, "additions": 50_000 }),
        ],
        "interleavings" => vec![
            json!({ "program": "two-locks", "threads": 3 }),
            json!({ "program": "missed-wake-up", "grain": "checkpoint" }),
            json!({ "program": "check-then-act", "fixed": true, "grain": "await" }),
            json!({ "increments": 4, "threads": 3, "grain": "access" }),
        ],
        "waiters" => vec![
            json!({ "jobs": 40, "waitMs": 30, "computeMs": 3, "workers": 4, "preset": "lesson-b" }),
            json!({ "variant": "computing-many", "runtime": "gil-legacy", "cores": 2 }),
        ],
        _ => Vec::new(),
    }
}

/// Every modelled lab at its defaults, with another seed, and on every machine but the one that differs from browser to
/// browser.
fn planned() -> Vec<(&'static str, Map<String, Value>, u32)> {
    let object = |value: Value| value.as_object().cloned().expect("parameters are objects");
    let is_modelled = |lab: &&&dyn Lab| lab.about().modes.contains(&Mode::Model);
    let of_lab = |lab: &&dyn Lab| {
        let id = lab.about().id;
        let presets = presets::IDS.iter().filter(|preset| **preset != "here");
        [(id, Map::new(), 1), (id, Map::new(), 2)]
            .into_iter()
            .chain(presets.map(move |preset| (id, object(json!({ "preset": preset })), 1)))
            .chain(more(id).into_iter().map(move |params| (id, object(params), 1)))
            .collect::<Vec<_>>()
    };
    LABS.iter().filter(is_modelled).flat_map(of_lab).collect()
}

fn raw(value: &Value) -> RawValue {
    match value {
        Value::Bool(is_on) => flag(*is_on),
        Value::String(chosen) => text(chosen),
        other => number(
            other
                .as_u64()
                .and_then(|number| u32::try_from(number).ok())
                .expect("a whole number"),
        ),
    }
}

fn model((lab, params, seed): (&str, Map<String, Value>, u32)) -> Case {
    let values: Vec<(&str, RawValue)> = params.iter().map(|(name, value)| (name.as_str(), raw(value))).collect();
    let result = FakePage::default().model_of(RunRequest {
        seed: number(seed),
        ..request(lab, &values)
    });
    Case {
        lab: lab.to_owned(),
        trace_hash: result.trace_hash.expect("a model leaves a trace"),
        params,
        seed,
    }
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/trace-hashes.json")
}

#[test]
fn every_trace_is_the_one_in_the_file() {
    let cases: Vec<Case> = planned().into_iter().map(model).collect();
    if std::env::var_os("WRITE_TRACE_HASHES").is_some() {
        let lines: Vec<String> = cases
            .iter()
            .map(|case| serde_json::to_string(case).expect("a case is plain JSON"))
            .collect();
        // One on a line, so that a change shows which runs it changes.
        fs::write(file(), format!("[\n{}\n]\n", lines.join(",\n"))).expect("the file can be written");
    }
    let written = fs::read_to_string(file()).expect("the file is there");
    let known: Vec<Case> = serde_json::from_str(&written).expect("it holds cases");
    let changed: Vec<(&Case, Option<&Case>)> = cases
        .iter()
        .enumerate()
        .map(|(place, case)| (case, known.get(place)))
        .filter(|(case, known)| *known != Some(*case))
        .collect();
    assert!(
        changed.is_empty() && known.len() == cases.len(),
        "not as in the file, which the head of this test says how to write anew: {changed:#?}"
    );
}
