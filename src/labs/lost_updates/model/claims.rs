//! What the lessons say about counting together, of the modelled numbers. Not here: the words for it.

use super::share;
use crate::labs::claims::decided;
use crate::labs::{Decision, ModelClaim, Modelled, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Explored, Grade, Holds, Row, Runtime, Sabotage, Strategy};

/// Switch intervals that a race must last: the lock of a shorter one hardly changes hands.
const LEAST_INTERVALS: f64 = 6.0;

/// How far the share of `wide` may be from (n − 1) / n.
const EXACT: f64 = 0.01;

const fn ran(variant: &'static str, runtime: Option<Runtime>) -> Need {
    Need::Ran(Strategy::Threads, Some(variant), runtime)
}

/// With a shorter interval most of the time goes into switching, and the races that can be modelled are too short.
const LONG_ENOUGH: Need = Need::AtLeast("switchIntervalUs", 50);

pub const CLAIMS: &[ModelClaim] = &[
    ModelClaim {
        id: "lock-loses-none",
        kind: ClaimKind::Invariant,
        needs: &[ran("lock", None)],
        sabotage: Sabotage::LockThatDoesNotLock,
        decide: |modelled| loses_none(modelled, &["lock"], None),
    },
    ModelClaim {
        id: "atomic-loses-none",
        kind: ClaimKind::Invariant,
        needs: &[ran("atomic", None)],
        sabotage: Sabotage::AtomicThatTears,
        decide: |modelled| loses_none(modelled, &["atomic"], None),
    },
    ModelClaim {
        id: "own-then-merge-loses-none",
        kind: ClaimKind::Invariant,
        needs: &[ran("own-then-merge", None)],
        sabotage: Sabotage::SharedOwnCounters,
        decide: |modelled| loses_none(modelled, &["own-then-merge"], None),
    },
    ModelClaim {
        id: "queue-loses-none",
        kind: ClaimKind::Invariant,
        needs: &[ran("queue", None)],
        sabotage: Sabotage::QueueThatDrops,
        decide: |modelled| loses_none(modelled, &["queue"], None),
    },
    ModelClaim {
        id: "free-threaded-plain-loses",
        kind: ClaimKind::Invariant,
        needs: &[
            ran("plain", Some(Runtime::FreeThreaded)),
            Need::AtLeast("additions", 1_000),
            Need::AtLeast("cores", 2),
        ],
        sabotage: Sabotage::PlainThatIsAtomic,
        decide: |modelled| loses_in(thread_row(modelled, "plain", Runtime::FreeThreaded), usize::MAX),
    },
    ModelClaim {
        id: "gil-plain-is-lucky",
        kind: ClaimKind::Invariant,
        needs: &[ran("plain", Some(Runtime::Gil))],
        sabotage: Sabotage::NoInterpreterLock,
        decide: |modelled| loses_none(modelled, &["plain", "plain-often"], Some(Runtime::Gil)),
    },
    ModelClaim {
        id: "gil-legacy-plain-loses",
        kind: ClaimKind::Speed,
        needs: &[ran("plain", Some(Runtime::GilLegacy)), LONG_ENOUGH],
        sabotage: Sabotage::PlainThatIsAtomic,
        decide: |modelled| loses_in_most(modelled, thread_row(modelled, "plain", Runtime::GilLegacy)),
    },
    ModelClaim {
        id: "gil-call-loses",
        kind: ClaimKind::Speed,
        // Where nothing varies, every switch falls on the same place of the loop.
        needs: &[
            ran("call", Some(Runtime::Gil)),
            Need::Other("preset", "ideal"),
            LONG_ENOUGH,
        ],
        sabotage: Sabotage::CallWithoutCheckPoint,
        decide: |modelled| loses_in_most(modelled, thread_row(modelled, "call", Runtime::Gil)),
    },
    ModelClaim {
        id: "gil-wide-loses-over-half",
        kind: ClaimKind::Speed,
        needs: &[
            ran("wide", Some(Runtime::Gil)),
            Need::AtLeast("additions", 100),
            LONG_ENOUGH,
        ],
        sabotage: Sabotage::WideThatKeepsTheLock,
        decide: |modelled| {
            let n = f64::from(modelled.asked.unsigned("threads").max(1));
            let right = 1.0 - 1.0 / n;
            let share = thread_row(modelled, "wide", Runtime::Gil)
                .map(share)
                .unwrap_or_default();
            let numbers = args([
                ("share", significant(share, 4).into()),
                ("right", significant(right, 4).into()),
            ]);
            decided((share - right).abs() <= EXACT, numbers)
        },
    },
    ModelClaim {
        id: "await-between-loses",
        kind: ClaimKind::Invariant,
        needs: &[
            Need::Ran(Strategy::EventLoop, Some("await-between"), None),
            Need::Ran(Strategy::EventLoop, Some("plain"), None),
        ],
        sabotage: Sabotage::AwaitThatBlocks,
        decide: await_between,
    },
    ModelClaim {
        id: "losing-schedule",
        kind: ClaimKind::Invariant,
        needs: &[ran("plain", Some(Runtime::FreeThreaded))],
        sabotage: Sabotage::PlainThatIsAtomic,
        decide: losing_schedule,
    },
    ModelClaim {
        id: "least-left",
        kind: ClaimKind::Invariant,
        needs: &[ran("plain", Some(Runtime::FreeThreaded))],
        sabotage: Sabotage::PlainThatIsAtomic,
        decide: least_left,
    },
];

fn thread_row<'run>(modelled: &Modelled<'run>, variant: &str, runtime: Runtime) -> Option<&'run Row> {
    modelled.row(Strategy::Threads, Some(variant), Some(runtime))
}

fn losses(row: Option<&Row>) -> &[u32] {
    row.and_then(|row| row.losses.as_deref()).unwrap_or_default()
}

/// No race of any such row of threads lost anything.
fn loses_none(modelled: &Modelled<'_>, variants: &[&str], runtime: Option<Runtime>) -> Decision {
    let rows = modelled.rows.iter().filter(|row| {
        let is_meant = row
            .variant
            .as_deref()
            .is_some_and(|variant| variants.contains(&variant));
        row.strategy == Strategy::Threads && is_meant && runtime.is_none_or(|runtime| row.runtime == Some(runtime))
    });
    let all: Vec<u32> = rows.flat_map(|row| losses(Some(row)).to_vec()).collect();
    let lost = all.iter().copied().max().unwrap_or_default();
    let numbers = args([("runs", count(all.len()).into()), ("lost", lost.into())]);
    decided(lost == 0 && !all.is_empty(), numbers)
}

/// More than half of the races lost something; races that hardly outlast the switch interval say nothing.
fn loses_in_most(modelled: &Modelled<'_>, row: Option<&Row>) -> Decision {
    let decision = loses_in(row, losses(row).len() / 2 + 1);
    let interval_ms = f64::from(modelled.asked.unsigned("switchIntervalUs")) / 1000.0;
    let is_short = row
        .and_then(|row| row.median_ms)
        .is_some_and(|ms| ms < LEAST_INTERVALS * interval_ms);
    if decision.holds == Holds::False && is_short {
        return Decision {
            holds: Holds::NotApplicable,
            ..decision
        };
    }
    decision
}

/// At least so many races lost something; all of them, where there are fewer.
fn loses_in(row: Option<&Row>, n_least: usize) -> Decision {
    let all = losses(row);
    let n_losing = all.iter().filter(|lost| **lost > 0).count();
    let hand_overs = row.and_then(|row| row.hand_overs).unwrap_or_default();
    let numbers = args([
        ("losing", count(n_losing).into()),
        ("runs", count(all.len()).into()),
        ("handOvers", hand_overs.into()),
    ]);
    decided(n_losing > 0 && n_losing >= n_least.min(all.len()), numbers)
}

/// Of ten tasks that all read before any writes, one counts; without an await in between nobody can come in.
fn await_between(modelled: &Modelled<'_>) -> Decision {
    let of = |variant: &str| modelled.row(Strategy::EventLoop, Some(variant), None);
    let lost = |variant: &str| of(variant).and_then(|row| row.lost);
    let expected = of("plain")
        .and_then(|row| row.expected.as_deref()?.parse::<u32>().ok())
        .unwrap_or_default();
    let (with, without) = (
        lost("await-between").unwrap_or_default(),
        lost("plain").unwrap_or(u32::MAX),
    );
    let numbers = args([
        ("remain", expected.saturating_sub(with).into()),
        ("without", expected.saturating_sub(without).into()),
        ("expected", expected.into()),
    ]);
    decided(with == expected / 10 * 9 && without == 0, numbers)
}

/// What the search through all schedules of a few plain additions found.
fn all_schedules<'run>(modelled: &Modelled<'run>) -> Option<&'run Explored> {
    thread_row(modelled, "plain", Runtime::FreeThreaded)?.explored.as_ref()
}

fn losing_schedule(modelled: &Modelled<'_>) -> Decision {
    let all = all_schedules(modelled);
    let losing = all.and_then(|all| all.outcomes.iter().find(|outcome| outcome.grade == Grade::Lost));
    let numbers = args([
        (
            "schedules",
            all.and_then(|all| all.schedules.clone()).unwrap_or_default().into(),
        ),
        (
            "ending",
            losing.map(|outcome| outcome.text.clone()).unwrap_or_default().into(),
        ),
        (
            "witness",
            losing.map(|outcome| outcome.witness.clone()).unwrap_or_default().into(),
        ),
        ("preemptions", losing.map_or(0, |outcome| outcome.preemptions).into()),
    ]);
    decided(losing.is_some(), numbers)
}

/// 2, however often each adds, and 1 if each adds once.
fn least_left(modelled: &Modelled<'_>) -> Decision {
    let outcomes = all_schedules(modelled)
        .map(|all| all.outcomes.as_slice())
        .unwrap_or_default();
    let least = outcomes
        .iter()
        .filter_map(|outcome| outcome.value.as_ref()?.parse::<u32>().ok())
        .min();
    let right = modelled.asked.unsigned("additions").min(2);
    decided(
        least == Some(right),
        args([("least", least.unwrap_or_default().into()), ("right", right.into())]),
    )
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
