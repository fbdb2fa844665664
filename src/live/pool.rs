//! The pool of threads over one shared memory: rayon's, started by the page, by a test or by rayon itself.
//!
//! Not here: rayon's work stealing. A job says how many threads take part, and each of them runs the same body once.

/// Threads of the pool; 0 where the calling worker has none beside it.
pub fn threads() -> u32 {
    // Without a pool, rayon in WebAssembly quietly makes one of the calling thread alone. That is no pool: the caller
    // would wait for itself. Asking for the number first is what makes rayon decide, so the order matters.
    let threads = rayon::current_num_threads();
    if rayon::current_thread_index().is_some() {
        0
    } else {
        u32::try_from(threads).unwrap_or(u32::MAX)
    }
}

/// What each thread runs, given its number. A trait object, so that rayon's machinery is compiled once for all jobs.
pub type Body<'a> = &'a (dyn Fn(u32) + Sync);

/// Runs `body(0)` to `body(workers - 1)`, each on a thread of its own, and meanwhile `beside` on the calling worker,
/// until all have ended.
///
/// # Panics
/// The pool has fewer threads: waiting for the missing ones would hang for ever. Or `body` panicked.
pub fn run(workers: u32, body: Body<'_>, beside: &mut dyn FnMut()) {
    let threads = threads();
    assert!(
        workers <= threads,
        "{workers} threads asked of a pool of {threads}: the page starts as many as a job needs"
    );
    rayon::in_place_scope(|scope| {
        scope.spawn_broadcast(move |_, thread| {
            if let Ok(worker) = u32::try_from(thread.index())
                && worker < workers
            {
                body(worker);
            }
        });
        beside();
    });
}
