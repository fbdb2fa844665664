//! What the lessons say of isolation, as assertions on what was measured. Not here: the words for it.

use super::lists::{self, Lists};
use crate::labs::claims::{above, at_most, decided};
use crate::labs::{ClaimSpec, Decision, Evidence, Need};
use crate::measure::statistics::{Estimate, ratio_interval};
use crate::measure::{Sample, TakenRow, digits};
use crate::text::args;
use crate::wire::{ClaimKind, Holds, JobOutcome, Named, Sabotage, Strategy};

/// How much longer 64 MiB take than 1 KiB where they are copied, at least: they are 65,536 times as much.
const GROWS: f64 = 10.0;

/// How much longer they take where they are shared, at most.
const STAYS: f64 = 3.0;

const fn crossed(variant: &'static str) -> Need {
    Need::Ran(Strategy::Interpreters, Some(variant), None)
}

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "threads-share",
        kind: ClaimKind::Invariant,
        needs: &[Need::Ran(Strategy::Threads, Some("list"), None)],
        sabotage: Sabotage::ListsOfTheirOwn,
        decide: |evidence| {
            let items = evidence.asked.unsigned("items");
            let row = evidence.row(Strategy::Threads, Some("list"), None);
            let all: Vec<Lists> = row.into_iter().flat_map(runs).map(lists::of).collect();
            let sees_all = |lists: &Lists| lists.lengths.iter().all(|length| *length == items);
            let longest = all.iter().map(Lists::added).max().unwrap_or_default();
            let numbers = args([("items", items.into()), ("longest", longest.into())]);
            decided(all.iter().all(sees_all), numbers)
        },
    },
    ClaimSpec {
        id: "isolates-have-their-own",
        kind: ClaimKind::Invariant,
        needs: &[
            Need::Ran(Strategy::Interpreters, Some("list"), None),
            Need::Ran(Strategy::Processes, Some("list"), None),
            Need::AtLeast("workers", 2),
        ],
        sabotage: Sabotage::ListThatIsShared,
        decide: own_lists,
    },
    ClaimSpec {
        id: "copying-grows",
        kind: ClaimKind::Speed,
        needs: &[crossed("copy-1k"), crossed("copy-64m")],
        sabotage: Sabotage::SendingThatTakesNothing,
        decide: |evidence| {
            let ratio = growth(evidence, "copy-1k", "copy-64m");
            above(ratio, GROWS, numbers(ratio))
        },
    },
    ClaimSpec {
        id: "sharing-does-not-grow",
        kind: ClaimKind::Speed,
        needs: &[crossed("share-1k"), crossed("share-64m")],
        sabotage: Sabotage::SharingThatCopies,
        decide: |evidence| {
            let ratio = growth(evidence, "share-1k", "share-64m");
            at_most(ratio, STAYS, numbers(ratio))
        },
    },
    ClaimSpec {
        id: "a-process-falls-alone",
        kind: ClaimKind::Invariant,
        needs: &[
            Need::Ran(Strategy::Processes, Some("crash"), None),
            Need::AtLeast("workers", 2),
        ],
        sabotage: Sabotage::TrapThatSpreads,
        decide: |evidence| {
            let row = evidence.row(Strategy::Processes, Some("crash"), None);
            let all: Vec<&Sample> = row.into_iter().flat_map(runs).collect();
            let died = |sample: &Sample| {
                let died = |job: &&JobOutcome| matches!(job, JobOutcome::Died { .. });
                sample.jobs.iter().filter(died).count()
            };
            let n_runs = u32::try_from(all.len()).unwrap_or(u32::MAX);
            let most = all.iter().map(|sample| died(sample)).max().unwrap_or_default();
            let numbers = args([
                ("runs", n_runs.into()),
                ("died", u32::try_from(most).unwrap_or(u32::MAX).into()),
            ]);
            decided(all.iter().all(|sample| died(sample) == 1), numbers)
        },
    },
];

/// Every run of a row, the warm-up included.
fn runs(row: &TakenRow) -> impl Iterator<Item = &Sample> {
    row.warm_up.iter().chain(&row.samples)
}

/// What the workers' lists grew by is what was appended, each is kept from call to call, and the parent's stays empty.
fn own_lists(evidence: &Evidence<'_>) -> Decision {
    let items = evidence.asked.unsigned("items");
    let row = |strategy, variant| evidence.row(strategy, Some(variant), None);
    let isolates = [Strategy::Interpreters, Strategy::Processes].map(|strategy| row(strategy, "list"));
    let all: Vec<Lists> = isolates.into_iter().flatten().flat_map(runs).map(lists::of).collect();
    let parents = row(Strategy::Serial, "parent").into_iter().flat_map(runs);
    let parent = parents.filter_map(lists::parent).max().unwrap_or_default();
    let n_runs = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let numbers = args([
        ("runs", n_runs.into()),
        ("items", items.into()),
        ("parent", parent.into()),
    ]);
    let is_right = all.iter().all(|lists| lists.added() == items && lists.is_kept) && parent == 0;
    if is_right && all.iter().all(|lists| lists.lengths.len() < 2) {
        // One worker did it all, so that its own list cannot be told from a shared one.
        return Decision {
            holds: Holds::NotApplicable,
            args: numbers,
        };
    }
    decided(is_right, numbers)
}

/// How many times as long the second takes.
fn growth(evidence: &Evidence<'_>, small: &str, large: &str) -> Option<Estimate> {
    let samples = |variant| {
        let row = evidence.row(Strategy::Interpreters, Some(variant), None);
        row.map(TakenRow::samples_ms).unwrap_or_default()
    };
    ratio_interval(&samples(large), &samples(small), evidence.asked.seed)
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
