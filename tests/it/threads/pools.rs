//! Pools of every kind for the tests of pools.

use concurrency_playground::machine::front::Here;
use concurrency_playground::machine::threads::{ExecutorId, NewPool, StartMethod, Workers};
use concurrency_playground::machine::{Nanoseconds, Outcome};

use super::support::*;

pub const KINDS: [Workers; 5] = [
    Workers::Threads,
    Workers::Interpreters,
    Workers::Processes(StartMethod::Fork),
    Workers::Processes(StartMethod::ForkServer),
    Workers::Processes(StartMethod::Spawn),
];

pub async fn pool(here: &Here, workers: Workers, max_workers: u32) -> Gives<ExecutorId> {
    let new = NewPool {
        workers,
        max_workers: Some(max_workers),
        ..NewPool::default()
    };
    here.new_pool(new).await
}

/// A program on every machine and with every kind of pool of three.
pub fn check_pools<Running>(body: impl Fn(Here, ExecutorId, Workers) -> Running + Copy + 'static)
where
    Running: Future<Output = Gives<()>> + 'static,
{
    for workers in KINDS {
        check(move |here| async move {
            let pool = pool(&here, workers, 3).await?;
            body(here, pool, workers).await?;
            NOTHING
        });
    }
}

pub async fn sleeps(here: Here, time: Nanoseconds) -> Outcome {
    here.block(time).await;
    NOTHING
}
