//! The labs, in teaching order: the one list that the page, the element, the docs and the tests walk.
//!
//! A lab is a folder (`mod.rs`, `claims.rs`, `text.en.json`, `lesson.en.md`) and two lines here: its `mod` and its
//! place in [`LABS`]. Not here: taking samples (`measure`), and judging a request (`session`).

mod absence;
mod capabilities;
mod ceilings;
mod choose;
mod claims;
mod counting;
mod cpu_bound;
mod event_loop;
mod evidence;
mod fan_out;
pub mod figures;
mod interleavings;
mod isolation;
mod lock_release;
mod locks;
mod lost_updates;
mod model;
pub mod parameters;
pub mod presets;
pub mod puzzles;
mod rows;
mod server;
mod stall;
mod start_methods;
#[cfg(test)]
mod template;
mod waiters;
mod warnings;
#[cfg(not(target_arch = "wasm32"))]
mod words;

use std::fmt::Debug;

pub use claims::{ClaimSpec, Decision, Need};
pub use evidence::Evidence;
pub use figures::published;
pub use model::{Model, ModelClaim, Modelled, Scene, Sequel, compare, culprit, linked, modelled};
pub use parameters::{Asked, Parameter, Value};
pub use rows::label;
pub use warnings::warnings;
#[cfg(not(target_arch = "wasm32"))]
pub use words::{describe, english};

use crate::measure::{Experiment, Nothing};
use crate::wire::{Environment, ErrorCode, Mode, Named, Row, Strategy};

/// All labs, in teaching order.
pub const LABS: &[&dyn Lab] = &[
    // One on a line: a new lab is a new line.
    &capabilities::LAB,
    &waiters::LAB,
    &cpu_bound::LAB,
    &isolation::LAB,
    &lock_release::LAB,
    &start_methods::LAB,
    &event_loop::LAB,
    &fan_out::LAB,
    &stall::LAB,
    &lost_updates::LAB,
    &interleavings::LAB,
    &locks::LAB,
    &server::LAB,
    &choose::LAB,
];

/// What a lab says of itself.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its public id; its folder has the same name with underscores.
    pub id: &'static str,
    /// The modes it can be run in.
    pub modes: &'static [Mode],
    /// Its parameters, in the order shown.
    pub parameters: &'static [Parameter],
    /// The strategies of its rows.
    pub strategies: &'static [Strategy],
    /// The variants of its rows.
    pub variants: &'static [&'static str],
    /// Its claims.
    pub claims: &'static [ClaimSpec],
    /// What the page sets at first, so that a run takes about 3 s.
    pub opening: &'static [(&'static str, Value)],
    /// Minutes a learner needs.
    pub minutes: u32,
    /// Lesson and section it belongs to.
    pub sections: &'static [&'static str],
    /// Its English words, a flat JSON object; ids without the lab's prefix.
    #[cfg(not(target_arch = "wasm32"))]
    pub words: &'static str,
    /// Its lesson in Markdown.
    #[cfg(not(target_arch = "wasm32"))]
    pub lesson: &'static str,
}

/// Why values that are allowed one by one are refused together.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// What kind.
    pub code: ErrorCode,
    /// The parameter at fault.
    pub parameter: &'static str,
    /// The sentence's id in the shared table.
    pub id: &'static str,
    /// Its numbers and words.
    pub args: Named,
}

/// One lab: one question.
pub trait Lab: Debug + Sync {
    /// What it says of itself.
    fn about(&self) -> About;

    /// Checks values that are allowed one by one for what they ask together.
    ///
    /// # Errors
    /// They ask for more than a documented ceiling, or exclude each other.
    fn check(&self, _asked: &Asked, _environment: &Environment) -> Result<(), Complaint> {
        Ok(())
    }

    /// What to measure. A lab without [`Mode::Measured`] leaves this and the next two as they are: no run asks for them.
    fn plan(&self, _asked: &Asked, _environment: &Environment) -> Box<dyn Experiment> {
        Box::new(Nothing)
    }

    /// The rows of the result.
    fn rows(&self, _evidence: &Evidence<'_>) -> Vec<Row> {
        Vec::new()
    }

    /// What the run found: an id in the lab's table under `finding.`, and its numbers and words.
    fn finding(&self, _evidence: &Evidence<'_>, _rows: &[Row]) -> (&'static str, Named) {
        ("unavailable", Named::default())
    }

    /// The modelled half; none in a lab without [`Mode::Model`].
    fn model(&self) -> Option<&'static dyn Model> {
        None
    }
}

/// The lab with this id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn Lab> {
    LABS.iter().copied().find(|lab| lab.about().id == id)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Asked, Lab, template};
    use crate::wire::{Action, Environment, Framed, Job, Scheme, ServiceWorkerState, SharedMemory};

    pub fn environment() -> Environment {
        Environment {
            engine: String::new(),
            engine_version: String::new(),
            isolated: false,
            shared_memory: SharedMemory::NotIsolated,
            simd: false,
            cores_claimed: 0,
            clock_step_ms: 0.0,
            service_worker: ServiceWorkerState::Unsupported,
            scheme: Scheme::Other,
            framed: Framed::No,
            hidden: false,
        }
    }

    /// The template is compiled as it stands, so that a lab made from it works before a line is changed.
    #[test]
    fn the_template_is_a_lab() {
        let about = template::LAB.about();
        assert_eq!((about.id, about.claims.len()), ("{{id}}", 1));
        let asked = Asked::defaults(about.parameters, crate::wire::Mode::Measured, 1);
        let experiment = template::LAB.plan(&asked, &environment());
        assert!(matches!(
            experiment.action(0, 1),
            Action::OnLab {
                job: Job::Block { ms: 20 },
                ..
            }
        ));
    }
}
