//! What CPython and Linux take on the reference core: the part of a preset that is the same on all lessons' machines.
//!
//! Every number here was measured on one core of a 2.3 GHz Xeon (Sapphire Rapids, a virtual machine of two cores) under
//! CPython 3.13.0 and Linux, as time on the core (`time.thread_time_ns`) where the thing uses one: the median of
//! hundreds, or the least where that is said. None of them was taken from a figure of the lessons.
//!
//! Not here: how much faster the lessons' machines are (`lessons`).

/// A struct of numbers, and the same numbers by name: for a table of what each of them moves.
macro_rules! constants {
    ($(#[$of:meta])* $name:ident { $($(#[$doc:meta])* $field:ident),+ $(,)? }) => {
        $(#[$of])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $($(#[$doc])* pub $field: u64),+ }

        impl $name {
            /// The names of all of them.
            pub const NAMES: &[&str] = &[$(stringify!($field)),+];

            /// The one of this name.
            pub fn by_name(&mut self, name: &str) -> Option<&mut u64> {
                match name {
                    $(stringify!($field) => Some(&mut self.$field),)+
                    _ => None,
                }
            }
        }
    };
}
pub(super) use constants;

constants! {
    /// What things take on the reference core; nanoseconds unless the name says otherwise.
    Python {
        /// One name of `names`, in picoseconds: choices, a count of each letter in a dict, the logarithms.
        names_ps,
        /// One step of `squares`, in picoseconds. A step below 2³⁰ takes a sixth less; they are the first 1,477 of any
        /// task. One above 2⁶⁰ takes no more than one below.
        squares_ps,
        /// One step of `modulo`, in picoseconds.
        modulo_ps,
        /// `names` on the free-threaded build against the default build, in thousandths. As a difference of builds
        /// compiled alike, 16 %; Python's documentation says 1 to 8 % on average over its benchmarks.
        free_threaded_names_permille,
        /// Objects that threads share and whose reference count one name of `names` touches: the function `math.log2`,
        /// once for each distinct letter, of which 16 out of 36 have 36 · (1 − (35/36)¹⁶) = 13.05 on average.
        shared_touches_a_name,
        /// `hashlib.sha256(message).digest()` in a loop, without what the message's bytes take. This and the next two were
        /// measured in turns with `squares`, while the machine did other things too, and are given in proportion to it.
        hash_call,
        /// SHA-256 of 1024 bytes by OpenSSL 3.0 with the processor's instructions for it, in picoseconds.
        hash_kibibyte_ps,
        /// A file of 64 KiB that the system has cached is opened, read and closed.
        file_read,
        /// `x += 1` of a global, from the read to the write: 65 ns with its loop, without the loop (19) and the read (4).
        addition_window,
        /// The rest of the loop around it, and the read.
        addition_rest,
        /// A function call between the read and the write, in addition: 81 ns a round instead of 65.
        addition_call,

        /// A core begins another thread: the direct cost of Li, Ding and Shen, “Quantifying the cost of context switch”
        /// (2007).
        context_switch,
        /// From waking a thread to its going on. Of two threads that compute in turn, a slice lasts 5.15 ms where the
        /// interval is 5 ms and 1.13 where it is 1: a late timer, and one wake-up each to ask and to take over.
        wake_up,
        /// How much later than asked a timer wakes a thread: Linux's `PR_SET_TIMERSLACK`, 50 µs by default.
        timer_slack,
        /// `thread.start()`, on the thread that starts another.
        thread_start,
        /// A new thread's way to its first line.
        thread_begin,
        /// `lock.acquire()` or `lock.release()`: the least.
        lock_call,
        /// `queue.put()` or `queue.get()`: the least.
        queue_call,
        /// A line of memory that another core has is fetched from there: the least of two cores taking turns with one
        /// atomic number. No faster on a faster core.
        cell_transfer,
        /// `process.start()`, on the starting thread, by any start method.
        process_start,
        /// A copied process's way to its first line.
        fork_child,
        /// The same of a copy of the fork server, which imports the main module first: one that imports
        /// `concurrent.futures`, `multiprocessing`, `random` and `math`.
        fork_server_child,
        /// The same of a new Python with the same main module, and about what the fork server itself takes to start.
        spawn_child,
        /// `_interpreters.create()`, which is 10 ms of it, and importing the same main module, of which a function is to
        /// be called there.
        interpreter_start,
        /// Packing or unpacking one call or result for a process pool: a `map` of 3,000 trivial calls took 100 µs a call
        /// in the parent and 45 in the worker, of which each packs once and unpacks once.
        process_item,
        /// `pickle.dumps` or `loads` of 1024 bytes: 468 µs for both on 1 MiB.
        process_kibibyte,
        /// A call into another interpreter: `_interpreters.exec(id, "pass")` and pickling the call and the result.
        interpreter_item,
        /// `executor.submit`: the least.
        submit,
        /// A pool's thread takes a call and settles its future: the least.
        pool_call,
        /// One round of an event loop: a task that sleeps for 0 s takes 5.1 µs a round with its step.
        loop_iteration,
        /// One callback of `call_soon`.
        loop_callback,
        /// `asyncio.create_task`
        loop_task,
        /// `loop.call_later`
        loop_timer,
        /// `epoll.poll(0)`: for so long the loop lets go of the interpreter lock.
        loop_poll,
        /// `loop.call_soon_threadsafe`
        loop_post,
        /// How much any computing differs from one time to the next, to either side, in thousandths: what the least and
        /// the median of the numbers here differ by where nothing else runs.
        jitter_permille,
    }
}

/// The numbers.
pub const REFERENCE: Python = Python {
    names_ps: 4_338_000,
    squares_ps: 72_100,
    modulo_ps: 83_100,
    free_threaded_names_permille: 1_160,
    shared_touches_a_name: 13,
    hash_call: 420,
    hash_kibibyte_ps: 674_000,
    file_read: 7_300,
    addition_window: 42,
    addition_rest: 23,
    addition_call: 17,

    context_switch: 3_800,
    wake_up: 50_000,
    timer_slack: 50_000,
    thread_start: 17_000,
    thread_begin: 9_300,
    lock_call: 44,
    queue_call: 1_280,
    cell_transfer: 66,
    process_start: 380_000,
    fork_child: 1_400_000,
    fork_server_child: 20_700_000,
    spawn_child: 58_200_000,
    interpreter_start: 44_700_000,
    process_item: 36_000,
    process_kibibyte: 230,
    interpreter_item: 20_000,
    submit: 6_600,
    pool_call: 1_700,
    loop_iteration: 4_200,
    loop_callback: 900,
    loop_task: 4_900,
    loop_timer: 3_500,
    loop_poll: 690,
    loop_post: 1_700,
    jitter_permille: 10,
};
