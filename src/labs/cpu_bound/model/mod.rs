//! The modelled half: the same computing on the machines of the lessons, in virtual time.
//!
//! Not here: which rows there are (`cases`), what runs on the machine (`program`), and what is claimed of it (`claims`).

mod cases;
mod claims;
mod program;

use super::HALF_SIZE;
use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::machine::Nanoseconds;
use crate::machine::front::Here;
use crate::machine::threads::{Machine, Progress};
use crate::measure::{Subject, digits};
use crate::text::{Words, args};
use crate::wire::{Named, Row, Runtime, Sabotage, Strategy, WorkSpan};
use cases::{How, cases};
use program::Seen;

pub use cases::VARIANTS;

/// A gain that is worth a word.
const GAIN: f64 = 1.1;

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct CpuBoundModel;

impl Model for CpuBoundModel {
    fn claims(&self) -> &'static [ModelClaim] {
        claims::CLAIMS
    }

    fn settle(&self, asked: &mut Asked) {
        presets::settle(asked);
    }

    fn scenes(&self, asked: &Asked) -> Vec<Subject> {
        cases(asked).into_iter().map(|case| case.subject).collect()
    }

    fn scene(&self, asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Scene {
        let case = cases(asked).into_iter().find(|case| case.subject == *subject);
        let mut case = case.expect("a scene is asked for with one of the subjects of `scenes`");
        case.spoil(sabotage);
        let mut settings = presets::machine_settings(&case.machine, case.runtime, sabotage);
        if sabotage == Some(Sabotage::CoresForEveryWorker) {
            settings.cores = settings.cores.max(case.workers);
            settings.logical_cores = settings.logical_cores.max(case.workers);
        }
        if sabotage == Some(Sabotage::StartsThatTakeNothing) {
            settings.costs.fork_server.child = Nanoseconds::ZERO;
            settings.costs.fork_server_start = Nanoseconds::ZERO;
        }
        let mut machine = Machine::new(settings);
        let seen = Seen::default();
        let here = Here::new();
        let strategy = case.subject.strategy;
        let expected = case.expected_steps();
        machine.start(program::main(&here, case, &seen));
        let read = move |machine: &Machine, progress: &Progress, row: &mut Row| {
            read(machine, progress, &seen, row);
            row.expected = Some(expected.to_string());
            if strategy == Strategy::Threads && row.runtime != Some(Runtime::FreeThreaded) {
                let switches = machine.hand_overs();
                row.hand_overs = u32::try_from(switches.forced + switches.voluntary).ok();
            }
        };
        Scene {
            machine,
            read: Box::new(read),
        }
    }

    fn annotate(&self, asked: &Asked, words: &Words, rows: &mut [Row]) {
        for (case, row) in cases(asked).into_iter().zip(rows.iter_mut()) {
            if case.is_apart() || row.variant.as_deref() == Some(HALF_SIZE) {
                // Another size, or another lesson's machine: to be compared with its own kind only.
                row.speedup = None;
                row.efficiency = None;
                row.scaled_size = Some(case.steps);
            }
            if let How::Pool { warm: true, .. } = case.how {
                row.notes.push(words.say("cpu-bound.model.note.warm"));
            }
            if let How::Shares = case.how {
                row.notes.push(words.say("cpu-bound.model.note.shares"));
            }
        }
        for short in ["short", "long"] {
            let base = of_variant(rows, short).and_then(|row| row.median_ms);
            for row in rows.iter_mut().filter(|row| {
                let variant = row.variant.as_deref().unwrap_or_default();
                variant
                    .strip_prefix(short)
                    .is_some_and(|warmth| warmth.starts_with('-'))
            }) {
                row.speedup = base.zip(row.median_ms).map(|(base, ms)| base / ms);
            }
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        let speedup = |row: &&Row| row.speedup.unwrap_or_default();
        let rivals = || {
            modelled
                .rows
                .iter()
                .filter(|row| row.speedup.is_some() && !is_apart(row))
        };
        let points = || rivals().filter(|row| is_point(row));
        if modelled.asked.flag("curve")
            && let Some(best) = points().max_by(|one, two| speedup(one).total_cmp(&speedup(two)))
        {
            let cores = modelled.asked.unsigned("logicalCores");
            let numbers = numbers(best, [("cores", cores.into())]);
            return ("curve", numbers);
        }
        let best = rivals()
            .filter(|row| !is_point(row))
            .max_by(|one, two| speedup(one).total_cmp(&speedup(two)));
        match best {
            Some(best) if speedup(&best) > GAIN => ("faster", numbers(best, [])),
            Some(_) => ("no-gain", args([])),
            None => ("alone", args([])),
        }
    }
}

fn of_variant<'rows>(rows: &'rows [Row], variant: &str) -> Option<&'rows Row> {
    rows.iter().find(|row| row.variant.as_deref() == Some(variant))
}

/// Whether a row is a point of the scaling curve.
fn is_point(row: &Row) -> bool {
    row.variant
        .as_deref()
        .is_some_and(|variant| variant.parse::<u32>().is_ok())
}

/// Whether a row is of another lesson's machine.
fn is_apart(row: &Row) -> bool {
    row.variant
        .as_deref()
        .is_some_and(|variant| VARIANTS.contains(&variant))
}

fn numbers<const N: usize>(row: &Row, more: [(&'static str, crate::wire::Plain); N]) -> Named {
    let mut numbers = args([
        ("label", row.label.as_str().into()),
        (
            "speedup",
            digits::significant(row.speedup.unwrap_or_default(), 3).into(),
        ),
        ("workers", row.workers.unwrap_or_default().into()),
    ]);
    numbers.0.extend(more.map(|(id, value)| (id.to_owned(), value)));
    numbers
}

/// What the program saw by its own clock, and what the machine counted.
fn read(machine: &Machine, progress: &Progress, seen: &Seen, row: &mut Row) {
    let Some((start, end)) = seen.window.get() else { return };
    let ms = end.since(start).as_millis();
    row.samples_ms = vec![ms];
    row.median_ms = Some(ms);
    row.computed_ms = Some(machine.used().computed.as_millis());
    if let Progress::Ended(Ok(steps)) = progress {
        row.value = steps.int().map(|steps| steps.to_string());
    }
    let mut workers = Vec::new();
    let spans = seen.spans.borrow();
    let spans = spans.iter().map(|span| {
        let number = workers
            .iter()
            .position(|thread| *thread == span.thread)
            .unwrap_or_else(|| {
                workers.push(span.thread);
                workers.len() - 1
            });
        WorkSpan {
            worker: u32::try_from(number).unwrap_or(u32::MAX),
            task: span.task,
            start_ms: span.start.since(start).as_millis(),
            end_ms: span.end.since(start).as_millis(),
        }
    });
    row.spans = Some(spans.collect());
}
