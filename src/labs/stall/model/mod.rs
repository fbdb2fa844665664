//! The heartbeat on the machine: the program that the real clock drives too, in virtual time.
//!
//! Not here: the program itself (`live::event_loop::heartbeat`).

mod claims;

use std::cell::RefCell;
use std::rc::Rc;

use super::ways::{WAYS, Way};
use super::{found, tell, times};
use crate::labs::rows::runtime_of;
use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::live::event_loop::heartbeat;
use crate::machine::Nanoseconds;
use crate::machine::front::Here;
use crate::machine::threads::{Machine, MachineSettings};
use crate::measure::Subject;
use crate::wire::{Named, Runtime, Sabotage, StallJob, StallSeen, StallVariant};

/// A step of the loop at least this long is a stall: half of a handler, so that one handler is one.
const STALL: Nanoseconds = Nanoseconds::millis(50);

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct Heartbeat;

/// Its place.
pub const MODEL: Heartbeat = Heartbeat;

impl Model for Heartbeat {
    fn claims(&self) -> &'static [ModelClaim] {
        claims::CLAIMS
    }

    fn settle(&self, asked: &mut Asked) {
        presets::settle(asked);
    }

    fn scenes(&self, asked: &Asked) -> Vec<Subject> {
        let ways = WAYS.iter().filter(|way| asked.allows("variant", way.id));
        ways.flat_map(|way| {
            runtimes(asked, way).into_iter().map(|runtime| Subject {
                variant: Some(way.id.to_owned()),
                runtime: Some(runtime),
                ..Subject::new(way.strategy)
            })
        })
        .collect()
    }

    fn scene(&self, asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Scene {
        let mut machine = Machine::new(MachineSettings {
            stall: STALL,
            ..presets::machine_settings(asked, subject.runtime.unwrap_or(Runtime::Gil), sabotage)
        });
        let seen: Rc<RefCell<StallSeen>> = Rc::default();
        let way = WAYS.iter().find(|way| Some(way.id) == subject.variant.as_deref());
        let job = StallJob {
            variant: way.map_or(StallVariant::Blocking, |way| way.variant),
            sabotage,
            ..times(asked)
        };
        machine.start_loop(heartbeat::program(&Here::new(), job, &seen));
        Scene {
            machine,
            read: Box::new(move |machine, _, row| {
                let mut seen = seen.take();
                seen.program_ended_ms = machine.now().as_millis();
                tell(&seen, row);
            }),
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        found(modelled.asked, modelled.rows)
    }
}

/// The runtimes of a variant's rows: the one asked for, else the one with the lock, and where threads compute the other
/// one too, as nothing else depends on the runtime.
fn runtimes(asked: &Asked, way: &Way) -> Vec<Runtime> {
    match asked.choice("runtime").and_then(runtime_of) {
        Some(runtime) => vec![runtime],
        None if way.variant == StallVariant::ComputeToThread => vec![Runtime::Gil, Runtime::FreeThreaded],
        None => vec![Runtime::Gil],
    }
}
