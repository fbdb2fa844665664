//! The part of a row that is the same in every lab: label, samples, statistics, notes. Not here: a lab's quantities.

use super::absence;
use super::evidence::Evidence;
use crate::measure::statistics::{median, median_interval};
use crate::measure::{Subject, TakenRow, notes};
use crate::text::{Words, args};
use crate::wire::{Plain, Provenance, Row, Runtime, Strategy};

/// What a row is called.
#[must_use]
pub fn label(lab: &str, subject: &Subject, words: &Words) -> String {
    let id_of = |value: Plain| if let Plain::Text(id) = value { id } else { String::new() };
    let variant = subject.variant.as_deref().map(|variant| match variant.parse::<u32>() {
        Ok(workers) => words.fill("row.workers", &args([("workers", workers.into())])),
        Err(_) => words.say(&format!("{lab}.variant.{variant}")),
    });
    let strategy = words.say(&format!("strategy.{}", id_of(strategy_id(subject.strategy).into())));
    let runtime = subject
        .runtime
        .map(|runtime| words.say(&format!("runtime.{}", runtime_id(runtime))));
    [Some(strategy), runtime, variant]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}

/// A strategy's public id.
#[must_use]
pub fn strategy_id(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Serial => "serial",
        Strategy::Threads => "threads",
        Strategy::Processes => "processes",
        Strategy::Interpreters => "interpreters",
        Strategy::EventLoop => "event-loop",
        Strategy::ToThread => "to-thread",
    }
}

/// A runtime's public id.
#[must_use]
pub fn runtime_id(runtime: Runtime) -> &'static str {
    match runtime {
        Runtime::GilLegacy => "gil-legacy",
        Runtime::Gil => "gil",
        Runtime::FreeThreaded => "free-threaded",
    }
}

/// The runtime with this public id.
#[must_use]
pub fn runtime_of(id: &str) -> Option<Runtime> {
    let all = [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded];
    all.into_iter().find(|runtime| runtime_id(*runtime) == id)
}

/// A row with nothing in it but what it is.
#[must_use]
pub fn empty(strategy: Strategy, label: String, provenance: Provenance) -> Row {
    Row {
        strategy,
        variant: None,
        runtime: None,
        label,
        provenance,
        available: true,
        reason: None,
        cure: None,
        baseline: false,
        samples_ms: Vec::new(),
        warm_up_ms: Vec::new(),
        median_ms: None,
        low_ms: None,
        high_ms: None,
        speedup: None,
        speedup_low: None,
        speedup_high: None,
        efficiency: None,
        notes: Vec::new(),
        workers: None,
        scaled_size: None,
        totals: None,
        value: None,
        expected: None,
        lost: None,
        losses: None,
        overlap: None,
        overlaps: None,
        hand_overs: None,
        releases: None,
        computed_ms: None,
        spans: None,
        beats_ms: None,
        longest_gap_ms: None,
        longest_frame_gap_ms: None,
        timeout_fired: None,
        timeout_after_ms: None,
        call_started_ms: None,
        call_ended_ms: None,
        program_ended_ms: None,
        culprit: None,
        log: None,
        answered: None,
        errors: None,
        in_flight_max: None,
        in_flight: None,
        queue_max: None,
        throughput: None,
        load: None,
        p50_ms: None,
        p95_ms: None,
        p99_ms: None,
        client_ms: None,
        peak_memory_bytes: None,
        reserved_bytes: None,
        explored: None,
    }
}

/// The samples' median in milliseconds; 0 without samples.
#[must_use]
pub fn median_ms(taken: &TakenRow) -> f64 {
    median(&taken.samples_ms()).unwrap_or_default()
}

/// A measured row with its statistics and notes; a lab adds its own quantities.
#[must_use]
pub fn measured(evidence: &Evidence<'_>, taken: &TakenRow) -> Row {
    let subject = &taken.subject;
    let mut row = empty(
        subject.strategy,
        label(evidence.lab, subject, evidence.words),
        Provenance::Measured,
    );
    row.variant.clone_from(&subject.variant);
    row.runtime = subject.runtime;
    row.baseline = subject.baseline;
    row.workers = subject.workers;
    if let Some(absence) = &subject.absent {
        let (reason, cure) = absence::in_words(absence, evidence);
        row.available = false;
        row.reason = Some(reason);
        row.cure = Some(cure);
        return row;
    }
    row.samples_ms = taken.samples_ms();
    row.warm_up_ms = taken.warm_up.iter().map(|sample| sample.ms).collect();
    row.median_ms = median(&row.samples_ms);
    if let Some(interval) = median_interval(&row.samples_ms, evidence.asked.seed) {
        row.low_ms = Some(interval.low);
        row.high_ms = Some(interval.high);
    }
    if !subject.baseline
        && let Some(speedup) = evidence.speedup(Some(taken))
    {
        row.speedup = Some(speedup.value);
        row.speedup_low = Some(speedup.low);
        row.speedup_high = Some(speedup.high);
        row.efficiency = subject.workers.map(|workers| speedup.value / f64::from(workers.max(1)));
    }
    note(evidence, taken, &mut row);
    row
}

fn note(evidence: &Evidence<'_>, taken: &TakenRow, row: &mut Row) {
    let words = evidence.words;
    let samples = &row.samples_ms;
    if taken.subject.once {
        row.notes.push(words.say("note.once"));
        return;
    }
    let (asked, size) = (evidence.taken.asked_size, evidence.taken.size);
    if asked != size {
        row.scaled_size = Some(size);
        let id = if size < asked {
            "note.scaled-down"
        } else {
            "note.scaled-up"
        };
        row.notes
            .push(words.fill(id, &args([("asked", asked.into()), ("size", size.into())])));
    }
    let n_outliers = u32::try_from(notes::n_outliers(samples)).unwrap_or(u32::MAX);
    if n_outliers > 0 {
        row.notes
            .push(words.fill("note.outliers", &args([("count", n_outliers.into())])));
    }
    if notes::has_trend(samples) {
        row.notes.push(words.say("note.trend"));
    }
    if notes::is_too_short(samples, evidence.environment.clock_step_ms) {
        let step = evidence.environment.clock_step_ms;
        row.notes
            .push(words.fill("note.too-short", &args([("step", step.into())])));
    }
}
