//! One sample of each larger type that crosses, as JSON. Not here: the smaller ones, which stand in the tests.

use serde_json::{Value, json};

pub fn stall() -> Value {
    json!({ "variant": "to-thread", "callMs": 1500, "heartbeatMs": 100, "timeoutMs": 500, "sliceMs": 50, "quietMs": 300,
        "sabotage": "await-that-blocks" })
}

pub fn beside(tag: &str, mut members: Value) -> Value {
    members["type"] = json!(tag);
    members
}

pub fn seen() -> Value {
    json!({ "beatsMs": [0, 100.5], "callStartedMs": 300, "callEndedMs": 1800, "timeoutAtMs": null, "mainEndedMs": 2100,
        "programEndedMs": 2100, "longestFrameGapMs": 16.7,
        "slowSteps": [{ "task": "main", "call": "sleep", "atMs": 300, "lengthMs": 1500 }] })
}

pub fn slow() -> Value {
    json!({ "delayMs": 200, "fails": false, "capacity": 20, "backlog": 512, "group": "g", "byTimer": false })
}

pub fn batch() -> Value {
    json!({ "how": "limited", "requests": 200, "limit": 20, "deadlineMs": 5000, "failing": 1, "retries": 2,
        "request": slow(), "sabotage": null })
}

pub fn tried() -> Value {
    json!({ "startMs": 1e12, "endMs": 1e12, "end": "answered" })
}

pub fn span() -> Value {
    json!({ "worker": 1, "task": 2, "startMs": 0.5, "endMs": 1e12 })
}

pub fn environment() -> Value {
    json!({ "engine": "chromium", "engineVersion": "1", "isolated": true, "sharedMemory": "works", "simd": true,
        "coresClaimed": 2, "clockStepMs": 0.005, "serviceWorker": "controls", "scheme": "http", "framed": "no",
        "hidden": false })
}

pub fn result() -> Value {
    let mut row = json!({ "strategy": "threads", "variant": "plain", "runtime": "gil", "label": "Threads",
        "provenance": "measured", "available": true, "reason": "r", "cure": "c", "baseline": false, "samplesMs": [1, 2],
        "warmUpMs": [3], "medianMs": 1.5, "lowMs": 1, "highMs": 2, "speedup": 1.1, "speedupLow": 1, "speedupHigh": 1.2,
        "efficiency": 0.5, "notes": ["n"], "workers": 2, "scaledSize": 9, "totals": ["1"], "value": "1", "expected": "2",
        "lost": 1, "losses": [1], "overlap": 0.5, "overlaps": [0.5], "handOvers": 1, "releases": 1, "spans": [span()],
        "beatsMs": [1],
        "longestGapMs": 1, "longestFrameGapMs": 1, "timeoutFired": true, "timeoutAfterMs": 1, "callStartedMs": 1,
        "callEndedMs": 1, "programEndedMs": 1, "culprit": "main" });
    // One macro call takes only so many members.
    let more = json!({ "log": [{ "atMs": 1, "text": "l" }], "answered": 1,
        "errors": [{ "kind": "timeout", "count": 1 }], "inFlightMax": 2, "inFlight": [{ "atMs": 1, "value": 2 }],
        "queueMax": 1, "throughput": 1.5, "load": 0.5, "p50Ms": 1, "p95Ms": 1, "p99Ms": 1, "clientMs": 1, "peakMemoryBytes": 1, "reservedBytes": 1,
        "explored": explored() });
    if let (Some(row), Value::Object(more)) = (row.as_object_mut(), more) {
        row.extend(more);
    }
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

/// What a search found.
pub fn explored() -> Value {
    json!({ "program": "two threads", "schedules": "20", "states": 21, "complete": true, "coverage": "all",
        "outcomes": [{ "grade": "lost", "text": "1", "value": "1", "schedules": "18", "share": 0.9, "preemptions": 1,
            "witness": "7c1f09ab.BA2B" }], "followed": 1,
        "endless": [{ "kind": "stuck-and-spinning", "text": "A", "certain": true, "preemptions": 1,
            "witness": "7c1f09ab.B" }] })
}

/// Where a small program stands.
pub fn position() -> Value {
    json!({ "schedule": "7c1f09ab.BA", "at": 1, "steps": [{ "thread": 1, "text": "reads", "preempts": false }],
        "threads": [{ "name": "A", "state": "ready", "says": "next", "lines": [{ "code": "r = x", "maySwitch": true }],
            "next": 0, "stepLines": 1, "registers": [{ "name": "r", "value": "0", "changed": true }],
            "wasLast": false }],
        "cells": [{ "name": "x", "value": "0", "changed": false }],
        "objects": [{ "kind": "lock", "name": "lock", "says": "free", "holders": [0], "waiters": [1],
            "protects": ["x"] }],
        "preemptions": 0, "ending": { "grade": "deadlock", "text": "stuck" },
        "goals": [{ "id": "lose", "text": "lose one", "reached": false }], "drawn": "evenly" })
}

/// A trace with nothing in it: every row of one would be tried in every place of the result around it.
pub fn empty_trace() -> Value {
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
