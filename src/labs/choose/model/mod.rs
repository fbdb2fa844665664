//! The evidence: every job under every strategy, in virtual time.
//!
//! Not here: which rows there are (`cases`, `mistakes`), what runs (`work`, `job`), and what is claimed (`claims`).

mod cases;
mod claims;
mod job;
mod mistakes;
mod work;

use std::rc::Rc;

use super::YOURS;
use super::advice::{Needs, Reason};
use crate::labs::puzzles::Puzzle;
use crate::labs::rows::strategy_id;
use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::live::event_loop::scenes::loop_fault;
use crate::machine::event_loop::LoopSettings;
use crate::machine::front::{Here, program};
use crate::machine::threads::{Machine, MachineSettings};
use crate::machine::{Nanoseconds, Program};
use crate::measure::{Subject, digits};
use crate::text::{Words, args};
use crate::wire::{Grade, Named, Plain, Row, Runtime, Sabotage};
use work::{Seen, Work};

/// How much later than its deadline a job may end and still be in time.
const IN_TIME: f64 = 1.05;

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct Deciding;

/// Its place.
pub const MODEL: Deciding = Deciding;

impl Model for Deciding {
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
        if let Some(scene) = mistakes::scene(asked, subject, sabotage) {
            return scene;
        }
        let variant = subject.variant.as_deref().unwrap_or_default();
        if let Some(sections) = cases::sections_in(asked, variant) {
            return scene_of_job(asked, sections, sabotage);
        }
        let is_advised = cases::advice_of(asked, variant).strategy == subject.strategy;
        let work = Work::new(cases::needs_of(asked, variant), subject.strategy, cost(asked));
        scene_of(asked, work.spoiled(sabotage, is_advised), sabotage)
    }

    fn puzzle_of(&self, asked: &Asked, subject: &Subject) -> Option<Puzzle> {
        mistakes::puzzle_of(asked, subject)
    }

    fn annotate(&self, asked: &Asked, words: &Words, rows: &mut [Row]) {
        for row in rows.iter_mut() {
            let variant = row.variant.clone().unwrap_or_default();
            if variant != YOURS {
                // Other jobs than the baseline's.
                (row.speedup, row.efficiency) = (None, None);
            }
            if mistakes::is_mistake(row) || cases::JOB.contains(&variant.as_str()) {
                continue;
            }
            let needs = cases::needs_of(asked, &variant);
            let advice = cases::advice_of(asked, &variant);
            let notes = [
                (advice.strategy == row.strategy).then_some("choose.model.note.advised"),
                (row.value != row.expected).then_some("choose.model.note.wrong"),
                (row.timeout_fired == Some(false)).then_some("choose.model.note.late"),
                (!claims::fits(row, needs.memory_mib)).then_some("choose.model.note.memory"),
            ];
            let reason = words.say(&format!("choose.{}", id_of(advice.reason)));
            let numbers = args([
                ("reason", reason.into()),
                ("value", row.value.clone().unwrap_or_default().into()),
                ("expected", row.expected.clone().unwrap_or_default().into()),
                ("memory", needs.memory_mib.into()),
            ]);
            row.notes
                .extend(notes.into_iter().flatten().map(|id| words.fill(id, &numbers)));
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        let asked = modelled.asked;
        if let Some(id) = asked.choice("case").and_then(mistakes::id_of) {
            return (id, of_mistake(modelled.rows));
        }
        if cases::assigns(asked) {
            return of_job(modelled);
        }
        let advice = cases::advice_of(asked, YOURS);
        let strategy = modelled
            .words
            .say(&format!("strategy.{}", strategy_id(advice.strategy)));
        let Some(evidence) = claims::evidence(asked, modelled.rows, YOURS) else {
            return ("unavailable", args([]));
        };
        let ms = |row: &Row| digits::significant(row.median_ms.unwrap_or_default(), 3);
        let fastest = evidence.fastest.unwrap_or(evidence.advised);
        let reason = modelled.words.say(&format!("choose.{}", id_of(advice.reason)));
        let numbers = args([
            ("strategy", strategy.into()),
            ("workers", advice.workers.into()),
            ("reason", reason.into()),
            ("took", ms(evidence.advised).into()),
            ("fastest", fastest.label.as_str().into()),
            ("least", ms(fastest).into()),
            ("right", u32::try_from(evidence.n_right).unwrap_or(u32::MAX).into()),
        ]);
        let id = match (evidence.n_right, evidence.is_good()) {
            (0, _) => "none-right",
            (_, true) => "advice",
            (_, false) => "not-the-fastest",
        };
        (id, numbers)
    }
}

/// What a job of computing takes on this machine.
fn cost(asked: &Asked) -> Nanoseconds {
    presets::of(asked).on_core(work::WORK)
}

fn machine(asked: &Asked, runtime: Runtime, sabotage: Option<Sabotage>) -> Machine {
    let settings = presets::machine_settings(asked, runtime, sabotage);
    Machine::new(MachineSettings {
        event_loops: LoopSettings {
            fault: loop_fault(sabotage),
            ..settings.event_loops.clone()
        },
        ..settings
    })
}

/// One job on a machine of its own.
fn scene_of(asked: &Asked, work: Work, sabotage: Option<Sabotage>) -> Scene {
    let mut machine = machine(asked, work.needs.runtime, sabotage);
    let seen = Rc::<Seen>::default();
    let writes = Rc::clone(&seen);
    let main: Box<dyn Program> = program(&Here::new(), move |here| work::run(here, work, writes));
    if work.is_on_loop() {
        machine.start_loop(main);
    } else {
        machine.start(main);
    }
    Scene {
        machine,
        read: Box::new(move |machine, _, row| read(machine, &seen, work.expected(), work.deadline(), row)),
    }
}

fn scene_of_job(asked: &Asked, sections: [cases::Section; 4], sabotage: Option<Sabotage>) -> Scene {
    let mut machine = machine(asked, Needs::plain(asked).runtime, sabotage);
    let seen = Rc::<Seen>::default();
    let cost = cost(asked);
    let works: Vec<Work> = sections
        .iter()
        .map(|section| Work::new(section.needs, section.strategy, cost))
        .collect();
    let expected = works.iter().map(Work::expected).sum();
    let writes = Rc::clone(&seen);
    machine.start(program(&Here::new(), move |here| job::run(here, works, writes)));
    Scene {
        machine,
        read: Box::new(move |machine, _, row| read(machine, &seen, expected, None, row)),
    }
}

/// What the client wrote down, and what the machine counted.
fn read(machine: &Machine, seen: &Seen, expected: u32, deadline: Option<Nanoseconds>, row: &mut Row) {
    // To the program's end: a thread that nobody waits for any more keeps it alive.
    let ms = machine.now().since(seen.start.get()).as_millis();
    row.samples_ms = vec![ms];
    row.median_ms = Some(ms);
    row.value = Some(seen.right.get().unwrap_or_default().to_string());
    row.expected = Some(expected.to_string());
    row.timeout_fired = deadline.map(|deadline| ms <= deadline.as_millis() * IN_TIME);
    row.program_ended_ms = deadline.map(|_| ms);
    let memory = machine.peak_memory();
    row.peak_memory_bytes = Some(memory.used as f64);
    row.reserved_bytes = Some(memory.reserved as f64);
    row.computed_ms = Some(machine.used().computed.as_millis());
}

fn of_job(modelled: &Modelled<'_>) -> (&'static str, Named) {
    let ms = |variant: &str| {
        let row = modelled.rows.iter().find(|row| row.variant.as_deref() == Some(variant));
        digits::significant(row.and_then(|row| row.median_ms).unwrap_or_default(), 3)
    };
    let names = ["first", "fetching", "parsing", "hashing", "last"];
    let mut numbers = args([]);
    for (name, variant) in names.into_iter().zip(cases::JOB) {
        numbers.0.insert(name.to_owned(), ms(variant).into());
    }
    ("job", numbers)
}

/// Whatever tells the two ways apart; each mistake's sentence takes what it needs.
fn of_mistake(rows: &[Row]) -> Named {
    let mut numbers = args([]);
    for (name, row) in ["written", "better"].into_iter().zip(rows) {
        let n_errors: u32 = row.errors.iter().flatten().map(|errors| errors.count).sum();
        let worst = row
            .explored
            .iter()
            .flat_map(|found| &found.outcomes)
            .max_by_key(|outcome| outcome.grade);
        let whole = |ms: Option<f64>| Plain::from(digits::significant(ms.unwrap_or_default(), 3));
        let quantities: [(&str, Plain); 7] = [
            ("Ms", whole(row.median_ms)),
            ("Gap", whole(row.longest_gap_ms)),
            ("Ended", whole(row.program_ended_ms)),
            ("Lost", row.lost.unwrap_or_default().into()),
            ("Errors", n_errors.into()),
            ("End", row.value.clone().unwrap_or_default().into()),
            (
                "Worst",
                worst
                    .filter(|worst| worst.grade != Grade::Right)
                    .map_or_else(String::new, |worst| worst.text.clone())
                    .into(),
            ),
        ];
        for (quantity, value) in quantities {
            numbers.0.insert(format!("{name}{quantity}"), value);
        }
    }
    numbers
}

/// The id of a reason's words.
fn id_of(reason: Reason) -> &'static str {
    match reason {
        Reason::CrashOutside => "reason.crash-outside",
        Reason::NoLocks => "reason.no-locks",
        Reason::Deadline => "reason.deadline",
        Reason::DeadlineBlocking => "reason.deadline-blocking",
        Reason::OneAtATime => "reason.one-at-a-time",
        Reason::OneCore => "reason.one-core",
        Reason::NoMemory => "reason.no-memory",
        Reason::InterpreterLock => "reason.interpreter-lock",
        Reason::NoInterpreterLock => "reason.no-interpreter-lock",
        Reason::LetsGo => "reason.lets-go",
        Reason::TooManyForThreads => "reason.too-many-for-threads",
        Reason::Waits => "reason.waits",
    }
}
