//! What the lessons say of code that lets go of the lock, of the modelled numbers. Not here: the words for it.

use super::super::claims::{GAIN, LONGEST_KEPT, NO_GAIN};
use super::cases::{VARIANTS, cases};
use crate::labs::claims::decided;
use crate::labs::{Decision, ModelClaim, Modelled, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Row, Runtime, Sabotage, Strategy};
use crate::workloads::sha256::releases_lock;

/// Work shorter than this, by one thread, says nothing of a pool: starting its threads takes some tenths of a
/// millisecond.
const LONG_MS: f64 = 5.0;

/// How much longer a process pool takes than threads, at least, where megabytes are sent.
const DEARER: f64 = 1.1;

/// How much less one gain may be than another and still be as much.
const NEARLY: f64 = 0.95;

/// What a gain takes.
const FOUR_CORES: Need = Need::All(&[
    Need::AtLeast("cores", 4),
    Need::AtLeast("threads", 4),
    Need::AtLeast("tasks", 4),
]);

pub const CLAIMS: &[ModelClaim] = &[
    ModelClaim {
        id: "released-exactly",
        kind: ClaimKind::Invariant,
        needs: &[Need::Other("runtime", "free-threaded")],
        sabotage: Sabotage::HashThatKeepsTheLock,
        decide: released_exactly,
    },
    ModelClaim {
        id: "big-scale",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Threads, Some("big"), Some(Runtime::Gil)),
            FOUR_CORES,
        ],
        sabotage: Sabotage::HashThatKeepsTheLock,
        decide: |modelled| gains(modelled, "big"),
    },
    ModelClaim {
        id: "small-do-not",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Threads, Some("small"), Some(Runtime::Gil)),
            Need::AtMost("messageBytes", LONGEST_KEPT),
        ],
        sabotage: Sabotage::NoInterpreterLock,
        decide: |modelled| {
            let speedup = speedup(modelled.row(Strategy::Threads, Some("small"), Some(Runtime::Gil)));
            decided(speedup <= NO_GAIN, args([("value", significant(speedup, 3).into())]))
        },
    },
    ModelClaim {
        id: "files-scale",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Threads, Some("files"), Some(Runtime::Gil)),
            FOUR_CORES,
        ],
        sabotage: Sabotage::HashThatKeepsTheLock,
        decide: |modelled| gains(modelled, "files"),
    },
    ModelClaim {
        id: "bend",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Threads, Some("at-2047"), Some(Runtime::Gil)),
            Need::AtLeast("cores", 4),
            Need::AtLeast("threads", 4),
            Need::AtMost("threads", 16),
        ],
        sabotage: Sabotage::HashThatKeepsTheLock,
        decide: bend,
    },
    ModelClaim {
        id: "processes-only-add-sending",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Processes, Some("big"), Some(Runtime::Gil)),
            // On the ideal machine sending takes nothing.
            Need::Other("preset", "ideal"),
            FOUR_CORES,
        ],
        sabotage: Sabotage::SendingThatTakesNothing,
        decide: |modelled| {
            let ms = |strategy| {
                modelled
                    .ms(strategy, Some("big"), Some(Runtime::Gil))
                    .unwrap_or_default()
            };
            let (threads, processes) = (ms(Strategy::Threads), ms(Strategy::Processes));
            let numbers = args([
                ("threads", significant(threads, 3).into()),
                ("processes", significant(processes, 3).into()),
            ]);
            decided(processes > threads * DEARER, numbers)
        },
    },
];

fn speedup(row: Option<&Row>) -> f64 {
    row.and_then(|row| row.speedup).unwrap_or_default()
}

fn gains(modelled: &Modelled<'_>, variant: &str) -> Decision {
    let speedup = speedup(modelled.row(Strategy::Threads, Some(variant), Some(Runtime::Gil)));
    let alone = modelled.ms(Strategy::Serial, Some(variant), Some(Runtime::Gil));
    let alone = alone.unwrap_or_default();
    let numbers = args([
        ("value", significant(speedup, 3).into()),
        ("alone", significant(alone, 3).into()),
    ]);
    if alone < LONG_MS {
        return Decision {
            holds: Holds::NotApplicable,
            args: numbers,
        };
    }
    decided(speedup > GAIN, numbers)
}

/// Every input that is long enough let go of the lock once, and no other did.
fn released_exactly(modelled: &Modelled<'_>) -> Decision {
    let cases = cases(modelled.asked);
    let locked = || {
        let rows = cases.iter().zip(modelled.rows);
        rows.filter(|(case, row)| case.runtime != Runtime::FreeThreaded && row.available)
    };
    let wrong = locked().find(|(case, row)| {
        let expected = if releases_lock(case.input_bytes as usize) {
            case.inputs
        } else {
            0
        };
        row.releases != Some(expected) || row.value != row.expected
    });
    let n_rows = u32::try_from(locked().count()).unwrap_or(u32::MAX);
    let numbers = args([
        ("rows", n_rows.into()),
        ("label", wrong.map_or("", |(_, row)| row.label.as_str()).into()),
        (
            "releases",
            wrong.and_then(|(_, row)| row.releases).unwrap_or_default().into(),
        ),
    ]);
    if n_rows == 0 {
        return Decision {
            holds: Holds::NotApplicable,
            args: numbers,
        };
    }
    decided(wrong.is_none(), numbers)
}

/// Up to the threshold the lock is kept and threads gain nothing; from there on each hash lets go of it, and the gain
/// rises with the length. Just above, what a hand-over takes may eat it up.
fn bend(modelled: &Modelled<'_>) -> Decision {
    let row = |variant: &str| modelled.row(Strategy::Threads, Some(variant), Some(Runtime::Gil));
    let gain = |variant: &str| speedup(row(variant));
    let lets_go = |variant: &str| row(variant).and_then(|row| row.releases) > Some(0);
    let kept = VARIANTS
        .iter()
        .filter(|id| id.starts_with("at-"))
        .take_while(|id| **id != "at-2048");
    let below = kept.map(|id| gain(id)).fold(0.0, f64::max);
    let (just_above, far_above) = (gain("at-2048"), gain("at-65536"));
    let numbers = args([
        ("below", significant(below, 3).into()),
        ("above", significant(just_above, 3).into()),
        ("far", significant(far_above, 3).into()),
    ]);
    let is_there = !lets_go("at-2047") && lets_go("at-2048");
    // Near all cores' worth a longer input may gain a little less than a shorter one: the last task ends later.
    let rises = far_above > gain("at-16384") * NEARLY && gain("at-16384") > just_above * NEARLY;
    decided(is_there && rises && below <= NO_GAIN && far_above > GAIN, numbers)
}
