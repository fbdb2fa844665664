//! What the lessons say about blocking a loop, as assertions on the model's exact numbers. Not here: the words for it.

use crate::labs::claims::decided;
use crate::labs::stall::ways::{HANDLER_MS, HANDLERS};
use crate::labs::{Decision, ModelClaim, Modelled, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Named, Row, Runtime, Sabotage, Strategy};

/// What a machine that is not ideal adds: late timers, and the loop's own work.
const OVERHEAD_MS: f64 = 2.0;

/// How much less than asked computing may take by a preset's jitter.
const COMPUTING_SHARE: f64 = 0.98;

/// The interpreter lock's switch interval, which this lab leaves as Python has it.
const SWITCH_INTERVAL_MS: f64 = 5.0;

const BLOCKING: Need = Need::Ran(Strategy::EventLoop, Some("blocking"), None);
const TO_THREAD: Need = Need::Ran(Strategy::ToThread, Some("to-thread"), None);
const OWN_TIMEOUT: Need = Need::Ran(Strategy::ToThread, Some("own-timeout"), None);
const SLICES: Need = Need::Ran(Strategy::EventLoop, Some("slices"), None);
const COMPUTE_INLINE: Need = Need::Ran(Strategy::EventLoop, Some("compute-inline"), None);
const COMPUTE_UNDER_LOCK: Need = Need::Ran(Strategy::ToThread, Some("compute-to-thread"), Some(Runtime::Gil));
const COMPUTE_FREE: Need = Need::Ran(
    Strategy::ToThread,
    Some("compute-to-thread"),
    Some(Runtime::FreeThreaded),
);
const COMPUTE_PROCESSES: Need = Need::Ran(Strategy::Processes, Some("compute-processes"), None);
const HANDLERS_BLOCKING: Need = Need::Ran(Strategy::EventLoop, Some("handlers-blocking"), None);
const HANDLERS_AWAITING: Need = Need::Ran(Strategy::EventLoop, Some("handlers-awaiting"), None);
const LONG_CALL: Need = Need::AtLeast("callMs", 100);
const QUICK_HEART: Need = Need::Below("heartbeatMs", 25, "callMs");
const SHORT_SLICES: Need = Need::Below("sliceMs", 25, "callMs");

const fn claim(
    id: &'static str,
    kind: ClaimKind,
    needs: &'static [Need],
    sabotage: Sabotage,
    decide: fn(&Modelled<'_>) -> Decision,
) -> ModelClaim {
    ModelClaim {
        id,
        kind,
        needs,
        sabotage,
        decide,
    }
}

pub const CLAIMS: &[ModelClaim] = &[
    claim(
        "blocking-stops-all",
        ClaimKind::Invariant,
        &[BLOCKING],
        Sabotage::CallThatDoesNotBlock,
        |modelled| on(modelled, BLOCKING, stops_all),
    ),
    claim(
        "detector-names-the-culprit",
        ClaimKind::Invariant,
        &[BLOCKING, SLICES, LONG_CALL, Need::Below("sliceMs", 3, "callMs")],
        Sabotage::CallThatDoesNotBlock,
        |modelled| {
            on(modelled, BLOCKING, |blocking, times| {
                on(modelled, SLICES, |slices, _| {
                    let named = blocking.culprit.is_some() && slices.culprit.is_none();
                    decided(named, numbers(times.slice, times.call))
                })
            })
        },
    ),
    claim(
        "to-thread-keeps-beating",
        ClaimKind::Speed,
        &[TO_THREAD, QUICK_HEART, LONG_CALL],
        Sabotage::ToThreadThatBlocks,
        |modelled| {
            on(modelled, TO_THREAD, |row, times| {
                let gap = gap_of(row);
                decided(gap < times.call / 2.0, numbers(gap, times.call / 2.0))
            })
        },
    ),
    claim(
        "to-thread-timeout-in-time",
        ClaimKind::Speed,
        &[TO_THREAD, Need::Below("timeoutMs", 75, "callMs"), LONG_CALL],
        Sabotage::TimeoutThatNeverFires,
        |modelled| {
            on(modelled, TO_THREAD, |row, times| {
                let after = row.timeout_after_ms;
                decided(
                    after.is_some_and(|after| after < times.call),
                    numbers(after.unwrap_or_default(), times.call),
                )
            })
        },
    ),
    claim(
        "program-waits-for-call",
        ClaimKind::Invariant,
        &[TO_THREAD],
        Sabotage::CallThatDoesNotBlock,
        |modelled| {
            on(modelled, TO_THREAD, |row, times| {
                let after = program_after(row);
                decided(after >= times.call, numbers(after, times.call))
            })
        },
    ),
    claim(
        "own-timeout-ends-at-once",
        ClaimKind::Speed,
        &[
            OWN_TIMEOUT,
            Need::Below("timeoutMs", 50, "callMs"),
            Need::AtLeast("callMs", 400),
        ],
        Sabotage::TimeoutThatNeverFires,
        |modelled| {
            on(modelled, OWN_TIMEOUT, |row, times| {
                let after = call_took(row);
                decided(after <= times.timeout + OVERHEAD_MS, numbers(after, times.timeout))
            })
        },
    ),
    claim(
        "slices-keep-beating",
        ClaimKind::Speed,
        &[SLICES, SHORT_SLICES, QUICK_HEART],
        Sabotage::SlicesThatDoNotYield,
        |modelled| {
            on(modelled, SLICES, |row, times| {
                let (gap, most) = (gap_of(row), times.heartbeat + 3.0 * times.slice);
                decided(gap <= most + OVERHEAD_MS, numbers(gap, most))
            })
        },
    ),
    claim(
        "compute-inline-stops-all",
        ClaimKind::Invariant,
        &[COMPUTE_INLINE],
        Sabotage::CallThatDoesNotBlock,
        |modelled| on(modelled, COMPUTE_INLINE, stops_all),
    ),
    claim(
        "compute-to-thread-waits-for-the-lock",
        ClaimKind::Speed,
        // Long enough for a beat to fall into the computing.
        &[COMPUTE_UNDER_LOCK, QUICK_HEART, Need::AtLeast("callMs", 50)],
        Sabotage::NoInterpreterLock,
        |modelled| {
            on(modelled, COMPUTE_UNDER_LOCK, |row, times| {
                let gap = gap_of(row);
                let least = times.heartbeat + SWITCH_INTERVAL_MS;
                // One wait for the lock a turn of the loop: a beat takes two, as a sleep ends one and its task goes on in
                // the next, and between the two the loop may lose the lock.
                let is_late = gap >= least - 1e-6 && gap <= least + 2.0 * SWITCH_INTERVAL_MS + OVERHEAD_MS;
                // Nothing is gained: the thread computes as long as the loop would have.
                let after = program_after(row);
                decided(is_late && after >= times.call * COMPUTING_SHARE, numbers(gap, least))
            })
        },
    ),
    claim(
        "compute-elsewhere-keeps-beating",
        ClaimKind::Speed,
        &[
            COMPUTE_PROCESSES,
            COMPUTE_FREE,
            QUICK_HEART,
            LONG_CALL,
            Need::AtLeast("cores", 2),
        ],
        Sabotage::ToThreadThatBlocks,
        |modelled| {
            on(modelled, COMPUTE_PROCESSES, |in_process, times| {
                on(modelled, COMPUTE_FREE, |on_thread, _| {
                    let gap = gap_of(in_process).max(gap_of(on_thread));
                    decided(gap <= times.heartbeat + OVERHEAD_MS, numbers(gap, times.heartbeat))
                })
            })
        },
    ),
    claim(
        "handlers-block-in-line",
        ClaimKind::Invariant,
        &[HANDLERS_BLOCKING],
        Sabotage::CallThatDoesNotBlock,
        |modelled| {
            on(modelled, HANDLERS_BLOCKING, |row, _| {
                let (took, least) = (call_took(row), f64::from(HANDLERS * HANDLER_MS));
                decided(took >= least, numbers(took, least))
            })
        },
    ),
    claim(
        "handlers-await-at-once",
        ClaimKind::Speed,
        &[HANDLERS_AWAITING],
        Sabotage::AwaitThatBlocks,
        |modelled| {
            on(modelled, HANDLERS_AWAITING, |row, _| {
                let (took, one) = (call_took(row), f64::from(HANDLER_MS));
                decided(took <= one + OVERHEAD_MS, numbers(took, one))
            })
        },
    ),
];

/// The run's times in milliseconds.
struct Times {
    call: f64,
    heartbeat: f64,
    timeout: f64,
    slice: f64,
}

/// Decides on a row. Without it nothing is decided; the claim's needs see to that.
fn on(modelled: &Modelled<'_>, need: Need, decide: impl Fn(&Row, &Times) -> Decision) -> Decision {
    let row = match need {
        Need::Ran(strategy, variant, runtime) => modelled.row(strategy, variant, runtime),
        _ => None,
    };
    let ms = |id| f64::from(modelled.asked.unsigned(id));
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
        |row| decide(row, &times),
    )
}

fn stops_all(row: &Row, times: &Times) -> Decision {
    let gap = gap_of(row);
    decided(
        gap >= times.call && row.timeout_fired == Some(false),
        numbers(gap, times.call),
    )
}

fn gap_of(row: &Row) -> f64 {
    row.longest_gap_ms.unwrap_or_default()
}

/// How long the call took, or all handlers did.
fn call_took(row: &Row) -> f64 {
    let ended = row.call_ended_ms.or(row.program_ended_ms).unwrap_or_default();
    ended - row.call_started_ms.unwrap_or_default()
}

/// How long after the call's start the program ended.
fn program_after(row: &Row) -> f64 {
    row.program_ended_ms.unwrap_or_default() - row.call_started_ms.unwrap_or_default()
}

fn numbers(seen: f64, limit: f64) -> Named {
    args([
        ("seen", significant(seen, 4).into()),
        ("limit", significant(limit, 4).into()),
    ])
}
