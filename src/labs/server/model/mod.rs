//! The service on the machines of the lessons: its scenes and first requests in virtual time, then all of its requests.
//!
//! Not here: which rows there are (`cases`), what a request does (`service`, `program`), the simulation (`load`), and what
//! is claimed (`claims`).

mod cases;
mod claims;
mod load;
mod program;
mod service;

use std::rc::Rc;

use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, Sequel, presets};
use crate::live::event_loop::scenes::loop_fault;
use crate::machine::Nanoseconds;
use crate::machine::event_loop::LoopSettings;
use crate::machine::front::Here;
use crate::machine::threads::{Machine, MachineSettings};
use crate::measure::Subject;
use crate::measure::digits::significant;
use crate::text::{Words, args};
use crate::wire::{ErrorCount, LogLine, Named, Plain, Row, Sabotage};
use program::Book;

pub use cases::VARIANTS;

/// From this load on a service falls behind; a little below, its queues are long but end.
const FULL: f64 = 1.0;

/// A step of the loop at least this long is a stall: a tenth of a call.
const STALL: Nanoseconds = Nanoseconds::millis(20);

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct ServiceModel;

/// Its place.
pub const MODEL: ServiceModel = ServiceModel;

impl Model for ServiceModel {
    fn claims(&self) -> &'static [ModelClaim] {
        claims::CLAIMS
    }

    fn settle(&self, asked: &mut Asked) {
        presets::settle(asked);
    }

    fn scenes(&self, asked: &Asked) -> Vec<Subject> {
        cases::subjects(asked)
    }

    fn scene(&self, asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Scene {
        let play = cases::play(asked, variant(subject), sabotage);
        let settings = presets::machine_settings(asked, cases::runtime(asked), sabotage);
        let mut machine = Machine::new(MachineSettings {
            stall: STALL,
            event_loops: LoopSettings {
                fault: loop_fault(sabotage),
                ..settings.event_loops.clone()
            },
            ..settings
        });
        let book = Rc::<Book>::default();
        let (kind, processes) = (play.service.kind, play.processes);
        let main = program::main(&Here::new(), play, &book);
        match kind {
            service::Kind::Wsgi => machine.start(main),
            service::Kind::Asgi => machine.start_loop(main),
        }
        Scene {
            machine,
            read: Box::new(move |machine, _, row| {
                read(machine, &book, row);
                // The first of the process's is its own.
                let started = machine.process_reports().len().saturating_sub(1);
                if processes.is_some_and(|planned| planned as usize != started) {
                    row.workers = u32::try_from(started).ok();
                }
            }),
        }
    }

    fn sequel(&self, asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Option<Box<dyn Sequel>> {
        let load = cases::load(asked, variant(subject), sabotage)?;
        Some(Box::new(load))
    }

    fn annotate(&self, asked: &Asked, words: &Words, rows: &mut [Row]) {
        for row in rows {
            let id = row.variant.clone().unwrap_or_default();
            if !matches!(id.as_str(), "one-by-one" | "at-once") {
                // Other requests than the baseline's are not to be compared with it.
                (row.speedup, row.efficiency) = (None, None);
            }
            if cases::is_load(&id) && row.available {
                let (service, traffic) = (cases::service(asked, &id, None), cases::traffic(asked, &id));
                let numbers = args([
                    ("servers", (service.workers * service.threads).into()),
                    // Little's law: as many are in the service at once as arrive in the time that one takes.
                    ("inside", significant(inside(&service, traffic.a_second), 3).into()),
                ]);
                row.notes.push(words.fill("server.model.note.inside", &numbers));
                if id == "load-asgi" && asked.choice("database") == Some("sync") {
                    row.notes.push(words.say("server.model.note.other-library"));
                }
            }
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        let rows = || modelled.rows.iter().filter(|row| row.available);
        let loads = || rows().filter(|row| row.variant.as_deref().is_some_and(cases::is_load));
        let is_behind = |row: &&Row| row.load >= Some(FULL);
        let arrivals = modelled.asked.unsigned("arrivalsPerSecond");
        let of = |row: &Row, more: &Row| {
            args([
                ("label", row.label.as_str().into()),
                ("p95", shown(row.p95_ms)),
                ("throughput", shown(row.throughput)),
                ("arrivals", arrivals.into()),
                ("other", more.label.as_str().into()),
                ("otherThroughput", shown(more.throughput)),
            ])
        };
        let quick = loads().filter(|row| !is_behind(row)).min_by(|one, two| {
            let p95 = |row: &Row| row.p95_ms.unwrap_or(f64::INFINITY);
            p95(one).total_cmp(&p95(two))
        });
        let slow = loads().filter(is_behind).min_by(|one, two| {
            let rate = |row: &Row| row.throughput.unwrap_or(f64::INFINITY);
            rate(one).total_cmp(&rate(two))
        });
        match (quick, slow) {
            (Some(quick), Some(slow)) => return ("one-keeps-up", of(quick, slow)),
            (Some(quick), None) => return ("keeps-up", of(quick, quick)),
            (None, Some(slow)) => return ("falls-behind", of(slow, slow)),
            (None, None) => {}
        }
        let one_by_one = rows().find(|row| row.variant.as_deref() == Some("one-by-one"));
        let at_once = rows().find(|row| row.variant.as_deref() == Some("at-once"));
        if let (Some(line), Some(both)) = (one_by_one, at_once) {
            let numbers = args([("line", shown(line.median_ms)), ("both", shown(both.median_ms))]);
            return ("halved", numbers);
        }
        match rows().next() {
            Some(row) if row.expected.is_some() => {
                let text = |text: &Option<String>| Plain::from(text.as_deref().unwrap_or_default());
                let numbers = args([
                    ("label", row.label.as_str().into()),
                    ("value", text(&row.value)),
                    ("expected", text(&row.expected)),
                ]);
                ("textbook", numbers)
            }
            Some(row) => {
                let numbers = args([
                    ("label", row.label.as_str().into()),
                    ("p50", shown(row.median_ms)),
                    ("p95", shown(row.p95_ms.or(row.median_ms))),
                ]);
                ("one", numbers)
            }
            None => ("unavailable", args([])),
        }
    }
}

fn variant(subject: &Subject) -> &str {
    subject.variant.as_deref().unwrap_or_default()
}

fn shown(number: Option<f64>) -> Plain {
    significant(number.unwrap_or_default(), 3).into()
}

/// How many requests are in a service at once, on average, while it keeps up.
fn inside(service: &service::Service, a_second: u32) -> f64 {
    f64::from(a_second) * service.alone().as_seconds()
}

/// What the requests of a scene took, and what the machine counted.
fn read(machine: &Machine, book: &Book, row: &mut Row) {
    let mut took: Vec<u64> = book.took.borrow().iter().map(|(_, took)| took.0).collect();
    let refused = book.refused.borrow();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    row.answered = Some(count(took.len().saturating_sub(refused.len())));
    row.p50_ms = load::percentile_ms(&mut took, 50);
    row.p95_ms = load::percentile_ms(&mut took, 95);
    row.p99_ms = load::percentile_ms(&mut took, 99);
    row.median_ms = row.p50_ms;
    row.samples_ms = row.p50_ms.into_iter().collect();
    row.program_ended_ms = Some(machine.now().as_millis());
    if !refused.is_empty() {
        let kind = "refused".to_owned();
        row.errors = Some(vec![ErrorCount {
            kind,
            count: count(refused.len()),
        }]);
        let line = |at: &Nanoseconds| LogLine {
            at_ms: at.as_millis(),
            text: "SynchronousOnlyOperation".to_owned(),
        };
        row.log = Some(refused.iter().map(line).collect());
    }
    if row.workers.is_none() {
        let threads = machine.thread_reports();
        let held = threads
            .iter()
            .filter(|thread| thread.name.starts_with(program::MIDDLEWARE));
        row.workers = Some(count(held.count())).filter(|held| *held > 0);
    }
}

#[cfg(test)]
mod tests;
