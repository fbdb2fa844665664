//! Two who are polite: whoever cannot have the second lock gives the first one back, and tries again.

use super::super::code::SEEN;
use super::Known;
use super::transfers::{GOT_IT, IN_VAIN, transfers};
use crate::explore::small::Step;

/// No deadlock, and yet it need not end: both may give way to each other for ever.
pub const KNOWN: Known = Known {
    id: "back-off",
    most_threads: 2,
    repeats: false,
    build: |shape| {
        transfers(shape, vec![GOT_IT], None, |code, first, second| {
            code.loops();
            let head = code.here();
            code.line(Step::Acquire(first));
            code.sleep();
            code.line(Step::TryAcquire {
                lock: second,
                into: SEEN,
            });
            let got_it = code.unless(IN_VAIN);
            code.line(Step::Release(first));
            code.glued(Step::Jump(head));
            code.land(got_it);
        })
    },
};
