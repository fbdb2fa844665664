//! Every schedule of a small program, counted exactly; and the learner as the scheduler.
//!
//! Not here: the programs (`labs::puzzles`), and the search (`explore`).

mod claims;
mod model;

use super::parameters::{CORES, LOGICAL_CORES, Parameter, RUNTIME};
use super::presets;
use super::puzzles::programs::{self, Shape};
use super::{About, Asked, Complaint, Lab, Model, linked};
use crate::switch_points::Grain;
use crate::text::args;
use crate::wire::{Environment, ErrorCode, Mode, Strategy};

/// The lab.
#[derive(Clone, Copy, Debug)]
pub struct Interleavings;

/// Its place in the list.
pub const LAB: Interleavings = Interleavings;

const PROGRAMS: &[&str] = &[
    "counter",
    "check-then-act",
    "lazy-initialisation",
    "append",
    "two-locks",
    "semaphore",
    "missed-wake-up",
    "queue",
];

/// The row that a broken program is compared with: the same, fixed, where most can happen.
const CURE: &str = "access-fixed";

const PARAMETERS: &[Parameter] = &[
    Parameter::choice("program", Some("counter"), PROGRAMS),
    Parameter::flag("fixed", false),
    Parameter::unsigned("threads", "", 2, 2, 8),
    Parameter::unsigned("increments", "", 1, 1, 50),
    Parameter::choice("grain", None, &["await", "checkpoint", "access"]),
    RUNTIME,
    presets::parameter("ideal"),
    CORES,
    LOGICAL_CORES,
];

impl Lab for Interleavings {
    fn about(&self) -> About {
        About {
            id: "interleavings",
            modes: &[Mode::Model],
            parameters: PARAMETERS,
            strategies: &[Strategy::Threads, Strategy::EventLoop],
            variants: &["await", "checkpoint", "access", CURE],
            claims: &[],
            opening: &[],
            minutes: 20,
            sections: &["A: Shared state", "B: Race conditions", "C: Threads and shared state"],
            #[cfg(not(target_arch = "wasm32"))]
            words: include_str!("text.en.json"),
            #[cfg(not(target_arch = "wasm32"))]
            lesson: include_str!("lesson.en.md"),
        }
    }

    fn check(&self, asked: &Asked, _environment: &Environment) -> Result<(), Complaint> {
        let (program, threads) = (program(asked), asked.unsigned("threads"));
        let most = u32::from(program.most_threads);
        if threads > most {
            return Err(Complaint {
                code: ErrorCode::OutOfRange,
                parameter: "threads",
                id: "refusal.program-threads",
                args: args([
                    ("program", program.id.into()),
                    ("most", most.into()),
                    ("came", threads.into()),
                ]),
            });
        }
        let rounds = asked.unsigned("increments");
        if rounds > 1 && !program.repeats {
            return Err(Complaint {
                code: ErrorCode::OutOfRange,
                parameter: "increments",
                id: "refusal.program-rounds",
                args: args([("program", program.id.into()), ("came", rounds.into())]),
            });
        }
        if let (None, Some(grain), Some(runtime)) =
            (grains(asked).next(), asked.choice("grain"), asked.choice("runtime"))
        {
            return Err(Complaint {
                code: ErrorCode::OutOfRange,
                parameter: "grain",
                id: "refusal.grain-and-runtime",
                args: args([("grain", grain.into()), ("runtime", runtime.into())]),
            });
        }
        Ok(())
    }

    fn model(&self) -> Option<&'static dyn Model> {
        linked(&model::MODEL)
    }
}

fn program(asked: &Asked) -> &'static programs::Known {
    let chosen = asked.choice("program").and_then(programs::by_id);
    // The choices of the parameter are the ids of the programs; a test holds the two lists together.
    let [first, ..] = programs::PROGRAMS;
    chosen.unwrap_or(first)
}

/// The grains asked for, the coarsest first.
fn grains(asked: &Asked) -> impl Iterator<Item = Grain> + '_ {
    let all = [Grain::Await, Grain::CheckPoint, Grain::Access];
    all.into_iter()
        .filter(|grain| asked.allows("grain", id_of(*grain)) && belongs(*grain, asked.choice("runtime")))
}

/// Whether programs are cut so under a runtime. Before 3.10 the lock could change hands between any two bytecodes, which
/// in these programs is before every step; tasks are of every runtime.
fn belongs(grain: Grain, runtime: Option<&str>) -> bool {
    match (grain, runtime) {
        (Grain::Await, _) | (_, None) | (Grain::CheckPoint, Some("gil")) => true,
        (Grain::Access, Some(runtime)) => runtime != "gil",
        (Grain::CheckPoint, Some(_)) => false,
    }
}

/// A grain's public id.
const fn id_of(grain: Grain) -> &'static str {
    match grain {
        Grain::Await => "await",
        Grain::CheckPoint => "checkpoint",
        Grain::Access => "access",
    }
}

fn shape(asked: &Asked, grain: Grain, fixed: bool) -> Shape {
    let small = |id| u8::try_from(asked.unsigned(id)).unwrap_or(u8::MAX);
    Shape {
        fixed,
        threads: small("threads"),
        increments: small("increments"),
        grain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choices_are_the_programs() {
        let ids: Vec<&str> = programs::PROGRAMS.iter().map(|known| known.id).collect();
        assert_eq!(ids, PROGRAMS);
    }
}
