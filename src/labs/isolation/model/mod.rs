//! The modelled half: lists, crossings, imports and a crash on the machines of the lessons.
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
use crate::wire::{ErrorCount, Named, Row, Sabotage, Strategy};
use cases::{Case, What, cases};
use program::Seen;

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct IsolationModel;

/// Its place.
pub const MODEL: IsolationModel = IsolationModel;

impl Model for IsolationModel {
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
        let mut settings = presets::machine_settings(asked, super::runtime(asked), sabotage);
        if sabotage == Some(Sabotage::SendingThatTakesNothing) {
            let costs = &mut settings.costs;
            for cost in [
                &mut costs.process_item,
                &mut costs.process_kibibyte,
                &mut costs.interpreter_item,
                &mut costs.interpreter_kibibyte,
            ] {
                *cost = Nanoseconds::ZERO;
            }
        }
        let mut machine = Machine::new(settings);
        let seen = Seen::default();
        machine.start(program::main(&Here::new(), case.clone(), &seen));
        Scene {
            machine,
            read: Box::new(move |_, progress, row| read(progress, &case, &seen, row)),
        }
    }

    fn annotate(&self, asked: &Asked, words: &Words, rows: &mut [Row]) {
        for (case, row) in cases(asked).into_iter().zip(rows.iter_mut()) {
            let (id, numbers) = match case.what {
                What::List { chunk } => (
                    "isolation.model.note.list",
                    args([("items", case.items.into()), ("chunk", chunk.into())]),
                ),
                What::Chunks { chunk } => (
                    "isolation.model.note.chunks",
                    args([("items", case.items.into()), ("chunk", chunk.into())]),
                ),
                What::Crossing { bytes } => ("isolation.model.note.crossing", args([("bytes", bytes.into())])),
                What::Import { .. } => ("isolation.model.note.import", args([("workers", case.workers.into())])),
                What::Crash => ("isolation.model.note.crash", args([("workers", case.workers.into())])),
            };
            row.notes.push(words.fill(id, &numbers));
            if !matches!(case.what, What::Chunks { .. } | What::Crossing { .. }) {
                // These are not compared with crossings.
                (row.speedup, row.efficiency) = (None, None);
            }
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        let number = |text: Option<&String>| text.and_then(|text| text.parse::<f64>().ok());
        let list = |strategy| {
            let row = modelled.row(strategy, Some("list"), None)?;
            number(row.value.as_ref())
        };
        let isolated = [Strategy::Interpreters, Strategy::Processes]
            .into_iter()
            .filter_map(list);
        let (Some(shared), Some(isolated)) = (list(Strategy::Threads), isolated.reduce(f64::max)) else {
            return ("unavailable", args([]));
        };
        let ms = |variant| {
            let ms = modelled.ms(Strategy::Processes, Some(variant), None);
            digits::significant(ms.unwrap_or_default(), 3)
        };
        let numbers = args([
            ("shared", shared.into()),
            ("isolated", isolated.into()),
            ("small", ms("copy-1k").into()),
            ("large", ms("copy-64m").into()),
        ]);
        if isolated > 0.0 {
            return ("not-isolated", numbers);
        }
        (
            if ms("copy-64m") > ms("copy-1k") {
                "apart"
            } else {
                "free"
            },
            numbers,
        )
    }
}

/// What the program saw, and how the run ended.
fn read(progress: &Progress, case: &Case, seen: &Seen, row: &mut Row) {
    if let Some((start, end)) = seen.window.get() {
        let ms = end.since(start).as_millis();
        row.samples_ms = vec![ms];
        row.median_ms = Some(ms);
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    match case.what {
        What::List { .. } => {
            row.value = seen.parent.get().map(|length| length.to_string());
            let is_shared = case.subject.strategy == Strategy::Threads;
            row.expected = Some(if is_shared { case.items } else { 0 }.to_string());
            row.totals = Some(seen.lengths().iter().map(ToString::to_string).collect());
        }
        What::Chunks { .. } | What::Crossing { .. } => {
            if let Progress::Ended(Ok(value)) = progress {
                row.value = value.int().map(|done| done.to_string());
            }
            let is_crossing = matches!(case.what, What::Crossing { .. });
            row.expected = Some(if is_crossing { 1 } else { case.items }.to_string());
        }
        What::Import { .. } => {
            row.value = Some(seen.loaded.get().to_string());
            let refused = seen.refused.get();
            row.errors = Some(errors("import", refused));
        }
        What::Crash => {
            let alive = count(seen.finished.borrow().len());
            row.answered = Some(alive);
            row.errors = Some(errors("crashed", case.workers.saturating_sub(alive)));
            row.value = Some(u32::from(seen.window.get().is_some()).to_string());
        }
    }
}

fn errors(kind: &str, count: u32) -> Vec<ErrorCount> {
    let error = ErrorCount {
        kind: kind.to_owned(),
        count,
    };
    Some(error).filter(|_| count > 0).into_iter().collect()
}
