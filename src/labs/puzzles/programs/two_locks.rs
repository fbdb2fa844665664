//! Transfers that need two locks, and take them in opposite order, or all in the same.

use super::super::Goal;
use super::Known;
use super::transfers::transfers;
use crate::explore::small::Step;

/// Each holds what the other needs.
pub const KNOWN: Known = Known {
    id: "two-locks",
    most_threads: 8,
    repeats: false,
    build: |shape| {
        transfers(shape, Vec::new(), Some(Goal::Deadlock), |code, first, second| {
            code.line(Step::Acquire(first));
            code.sleep();
            code.line(Step::Acquire(second));
        })
    },
};
