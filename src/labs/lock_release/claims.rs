//! What the lessons say of code that lets go of the lock, as assertions on what was measured. Not here: the words.

use super::{Kind, known, seen};
use crate::labs::claims::{above, at_most, decided};
use crate::labs::{ClaimSpec, Decision, Evidence, Need};
use crate::measure::TakenRow;
use crate::measure::digits;
use crate::measure::statistics::Estimate;
use crate::text::args;
use crate::wire::{ClaimKind, HashesSeen, Holds, Named, Runtime, Sabotage, Strategy};
use crate::workloads::sha256::{KEEPS_LOCK_UP_TO_BYTES, releases_lock};

/// A gain below this is none.
pub const NO_GAIN: f64 = 1.1;

/// A gain over this is one that four cores give even a noisy run.
pub const GAIN: f64 = 1.5;

/// The longest input for which the lock is kept.
#[allow(clippy::cast_possible_truncation, reason = "a small constant")]
pub const LONGEST_KEPT: u32 = KEEPS_LOCK_UP_TO_BYTES as u32;

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "same-digests",
        kind: ClaimKind::Invariant,
        needs: &[Need::Ran(Strategy::Serial, None, None)],
        sabotage: Sabotage::WrongTotals,
        decide: same_digests,
    },
    ClaimSpec {
        id: "released-exactly",
        kind: ClaimKind::Invariant,
        needs: &[
            Need::Ran(Strategy::Serial, None, None),
            Need::Other("runtime", "free-threaded"),
        ],
        sabotage: Sabotage::HashThatKeepsTheLock,
        decide: released_exactly,
    },
    ClaimSpec {
        id: "big-scale",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Threads, Some("big"), Some(Runtime::Gil)),
            Need::Cores(4),
            Need::AtLeast("threads", 4),
            Need::AtLeast("tasks", 4),
            Need::LongSamples(20),
            Need::QuietMachine,
        ],
        sabotage: Sabotage::HashThatKeepsTheLock,
        decide: |evidence| {
            let speedup = speedup(evidence, Kind::Big);
            above(speedup, GAIN, numbers(speedup))
        },
    },
    ClaimSpec {
        id: "small-do-not",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Threads, Some("small"), Some(Runtime::Gil)),
            Need::AtMost("messageBytes", LONGEST_KEPT),
            Need::QuietMachine,
        ],
        sabotage: Sabotage::NoInterpreterLock,
        decide: |evidence| {
            let speedup = speedup(evidence, Kind::Small);
            at_most(speedup, NO_GAIN, numbers(speedup))
        },
    },
];

/// Several threads under the lock against one.
fn speedup(evidence: &Evidence<'_>, kind: Kind) -> Option<Estimate> {
    evidence.speedup(evidence.row(Strategy::Threads, Some(kind.id()), Some(Runtime::Gil)))
}

/// Every run of a row, the warm-up included.
fn runs(row: &TakenRow) -> impl Iterator<Item = &HashesSeen> {
    row.warm_up.iter().chain(&row.samples).filter_map(seen)
}

/// All digests of inputs of one length are the same, and Python's where that is known.
fn same_digests(evidence: &Evidence<'_>) -> Decision {
    let all: Vec<&HashesSeen> = evidence.taken.rows.iter().flat_map(runs).collect();
    let right = |run: &HashesSeen| {
        let first = all.iter().find(|other| other.input_bytes == run.input_bytes);
        let first = first.and_then(|other| other.digests.first());
        let known = known::digest(run.input_bytes);
        run.digests
            .iter()
            .all(|digest| Some(digest) == first && known.is_none_or(|known| known == digest))
    };
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let known = all.iter().filter(|run| known::digest(run.input_bytes).is_some());
    let numbers = args([
        ("runs", count(all.len()).into()),
        ("known", count(known.count()).into()),
    ]);
    decided(all.iter().all(|run| right(run)), numbers)
}

/// Under the lock every input that is long enough lets go of it once, and no other does.
fn released_exactly(evidence: &Evidence<'_>) -> Decision {
    let locked = evidence
        .taken
        .rows
        .iter()
        .filter(|row| row.subject.runtime != Some(Runtime::FreeThreaded));
    let all: Vec<&HashesSeen> = locked.flat_map(runs).collect();
    let expected = |run: &HashesSeen| {
        if releases_lock(run.input_bytes as usize) {
            run.inputs
        } else {
            0
        }
    };
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let wrong = all.iter().find(|run| run.releases != expected(run));
    let numbers = args([
        ("runs", count(all.len()).into()),
        ("releases", wrong.map_or(0, |run| run.releases).into()),
        ("expected", wrong.map_or(0, |run| expected(run)).into()),
    ]);
    if all.is_empty() {
        return Decision {
            holds: Holds::NotApplicable,
            args: numbers,
        };
    }
    decided(wrong.is_none(), numbers)
}

fn numbers(estimate: Option<Estimate>) -> Named {
    let Estimate { value, low, high } = estimate.unwrap_or(Estimate {
        value: 0.0,
        low: 0.0,
        high: 0.0,
    });
    let shown = |number| digits::rounded(number, low, high).into();
    args([("value", shown(value)), ("low", shown(low)), ("high", shown(high))])
}
