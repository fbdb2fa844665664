//! The machines of the model, by the public ids of the parameter `preset`: the three lessons', the ideal one, and this
//! browser.
//!
//! A preset is a set of constants, each with a cause and a source: what CPython takes on a reference core ([`Python`],
//! the same everywhere) and how a lesson's hardware differs from that ([`Hardware`]). Everything modelled on it follows.
//!
//! Not here: what is done with a constant (`machine::threads`), and the figures it is held to.

mod here;
mod lessons;
mod python;

use super::parameters::{Asked, Parameter, Value};
use crate::machine::Nanoseconds;
use crate::machine::threads::{Costs, Limits, MachineFault, MachineSettings};
use crate::wire::{Mode, Runtime, Sabotage, Workload};
pub use here::{Found, PROBES, Probe};
pub use lessons::Hardware;
pub use python::Python;

/// A machine of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its public id.
    pub id: &'static str,
    /// Physical cores.
    pub cores: u32,
    /// Logical cores.
    pub logical_cores: u32,
    /// What its hardware decides.
    pub hardware: Hardware,
    /// What CPython takes on the reference core.
    pub python: Python,
}

/// One constant of the preset taken other than it is: how the table of what each constant moves is made. No request can
/// carry one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tweak {
    /// Its name: one of [`Python::NAMES`] or [`Hardware::NAMES`].
    pub constant: &'static str,
    /// By what it is multiplied, in thousandths.
    pub permille: u32,
}

/// Effects and events of a row: a lab's take some seconds at most, and what takes minutes is explained instead.
const MOST_STEPS: u64 = 100_000_000;

/// The public ids.
pub const IDS: &[&str] = &["lesson-a", "lesson-b", "lesson-c", "ideal", HERE];

/// The one that is found out.
const HERE: &str = "here";

/// The parameter `preset` of a lab whose lesson had this machine.
#[must_use]
pub const fn parameter(default: &'static str) -> Parameter {
    Parameter::choice("preset", Some(default), IDS).only(Mode::Model)
}

/// The preset of a run.
#[must_use]
pub fn of(asked: &Asked) -> Preset {
    let chosen = asked.choice("preset").unwrap_or("ideal");
    let mut preset = if chosen == HERE {
        asked.found.unwrap_or_default().preset()
    } else {
        let mut known = lessons::PRESETS.into_iter().filter(|preset| preset.id == chosen);
        known
            .next()
            .expect("the choices of the parameter are the ids of the presets")
    };
    if let Some(Tweak { constant, permille }) = asked.tweak {
        let python = preset.python.by_name(constant);
        if let Some(value) = python.or_else(|| preset.hardware.by_name(constant)) {
            *value = *value * u64::from(permille) / 1000;
        }
    }
    preset
}

/// Whether a run's machine is to be found out by [`PROBES`] first.
#[must_use]
pub fn is_here(asked: &Asked) -> bool {
    asked.choice("preset") == Some(HERE)
}

/// Fills in the cores of a run's preset, where they were not asked for: what `Model::settle` does in every lab.
///
/// Logical cores that were not asked for keep the preset's number on each physical one.
pub fn settle(asked: &mut Asked) {
    let preset = of(asked);
    asked.fill("cores", Value::Unsigned(preset.cores));
    let (cores, each) = (asked.unsigned("cores"), preset.logical_cores / preset.cores.max(1));
    asked.fill("logicalCores", Value::Unsigned(cores.saturating_mul(each).min(512)));
}

/// The machine of a run: its preset's, with the cores, the switch interval and the seed that were asked for. Traced,
/// but for runs that only ask what a constant moves.
#[must_use]
pub fn machine_settings(asked: &Asked, runtime: Runtime, sabotage: Option<Sabotage>) -> MachineSettings {
    let cores = asked.unsigned("cores").max(1);
    let ideal = MachineSettings::default();
    let interval = asked.maybe_unsigned("switchIntervalUs");
    MachineSettings {
        cores,
        logical_cores: asked.unsigned("logicalCores").max(cores),
        runtime,
        limits: Limits {
            steps: MOST_STEPS,
            ..ideal.limits
        },
        switch_interval: interval.map_or(ideal.switch_interval, |us| Nanoseconds::micros(us.into())),
        costs: of(asked).costs(),
        seed: asked.seed,
        traced: asked.tweak.is_none(),
        fault: sabotage.and_then(fault),
        ..ideal
    }
}

/// The machine's fault that a lab's sabotage is; none where the lab itself must do something wrong.
#[must_use]
pub const fn fault(sabotage: Sabotage) -> Option<MachineFault> {
    match sabotage {
        Sabotage::LockThatDoesNotLock => Some(MachineFault::LockDoesNotLock),
        Sabotage::PoolThatRunsOneAfterAnother => Some(MachineFault::PoolOneAfterAnother),
        Sabotage::ListThatIsShared => Some(MachineFault::CellsAreShared),
        Sabotage::NoInterpreterLock => Some(MachineFault::NoInterpreterLock),
        Sabotage::TimeoutThatNeverFires => Some(MachineFault::TimeoutNeverFires),
        Sabotage::CallWithoutCheckPoint => Some(MachineFault::CheckPointsIgnored),
        _ => None,
    }
}

impl Preset {
    /// What things take on this machine.
    #[must_use]
    pub fn costs(&self) -> Costs {
        if self.id == "ideal" {
            Costs::IDEAL
        } else {
            lessons::costs(&self.hardware, &self.python)
        }
    }

    /// So much on the reference core, on a core of this machine that is alone.
    #[must_use]
    pub fn on_core(&self, reference: Nanoseconds) -> Nanoseconds {
        Nanoseconds(reference.0 * 1000 / self.hardware.speed_permille.max(1))
    }

    /// How long so many steps of a workload take on a core that is alone. Shared: several threads compute at once.
    #[must_use]
    pub fn computing(&self, workload: Workload, runtime: Runtime, steps: u32, shared: bool) -> Nanoseconds {
        let python = &self.python;
        let is_free = runtime == Runtime::FreeThreaded && self.id != "ideal";
        let (step_ps, free_permille, touches) = match workload {
            Workload::Names => (
                python.names_ps,
                python.free_threaded_names_permille,
                python.shared_touches_a_name,
            ),
            Workload::Squares => (python.squares_ps, 1000, 0),
            Workload::Modulo => (python.modulo_ps, 1000, 0),
        };
        let alone_ps = u128::from(step_ps) * u128::from(if is_free { free_permille } else { 1000 })
            / u128::from(self.hardware.speed_permille.max(1));
        let fetched_ps = if is_free && shared {
            u128::from(touches * python.cell_transfer) * 1000
        } else {
            0
        };
        let total_ps = (alone_ps + fetched_ps) * u128::from(steps);
        Nanoseconds(u64::try_from(total_ps / 1000).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_has_a_preset_and_every_constant_a_name() {
        let ids: Vec<&str> = lessons::PRESETS.iter().map(|preset| preset.id).collect();
        assert_eq!([ids.as_slice(), &[HERE]].concat(), IDS);
        let mut preset = lessons::PRESETS.into_iter().next().expect("there are some");
        for name in Python::NAMES {
            assert!(preset.python.by_name(name).is_some(), "{name}");
            assert!(preset.hardware.by_name(name).is_none(), "{name} twice");
        }
        for name in Hardware::NAMES {
            assert!(preset.hardware.by_name(name).is_some(), "{name}");
        }
    }

    #[test]
    fn cores_follow_from_the_preset_where_they_were_not_asked_for() {
        let cores = |chosen: &'static str, given: &[(&'static str, u32)]| {
            let mut asked = Asked::default();
            asked.set("preset", Value::Choice(chosen));
            for (id, number) in given {
                asked.set(id, Value::Unsigned(*number));
            }
            settle(&mut asked);
            let settings = machine_settings(&asked, Runtime::Gil, None);
            (settings.cores, settings.logical_cores)
        };
        assert_eq!(cores("lesson-c", &[]), (4, 8));
        assert_eq!(cores("lesson-c", &[("cores", 2)]), (2, 4));
        assert_eq!(cores("lesson-a", &[("logicalCores", 2)]), (4, 4));
        assert_eq!(cores("lesson-b", &[("cores", 256), ("logicalCores", 300)]), (256, 300));
    }

    /// 8 tasks of 150,000 names one after another: lesson A's 2.99 s.
    #[test]
    fn a_workload_takes_what_its_steps_take() {
        let [a, ..] = lessons::PRESETS;
        let task = |runtime, shared| a.computing(Workload::Names, runtime, 150_000, shared).as_seconds();
        assert!((8.0 * task(Runtime::Gil, true) - 2.99).abs() < 0.01);
        assert!((task(Runtime::FreeThreaded, false) / task(Runtime::Gil, false) - 1.16).abs() < 1e-3);
        assert!(task(Runtime::FreeThreaded, true) > task(Runtime::FreeThreaded, false));
    }
}
