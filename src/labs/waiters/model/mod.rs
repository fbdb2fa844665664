//! The jobs on the machines of the lessons, in virtual time; the loop runs the program that the real clock drives too.
//!
//! Not here: that program (`live::event_loop::waits`), and what is claimed (`claims`).

mod claims;

use super::{VARIANTS, found, is_in_line, job_ms, many};
use crate::labs::rows::runtime_of;
use crate::labs::{Asked, Model, ModelClaim, Modelled, Scene, presets};
use crate::live::event_loop::waits;
use crate::machine::front::{self, Here, MapOptions};
use crate::machine::threads::{Machine, NewPool, StartMethod, Workers};
use crate::machine::{Nanoseconds, Outcome, Program, Value};
use crate::measure::Subject;
use crate::wire::{Named, Runtime, Sabotage, Strategy, WaitsHow, WaitsJob};

/// The modelled half.
#[derive(Clone, Copy, Debug)]
pub struct WaitersModel;

/// Its place.
pub const MODEL: WaitersModel = WaitersModel;

impl Model for WaitersModel {
    fn claims(&self) -> &'static [ModelClaim] {
        claims::CLAIMS
    }

    fn settle(&self, asked: &mut Asked) {
        presets::settle(asked);
    }

    fn scenes(&self, asked: &Asked) -> Vec<Subject> {
        let shown = VARIANTS.iter().filter(|id| asked.allows("variant", id));
        shown.flat_map(|id| subjects(asked, id)).collect()
    }

    fn scene(&self, asked: &Asked, subject: &Subject, sabotage: Option<Sabotage>) -> Scene {
        let runtime = subject.runtime.unwrap_or(Runtime::Gil);
        let mut machine = Machine::new(presets::machine_settings(asked, runtime, sabotage));
        let variant = subject.variant.as_deref().unwrap_or_default();
        let computes = variant.starts_with("computing");
        let (wait_ms, compute_ms) = if computes {
            (0, job_ms(asked))
        } else {
            (asked.unsigned("waitMs"), asked.unsigned("computeMs"))
        };
        let job = WaitsJob {
            how: if subject.strategy == Strategy::EventLoop {
                WaitsHow::AtOnce
            } else {
                WaitsHow::Blocking
            },
            jobs: asked.unsigned("jobs"),
            wait_ms,
            compute_ms,
            sabotage,
        };
        let here = Here::new();
        let workers = subject.workers.unwrap_or(1);
        match subject.strategy {
            Strategy::EventLoop => machine.start_loop(waits::program(&here, job)),
            Strategy::Serial if workers == 1 => machine.start(waits::program(&here, job)),
            Strategy::Processes => {
                machine.start(pooled(&here, job, workers, Workers::Processes(start_method(runtime))))
            }
            _ => machine.start(pooled(&here, job, workers, Workers::Threads)),
        }
        Scene {
            machine,
            read: Box::new(|machine, _, row| row.computed_ms = Some(machine.used().computed.as_millis())),
        }
    }

    fn finding(&self, modelled: &Modelled<'_>) -> (&'static str, Named) {
        found(modelled.rows)
    }
}

/// The rows of a variant: several where jobs compute in many workers, which is where the runtime matters.
fn subjects(asked: &Asked, id: &str) -> Vec<Subject> {
    let chosen = asked.choice("runtime").and_then(runtime_of);
    let subject = |strategy, workers, runtime| Subject {
        variant: Some(id.to_owned()),
        runtime: Some(runtime),
        workers: Some(workers),
        baseline: is_in_line(id),
        ..Subject::new(strategy)
    };
    let runtime = chosen.unwrap_or(Runtime::Gil);
    match id {
        "waiting-in-line" | "computing-in-line" => {
            vec![subject(Strategy::Serial, asked.unsigned("workers"), runtime)]
        }
        "waiting-overlapped" | "computing-overlapped" => vec![subject(Strategy::EventLoop, 1, runtime)],
        "waiting-many" => vec![subject(Strategy::Threads, many(asked), runtime)],
        _ => {
            let mut rows = vec![subject(Strategy::Threads, many(asked), runtime)];
            if chosen.is_none() {
                rows.push(subject(Strategy::Threads, many(asked), Runtime::FreeThreaded));
            }
            rows.push(subject(Strategy::Processes, many(asked), runtime));
            rows
        }
    }
}

/// The default on Linux: since 3.14 a fork server.
fn start_method(runtime: Runtime) -> StartMethod {
    if runtime == Runtime::GilLegacy {
        StartMethod::Fork
    } else {
        StartMethod::ForkServer
    }
}

/// A pool of workers that each take one job after another.
fn pooled(here: &Here, job: WaitsJob, workers: u32, kind: Workers) -> Box<dyn Program> {
    front::program(here, move |here| async move {
        let new = NewPool {
            workers: kind,
            max_workers: Some(workers),
            ..NewPool::default()
        };
        let pool = here.new_pool(new).await?;
        let one = |_| front::program(&here, move |here| async move { work(&here, job).await });
        here.map(pool, (0..job.jobs).map(one).collect(), MapOptions::default())
            .await?;
        here.shut_pool_down(pool, true, false).await?;
        Ok(Value::None)
    })
}

/// One job on a worker of its own kind: it blocks, then it computes.
async fn work(here: &Here, job: WaitsJob) -> Outcome {
    if job.sabotage != Some(Sabotage::CallThatDoesNotBlock) {
        if job.wait_ms > 0 {
            here.block(Nanoseconds::millis(job.wait_ms.into())).await;
        }
        if job.compute_ms > 0 {
            here.compute(Nanoseconds::millis(job.compute_ms.into())).await;
        }
    }
    Ok(Value::None)
}
