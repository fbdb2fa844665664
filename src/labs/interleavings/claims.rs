//! What is claimed of schedules, proved by counting them. Not here: the words for it.

use super::CURE;
use crate::labs::claims::decided;
use crate::labs::{Decision, ModelClaim, Modelled, Need};
use crate::text::args;
use crate::wire::{ClaimKind, Explored, ExploredOutcome, Grade, Holds, Row, Sabotage, Strategy};

const ACCESS: Need = Need::Ran(Strategy::Threads, Some("access"), None);

pub const CLAIMS: &[ModelClaim] = &[
    ModelClaim {
        id: "twenty-schedules",
        kind: ClaimKind::Invariant,
        needs: &[
            ACCESS,
            Need::Chosen("program", "counter"),
            Need::AtMost("threads", 2),
            Need::AtMost("increments", 1),
            Need::Off("fixed"),
        ],
        sabotage: Sabotage::PlainThatIsAtomic,
        decide: twenty_schedules,
    },
    ModelClaim {
        id: "bad-schedule",
        kind: ClaimKind::Invariant,
        needs: &[ACCESS, Need::Off("fixed")],
        sabotage: Sabotage::PlainThatIsAtomic,
        decide: bad_schedule,
    },
    ModelClaim {
        id: "fixed-has-none",
        kind: ClaimKind::Invariant,
        needs: &[],
        sabotage: Sabotage::LockThatDoesNotLock,
        decide: fixed_has_none,
    },
    ModelClaim {
        id: "coarser-is-a-part",
        kind: ClaimKind::Invariant,
        needs: &[
            ACCESS,
            Need::Ran(Strategy::Threads, Some("checkpoint"), None),
            Need::Ran(Strategy::EventLoop, Some("await"), None),
        ],
        sabotage: Sabotage::WriteThatIsLost,
        decide: coarser_is_a_part,
    },
    ModelClaim {
        id: "witnesses-replay",
        kind: ClaimKind::Invariant,
        needs: &[],
        sabotage: Sabotage::ScheduleThatIsNotFollowed,
        decide: witnesses_replay,
    },
];

/// What was found of a row.
pub fn explored(row: &Row) -> Option<&Explored> {
    row.explored.as_ref().filter(|_| row.available)
}

/// The ways to end that are not right, the one with the fewest preemptions first.
pub fn bad(explored: &Explored) -> Option<&ExploredOutcome> {
    let bad = explored.outcomes.iter().filter(|outcome| outcome.grade != Grade::Right);
    bad.min_by_key(|outcome| outcome.preemptions)
}

fn of<'run>(modelled: &Modelled<'run>, variant: &str) -> Option<&'run Explored> {
    let row = modelled.rows.iter().find(|row| row.variant.as_deref() == Some(variant));
    row.and_then(explored)
}

/// Of what was not covered whole, nothing that is "none" or "all" can be said.
fn unclear(numbers: crate::wire::Named) -> Decision {
    Decision {
        holds: Holds::NotApplicable,
        args: numbers,
    }
}

fn total(explored: &Explored) -> String {
    explored.schedules.clone().unwrap_or_default()
}

fn twenty_schedules(modelled: &Modelled<'_>) -> Decision {
    let Some(found) = of(modelled, "access") else {
        return unclear(args([]));
    };
    let right = found.outcomes.iter().find(|outcome| outcome.grade == Grade::Right);
    let right = right.and_then(|outcome| outcome.schedules.clone()).unwrap_or_default();
    let holds = total(found) == "20" && right == "2";
    decided(
        holds,
        args([("schedules", total(found).into()), ("right", right.into())]),
    )
}

fn bad_schedule(modelled: &Modelled<'_>) -> Decision {
    let Some(found) = of(modelled, "access") else {
        return unclear(args([]));
    };
    match bad(found) {
        Some(bad) => decided(
            true,
            args([
                ("bad", bad.text.as_str().into()),
                ("preemptions", bad.preemptions.into()),
            ]),
        ),
        None if !found.complete => unclear(args([])),
        None => decided(false, args([("schedules", total(found).into())])),
    }
}

fn fixed_has_none(modelled: &Modelled<'_>) -> Decision {
    let is_fixed = modelled.asked.flag("fixed");
    let mended = modelled
        .rows
        .iter()
        .filter(|row| is_fixed || row.variant.as_deref() == Some(CURE))
        .filter_map(explored);
    let all: Vec<&Explored> = mended.collect();
    if let Some(bad) = all.iter().find_map(|found| bad(found)) {
        let numbers = args([
            ("bad", bad.text.as_str().into()),
            ("preemptions", bad.preemptions.into()),
        ]);
        return decided(false, numbers);
    }
    match all.last() {
        Some(last) if all.iter().all(|found| found.complete) => {
            decided(true, args([("coverage", last.coverage.as_str().into())]))
        }
        _ => unclear(args([])),
    }
}

/// Every ending at a coarser grain is one at the finest.
fn coarser_is_a_part(modelled: &Modelled<'_>) -> Decision {
    let (Some(coarsest), Some(middle), Some(fine)) = (
        of(modelled, "await"),
        of(modelled, "checkpoint"),
        of(modelled, "access"),
    ) else {
        return unclear(args([]));
    };
    let texts = |found: &Explored| -> Vec<String> {
        let outcomes = found.outcomes.iter();
        // Where somebody stands for ever differs by the line; that somebody does is the same.
        outcomes
            .map(|outcome| format!("{:?} {}", outcome.grade, outcome.value.as_deref().unwrap_or_default()))
            .collect()
    };
    let finest = texts(fine);
    let missing = [coarsest, middle]
        .into_iter()
        .flat_map(|found| texts(found).into_iter().zip(&found.outcomes))
        .find(|(text, _)| !finest.contains(text));
    let n = |found: &Explored| u32::try_from(found.outcomes.len()).unwrap_or(u32::MAX);
    match missing {
        Some((_, outcome)) if fine.complete => decided(false, args([("missing", outcome.text.as_str().into())])),
        Some(_) => unclear(args([])),
        None => decided(true, args([("coarse", n(coarsest).into()), ("fine", n(fine).into())])),
    }
}

fn witnesses_replay(modelled: &Modelled<'_>) -> Decision {
    let all = modelled.rows.iter().filter_map(explored);
    let (mut followed, mut n) = (0, 0);
    for found in all {
        followed += found.followed;
        n += u32::try_from(found.outcomes.len()).unwrap_or(u32::MAX);
    }
    let numbers = args([("followed", followed.into()), ("all", n.into())]);
    if n == 0 {
        return unclear(numbers);
    }
    decided(followed == n, numbers)
}
