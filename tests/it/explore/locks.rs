//! Deadlocks: found, counted, each with who waits for whom.

use concurrency_playground::explore::{Count, Coverage, Schedules, Thread, Threads, replay};

use super::script::Do::{Acquire, Await, Goto, Release, Set, TryOr};
use super::script::{Do, script};
use super::search;

fn threads(letters: &str) -> Threads {
    letters
        .bytes()
        .fold(Threads::NONE, |all, letter| all.with(Thread(letter - b'A')))
}

fn names(threads: &[Thread]) -> String {
    threads.iter().map(|thread| thread.name()).collect()
}

fn nested(first: u8, second: u8) -> Vec<Do> {
    vec![Acquire(first), Acquire(second), Release(second), Release(first)]
}

#[test]
fn two_locks_in_opposite_order_wait_for_each_other() {
    let report = search(script(&[&nested(0, 1), &nested(1, 0)]));
    // AB or BA at once; else one has both before the other has any, which then waits until both are free, or takes the
    // first when it is free and the second soon after.
    let [deadlock] = report.deadlocks.as_slice() else {
        panic!("{:?}", report.deadlocks);
    };
    assert_eq!(deadlock.n_schedules, Some(Count::from(2_u64)));
    assert_eq!(names(&deadlock.deadlock.cycle), "AB");
    assert_eq!(deadlock.deadlock.stuck(), threads("AB"));
    assert!(deadlock.deadlock.in_vain().is_empty());
    assert_eq!(deadlock.witness.schedule.letters(), "BA");
    assert_eq!(deadlock.witness.n_preemptions, 1);
    assert_eq!(report.outcomes.len(), 2);
    let found = report.outcome(&(0, 0)).expect("nobody has ended");
    assert_eq!(
        (&found.n_schedules, found.witness.as_ref()),
        (&deadlock.n_schedules, Some(&deadlock.witness))
    );
}

#[test]
fn in_one_order_nobody_does() {
    let report = search(script(&[&nested(0, 1), &nested(0, 1)]));
    assert!(report.deadlocks.is_empty());
    assert_eq!((report.coverage, report.outcomes.len()), (Coverage::Complete, 1));
}

#[test]
fn philosophers_who_all_take_the_left_fork_wait_in_a_ring() {
    let forks: Vec<Vec<Do>> = (0..5).map(|seat| nested(seat, (seat + 1) % 5)).collect();
    let codes: Vec<&[Do]> = forks.iter().map(Vec::as_slice).collect();
    let system = script(&codes);
    let report = search(system.clone());
    let [found] = report.deadlocks.as_slice() else {
        panic!("{:?}", report.deadlocks);
    };
    // Each waits for the next; any order of five first steps leads there. One preemption is enough: the last one takes a
    // fork and is interrupted, and the others before it find theirs taken one after the other.
    assert_eq!(names(&found.deadlock.cycle), "ABCDE");
    assert_eq!(found.n_schedules, Some(Count::from(120_u64)));
    assert_eq!(found.witness.n_preemptions, 1);
    let replayed = replay(&system, &found.witness.schedule).expect("it can be gone");
    assert_eq!(replayed.end().holders, [1, 2, 3, 4, 5]);
    // With one who takes the right one first, never.
    let mut forks = forks;
    forks[4] = nested(0, 4);
    let codes: Vec<&[Do]> = forks.iter().map(Vec::as_slice).collect();
    let report = search(script(&codes));
    assert!(report.deadlocks.is_empty() && matches!(report.schedules, Schedules::Exactly(_)));
}

#[test]
fn waiting_for_what_never_comes_has_no_cycle() {
    // Nobody sets the flag.
    let report = search(script(&[&[Await(0)], &[Set(1)]]));
    assert_eq!(report.deadlocks.len(), 1);
    assert_eq!(report.deadlocks[0].deadlock.in_vain(), threads("A"));
    assert!(report.deadlocks[0].deadlock.cycle.is_empty());
    // A waits for B to set the flag, and B for A's lock: that is a cycle.
    let waits: &[Do] = &[Acquire(0), Await(0), Release(0)];
    let sets: &[Do] = &[Acquire(0), Set(0), Release(0)];
    let report = search(script(&[waits, sets]));
    assert_eq!(names(&report.deadlocks[0].deadlock.cycle), "AB");
    // The lock is never given back, and its holder has ended.
    let report = search(script(&[&[Acquire(0)], &[Acquire(0), Release(0)]]));
    let found = &report.deadlocks[0].deadlock;
    assert_eq!(
        (found.in_vain(), found.waits[0].for_one_of),
        (threads("B"), threads("A"))
    );
    assert_eq!((names(&found.cycle).as_str(), report.outcomes.len()), ("", 2));
}

#[test]
fn a_lock_asked_for_twice_is_a_cycle_of_one() {
    let report = search(script(&[&[Acquire(0), Acquire(0)], &[Set(0)]]));
    assert_eq!(names(&report.deadlocks[0].deadlock.cycle), "A");
    assert_eq!(report.schedules, Schedules::Exactly(Count::from(2_u64)));
}

/// Two cycles with the same outcome are two deadlocks.
#[test]
fn every_cycle_is_told_apart() {
    let both: Vec<Do> = [nested(1, 0), nested(2, 3)].concat();
    let report = search(script(&[&nested(0, 1), &both, &nested(3, 2)]));
    let mut cycles: Vec<String> = report
        .deadlocks
        .iter()
        .map(|found| names(&found.deadlock.cycle))
        .collect();
    cycles.sort();
    assert_eq!(cycles, ["AB", "BC"]);
}

/// Alike threads have no names of their own: whichever of them wait for each other, it is one deadlock. The other two may
/// both wait as well, or have ended before, one or both, which are outcomes by themselves.
#[test]
fn a_cycle_of_alike_threads_is_one_deadlock() {
    let codes: [&[Do]; 4] = [&nested(0, 1), &nested(1, 0), &nested(0, 1), &nested(1, 0)];
    let report = search(script(&codes));
    let mut plain = script(&codes);
    plain.sorted = false;
    let by_name = search(plain);
    assert_eq!((report.deadlocks.len(), by_name.deadlocks.len()), (3, 12));
    for found in &report.deadlocks {
        let alike = by_name.deadlocks.iter().filter(|other| other.outcome == found.outcome);
        let mut sum = Count::default();
        for other in alike {
            sum += other.n_schedules.as_ref().expect("counted");
        }
        assert_eq!(found.n_schedules.as_ref(), Some(&sum));
    }
    assert!(report.n_states < by_name.n_states);
}

#[test]
fn one_who_tries_is_never_deadlocked() {
    let polite = |own, other| vec![Acquire(own), TryOr(other, 4), Release(other), Goto(4), Release(own)];
    let report = search(script(&[&polite(0, 1), &polite(1, 0)]));
    assert!(report.deadlocks.is_empty() && report.repeats.is_empty());
    assert_eq!(
        report.outcomes.iter().map(|found| found.outcome).collect::<Vec<_>>(),
        [(0, 2)]
    );
}
