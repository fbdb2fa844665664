//! Transfers that take two locks in opposite order, and give up on the second after a while: loudly.

use super::super::Goal;
use super::super::code::{SEEN, seen};
use super::Known;
use super::transfers::{GOT_IT, IN_VAIN, transfers};
use crate::explore::small::{Operand, Step, Test};

/// Nobody stands still: who does not get the second lock gives the first one back and fails.
pub const KNOWN: Known = Known {
    id: "two-locks-within",
    most_threads: 8,
    repeats: false,
    build: |shape| {
        transfers(shape, vec![GOT_IT], Some(Goal::Fail), |code, first, second| {
            code.line(Step::Acquire(first));
            code.sleep();
            code.line(Step::AcquireWithin {
                lock: second,
                into: SEEN,
            });
            let got_it = code.unless(IN_VAIN);
            code.line(Step::Release(first));
            code.glued(Step::Assert(Test::Equal(seen(0), Operand::Number(1))));
            code.land(got_it);
        })
    },
};
