//! What is claimed of programs with locks, by all their schedules, and of what sharing costs. Not here: the words for it.

use super::{THREADS, sharing, waiting};
use crate::labs::claims::decided;
use crate::labs::locks::SHARING;
use crate::labs::{Decision, ModelClaim, Modelled, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{
    ClaimKind, EndlessKind, Explored, ExploredEndless, ExploredOutcome, Grade, Holds, Named, Row, Runtime, Sabotage,
    Strategy,
};

const fn ran(variant: &'static str) -> Need {
    Need::Ran(Strategy::Threads, Some(variant), None)
}

const fn ran_free(variant: &'static str) -> Need {
    Need::Ran(Strategy::Threads, Some(variant), Some(Runtime::FreeThreaded))
}

pub const CLAIMS: &[ModelClaim] = &[
    ModelClaim {
        id: "opposite-can-deadlock",
        kind: ClaimKind::Invariant,
        needs: &[ran("two-locks")],
        sabotage: Sabotage::LockThatDoesNotLock,
        decide: opposite_can_deadlock,
    },
    ModelClaim {
        id: "ordered-cannot",
        kind: ClaimKind::Invariant,
        needs: &[ran("two-locks-ordered")],
        sabotage: Sabotage::OrderThatIsNotKept,
        decide: ordered_cannot,
    },
    ModelClaim {
        id: "time-out-is-loud",
        kind: ClaimKind::Invariant,
        needs: &[ran("two-locks-within"), Need::Off("ordered")],
        sabotage: Sabotage::TimeoutThatNeverFires,
        decide: time_out_is_loud,
    },
    ModelClaim {
        id: "livelock",
        kind: ClaimKind::Invariant,
        needs: &[ran("back-off"), Need::Off("ordered")],
        sabotage: Sabotage::LoopThatIsLeft,
        decide: |modelled| only_goes_on(modelled, "back-off", EndlessKind::Livelock),
    },
    ModelClaim {
        id: "starvation",
        kind: ClaimKind::Invariant,
        needs: &[ran("starvation")],
        sabotage: Sabotage::LoopThatIsLeft,
        decide: |modelled| only_goes_on(modelled, "starvation", EndlessKind::Starvation),
    },
    ModelClaim {
        id: "stuck-and-spinning",
        kind: ClaimKind::Invariant,
        needs: &[ran("stuck-and-spinning")],
        sabotage: Sabotage::LoopThatIsLeft,
        decide: |modelled| only_goes_on(modelled, "stuck-and-spinning", EndlessKind::StuckAndSpinning),
    },
    ModelClaim {
        id: "held-too-long",
        kind: ClaimKind::Invariant,
        needs: &[ran("held-too-long")],
        sabotage: Sabotage::LockThatDoesNotLock,
        decide: held_too_long,
    },
    ModelClaim {
        id: "nothing-lost",
        kind: ClaimKind::Invariant,
        needs: &[ran_free("one-lock")],
        sabotage: Sabotage::LockThatDoesNotLock,
        decide: nothing_lost,
    },
    ModelClaim {
        id: "cost-falls",
        kind: ClaimKind::Speed,
        needs: &[
            ran_free("one-lock"),
            ran_free("sharded"),
            ran_free("queue"),
            ran_free("own-then-merge"),
            // Threads that never run at the same time are never in each other's way.
            Need::AtLeast("cores", 2),
        ],
        sabotage: Sabotage::SharedOwnCounters,
        decide: cost_falls,
    },
];

/// The way to end of this worth with the fewest preemptions.
pub fn ends(found: &Explored, grade: Grade) -> Option<&ExploredOutcome> {
    let such = found.outcomes.iter().filter(|outcome| outcome.grade == grade);
    such.min_by_key(|outcome| outcome.preemptions)
}

/// Whether it can go on for ever in this way.
pub fn goes_on(found: &Explored, kind: EndlessKind) -> bool {
    found.endless.iter().any(|endless| endless.kind == kind)
}

fn row<'run>(modelled: &Modelled<'run>, variant: &str) -> Option<&'run Row> {
    modelled.row(Strategy::Threads, Some(variant), None)
}

fn explored<'run>(modelled: &Modelled<'run>, variant: &str) -> Option<&'run Explored> {
    row(modelled, variant)?.explored.as_ref()
}

/// Of what was not covered whole, nothing that is "none" can be said.
fn unclear() -> Decision {
    Decision {
        holds: Holds::NotApplicable,
        args: Named::default(),
    }
}

fn opposite_can_deadlock(modelled: &Modelled<'_>) -> Decision {
    let Some(found) = explored(modelled, "two-locks") else {
        return unclear();
    };
    match ends(found, Grade::Deadlock) {
        Some(deadlock) => decided(
            true,
            args([
                ("text", deadlock.text.as_str().into()),
                ("schedules", deadlock.schedules.clone().unwrap_or_default().into()),
                ("all", found.schedules.clone().unwrap_or_default().into()),
                ("preemptions", deadlock.preemptions.into()),
            ]),
        ),
        None if !found.complete => unclear(),
        None => decided(false, args([("coverage", found.coverage.as_str().into())])),
    }
}

fn ordered_cannot(modelled: &Modelled<'_>) -> Decision {
    let Some(found) = explored(modelled, "two-locks-ordered") else {
        return unclear();
    };
    if let Some(text) = standing(found) {
        return decided(false, args([("text", text.into())]));
    }
    if !found.complete {
        return unclear();
    }
    decided(true, args([("coverage", found.coverage.as_str().into())]))
}

/// How it stands still or goes on for ever, where it can.
fn standing(found: &Explored) -> Option<&str> {
    let deadlock = ends(found, Grade::Deadlock).map(|outcome| &outcome.text);
    let endless = || found.endless.first().map(|endless| &endless.text);
    deadlock.or_else(endless).map(String::as_str)
}

fn time_out_is_loud(modelled: &Modelled<'_>) -> Decision {
    let Some(found) = explored(modelled, "two-locks-within") else {
        return unclear();
    };
    if let Some(text) = standing(found) {
        return decided(false, args([("text", text.into())]));
    }
    match ends(found, Grade::Assertion) {
        _ if !found.complete => unclear(),
        Some(failed) => decided(true, args([("text", failed.text.as_str().into())])),
        None => decided(false, args([("text", found.coverage.as_str().into())])),
    }
}

/// It can go on for ever in this way, and it has no deadlock. Beside it there may be starvation, which an unfair scheduler
/// makes of any loop that tries again.
fn only_goes_on(modelled: &Modelled<'_>, variant: &str, kind: EndlessKind) -> Decision {
    let Some(found) = explored(modelled, variant) else {
        return unclear();
    };
    let text = |endless: &ExploredEndless| args([("text", endless.text.as_str().into())]);
    let wanted = found.endless.iter().find(|endless| endless.kind == kind);
    let mut others = found.endless.iter().filter(|endless| endless.kind != kind);
    let other = others.find(|endless| endless.kind != EndlessKind::Starvation);
    if let Some(deadlock) = ends(found, Grade::Deadlock) {
        return decided(false, args([("text", deadlock.text.as_str().into())]));
    }
    match (wanted, other) {
        (_, Some(other)) => decided(false, text(other)),
        (Some(endless), None) => decided(true, text(endless)),
        (None, None) if !found.complete => unclear(),
        (None, None) => decided(false, args([("text", found.coverage.as_str().into())])),
    }
}

/// Every schedule ends right, and yet each waits for the other's wait.
fn held_too_long(modelled: &Modelled<'_>) -> Decision {
    let Some((found, ms)) =
        row(modelled, "held-too-long").and_then(|row| Some((row.explored.as_ref()?, row.median_ms?)))
    else {
        return unclear();
    };
    if !found.complete {
        return unclear();
    }
    let is_right = found.endless.is_empty() && found.outcomes.iter().all(|outcome| outcome.grade == Grade::Right);
    let wait = waiting::WAIT.as_millis();
    let numbers = args([
        ("ms", significant(ms, 3).into()),
        ("wait", wait.into()),
        ("coverage", found.coverage.as_str().into()),
    ]);
    decided(is_right && ms >= wait * f64::from(THREADS), numbers)
}

fn nothing_lost(modelled: &Modelled<'_>) -> Decision {
    let shared = modelled.rows.iter().filter(|row| sharing::addition_ns(row).is_some());
    // What cannot be a number of lost additions, as one below none, is as wrong.
    let losses: Vec<u32> = shared.map(|row| row.lost.unwrap_or(u32::MAX)).collect();
    let lost = losses.iter().copied().max().unwrap_or_default();
    let n_rows = u32::try_from(losses.len()).unwrap_or(u32::MAX);
    decided(lost == 0, args([("rows", n_rows.into()), ("lost", lost.into())]))
}

fn cost_falls(modelled: &Modelled<'_>) -> Decision {
    let costs = SHARING
        .iter()
        .map(|(id, _)| row(modelled, id).and_then(sharing::addition_ns));
    let costs: Option<Vec<f64>> = costs.collect();
    let Some(&[one_lock, sharded, queue, own]) = costs.as_deref() else {
        return unclear();
    };
    let numbers = args([
        ("oneLock", significant(one_lock, 3).into()),
        ("sharded", significant(sharded, 3).into()),
        ("queue", significant(queue, 3).into()),
        ("own", significant(own, 3).into()),
    ]);
    decided(one_lock > sharded && sharded > queue && queue > own, numbers)
}
