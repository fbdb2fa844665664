//! What the lessons say about waiting many times, as assertions on the model's exact numbers. Not here: the words.

use super::super::CHOICES;
use super::cases::{MANY, batch, default_pool};
use crate::labs::claims::decided;
use crate::labs::{Decision, ModelClaim, Modelled, Need};
use crate::live::event_loop::fan_out::{Batch, How};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Named, Row, Sabotage, Strategy};

/// Less than any step of virtual time.
const EXACT_MS: f64 = 1e-6;

/// What late timers and wake-ups of a machine that is not ideal may add to one round of requests.
const ROUND_MS: f64 = 2.0;

/// How many times the memory of tasks threads take at least.
const MEMORY_FACTOR: f64 = 100.0;

const ONE_BY_ONE: Need = Need::Ran(Strategy::Serial, Some("one-by-one"), None);
const THREADS: Need = Need::Ran(Strategy::Threads, Some("threads"), None);
const LIMITED: Need = Need::Ran(Strategy::EventLoop, Some("limited"), None);
const BLOCKING: Need = Need::Ran(Strategy::EventLoop, Some("blocking"), None);
const TO_THREAD: Need = Need::Ran(Strategy::ToThread, Some("to-thread"), None);
const DEADLINE_TASKS: Need = Need::Ran(Strategy::EventLoop, Some("deadline-tasks"), None);
const DEADLINE_THREADS: Need = Need::Ran(Strategy::Threads, Some("deadline-threads"), None);
const FAILURE: Need = Need::Ran(Strategy::EventLoop, Some("failure-group"), None);
const MANY_TASKS: Need = Need::Ran(Strategy::EventLoop, Some("many-tasks"), None);
const MANY_LIMITED: Need = Need::Ran(Strategy::EventLoop, Some("many-limited"), None);
const MANY_THREADS: Need = Need::Ran(Strategy::Threads, Some("many-threads"), None);
const SOME_DELAY: Need = Need::AtLeast("delayMs", 20);

pub const CLAIMS: &[ModelClaim] = &[
    ModelClaim {
        id: "rounds",
        kind: ClaimKind::Speed,
        needs: &[ONE_BY_ONE, THREADS, LIMITED],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: rounds,
    },
    ModelClaim {
        id: "within-the-limit",
        kind: ClaimKind::Invariant,
        needs: &[THREADS, LIMITED],
        sabotage: Sabotage::SemaphoreThatLetsAllIn,
        decide: |modelled| {
            let over = chosen(modelled).find(|(row, batch)| row.in_flight_max > Some(allowed(modelled, batch)));
            let at_once = |row: &Row| row.in_flight_max.unwrap_or_default();
            let (label, seen, limit) = match over {
                Some((row, batch)) => (row.label.as_str(), at_once(row), allowed(modelled, &batch)),
                None => (
                    "",
                    chosen(modelled).map(|(row, _)| at_once(row)).max().unwrap_or_default(),
                    0,
                ),
            };
            let numbers = args([("label", label.into()), ("seen", seen.into()), ("limit", limit.into())]);
            decided(over.is_none(), numbers)
        },
    },
    ModelClaim {
        id: "blocking-is-one-by-one",
        kind: ClaimKind::Speed,
        needs: &[BLOCKING, SOME_DELAY, Need::AtLeast("requests", 3)],
        sabotage: Sabotage::CallThatDoesNotBlock,
        decide: |modelled| {
            on(modelled, BLOCKING, |row, batch| {
                let (took, line) = (ms(row), delay_ms(batch) * f64::from(batch.requests));
                // A server that is full, or requests that fail, need not take the whole time each.
                if batch.failing > 0 || batch.capacity.is_some() {
                    unclear()
                } else {
                    took_of(took >= line, took, line)
                }
            })
        },
    },
    ModelClaim {
        id: "to-thread-has-few-workers",
        kind: ClaimKind::Invariant,
        // One more request than the largest default pool has threads.
        needs: &[TO_THREAD, SOME_DELAY, Need::AtLeast("requests", 33)],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: |modelled| {
            on(modelled, TO_THREAD, |row, _| {
                let (seen, expected) = (row.workers.unwrap_or_default(), default_pool(modelled.asked));
                let cores = modelled.asked.unsigned("logicalCores");
                decided(
                    seen == expected,
                    args([
                        ("seen", seen.into()),
                        ("expected", expected.into()),
                        ("cores", cores.into()),
                    ]),
                )
            })
        },
    },
    ModelClaim {
        id: "deadline-cancels-all",
        kind: ClaimKind::Speed,
        needs: &[DEADLINE_TASKS, SOME_DELAY],
        sabotage: Sabotage::TimeoutThatNeverFires,
        decide: |modelled| {
            on(modelled, DEADLINE_TASKS, |row, batch| {
                let deadline = batch.deadline.map_or(0.0, |deadline| deadline.as_millis());
                let latest = deadline + slack_ms(row, batch, 1);
                let holds = row.answered == Some(0) && ms(row) >= deadline && ms(row) <= latest;
                took_of(holds, ms(row), deadline)
            })
        },
    },
    ModelClaim {
        id: "threads-outlive-the-deadline",
        kind: ClaimKind::Speed,
        needs: &[DEADLINE_THREADS, SOME_DELAY],
        sabotage: Sabotage::TimeoutThatNeverFires,
        decide: |modelled| {
            on(modelled, DEADLINE_THREADS, |row, batch| {
                let gave_up = row.timeout_after_ms;
                let holds = gave_up.is_some_and(|at| at < delay_ms(batch)) && ms(row) >= delay_ms(batch);
                took_of(holds, ms(row), gave_up.unwrap_or_default())
            })
        },
    },
    ModelClaim {
        id: "failure-cancels-the-group",
        kind: ClaimKind::Speed,
        needs: &[FAILURE, SOME_DELAY, Need::AtLeast("requests", 4)],
        sabotage: Sabotage::GroupThatLetsTheOthersGoOn,
        decide: |modelled| {
            on(modelled, FAILURE, |row, batch| {
                let cancelled = errors(row, "cancelled");
                let in_one_round = ms(row) <= delay_ms(batch) + slack_ms(row, batch, 1);
                let holds = cancelled >= batch.requests - batch.limit && in_one_round;
                let numbers = [("seen", significant(ms(row), 4)), ("cancelled", cancelled.into())];
                decided(holds, args(numbers.map(|(id, number)| (id, number.into()))))
            })
        },
    },
    ModelClaim {
        id: "a-limit-avoids-timeouts",
        kind: ClaimKind::Invariant,
        needs: &[MANY_TASKS, MANY_LIMITED],
        sabotage: Sabotage::SemaphoreThatLetsAllIn,
        decide: |modelled| {
            on(modelled, MANY_TASKS, |crowd, _| {
                on(modelled, MANY_LIMITED, |limited, _| {
                    let (all, few) = (errors(crowd, "timeout"), errors(limited, "timeout"));
                    let holds = all > 0 && few == 0 && limited.answered == Some(MANY);
                    decided(holds, args([("crowd", all.into()), ("limited", few.into())]))
                })
            })
        },
    },
    ModelClaim {
        id: "threads-take-memory",
        kind: ClaimKind::Invariant,
        needs: &[MANY_TASKS, MANY_THREADS],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: |modelled| {
            on(modelled, MANY_THREADS, |threads, _| {
                on(modelled, MANY_TASKS, |tasks, _| {
                    let used = |row: &Row| row.peak_memory_bytes.unwrap_or_default();
                    let set_aside = used(threads) + threads.reserved_bytes.unwrap_or_default();
                    let ratio = set_aside / used(tasks).max(1.0);
                    let touched = used(threads) / used(tasks).max(1.0);
                    let numbers = [("ratio", significant(ratio, 2)), ("touched", significant(touched, 2))];
                    decided(
                        ratio > MEMORY_FACTOR,
                        args(numbers.map(|(id, number)| (id, number.into()))),
                    )
                })
            })
        },
    },
];

/// Whoever overlaps waits takes as many rounds as there are requests more than it can make at once; exactly on the ideal
/// machine, and elsewhere longer by no more than the client computes.
fn rounds(modelled: &Modelled<'_>) -> Decision {
    let is_ideal = modelled.asked.choice("preset") == Some("ideal");
    let mut worst: Option<(f64, &Row, f64)> = None;
    for (row, batch) in chosen(modelled) {
        let n_rounds = batch.requests.div_ceil(allowed(modelled, &batch));
        let floor = f64::from(n_rounds) * delay_ms(&batch);
        if !is_plain(&batch, floor + slack_ms(row, &batch, n_rounds)) {
            continue;
        }
        let most = floor
            + if is_ideal {
                EXACT_MS
            } else {
                slack_ms(row, &batch, n_rounds)
            };
        let excess = if row.answered == Some(batch.requests) {
            (floor - EXACT_MS - ms(row)).max(ms(row) - most)
        } else {
            f64::INFINITY
        };
        if worst.is_none_or(|(of_worst, ..)| excess > of_worst) {
            worst = Some((excess, row, floor));
        }
    }
    let Some((excess, row, floor)) = worst else {
        return unclear();
    };
    let numbers = args([
        ("label", row.label.as_str().into()),
        ("seen", significant(ms(row), 4).into()),
        ("floor", significant(floor, 4).into()),
    ]);
    decided(excess <= 0.0, numbers)
}

/// Whether nothing but waiting is to be expected: no failures, no crowd at the server, and no deadline that comes before
/// all is done.
fn is_plain(batch: &Batch, expected: f64) -> bool {
    let can_be_cancelled = !matches!(batch.how, How::OneByOne | How::Blocking);
    let comes_first = batch
        .deadline
        .is_some_and(|deadline| deadline.as_millis() <= expected * 1.1);
    batch.failing == 0 && batch.capacity.is_none() && !(can_be_cancelled && comes_first)
}

/// What may come on top of waiting: everything that the client computed, as on one core, and late wake-ups.
fn slack_ms(row: &Row, batch: &Batch, n_rounds: u32) -> f64 {
    let wakes = f64::from(n_rounds.min(batch.requests)) * ROUND_MS;
    row.client_ms.unwrap_or_default() + wakes
}

/// How many requests of a row may be under way at once.
fn allowed(modelled: &Modelled<'_>, batch: &Batch) -> u32 {
    batch.at_once(default_pool(modelled.asked))
}

/// The rows that can be chosen, with what they do.
fn chosen<'a>(modelled: &Modelled<'a>) -> impl Iterator<Item = (&'a Row, Batch)> + 'a {
    let asked = modelled.asked;
    modelled.rows.iter().filter(|row| row.available).filter_map(move |row| {
        let variant = row.variant.as_deref().filter(|variant| CHOICES.contains(variant))?;
        Some((row, batch(asked, variant, None)))
    })
}

/// Decides on a row. Without it nothing is decided; the claim's needs see to that.
fn on(modelled: &Modelled<'_>, need: Need, decide: impl Fn(&Row, &Batch) -> Decision) -> Decision {
    let Need::Ran(strategy, Some(variant), runtime) = need else {
        return unclear();
    };
    let batch = batch(modelled.asked, variant, None);
    let row = modelled.row(strategy, Some(variant), runtime);
    row.map_or_else(unclear, |row| decide(row, &batch))
}

fn errors(row: &Row, kind: &str) -> u32 {
    let found = row.errors.iter().flatten().find(|errors| errors.kind == kind);
    found.map_or(0, |errors| errors.count)
}

fn ms(row: &Row) -> f64 {
    row.median_ms.unwrap_or_default()
}

fn delay_ms(batch: &Batch) -> f64 {
    batch.delay.as_millis()
}

fn took_of(holds: bool, seen: f64, limit: f64) -> Decision {
    let numbers = [("seen", significant(seen, 4)), ("limit", significant(limit, 4))];
    decided(holds, args(numbers.map(|(id, number)| (id, number.into()))))
}

fn unclear() -> Decision {
    Decision {
        holds: Holds::NotApplicable,
        args: Named::default(),
    }
}
