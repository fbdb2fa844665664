//! The Python that runs on the machine: a script that times its own hashing, as the lessons' do.
//!
//! Not here: a byte. A hash is a computing that keeps the lock or lets go of it, by its input's length.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::cases::{Case, How};
use crate::labs::presets::Preset;
use crate::machine::front::{Here, MapOptions, program};
use crate::machine::threads::{ExecutorId, NewPool, Payload, StartMethod, ThreadId, Workers};
use crate::machine::{Computing, Exception, Nanoseconds, Note, Outcome, Program, Value};
use crate::switch_points::Operation;
use crate::wire::{Runtime, Sabotage};
use crate::workloads::sha256::releases_lock;

/// Long enough that no worker is free again before the last has been started.
const START_UP: Nanoseconds = Nanoseconds::seconds(5);

/// Bytes of a result: a digest.
const DIGEST_BYTES: u64 = 32;

/// What the script saw.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// When its clock was started and stopped.
    pub window: Rc<Cell<Option<(Nanoseconds, Nanoseconds)>>>,
    /// Who worked on what.
    pub spans: Rc<RefCell<Vec<Span>>>,
    /// How often a hash let go of the lock.
    pub releases: Rc<Cell<u32>>,
    /// What all hashing takes on a core that is alone.
    pub computed: Rc<Cell<Nanoseconds>>,
}

/// One task.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub thread: ThreadId,
    pub task: u32,
    pub start: Nanoseconds,
    pub end: Nanoseconds,
}

/// What one input takes.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    read: Nanoseconds,
    /// The call and the loop around it.
    call: Nanoseconds,
    hash: Nanoseconds,
    releases: bool,
}

impl Costs {
    pub fn of(preset: &Preset, input_bytes: u32, sabotage: Option<Sabotage>) -> Self {
        let python = &preset.python;
        let hash_ps = u128::from(python.hash_kibibyte_ps) * u128::from(input_bytes) / 1024;
        let hash = Nanoseconds(u64::try_from(hash_ps / 1000).unwrap_or(u64::MAX));
        let keeps = sabotage == Some(Sabotage::HashThatKeepsTheLock);
        Self {
            read: preset.on_core(Nanoseconds(python.file_read)),
            call: preset.on_core(Nanoseconds(python.hash_call)),
            hash: preset.on_core(hash),
            releases: releases_lock(input_bytes as usize) && !keeps,
        }
    }
}

/// The script. Gives how many inputs were hashed.
pub fn main(here: &Here, case: Case, costs: Costs, seen: &Seen) -> Box<dyn Program> {
    let seen = seen.clone();
    program(here, move |here| async move {
        let window = seen.window.clone();
        let script = Script {
            here,
            case,
            costs,
            seen,
        };
        let (hashed, start) = match script.case.how {
            How::Alone => script.alone().await?,
            How::Threads(workers) => script.on_threads(workers).await?,
            How::Processes(workers) => script.on_processes(workers).await?,
        };
        window.set(Some((start, script.here.now().await)));
        Ok(Value::Int(hashed))
    })
}

#[derive(Clone)]
struct Script {
    here: Here,
    case: Case,
    costs: Costs,
    seen: Seen,
}

type Hashed = Result<(i64, Nanoseconds), Exception>;

impl Script {
    async fn alone(&self) -> Hashed {
        let start = self.here.now().await;
        let mut hashed = 0;
        for task in 0..self.case.tasks {
            hashed += self.task(task).await?.int().unwrap_or_default();
        }
        Ok((hashed, start))
    }

    /// A pool; where its workers are to be there before the clock starts, they have each done a call.
    async fn pool(&self, workers: Workers, max_workers: u32, is_started: bool) -> Result<ExecutorId, Exception> {
        let here = &self.here;
        let new = NewPool {
            workers,
            max_workers: Some(max_workers),
            ..NewPool::default()
        };
        let pool = here.new_pool(new).await?;
        if is_started {
            let idle = (0..max_workers).map(|_| {
                program(here, |here| async move {
                    here.block(START_UP).await;
                    Ok(Value::None)
                })
            });
            here.map(pool, idle.collect(), MapOptions::default()).await?;
        }
        Ok(pool)
    }

    async fn on_threads(&self, workers: u32) -> Hashed {
        let here = &self.here;
        let is_started = self.case.is_sweep;
        let (start, pool) = if is_started {
            let pool = self.pool(Workers::Threads, workers, true).await?;
            (here.now().await, pool)
        } else {
            (here.now().await, self.pool(Workers::Threads, workers, false).await?)
        };
        let results = here.map(pool, self.tasks(), MapOptions::default()).await?;
        if !is_started {
            here.shut_pool_down(pool, true, false).await?;
        }
        Ok((results.iter().filter_map(Value::int).sum(), start))
    }

    /// The same by processes that have been started: what is left is sending them their inputs.
    async fn on_processes(&self, workers: u32) -> Hashed {
        let here = &self.here;
        let method = if self.case.runtime == Runtime::GilLegacy {
            StartMethod::Fork
        } else {
            StartMethod::ForkServer
        };
        let pool = self.pool(Workers::Processes(method), workers, true).await?;
        let start = here.now().await;
        let options = MapOptions {
            payload: Payload {
                sent: u64::from(self.case.input_bytes),
                returned: DIGEST_BYTES,
            },
            ..MapOptions::default()
        };
        let results = here.map(pool, self.tasks(), options).await?;
        Ok((results.iter().filter_map(Value::int).sum(), start))
    }

    fn tasks(&self) -> Vec<Box<dyn Program>> {
        let task = |task| {
            let script = self.clone();
            program(&self.here, move |_| async move { script.task(task).await })
        };
        (0..self.case.tasks).map(task).collect()
    }

    async fn task(&self, task: u32) -> Outcome {
        let here = &self.here;
        let inputs = self.case.share(task);
        let (thread, start) = (here.current_thread().await?, here.now().await);
        here.note(Note::Doing("hashlib.sha256")).await;
        let Costs {
            read,
            call,
            hash,
            releases,
        } = self.costs;
        let read = if self.case.reads { read } else { Nanoseconds::ZERO };
        let whole = Nanoseconds((read.0 + call.0 + hash.0).saturating_mul(inputs.into()));
        self.seen.computed.set(self.seen.computed.get() + whole);
        if releases || self.case.reads {
            for _ in 0..inputs {
                self.one(read, call, hash, releases).await;
            }
        } else {
            // Hashes that keep the lock, with a check point after each: bytecode like any other.
            here.compute(whole).await;
        }
        let end = here.now().await;
        self.seen.spans.borrow_mut().push(Span {
            thread,
            task,
            start,
            end,
        });
        Ok(Value::Int(inputs.into()))
    }

    async fn one(&self, read: Nanoseconds, call: Nanoseconds, hash: Nanoseconds, releases: bool) {
        let here = &self.here;
        if self.case.reads {
            here.compute_as(read, Computing::ReleasesLock).await;
        }
        here.compute_as(call, Computing::KeepsLock).await;
        if releases {
            if self.case.runtime != Runtime::FreeThreaded {
                self.seen.releases.set(self.seen.releases.get() + 1);
            }
            here.compute_as(hash, Computing::ReleasesLock).await;
        } else {
            here.compute_as(hash, Computing::KeepsLock).await;
        }
        here.check_point(Operation::LoopBackEdge).await;
    }
}
