//! The rows: the program at each grain, and mended at the finest. Not here: the search.

use std::cmp::Reverse;

use super::{CURE, claims, grains, id_of, program, shape};
use crate::labs::puzzles::{self, Puzzle};
use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::measure::Subject;
use crate::switch_points::Grain;
use crate::text::args;
use crate::wire::{Grade, Named, Runtime, Sabotage, Strategy};

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct InterleavingsModel;

/// Its place.
pub const MODEL: InterleavingsModel = InterleavingsModel;

impl Model for InterleavingsModel {
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
        let puzzle = self.puzzle_of(asked, subject);
        let puzzle = puzzle.expect("a scene is asked for with one of the subjects of `scenes`");
        let runtime = subject.runtime.unwrap_or(Runtime::Gil);
        puzzles::scene(puzzle, presets::machine_settings(asked, runtime, sabotage))
    }

    fn puzzles(&self, asked: &Asked) -> Vec<Puzzle> {
        let mut all = cases(asked);
        // The finest grain is where most can be tried; the cure comes last.
        all.sort_by_key(|case| (case.is_cure(), Reverse(case.puzzle.program.grain)));
        all.into_iter().map(|case| case.puzzle).collect()
    }

    fn puzzle_of(&self, asked: &Asked, subject: &Subject) -> Option<Puzzle> {
        let found = cases(asked).into_iter().find(|case| case.subject == *subject);
        found.map(|case| case.puzzle)
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        // The last row that is not the cure is the finest grain, where most can happen.
        let broken = modelled
            .rows
            .iter()
            .rev()
            .find(|row| row.variant.as_deref() != Some(CURE));
        let Some((row, found)) = broken.and_then(|row| Some((row, claims::explored(row)?))) else {
            return ("unavailable", args([]));
        };
        let label = row.variant.as_deref().unwrap_or_default();
        let label = modelled.words.say(&format!("{}.variant.{label}", modelled.lab));
        let schedules = found.schedules.clone().unwrap_or_default();
        let right = found.outcomes.iter().find(|outcome| outcome.grade == Grade::Right);
        let share = 1.0 - right.and_then(|outcome| outcome.share).unwrap_or_default();
        match (claims::bad(found), found.endless.first()) {
            (Some(bad), _) => {
                // A share that is rounded to all or to none would say what is not so.
                let id = match right {
                    _ if found.schedules.is_none() => "some-wrong",
                    Some(_) if share >= 0.9995 => "nearly-all-wrong",
                    _ if share < 0.0005 => "hardly-any-wrong",
                    _ => "wrong",
                };
                let n_right = right.and_then(|outcome| outcome.schedules.clone()).unwrap_or_default();
                let numbers = args([
                    ("share", share.into()),
                    ("right", n_right.into()),
                    ("schedules", schedules.into()),
                    ("label", label.into()),
                    ("preemptions", bad.preemptions.into()),
                ]);
                (id, numbers)
            }
            (None, Some(endless)) => ("endless", args([("text", endless.text.as_str().into())])),
            (None, None) if found.complete => ("right", args([("schedules", schedules.into())])),
            (None, None) => ("right-so-far", args([])),
        }
    }
}

/// A row.
struct Case {
    subject: Subject,
    puzzle: Puzzle,
}

impl Case {
    fn is_cure(&self) -> bool {
        self.subject.variant.as_deref() == Some(CURE)
    }
}

fn cases(asked: &Asked) -> Vec<Case> {
    let fixed = asked.flag("fixed");
    let mut cases: Vec<Case> = grains(asked).map(|grain| case(asked, grain, fixed)).collect();
    if !fixed && cases.len() > 1 {
        // What it is compared with: the same, mended, where most can happen.
        let mended = case(asked, Grain::Access, true);
        cases.push(Case {
            subject: Subject {
                variant: Some(CURE.to_owned()),
                ..mended.subject
            },
            ..mended
        });
    }
    cases
}

fn case(asked: &Asked, grain: Grain, fixed: bool) -> Case {
    let (strategy, runtime) = match grain {
        Grain::Await => (Strategy::EventLoop, None),
        Grain::CheckPoint => (Strategy::Threads, Some(Runtime::Gil)),
        Grain::Access => (Strategy::Threads, Some(Runtime::FreeThreaded)),
    };
    Case {
        subject: Subject {
            variant: Some(id_of(grain).to_owned()),
            runtime,
            workers: Some(asked.unsigned("threads")),
            once: true,
            ..Subject::new(strategy)
        },
        puzzle: (program(asked).build)(shape(asked, grain, fixed)),
    }
}
