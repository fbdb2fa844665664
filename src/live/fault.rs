//! Breaks a pool thread in one of five ways, for the tests of what the page does about it.
//!
//! Not here: surviving it. In WebAssembly the instance is lost each time; natively only the panic is survivable.

use std::hint::black_box;

use super::pool;
use crate::wire::{Fault, JobOutcome};

/// Breaks a thread of the pool, or this worker where it has none.
///
/// # Panics
/// Asked to; the other faults end worse, or never.
pub fn perform(fault: Fault) -> JobOutcome {
    if pool::threads() > 0 {
        pool::run(1, &|_| break_down(fault), &mut || ())
    } else {
        break_down(fault)
    }
    unreachable!("no fault returns")
}

fn break_down(fault: Fault) {
    match fault {
        Fault::Panic => panic!("a fault was asked for"),
        Fault::ExhaustMemory => exhaust_memory(),
        Fault::EndlessLoop => endless_loop(),
        Fault::StackOverflow => drop(black_box(overflow_stack(0))),
        Fault::Trap => trap(),
    }
}

/// Unlike a panic it says nothing, to nobody.
fn trap() -> ! {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    panic!("a trap was asked for");
}

fn exhaust_memory() {
    let mut kept = Vec::new();
    loop {
        // Written to and kept, so that neither the optimiser nor the operating system can leave it out.
        kept.push(vec![1_u8; 1 << 24]);
        black_box(&kept);
    }
}

fn endless_loop() {
    let mut turns = 0_u64;
    loop {
        turns = black_box(turns.wrapping_add(1));
    }
}

#[allow(unconditional_recursion, reason = "that is the fault")]
#[inline(never)]
fn overflow_stack(depth: u64) -> u64 {
    // The frame is used after the call, so the call cannot become a jump.
    let frame = black_box([depth; 64]);
    overflow_stack(depth + 1) + black_box(frame).iter().sum::<u64>()
}
