//! The rows: who makes which requests, how, and against what.
//!
//! Not here: the client's program.

use super::super::{CHOICES, MEASURED_ONLY, VARIANTS, most_threads};
use crate::labs::Asked;
use crate::labs::rows::runtime_of;
use crate::live::event_loop::fan_out::{Batch, How};
use crate::machine::Nanoseconds;
use crate::machine::threads::StartMethod;
use crate::measure::Subject;
use crate::wire::{Row, Runtime, Sabotage, Strategy};

/// The crowd of the rows `many-…`: so many requests against so many connections, each answered after so long.
pub const MANY: u32 = 10_000;
/// Connections that a client's pool has, or a server.
pub const CONNECTIONS: u32 = 20;
const MANY_DELAY: Nanoseconds = Nanoseconds::millis(200);
/// How long a client of the crowd waits for its connection and its answer, as common HTTP clients do.
const PATIENCE: Nanoseconds = Nanoseconds::seconds(5);
/// Long enough that the last of so many threads begins before the first ends.
const MANY_THREADS_DELAY: Nanoseconds = Nanoseconds::seconds(8);

/// The threads of the default pool.
pub fn default_pool(asked: &Asked) -> u32 {
    most_threads(asked.unsigned("logicalCores"))
}

/// The rows of a run, in the order shown.
pub fn subjects(asked: &Asked) -> Vec<Subject> {
    let all = VARIANTS.iter().copied().filter(|id| !MEASURED_ONLY.contains(id));
    let chosen = all.filter(|id| asked.allows("variant", id));
    let runtime = runtime(asked);
    chosen
        .map(|id| Subject {
            variant: Some(id.to_owned()),
            runtime: Some(runtime),
            baseline: id == "one-by-one",
            ..Subject::new(strategy(id))
        })
        .collect()
}

/// The runtime asked for; without, the one with the lock.
pub fn runtime(asked: &Asked) -> Runtime {
    asked.choice("runtime").and_then(runtime_of).unwrap_or(Runtime::Gil)
}

fn strategy(variant: &str) -> Strategy {
    match variant {
        "one-by-one" => Strategy::Serial,
        "threads" | "deadline-threads" | "many-threads" => Strategy::Threads,
        "processes" => Strategy::Processes,
        "to-thread" | "gather-to-thread" => Strategy::ToThread,
        _ => Strategy::EventLoop,
    }
}

/// What a row does.
pub fn batch(asked: &Asked, variant: &str, sabotage: Option<Sabotage>) -> Batch {
    let number = |id| asked.unsigned(id);
    let some = |value: u32| (value > 0).then_some(value);
    let delay = Nanoseconds::millis(number("delayMs").into());
    let own = Batch {
        how: How::OneByOne,
        requests: number("requests"),
        delay,
        workers: number("workers"),
        limit: number("limit"),
        deadline: some(number("deadlineMs")).map(|ms| Nanoseconds::millis(ms.into())),
        patience: None,
        failing: number("failing"),
        capacity: some(number("capacity")),
        backlog: number("backlog"),
        retries: number("retries"),
        keeps_errors: false,
        start_method: if runtime(asked) == Runtime::GilLegacy {
            StartMethod::Fork
        } else {
            StartMethod::ForkServer
        },
        sabotage,
    };
    if CHOICES.contains(&variant) {
        return Batch {
            how: how(variant),
            ..own
        };
    }
    // Seen at close range, so without whatever else was asked for.
    let plain = Batch {
        deadline: None,
        failing: 0,
        capacity: None,
        retries: 0,
        ..own
    };
    let half = Some(Nanoseconds(delay.0 / 2));
    let crowd = Batch {
        requests: MANY,
        delay: MANY_DELAY,
        limit: CONNECTIONS,
        patience: Some(PATIENCE),
        capacity: Some(CONNECTIONS),
        backlog: MANY,
        keeps_errors: true,
        ..plain
    };
    match variant {
        "deadline-tasks" => Batch {
            how: How::Tasks,
            deadline: half,
            ..plain
        },
        "deadline-threads" => Batch {
            how: How::Pool { processes: false },
            deadline: half,
            ..plain
        },
        // Half of them wait when the first fails.
        "failure-group" => Batch {
            how: How::Limited,
            limit: plain.limit.min(plain.requests.div_ceil(2)),
            failing: 1,
            ..plain
        },
        "many-tasks" => Batch {
            how: How::Tasks,
            ..crowd
        },
        "many-limited" => Batch {
            how: How::Limited,
            ..crowd
        },
        _ => Batch {
            how: How::Pool { processes: false },
            workers: MANY,
            delay: MANY_THREADS_DELAY,
            capacity: None,
            patience: None,
            ..crowd
        },
    }
}

fn how(variant: &str) -> How {
    match variant {
        "threads" => How::Pool { processes: false },
        "processes" => How::Pool { processes: true },
        "tasks" => How::Tasks,
        "limited" => How::Limited,
        "blocking" => How::Blocking,
        "to-thread" => How::ToThread,
        "gather-to-thread" => How::GatherToThread,
        _ => How::OneByOne,
    }
}

/// Whether a row is one thing at close range, with numbers of its own.
pub fn is_close_up(row: &Row) -> bool {
    row.variant
        .as_deref()
        .is_some_and(|variant| !CHOICES.contains(&variant))
}
