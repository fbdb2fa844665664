//! The modelled half: the script's top level on the machine's processes, and what starting costs there.
//!
//! Not here: which rows there are (`cases`), what runs (`script`, `timing`), and what is claimed (`claims`).

mod cases;
mod claims;
mod outcome;
mod pool;
mod recorded;
mod script;
mod timing;

use std::rc::Rc;

use super::{METHODS, one};
use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::machine::Nanoseconds;
use crate::machine::front::Here;
use crate::machine::threads::Machine;
use crate::measure::{Subject, digits};
use crate::text::{Words, args};
use crate::wire::{Named, Row, Sabotage, Strategy};
use cases::{Case, cases};
use outcome::{Outcome, ends_as_recorded, is_outcome};

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct Processes;

/// Its place.
pub const MODEL: Processes = Processes;

impl Model for Processes {
    fn claims(&self) -> &'static [ModelClaim] {
        claims::CLAIMS
    }

    fn settle(&self, asked: &mut Asked) {
        presets::settle(asked);
    }

    fn scenes(&self, asked: &Asked) -> Vec<Subject> {
        cases(asked).into_iter().map(|(subject, _)| subject).collect()
    }

    fn scene(&self, asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Scene {
        let (_, case) = cases(asked)
            .into_iter()
            .find(|(known, _)| known == subject)
            .expect("a scene is asked for with one of the subjects of `scenes`");
        let mut settings = presets::machine_settings(asked, cases::runtime(asked), sabotage);
        if sabotage == Some(Sabotage::StartsThatTakeNothing) {
            let costs = &mut settings.costs;
            for start in [&mut costs.fork, &mut costs.fork_server, &mut costs.spawn] {
                start.child = Nanoseconds::ZERO;
            }
            costs.fork_server_start = Nanoseconds::ZERO;
        }
        let mut machine = Machine::new(settings);
        let here = Here::new();
        match case {
            Case::Outcome(script) => {
                let seen = Rc::<script::Seen>::default();
                let module = script::module(&here, script, sabotage, &seen);
                if sabotage == Some(Sabotage::ImportThatIsLeftOut) {
                    machine.start(module());
                } else {
                    machine.start_module(module);
                }
                Scene {
                    machine,
                    read: Box::new(move |machine, progress, row| {
                        outcome::read(machine, progress, &seen, row);
                        row.expected = Some(recorded::of(script).end().to_owned());
                    }),
                }
            }
            Case::Timing(plan) => {
                let seen = Rc::<timing::Seen>::default();
                machine.start(timing::main(&here, plan.spoiled(sabotage), &seen));
                Scene {
                    machine,
                    read: Box::new(move |machine, progress, row| timing::read(machine, progress, &plan, &seen, row)),
                }
            }
        }
    }

    fn annotate(&self, asked: &Asked, words: &Words, rows: &mut [Row]) {
        for ((_, case), row) in cases(asked).into_iter().zip(rows.iter_mut()) {
            if let Case::Outcome(script) = case {
                // Its work is nothing; it is not to be compared with the tasks.
                (row.speedup, row.efficiency) = (None, None);
                outcome::tell(script, words, row);
            } else if row.variant.as_deref().is_some_and(|variant| variant.ends_with("-warm")) {
                row.notes.push(words.say("start-methods.model.note.warm"));
            }
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        let scripts: Vec<&Row> = modelled.rows.iter().filter(|row| is_outcome(row)).collect();
        if let Some(row) = scripts.iter().find(|row| !ends_as_recorded(row, modelled.asked)) {
            return ("differs", args([("label", row.label.as_str().into())]));
        }
        if let [row] = scripts.as_slice() {
            let outcome = Outcome::of(row);
            let id = if outcome.parent.is_none() { "works" } else { "fails" };
            return (
                id,
                args([
                    ("child", outcome.child.unwrap_or_default().into()),
                    ("parent", outcome.parent.unwrap_or_default().into()),
                    ("imports", outcome.imports.into()),
                ]),
            );
        }
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let n_well = scripts.iter().filter(|row| Outcome::of(row).parent.is_none()).count();
        let ends = [("works", count(n_well)), ("all", count(scripts.len()))].map(|(id, n)| (id, n.into()));
        let [works, all] = ends;
        let dearest = kept_and_renewed(modelled).max_by(|one, two| one.2.total_cmp(&two.2));
        match dearest {
            Some((kept, renewed, times)) => {
                let numbers = args([
                    works,
                    all,
                    ("kept", kept.label.as_str().into()),
                    ("renewed", renewed.label.as_str().into()),
                    ("times", digits::significant(times, 3).into()),
                ]);
                let id = match (scripts.is_empty(), times > 1.0) {
                    (false, _) => "both",
                    (true, true) => "reuse",
                    (true, false) => "no-gain",
                };
                (id, numbers)
            }
            None if !scripts.is_empty() => ("outcomes", args([works, all])),
            None => alone(modelled),
        }
    }
}

/// The finding of a run with one way to keep a pool.
fn alone(modelled: &Modelled<'_>) -> (&'static str, Named) {
    let line = modelled.ms(Strategy::Serial, None, None).unwrap_or_default();
    let row = modelled.row(Strategy::Processes, None, None);
    row.map_or(("unavailable", args([])), |row| one(row, line))
}

/// For each start method whose rows ran: a kept pool, one for each task, and how many times as long that takes.
fn kept_and_renewed<'run>(modelled: &Modelled<'run>) -> impl Iterator<Item = (&'run Row, &'run Row, f64)> {
    METHODS.iter().filter_map(move |method| {
        let row = |pool: &str| modelled.row(Strategy::Processes, Some(&format!("{method}-{pool}")), None);
        let (kept, renewed) = (row("warm")?, row("per-task")?);
        Some((
            kept,
            renewed,
            renewed.median_ms? / kept.median_ms?.max(f64::MIN_POSITIVE),
        ))
    })
}
