//! The batch on the machines of the lessons, in virtual time.
//!
//! Not here: which rows there are (`cases`), the client (`live::event_loop::fan_out`), and what is claimed (`claims`).

mod cases;
mod claims;
mod curve;

use std::rc::Rc;

use super::summary::{errors, percentile};
use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::live::event_loop::fan_out::{self, Batch, Book, How};
use crate::live::event_loop::scenes::loop_fault;
use crate::machine::Nanoseconds;
use crate::machine::event_loop::LoopSettings;
use crate::machine::front::Here;
use crate::machine::threads::{Machine, MachineSettings};
use crate::measure::{Subject, digits};
use crate::text::{Words, args};
use crate::wire::{Named, Row, Sabotage, Strategy};

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct Requests;

/// Its place.
pub const MODEL: Requests = Requests;

impl Model for Requests {
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
        let batch = cases::batch(asked, subject.variant.as_deref().unwrap_or_default(), sabotage);
        let settings = presets::machine_settings(asked, cases::runtime(asked), sabotage);
        let mut machine = Machine::new(MachineSettings {
            event_loops: LoopSettings {
                fault: loop_fault(sabotage),
                ..settings.event_loops.clone()
            },
            ..settings
        });
        let book = Rc::<Book>::default();
        let client = fan_out::main(&Here::new(), batch, &book);
        match batch.how {
            How::OneByOne | How::Pool { .. } => machine.start(client),
            How::Tasks | How::Limited | How::Blocking | How::ToThread | How::GatherToThread => {
                machine.start_loop(client);
            }
        }
        Scene {
            machine,
            read: Box::new(move |machine, _, row| read(machine, &batch, &book, row)),
        }
    }

    fn annotate(&self, _asked: &Asked, _words: &Words, rows: &mut [Row]) {
        // Other requests than the baseline's are not to be compared with it.
        for row in rows.iter_mut().filter(|row| cases::is_close_up(row)) {
            (row.speedup, row.efficiency) = (None, None);
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        let asked_for = |row: &&Row| row.available && !cases::is_close_up(row);
        let rows = || modelled.rows.iter().filter(asked_for);
        let ms = |row: &Row| row.median_ms.unwrap_or(f64::INFINITY);
        let requests = modelled.asked.unsigned("requests");
        let is_whole = |row: &&Row| row.answered == Some(requests);
        let fastest = rows().filter(is_whole).min_by(|one, two| ms(one).total_cmp(&ms(two)));
        // Whoever gave up early is not fast.
        let most = || rows().max_by_key(|row| row.answered.unwrap_or_default());
        let Some(best) = fastest.or_else(most) else {
            return ("unavailable", args([]));
        };
        let numbers = |more: Option<f64>| {
            args([
                ("label", best.label.as_str().into()),
                ("answered", best.answered.unwrap_or_default().into()),
                ("requests", requests.into()),
                ("took", digits::significant(ms(best), 3).into()),
                ("line", digits::significant(more.unwrap_or_default(), 3).into()),
            ])
        };
        if fastest.is_none() && rows().count() > 1 {
            return ("incomplete", numbers(None));
        }
        match modelled.ms(Strategy::Serial, Some("one-by-one"), None) {
            Some(line) if line > ms(best) => ("faster", numbers(Some(line))),
            _ => ("one", numbers(None)),
        }
    }
}

/// What the client wrote down, and what the machine counted.
fn read(machine: &Machine, batch: &Batch, book: &Book, row: &mut Row) {
    let mut took = book.took.take();
    took.sort_unstable();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let answered = count(took.len());
    row.answered = Some(answered);
    // Whatever was neither answered nor ended by an error of its own was cancelled, begun or not.
    let n_cancelled = batch
        .requests
        .saturating_sub(answered + book.n_timeouts.get() + book.n_failed.get());
    row.errors = Some(errors(book.n_timeouts.get(), book.n_failed.get(), n_cancelled));
    let took: Vec<f64> = took.into_iter().map(Nanoseconds::as_millis).collect();
    (row.p50_ms, row.p95_ms, row.p99_ms) = (percentile(&took, 50), percentile(&took, 95), percentile(&took, 99));
    row.timeout_fired = batch.deadline.map(|_| book.gave_up.get().is_some());
    row.timeout_after_ms = book.gave_up.get().map(Nanoseconds::as_millis);
    if let Some(report) = book.endpoint.get().and_then(|endpoint| machine.endpoint(endpoint)) {
        row.in_flight_max = Some(report.peak_in_flight);
    }
    row.in_flight = machine.recorder().log().map(curve::in_flight);
    let memory = machine.peak_memory();
    row.peak_memory_bytes = Some(memory.used as f64);
    row.reserved_bytes = Some(memory.reserved as f64);
    let used = machine.used();
    row.client_ms = Some((used.computed + used.overhead).as_millis());
    row.workers = n_workers(machine, batch);
}

/// Threads or processes that were really started to make requests; none where the main thread makes them all.
fn n_workers(machine: &Machine, batch: &Batch) -> Option<u32> {
    let prefix = match batch.how {
        How::Pool { processes: true } => return u32::try_from(machine.process_reports().len()).ok()?.checked_sub(1),
        How::Pool { processes: false } => "worker_",
        How::ToThread | How::GatherToThread => "asyncio_",
        How::OneByOne | How::Tasks | How::Limited | How::Blocking => return None,
    };
    let threads = machine.thread_reports();
    u32::try_from(threads.iter().filter(|thread| thread.name.starts_with(prefix)).count()).ok()
}
