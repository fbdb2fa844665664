//! What the lessons say about blocking a loop, as assertions. Not here: the words for it.
//!
//! Times can only be longer than planned, never shorter: what says "at least" is an invariant, what says "at most"
//! depends on a machine that is not busy and is a claim about speed. A row is one sample, so a claim about speed has
//! a grey zone instead of an interval.

use super::ways::{HANDLER_MS, HANDLERS};
use super::{longest_gap_ms, seen};
use crate::labs::claims::decided;
use crate::labs::{ClaimSpec, Decision, Evidence, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Named, Sabotage, StallSeen, Strategy};

/// How much too short a time may look: a few steps of a coarse clock.
const CLOCK_MS: f64 = 5.0;

/// What timers and messages of a browser add to what is planned.
const TIMER_MS: f64 = 15.0;

/// What the handlers take one after another, in milliseconds.
const IN_LINE_MS: f64 = (HANDLERS * HANDLER_MS) as f64;

pub const CLAIMS: &[ClaimSpec] = &[
    ClaimSpec {
        id: "blocking-stops-all",
        kind: ClaimKind::Invariant,
        needs: &[Need::Ran(Strategy::EventLoop, Some("blocking"), None)],
        sabotage: Sabotage::CallThatDoesNotBlock,
        decide: |evidence| {
            on(evidence, "blocking", |seen, times| {
                let gap = longest_gap_ms(seen);
                decided(
                    gap >= times.call - CLOCK_MS && seen.timeout_at_ms.is_none(),
                    numbers(gap, times.call),
                )
            })
        },
    },
    ClaimSpec {
        id: "frames-stop-too",
        kind: ClaimKind::Invariant,
        needs: &[
            Need::Ran(Strategy::EventLoop, Some("blocking"), None),
            Need::Chosen("where", "page"),
        ],
        sabotage: Sabotage::CallThatDoesNotBlock,
        decide: |evidence| {
            on(evidence, "blocking", |seen, times| {
                let gap = seen.longest_frame_gap_ms.unwrap_or_default();
                decided(gap >= times.call - CLOCK_MS, numbers(gap, times.call))
            })
        },
    },
    ClaimSpec {
        id: "to-thread-keeps-beating",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::ToThread, Some("to-thread"), None),
            Need::Below("heartbeatMs", 25, "callMs"),
            Need::AtLeast("callMs", 100),
        ],
        sabotage: Sabotage::ToThreadThatBlocks,
        decide: |evidence| {
            on(evidence, "to-thread", |seen, times| {
                let gap = longest_gap_ms(seen);
                let holds = graded(gap, times.call / 2.0, times.call * 0.9);
                Decision {
                    holds,
                    args: numbers(gap, times.call / 2.0),
                }
            })
        },
    },
    ClaimSpec {
        id: "to-thread-timeout-in-time",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::ToThread, Some("to-thread"), None),
            Need::Below("timeoutMs", 75, "callMs"),
            Need::AtLeast("callMs", 100),
        ],
        sabotage: Sabotage::TimeoutThatNeverFires,
        decide: |evidence| {
            on(evidence, "to-thread", |seen, times| {
                let after = seen.timeout_at_ms.map(|at| at - seen.call_started_ms);
                decided(
                    after.is_some_and(|after| after < times.call),
                    numbers(after.unwrap_or_default(), times.call),
                )
            })
        },
    },
    ClaimSpec {
        id: "program-waits-for-call",
        kind: ClaimKind::Invariant,
        needs: &[Need::Ran(Strategy::ToThread, Some("to-thread"), None)],
        sabotage: Sabotage::CallThatDoesNotBlock,
        decide: |evidence| {
            on(evidence, "to-thread", |seen, times| {
                let after = seen.program_ended_ms - seen.call_started_ms;
                decided(after >= times.call - CLOCK_MS, numbers(after, times.call))
            })
        },
    },
    ClaimSpec {
        id: "own-timeout-ends-at-once",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::ToThread, Some("own-timeout"), None),
            Need::Below("timeoutMs", 50, "callMs"),
            Need::AtLeast("callMs", 400),
        ],
        sabotage: Sabotage::TimeoutThatNeverFires,
        decide: |evidence| {
            on(evidence, "own-timeout", |seen, times| {
                let after = seen.call_ended_ms.unwrap_or(seen.program_ended_ms) - seen.call_started_ms;
                let holds = graded(after, times.timeout + 2.0 * TIMER_MS, times.call - CLOCK_MS);
                // And nothing outlives the main task: the program does not wait for a forgotten call.
                let lingers = seen.program_ended_ms - seen.main_ended_ms > times.call / 4.0;
                let holds = if lingers { Holds::False } else { holds };
                Decision {
                    holds,
                    args: numbers(after, times.timeout),
                }
            })
        },
    },
    ClaimSpec {
        id: "slices-keep-beating",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::EventLoop, Some("slices"), None),
            Need::Below("sliceMs", 25, "callMs"),
            Need::Below("heartbeatMs", 25, "callMs"),
        ],
        sabotage: Sabotage::SlicesThatDoNotYield,
        decide: |evidence| {
            on(evidence, "slices", |seen, times| {
                let gap = longest_gap_ms(seen);
                // A timer that falls due in one slice waits for its rest, for the slice that is ready before it, and for
                // one more before the woken task runs: asyncio puts due timers behind what is ready.
                let most = times.heartbeat + 3.0 * times.slice;
                // Clearly false is a gap like the whole call's; in between, the machine was busy.
                let holds = graded(gap, most + TIMER_MS, (times.call - CLOCK_MS).max(most + TIMER_MS));
                Decision {
                    holds,
                    args: numbers(gap, most),
                }
            })
        },
    },
    ClaimSpec {
        id: "compute-inline-stops-all",
        kind: ClaimKind::Invariant,
        needs: &[Need::Ran(Strategy::EventLoop, Some("compute-inline"), None)],
        sabotage: Sabotage::CallThatDoesNotBlock,
        decide: |evidence| {
            on(evidence, "compute-inline", |seen, times| {
                let gap = longest_gap_ms(seen);
                decided(
                    gap >= times.call - CLOCK_MS && seen.timeout_at_ms.is_none(),
                    numbers(gap, times.call),
                )
            })
        },
    },
    ClaimSpec {
        id: "compute-elsewhere-keeps-beating",
        kind: ClaimKind::Speed,
        needs: &[
            Need::Ran(Strategy::ToThread, Some("compute-to-thread"), None),
            Need::Ran(Strategy::Processes, Some("compute-processes"), None),
            Need::Cores(2),
            Need::Below("heartbeatMs", 25, "callMs"),
            Need::AtLeast("callMs", 100),
        ],
        sabotage: Sabotage::ToThreadThatBlocks,
        decide: |evidence| {
            on(evidence, "compute-to-thread", |on_thread, _| {
                on(evidence, "compute-processes", |in_process, times| {
                    let gap = longest_gap_ms(on_thread).max(longest_gap_ms(in_process));
                    let holds = graded(gap, times.call / 2.0, times.call * 0.9);
                    Decision {
                        holds,
                        args: numbers(gap, times.call / 2.0),
                    }
                })
            })
        },
    },
    ClaimSpec {
        id: "handlers-block-in-line",
        kind: ClaimKind::Invariant,
        needs: &[Need::Ran(Strategy::EventLoop, Some("handlers-blocking"), None)],
        sabotage: Sabotage::CallThatDoesNotBlock,
        decide: |evidence| {
            on(evidence, "handlers-blocking", |seen, _| {
                let took = call_took(seen);
                decided(
                    took >= IN_LINE_MS - f64::from(HANDLERS) * CLOCK_MS,
                    numbers(took, IN_LINE_MS),
                )
            })
        },
    },
    ClaimSpec {
        id: "handlers-await-at-once",
        kind: ClaimKind::Speed,
        needs: &[Need::Ran(Strategy::EventLoop, Some("handlers-awaiting"), None)],
        sabotage: Sabotage::AwaitThatBlocks,
        decide: |evidence| {
            on(evidence, "handlers-awaiting", |seen, _| {
                let took = call_took(seen);
                Decision {
                    holds: graded(took, 0.5 * IN_LINE_MS, 0.9 * IN_LINE_MS),
                    args: numbers(took, 0.5 * IN_LINE_MS),
                }
            })
        },
    },
];

/// The run's times in milliseconds.
struct Times {
    call: f64,
    heartbeat: f64,
    timeout: f64,
    slice: f64,
}

/// Decides on what a row saw. Without it nothing is decided; the claim's needs see to that.
fn on(evidence: &Evidence<'_>, variant: &str, decide: impl Fn(&StallSeen, &Times) -> Decision) -> Decision {
    let rows = evidence.taken.rows.iter();
    let row = rows
        .filter(|row| row.subject.variant.as_deref() == Some(variant))
        .find_map(seen);
    let ms = |id| f64::from(evidence.asked.unsigned(id));
    let times = Times {
        call: ms("callMs"),
        heartbeat: ms("heartbeatMs"),
        timeout: ms("timeoutMs"),
        slice: ms("sliceMs"),
    };
    row.map_or(
        Decision {
            holds: Holds::NotApplicable,
            args: Named::default(),
        },
        |seen| decide(seen, &times),
    )
}

fn call_took(seen: &StallSeen) -> f64 {
    seen.call_ended_ms.unwrap_or(seen.program_ended_ms) - seen.call_started_ms
}

/// True up to the first limit, false from the second on, unclear between: one sample on a busy machine.
fn graded(ms: f64, good: f64, bad: f64) -> Holds {
    match ms {
        _ if ms <= good => Holds::True,
        _ if ms >= bad => Holds::False,
        _ => Holds::NotApplicable,
    }
}

fn numbers(seen: f64, limit: f64) -> Named {
    args([
        ("seen", significant(seen, 3).into()),
        ("limit", significant(limit, 3).into()),
    ])
}
