//! The small program behind a row: the same kind of addition, few enough times that every schedule can be counted.
//!
//! Not here: the program itself (`labs::puzzles`).

use super::cases::{Case, Variant};
use crate::labs::Asked;
use crate::labs::puzzles::Puzzle;
use crate::labs::puzzles::programs::{Addition, Shape, additions};
use crate::switch_points::Grain;
use crate::wire::{Runtime, Strategy};

/// Two threads show everything that more would.
const THREADS: u8 = 2;

/// With three rounds each, the least that can be left is 2, which more rounds do not change.
const MOST_ROUNDS: u8 = 3;

/// What is counted; none where a row's counting is more than an addition.
pub fn puzzle(asked: &Asked, case: &Case) -> Option<Puzzle> {
    let addition = match case.variant {
        Variant::Plain | Variant::PlainOften => Addition::Plain,
        Variant::Call => Addition::Call,
        Variant::Wide | Variant::AwaitBetween => Addition::Wide,
        Variant::Lock => Addition::Locked,
        Variant::Atomic => Addition::Atomic,
        Variant::OwnThenMerge | Variant::Queue => return None,
    };
    let shape = Shape {
        fixed: false,
        threads: THREADS,
        increments: u8::try_from(asked.unsigned("additions"))
            .unwrap_or(MOST_ROUNDS)
            .clamp(1, MOST_ROUNDS),
        grain: grain(case),
    };
    Some(additions(addition, shape))
}

/// Where another may come in. Before 3.10 that was between any two bytecodes, which for an addition is at every step.
const fn grain(case: &Case) -> Grain {
    match (case.subject.strategy, case.runtime) {
        (Strategy::EventLoop, _) => Grain::Await,
        (_, Runtime::Gil) => Grain::CheckPoint,
        (_, Runtime::GilLegacy | Runtime::FreeThreaded) => Grain::Access,
    }
}
