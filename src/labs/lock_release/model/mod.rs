//! The modelled half: the same hashing on the machines of the lessons, and where it bends.
//!
//! Not here: which rows there are (`cases`), what runs on the machine (`program`), and what is claimed of it (`claims`).

mod cases;
mod claims;
mod program;

use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::machine::Nanoseconds;
use crate::machine::front::Here;
use crate::machine::threads::{Machine, Progress};
use crate::measure::{Subject, digits};
use crate::text::{Words, args};
use crate::wire::{Named, Row, Runtime, Sabotage, Strategy, WorkSpan};
use cases::{Case, cases};
use program::{Costs, Seen};

pub use cases::VARIANTS;

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct LockReleaseModel;

/// Its place.
pub const MODEL: LockReleaseModel = LockReleaseModel;

/// A gain that is worth a word.
const GAIN: f64 = 1.1;

impl Model for LockReleaseModel {
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
        let case = case.expect("a scene is asked for with one of the subjects of `scenes`");
        let mut settings = presets::machine_settings(asked, case.runtime, sabotage);
        if sabotage == Some(Sabotage::SendingThatTakesNothing) {
            settings.costs.process_item = Nanoseconds::ZERO;
            settings.costs.process_kibibyte = Nanoseconds::ZERO;
        }
        let costs = Costs::of(&presets::of(asked), case.input_bytes, sabotage);
        let mut machine = Machine::new(settings);
        let seen = Seen::default();
        machine.start(program::main(&Here::new(), case.clone(), costs, &seen));
        let read = move |machine: &Machine, progress: &Progress, row: &mut Row| {
            read(machine, progress, &case, &seen, row);
        };
        Scene {
            machine,
            read: Box::new(read),
        }
    }

    fn annotate(&self, asked: &Asked, words: &Words, rows: &mut [Row]) {
        for (case, row) in cases(asked).into_iter().zip(rows.iter_mut()) {
            if case.is_sweep {
                // What one thread takes for the same is what all threads computed.
                row.speedup = row.computed_ms.zip(row.median_ms).map(|(alone, ms)| alone / ms);
                row.efficiency = row.speedup.zip(row.workers).map(|(gain, n)| gain / f64::from(n.max(1)));
                row.scaled_size = Some(case.inputs);
            }
            if let Some(wanted) = case.wanted {
                let numbers = args([("size", case.inputs.into()), ("asked", wanted.into())]);
                row.scaled_size = Some(case.inputs);
                row.notes.push(words.fill("lock-release.model.note.fewer", &numbers));
            }
            if case.subject.strategy == Strategy::Processes {
                row.notes.push(words.say("lock-release.model.note.started"));
            }
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        let of = |variant: &str| {
            let rows = modelled
                .rows
                .iter()
                .filter(|row| row.available && row.strategy == Strategy::Threads);
            let mut of_kind = rows.filter(|row| row.variant.as_deref() == Some(variant));
            let found = of_kind.next()?;
            Some((found, digits::significant(found.speedup?, 3)))
        };
        let is_locked = |row: &Row| row.runtime != Some(Runtime::FreeThreaded);
        if let (Some((big, of_big)), Some((_, of_small))) = (of("big"), of("small"))
            && is_locked(big)
        {
            let numbers = args([("big", of_big.into()), ("small", of_small.into())]);
            let id = match (of_big > GAIN, of_small > GAIN) {
                (true, false) => "released",
                (true, true) => "both-faster",
                (false, true) => "reversed",
                (false, false) => "none-faster",
            };
            return (id, numbers);
        }
        let all = ["big", "small", "files"].into_iter().filter_map(of);
        let best = all.max_by(|one, two| one.1.total_cmp(&two.1));
        best.map_or(("unavailable", args([])), |(row, speedup)| {
            let id = if speedup > GAIN { "faster" } else { "no-gain" };
            (
                id,
                args([("label", row.label.as_str().into()), ("speedup", speedup.into())]),
            )
        })
    }
}

/// What the program saw by its own clock, and what the machine counted.
fn read(machine: &Machine, progress: &Progress, case: &Case, seen: &Seen, row: &mut Row) {
    let Some((start, end)) = seen.window.get() else { return };
    let ms = end.since(start).as_millis();
    row.samples_ms = vec![ms];
    row.median_ms = Some(ms);
    row.computed_ms = Some(seen.computed.get().as_millis());
    row.expected = Some(case.inputs.to_string());
    if let Progress::Ended(Ok(hashed)) = progress {
        row.value = hashed.int().map(|hashed| hashed.to_string());
    }
    if case.runtime != Runtime::FreeThreaded {
        row.releases = Some(seen.releases.get());
        let switches = machine.hand_overs();
        row.hand_overs = u32::try_from(switches.forced + switches.voluntary).ok();
    }
    let mut workers = Vec::new();
    let spans = seen.spans.borrow();
    let spans = spans.iter().map(|span| {
        let known = workers.iter().position(|thread| *thread == span.thread);
        let number = known.unwrap_or_else(|| {
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
