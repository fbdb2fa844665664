//! `Read` and `Write` hold to serde: for every variant of every type that crosses, and for everything that is nearly one.
//!
//! The lists of words and tags come out of serde's own messages, so a new variant without a sample fails here.

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;
use crate::json::Json;

trait Crosses: Read + Write + Serialize + DeserializeOwned + PartialEq + Debug {}
impl<T: Read + Write + Serialize + DeserializeOwned + PartialEq + Debug> Crosses for T {}

fn by_read<T: Crosses>(value: &Value) -> Result<T, String> {
    read(&Json::parse(&value.to_string()).expect("serde writes JSON"))
}

fn by_serde<T: Crosses>(value: &Value) -> Result<T, String> {
    serde_json::from_value(value.clone()).map_err(|error| error.to_string())
}

/// What serde writes, without what is none.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        Value::Object(members) => {
            let some = members.into_iter().filter(|(_, value)| !value.is_null());
            some.map(|(key, value)| (key, without_nulls(value))).collect()
        }
        leaf => leaf,
    }
}

fn value_of(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Flag(flag) => json!(flag),
        Json::Number(number) => json!(number),
        Json::Text(text) => json!(text),
        Json::List(items) => items.iter().map(value_of).collect(),
        Json::Object(members) => members
            .iter()
            .map(|(key, value)| (key.clone(), value_of(value)))
            .collect(),
    }
}

/// Whole numbers are written 1 by one and 1.0 by the other.
fn as_floats(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.into_iter().map(as_floats).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, as_floats(value)))
            .collect(),
        leaf => leaf,
    }
}

/// Values that differ from this one in one place. None in which serde would take a number for a tag, or a list for an
/// object: nobody writes those, and `Read` refuses them.
fn neighbours(value: &Value) -> Vec<Value> {
    let others = json!([
        null,
        true,
        1000,
        1.5,
        -1,
        4_294_967_295_u32,
        4_294_967_296_u64,
        "",
        "other",
        [],
        ["other"],
        {}
    ]);
    let mut found = others.as_array().cloned().unwrap_or_default();
    if let Value::Object(members) = value {
        for (key, inner) in members {
            let with = |other: Option<Value>| {
                let mut changed = members.clone();
                match other {
                    Some(other) => changed.insert(key.clone(), other),
                    None => changed.remove(key),
                };
                Value::Object(changed)
            };
            found.push(with(None));
            found.extend(neighbours(inner).into_iter().map(|other| with(Some(other))));
        }
    }
    if let Value::Array(items) = value {
        for (index, item) in items.iter().enumerate() {
            found.extend(neighbours(item).into_iter().map(|other| {
                let mut changed = items.clone();
                changed[index] = other;
                Value::Array(changed)
            }));
        }
    }
    found
}

/// Every value that has one key more than this one, and that key's path.
fn with_a_key_too_many(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    if let Value::Object(members) = value {
        let mut changed = members.clone();
        changed.insert("tooMany".to_owned(), json!(1));
        found.push(Value::Object(changed));
        for (key, inner) in members {
            // A map of names has no key too many.
            if matches!(key.as_str(), "params" | "args" | "opening") && inner.is_object() {
                continue;
            }
            found.extend(with_a_key_too_many(inner).into_iter().map(|other| {
                let mut changed = members.clone();
                changed.insert(key.clone(), other);
                Value::Object(changed)
            }));
        }
    }
    if let Value::Array(items) = value {
        for (index, item) in items.iter().enumerate() {
            found.extend(with_a_key_too_many(item).into_iter().map(|other| {
                let mut changed = items.clone();
                changed[index] = other;
                Value::Array(changed)
            }));
        }
    }
    found
}

fn check<T: Crosses>(sample: &Value) {
    let value: T = by_serde(sample).unwrap_or_else(|wrong| panic!("{sample} is no sample: {wrong}"));
    assert_eq!(by_read::<T>(sample).as_ref(), Ok(&value), "{sample}");
    let expected = without_nulls(serde_json::to_value(&value).expect("plain JSON"));
    assert_eq!(as_floats(value_of(&value.write())), as_floats(expected), "{sample}");
    for near in neighbours(sample) {
        let (ours, serdes) = (by_read::<T>(&near), by_serde::<T>(&near));
        assert_eq!(
            ours.as_ref().ok(),
            serdes.as_ref().ok(),
            "{near}: {ours:?} and {serdes:?}"
        );
    }
    // Stricter than serde, which looks at nothing beside the tag of a variant without fields.
    for more in with_a_key_too_many(sample) {
        assert!(by_read::<T>(&more).is_err(), "{more}");
    }
}

/// The words that serde would have taken instead of one that it does not know.
fn known<T: Crosses>(unknown: &Value) -> BTreeSet<String> {
    let wrong = by_serde::<T>(unknown).expect_err("it is unknown");
    let (_, list) = wrong.split_once("expected").expect("serde says what it expected");
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn check_words<T: Crosses>() {
    let words = known::<T>(&json!("no such word"));
    assert!(words.len() > 1, "{words:?}");
    for word in words {
        check::<T>(&json!(word));
    }
}

fn check_variants<T: Crosses>(samples: &Value) {
    let samples = samples.as_array().expect("a list of samples");
    let tags = samples
        .iter()
        .filter_map(|sample| sample.get("type")?.as_str().map(str::to_owned));
    assert_eq!(
        tags.collect::<BTreeSet<_>>(),
        known::<T>(&json!({ "type": "no such tag" }))
    );
    for sample in samples {
        check::<T>(sample);
    }
}

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
    check_words::<Fault>();
    check_words::<ErrorCode>();
    check_words::<ClaimKind>();
    check_words::<IsolateKind>();
    check_words::<TraceLaneKind>();
    check_words::<TraceStateKind>();
    check_words::<TraceCause>();
    check_words::<TraceCounterKind>();
    check_words::<TraceInstantKind>();
}

fn stall() -> Value {
    json!({ "variant": "to-thread", "callMs": 1500, "heartbeatMs": 100, "timeoutMs": 500, "sliceMs": 50, "quietMs": 300,
        "sabotage": "await-that-blocks" })
}

fn beside(tag: &str, mut members: Value) -> Value {
    members["type"] = json!(tag);
    members
}

fn seen() -> Value {
    json!({ "beatsMs": [0, 100.5], "callStartedMs": 300, "callEndedMs": 1800, "timeoutAtMs": null, "mainEndedMs": 2100,
        "programEndedMs": 2100, "longestFrameGapMs": 16.7,
        "slowSteps": [{ "task": "main", "call": "sleep", "atMs": 300, "lengthMs": 1500 }] })
}

fn span() -> Value {
    json!({ "worker": 1, "task": 2, "startMs": 0.5, "endMs": 1e12 })
}

fn environment() -> Value {
    json!({ "engine": "chromium", "engineVersion": "1", "isolated": true, "sharedMemory": "works", "simd": true,
        "coresClaimed": 2, "clockStepMs": 0.005, "serviceWorker": "controls", "scheme": "http", "framed": "no",
        "hidden": false })
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
        { "type": "block", "ms": 9 },
        { "type": "busy", "ms": 9 },
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
        { "type": "digested", "elapsedMs": [1, 2], "digest": "00" },
    ]));
    check::<StallJob>(&stall());
    check::<LoopTurn>(
        &json!({ "calls": [{ "id": 1, "job": { "type": "block", "ms": 9 } }], "wakeAfterMs": 0,
        "outcome": beside("stalled", seen()) }),
    );
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
    ]));
    check_variants::<Impossible>(&json!([
        { "type": "no-shared-memory" },
        { "type": "pool-failed", "detail": "why" },
        { "type": "isolates-failed", "started": 1, "detail": "why" },
        { "type": "no-service-worker" },
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
        { "type": "rejected", "detail": "why" },
    ]));
    check::<Refusal>(&json!({ "code": "unknown-lab", "message": "no such lab" }));
}

fn result() -> Value {
    let row = json!({ "strategy": "threads", "variant": "plain", "runtime": "gil", "label": "Threads",
        "provenance": "measured", "available": true, "reason": "r", "cure": "c", "baseline": false, "samplesMs": [1, 2],
        "warmUpMs": [3], "medianMs": 1.5, "lowMs": 1, "highMs": 2, "speedup": 1.1, "speedupLow": 1, "speedupHigh": 1.2,
        "efficiency": 0.5, "notes": ["n"], "workers": 2, "scaledSize": 9, "totals": ["1"], "value": "1", "expected": "2",
        "lost": 1, "losses": [1], "overlap": 0.5, "overlaps": [0.5], "handOvers": 1, "spans": [span()], "beatsMs": [1],
        "longestGapMs": 1, "longestFrameGapMs": 1, "timeoutFired": true, "timeoutAfterMs": 1, "callStartedMs": 1,
        "callEndedMs": 1, "programEndedMs": 1, "culprit": "main", "log": [{ "atMs": 1, "text": "l" }], "answered": 1,
        "errors": [{ "kind": "timeout", "count": 1 }], "inFlightMax": 2, "inFlight": [{ "atMs": 1, "value": 2 }],
        "p50Ms": 1, "p95Ms": 1, "p99Ms": 1, "peakMemoryBytes": 1, "reservedBytes": 1 });
    let bare = json!({ "strategy": "serial", "label": "Serial", "provenance": "measured", "available": false,
        "baseline": true, "samplesMs": [], "warmUpMs": [], "notes": [] });
    let figure = json!({ "id": "A", "lesson": "A", "strategy": "serial", "variant": "plain", "runtime": "gil",
        "params": { "size": 9, "cold": true, "workload": "names" }, "quantity": "seconds", "value": 1.5, "range": [1, 2],
        "relation": "at-least", "provenance": "published", "note": "n" });
    let claim = |holds: Value| json!({ "id": "c", "kind": "speed", "holds": holds, "why": "w", "text": "t" });
    json!({ "schema": 0, "lab": "cpu-bound", "mode": "measured", "params": {}, "seed": 1,
        "environment": { "page": environment(), "threadsStarted": 2, "threadsAsked": 2, "void": false,
            "warnings": [{ "id": "w", "text": "t" }] },
        "rows": [row, bare], "published": [figure],
        "claims": [claim(json!(true)), claim(json!(false)), claim(json!("not-applicable"))],
        "finding": { "id": "f", "args": { "share": 0.5 }, "text": "t" }, "traceHash": "0123456789abcdef", "trace": empty_trace() })
}

/// A trace with nothing in it: every row of one would be tried in every place of the result around it.
fn empty_trace() -> Value {
    let extras = json!({ "span": [], "number": [] });
    json!({ "endNs": 0, "truncated": false,
        "totals": { "events": 0, "lanes": 0, "spans": 0, "wakes": 0, "instants": 0, "counts": 0 },
        "names": [],
        "lanes": { "kind": [], "parent": [], "name": [], "madeNs": [] },
        "states": [],
        "spans": { "startNs": [], "endNs": [], "lane": [], "state": [], "call": [], "line": [] },
        "holders": extras, "cells": extras,
        "wakes": { "index": [], "atNs": [], "from": [], "to": [] },
        "instants": { "index": [], "atNs": [], "lane": [], "kind": [], "label": [] },
        "counters": [] })
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
