//! What the lessons say about waiting and computing, as assertions on what was measured. Not here: the words for it.
//!
//! A row is one sample, so a claim about speed has a grey zone instead of an interval.

use super::job_ms;
use crate::labs::claims::decided;
use crate::labs::{ClaimSpec, Decision, Evidence, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Sabotage, Strategy};

/// How much too short a time may look: a few steps of a coarse clock.
const CLOCK_MS: f64 = 5.0;

/// From this gain on it is one, up to that one it is none.
const GAIN: f64 = 1.25;
const NO_GAIN: f64 = 1.05;

/// What four cores give even a noisy run.
const CORES_GAIN: f64 = 1.5;

/// Where waits overlap, the jobs must really be mostly waits, and enough of them.
const MOSTLY_WAITS: Need = Need::All(&[
    Need::AtLeast("jobs", 4),
    Need::AtLeast("waitMs", 20),
    Need::Below("computeMs", 10, "waitMs"),
    Need::Below("workers", 50, "jobs"),
]);

const WAITING_IN_LINE: Need = Need::Ran(Strategy::Serial, Some("waiting-in-line"), None);
const COMPUTING_IN_LINE: Need = Need::Ran(Strategy::Serial, Some("computing-in-line"), None);

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "overlap-wins-when-jobs-wait",
        kind: ClaimKind::Speed,
        needs: &[
            WAITING_IN_LINE,
            Need::Ran(Strategy::EventLoop, Some("waiting-overlapped"), None),
            MOSTLY_WAITS,
        ],
        sabotage: Sabotage::AwaitThatBlocks,
        decide: |evidence| {
            let (line, overlapped) = (
                ms(evidence, Strategy::Serial, "waiting-in-line"),
                ms(evidence, Strategy::EventLoop, "waiting-overlapped"),
            );
            graded(line, overlapped, GAIN)
        },
    },
    ClaimSpec {
        id: "many-workers-win-too",
        kind: ClaimKind::Speed,
        needs: &[
            WAITING_IN_LINE,
            Need::Ran(Strategy::Processes, Some("waiting-many"), None),
            MOSTLY_WAITS,
        ],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: |evidence| {
            let (line, many) = (
                ms(evidence, Strategy::Serial, "waiting-in-line"),
                ms(evidence, Strategy::Processes, "waiting-many"),
            );
            graded(line, many, GAIN)
        },
    },
    ClaimSpec {
        id: "computing-does-not-overlap",
        kind: ClaimKind::Invariant,
        needs: &[
            Need::Ran(Strategy::EventLoop, Some("computing-overlapped"), None),
            Need::AtLeast("waitMs", 20),
        ],
        sabotage: Sabotage::CallThatDoesNotBlock,
        decide: |evidence| {
            let seen = ms(evidence, Strategy::EventLoop, "computing-overlapped");
            let least = f64::from(evidence.asked.unsigned("jobs")) * f64::from(job_ms(evidence.asked));
            let numbers = [("seen", seen), ("limit", least)];
            let numbers = numbers.map(|(id, ms)| (id, significant(ms, 3).into()));
            decided(seen >= least - CLOCK_MS, args(numbers))
        },
    },
    ClaimSpec {
        id: "cores-win-when-jobs-compute",
        kind: ClaimKind::Speed,
        needs: &[
            COMPUTING_IN_LINE,
            Need::Ran(Strategy::Processes, Some("computing-many"), None),
            Need::Cores(4),
            Need::AtLeast("jobs", 4),
            Need::AtLeast("waitMs", 20),
            Need::AtMost("workers", 1),
        ],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: |evidence| {
            let (line, many) = (
                ms(evidence, Strategy::Serial, "computing-in-line"),
                ms(evidence, Strategy::Processes, "computing-many"),
            );
            graded(line, many, CORES_GAIN)
        },
    },
];

fn ms(evidence: &Evidence<'_>, strategy: Strategy, variant: &str) -> f64 {
    let row = evidence.row(strategy, Some(variant), None);
    let sample = row.and_then(|row| row.samples.first());
    sample.map(|sample| sample.ms).unwrap_or_default()
}

/// True from a gain on, false where there is none, unclear between: one sample on a busy machine.
fn graded(line: f64, other: f64, gain: f64) -> Decision {
    let seen = line / other.max(f64::MIN_POSITIVE);
    let holds = match seen {
        _ if seen >= gain => Holds::True,
        _ if seen <= NO_GAIN => Holds::False,
        _ => Holds::NotApplicable,
    };
    let numbers = [("line", line), ("other", other), ("gain", seen)];
    Decision {
        holds,
        args: args(numbers.map(|(id, number)| (id, significant(number, 3).into()))),
    }
}
