//! What the lessons say about counting together, as assertions. Not here: the words for it.

use crate::labs::claims::decided;
use crate::labs::counting::{counted, median_lost, off_by};
use crate::labs::evidence::median_hand_overs;
use crate::labs::{ClaimSpec, Decision, Evidence, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Runtime, Sabotage, Strategy};

/// Hand-overs of the lock without which a run may lose nothing by chance.
const LEAST_HAND_OVERS: u32 = 15;

/// Share of the time, in percent, that threads must overlap before "nothing was lost" would mean anything.
const LEAST_OVERLAP: u32 = 50;

const fn ran(variant: &'static str, runtime: Option<Runtime>) -> Need {
    Need::Ran(Strategy::Threads, Some(variant), runtime)
}

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "lock-loses-none",
        kind: ClaimKind::Invariant,
        needs: &[ran("lock", None)],
        sabotage: Sabotage::LockThatDoesNotLock,
        decide: |evidence| loses_none(evidence, "lock", None),
    },
    ClaimSpec {
        id: "atomic-loses-none",
        kind: ClaimKind::Invariant,
        needs: &[ran("atomic", None)],
        sabotage: Sabotage::AtomicThatTears,
        decide: |evidence| loses_none(evidence, "atomic", None),
    },
    ClaimSpec {
        id: "own-then-merge-loses-none",
        kind: ClaimKind::Invariant,
        needs: &[ran("own-then-merge", None)],
        sabotage: Sabotage::SharedOwnCounters,
        decide: |evidence| loses_none(evidence, "own-then-merge", None),
    },
    ClaimSpec {
        id: "queue-loses-none",
        kind: ClaimKind::Invariant,
        needs: &[ran("queue", None)],
        sabotage: Sabotage::QueueThatDrops,
        decide: |evidence| loses_none(evidence, "queue", None),
    },
    ClaimSpec {
        id: "free-threaded-plain-loses",
        kind: ClaimKind::Invariant,
        needs: &[
            ran("plain", Some(Runtime::FreeThreaded)),
            Need::Overlap("plain", Runtime::FreeThreaded, LEAST_OVERLAP),
            Need::Size(10_000),
        ],
        sabotage: Sabotage::PlainThatIsAtomic,
        decide: |evidence| loses_in(evidence, "plain", Runtime::FreeThreaded, 1),
    },
    ClaimSpec {
        id: "gil-plain-is-lucky",
        kind: ClaimKind::Invariant,
        needs: &[ran("plain", Some(Runtime::Gil))],
        sabotage: Sabotage::NoInterpreterLock,
        decide: |evidence| loses_none(evidence, "plain", Some(Runtime::Gil)),
    },
    ClaimSpec {
        id: "gil-legacy-plain-loses",
        kind: ClaimKind::Speed,
        needs: &[
            ran("plain", Some(Runtime::GilLegacy)),
            Need::HandOvers("plain", Runtime::GilLegacy, LEAST_HAND_OVERS),
        ],
        sabotage: Sabotage::PlainThatIsAtomic,
        decide: |evidence| loses_in_most(evidence, "plain", Runtime::GilLegacy),
    },
    ClaimSpec {
        id: "gil-call-loses",
        kind: ClaimKind::Speed,
        needs: &[
            ran("call", Some(Runtime::Gil)),
            Need::HandOvers("call", Runtime::Gil, LEAST_HAND_OVERS),
        ],
        sabotage: Sabotage::CallWithoutCheckPoint,
        decide: |evidence| loses_in_most(evidence, "call", Runtime::Gil),
    },
    ClaimSpec {
        id: "gil-wide-loses-over-half",
        kind: ClaimKind::Speed,
        needs: &[
            ran("wide", Some(Runtime::Gil)),
            Need::Size(10_000),
            Need::AtLeast("threads", 3),
        ],
        sabotage: Sabotage::WideThatKeepsTheLock,
        decide: |evidence| {
            let row = evidence.row(Strategy::Threads, Some("wide"), Some(Runtime::Gil));
            let lost = row.and_then(median_lost).unwrap_or_default();
            let expected = row
                .and_then(|row| counted(row).last().map(|one| one.expected))
                .unwrap_or(1);
            let share = f64::from(lost) / f64::from(expected.max(1));
            let numbers = args([("lost", lost.into()), ("share", significant(share, 3).into())]);
            decided(share > 0.5, numbers)
        },
    },
];

/// No run of any such row lost anything, the warm-up included: always means always.
fn loses_none(evidence: &Evidence<'_>, variant: &str, runtime: Option<Runtime>) -> Decision {
    let rows = evidence.taken.rows.iter().filter(|row| {
        let is_asked = runtime.is_none_or(|runtime| row.subject.runtime == Some(runtime));
        row.subject.variant.as_deref() == Some(variant) && is_asked
    });
    let losses: Vec<u32> = rows.flat_map(off_by).collect();
    let n_runs = u32::try_from(losses.len()).unwrap_or(u32::MAX);
    let lost = losses.iter().copied().max().unwrap_or_default();
    decided(lost == 0, args([("runs", n_runs.into()), ("lost", lost.into())]))
}

fn loses_in_most(evidence: &Evidence<'_>, variant: &str, runtime: Runtime) -> Decision {
    let row = evidence.row(Strategy::Threads, Some(variant), Some(runtime));
    let n_samples = row.map_or(0, |row| row.samples.len());
    loses_in(evidence, variant, runtime, n_samples / 2 + 1)
}

/// At least so many samples lost something.
fn loses_in(evidence: &Evidence<'_>, variant: &str, runtime: Runtime, n_least: usize) -> Decision {
    let row = evidence.row(Strategy::Threads, Some(variant), Some(runtime));
    let counts = row.map(counted).unwrap_or_default();
    let n_losing = counts.iter().filter(|one| one.lost() > 0).count();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let hand_overs = row.and_then(median_hand_overs).unwrap_or_default();
    let numbers = args([
        ("losing", count(n_losing).into()),
        ("runs", count(counts.len()).into()),
        ("handOvers", hand_overs.into()),
    ]);
    decided(n_losing >= n_least, numbers)
}
