//! One blocking call in an event loop: what it stops, and four ways out.
//!
//! Not here: the loop (`live::event_loop`, or the page's own). Every row is bound to timers, so it is taken once.

mod claims;
mod model;
mod ways;

use super::parameters::{CORES, LOGICAL_CORES, Parameter, RUNTIME, Value};
use super::rows::measured;
use super::{About, Asked, Complaint, Evidence, Lab, Model, linked, presets};
use crate::measure::{DEFAULT_LIMIT_MS, Experiment, Subject, TakenRow, digits};
use crate::text::args;
use crate::wire::{
    Action, Environment, ErrorCode, Job, JobOutcome, Mode, Named, Row, StallJob, StallSeen, StallVariant, Strategy,
};
use ways::{HANDLER_MS, HANDLERS, VARIANTS, WAYS, Way};

/// Quiet before and after the call, in milliseconds: a few heartbeats to compare with.
const QUIET_MS: u32 = 300;

/// How much longer than planned a row may take before the watchdog ends it.
const ROOM_MS: u32 = 6_000;

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct Stall;

/// Its place in the list.
pub const LAB: Stall = Stall;

const PARAMETERS: &[Parameter] = &[
    Parameter::choice("variant", None, VARIANTS),
    Parameter::choice("where", Some("worker"), &["worker", "page"]).only(Mode::Measured),
    Parameter::unsigned("callMs", "ms", 1_500, 10, 3_000),
    Parameter::unsigned("heartbeatMs", "ms", 100, 5, 1_000),
    Parameter::unsigned("timeoutMs", "ms", 500, 0, 10_000),
    Parameter::unsigned("sliceMs", "ms", 10, 1, 1_000),
    presets::parameter("ideal"),
    RUNTIME.only(Mode::Model),
    CORES,
    LOGICAL_CORES,
];

impl Lab for Stall {
    fn about(&self) -> About {
        About {
            id: "stall",
            modes: &[Mode::Measured, Mode::Model],
            parameters: PARAMETERS,
            strategies: &[Strategy::EventLoop, Strategy::ToThread, Strategy::Processes],
            variants: VARIANTS,
            claims: claims::CLAIMS,
            opening: &[("variant", Value::Choice("blocking"))],
            minutes: 10,
            sections: &["A: Do not block the event loop", "C: Blocking calls in async code"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn check(&self, asked: &Asked, _environment: &Environment) -> Result<(), Complaint> {
        if asked.choice("where") == Some("page") && chosen(asked).is_empty() {
            let came = asked.choice("variant").unwrap_or_default();
            let offered: Vec<&str> = WAYS.iter().filter(|way| way.on_page).map(|way| way.id).collect();
            let args = args([("offered", offered.join(", ").into()), ("came", came.into())]);
            let code = ErrorCode::OutOfRange;
            return Err(Complaint {
                code,
                parameter: "variant",
                id: "refusal.not-on-page",
                args,
            });
        }
        Ok(())
    }

    fn plan(&self, asked: &Asked, _environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Heartbeat {
            ways: chosen(asked),
            on_page: asked.choice("where") == Some("page"),
            times: times(asked),
        })
    }

    fn rows(&self, evidence: &Evidence<'_>) -> Vec<Row> {
        evidence.taken.rows.iter().map(|taken| row(evidence, taken)).collect()
    }

    fn finding(&self, evidence: &Evidence<'_>, rows: &[Row]) -> (&'static str, Named) {
        if evidence.is_void() {
            return ("void", args([]));
        }
        found(evidence.asked, rows)
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}

/// What rows of either half show.
fn found(asked: &Asked, rows: &[Row]) -> (&'static str, Named) {
    let gap = |variant: &str| {
        let row = rows
            .iter()
            .find(|row| row.variant.as_deref() == Some(variant) && row.available)?;
        Some((row.longest_gap_ms?, row.timeout_fired?))
    };
    let call: f64 = asked.unsigned("callMs").into();
    let whole = |ms: f64| digits::significant(ms, 3).into();
    match (gap("blocking"), gap("to-thread")) {
        (Some((blocked, fired)), _) if blocked < call || fired => {
            ("not-stalled", args([("gap", whole(blocked)), ("call", call.into())]))
        }
        (Some((blocked, _)), Some((kept, _))) if kept < blocked => (
            "both",
            args([
                ("blocked", whole(blocked)),
                ("kept", whole(kept)),
                ("call", call.into()),
            ]),
        ),
        (Some((blocked, _)), Some((kept, _))) => {
            ("reversed", args([("blocked", whole(blocked)), ("kept", whole(kept))]))
        }
        (Some((blocked, _)), None) => ("stalled", args([("gap", whole(blocked)), ("call", call.into())])),
        (None, _) => rest(rows),
    }
}

/// The finding of a run without the blocking row.
fn rest(rows: &[Row]) -> (&'static str, Named) {
    let ran = rows.iter().filter(|row| row.available);
    let Some(row) = ran.min_by(|one, two| gap_of(one).total_cmp(&gap_of(two))) else {
        return ("unavailable", args([]));
    };
    let gap = digits::significant(gap_of(row), 3);
    ("one", args([("label", row.label.as_str().into()), ("gap", gap.into())]))
}

fn gap_of(row: &Row) -> f64 {
    row.longest_gap_ms.unwrap_or(f64::INFINITY)
}

fn chosen(asked: &Asked) -> Vec<&'static Way> {
    let on_page = asked.choice("where") == Some("page");
    WAYS.iter()
        .filter(|way| asked.allows("variant", way.id) && (way.on_page || !on_page))
        .collect()
}

fn times(asked: &Asked) -> StallJob {
    StallJob {
        variant: StallVariant::Blocking,
        call_ms: asked.unsigned("callMs"),
        heartbeat_ms: asked.unsigned("heartbeatMs"),
        timeout_ms: asked.unsigned("timeoutMs"),
        slice_ms: asked.unsigned("sliceMs"),
        quiet_ms: QUIET_MS,
        sabotage: None,
    }
}

/// One run.
struct Heartbeat {
    ways: Vec<&'static Way>,
    on_page: bool,
    times: StallJob,
}

impl std::fmt::Debug for Heartbeat {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Heartbeat")
            .field("times", &self.times)
            .finish_non_exhaustive()
    }
}

impl Experiment for Heartbeat {
    fn subjects(&self) -> Vec<Subject> {
        let subject = |way: &&Way| Subject {
            variant: Some(way.id.to_owned()),
            runtime: way.runtime,
            once: true,
            ..Subject::new(way.strategy)
        };
        self.ways.iter().map(subject).collect()
    }

    fn action(&self, row: usize, _size: u32) -> Action {
        // The sampler asks for rows of `subjects` only; a wrong number would show as a blocking row.
        let way = self.ways.get(row).copied().unwrap_or(&WAYS[0]);
        let stall = StallJob {
            variant: way.variant,
            ..self.times
        };
        let planned = 2 * stall.quiet_ms + stall.call_ms.max(HANDLERS * HANDLER_MS);
        let limit_ms = DEFAULT_LIMIT_MS.max(planned + ROOM_MS);
        if self.on_page {
            return Action::OnPage { stall, limit_ms };
        }
        let callers = u32::from(way.strategy != Strategy::EventLoop);
        Action::OnLab {
            threads: 0,
            job: Job::Stall(stall),
            callers,
            limit_ms,
        }
    }
}

fn row(evidence: &Evidence<'_>, taken: &TakenRow) -> Row {
    let mut row = measured(evidence, taken);
    let Some(seen) = seen(taken) else { return row };
    tell(seen, &mut row);
    let longest = seen
        .slow_steps
        .iter()
        .max_by(|one, two| one.length_ms.total_cmp(&two.length_ms));
    row.culprit = longest.map(|step| {
        let args = args([
            ("task", step.task.as_str().into()),
            ("call", step.call.as_str().into()),
            ("length", digits::significant(step.length_ms, 3).into()),
        ]);
        evidence.say("culprit", &args)
    });
    row
}

/// Puts what was seen into a row of either half.
fn tell(seen: &StallSeen, row: &mut Row) {
    row.longest_gap_ms = Some(longest_gap_ms(seen));
    row.longest_frame_gap_ms = seen.longest_frame_gap_ms;
    row.timeout_fired = Some(seen.timeout_at_ms.is_some());
    row.timeout_after_ms = seen.timeout_at_ms.map(|at| at - seen.call_started_ms);
    row.call_started_ms = Some(seen.call_started_ms);
    row.call_ended_ms = seen.call_ended_ms;
    row.program_ended_ms = Some(seen.program_ended_ms);
    row.beats_ms = Some(seen.beats_ms.clone());
    // The lesson's time of the handlers is theirs, without the quiet around them.
    if row
        .variant
        .as_deref()
        .is_some_and(|variant| variant.starts_with("handlers"))
        && let Some(ended) = seen.call_ended_ms
    {
        row.samples_ms = vec![ended - seen.call_started_ms];
        row.median_ms = row.samples_ms.first().copied();
        (row.low_ms, row.high_ms) = (None, None);
    }
}

/// What the row's one sample saw.
fn seen(taken: &TakenRow) -> Option<&StallSeen> {
    let job = taken.samples.first().and_then(|sample| sample.jobs.first());
    if let Some(JobOutcome::Stalled(seen)) = job {
        Some(seen)
    } else {
        None
    }
}

/// The longest time without a heartbeat, from the start to the main task's end: a loop that is held until the very end
/// misses beats too.
fn longest_gap_ms(seen: &StallSeen) -> f64 {
    let marks = std::iter::once(0.0)
        .chain(seen.beats_ms.iter().copied())
        .chain([seen.main_ended_ms]);
    marks
        .clone()
        .zip(marks.skip(1))
        .map(|(before, after)| after - before)
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_count_to_the_very_end() {
        let seen = StallSeen {
            beats_ms: vec![0.0, 100.0, 200.0],
            main_ended_ms: 1_800.0,
            ..StallSeen::default()
        };
        assert_eq!(longest_gap_ms(&seen), 1_600.0);
        let seen = StallSeen {
            beats_ms: vec![100.0, 900.0, 1_000.0],
            main_ended_ms: 1_050.0,
            ..StallSeen::default()
        };
        assert_eq!(longest_gap_ms(&seen), 800.0);
        assert_eq!(longest_gap_ms(&StallSeen::default()), 0.0);
    }
}
