//! Threads that count together, behind a barrier, under any runtime: one file a variant.
//!
//! Not here: what a loss means, and how large a run must be to show one; the lab sizes it.

mod atomic;
mod call;
mod lock;
mod own;
mod plain;
mod queue;
mod race;
mod sharded;
mod wide;

use std::sync::atomic::AtomicU32;

pub use plain::plain_additions;

use super::Host;
use crate::wire::{CountJob, CountVariant, JobOutcome, Sabotage};
use crate::workloads::counting::BATCH;

/// How often a calibration times the same additions.
const CALIBRATIONS: u32 = 4;

/// Runs the race and judges it.
pub fn perform(count: &CountJob, host: Host) -> JobOutcome {
    // Most faults take a variant's one protection away, and what is left is a plain addition.
    let unprotected = matches!(
        (count.variant, count.sabotage),
        (CountVariant::Call, Some(Sabotage::CallWithoutCheckPoint))
            | (CountVariant::Wide, Some(Sabotage::WideThatKeepsTheLock))
            | (CountVariant::Lock, Some(Sabotage::LockThatDoesNotLock))
            | (CountVariant::Atomic, Some(Sabotage::AtomicThatTears))
    );
    let has = |sabotage| count.sabotage == Some(sabotage);
    match count.variant {
        _ if unprotected => race::run(count, &plain::Plain::default(), host),
        CountVariant::Plain if has(Sabotage::PlainThatIsAtomic) => race::run(count, &atomic::Atomic::default(), host),
        CountVariant::Plain => race::run(count, &plain::Plain::default(), host),
        CountVariant::Call => race::run(count, &call::Call::default(), host),
        CountVariant::Wide => race::run(count, &wide::Wide::default(), host),
        CountVariant::Lock => race::run(count, &lock::Lock::default(), host),
        CountVariant::Atomic => race::run(count, &atomic::Atomic::default(), host),
        CountVariant::OwnThenMerge => {
            let shared = has(Sabotage::SharedOwnCounters);
            race::run(count, &own::OwnThenMerge::new(count.threads, shared), host)
        }
        CountVariant::Queue | CountVariant::Batches => {
            let batch = if count.variant == CountVariant::Batches {
                BATCH
            } else {
                1
            };
            let drops = has(Sabotage::QueueThatDrops);
            race::run(count, &queue::Queue::new(count.threads, batch, drops), host)
        }
        CountVariant::Sharded => {
            let locks = !has(Sabotage::LockThatDoesNotLock);
            race::run(count, &sharded::Sharded::new(count.threads, locks), host)
        }
    }
}

/// Times one thread's plain additions, after an eighth as many to warm up. The fastest of a few times counts: the
/// others were interrupted, and a cost that looks too high makes runs that are too short.
pub fn calibrate(additions: u32, work_per_bytecode: u32, host: Host) -> JobOutcome {
    let counter = AtomicU32::new(0);
    plain_additions(&counter, additions.div_ceil(8), work_per_bytecode);
    let once = |_| {
        let start = host.now();
        plain_additions(&counter, additions, work_per_bytecode);
        host.now() - start
    };
    let fastest_ms = (0..CALIBRATIONS).map(once).fold(f64::INFINITY, f64::min);
    JobOutcome::Calibrated {
        nanoseconds: fastest_ms * 1e6 / f64::from(additions.max(1)),
    }
}
