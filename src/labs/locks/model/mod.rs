//! The modelled half: every schedule of the programs with locks, and the four ways of sharing on a lesson's machine.
//!
//! Not here: the programs (`labs::puzzles`), what the threads that share do (`sharing`), and what is claimed (`claims`).

mod claims;
mod sharing;
mod waiting;

use super::runtime;
use crate::labs::puzzles::programs::{Shape, of_locks};
use crate::labs::puzzles::{Puzzle, one_after_another, scene, scene_within};
use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::machine::Nanoseconds;
use crate::measure::Subject;
use crate::measure::digits::significant;
use crate::switch_points::Grain;
use crate::text::{Words, args};
use crate::wire::{EndlessKind, Explored, Grade, Named, Row, Runtime, Sabotage, Strategy};

/// Most of the programs are of two; more would show no more.
const THREADS: u8 = 2;

/// How long one waits for the second lock where the run does not say.
const DEFAULT_TIMEOUT_MS: u32 = 100;

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct LocksModel;

/// Its place.
pub const MODEL: LocksModel = LocksModel;

impl Model for LocksModel {
    fn claims(&self) -> &'static [ModelClaim] {
        claims::CLAIMS
    }

    fn settle(&self, asked: &mut Asked) {
        presets::settle(asked);
    }

    fn scenes(&self, asked: &Asked) -> Vec<Subject> {
        let programs = programs(asked).into_iter().map(|case| case.subject);
        programs.chain(sharing::subjects(asked)).collect()
    }

    fn scene(&self, asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Scene {
        let Some(case) = programs(asked).into_iter().find(|case| case.subject == *subject) else {
            return sharing::scene(asked, subject, sabotage);
        };
        let runtime = case.subject.runtime.unwrap_or(Runtime::FreeThreaded);
        let settings = presets::machine_settings(asked, runtime, sabotage);
        match case.id {
            "held-too-long" => waiting::scene(settings),
            // These may never end; the schedules say so, and the machine shows one that does.
            "back-off" | "starvation" | "stuck-and-spinning" => one_after_another(case.puzzle),
            "two-locks-within" => scene_within(case.puzzle, settings, timeout(asked)),
            _ => scene(case.puzzle, settings),
        }
    }

    fn puzzles(&self, asked: &Asked) -> Vec<Puzzle> {
        programs(asked).into_iter().map(|case| case.puzzle).collect()
    }

    fn puzzle_of(&self, asked: &Asked, subject: &Subject) -> Option<Puzzle> {
        let found = programs(asked).into_iter().find(|case| case.subject == *subject);
        found.map(|case| case.puzzle)
    }

    fn annotate(&self, asked: &Asked, words: &Words, rows: &mut [Row]) {
        for row in rows {
            if row.explored.is_some() {
                // A program of its own is not compared with ways of sharing.
                row.speedup = None;
                row.efficiency = None;
            } else {
                sharing::annotate(asked, words, row);
            }
            if row.variant.as_deref() == Some("held-too-long") {
                let ms = waiting::WAIT.as_millis();
                row.notes
                    .push(words.fill("locks.model.note.outside", &args([("ms", ms.into())])));
            }
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        let rows = || modelled.rows.iter().filter(|row| row.available);
        let explored: Vec<&Explored> = rows().filter_map(|row| row.explored.as_ref()).collect();
        match explored.as_slice() {
            [] => of_costs(rows()),
            [one] => of_one(one),
            all => {
                let count = |is: &dyn Fn(&Explored) -> bool| {
                    let n = all.iter().filter(|found| is(found)).count();
                    u32::try_from(n).unwrap_or(u32::MAX).into()
                };
                let kind = |kind| count(&|found| claims::goes_on(found, kind));
                let numbers = args([
                    ("programs", count(&|_| true)),
                    (
                        "deadlock",
                        count(&|found| claims::ends(found, Grade::Deadlock).is_some()),
                    ),
                    ("livelock", kind(EndlessKind::Livelock)),
                    ("starvation", kind(EndlessKind::Starvation)),
                    ("spinning", kind(EndlessKind::StuckAndSpinning)),
                ]);
                ("told-apart", numbers)
            }
        }
    }
}

fn of_one(found: &Explored) -> (&'static str, Named) {
    let text = |text: &str| args([("text", text.into())]);
    if let Some(deadlock) = claims::ends(found, Grade::Deadlock) {
        return ("deadlock", text(&deadlock.text));
    }
    if let Some(endless) = found.endless.first() {
        return ("endless", text(&endless.text));
    }
    if let Some(failed) = claims::ends(found, Grade::Assertion) {
        return ("loud", text(&failed.text));
    }
    (
        "right",
        args([("schedules", found.schedules.clone().unwrap_or_default().into())]),
    )
}

fn of_costs<'run>(rows: impl Iterator<Item = &'run Row>) -> (&'static str, Named) {
    let mut timed: Vec<(&Row, f64)> = rows.filter_map(|row| Some((row, sharing::addition_ns(row)?))).collect();
    timed.sort_by(|one, other| one.1.total_cmp(&other.1));
    let (Some((cheap, cheap_ns)), Some((dear, dear_ns))) = (timed.first(), timed.last()) else {
        return ("unavailable", args([]));
    };
    let numbers = args([
        ("dear", dear.label.as_str().into()),
        ("dearNs", significant(*dear_ns, 3).into()),
        ("cheap", cheap.label.as_str().into()),
        ("cheapNs", significant(*cheap_ns, 3).into()),
    ]);
    (if timed.len() == 1 { "cost-alone" } else { "cost" }, numbers)
}

/// A row of a program.
struct Case {
    subject: Subject,
    /// The program's id.
    id: &'static str,
    puzzle: Puzzle,
}

/// The rows of programs: the one asked for, as it was asked for; all of them beside each other where none was.
fn programs(asked: &Asked) -> Vec<Case> {
    if asked.choice("program").is_none() && asked.choice("sharing").is_some() {
        return Vec::new();
    }
    let (ordered, has_limit) = (asked.flag("ordered"), asked.unsigned("timeoutMs") > 0);
    let two_locks = if has_limit { "two-locks-within" } else { "two-locks" };
    let case = |id, ordered| case(asked, id, ordered);
    let mut cases = Vec::new();
    if asked.allows("program", "two-locks") {
        cases.push(case(two_locks, ordered));
        if asked.choice("program").is_none() && !ordered && !has_limit {
            // The two cures beside it.
            cases.push(case("two-locks", true));
            cases.push(case("two-locks-within", false));
        }
    }
    let others = ["back-off", "starvation", "stuck-and-spinning", "held-too-long"];
    let others = others.into_iter().filter(|id| asked.allows("program", id));
    cases.extend(others.map(|id| case(id, ordered)));
    cases
}

fn case(asked: &Asked, id: &'static str, ordered: bool) -> Case {
    let grain = match runtime(asked) {
        Runtime::Gil => Grain::CheckPoint,
        // Before 3.10 the lock could change hands between any two bytecodes.
        Runtime::GilLegacy | Runtime::FreeThreaded => Grain::Access,
    };
    let known = of_locks(id).expect("the ids are those of the programs");
    let variant = match id {
        "two-locks" if ordered => "two-locks-ordered",
        id => id,
    };
    Case {
        subject: Subject {
            variant: Some(variant.to_owned()),
            runtime: Some(if grain == Grain::CheckPoint {
                Runtime::Gil
            } else {
                Runtime::FreeThreaded
            }),
            workers: Some(THREADS.into()),
            once: true,
            ..Subject::new(Strategy::Threads)
        },
        id,
        puzzle: (known.build)(Shape {
            fixed: ordered,
            threads: THREADS,
            increments: 1,
            grain,
        }),
    }
}

fn timeout(asked: &Asked) -> Nanoseconds {
    let ms = match asked.unsigned("timeoutMs") {
        0 => DEFAULT_TIMEOUT_MS,
        ms => ms,
    };
    Nanoseconds::millis(ms.into())
}
