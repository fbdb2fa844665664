//! What the search says of the labs' programs: the broken ones have a schedule that goes wrong, the fixed ones have none,
//! and the machine follows every schedule that is shown.

use concurrency_playground::explore::SearchLimits;
use concurrency_playground::labs::english;
use concurrency_playground::labs::puzzles::programs::{Known, LOCK_PROGRAMS, PROGRAMS, Shape};
use concurrency_playground::labs::puzzles::{Puzzle, Searching};
use concurrency_playground::switch_points::Grain;
use concurrency_playground::wire::{EndlessKind, Explored, Grade};

const GRAINS: [Grain; 3] = [Grain::Await, Grain::CheckPoint, Grain::Access];

fn search(puzzle: Puzzle) -> Explored {
    finish(Searching::new(puzzle, 1, None))
}

fn finish(mut searching: Searching) -> Explored {
    while searching.go_on(100_000) {}
    searching.explored(&english()).expect("it is done")
}

fn explored(known: &Known, fixed: bool, threads: u8, increments: u8, grain: Grain) -> Explored {
    search((known.build)(Shape {
        fixed,
        threads,
        increments,
        grain,
    }))
}

/// How each broken program goes wrong, at the grains await, check points and access; none where it cannot.
const BROKEN: [(&str, [Option<Grade>; 3]); 8] = [
    ("counter", [None, None, Some(Grade::Lost)]),
    ("check-then-act", [Some(Grade::Lost); 3]),
    ("lazy-initialisation", [Some(Grade::Lost); 3]),
    ("append", [None, None, Some(Grade::Lost)]),
    ("two-locks", [Some(Grade::Deadlock); 3]),
    ("semaphore", [Some(Grade::Assertion); 3]),
    ("missed-wake-up", [None, Some(Grade::Deadlock), Some(Grade::Deadlock)]),
    ("queue", [Some(Grade::Lost); 3]),
];

#[test]
fn every_broken_program_has_a_schedule_that_goes_wrong_and_no_fixed_one_has() {
    for (known, (id, wrong)) in PROGRAMS.iter().zip(BROKEN) {
        assert_eq!(known.id, id);
        for (grain, wrong) in GRAINS.into_iter().zip(wrong) {
            for fixed in [false, true] {
                for threads in 2..=known.most_threads.min(3) {
                    let name = format!("{id} {grain:?} fixed {fixed} threads {threads}");
                    let found = explored(known, fixed, threads, 1, grain);
                    assert!(found.complete && found.endless.is_empty(), "{name}: {found:?}");
                    assert!(found.schedules.is_some(), "{name}");
                    let grades: Vec<Grade> = found.outcomes.iter().map(|outcome| outcome.grade).collect();
                    assert!(grades.contains(&Grade::Right), "{name}: {found:?}");
                    let bad = grades.iter().find(|grade| **grade != Grade::Right).copied();
                    assert_eq!(bad, if fixed { None } else { wrong }, "{name}: {found:?}");
                    assert_eq!(found.followed as usize, found.outcomes.len(), "{name}: {found:?}");
                }
            }
        }
    }
}

#[test]
fn two_threads_that_read_add_and_write_have_twenty_schedules() {
    let found = explored(&PROGRAMS[0], false, 2, 1, Grain::Access);
    let shown: Vec<_> = found
        .outcomes
        .iter()
        .map(|outcome| (outcome.text.as_str(), outcome.schedules.as_deref(), outcome.preemptions))
        .collect();
    assert_eq!(shown, [("counter = 2", Some("2"), 0), ("counter = 1", Some("18"), 1)]);
    assert_eq!(found.schedules.as_deref(), Some("20"));
}

/// However often each adds, the least that can be left is 2.
#[test]
fn the_least_that_can_be_left_is_two() {
    for (threads, increments) in [(2, 2), (2, 3), (2, 10), (3, 2), (3, 3)] {
        let found = explored(&PROGRAMS[0], false, threads, increments, Grain::Access);
        let values: Vec<i64> = found
            .outcomes
            .iter()
            .filter_map(|outcome| outcome.value.as_ref()?.parse().ok())
            .collect();
        let all = i64::from(threads) * i64::from(increments);
        assert_eq!(
            (values.iter().min(), values.iter().max()),
            (Some(&2), Some(&all)),
            "{threads} × {increments}"
        );
        assert_eq!(values.len() as i64, all - 1, "{threads} × {increments}");
    }
}

/// More than can be searched is covered in part, and says so.
#[test]
fn too_much_is_said_to_be_covered_in_part() {
    let limits = SearchLimits {
        states: 20_000,
        walks: 100,
        ..SearchLimits::default()
    };
    let puzzle = (PROGRAMS[0].build)(Shape {
        fixed: false,
        threads: 8,
        increments: 50,
        grain: Grain::Access,
    });
    let found = finish(Searching::within(puzzle, limits, None));
    assert!(!found.complete && found.schedules.is_none(), "{found:?}");
    assert!(found.coverage.contains("too many"), "{}", found.coverage);
    assert!(
        found.outcomes.iter().any(|outcome| outcome.grade == Grade::Lost),
        "{found:?}"
    );
    assert!(
        found
            .outcomes
            .iter()
            .all(|outcome| outcome.schedules.is_none() && outcome.share.is_none())
    );
}

/// What each program of the lab of locks can come to beside its right end: where its locks are taken in opposite order, how
/// it goes wrong and how it goes on for ever; and how it does in the same order. An unfair scheduler can starve whoever
/// another tries again beside.
const OF_LOCKS: [(&str, Option<Grade>, &[EndlessKind], &[EndlessKind]); 6] = [
    ("two-locks", Some(Grade::Deadlock), &[], &[]),
    ("two-locks-within", Some(Grade::Assertion), &[], &[]),
    ("back-off", None, &[EndlessKind::Livelock, EndlessKind::Starvation], &[]),
    (
        "starvation",
        None,
        &[EndlessKind::Starvation],
        &[EndlessKind::Starvation],
    ),
    (
        "stuck-and-spinning",
        None,
        &[EndlessKind::StuckAndSpinning],
        &[EndlessKind::StuckAndSpinning],
    ),
    ("held-too-long", None, &[], &[]),
];

#[test]
fn what_can_go_wrong_with_locks_is_told_apart() {
    for (known, (id, wrong, endless, endless_ordered)) in LOCK_PROGRAMS.iter().zip(OF_LOCKS) {
        assert_eq!(known.id, id);
        for grain in [Grain::CheckPoint, Grain::Access] {
            for ordered in [false, true] {
                let found = explored(known, ordered, 2, 1, grain);
                let name = format!("{id} {grain:?} ordered {ordered}: {found:?}");
                assert!(found.complete, "{name}");
                let grades: Vec<Grade> = found.outcomes.iter().map(|outcome| outcome.grade).collect();
                assert!(grades.contains(&Grade::Right), "{name}");
                let bad = grades.iter().find(|grade| **grade != Grade::Right).copied();
                assert_eq!(bad, wrong.filter(|_| !ordered), "{name}");
                let wanted = if ordered { endless_ordered } else { endless };
                let kinds: Vec<EndlessKind> = found.endless.iter().map(|endless| endless.kind).collect();
                assert!(kinds.iter().all(|kind| wanted.contains(kind)), "{name}");
                assert!(wanted.iter().all(|kind| kinds.contains(kind)), "{name}");
                // A number of schedules stands only where they come to an end.
                assert_eq!(found.schedules.is_some(), wanted.is_empty(), "{name}");
                assert_eq!(found.followed as usize, found.outcomes.len(), "{name}");
            }
        }
    }
}

#[test]
fn a_deadlock_says_who_waits_for_whom() {
    let found = explored(&LOCK_PROGRAMS[0], false, 2, 1, Grain::Access);
    let deadlock = found.outcomes.iter().find(|outcome| outcome.grade == Grade::Deadlock);
    assert_eq!(
        deadlock.map(|outcome| outcome.text.as_str()),
        Some("nobody can go on: A waits in right.acquire(); B waits in left.acquire(): A waits for B, B waits for A")
    );
    let spinning = explored(&LOCK_PROGRAMS[4], false, 2, 1, Grain::Access);
    let [endless] = spinning.endless.as_slice() else {
        panic!("{spinning:?}");
    };
    assert!(endless.certain, "{endless:?}");
}
