//! Computes tasks of a workload: alone, or with threads of the pool, free or under the interpreter lock.
//!
//! Not here: isolates. An isolate is a worker that computes alone; the page hands it one job after another.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Host, InterpreterLock, pool};
use crate::switch_points::{Operation, may_switch};
use crate::wire::{ComputeJob, Hands, JobOutcome, Runtime, Sabotage, WorkSpan, Workload};
use crate::workloads::{arithmetic, names};

/// The size that every task has under a fault, whatever it was asked for.
const FULL_SIZE: u32 = 150_000;

/// A task that is done.
struct Done {
    index: usize,
    total: String,
    span: WorkSpan,
}

/// Computes all tasks.
pub fn perform(job: &ComputeJob, host: Host) -> JobOutcome {
    let start = host.now();
    let (done, hand_overs) = match job.hands {
        Hands::Alone => (alone(job, host), 0),
        Hands::Threads {
            workers,
            runtime,
            switch_interval_us,
        } => {
            let free = job.sabotage == Some(Sabotage::NoInterpreterLock);
            let runtime = if free { Runtime::FreeThreaded } else { runtime };
            threads(job, workers, runtime, switch_interval_us, host)
        }
    };
    let elapsed_ms = host.now() - start;
    // Into the order asked by their places: sorting would bring a whole sorting algorithm into the module.
    let mut in_order: Vec<Option<Done>> = job.tasks.iter().map(|_| None).collect();
    for task in done {
        if let Some(place) = in_order.get_mut(task.index) {
            *place = Some(task);
        }
    }
    let (totals, spans) = in_order
        .into_iter()
        .flatten()
        .map(|task| (task.total, task.span))
        .unzip();
    JobOutcome::Computed {
        elapsed_ms,
        totals,
        spans,
        hand_overs,
    }
}

fn alone(job: &ComputeJob, host: Host) -> Vec<Done> {
    (0..)
        .zip(&job.tasks)
        .map(|(index, &task)| job.one(index, task, 0, host, no_tick))
        .collect()
}

fn threads(job: &ComputeJob, workers: u32, runtime: Runtime, switch_interval_us: u32, host: Host) -> (Vec<Done>, u32) {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(job.tasks.len()));
    let lock = InterpreterLock::new(switch_interval_us);
    let one_at_a_time = Mutex::new(());
    let thread = |worker| {
        let _turn = (job.sabotage == Some(Sabotage::PoolThatRunsOneAfterAnother))
            .then(|| one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner));
        let mine = if runtime == Runtime::FreeThreaded {
            job.as_they_come(&next, worker, host, no_tick)
        } else {
            // Every loop's back edge is a check point in both runtimes with the lock, and each workload ticks at
            // most a third of a microsecond apart.
            const { assert!(may_switch(Runtime::Gil, Operation::LoopBackEdge)) };
            const { assert!(may_switch(Runtime::GilLegacy, Operation::LoopBackEdge)) };
            lock.take(worker);
            let mine = job.as_they_come(&next, worker, host, || lock.check_point(worker));
            lock.release(worker);
            mine
        };
        done.lock().unwrap_or_else(PoisonError::into_inner).extend(mine);
    };
    pool::run(workers, &thread, &mut || ());
    (
        done.into_inner().unwrap_or_else(PoisonError::into_inner),
        lock.hand_overs(),
    )
}

/// The tick of work that nobody interrupts. A named function, so that all such work is compiled once.
fn no_tick() {}

impl ComputeJob {
    /// Takes the next task as long as there is one.
    fn as_they_come(&self, next: &AtomicUsize, worker: u32, host: Host, mut tick: impl FnMut()) -> Vec<Done> {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&task) = self.tasks.get(index) else {
                return done;
            };
            done.push(self.one(index, task, worker, host, &mut tick));
        }
    }

    fn one(&self, index: usize, task: u32, worker: u32, host: Host, tick: impl FnMut()) -> Done {
        let start_ms = host.now();
        let size = if self.sabotage == Some(Sabotage::TimeThatIgnoresSize) {
            FULL_SIZE
        } else {
            self.size
        };
        let total: u128 = match self.workload {
            Workload::Names => names::flagged(task, size, tick).into(),
            Workload::Squares => arithmetic::squares(size, tick),
            Workload::Modulo => arithmetic::modulo(size, tick).into(),
        };
        // In each workload the first thing that counts at all counts one: the first name over the limit, i = 1.
        let skipped = u128::from(self.sabotage == Some(Sabotage::WrongTotals));
        let total = total.saturating_sub(skipped).to_string();
        Done {
            index,
            total,
            span: WorkSpan {
                worker,
                task,
                start_ms,
                end_ms: host.now(),
            },
        }
    }
}
