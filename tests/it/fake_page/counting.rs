//! Counting together with made-up times and losses. Not here: the page.

use concurrency_playground::wire::{CountJob, CountVariant, JobOutcome, Runtime, Sabotage};

use super::FakePage;

impl FakePage {
    pub fn count(&mut self, job: &CountJob) -> JobOutcome {
        let expected = job.threads * job.additions;
        let addition_ms = 78e-6 * f64::from(job.work_per_bytecode) / 10.0 * self.noisy(1.0);
        let is_free = job.runtime == Runtime::FreeThreaded;
        let in_line = addition_ms * f64::from(expected);
        let elapsed_ms = if is_free {
            in_line * times_as_dear(job) / f64::from(job.threads.min(self.cores))
        } else {
            in_line
        };
        let interval_ms = (f64::from(job.switch_interval_us) / 1e3).max(0.1);
        let hand_overs = if is_free { 0 } else { (elapsed_ms / interval_ms) as u32 };
        let value = expected - (f64::from(expected) * share_lost(job, hand_overs)).ceil() as u32;
        let overlap = if is_free && self.cores > 1 { 0.9 } else { 0.0 };
        JobOutcome::Counted {
            elapsed_ms,
            value,
            expected,
            overlap,
            at_once: job.threads,
            hand_overs,
        }
    }
}

fn share_lost(job: &CountJob, hand_overs: u32) -> f64 {
    let without = |fault, share| if job.sabotage == Some(fault) { 0.0 } else { share };
    let with = |fault| if job.sabotage == Some(fault) { 0.1 } else { 0.0 };
    match (job.variant, job.runtime) {
        (CountVariant::Plain, Runtime::Gil) => with(Sabotage::NoInterpreterLock),
        (CountVariant::Plain, Runtime::GilLegacy) if hand_overs < 15 => 0.0,
        (CountVariant::Plain, Runtime::GilLegacy) => without(Sabotage::PlainThatIsAtomic, 0.4),
        (CountVariant::Plain, Runtime::FreeThreaded) => without(Sabotage::PlainThatIsAtomic, 0.55),
        (CountVariant::Call, _) if hand_overs < 15 && job.runtime != Runtime::FreeThreaded => 0.0,
        (CountVariant::Call, _) => without(Sabotage::CallWithoutCheckPoint, 0.42),
        (CountVariant::Wide, _) => without(Sabotage::WideThatKeepsTheLock, 1.0 - 1.0 / f64::from(job.threads)),
        (CountVariant::Lock, _) => with(Sabotage::LockThatDoesNotLock),
        (CountVariant::Atomic, _) => with(Sabotage::AtomicThatTears),
        (CountVariant::OwnThenMerge, _) => with(Sabotage::SharedOwnCounters),
        (CountVariant::Queue | CountVariant::Batches, _) => with(Sabotage::QueueThatDrops),
        (CountVariant::Sharded, _) => with(Sabotage::LockThatDoesNotLock),
    }
}

/// What an addition costs a free thread, against one that it makes on its own.
fn times_as_dear(job: &CountJob) -> f64 {
    match job.variant {
        CountVariant::Lock | CountVariant::Queue => 4.0,
        CountVariant::Sharded => 2.0,
        CountVariant::Batches => 1.2,
        CountVariant::OwnThenMerge if job.sabotage == Some(Sabotage::SharedOwnCounters) => 1.8,
        _ => 1.0,
    }
}
