//! What the lessons say about computing in parallel, as assertions. Not here: the words for it.

use super::{HALF_SIZE, known, totals};
use crate::labs::claims::{above, at_most, decided};
use crate::labs::{ClaimSpec, Decision, Evidence, Need};
use crate::measure::statistics::{Estimate, ratio_interval};
use crate::measure::{TakenRow, digits, overlap};
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Named, Runtime, Sabotage, Strategy};

/// A gain below this is none: the lessons print up to 1.09 and call it noise.
const NO_GAIN: f64 = 1.1;

/// A gain over this is one that four cores give even a noisy run.
const GAIN: f64 = 1.5;

/// Work shorter than this may be over before a second worker has started (workers start within 4 ms).
const LONG_MS: u32 = 20;

/// On a machine that is busy with other things a second worker may get a core only after a scheduler's slice or two;
/// whoever says that workers did not overlap must have given them longer than that.
const OVERLAP_MS: u32 = 100;

/// Twice the work takes twice the time; between these two, with room for what does not grow.
const DOUBLE: (f64, f64) = (1.6, 2.5);

/// What a gain takes: cores, workers and tasks enough for it, and nothing else in the way.
const FOUR_IDLE_CORES: Need = Need::All(&[
    Need::Cores(4),
    Need::AtLeast("workers", 4),
    Need::AtLeast("tasks", 4),
    Need::LongSamples(LONG_MS),
    Need::QuietMachine,
]);

/// Starting an isolate costs more than a short task saves.
const WARM: Need = Need::Chosen("pool", "warm");

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "same-totals",
        kind: ClaimKind::Invariant,
        needs: &[Need::Ran(Strategy::Serial, None, None)],
        sabotage: Sabotage::WrongTotals,
        decide: same_totals,
    },
    ClaimSpec {
        id: "gil-threads-no-gain",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Threads, None, Some(Runtime::Gil)),
            Need::QuietMachine,
        ],
        sabotage: Sabotage::NoInterpreterLock,
        decide: |evidence| {
            let row = evidence.row(Strategy::Threads, None, Some(Runtime::Gil));
            let speedup = evidence.speedup(row);
            at_most(speedup, NO_GAIN, numbers(speedup))
        },
    },
    gain(
        "free-threads-gain",
        &[
            Need::Ran(Strategy::Threads, None, Some(Runtime::FreeThreaded)),
            FOUR_IDLE_CORES,
        ],
        |evidence| gains(evidence, Strategy::Threads, Some(Runtime::FreeThreaded)),
    ),
    gain(
        "interpreters-gain",
        &[Need::Ran(Strategy::Interpreters, None, None), WARM, FOUR_IDLE_CORES],
        |evidence| gains(evidence, Strategy::Interpreters, None),
    ),
    gain(
        "processes-gain",
        &[Need::Ran(Strategy::Processes, None, None), WARM, FOUR_IDLE_CORES],
        |evidence| gains(evidence, Strategy::Processes, None),
    ),
    ClaimSpec {
        id: "really-overlapping",
        kind: ClaimKind::Invariant,
        needs: &[
            Need::Cores(2),
            Need::AtLeast("workers", 2),
            Need::AtLeast("tasks", 2),
            Need::LongSamples(OVERLAP_MS),
        ],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: really_overlapping,
    },
    ClaimSpec {
        id: "time-grows-with-size",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Serial, Some(HALF_SIZE), None),
            Need::LongSamples(LONG_MS),
            Need::QuietMachine,
        ],
        sabotage: Sabotage::TimeThatIgnoresSize,
        decide: time_grows,
    },
];

const fn gain(id: &'static str, needs: &'static [Need], decide: fn(&Evidence<'_>) -> Decision) -> ClaimSpec {
    ClaimSpec {
        id,
        kind: ClaimKind::Speed,
        needs,
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide,
    }
}

fn gains(evidence: &Evidence<'_>, strategy: Strategy, runtime: Option<Runtime>) -> Decision {
    let speedup = evidence.speedup(evidence.row(strategy, None, runtime));
    above(speedup, GAIN, numbers(speedup))
}

fn same_totals(evidence: &Evidence<'_>) -> Decision {
    let full_size = || {
        let rows = evidence.taken.rows.iter();
        rows.filter(|row| row.is_available() && row.subject.variant.as_deref() != Some(HALF_SIZE))
    };
    let all = || {
        full_size()
            .flat_map(|row| row.warm_up.iter().chain(&row.samples))
            .map(totals)
    };
    let first = all().next().unwrap_or_default();
    let known = known::totals(evidence.asked.choice("workload"), evidence.taken.size, first.len());
    let is_known = first.iter().zip(&known).all(|(found, right)| found == right);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let numbers = args([
        ("rows", count(full_size().count()).into()),
        ("known", count(known.len()).into()),
    ]);
    decided(is_known && all().all(|totals| totals == first), numbers)
}

/// Rows whose workers own what they need, so that nothing but the number of cores can keep them apart.
fn parallel_rows<'run>(evidence: &Evidence<'run>) -> Vec<&'run TakenRow> {
    let rows = evidence
        .taken
        .rows
        .iter()
        .filter(|row| !row.samples.is_empty() && row.subject.workers > Some(1));
    rows.filter(|row| match row.subject.strategy {
        Strategy::Threads => row.subject.runtime == Some(Runtime::FreeThreaded),
        strategy => matches!(strategy, Strategy::Interpreters | Strategy::Processes),
    })
    .collect()
}

fn really_overlapping(evidence: &Evidence<'_>) -> Decision {
    let rows = parallel_rows(evidence);
    if rows.is_empty() {
        return Decision {
            holds: Holds::NotApplicable,
            args: Named::default(),
        };
    }
    let at_once = |row: &TakenRow| {
        row.samples
            .iter()
            .map(|sample| overlap(&sample.spans).at_once)
            .max()
            .unwrap_or(0)
    };
    let least = rows.iter().map(|row| at_once(row)).min().unwrap_or(0);
    let n_rows = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    decided(least >= 2, args([("rows", n_rows.into()), ("atOnce", least.into())]))
}

fn time_grows(evidence: &Evidence<'_>) -> Decision {
    let whole = evidence.baseline().map(TakenRow::samples_ms).unwrap_or_default();
    let half = evidence
        .row(Strategy::Serial, Some(HALF_SIZE), None)
        .map(TakenRow::samples_ms)
        .unwrap_or_default();
    let ratio = ratio_interval(&whole, &half, evidence.asked.seed);
    let holds = match ratio {
        Some(ratio) if ratio.low > DOUBLE.0 && ratio.high < DOUBLE.1 => Holds::True,
        Some(ratio) if ratio.high < DOUBLE.0 || ratio.low > DOUBLE.1 => Holds::False,
        _ => Holds::NotApplicable,
    };
    Decision {
        holds,
        args: numbers(ratio),
    }
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
