//! The rows of a modelled run, and what each of them runs.
//!
//! Not here: the machine.

use super::super::{METHODS, POOLS, WORKERS};
use super::script::{Script, Source};
use super::timing::{Keeping, Plan};
use crate::labs::rows::runtime_of;
use crate::labs::{Asked, presets};
use crate::machine::threads::StartMethod;
use crate::measure::Subject;
use crate::wire::{Runtime, Strategy, Workload};

/// What a row runs.
#[derive(Clone, Copy, Debug)]
pub enum Case {
    /// The script, to see what becomes of it.
    Outcome(Script),
    /// Tasks, to see what starting costs.
    Timing(Plan),
}

/// The runtime asked for; without, the one with the lock.
pub fn runtime(asked: &Asked) -> Runtime {
    asked.choice("runtime").and_then(runtime_of).unwrap_or(Runtime::Gil)
}

/// The rows: whoever asks for a script gets scripts, whoever asks for a pool gets pools, and everybody else both.
pub fn cases(asked: &Asked) -> Vec<(Subject, Case)> {
    let asks_for_script = asked.choice("source").is_some() || !asked.flag("guard");
    let asks_for_pool = asked.choice("pool").is_some();
    let mut cases = Vec::new();
    if asks_for_script || !asks_for_pool {
        cases.extend(scripts(asked));
    }
    if asks_for_pool || !asks_for_script {
        cases.extend(timings(asked));
    }
    cases
}

fn methods(asked: &Asked) -> impl Iterator<Item = (&'static str, StartMethod)> {
    let chosen = METHODS
        .iter()
        .copied()
        .filter(|method| asked.allows("startMethod", method));
    chosen.map(|method| (method, start_method(method)))
}

fn start_method(method: &str) -> StartMethod {
    match method {
        "fork" => StartMethod::Fork,
        "forkserver" => StartMethod::ForkServer,
        _ => StartMethod::Spawn,
    }
}

/// With the guard on, which is how a script should be, the one without it stands beside it for comparison: unless one
/// single script is asked for.
fn scripts(asked: &Asked) -> Vec<(Subject, Case)> {
    let is_one = asked.choice("startMethod").is_some() && asked.choice("source").is_some();
    let guards: &[bool] = match (asked.flag("guard"), is_one) {
        (false, _) => &[false],
        (true, true) => &[true],
        (true, false) => &[true, false],
    };
    let sources = [("file", Source::File), ("stdin", Source::StandardInput)];
    let mut scripts = Vec::new();
    for (method, start) in methods(asked) {
        for guard in guards {
            for (source_id, source) in sources {
                if asked.allows("source", source_id) {
                    let script = Script {
                        method: start,
                        guard: *guard,
                        source,
                        server_imports: runtime(asked) != Runtime::GilLegacy,
                    };
                    let guard_id = if *guard { "guard" } else { "bare" };
                    let variant = format!("{method}-{guard_id}-{source_id}");
                    scripts.push((row(asked, variant, None), Case::Outcome(script)));
                }
            }
        }
    }
    scripts
}

fn timings(asked: &Asked) -> Vec<(Subject, Case)> {
    let (tasks, steps) = (asked.unsigned("tasks"), asked.unsigned("size"));
    let plan = |method, keeping| Plan {
        method,
        keeping,
        tasks,
        steps,
        cost: presets::of(asked).computing(Workload::Squares, runtime(asked), steps, false),
        server_imports: runtime(asked) != Runtime::GilLegacy,
    };
    let serial = Subject {
        runtime: Some(runtime(asked)),
        workers: Some(1),
        baseline: true,
        ..Subject::new(Strategy::Serial)
    };
    let mut timings = vec![(serial, Case::Timing(plan(StartMethod::Spawn, Keeping::NoPool)))];
    for (method, start) in methods(asked) {
        for pool in POOLS.iter().copied().filter(|pool| asked.allows("pool", pool)) {
            let keeping = match pool {
                "warm" => Keeping::Warm,
                "per-task" => Keeping::PerTask,
                _ => Keeping::Cold,
            };
            let subject = row(asked, format!("{method}-{pool}"), Some(WORKERS));
            timings.push((subject, Case::Timing(plan(start, keeping))));
        }
    }
    timings
}

fn row(asked: &Asked, variant: String, workers: Option<u32>) -> Subject {
    Subject {
        variant: Some(variant),
        runtime: Some(runtime(asked)),
        workers,
        ..Subject::new(Strategy::Processes)
    }
}
