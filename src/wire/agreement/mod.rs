//! `Read` and `Write` hold to serde: for every variant of every type that crosses, and for everything that is nearly one.

mod compare;
mod samples;

use serde_json::json;

use self::compare::{check, check_variants, check_words};
use self::samples::{
    batch, beside, empty_trace, environment, explored, position, result, seen, slow, span, stall, tried,
};
use super::*;
use crate::json::Json;

#[test]
fn words() {
    check_words::<Runtime>();
    check_words::<Strategy>();
    check_words::<Mode>();
    check_words::<Provenance>();
    check_words::<RunState>();
    check_words::<SharedMemory>();
    check_words::<ServiceWorkerState>();
    check_words::<Scheme>();
    check_words::<Framed>();
    check_words::<Workload>();
    check_words::<CountVariant>();
    check_words::<Sabotage>();
    check_words::<StallVariant>();
    check_words::<Scene>();
    check_words::<BatchHow>();
    check_words::<RequestEnd>();
    check_words::<WaitsHow>();
    check_words::<Fault>();
    check_words::<Crossing>();
    check_words::<ErrorCode>();
    check_words::<ClaimKind>();
    check_words::<IsolateKind>();
    check_words::<TraceLaneKind>();
    check_words::<TraceStateKind>();
    check_words::<TraceCause>();
    check_words::<TraceCounterKind>();
    check_words::<TraceInstantKind>();
    check_words::<Grade>();
    check_words::<EndlessKind>();
    check_words::<PositionState>();
    check_words::<PositionObjectKind>();
}

#[test]
fn jobs() {
    check_variants::<Hands>(&json!([
        { "type": "alone" },
        { "type": "threads", "workers": 2, "runtime": "gil", "switchIntervalUs": 5000 },
    ]));
    check_variants::<Job>(&json!([
        { "type": "ping" },
        { "type": "compute", "workload": "names", "tasks": [1, 2], "size": 9, "hands": { "type": "alone" },
            "sabotage": null },
        { "type": "count", "variant": "plain", "runtime": "free-threaded", "threads": 4, "additions": 9,
            "switchIntervalUs": 5000, "workPerBytecode": 0, "sabotage": "plain-that-is-atomic" },
        { "type": "calibrate-count", "additions": 9, "workPerBytecode": 0 },
        beside("stall", stall()),
        { "type": "scene", "scene": "await", "sabotage": null },
        { "type": "waits", "how": "at-once", "jobs": 2, "waitMs": 200, "computeMs": 0, "sabotage": null },
        { "type": "block", "ms": 9 },
        { "type": "busy", "ms": 9 },
        { "type": "hash", "tasks": 2, "inputs": 8, "inputBytes": 64, "reads": true, "workers": 2, "runtime": "gil",
            "switchIntervalUs": 5000, "sabotage": null },
        beside("batch", batch()),
        { "type": "request", "request": slow(), "failures": 1, "retries": 2, "sabotage": null },
        { "type": "append", "items": 9, "threads": 2, "chunk": 3, "sabotage": null },
        { "type": "cross", "way": "transfer", "bytes": 9, "leastMs": 20 },
        { "type": "digest", "kibibytes": 1, "repeats": 1 },
        { "type": "fault", "fault": "panic" },
    ]));
    check_variants::<JobOutcome>(&json!([
        { "type": "pinged", "threads": 2 },
        { "type": "computed", "elapsedMs": 1.5, "totals": ["10"], "spans": [span()], "handOvers": 0 },
        { "type": "counted", "elapsedMs": 1.5, "value": 1, "expected": 2, "overlap": 0.5, "atOnce": 2, "handOvers": 3 },
        { "type": "calibrated", "nanoseconds": 2.5 },
        beside("stalled", seen()),
        { "type": "played", "elapsedMs": 9, "log": [{ "atMs": 1.5, "text": "done" }] },
        { "type": "blocked", "elapsedMs": 9 },
        { "type": "hashed", "elapsedMs": 1.5, "digests": ["00"], "inputs": 8, "inputBytes": 64, "releases": 1,
            "spans": [span()], "handOvers": 2 },
        { "type": "batched", "startedMs": 1e12, "endedMs": 1e12, "gaveUpMs": 9.5, "tookMs": [1, 2], "failed": 1,
            "tries": [tried()] },
        { "type": "requested", "tries": [tried()] },
        { "type": "appended", "elapsedMs": 1.5, "before": 1, "lists": [2] },
        { "type": "crossed", "crossingMs": 0.5, "rounds": 40, "bytes": 1024 },
        { "type": "died", "detail": "unreachable" },
        { "type": "digested", "elapsedMs": [1, 2], "digest": "00" },
    ]));
    check::<StallJob>(&stall());
    check::<LoopTurn>(&json!({ "calls": [{ "id": 1, "job": { "type": "block", "ms": 9 } }],
        "requests": [{ "id": 2, "request": slow() }], "dropped": [3], "wakeAfterMs": 0, "outcome": beside("stalled", seen()) }));
}

#[test]
fn requests() {
    let raw = json!([
        { "type": "number", "value": 1.5 },
        { "type": "text", "value": "names" },
        { "type": "flag", "value": true },
        { "type": "written", "value": "1" },
        { "type": "missing" },
        { "type": "other", "what": "a function" },
    ]);
    check_variants::<RawValue>(&raw);
    let missing = json!({ "type": "missing" });
    let run = json!({ "lab": raw[1], "mode": missing, "params": [{ "name": "size", "value": raw[0] }], "seed": missing,
        "schedule": missing, "language": missing, "unknown": ["colour"] });
    check_variants::<Request>(&json!([
        { "type": "speak", "language": "en", "table": "{}" },
        { "type": "start", "run": run, "environment": environment() },
        { "type": "continue", "outcome": { "type": "unavailable", "why": { "type": "no-page" } } },
        { "type": "go-on" },
        { "type": "cancel" },
        { "type": "look", "run": run, "environment": environment(), "at": 3,
            "choice": { "type": "thread", "thread": 1 } },
    ]));
    check_variants::<Choice>(
        &json!([{ "type": "look" }, { "type": "thread", "thread": 1 }, { "type": "finish" }, { "type": "draw", "seed": 7 }]),
    );
    check_variants::<Impossible>(&json!([
        { "type": "no-shared-memory" },
        { "type": "pool-failed", "detail": "why" },
        { "type": "isolates-failed", "started": 1, "detail": "why" },
        { "type": "no-service-worker" },
        { "type": "blocking-passes-by" },
        { "type": "no-page" },
    ]));
    check_variants::<ActionOutcome>(&json!([
        { "type": "performed", "elapsedMs": 1, "jobs": [{ "type": "blocked", "elapsedMs": 1 }], "spans": [span()],
            "started": 2, "hidden": false },
        { "type": "unavailable", "why": { "type": "no-page" } },
    ]));
}

#[test]
fn replies() {
    let job = json!({ "type": "ping" });
    let action = json!([
        { "type": "on-lab", "threads": 2, "job": job, "callers": 0, "limitMs": 9 },
        { "type": "on-isolates", "kind": "process", "workers": 2, "cold": true, "jobs": [job], "limitMs": 9 },
        { "type": "on-pair", "job": { "way": "copy", "bytes": 1, "leastMs": 20 }, "limitMs": 9 },
        { "type": "on-own-processes", "jobs": [job], "limitMs": 9 },
        { "type": "on-new-isolates", "kind": "interpreter", "jobs": [job], "limitMs": 9 },
        { "type": "on-page", "stall": stall(), "limitMs": 9 },
        { "type": "on-network", "delayMs": 9, "limitMs": 9 },
    ]);
    check_variants::<Action>(&action);
    let progress = json!({ "sampling": true, "done": 1, "total": 2, "leftMs": 3.5, "label": "names" });
    check_variants::<Reply>(&json!([
        { "type": "ready" },
        { "type": "refused", "refusal": { "code": "too-large", "parameter": "size", "message": "too large" } },
        { "type": "perform", "action": action[0], "progress": progress },
        { "type": "working", "progress": progress },
        { "type": "finished", "result": result() },
        { "type": "stands", "position": position() },
        { "type": "rejected", "detail": "why" },
    ]));
    check::<Explored>(&explored());
    check::<Position>(&position());
    check::<Refusal>(&json!({ "code": "unknown-lab", "message": "no such lab" }));
}

#[test]
fn traces() {
    let extras = json!({ "span": [0], "number": [2] });
    check::<Trace>(&json!({ "endNs": 1e15, "cutAtNs": 5, "truncated": true,
        "totals": { "events": 9, "lanes": 1, "spans": 1, "wakes": 1, "instants": 1, "counts": 1 },
        "names": ["", "hash"],
        "lanes": { "kind": ["task"], "parent": [0], "name": ["main"], "madeNs": [0] },
        "states": [{ "state": "running" }, { "state": "ready", "cause": "turn" }],
        "spans": { "startNs": [0], "endNs": [1], "lane": [0], "state": [1], "call": [1], "line": [7] },
        "holders": extras, "cells": extras,
        "wakes": { "index": [3], "atNs": [1], "from": [0], "to": [0] },
        "instants": { "index": [4], "atNs": [1], "lane": [0], "kind": ["mark"], "label": [1] },
        "counters": [{ "lane": 0, "counter": "ready-queue", "atNs": [1], "value": [2] }] }));
    check::<Trace>(&empty_trace());
}

#[test]
fn descriptions() {
    check_variants::<ParameterType>(&json!([
        { "type": "unsigned", "min": 1, "max": 2 },
        { "type": "flag" },
        { "type": "choice", "choices": ["a"] },
    ]));
    for lab in crate::labs::LABS {
        let described = crate::labs::describe(*lab, &crate::labs::english());
        check::<LabDescription>(&serde_json::to_value(described).expect("plain JSON"));
    }
}

#[test]
fn what_only_javascript_has_arrives() {
    let number = |value| {
        Json::Object(vec![
            ("type".into(), Json::Text("number".into())),
            ("value".into(), value),
        ])
    };
    let nan = read(&number(Json::Number(f64::NAN)));
    assert!(
        matches!(nan, Ok(RawValue::Number { value }) if value.is_nan()),
        "{nan:?}"
    );
    let infinite = read(&number(Json::Number(f64::INFINITY)));
    assert_eq!(infinite, Ok(RawValue::Number { value: f64::INFINITY }));
    for whole in [f64::NAN, f64::INFINITY, -1.0, 0.5] {
        assert!(read::<u32>(&Json::Number(whole)).is_err(), "{whole}");
    }
}

#[test]
fn an_error_tells_where() {
    let text =
        r#"{"type":"performed","elapsedMs":1,"jobs":[],"spans":[{"worker":-1,"task":0}],"started":0,"hidden":0}"#;
    let wrong = read::<ActionOutcome>(&Json::parse(text).expect("JSON"));
    assert_eq!(
        wrong,
        Err("spans.0.worker: an unsigned integer of 32 bits was due".to_owned())
    );
}
