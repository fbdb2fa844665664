//! What the lessons say about waiting and computing, as assertions on the model's exact numbers. Not here: the words.

use super::super::job_ms;
use crate::labs::claims::decided;
use crate::labs::{Decision, ModelClaim, Modelled, Need};
use crate::measure::digits::significant;
use crate::text::args;
use crate::wire::{ClaimKind, Holds, Named, Row, Runtime, Sabotage, Strategy};

/// A gain over this is one.
const GAIN: f64 = 1.25;

/// What four cores give.
const CORES_GAIN: f64 = 1.5;

/// A gain below this is none.
const NO_GAIN: f64 = 1.1;

/// How much less than asked computing may take by a preset's jitter.
const COMPUTING_SHARE: f64 = 0.98;

/// In line shorter than this, starting workers takes as long as they save.
const LONG_MS: f64 = 500.0;

const MOSTLY_WAITS: Need = Need::All(&[
    Need::AtLeast("jobs", 4),
    Need::AtLeast("waitMs", 20),
    Need::Below("computeMs", 10, "waitMs"),
    Need::Below("workers", 50, "jobs"),
]);
const WAITING_IN_LINE: Need = Need::Ran(Strategy::Serial, Some("waiting-in-line"), None);
const OVERLAPPED: Need = Need::Ran(Strategy::EventLoop, Some("waiting-overlapped"), None);
const WAITING_MANY: Need = Need::Ran(Strategy::Threads, Some("waiting-many"), None);
const COMPUTING_IN_LINE: Need = Need::Ran(Strategy::Serial, Some("computing-in-line"), None);
const COMPUTING_OVERLAPPED: Need = Need::Ran(Strategy::EventLoop, Some("computing-overlapped"), None);
const UNDER_LOCK: Need = Need::Ran(Strategy::Threads, Some("computing-many"), Some(Runtime::Gil));
const PROCESSES: Need = Need::Ran(Strategy::Processes, Some("computing-many"), None);

pub const CLAIMS: &[ModelClaim] = &[
    ModelClaim {
        id: "overlap-wins-when-jobs-wait",
        kind: ClaimKind::Speed,
        needs: &[WAITING_IN_LINE, OVERLAPPED, MOSTLY_WAITS],
        sabotage: Sabotage::AwaitThatBlocks,
        decide: |modelled| {
            let (line, other) = (ms(modelled, WAITING_IN_LINE), ms(modelled, OVERLAPPED));
            // With many jobs their computing alone, which does not overlap, may take as long as their waits in line.
            if expected_gain(modelled) < GAIN {
                return unclear();
            }
            decided(line / other > GAIN, numbers(line, other))
        },
    },
    ModelClaim {
        id: "many-workers-win-too",
        kind: ClaimKind::Speed,
        needs: &[WAITING_IN_LINE, WAITING_MANY, MOSTLY_WAITS],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: |modelled| {
            let (line, other) = (ms(modelled, WAITING_IN_LINE), ms(modelled, WAITING_MANY));
            if expected_gain(modelled) < GAIN {
                return unclear();
            }
            decided(line / other > GAIN, numbers(line, other))
        },
    },
    ModelClaim {
        id: "computing-does-not-overlap",
        kind: ClaimKind::Invariant,
        needs: &[COMPUTING_OVERLAPPED],
        sabotage: Sabotage::CallThatDoesNotBlock,
        decide: |modelled| {
            let seen = ms(modelled, COMPUTING_OVERLAPPED);
            let least = f64::from(modelled.asked.unsigned("jobs")) * f64::from(job_ms(modelled.asked));
            let numbers = [("seen", seen), ("limit", least)];
            let numbers = numbers.map(|(id, ms)| (id, significant(ms, 4).into()));
            decided(seen >= least * COMPUTING_SHARE, args(numbers))
        },
    },
    ModelClaim {
        id: "threads-share-the-lock",
        kind: ClaimKind::Speed,
        needs: &[COMPUTING_IN_LINE, UNDER_LOCK, Need::AtMost("workers", 1)],
        sabotage: Sabotage::NoInterpreterLock,
        decide: |modelled| {
            let (line, other) = (ms(modelled, COMPUTING_IN_LINE), ms(modelled, UNDER_LOCK));
            decided(line <= other * NO_GAIN, numbers(line, other))
        },
    },
    ModelClaim {
        id: "cores-win-when-jobs-compute",
        kind: ClaimKind::Speed,
        needs: &[
            COMPUTING_IN_LINE,
            PROCESSES,
            Need::AtLeast("cores", 4),
            Need::AtLeast("jobs", 4),
            Need::AtMost("workers", 1),
        ],
        sabotage: Sabotage::PoolThatRunsOneAfterAnother,
        decide: |modelled| {
            let (line, other) = (ms(modelled, COMPUTING_IN_LINE), ms(modelled, PROCESSES));
            let starting = start_ms(modelled);
            // The starts of the workers must be worth it.
            if line < LONG_MS || starting * 4.0 > line {
                return unclear();
            }
            decided(line / other > CORES_GAIN, numbers(line, other))
        },
    },
];

/// What one overlapping worker can gain at most: the line of each worker against one wait and everybody's computing.
fn expected_gain(modelled: &Modelled<'_>) -> f64 {
    let number = |id| f64::from(modelled.asked.unsigned(id));
    let rounds = (number("jobs") / number("workers").max(1.0)).ceil();
    let line = rounds * f64::from(job_ms(modelled.asked));
    // Half of it, where a machine adds its own.
    line / (number("waitMs") + number("jobs") * number("computeMs")).max(1.0) / 2.0
}

/// What starting the workers of the processes' row takes, on all cores together: what it computed beyond its jobs.
fn start_ms(modelled: &Modelled<'_>) -> f64 {
    let costs = crate::labs::presets::of(modelled.asked).costs();
    let each = costs.fork_server.child.as_millis() + costs.fork_server.parent.as_millis();
    let cores = f64::from(modelled.asked.unsigned("cores").max(1));
    let workers = f64::from(super::super::many(modelled.asked));
    costs.fork_server_start.as_millis() + each * (workers / cores).ceil()
}

fn of<'run>(modelled: &Modelled<'run>, need: Need) -> Option<&'run Row> {
    match need {
        Need::Ran(strategy, variant, runtime) => modelled.row(strategy, variant, runtime),
        _ => None,
    }
}

fn ms(modelled: &Modelled<'_>, need: Need) -> f64 {
    of(modelled, need).and_then(|row| row.median_ms).unwrap_or_default()
}

fn numbers(line: f64, other: f64) -> Named {
    let gain = line / other.max(f64::MIN_POSITIVE);
    let numbers = [("line", line), ("other", other), ("gain", gain)];
    args(numbers.map(|(id, number)| (id, significant(number, 3).into())))
}

fn unclear() -> Decision {
    Decision {
        holds: Holds::NotApplicable,
        args: Named::default(),
    }
}
