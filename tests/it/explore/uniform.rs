//! Schedules drawn so that each is exactly alike likely.

use std::collections::BTreeMap;

use concurrency_playground::explore::{
    Count, Fairness, Schedule, Schedules, SearchLimits, System, UniformSchedules, draw, replay,
};

use super::automata::Automata;
use super::counter::Counter;
use super::search;

fn counted<S: System>(system: S) -> UniformSchedules<S> {
    let mut ways = UniformSchedules::new(system, SearchLimits::default());
    assert!(ways.total().is_none() && ways.draw(1).is_none());
    while ways.go_on(100) {}
    ways
}

/// At each step the parts of those who can go add up to the whole, and a whole schedule is one: so the chance of a
/// schedule, the product of the fractions, is exactly one in the number of all.
fn every_schedule_is_one<S: System>(ways: &UniformSchedules<S>, steps: &mut Schedule, whole: &Count) -> u64 {
    let on = ways.ways_on(steps).expect("it is all counted");
    if on.is_empty() {
        assert_eq!(*whole, Count::from(1_u64));
        return 1;
    }
    let mut sum = Count::default();
    let mut n_schedules = 0;
    for (thread, part) in on {
        sum += &part;
        steps.0.push(thread);
        n_schedules += every_schedule_is_one(ways, steps, &part);
        steps.0.pop();
    }
    assert_eq!(sum, *whole);
    n_schedules
}

#[test]
fn all_are_exactly_alike_likely() {
    for sorted in [false, true] {
        for (n_threads, n_increments, n_steps) in [(2, 1, 2), (2, 2, 2), (3, 1, 2), (2, 1, 3), (2, 3, 2)] {
            let ways = counted(Counter::new(n_threads, n_increments, n_steps, sorted));
            let total = ways.total().expect("it is all counted");
            let n_schedules = every_schedule_is_one(&ways, &mut Schedule::default(), &total);
            assert_eq!(total, Count::from(n_schedules));
        }
        // Schedules of different lengths, and some that get stuck.
        for seed in 0..60 {
            let mut system = Automata::random(seed, 3, 3, true, false);
            system.sorted = sorted;
            let ways = counted(system.clone());
            let total = ways.total().expect("it is all counted");
            assert_eq!(search(system).schedules, Schedules::Exactly(total.clone()));
            let n_schedules = every_schedule_is_one(&ways, &mut Schedule::default(), &total);
            assert_eq!(total, Count::from(n_schedules));
        }
    }
}

#[test]
fn what_is_drawn_can_be_gone_and_covers_all() {
    let system = Counter::new(2, 1, 2, true);
    let ways = counted(system);
    let mut drawn: BTreeMap<String, u32> = BTreeMap::new();
    for schedule in ways.draw(1).expect("it is all counted").take(6_000) {
        let replayed = replay(&system, &schedule).expect("it can be gone");
        assert!(system.enabled(replayed.end()).is_empty());
        *drawn.entry(schedule.letters()).or_default() += 1;
    }
    assert_eq!(
        drawn.keys().collect::<Vec<_>>(),
        ["AABB", "ABAB", "ABBA", "BAAB", "BABA", "BBAA"]
    );
    // A thousand each, by far within five deviations of 29.
    assert!(drawn.values().all(|n| n.abs_diff(1_000) < 145), "{drawn:?}");
}

#[test]
fn large_programs_are_drawn_from_too_and_a_seed_draws_the_same() {
    let system = Counter::new(3, 5, 3, true);
    let report = search(system);
    let ways = counted(system);
    let draw = |seed| -> Vec<Schedule> { ways.draw(seed).expect("it is all counted").take(50).collect() };
    for schedule in draw(7) {
        let replayed = replay(&system, &schedule).expect("it can be gone");
        assert!(report.outcome(&system.outcome(replayed.end())).is_some());
    }
    assert_eq!(draw(7), draw(7));
    assert_ne!(draw(7), draw(8));
}

#[test]
fn steps_that_cannot_be_gone_have_no_ways_on() {
    let ways = counted(Counter::new(2, 1, 2, true));
    let after = |letters: &str| {
        let steps = letters
            .bytes()
            .map(|letter| concurrency_playground::explore::Thread(letter - b'A'));
        ways.ways_on(&Schedule(steps.collect())).map(|on| on.len())
    };
    assert_eq!(
        [after(""), after("AA"), after("AAA"), after("AABB"), after("C")],
        [Some(2), Some(1), None, Some(0), None]
    );
}

#[test]
fn too_much_is_refused() {
    for limits in [
        SearchLimits {
            states: 500,
            ..SearchLimits::default()
        },
        SearchLimits {
            bytes: 10_000,
            ..SearchLimits::default()
        },
        SearchLimits {
            steps: 10,
            ..SearchLimits::default()
        },
    ] {
        let mut ways = UniformSchedules::new(Counter::new(2, 10, 2, true), limits);
        while ways.go_on(1_000) {}
        assert!(ways.total().is_none() && ways.draw(1).is_none() && ways.ways_on(&Schedule::default()).is_none());
    }
}

/// What is drawn from anywhere is a way from there to the end, all of them come up, and as many are said as there are.
#[test]
fn the_rest_is_drawn_from_any_state() {
    for sorted in [false, true] {
        let system = Counter::new(2, 1, 3, sorted);
        for (n_before, n_ways) in [20, 10, 4, 1, 1, 1].into_iter().enumerate() {
            let mut state = system.start();
            let mut before = Schedule::default();
            for _ in 0..n_before {
                let thread = system.enabled(&state).iter().next().expect("it goes on for six steps");
                system.step(&mut state, thread);
                before.0.push(thread);
            }
            let mut seen = BTreeMap::new();
            for seed in 0..2_000 {
                let drawn = draw(&system, &state, SearchLimits::default(), seed);
                assert_eq!(drawn, draw(&system, &state, SearchLimits::default(), seed));
                let whole = Schedule([before.0.clone(), drawn.rest.clone()].concat());
                assert!(
                    system
                        .enabled(replay(&system, &whole).expect("it can be gone").end())
                        .is_empty()
                );
                *seen.entry(drawn.rest).or_insert(0_u32) += 1;
                assert_eq!(drawn.fairness, Fairness::Even(Count::from(n_ways as u64)));
            }
            assert_eq!(seen.len(), n_ways, "after {n_before} steps");
            let expected = 2_000 / u32::try_from(n_ways).expect("few");
            assert!(
                seen.values().all(|n| n.abs_diff(expected) <= expected / 2 + 1),
                "{seen:?}"
            );
        }
    }
}

/// Too many to count, and ways without an end, are walked step by step, and that is said.
#[test]
fn what_cannot_be_counted_is_walked() {
    let few = SearchLimits {
        states: 50,
        ..SearchLimits::default()
    };
    let system = Counter::new(3, 3, 3, false);
    let drawn = draw(&system, &system.start(), few, 7);
    assert_eq!((drawn.rest.len(), &drawn.fairness), (27, &Fairness::StepByStep));
    assert!(replay(&system, &Schedule(drawn.rest)).is_ok());
    let short = SearchLimits {
        steps: 10,
        ..SearchLimits::default()
    };
    let cut = draw(&system, &system.start(), short, 7);
    assert_eq!((cut.rest.len(), cut.fairness), (10, Fairness::StepByStep));
}
