//! What the lessons say about waiting many times, as assertions on real requests. Not here: the words for it.
//!
//! A request can only take longer than its delay, never less: what says "at least" is an invariant. A row is one sample,
//! so what a busy machine could spoil is a claim about speed, with a grey zone instead of an interval.

use super::asking::{Asking, askings};
use super::seen::{Seen, seen};
use crate::labs::claims::decided;
use crate::labs::{ClaimSpec, Decision, Evidence, Need, label};
use crate::measure::TakenRow;
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Named, Sabotage, Strategy};

/// How much too short each round may look: clocks of two workers and a timer, coarse by 1 ms each.
const CLOCK_MS: f64 = 3.0;

const LIMITED: Need = Need::Ran(Strategy::EventLoop, Some("limited"), None);
const BLOCKING: Need = Need::Ran(Strategy::EventLoop, Some("blocking"), None);
const DEADLINE_TASKS: Need = Need::Ran(Strategy::EventLoop, Some("deadline-tasks"), None);
const DEADLINE_TO_THREAD: Need = Need::Ran(Strategy::ToThread, Some("deadline-to-thread"), None);
const FAILURE: Need = Need::Ran(Strategy::EventLoop, Some("failure-group"), None);
const SOME_DELAY: Need = Need::AtLeast("delayMs", 20);

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "within-the-limit",
        kind: ClaimKind::Invariant,
        needs: &[LIMITED],
        sabotage: Sabotage::SemaphoreThatLetsAllIn,
        decide: |evidence| {
            let rows = rows(evidence);
            let over = rows.iter().find(|(_, asking, seen)| seen.in_flight_max > asking.places);
            let most = rows.iter().map(|(_, _, seen)| seen.in_flight_max).max();
            let (name, seen, limit) = match over {
                Some((row, asking, seen)) => (name(evidence, row), seen.in_flight_max, asking.places),
                None => (String::new(), most.unwrap_or_default(), 0),
            };
            let numbers = [("seen", seen.into()), ("limit", limit.into()), ("label", name.into())];
            decided(over.is_none(), args(numbers))
        },
    },
    ClaimSpec {
        id: "all-answered",
        kind: ClaimKind::Invariant,
        needs: &[LIMITED],
        sabotage: Sabotage::RequestThatFailsUnasked,
        decide: |evidence| {
            let rows = rows(evidence);
            let undisturbed = || {
                rows.iter()
                    .filter(|(_, asking, seen)| is_plain(asking) && seen.gave_up_ms.is_none())
            };
            let total = |number: fn(&Asking, &Seen) -> u32| -> u32 {
                undisturbed().map(|(_, asking, seen)| number(asking, seen)).sum()
            };
            let asked = total(|asking, _| asking.requests);
            let answered = total(|_, seen| seen.answered);
            let numbers = args([("answered", answered.into()), ("asked", asked.into())]);
            match asked {
                0 => unclear(),
                _ => decided(answered == asked, numbers),
            }
        },
    },
    ClaimSpec {
        id: "not-below-the-ideal",
        kind: ClaimKind::Invariant,
        needs: &[LIMITED, SOME_DELAY],
        sabotage: Sabotage::SemaphoreThatLetsAllIn,
        decide: not_below,
    },
    ClaimSpec {
        id: "blocking-is-one-by-one",
        kind: ClaimKind::Speed,
        needs: &[BLOCKING, SOME_DELAY, Need::AtLeast("requests", 3)],
        sabotage: Sabotage::CallThatDoesNotBlock,
        decide: |evidence| {
            on(evidence, "blocking", |seen, asking| {
                if !is_plain(asking) {
                    return unclear();
                }
                let least = asking.floor_ms() - CLOCK_MS * f64::from(asking.rounds());
                let holds = seen.in_flight_max == 1 && seen.makespan_ms >= least;
                decided(holds, numbers(seen.makespan_ms, asking.floor_ms()))
            })
        },
    },
    ClaimSpec {
        id: "deadline-cancels-all",
        kind: ClaimKind::Speed,
        needs: &[DEADLINE_TASKS, SOME_DELAY],
        sabotage: Sabotage::TimeoutThatNeverFires,
        decide: |evidence| {
            on(evidence, "deadline-tasks", |seen, asking| {
                let deadline = f64::from(asking.deadline_ms.unwrap_or_default());
                let holds = match seen.gave_up_ms {
                    None => Holds::False,
                    Some(at) if at < deadline - CLOCK_MS => Holds::False,
                    // Some had their answers before a busy machine looked at its timers.
                    Some(_) if seen.answered > 0 => Holds::NotApplicable,
                    Some(_) if seen.makespan_ms < f64::from(asking.delay_ms) => Holds::True,
                    Some(_) => Holds::NotApplicable,
                };
                let args = numbers(seen.makespan_ms, deadline);
                Decision { holds, args }
            })
        },
    },
    ClaimSpec {
        id: "threads-outlive-the-deadline",
        kind: ClaimKind::Speed,
        needs: &[DEADLINE_TO_THREAD, SOME_DELAY],
        sabotage: Sabotage::TimeoutThatNeverFires,
        decide: |evidence| {
            on(evidence, "deadline-to-thread", |seen, asking| {
                let (delay, took) = (f64::from(asking.delay_ms), seen.makespan_ms);
                let holds = match seen.gave_up_ms {
                    None => Holds::False,
                    Some(_) if took < delay - CLOCK_MS => Holds::False,
                    Some(at) if at < delay => Holds::True,
                    Some(_) => Holds::NotApplicable,
                };
                let args = numbers(took, seen.gave_up_ms.unwrap_or_default());
                Decision { holds, args }
            })
        },
    },
    ClaimSpec {
        id: "failure-cancels-the-group",
        kind: ClaimKind::Speed,
        needs: &[FAILURE, SOME_DELAY, Need::AtLeast("requests", 4)],
        sabotage: Sabotage::GroupThatLetsTheOthersGoOn,
        decide: |evidence| {
            on(evidence, "failure-group", |seen, asking| {
                let waiting = asking.requests - asking.places;
                let holds = match seen.cancelled {
                    0 => Holds::False,
                    cancelled if cancelled >= waiting => Holds::True,
                    // More than the first round was answered before a busy machine came to the failure.
                    _ => Holds::NotApplicable,
                };
                let seen_ms = significant(seen.makespan_ms, 3);
                let args = args([("seen", seen_ms.into()), ("cancelled", seen.cancelled.into())]);
                Decision { holds, args }
            })
        },
    },
];

/// Whoever was wholly answered took at least as many rounds as there are requests more than it can make at once.
fn not_below(evidence: &Evidence<'_>) -> Decision {
    let rows = rows(evidence);
    let whole = rows.iter().filter(|(_, asking, seen)| seen.answered == asking.requests);
    let nearest = whole.min_by(|one, two| {
        let over = |(_, asking, seen): &(&TakenRow, Asking, Seen)| seen.makespan_ms - asking.floor_ms();
        over(one).total_cmp(&over(two))
    });
    let Some((row, asking, seen)) = nearest else {
        return unclear();
    };
    let least = asking.floor_ms() - CLOCK_MS * f64::from(asking.rounds());
    let numbers = [
        ("label", name(evidence, row).into()),
        ("seen", significant(seen.makespan_ms, 3).into()),
        ("limit", significant(asking.floor_ms(), 3).into()),
    ];
    decided(seen.makespan_ms >= least, args(numbers))
}

/// Whether nothing but answers is to be expected.
fn is_plain(asking: &Asking) -> bool {
    asking.failing == 0 && asking.capacity == 0
}

/// The rows that ran, with what they were asked and what they saw.
fn rows<'run>(evidence: &Evidence<'run>) -> Vec<(&'run TakenRow, Asking, Seen)> {
    let askings = askings(evidence.asked, evidence.environment);
    let rows = evidence.taken.rows.iter().zip(askings);
    rows.filter_map(|(row, asking)| Some((row, asking, seen(row, &asking)?)))
        .collect()
}

/// Decides on a row. Without it nothing is decided; the claim's needs see to that.
fn on(evidence: &Evidence<'_>, variant: &str, decide: impl Fn(&Seen, &Asking) -> Decision) -> Decision {
    let rows = rows(evidence);
    let row = rows.iter().find(|(_, asking, _)| asking.id == variant);
    row.map_or_else(unclear, |(_, asking, seen)| decide(seen, asking))
}

fn name(evidence: &Evidence<'_>, row: &TakenRow) -> String {
    label(evidence.lab, &row.subject, evidence.words)
}

fn numbers(seen: f64, limit: f64) -> Named {
    let numbers = [("seen", significant(seen, 3)), ("limit", significant(limit, 3))];
    args(numbers.map(|(id, number)| (id, number.into())))
}

fn unclear() -> Decision {
    Decision {
        holds: Holds::NotApplicable,
        args: Named::default(),
    }
}
