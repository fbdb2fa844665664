//! The scenes on the machine: the programs that the real clock drives too, in virtual time.
//!
//! Not here: the programs (`live::event_loop::scenes`).

use std::cell::RefCell;
use std::rc::Rc;

use super::{Played, SCENES, chosen, claims, found, scenes};
use crate::labs::rows::runtime_of;
use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::live::event_loop::scenes::{loop_fault, program, whole_log};
use crate::machine::event_loop::LoopSettings;
use crate::machine::front::Here;
use crate::machine::threads::{Machine, MachineSettings};
use crate::measure::Subject;
use crate::wire::{LogLine, Named, Runtime, Sabotage};

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct Scenes;

/// Its place.
pub const MODEL: Scenes = Scenes;

impl Model for Scenes {
    fn claims(&self) -> &'static [ModelClaim] {
        claims::MODEL_CLAIMS
    }

    fn settle(&self, asked: &mut Asked) {
        presets::settle(asked);
    }

    fn scenes(&self, asked: &Asked) -> Vec<Subject> {
        // One thread does everything, so the runtime makes no difference; one stands for all.
        let runtime = asked.choice("runtime").and_then(runtime_of).unwrap_or(Runtime::Gil);
        let row = |scene: &Played| Subject {
            runtime: Some(runtime),
            ..scenes::subject(scene)
        };
        chosen(asked).into_iter().map(row).collect()
    }

    fn scene(&self, asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Scene {
        let played = subject.variant.as_deref().and_then(scenes::by_id).unwrap_or(&SCENES[0]);
        let settings = presets::machine_settings(asked, subject.runtime.unwrap_or(Runtime::Gil), sabotage);
        let mut machine = Machine::new(MachineSettings {
            event_loops: LoopSettings {
                fault: loop_fault(sabotage),
                ..settings.event_loops.clone()
            },
            ..settings
        });
        let log: Rc<RefCell<Vec<LogLine>>> = Rc::default();
        machine.start_loop(program(&Here::new(), played.scene, sabotage, &log));
        Scene {
            machine,
            read: Box::new(move |machine, _, row| {
                let end_ms = machine.now().as_millis();
                row.log = Some(whole_log(&log.borrow(), machine.loop_complaints(), end_ms, sabotage));
            }),
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        found(modelled.rows)
    }
}
