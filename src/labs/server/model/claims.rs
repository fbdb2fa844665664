//! What the lessons say about services, as assertions on the model's exact numbers. Not here: the words for it.

use super::cases::{self, TOGETHER, heavy_ms, rule};
use super::service::{CALL, CALLS, QUERY, SWITCH_INTERVAL};
use crate::labs::claims::decided;
use crate::labs::{Decision, ModelClaim, Modelled, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Named, Row, Sabotage, Strategy};

/// What a machine that is not ideal adds to a request: late timers and wake-ups, the handling itself.
const OVERHEAD_MS: f64 = 3.0;

/// Half, and a little for what is not waiting.
const HALF: f64 = 0.6;

/// How far one query's time may differ between two views that both wait for it.
const ALIKE: f64 = 0.1;

/// How far the simulation may be from queueing theory.
const THEORY: f64 = 0.03;

/// Up to this load a loop is not what requests wait for.
const IDLE: f64 = 0.5;

/// Less than any number's last digit.
const EXACT: f64 = 1e-9;

/// Less computing than this does not show among the others' slowest.
const HEAVY_MS: u32 = 100;

const ONE_BY_ONE: Need = row("one-by-one");
const AT_ONCE: Need = row("at-once");
const AWAITING: Need = row("awaiting-handlers");
const BLOCKING: Need = row("blocking-handler");
const ASYNC_MIDDLEWARE: Need = row("async-middleware");
const SYNC_MIDDLEWARE: Need = row("sync-middleware");
const SYNC_VIEW: Need = Need::Ran(Strategy::Threads, Some("query-sync-view"), None);
const ASYNC_VIEW: Need = row("query-async-view");
const QUERIES_ASYNC: Need = row("queries-async");
const QUERIES_ON_THREAD: Need = Need::Ran(Strategy::ToThread, Some("queries-sync-to-async"), None);
const REFUSED: Need = row("query-refused");
const STALLS: Need = row("query-stalls");
const NOBODY: Need = row("nobody-computes");
const IN_REQUEST: Need = row("heavy-in-request");
const IN_THREAD: Need = Need::Ran(Strategy::ToThread, Some("heavy-in-thread"), None);
const IN_QUEUE: Need = row("heavy-in-queue");
const LOAD_WSGI: Need = Need::Ran(Strategy::Threads, Some("load-wsgi"), None);
const LOAD_RULE: Need = Need::Ran(Strategy::Processes, Some("load-rule"), None);
const LOAD_ASGI: Need = row("load-asgi");
const TEXTBOOK: Need = Need::Ran(Strategy::Threads, Some("textbook"), None);

const fn row(variant: &'static str) -> Need {
    Need::Ran(Strategy::EventLoop, Some(variant), None)
}

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
        "at-once-halves-the-wait",
        ClaimKind::Speed,
        &[ONE_BY_ONE, AT_ONCE],
        Sabotage::GroupThatRunsOneAfterAnother,
        |modelled| {
            let (line, both) = (ms(modelled, ONE_BY_ONE), ms(modelled, AT_ONCE));
            decided(both <= line * HALF, numbers(both, line))
        },
    ),
    claim(
        "blocking-handler-delays-all",
        ClaimKind::Invariant,
        &[AWAITING, BLOCKING],
        Sabotage::CallThatDoesNotBlock,
        |modelled| {
            // All others wait until it has made its calls, and only then make theirs.
            let (alone, behind) = (ms(modelled, AWAITING), ms(modelled, BLOCKING));
            let blocked = CALL.as_millis() * f64::from(CALLS);
            decided(behind >= alone + blocked - OVERHEAD_MS, numbers(behind, alone))
        },
    ),
    claim(
        "sync-middleware-takes-a-thread-each",
        ClaimKind::Invariant,
        &[ASYNC_MIDDLEWARE, SYNC_MIDDLEWARE],
        Sabotage::PoolThatRunsOneAfterAnother,
        |modelled| {
            let threads = |need| of(modelled, need).and_then(|row| row.workers).unwrap_or_default();
            let (without, with) = (threads(ASYNC_MIDDLEWARE), threads(SYNC_MIDDLEWARE));
            let numbers = [("seen", with), ("without", without), ("requests", TOGETHER)];
            decided(
                with == TOGETHER && without == 0,
                args(numbers.map(|(id, number)| (id, number.into()))),
            )
        },
    ),
    claim(
        "one-query-is-no-faster",
        ClaimKind::Speed,
        &[SYNC_VIEW, ASYNC_VIEW],
        Sabotage::CallThatDoesNotBlock,
        |modelled| {
            let (threads, tasks) = (ms(modelled, SYNC_VIEW), ms(modelled, ASYNC_VIEW));
            decided((tasks / threads - 1.0).abs() <= ALIKE, numbers(tasks, threads))
        },
    ),
    claim(
        "sync-to-async-serialises",
        ClaimKind::Invariant,
        // With a single connection the awaited queries go one by one as well.
        &[QUERIES_ASYNC, QUERIES_ON_THREAD, Need::AtLeast("connections", 2)],
        Sabotage::CallThatDoesNotBlock,
        |modelled| {
            let (at_once, in_line) = (ms(modelled, QUERIES_ASYNC), ms(modelled, QUERIES_ON_THREAD));
            let query = QUERY.as_millis();
            let holds = in_line >= 2.0 * query && at_once < 2.0 * query;
            decided(holds, numbers(in_line, at_once))
        },
    ),
    claim(
        "sync-library-stalls-silently",
        ClaimKind::Invariant,
        &[REFUSED, STALLS],
        Sabotage::CallThatDoesNotBlock,
        |modelled| {
            let refused = of(modelled, REFUSED).and_then(|row| row.errors.as_ref()).is_some();
            let stalls = of(modelled, STALLS);
            let last = stalls.and_then(|row| row.p99_ms).unwrap_or_default();
            let is_silent = stalls.is_some_and(|row| row.errors.is_none());
            let line = QUERY.as_millis() * f64::from(TOGETHER);
            decided(refused && is_silent && last >= line, numbers(last, line))
        },
    ),
    claim(
        "computing-in-the-request-delays-others",
        ClaimKind::Invariant,
        &[NOBODY, IN_REQUEST],
        Sabotage::CallThatDoesNotBlock,
        |modelled| {
            heavy(modelled, |heavy| {
                let (before, after) = (p95(modelled, NOBODY), p95(modelled, IN_REQUEST));
                // The slowest of the others came as the computing began, the next a little later.
                decided(after >= before + heavy / 2.0, numbers(after, before))
            })
        },
    ),
    claim(
        "a-thread-shares-the-lock",
        ClaimKind::Speed,
        &[NOBODY, IN_REQUEST, IN_THREAD, Need::Other("runtime", "free-threaded")],
        Sabotage::NoInterpreterLock,
        |modelled| {
            heavy(modelled, |_| {
                let (before, after) = (p95(modelled, NOBODY), p95(modelled, IN_THREAD));
                let inline = p95(modelled, IN_REQUEST);
                let is_late = after >= before + SWITCH_INTERVAL.as_millis() / 2.0;
                decided(is_late && after < inline, numbers(after, before))
            })
        },
    ),
    claim(
        "a-queue-leaves-others-alone",
        ClaimKind::Speed,
        &[NOBODY, IN_QUEUE, Need::AtLeast("cores", 2)],
        Sabotage::ToThreadThatBlocks,
        |modelled| {
            heavy(modelled, |_| {
                let (before, after) = (p95(modelled, NOBODY), p95(modelled, IN_QUEUE));
                decided(after <= before + OVERHEAD_MS, numbers(after, before))
            })
        },
    ),
    claim(
        "threads-bound-the-throughput",
        ClaimKind::Invariant,
        &[LOAD_WSGI, LOAD_RULE, Need::Other("service", "exponential")],
        Sabotage::SemaphoreThatLetsAllIn,
        |modelled| {
            let worst = [LOAD_WSGI, LOAD_RULE].into_iter().filter_map(|need| {
                let row = of(modelled, need)?;
                let service = cases::service(modelled.asked, row.variant.as_deref()?, None);
                let servers = f64::from(service.workers * service.threads);
                let most = servers / service.alone().as_seconds().max(f64::MIN_POSITIVE);
                Some((row.throughput? / most, row.throughput?, most))
            });
            let worst = worst.max_by(|one, two| one.0.total_cmp(&two.0));
            let Some((share, seen, most)) = worst else {
                return unclear();
            };
            decided(share <= 1.0 + EXACT, numbers(seen, most))
        },
    ),
    claim(
        "one-loop-carries-many-waits",
        ClaimKind::Speed,
        &[
            LOAD_ASGI,
            Need::AtMost("blockingShare", 0),
            Need::AtMost("computeMs", 0),
            Need::Other("service", "exponential"),
        ],
        Sabotage::AwaitThatBlocks,
        |modelled| {
            let Some(row) = of(modelled, LOAD_ASGI) else {
                return unclear();
            };
            let service = cases::service(modelled.asked, "load-asgi", None);
            let plan = super::load::planned_load(modelled.asked, &service);
            let (seen, alone) = (row.p95_ms.unwrap_or_default(), service.alone().as_millis());
            if plan > IDLE {
                return Decision {
                    holds: Holds::NotApplicable,
                    args: numbers(seen, alone),
                };
            }
            // Where a query waits for a connection now and then, it is not the loop that is waited for.
            decided(seen <= alone * (1.0 + ALIKE) + QUERY.as_millis(), numbers(seen, alone))
        },
    ),
    claim(
        "workers-by-rule",
        ClaimKind::Invariant,
        &[LOAD_RULE],
        Sabotage::PoolThatRunsOneAfterAnother,
        |modelled| {
            let seen = of(modelled, LOAD_RULE).and_then(|row| row.workers).unwrap_or_default();
            let cores = modelled.asked.unsigned("cores");
            let wanted = rule(modelled.asked);
            let numbers = [("seen", seen), ("cores", cores), ("wanted", wanted)];
            decided(seen == wanted, args(numbers.map(|(id, number)| (id, number.into()))))
        },
    ),
    claim(
        "equals-queueing-theory",
        ClaimKind::Invariant,
        &[TEXTBOOK],
        Sabotage::TimeThatIgnoresSize,
        |modelled| {
            let number = |text: Option<&String>| text.and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
            let row = of(modelled, TEXTBOOK);
            let seen = number(row.and_then(|row| row.value.as_ref()));
            let expected = number(row.and_then(|row| row.expected.as_ref()));
            decided((seen / expected - 1.0).abs() <= THEORY, numbers(seen, expected))
        },
    ),
];

fn of<'run>(modelled: &Modelled<'run>, need: Need) -> Option<&'run Row> {
    match need {
        Need::Ran(strategy, variant, runtime) => modelled.row(strategy, variant, runtime),
        _ => None,
    }
}

fn ms(modelled: &Modelled<'_>, need: Need) -> f64 {
    of(modelled, need).and_then(|row| row.median_ms).unwrap_or_default()
}

fn p95(modelled: &Modelled<'_>, need: Need) -> f64 {
    of(modelled, need).and_then(|row| row.p95_ms).unwrap_or_default()
}

/// Decides where the heavy request computes long enough to show.
fn heavy(modelled: &Modelled<'_>, decide: impl Fn(f64) -> Decision) -> Decision {
    let ms = heavy_ms(modelled.asked);
    if ms < HEAVY_MS { unclear() } else { decide(ms.into()) }
}

fn numbers(seen: f64, limit: f64) -> Named {
    args([
        ("seen", significant(seen, 4).into()),
        ("limit", significant(limit, 4).into()),
    ])
}

fn unclear() -> Decision {
    Decision {
        holds: Holds::NotApplicable,
        args: Named::default(),
    }
}
