//! The pool of the build without shared memory: there is none. Not here: a pretence of one.

/// Threads of the pool: none.
pub fn threads() -> u32 {
    0
}

/// What each thread would run, given its number.
pub type Body<'a> = &'a (dyn Fn(u32) + Sync);

/// Never runs anything.
///
/// # Panics
/// Always: the session asks for threads only where shared memory works.
pub fn run(workers: u32, _body: Body<'_>, _beside: &mut dyn FnMut()) {
    panic!("{workers} threads asked of the build that has no pool: the page loads the threaded build for them");
}
