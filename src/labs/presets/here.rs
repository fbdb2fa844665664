//! The preset `here`: this browser, as a few short probes find it, so that the model speaks of the machine that measures.
//!
//! A probe times what the measured half of the labs does: the three workloads, one addition, the start of a worker that
//! compiles the module itself (a process) and of one that gets it compiled (an interpreter). What a probe could not find
//! stays as CPython has it on the reference core.
//!
//! Not here: running a probe; the page does, as any other action.

use super::python::{Python, REFERENCE};
use super::{Hardware, Preset};
use crate::measure::DEFAULT_LIMIT_MS;
use crate::text::args;
use crate::wire::{
    Action, ActionOutcome, ComputeJob, Environment, Hands, IsolateKind, Job, JobOutcome, Named, Workload,
};

/// Names of the probe: some 50 ms, hundreds of steps of any browser's clock.
const NAMES: u32 = 300_000;

/// Steps of the other two: some 30 to 100 ms.
const STEPS: u32 = 20_000_000;

/// Additions, and multiply-adds in each of their bytecodes, as the measured half counts.
const ADDITIONS: u32 = 500_000;
const WORK_PER_BYTECODE: u32 = 10;

/// One thing to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// How long a step of a workload takes.
    Computing(Workload),
    /// How long an addition takes.
    Addition,
    /// How long a worker's start takes.
    Start(IsolateKind),
}

/// All probes, in order.
pub const PROBES: [Probe; 6] = [
    Probe::Computing(Workload::Names),
    Probe::Computing(Workload::Squares),
    Probe::Computing(Workload::Modulo),
    Probe::Addition,
    Probe::Start(IsolateKind::Interpreter),
    Probe::Start(IsolateKind::Process),
];

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    cores: u32,
    names_ps: Option<u64>,
    squares_ps: Option<u64>,
    modulo_ps: Option<u64>,
    addition_ps: Option<u64>,
    interpreter_ns: Option<u64>,
    process_ns: Option<u64>,
}

impl Probe {
    /// What the page is to do.
    #[must_use]
    pub fn action(self) -> Action {
        let on_lab = |job| Action::OnLab {
            threads: 0,
            job,
            callers: 0,
            limit_ms: DEFAULT_LIMIT_MS,
        };
        match self {
            Self::Computing(workload) => on_lab(Job::Compute(ComputeJob {
                workload,
                tasks: vec![0],
                size: steps(workload),
                hands: Hands::Alone,
                sabotage: None,
            })),
            Self::Addition => on_lab(Job::CalibrateCount {
                additions: ADDITIONS,
                work_per_bytecode: WORK_PER_BYTECODE,
            }),
            Self::Start(kind) => Action::OnIsolates {
                kind,
                workers: 1,
                cold: true,
                jobs: vec![Job::Ping],
                limit_ms: DEFAULT_LIMIT_MS,
            },
        }
    }
}

const fn steps(workload: Workload) -> u32 {
    match workload {
        Workload::Names => NAMES,
        Workload::Squares | Workload::Modulo => STEPS,
    }
}

impl Found {
    /// What the page knows without a probe: how many cores it claims, which are taken for physical ones.
    #[must_use]
    pub fn of(environment: &Environment) -> Self {
        Self {
            cores: environment.cores_claimed.clamp(1, 256),
            ..Self::default()
        }
    }

    /// Takes in what became of a probe.
    pub fn take(&mut self, probe: Probe, outcome: &ActionOutcome) {
        let ActionOutcome::Performed { elapsed_ms, jobs, .. } = outcome else {
            return;
        };
        match (probe, jobs.first()) {
            (Probe::Computing(workload), Some(JobOutcome::Computed { elapsed_ms, .. })) => {
                let step_ps = positive(elapsed_ms * 1e9 / f64::from(steps(workload)));
                match workload {
                    Workload::Names => self.names_ps = step_ps,
                    Workload::Squares => self.squares_ps = step_ps,
                    Workload::Modulo => self.modulo_ps = step_ps,
                }
            }
            (Probe::Addition, Some(JobOutcome::Calibrated { nanoseconds })) => {
                self.addition_ps = positive(nanoseconds * 1e3);
            }
            (Probe::Start(IsolateKind::Interpreter), Some(_)) => self.interpreter_ns = positive(elapsed_ms * 1e6),
            (Probe::Start(IsolateKind::Process), Some(_)) => self.process_ns = positive(elapsed_ms * 1e6),
            (Probe::Computing(_) | Probe::Addition, _) | (Probe::Start(_), None) => {}
        }
    }

    /// What was found, by name: so that a result says what its machine was made from.
    #[must_use]
    pub fn named(&self) -> Named {
        let found = [
            ("names_ps", self.names_ps),
            ("squares_ps", self.squares_ps),
            ("modulo_ps", self.modulo_ps),
            ("addition_ps", self.addition_ps),
            ("interpreter_start", self.interpreter_ns),
            ("process_start", self.process_ns),
        ];
        let mut named = args([("cores", self.cores.into())]);
        let found = found
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), (value? as f64).into())));
        named.0.extend(found);
        named
    }

    /// The machine.
    pub(super) fn preset(&self) -> Preset {
        let known = &REFERENCE;
        let addition = known.addition_window + known.addition_rest;
        // The parts of an addition keep their proportion.
        let part = |of: u64| self.addition_ps.map_or(of, |all| all * of / (addition * 1000));
        let python = Python {
            names_ps: self.names_ps.unwrap_or(known.names_ps),
            squares_ps: self.squares_ps.unwrap_or(known.squares_ps),
            modulo_ps: self.modulo_ps.unwrap_or(known.modulo_ps),
            // Threads here share no objects with counters.
            free_threaded_names_permille: 1000,
            shared_touches_a_name: 0,
            addition_window: part(known.addition_window),
            addition_rest: part(known.addition_rest),
            addition_call: part(known.addition_call),
            interpreter_start: self.interpreter_ns.unwrap_or(known.interpreter_start),
            fork_child: self.process_ns.unwrap_or(known.fork_child),
            fork_server_child: self.process_ns.unwrap_or(known.fork_server_child),
            spawn_child: self.process_ns.unwrap_or(known.spawn_child),
            ..REFERENCE
        };
        let cores = self.cores.max(1);
        Preset {
            id: super::HERE,
            cores,
            logical_cores: cores,
            hardware: Hardware {
                speed_permille: 1_000,
                all_cores_permille: 1_000,
                sibling_permille: 1_000,
                process_start_permille: 1_000,
                // As on the reference core, by `urllib` and by asyncio's streams.
                request_on_thread: 300_000,
                request_in_task: 330_000,
            },
            python,
        }
    }
}

/// A time that a clock could see.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive, and a cast from above the range saturates"
)]
fn positive(time: f64) -> Option<u64> {
    (time.is_finite() && time >= 1.0).then(|| time.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn performed(elapsed_ms: f64, job: JobOutcome) -> ActionOutcome {
        ActionOutcome::Performed {
            elapsed_ms,
            jobs: vec![job],
            spans: Vec::new(),
            started: 1,
            hidden: false,
        }
    }

    #[test]
    fn what_is_found_makes_the_machine() {
        let mut found = Found {
            cores: 2,
            ..Found::default()
        };
        let computed = |elapsed_ms| JobOutcome::Computed {
            elapsed_ms,
            totals: Vec::new(),
            spans: Vec::new(),
            hand_overs: 0,
        };
        found.take(Probe::Computing(Workload::Names), &performed(50.0, computed(48.0)));
        let calibrated = JobOutcome::Calibrated { nanoseconds: 130.0 };
        found.take(Probe::Addition, &performed(70.0, calibrated));
        let pinged = JobOutcome::Pinged { threads: 0 };
        found.take(Probe::Start(IsolateKind::Process), &performed(90.0, pinged));
        let preset = found.preset();
        assert_eq!((preset.cores, preset.logical_cores), (2, 2));
        assert_eq!(preset.python.names_ps, 160_000);
        assert_eq!((preset.python.addition_window, preset.python.addition_rest), (84, 46));
        assert_eq!(preset.python.spawn_child, 90_000_000);
        assert_eq!(found.named().0.len(), 4);
    }

    /// A coarse clock sees nothing, a missing worker answers nothing: the reference's numbers stay.
    #[test]
    fn what_is_not_found_stays_as_it_is() {
        let mut found = Found::default();
        let unavailable = ActionOutcome::Unavailable {
            why: crate::wire::Impossible::NoPage,
        };
        for probe in PROBES {
            found.take(probe, &unavailable);
            found.take(probe, &performed(0.0, JobOutcome::Calibrated { nanoseconds: 0.0 }));
        }
        assert_eq!(found.named().0.len(), 1);
        assert_eq!(found.preset().python.names_ps, REFERENCE.names_ps);
        assert_eq!(found.preset().cores, 1);
    }
}
