//! What the machine itself says at the end of a schedule, and that its switches alone make the same run.

use concurrency_playground::explore::small::{Ending, SmallProgram, Step};
use concurrency_playground::explore::system::Thread;
use concurrency_playground::labs::puzzles::on_machine::{Astray, OnMachine, RunLine, replay, what_if};
use concurrency_playground::machine::threads::{Condition, Deadlock};
use concurrency_playground::machine::trace::TraceHash;
use concurrency_playground::switch_points::Grain;

use super::explored;
use super::programs::{GRAINS, X, all, memory, program, read, write};

fn named(name: &str, grain: Grain) -> SmallProgram {
    let mut all = all(grain).into_iter();
    all.find(|(other, _)| *other == name).expect("there is one").1
}

/// The machine after a schedule that leads to a deadlock, and what it says of it.
fn deadlock(name: &str, grain: Grain) -> Deadlock {
    let program = named(name, grain);
    let endings = explored::endings(&program);
    let mut stuck = endings
        .iter()
        .filter(|(ending, _)| matches!(ending, Ending::Deadlock { .. }));
    let (_, schedule) = stuck.next().expect("it may come to a deadlock");
    let replayed = replay(&program, schedule).expect("it can be followed");
    match replayed.on_machine.machine.diagnose() {
        Condition::Deadlock(deadlock) => *deadlock,
        other => panic!("{name}, {grain:?}: {other:?}"),
    }
}

#[test]
fn crossed_locks_are_a_circle() {
    for grain in GRAINS {
        let names = deadlock("crossed locks", grain).cycle.into_iter().map(|one| one.name);
        let mut names: Vec<String> = names.collect();
        names.sort();
        assert_eq!(names, ["A", "B"], "{grain:?}");
    }
}

#[test]
fn a_missed_wake_up_has_no_circle() {
    for grain in GRAINS {
        let deadlock = deadlock("missed wake-up", grain);
        assert!(deadlock.cycle.is_empty(), "{grain:?}: {:?}", deadlock.cycle);
        assert!(deadlock.waiting.iter().any(|one| one.name == "A"), "{grain:?}");
    }
}

fn hash(mut on_machine: OnMachine) -> TraceHash {
    let now = on_machine.machine.now();
    let log = std::mem::take(on_machine.machine.recorder_mut()).finish(now);
    log.expect("it is traced").hash()
}

/// Given the switches of a replay, the machine writes the same trace, event by event; without them another.
#[test]
fn switches_alone_make_the_same_run() {
    for grain in [Grain::CheckPoint, Grain::Access] {
        let program = named("counter with a call", grain);
        let schedule = [1, 0, 0, 1].map(Thread);
        let replayed = replay(&program, &schedule).expect("it can be followed");
        assert_eq!(replayed.on_machine.ending(), Ending::Finished { cells: vec![1, 0] });
        let mut again = what_if(&program, replayed.switches.clone());
        again.run();
        assert!(again.machine.switches_not_made().is_empty());
        assert_eq!(again.machine.switches_made(), replayed.switches);
        let mut alone = what_if(&program, Vec::new());
        alone.run();
        let expected = hash(replayed.on_machine);
        assert_eq!(hash(again), expected, "{grain:?}");
        assert_ne!(hash(alone), expected, "{grain:?}");
    }
}

#[test]
fn lines_run_in_the_order_of_the_schedule() {
    let counter = vec![memory(read(X)), memory(write(X, 1))];
    let program = program(vec![counter.clone(), counter], Grain::Access);
    let replayed = replay(&program, &[1, 0, 0, 1].map(Thread)).expect("it can be followed");
    let line = |thread, line| -> RunLine { (Thread(thread), line) };
    assert_eq!(
        replayed.on_machine.record.order(),
        [line(1, 0), line(0, 0), line(0, 1), line(1, 1)]
    );
}

#[test]
fn a_schedule_that_cannot_be_is_refused() {
    let program = program(vec![vec![memory(Step::Yield)]], Grain::Access);
    let astray = replay(&program, &[0, 0].map(Thread)).expect_err("it has one step");
    assert_eq!(astray, Astray::NoSuchSchedule { step: 1 });
}
