//! The rows: small scenes of what one request does to itself and to others, and the service under load.
//!
//! Not here: how requests are handled (`service`, `program`).

use super::load::{Arrivals, Load, Traffic, erlang_mean_ms};
use super::program::{Due, Play};
use super::service::{CALL, Database, Heavy, Kind, Own, Service};
use crate::labs::Asked;
use crate::labs::rows::runtime_of;
use crate::machine::Nanoseconds;
use crate::measure::Subject;
use crate::wire::{Runtime, Sabotage, Strategy};

/// Requests of a scene that arrive together.
pub const TOGETHER: u32 = 10;

/// The scenes about computing: so many requests, one every so often, and the one that computes among them.
const STEADY: u32 = 40;
const STEADY_GAP: Nanoseconds = Nanoseconds::millis(20);
const HEAVY_AT: u32 = 10;

/// What the heavy request computes where the run does not say.
const HEAVY_MS: u32 = 500;

/// Requests of a service under load that the machine plays before the simulation takes over.
const FIRST: u32 = 24;

/// The textbook's row: so many requests at this load, with as many servers as the run has, but not fewer than these.
const TEXTBOOK_REQUESTS: u32 = 1_000_000;
const TEXTBOOK_PERCENT: u32 = 80;
const TEXTBOOK_SERVERS: u32 = 4;

/// A service of this many processes, as a rule of thumb has it: twice the cores, and one.
pub fn rule(asked: &Asked) -> u32 {
    asked.unsigned("cores") * 2 + 1
}

/// What the heavy request of the scenes computes.
pub fn heavy_ms(asked: &Asked) -> u32 {
    match asked.unsigned("computeMs") {
        0 => HEAVY_MS,
        ms => ms,
    }
}

/// The runtime asked for; without, the one with the lock.
pub fn runtime(asked: &Asked) -> Runtime {
    asked.choice("runtime").and_then(runtime_of).unwrap_or(Runtime::Gil)
}

/// A row: its id, its strategy, and the choice of a parameter without which it is not shown.
struct Case {
    id: &'static str,
    strategy: Strategy,
    shown_with: &'static [(&'static str, &'static str)],
}

const fn case(id: &'static str, strategy: Strategy, shown_with: &'static [(&'static str, &'static str)]) -> Case {
    Case {
        id,
        strategy,
        shown_with,
    }
}

/// All of them, in the order shown.
const CASES: [Case; 20] = [
    case("one-by-one", Strategy::EventLoop, &[("calls", "one-by-one")]),
    case("at-once", Strategy::EventLoop, &[("calls", "at-once")]),
    case("awaiting-handlers", Strategy::EventLoop, &[]),
    case("blocking-handler", Strategy::EventLoop, &[]),
    case("async-middleware", Strategy::EventLoop, &[("middleware", "async")]),
    case("sync-middleware", Strategy::EventLoop, &[("middleware", "sync")]),
    case("query-sync-view", Strategy::Threads, &[("database", "sync")]),
    case("query-async-view", Strategy::EventLoop, &[("database", "async")]),
    case("queries-async", Strategy::EventLoop, &[("database", "async")]),
    case(
        "queries-sync-to-async",
        Strategy::ToThread,
        &[("database", "sync-to-async")],
    ),
    case("query-refused", Strategy::EventLoop, &[("database", "sync")]),
    case("query-stalls", Strategy::EventLoop, &[("database", "sync")]),
    case("nobody-computes", Strategy::EventLoop, &[]),
    case("heavy-in-request", Strategy::EventLoop, &[("heavy", "in-request")]),
    case("heavy-in-thread", Strategy::ToThread, &[("heavy", "thread")]),
    case("heavy-in-queue", Strategy::EventLoop, &[("heavy", "queue")]),
    case("load-wsgi", Strategy::Threads, &[("kind", "wsgi")]),
    case("load-rule", Strategy::Processes, &[("kind", "wsgi")]),
    case("load-asgi", Strategy::EventLoop, &[("kind", "asgi")]),
    case("textbook", Strategy::Threads, &[("service", "exponential")]),
];

/// The ids of all rows.
pub const VARIANTS: &[&str] = &[
    "one-by-one",
    "at-once",
    "awaiting-handlers",
    "blocking-handler",
    "async-middleware",
    "sync-middleware",
    "query-sync-view",
    "query-async-view",
    "queries-async",
    "queries-sync-to-async",
    "query-refused",
    "query-stalls",
    "nobody-computes",
    "heavy-in-request",
    "heavy-in-thread",
    "heavy-in-queue",
    "load-wsgi",
    "load-rule",
    "load-asgi",
    "textbook",
];

/// The rows of a run. A choice that was asked for leaves out the scenes of the other choices; a row that was asked for is
/// there whatever else was.
pub fn subjects(asked: &Asked) -> Vec<Subject> {
    let is_shown = |case: &&Case| match asked.choice("variant") {
        Some(variant) => variant == case.id,
        None => case
            .shown_with
            .iter()
            .all(|(id, choice)| !asked.was_given(id) || asked.choice(id) == Some(choice)),
    };
    let workers = |case: &Case| match case.id {
        "load-wsgi" | "load-asgi" => Some(asked.unsigned("workers")),
        "load-rule" => Some(rule(asked)),
        _ => None,
    };
    let shown = CASES.iter().filter(is_shown);
    shown
        .map(|case| Subject {
            variant: Some(case.id.to_owned()),
            runtime: Some(runtime(asked)),
            workers: workers(case),
            baseline: case.id == "one-by-one",
            once: true,
            ..Subject::new(case.strategy)
        })
        .collect()
}

/// Whether a row is of a service under load.
pub fn is_load(variant: &str) -> bool {
    variant.starts_with("load-")
}

/// The service of a row under load.
pub fn service(asked: &Asked, variant: &str, sabotage: Option<Sabotage>) -> Service {
    let kind = if variant == "load-asgi" { Kind::Asgi } else { Kind::Wsgi };
    let own = Service::asked(asked, kind, runtime(asked), sabotage);
    match variant {
        "load-rule" => Service {
            workers: rule(asked),
            ..own
        },
        "textbook" => Service {
            threads: textbook_servers(asked),
            at_once: true,
            is_exponential: true,
            ..Service::plain(Kind::Wsgi, Runtime::FreeThreaded, sabotage)
        },
        _ => own,
    }
}

fn textbook_servers(asked: &Asked) -> u32 {
    (asked.unsigned("workers") * asked.unsigned("threads")).max(TEXTBOOK_SERVERS)
}

/// What arrives in a row under load.
pub fn traffic(asked: &Asked, variant: &str) -> Traffic {
    let seed = asked.seed;
    if variant == "textbook" {
        // As many as so many servers serve at this load, in whole requests a second.
        let a_second = u64::from(textbook_servers(asked)) * u64::from(TEXTBOOK_PERCENT) * 10_000_000 / CALL.0;
        return Traffic {
            requests: TEXTBOOK_REQUESTS,
            a_second: u32::try_from(a_second).unwrap_or(u32::MAX),
            seed,
        };
    }
    Traffic {
        requests: asked.unsigned("requests"),
        a_second: asked.unsigned("arrivalsPerSecond"),
        seed,
    }
}

/// The simulation of a row under load.
pub fn load(asked: &Asked, variant: &str, sabotage: Option<Sabotage>) -> Option<Load> {
    if variant != "textbook" && !is_load(variant) {
        return None;
    }
    let (service, traffic) = (service(asked, variant, sabotage), traffic(asked, variant));
    if variant == "textbook" {
        let mean = erlang_mean_ms(traffic.a_second.into(), CALL.as_millis(), service.threads);
        return Some(Load::new(&service, &Own::nothing(), traffic).with_known_mean(mean));
    }
    Some(Load::new(&service, &Own::of(asked, service.kind), traffic))
}

/// What the machine plays of a row.
pub fn play(asked: &Asked, variant: &str, sabotage: Option<Sabotage>) -> Play {
    if variant == "textbook" || is_load(variant) {
        return first_of_load(asked, variant, sabotage);
    }
    let plain = |kind| Service::plain(kind, runtime(asked), sabotage);
    let on_loop = plain(Kind::Asgi);
    // A page that asks the database and nothing else.
    let querying = |kind, database, queries| Service {
        calls: 0,
        database,
        queries,
        connections: asked.unsigned("connections"),
        ..plain(kind)
    };
    let (service, due) = match variant {
        "at-once" => (
            Service {
                at_once: true,
                ..on_loop
            },
            together(1),
        ),
        "awaiting-handlers" | "async-middleware" => (on_loop, together(TOGETHER)),
        "blocking-handler" => {
            let mut due = together(TOGETHER);
            for first in due.iter_mut().take(1) {
                (first.blocks, first.counts) = (true, false);
            }
            (on_loop, due)
        }
        "sync-middleware" => (
            Service {
                sync_middleware: true,
                ..on_loop
            },
            together(TOGETHER),
        ),
        "query-sync-view" => (querying(Kind::Wsgi, Database::Sync, 1), together(1)),
        "query-async-view" => (querying(Kind::Asgi, Database::Async, 1), together(1)),
        "queries-async" => (querying(Kind::Asgi, Database::Async, 2), together(1)),
        "queries-sync-to-async" => (querying(Kind::Asgi, Database::SyncToAsync, 2), together(1)),
        "query-refused" => (querying(Kind::Asgi, Database::Refused, 1), together(1)),
        "query-stalls" => (querying(Kind::Asgi, Database::Sync, 1), together(TOGETHER)),
        "nobody-computes" | "heavy-in-request" | "heavy-in-thread" | "heavy-in-queue" => {
            let heavy = match variant {
                "heavy-in-thread" => Heavy::Thread,
                "heavy-in-queue" => Heavy::Queue,
                _ => Heavy::InRequest,
            };
            let service = Service {
                compute: Nanoseconds::millis(heavy_ms(asked).into()),
                heavy,
                ..querying(Kind::Asgi, Database::Async, 1)
            };
            (service, steady(variant != "nobody-computes"))
        }
        _ => (on_loop, together(1)),
    };
    Play {
        service,
        processes: None,
        due,
    }
}

const ORDINARY: Due = Due {
    at: Nanoseconds::ZERO,
    factor: 1 << 24,
    blocks: false,
    computes: false,
    counts: true,
};

fn together(n: u32) -> Vec<Due> {
    vec![ORDINARY; n as usize]
}

/// Requests at an even pace, of which one may compute. In either case it is the others that count.
fn steady(one_computes: bool) -> Vec<Due> {
    let due = |number: u32| Due {
        at: Nanoseconds(STEADY_GAP.0 * u64::from(number)),
        computes: one_computes && number == HEAVY_AT,
        counts: number != HEAVY_AT,
        ..ORDINARY
    };
    (0..STEADY).map(due).collect()
}

/// The first requests of a row under load, of one worker where each has a loop of its own.
fn first_of_load(asked: &Asked, variant: &str, sabotage: Option<Sabotage>) -> Play {
    let service = service(asked, variant, sabotage);
    let traffic = traffic(asked, variant);
    let mut arrivals = Arrivals::new(&service, traffic);
    let each = if service.kind == Kind::Asgi { service.workers } else { 1 };
    let n = traffic.requests.min(FIRST * each);
    let due = (0..n).map(|_| arrivals.next()).step_by(each.max(1) as usize);
    let due = due.map(|arrival| Due {
        at: Nanoseconds(arrival.at),
        factor: arrival.factor,
        blocks: arrival.blocks && service.kind == Kind::Asgi,
        computes: true,
        counts: true,
    });
    let servers = service.workers.saturating_mul(service.threads).min(FIRST);
    Play {
        processes: (service.kind == Kind::Wsgi && service.workers > 1).then_some(servers),
        service: Service {
            threads: service.threads.min(FIRST),
            ..service
        },
        due: due.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_a_case() {
        let ids: Vec<&str> = CASES.iter().map(|case| case.id).collect();
        assert_eq!(ids, VARIANTS);
    }
}
