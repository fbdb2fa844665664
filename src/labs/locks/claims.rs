//! What is claimed of counting on real threads: nothing is lost, and what it costs falls. Not here: the words for it.

use super::{SHARING, addition_ns};
use crate::labs::claims::decided;
use crate::labs::counting::off_by;
use crate::labs::rows::median_ms;
use crate::labs::{ClaimSpec, Decision, Evidence, Need};
use crate::measure::TakenRow;
use crate::measure::digits::significant;
use crate::measure::verdict::{Verdict, compare};
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Runtime, Sabotage, Strategy};

const fn ran(variant: &'static str) -> Need {
    Need::Ran(Strategy::Threads, Some(variant), Some(Runtime::FreeThreaded))
}

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "nothing-lost",
        kind: ClaimKind::Invariant,
        needs: &[Need::Ran(Strategy::Threads, None, None)],
        sabotage: Sabotage::LockThatDoesNotLock,
        decide: nothing_lost,
    },
    ClaimSpec {
        id: "cost-falls",
        kind: ClaimKind::Speed,
        needs: &[
            ran("one-lock"),
            ran("sharded"),
            ran("queue"),
            ran("own-then-merge"),
            // Threads that never run at the same time are never in each other's way.
            Need::Cores(4),
            Need::QuietMachine,
        ],
        sabotage: Sabotage::SharedOwnCounters,
        decide: cost_falls,
    },
];

/// In no run of any row, the warm-up included.
fn nothing_lost(evidence: &Evidence<'_>) -> Decision {
    let losses: Vec<u32> = evidence.taken.rows.iter().flat_map(off_by).collect();
    let lost = losses.iter().copied().max().unwrap_or_default();
    let n_runs = u32::try_from(losses.len()).unwrap_or(u32::MAX);
    decided(lost == 0, args([("runs", n_runs.into()), ("lost", lost.into())]))
}

/// Each is faster than the one before by the rule that compares any two rows: false where one is slower, and not clear
/// where two do not differ.
fn cost_falls(evidence: &Evidence<'_>) -> Decision {
    let rows: Vec<&TakenRow> = SHARING
        .iter()
        .filter_map(|(id, _)| evidence.row(Strategy::Threads, Some(id), Some(Runtime::FreeThreaded)))
        .collect();
    let steps = rows.iter().zip(rows.iter().skip(1));
    let verdicts = steps.map(|(one, next)| {
        let compared = compare(&one.samples_ms(), &next.samples_ms(), evidence.asked.seed);
        compared.map_or(Verdict::TooFew, |comparison| comparison.verdict)
    });
    let verdicts: Vec<Verdict> = verdicts.collect();
    let holds = if verdicts.contains(&Verdict::Slower) {
        Holds::False
    } else if verdicts.iter().all(|verdict| *verdict == Verdict::Faster) {
        Holds::True
    } else {
        Holds::NotApplicable
    };
    let ns = |at: usize| {
        let ms = rows.get(at).map(|row| median_ms(row)).unwrap_or_default();
        significant(addition_ns(evidence, ms), 3)
    };
    Decision {
        holds,
        args: args([
            ("oneLock", ns(0).into()),
            ("sharded", ns(1).into()),
            ("queue", ns(2).into()),
            ("own", ns(3).into()),
        ]),
    }
}
