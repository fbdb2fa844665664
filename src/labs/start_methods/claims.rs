//! What the lessons say about starting processes, as assertions on what was taken. Not here: the words for it.

use super::{METHODS, kept_and_renewed};
use crate::labs::claims::{above, decided};
use crate::labs::{ClaimSpec, Decision, Evidence, Need};
use crate::measure::digits;
use crate::measure::statistics::{Estimate, ratio_interval};
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Named, Sabotage, Strategy};

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "a-worker-for-each-task",
        kind: ClaimKind::Invariant,
        needs: &[Need::Ran(Strategy::Processes, None, None)],
        sabotage: Sabotage::PoolThatIsNeverNew,
        decide: a_worker_for_each,
    },
    ClaimSpec {
        id: "reuse-beats-a-pool-per-task",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::Processes, None, None),
            Need::AtLeast("tasks", 2),
            Need::QuietMachine,
        ],
        sabotage: Sabotage::PoolThatIsNeverNew,
        decide: reuse,
    },
];

/// In every sample of the rows with a pool for each task as many workers started as there are tasks.
fn a_worker_for_each(evidence: &Evidence<'_>) -> Decision {
    let rows = evidence.taken.rows.iter();
    let renewed = rows.filter(|row| {
        row.subject
            .variant
            .as_deref()
            .is_some_and(|id| id.ends_with("-per-task"))
    });
    let started: Vec<u32> = renewed
        .flat_map(|row| row.samples.iter().map(|sample| sample.started))
        .collect();
    let tasks = evidence.asked.unsigned("tasks");
    let Some(fewest) = started.iter().copied().min() else {
        return unclear(Named::default());
    };
    decided(
        fewest == tasks,
        args([("fewest", fewest.into()), ("tasks", tasks.into())]),
    )
}

/// For every method of which both rows ran, a kept pool is faster; the least clear one decides.
fn reuse(evidence: &Evidence<'_>) -> Decision {
    let ratios = METHODS.iter().filter_map(|method| {
        let (kept, renewed) = kept_and_renewed(evidence, method)?;
        ratio_interval(&renewed.samples_ms(), &kept.samples_ms(), evidence.asked.seed)
    });
    match ratios.min_by(|one, two| one.low.total_cmp(&two.low)) {
        Some(ratio) => above(Some(ratio), 1.0, numbers(ratio)),
        None => unclear(numbers(Estimate {
            value: 0.0,
            low: 0.0,
            high: 0.0,
        })),
    }
}

fn numbers(Estimate { value, low, high }: Estimate) -> Named {
    let shown = |number| digits::rounded(number, low, high).into();
    args([("value", shown(value)), ("low", shown(low)), ("high", shown(high))])
}

fn unclear(args: Named) -> Decision {
    Decision {
        holds: Holds::NotApplicable,
        args,
    }
}
