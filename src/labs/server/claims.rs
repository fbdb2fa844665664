//! What the lessons say about one request, as assertions on what was measured. Not here: the words for it.
//!
//! Waits can only be longer than planned, never shorter: that is an invariant. That nothing comes late depends on a machine
//! that is not busy, and a row is one sample, so a claim about speed has a grey zone instead of an interval.

use super::{CALL_MS, CALLS, took};
use crate::labs::claims::decided;
use crate::labs::{ClaimSpec, Decision, Evidence, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Sabotage, Strategy};

/// How much too short a time may look: a few steps of a coarse clock.
const CLOCK_MS: f64 = 5.0;

/// At most this share of the wait is half of it; from the second on it is no gain.
const HALF: f64 = 0.75;
const NO_GAIN: f64 = 0.95;

const ONE_BY_ONE: Need = Need::Ran(Strategy::EventLoop, Some("one-by-one"), None);
const AT_ONCE: Need = Need::Ran(Strategy::EventLoop, Some("at-once"), None);

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "at-once-halves-the-wait",
        kind: ClaimKind::Speed,
        needs: &[ONE_BY_ONE, AT_ONCE],
        sabotage: Sabotage::GroupThatRunsOneAfterAnother,
        decide: |evidence| {
            let (line, both) = (ms(evidence, "one-by-one"), ms(evidence, "at-once"));
            let holds = match both / line.max(f64::MIN_POSITIVE) {
                share if share <= HALF => Holds::True,
                share if share >= NO_GAIN => Holds::False,
                _ => Holds::NotApplicable,
            };
            decision(holds, both, line)
        },
    },
    ClaimSpec {
        id: "a-wait-takes-its-time",
        kind: ClaimKind::Invariant,
        needs: &[ONE_BY_ONE, AT_ONCE],
        sabotage: Sabotage::CallThatDoesNotBlock,
        decide: |evidence| {
            let (line, both) = (ms(evidence, "one-by-one"), ms(evidence, "at-once"));
            let (call, calls) = (f64::from(CALL_MS), f64::from(CALLS));
            let holds = line >= call * calls - CLOCK_MS && both >= call - CLOCK_MS;
            Decision {
                args: decision(Holds::True, both, line).args,
                ..decided(holds, args([]))
            }
        },
    },
];

fn ms(evidence: &Evidence<'_>, variant: &str) -> f64 {
    let row = evidence.row(Strategy::EventLoop, Some(variant), None);
    row.and_then(took).unwrap_or_default()
}

fn decision(holds: Holds, both: f64, line: f64) -> Decision {
    let numbers = [("both", both), ("line", line)];
    Decision {
        holds,
        args: args(numbers.map(|(id, ms)| (id, significant(ms, 3).into()))),
    }
}
