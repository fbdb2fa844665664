//! What the lessons say of isolation, of the modelled rows. Not here: the words for it.

use crate::labs::claims::decided;
use crate::labs::{Decision, ModelClaim, Modelled, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Named, Row, Sabotage, Strategy};

/// How much longer 64 MiB take than 1 KiB where they are copied, at least.
const GROWS: f64 = 10.0;

/// How much longer they may take where they are shared, in milliseconds: a wake-up or two more.
const STAYS_MS: f64 = 1.0;

/// How much faster a chunk of 100 items crosses than 100 items one by one, at least.
const CHUNKED: f64 = 2.0;

const INTERPRETERS: Need = Need::Ran(Strategy::Interpreters, Some("list"), None);

/// On the ideal machine crossing takes nothing.
const REAL: Need = Need::Other("preset", "ideal");

pub const CLAIMS: &[ModelClaim] = &[
    ModelClaim {
        id: "threads-share",
        kind: ClaimKind::Invariant,
        needs: &[],
        sabotage: Sabotage::ListsOfTheirOwn,
        decide: |modelled| {
            let row = modelled.row(Strategy::Threads, Some("list"), None);
            let lists = row.map(totals).unwrap_or_default();
            let items = modelled.asked.unsigned("items");
            let longest = lists.iter().copied().max().unwrap_or_default();
            let holds = longest == items && row.is_some_and(|row| row.value == row.expected);
            decided(holds, args([("items", items.into()), ("longest", longest.into())]))
        },
    },
    ModelClaim {
        id: "isolates-have-their-own",
        kind: ClaimKind::Invariant,
        needs: &[],
        sabotage: Sabotage::ListThatIsShared,
        decide: own_lists,
    },
    ModelClaim {
        id: "copying-grows",
        kind: ClaimKind::Speed,
        needs: &[REAL],
        sabotage: Sabotage::SendingThatTakesNothing,
        decide: |modelled| {
            let ms = |variant| ms(modelled, Strategy::Processes, variant);
            let (small, large) = (ms("copy-1k"), ms("copy-64m"));
            decided(large > small * GROWS, took(small, large))
        },
    },
    ModelClaim {
        id: "sharing-does-not-grow",
        kind: ClaimKind::Speed,
        needs: &[],
        sabotage: Sabotage::SharingThatCopies,
        decide: |modelled| {
            let ms = |variant| ms(modelled, Strategy::Threads, variant);
            let (small, large) = (ms("share-1k"), ms("share-64m"));
            decided(large <= small + STAYS_MS, took(small, large))
        },
    },
    ModelClaim {
        id: "chunks-beat-items",
        kind: ClaimKind::Speed,
        needs: &[REAL, Need::AtLeast("items", 400)],
        sabotage: Sabotage::ChunksThatAreIgnored,
        decide: |modelled| {
            let ms = |variant| ms(modelled, Strategy::Processes, variant);
            let (single, chunked) = (ms("chunk-1"), ms("chunk-100"));
            let numbers = args([
                ("single", significant(single, 3).into()),
                ("chunked", significant(chunked, 3).into()),
            ]);
            decided(single > chunked * CHUNKED, numbers)
        },
    },
    ModelClaim {
        id: "a-registry-each",
        kind: ClaimKind::Invariant,
        needs: &[INTERPRETERS, Need::AtLeast("workers", 2)],
        sabotage: Sabotage::ListThatIsShared,
        decide: |modelled| {
            let loaded = |strategy| value(modelled.row(strategy, Some("import"), None));
            let (threads, interpreters) = (loaded(Strategy::Threads), loaded(Strategy::Interpreters));
            let holds = threads == 1 && interpreters == modelled.asked.unsigned("workers");
            decided(
                holds,
                args([("threads", threads.into()), ("interpreters", interpreters.into())]),
            )
        },
    },
    ModelClaim {
        id: "an-extension-may-refuse",
        kind: ClaimKind::Invariant,
        needs: &[INTERPRETERS],
        sabotage: Sabotage::ExtensionThatLoadsAnywhere,
        decide: |modelled| {
            let row = modelled.row(Strategy::Interpreters, Some("import-refused"), None);
            let (loaded, refused) = (value(row), errors(row, "import"));
            let holds = loaded == 0 && refused == modelled.asked.unsigned("workers");
            decided(holds, args([("loaded", loaded.into()), ("refused", refused.into())]))
        },
    },
    ModelClaim {
        id: "a-process-falls-alone",
        kind: ClaimKind::Invariant,
        needs: &[Need::AtLeast("workers", 2)],
        sabotage: Sabotage::TrapThatSpreads,
        decide: |modelled| {
            let row = modelled.row(Strategy::Processes, Some("crash"), None);
            let (answered, failed) = (answered(row), errors(row, "crashed"));
            // The parent came to its own end, too.
            let holds = failed == 1 && value(row) == 1 && answered + 1 == modelled.asked.unsigned("workers");
            decided(holds, args([("answered", answered.into()), ("failed", failed.into())]))
        },
    },
    ModelClaim {
        id: "threads-and-interpreters-fall-together",
        kind: ClaimKind::Invariant,
        needs: &[],
        sabotage: Sabotage::TrapThatStaysInside,
        decide: |modelled| {
            let rows = [Strategy::Threads, Strategy::Interpreters];
            let rows = rows.map(|strategy| modelled.row(strategy, Some("crash"), None));
            let fell = |row: &Row| answered(Some(row)) == 0 && value(Some(row)) == 0;
            let answered: u32 = rows.iter().map(|row| answered(*row)).sum();
            let holds = rows.iter().flatten().all(|row| fell(row));
            decided(holds, args([("answered", answered.into())]))
        },
    },
];

fn ms(modelled: &Modelled<'_>, strategy: Strategy, variant: &str) -> f64 {
    modelled.ms(strategy, Some(variant), None).unwrap_or_default()
}

fn took(small: f64, large: f64) -> Named {
    args([
        ("small", significant(small, 3).into()),
        ("large", significant(large, 3).into()),
    ])
}

fn number(text: &str) -> u32 {
    text.parse().unwrap_or_default()
}

fn value(row: Option<&Row>) -> u32 {
    row.and_then(|row| row.value.as_deref()).map(number).unwrap_or_default()
}

fn totals(row: &Row) -> Vec<u32> {
    row.totals.iter().flatten().map(|text| number(text)).collect()
}

fn answered(row: Option<&Row>) -> u32 {
    row.and_then(|row| row.answered).unwrap_or_default()
}

fn errors(row: Option<&Row>, kind: &str) -> u32 {
    let found = row.and_then(|row| row.errors.as_ref()?.iter().find(|error| error.kind == kind));
    found.map_or(0, |error| error.count)
}

/// What the workers' lists hold together is what was appended, each list is kept from call to call, and the parent's
/// stays empty.
fn own_lists(modelled: &Modelled<'_>) -> Decision {
    let rows = [Strategy::Interpreters, Strategy::Processes];
    let rows = rows
        .into_iter()
        .filter_map(|strategy| modelled.row(strategy, Some("list"), None));
    let items = modelled.asked.unsigned("items");
    let (mut holds, mut parent, mut sum) = (true, 0, items);
    for row in rows {
        let of_row: u32 = totals(row).iter().fold(0, |sum, length| sum.saturating_add(*length));
        holds &= of_row == items && value(Some(row)) == 0;
        parent = parent.max(value(Some(row)));
        if of_row != items {
            sum = of_row;
        }
    }
    decided(
        holds,
        args([("items", items.into()), ("sum", sum.into()), ("parent", parent.into())]),
    )
}
