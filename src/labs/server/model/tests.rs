//! The simulation beside the machine, request by request.

use std::rc::Rc;

use super::cases;
use super::load::Load;
use super::program::{self, Book};
use super::service::{Kind, Own};
use crate::labs::{Asked, Model as _, Value, presets};
use crate::machine::front::Here;
use crate::machine::threads::{Machine, Progress};
use crate::wire::{Mode, Runtime};

/// Two waits by a factor of chance are rounded once each, their sum once: nanoseconds, of all requests in line.
const ROUNDING: u64 = 100;

type Given = (&'static str, Value);

fn asked(given: &[Given]) -> Asked {
    let mut asked = Asked::defaults(super::super::PARAMETERS, Mode::Model, 7);
    for (id, value) in [("preset", Value::Choice("ideal")), ("requests", Value::Unsigned(100))]
        .iter()
        .chain(given)
    {
        asked.set(id, *value);
    }
    super::MODEL.settle(&mut asked);
    asked
}

/// What each of the first requests took on the machine, sorted, and in the simulation of as many.
fn both(variant: &str, given: &[Given]) -> (Vec<u64>, Vec<u64>) {
    let asked = asked(given);
    let play = cases::play(&asked, variant, None);
    let (service, n) = (play.service, play.due.len());
    let book = Rc::<Book>::default();
    let mut machine = Machine::new(presets::machine_settings(&asked, Runtime::Gil, None));
    let main = program::main(&Here::new(), play, &book);
    match service.kind {
        Kind::Wsgi => machine.start(main),
        Kind::Asgi => machine.start_loop(main),
    }
    while matches!(machine.run(u64::MAX), Progress::Paused) {}
    let mut on_machine: Vec<u64> = book.took.borrow().iter().map(|(_, took)| took.0).collect();
    let traffic = super::load::Traffic {
        requests: u32::try_from(n).expect("a few"),
        ..cases::traffic(&asked, variant)
    };
    let mut load = Load::new(
        &cases::service(&asked, variant, None),
        &Own::of(&asked, service.kind),
        traffic,
    );
    while load.run(1_000) {}
    let mut simulated = load.took().to_vec();
    on_machine.sort_unstable();
    simulated.sort_unstable();
    (on_machine, simulated)
}

/// On the machine where nothing costs anything but the work, each request takes the same time in both.
#[test]
fn the_simulation_gives_each_request_the_machines_time() {
    let number = |id, value| (id, Value::Unsigned(value));
    let choice = |id, value| (id, Value::Choice(value));
    let cases: Vec<(&str, Vec<Given>)> = vec![
        ("load-wsgi", vec![]),
        ("load-wsgi", vec![number("threads", 4)]),
        (
            "load-wsgi",
            vec![number("threads", 12), choice("service", "exponential")],
        ),
        ("load-wsgi", vec![number("threads", 4), choice("calls", "at-once")]),
        (
            "load-wsgi",
            vec![
                number("threads", 8),
                choice("database", "sync"),
                number("connections", 1),
            ],
        ),
        ("load-asgi", vec![]),
        (
            "load-asgi",
            vec![choice("calls", "at-once"), choice("service", "exponential")],
        ),
        ("load-asgi", vec![number("blockingShare", 20)]),
        ("load-asgi", vec![number("computeMs", 30)]),
        ("load-asgi", vec![choice("database", "async"), number("connections", 1)]),
        ("load-asgi", vec![choice("database", "sync-to-async")]),
        ("load-asgi", vec![choice("database", "sync")]),
        ("load-asgi", vec![choice("middleware", "sync")]),
        ("load-asgi", vec![choice("heavy", "queue"), number("computeMs", 30)]),
    ];
    for (variant, given) in cases {
        let (on_machine, simulated) = both(variant, &given);
        assert!(on_machine.len() > 20, "{variant} {given:?}");
        assert_eq!(on_machine.len(), simulated.len(), "{variant} {given:?}");
        let is_equal = on_machine
            .iter()
            .zip(&simulated)
            .all(|(one, other)| one.abs_diff(*other) <= ROUNDING);
        assert!(is_equal, "{variant} {given:?}: {on_machine:?} {simulated:?}");
    }
}

/// Under the lock a thread that computes makes the loop late, in both, by switch intervals.
#[test]
fn a_thread_that_computes_makes_the_loop_late_in_both() {
    let given = [("heavy", Value::Choice("thread")), ("computeMs", Value::Unsigned(15))];
    let (on_machine, simulated) = both("load-asgi", &given);
    let mean = |took: &[u64]| took.iter().sum::<u64>() as f64 / took.len() as f64 / 1e6;
    let (on_machine, simulated) = (mean(&on_machine), mean(&simulated));
    assert!(on_machine > 415.0 && simulated > 415.0, "{on_machine} {simulated}");
    assert!((on_machine / simulated - 1.0).abs() < 0.1, "{on_machine} {simulated}");
}
