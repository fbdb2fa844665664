//! Appends to the list of this wasm instance. Threads of a pool share the instance's memory, and with it the list; an
//! isolate is an instance of its own, and nobody else ever sees its list.
//!
//! Not here: what is in the list. Only its length is told.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Host, pool};
use crate::wire::{AppendJob, JobOutcome, ListSeen, MOST_ITEMS, Sabotage};

/// `items = []` at the top of a module: one in each memory.
static ITEMS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Appends, alone or with threads of the pool.
pub fn perform(job: &AppendJob, host: Host) -> JobOutcome {
    let start = host.now();
    let (before, lists) = if job.threads > 0 {
        (0, together(job))
    } else {
        let mut items = items();
        if length(&items) >= MOST_ITEMS {
            items.clear();
        }
        let before = length(&items);
        items.extend(0..job.items);
        (before, vec![length(&items)])
    };
    JobOutcome::Appended(ListSeen {
        elapsed_ms: host.now() - start,
        before,
        lists,
    })
}

/// The list's length in the end, as each thread sees it.
fn together(job: &AppendJob) -> Vec<u32> {
    items().clear();
    let next = AtomicU32::new(0);
    let is_own = job.sabotage == Some(Sabotage::ListsOfTheirOwn);
    let n_own: Vec<AtomicU32> = (0..job.threads).map(|_| AtomicU32::new(0)).collect();
    let chunk = job.chunk.max(1);
    let thread = |worker: u32| {
        let mut own = Vec::new();
        loop {
            let first = next.fetch_add(chunk, Ordering::Relaxed);
            if first >= job.items {
                break;
            }
            let part = first..job.items.min(first.saturating_add(chunk));
            if is_own {
                own.extend(part);
            } else {
                items().extend(part);
            }
        }
        if let Some(count) = n_own.get(worker as usize) {
            count.store(length(&own), Ordering::Relaxed);
        }
    };
    pool::run(job.threads, &thread, &mut || ());
    let shared = length(&items());
    let seen = |count: AtomicU32| if is_own { count.into_inner() } else { shared };
    n_own.into_iter().map(seen).collect()
}

fn items() -> MutexGuard<'static, Vec<u32>> {
    ITEMS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn length(items: &[u32]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}
