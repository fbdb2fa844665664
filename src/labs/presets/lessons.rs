//! The lessons' machines: what their hardware decides, and the costs that follow from it.
//!
//! Not here: what CPython takes on the reference core (`python`).

use super::Preset;
use super::python::{Python, REFERENCE, constants};
use crate::machine::Nanoseconds;
use crate::machine::event_loop::LoopCosts;
use crate::machine::threads::{Costs, MemoryCosts, StartCost};

constants! {
    /// A machine against the reference core.
    Hardware {
        /// How fast a core that is alone runs Python, in thousandths of the reference core.
        speed_permille,
        /// How fast a core runs while all physical cores are busy, in thousandths of one that is alone.
        all_cores_permille,
        /// How fast a logical core runs while its sibling is busy, in thousandths.
        sibling_permille,
        /// How long the many system calls of a process's start take (mapping memory, finding and reading modules), in
        /// thousandths of the reference machine's.
        process_start_permille,
        /// The client's computing for one blocking request of the lesson's client, in nanoseconds.
        request_on_thread,
        /// The client's computing for one request of a task's, in nanoseconds.
        request_in_task,
    }
}

/// Lesson A: 4 virtual CPUs of a cloud.
///
/// * speed: the lesson's own 2.99 s for 8 × 150,000 names is 2.49 µs each, of 4.34 on the reference core.
/// * all cores: a common cloud processor (Cascade Lake) is published with 3.9 GHz on one core and 3.4 on all.
/// * siblings: the lesson's CPUs are taken for physical ones; two that shared a core could not be 3.2 times one.
/// * requests: one over asyncio's streams takes 0.33 ms on the reference core; a blocking one 0.3 ms by `urllib`, and a
///   client that keeps cookies, redirects and pools in hand two to three times that.
const LESSON_A: Hardware = Hardware {
    speed_permille: 1_740,
    all_cores_permille: 870,
    sibling_permille: 1_000,
    process_start_permille: 1_000,
    request_on_thread: 450_000,
    request_in_task: 190_000,
};

/// Lesson B: a sandbox with 20 logical CPUs.
///
/// * speed: a step of `squares` in 40 ns, of 72 on the reference core.
/// * all cores, siblings: as of a server processor of ten cores with two threads each.
/// * process start: a sandbox looks at each system call, and a start is full of them. By `spawn` the lesson's pool of four
///   takes 0.4 s to start, where the reference core would take 0.03.
/// * requests: the same client as anywhere, every system call of it slower.
const LESSON_B: Hardware = Hardware {
    speed_permille: 1_800,
    all_cores_permille: 800,
    sibling_permille: 620,
    process_start_permille: 12_000,
    request_on_thread: 650_000,
    request_in_task: 190_000,
};

/// Lesson C: a laptop's Core i5-1155G7, four cores with two threads each.
///
/// * speed: 1.07 s for 8 × 3 million steps of `modulo` are 44.6 ns each, of 83.1 on the reference core.
/// * all cores: 4.5 GHz on one core; on all four within 28 W about 2.9.
/// * siblings: two threads of one core get about 1.25 times the work of one done, as Intel says of Hyper-Threading.
/// * requests: sleeps stand in for them, so that little is left to compute.
const LESSON_C: Hardware = Hardware {
    speed_permille: 1_864,
    all_cores_permille: 650,
    sibling_permille: 620,
    process_start_permille: 1_000,
    request_on_thread: 100_000,
    request_in_task: 30_000,
};

/// Nothing is faster or slower than anything else.
const IDEAL: Hardware = Hardware {
    speed_permille: 1_000,
    all_cores_permille: 1_000,
    sibling_permille: 1_000,
    process_start_permille: 1_000,
    request_on_thread: 0,
    request_in_task: 0,
};

/// All presets, in the order of their ids.
pub(super) const PRESETS: [Preset; 4] = [
    preset("lesson-a", 4, 4, LESSON_A),
    preset("lesson-b", 10, 20, LESSON_B),
    preset("lesson-c", 4, 8, LESSON_C),
    preset("ideal", 4, 4, IDEAL),
];

const fn preset(id: &'static str, cores: u32, logical_cores: u32, hardware: Hardware) -> Preset {
    Preset {
        id,
        cores,
        logical_cores,
        hardware,
        python: REFERENCE,
    }
}

/// What things take there.
pub(super) fn costs(hardware: &Hardware, python: &Python) -> Costs {
    let on_core = |reference: u64| Nanoseconds(reference * 1000 / hardware.speed_permille.max(1));
    let starting = |reference: u64| on_core(reference * hardware.process_start_permille / 1000);
    let start = |child: u64| StartCost {
        parent: on_core(python.process_start),
        child: starting(child),
    };
    Costs {
        time_slice: Costs::IDEAL.time_slice,
        sibling_permille: permille(hardware.sibling_permille),
        all_cores_permille: permille(hardware.all_cores_permille),
        context_switch: on_core(python.context_switch),
        wake_up: Nanoseconds(python.wake_up),
        timer_slack: Nanoseconds(python.timer_slack),
        thread_start: on_core(python.thread_start),
        thread_begin: on_core(python.thread_begin),
        lock_call: on_core(python.lock_call),
        queue_call: on_core(python.queue_call),
        cell_transfer: Nanoseconds(python.cell_transfer),
        fork: start(python.fork_child),
        fork_server: start(python.fork_server_child),
        fork_server_start: starting(python.spawn_child),
        spawn: start(python.spawn_child),
        // What a child imports is part of its measured start.
        module_import: Nanoseconds::ZERO,
        interpreter_start: on_core(python.interpreter_start),
        process_item: on_core(python.process_item),
        process_kibibyte: on_core(python.process_kibibyte),
        interpreter_item: on_core(python.interpreter_item),
        interpreter_kibibyte: on_core(python.process_kibibyte),
        submit: on_core(python.submit),
        pool_call: on_core(python.pool_call),
        event_loop: LoopCosts {
            iteration: on_core(python.loop_iteration),
            callback: on_core(python.loop_callback),
            task: on_core(python.loop_task),
            timer: on_core(python.loop_timer),
        },
        poll: on_core(python.loop_poll),
        post: on_core(python.loop_post),
        request_on_thread: Nanoseconds(hardware.request_on_thread),
        request_in_task: Nanoseconds(hardware.request_in_task),
        compute_jitter_permille: permille(python.jitter_permille),
        core_phase: true,
        memory: MemoryCosts::CPYTHON,
    }
}

fn permille(value: u64) -> u32 {
    u32::try_from(value.min(1000)).unwrap_or(1000)
}
