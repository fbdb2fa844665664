//! What the lessons say about computing in parallel, of the modelled numbers. Not here: the words for it.

use super::super::HALF_SIZE;
use super::is_apart;
use crate::labs::claims::decided;
use crate::labs::{Decision, ModelClaim, Modelled, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Row, Runtime, Sabotage, Strategy};

/// A gain below this is none: the lessons print up to 1.09 and call it noise.
const NO_GAIN: f64 = 1.1;

/// A gain over this is one that four cores give.
const GAIN: f64 = 1.5;

/// Work shorter than this, one after another, says nothing of a pool: starting workers takes some ms on any machine.
const LONG_MS: f64 = 500.0;

/// How far the time on cores may differ between two rows that do the same: each computing varies by 1 %.
const SAME: f64 = 0.02;

/// How much faster twice as many workers as cores may be, and still be no faster.
const FLAT: f64 = 1.05;

/// How much more a longer task gains before it counts as more.
const MORE: f64 = 1.1;

/// Twice the work takes twice the time, but for what varies.
const DOUBLE: (f64, f64) = (1.9, 2.1);

pub const CLAIMS: &[ModelClaim] = &[
    ModelClaim {
        id: "same-work",
        kind: ClaimKind::Invariant,
        needs: &[],
        sabotage: Sabotage::WrongTotals,
        decide: same_work,
    },
    ModelClaim {
        id: "gil-threads-no-gain",
        kind: ClaimKind::Speed,
        needs: &[Need::Ran(Strategy::Threads, None, Some(Runtime::Gil))],
        sabotage: Sabotage::NoInterpreterLock,
        decide: |modelled| {
            let speedup = speedup(modelled.row(Strategy::Threads, None, Some(Runtime::Gil)));
            decided(speedup <= NO_GAIN, args([("value", significant(speedup, 3).into())]))
        },
    },
    ModelClaim {
        id: "free-threads-gain",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Threads, None, Some(Runtime::FreeThreaded)),
            Need::AtLeast("cores", 4),
            Need::AtLeast("workers", 4),
            Need::AtLeast("tasks", 4),
        ],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: |modelled| gains(modelled, Strategy::Threads, Some(Runtime::FreeThreaded)),
    },
    ModelClaim {
        id: "interpreters-gain",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Interpreters, None, None),
            Need::AtLeast("cores", 4),
            Need::AtLeast("workers", 4),
            Need::AtLeast("tasks", 4),
        ],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: |modelled| gains(modelled, Strategy::Interpreters, None),
    },
    ModelClaim {
        id: "processes-gain",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Processes, None, None),
            Need::Chosen("pool", "warm"),
            Need::AtLeast("cores", 4),
            Need::AtLeast("workers", 4),
            Need::AtLeast("tasks", 4),
        ],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: |modelled| gains(modelled, Strategy::Processes, None),
    },
    ModelClaim {
        id: "longer-tasks-gain-more",
        kind: ClaimKind::Speed,
        needs: &[Need::Ran(Strategy::Processes, Some("long-warm"), None)],
        sabotage: Sabotage::StartsThatTakeNothing,
        decide: |modelled| {
            let short = speedup(modelled.row(Strategy::Processes, Some("short-warm"), None));
            let long = speedup(modelled.row(Strategy::Processes, Some("long-warm"), None));
            let numbers = args([
                ("short", significant(short, 3).into()),
                ("long", significant(long, 3).into()),
            ]);
            decided(long > short * MORE, numbers)
        },
    },
    ModelClaim {
        id: "cold-processes-lose-when-short",
        kind: ClaimKind::Speed,
        needs: &[Need::Ran(Strategy::Processes, Some("short-cold"), None)],
        sabotage: Sabotage::StartsThatTakeNothing,
        decide: |modelled| {
            let cold = speedup(modelled.row(Strategy::Processes, Some("short-cold"), None));
            decided(cold < 1.0, args([("value", significant(cold, 3).into())]))
        },
    },
    ModelClaim {
        id: "flat-beyond-the-cores",
        kind: ClaimKind::Speed,
        needs: &[Need::Ran(Strategy::Threads, None, Some(Runtime::FreeThreaded))],
        sabotage: Sabotage::CoresForEveryWorker,
        decide: flat,
    },
    ModelClaim {
        id: "time-grows-with-size",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Serial, Some(HALF_SIZE), None),
            Need::AtLeast("size", 1_000),
        ],
        sabotage: Sabotage::TimeThatIgnoresSize,
        decide: |modelled| {
            let half = modelled.ms(Strategy::Serial, Some(HALF_SIZE), None);
            let ratio = ratio(baseline(modelled).and_then(|row| row.median_ms), half);
            let numbers = args([("value", significant(ratio, 3).into())]);
            decided((DOUBLE.0..DOUBLE.1).contains(&ratio), numbers)
        },
    },
];

fn baseline<'run>(modelled: &Modelled<'run>) -> Option<&'run Row> {
    modelled.rows.iter().find(|row| row.baseline)
}

fn ratio(above: Option<f64>, below: Option<f64>) -> f64 {
    above
        .zip(below)
        .map_or(0.0, |(above, below)| above / below.max(f64::MIN_POSITIVE))
}

fn speedup(row: Option<&Row>) -> f64 {
    row.and_then(|row| row.speedup).unwrap_or_default()
}

fn gains(modelled: &Modelled<'_>, strategy: Strategy, runtime: Option<Runtime>) -> Decision {
    let speedup = speedup(modelled.row(strategy, None, runtime));
    let alone = baseline(modelled).and_then(|row| row.median_ms).unwrap_or_default();
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

/// Every row did every step, and all of the same build took the same time on cores; only what threads share may add to
/// it.
fn same_work(modelled: &Modelled<'_>) -> Decision {
    let rows = || modelled.rows.iter().filter(|row| row.available);
    let all_steps = rows().all(|row| row.value == row.expected);
    let own = || rows().filter(|row| !is_apart(row) && row.variant.as_deref() != Some(HALF_SIZE));
    let alone = |runtime| own().find(|row| row.strategy == Strategy::Serial && row.runtime == runtime);
    let same_time = own().all(|row| {
        let of_row = ratio(row.computed_ms, alone(row.runtime).and_then(|row| row.computed_ms));
        let shares = row.strategy == Strategy::Threads && row.runtime == Some(Runtime::FreeThreaded);
        of_row > 1.0 - SAME && (shares || of_row < 1.0 + SAME)
    });
    let n_rows = u32::try_from(rows().count()).unwrap_or(u32::MAX);
    decided(all_steps && same_time, args([("rows", n_rows.into())]))
}

/// As many free threads as cores against twice as many.
fn flat(modelled: &Modelled<'_>) -> Decision {
    let cores = modelled.asked.unsigned("logicalCores");
    let point = |workers: u32| {
        let variant = workers.to_string();
        modelled.ms(Strategy::Threads, Some(&variant), Some(Runtime::FreeThreaded))
    };
    let gain = ratio(point(cores), point(cores * 2));
    let numbers = args([
        ("cores", cores.into()),
        ("twice", (cores * 2).into()),
        ("value", significant(gain, 3).into()),
    ]);
    decided(gain > 0.0 && gain < FLAT, numbers)
}
