//! What things take on a machine: every constant of the model, in one place.
//!
//! A preset fills this in, each constant with a cause and a source. [`Costs::IDEAL`] is the machine on which nothing
//! takes anything but what the lab says. Costs on a core are computed by the thread that is named, and can be
//! preempted like any other computing; latencies use no core.
//!
//! Not here: the values of any real machine, and what is done with these.

use crate::machine::Nanoseconds;
use crate::machine::event_loop::LoopCosts;

/// The constants of a machine. Times in nanoseconds, speeds in thousandths, memory in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Costs {
    /// How long a thread keeps a core while others wait for one. No cost but the scheduler's rule, so 3 ms on the ideal
    /// machine too: Linux's `base_slice_ns` is 2.8 ms and up.
    pub time_slice: Nanoseconds,
    /// Speed of a logical core while its sibling on the same physical core is busy too: about 650 with simultaneous
    /// multithreading; 1000 where logical cores share nothing.
    pub sibling_permille: u32,
    /// Speed of a core while every physical core is busy, against one that is alone (turbo, power, shared caches);
    /// linear in the number of busy cores in between.
    pub all_cores_permille: u32,
    /// A core begins another thread than it ran last: saving, loading, cold caches. On the core, before anything else.
    pub context_switch: Nanoseconds,
    /// From the moment a thread is woken to the moment it tries to go on: a latency, exponential by the seed where there
    /// is [`compute_jitter_permille`](Self::compute_jitter_permille), else constant.
    pub wake_up: Nanoseconds,
    /// How much later than asked a timer wakes a thread: 50 µs by default on Linux (`PR_SET_TIMERSLACK`).
    pub timer_slack: Nanoseconds,

    /// `thread.start()`: on the thread that starts another.
    pub thread_start: Nanoseconds,
    /// A thread's way to its first line: on the new thread.
    pub thread_begin: Nanoseconds,
    /// A lock, semaphore, event, condition, barrier or future is asked something; on the asking thread.
    pub lock_call: Nanoseconds,
    /// A `queue.Queue` is asked something: a lock and a condition in Python.
    pub queue_call: Nanoseconds,
    /// A cell that another core touched last is fetched from there: on the thread that touches it. Only without the
    /// interpreter lock.
    pub cell_transfer: Nanoseconds,

    /// Starting a process by copying this one.
    pub fork: StartCost,
    /// Starting a process by asking the fork server.
    pub fork_server: StartCost,
    /// The fork server itself, at its first use: on the first child's way.
    pub fork_server_start: Nanoseconds,
    /// Starting a process as a new Python.
    pub spawn: StartCost,
    /// What the main module imports, before its first line, in a child that imports it again.
    pub module_import: Nanoseconds,
    /// A new interpreter: on the thread that makes it.
    pub interpreter_start: Nanoseconds,

    /// Packing or unpacking one call or result for another process: on the side that does it.
    pub process_item: Nanoseconds,
    /// And each 1024 bytes of it.
    pub process_kibibyte: Nanoseconds,
    /// Packing and unpacking one call or result for another interpreter: on the worker.
    pub interpreter_item: Nanoseconds,
    /// And each 1024 bytes of it.
    pub interpreter_kibibyte: Nanoseconds,
    /// `executor.submit`: on the thread that submits.
    pub submit: Nanoseconds,
    /// A pool's worker takes a call and settles its future, without the call itself.
    pub pool_call: Nanoseconds,

    /// What an event loop's own work takes.
    pub event_loop: LoopCosts,
    /// How long a loop's look at the selector lets go of the interpreter lock when there is nothing to wait for; a
    /// waiter that is woken sooner gets the lock. Part of an iteration's cost, not in addition to it.
    pub poll: Nanoseconds,
    /// Waking an event loop from another thread (`call_soon_threadsafe`): on that thread.
    pub post: Nanoseconds,
    /// The client's own computing for one blocking request.
    pub request_on_thread: Nanoseconds,
    /// The client's own computing for one request of a task's.
    pub request_in_task: Nanoseconds,

    /// How far each computing may differ from what it is asked to be, to either side, by the seed.
    pub compute_jitter_permille: u32,
    /// Whether a thread's first slice begins anywhere within a slice, by the seed, as if others had run before.
    pub core_phase: bool,

    /// What memory things take.
    pub memory: MemoryCosts,
}

/// What the start of a process takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartCost {
    /// On the thread that starts it.
    pub parent: Nanoseconds,
    /// On the new process's first thread, before it imports or runs anything.
    pub child: Nanoseconds,
}

/// What memory things take, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryCosts {
    /// A process with a Python and nothing of the lab's.
    pub process: u64,
    /// One more interpreter in a process.
    pub interpreter: u64,
    /// One more thread: the touched part of its stack, and its Python state.
    pub thread: u64,
    /// And the address space that is set aside for its stack, touched or not. It counts against limits of containers
    /// and of 32-bit systems, not against the machine's memory.
    pub thread_stack: u64,
    /// One more task with its coroutine.
    pub task: u64,
}

impl MemoryCosts {
    /// Read from `/proc/self/status` (`VmRSS`) of CPython 3.13.0 on Linux x86-64, as the difference that 1,000 waiting
    /// threads, 10,000 sleeping tasks and 50 interpreters make. The stack is glibc's default, `ulimit -s`.
    pub const CPYTHON: Self = Self {
        process: 9_494_528,
        interpreter: 2_362_573,
        thread: 16_372,
        thread_stack: 8 << 20,
        task: 1_350,
    };
}

impl Costs {
    /// The machine on which nothing takes anything but what the lab says, and nothing is left to chance. Memory counts
    /// as everywhere.
    pub const IDEAL: Self = Self {
        time_slice: Nanoseconds::millis(3),
        sibling_permille: 1000,
        all_cores_permille: 1000,
        context_switch: Nanoseconds::ZERO,
        wake_up: Nanoseconds::ZERO,
        timer_slack: Nanoseconds::ZERO,
        thread_start: Nanoseconds::ZERO,
        thread_begin: Nanoseconds::ZERO,
        lock_call: Nanoseconds::ZERO,
        queue_call: Nanoseconds::ZERO,
        cell_transfer: Nanoseconds::ZERO,
        fork: StartCost::NONE,
        fork_server: StartCost::NONE,
        fork_server_start: Nanoseconds::ZERO,
        spawn: StartCost::NONE,
        module_import: Nanoseconds::ZERO,
        interpreter_start: Nanoseconds::ZERO,
        process_item: Nanoseconds::ZERO,
        process_kibibyte: Nanoseconds::ZERO,
        interpreter_item: Nanoseconds::ZERO,
        interpreter_kibibyte: Nanoseconds::ZERO,
        submit: Nanoseconds::ZERO,
        pool_call: Nanoseconds::ZERO,
        event_loop: LoopCosts {
            iteration: Nanoseconds::ZERO,
            callback: Nanoseconds::ZERO,
            task: Nanoseconds::ZERO,
            timer: Nanoseconds::ZERO,
        },
        poll: Nanoseconds::ZERO,
        post: Nanoseconds::ZERO,
        request_on_thread: Nanoseconds::ZERO,
        request_in_task: Nanoseconds::ZERO,
        compute_jitter_permille: 0,
        core_phase: false,
        memory: MemoryCosts::CPYTHON,
    };
}

impl StartCost {
    /// Nothing.
    pub const NONE: Self = Self {
        parent: Nanoseconds::ZERO,
        child: Nanoseconds::ZERO,
    };
}
