//! The counts, states and witnesses that the method promises, for threads that add to a counter.

use concurrency_playground::explore::{Count, Coverage, Schedule, Schedules, System, Thread, replay};

use super::counter::Counter;
use super::search;

/// Threads, increments each; schedules with two and with three steps; merged states for two steps without and with
/// symmetry.
type Row = (u8, u8, &'static str, &'static str, u32, u32);

const TABLE: [Row; 9] = [
    (2, 1, "6", "20", 12, 8),
    (2, 3, "924", "48620", 195, 106),
    (2, 5, "184756", "155117520", 1_277, 661),
    (2, 10, "137846528820", "118264581564861424", 22_707, 11_446),
    (3, 1, "90", "1680", 59, 20),
    (3, 3, "17153136", "227873431500", 7_646, 1_529),
    (3, 5, "5550996791340", "53494979785374631680", 169_771, 30_387),
    (4, 3, "2308743493056", "21452752266265320000", 361_775, 20_432),
    (
        2,
        20,
        "107507208733336176461620",
        "96614908840363322603893139521372656",
        426_317,
        213_541,
    ),
];

fn total(system: Counter) -> (String, u32) {
    let report = search(system);
    assert_eq!(report.coverage, Coverage::Complete);
    let Schedules::Exactly(total) = &report.schedules else {
        panic!("{:?}", report.schedules);
    };
    let mut sum = Count::default();
    for found in &report.outcomes {
        sum += found.n_schedules.as_ref().expect("all are counted");
    }
    assert_eq!(sum, *total);
    let all = u64::from(system.n_threads) * u64::from(system.n_increments);
    let least = if system.n_increments == 1 { 1 } else { 2 };
    let values: Vec<u64> = report.outcomes.iter().map(|found| found.outcome).collect();
    assert_eq!(values, (least..=all).collect::<Vec<u64>>(), "{system:?}");
    assert!(report.deadlocks.is_empty() && report.repeats.is_empty());
    assert_eq!(u64::from(report.n_steps), all * u64::from(system.n_steps));
    (total.to_string(), report.n_states)
}

#[test]
fn the_counts_and_states_are_those_of_the_table() {
    for (n_threads, n_increments, two_steps, three_steps, states, sorted_states) in TABLE {
        let counter = |n_steps, sorted| Counter::new(n_threads, n_increments, n_steps, sorted);
        assert_eq!(total(counter(2, true)), (two_steps.to_owned(), sorted_states));
        assert_eq!(total(counter(3, true)).0, three_steps);
        // The same without symmetry; the three largest would only take longer.
        if states < 100_000 {
            assert_eq!(total(counter(2, false)), (two_steps.to_owned(), states));
            assert_eq!(total(counter(3, false)).0, three_steps);
        }
    }
}

/// Without symmetry the largest take a while; they show that merging alone is exact at 26 million states.
#[test]
fn the_largest_without_symmetry() {
    for (n_threads, n_increments, expected, states) in [
        (3, 5, "5550996791340", 169_771),
        (4, 3, "2308743493056", 361_775),
        (2, 20, "107507208733336176461620", 426_317),
        (4, 5, "4705360871073570227520", 26_004_933),
    ] {
        let (total, n_states) = total(Counter::new(n_threads, n_increments, 2, false));
        assert_eq!((total.as_str(), n_states), (expected, states));
    }
}

#[test]
fn three_steps_have_their_states_too() {
    for (n_threads, n_increments, states, sorted_states) in
        [(2, 1, 21, 13), (2, 3, 439, 231), (2, 5, 3_209, 1_636), (3, 1, 141, 40)]
    {
        let counter = |sorted| Counter::new(n_threads, n_increments, 3, sorted);
        assert_eq!(
            (total(counter(false)).1, total(counter(true)).1),
            (states, sorted_states)
        );
    }
}

#[test]
fn four_threads_with_five_increments_are_a_million_states() {
    let (total, states) = total(Counter::new(4, 5, 2, true));
    assert_eq!((total.as_str(), states), ("4705360871073570227520", 1_214_866));
}

/// Schedules that lose nothing: (n·k)! / (k!)ⁿ, for each increment must be whole.
#[test]
fn those_that_lose_nothing_are_as_many_as_whole_increments_can_be_ordered() {
    for (n_threads, n_increments, right) in [
        (2, 1, "2"),
        (2, 3, "20"),
        (2, 20, "137846528820"),
        (3, 3, "1680"),
        (3, 5, "756756"),
        (4, 3, "369600"),
    ] {
        for n_steps in [2, 3] {
            let report = search(Counter::new(n_threads, n_increments, n_steps, true));
            let found = report.outcomes.last().expect("it ends somehow");
            assert_eq!(found.outcome, u64::from(n_threads) * u64::from(n_increments));
            assert_eq!(found.n_schedules.as_ref().expect("counted").to_string(), right);
            assert_eq!(found.witness.as_ref().expect("it can end so").n_preemptions, 0);
        }
    }
}

fn schedule(letters: &str) -> Schedule {
    Schedule(letters.bytes().map(|letter| Thread(letter - b'A')).collect())
}

#[test]
fn the_fewest_preemptions_are_those_of_the_table_and_the_same_schedules() {
    for (n_increments, value, letters, n_preemptions) in
        [(1, 1, "BAAB", 1), (2, 2, "BAAAABBB", 1), (3, 2, "BAAAABBABBBA", 4)]
    {
        for sorted in [false, true] {
            let system = Counter::new(2, n_increments, 2, sorted);
            let replayed = replay(&system, &schedule(letters)).expect("it can be gone");
            assert_eq!(system.outcome(replayed.end()), value);
            assert_eq!(replayed.n_preemptions, n_preemptions);
            let report = search(system);
            let witness = report.outcome(&value).and_then(|found| found.witness.clone());
            let witness = witness.expect("it can end so");
            assert_eq!(witness.schedule.letters(), letters);
            assert_eq!((witness.n_preemptions, witness.is_fewest), (n_preemptions, true));
        }
    }
}

/// Six schedules, two of them right, four lose one: as worked out in the documentation.
#[test]
fn two_threads_that_add_one_lose_in_four_of_six() {
    let report = search(Counter::new(2, 1, 2, true));
    let counts: Vec<String> = report
        .outcomes
        .iter()
        .map(|found| found.n_schedules.as_ref().map_or_else(String::new, Count::to_string))
        .collect();
    assert_eq!(counts, ["4", "2"]);
    assert_eq!(report.share(&report.outcomes[0]), Some(4.0 / 6.0));
}

/// Every witness of every outcome goes to it, at its cost, by the threads' own names.
#[test]
fn witnesses_replay() {
    for (n_threads, n_increments, n_steps) in [(2, 5, 2), (2, 4, 3), (3, 3, 2), (4, 2, 2)] {
        for sorted in [false, true] {
            let system = Counter::new(n_threads, n_increments, n_steps, sorted);
            for found in search(system).outcomes {
                let witness = found.witness.expect("complete searches show all");
                let replayed = replay(&system, &witness.schedule).expect("it can be gone");
                assert_eq!(system.outcome(replayed.end()), found.outcome);
                assert_eq!(replayed.n_preemptions, witness.n_preemptions);
            }
        }
    }
}

/// What symmetry merges has the same fewest preemptions as what it does not.
#[test]
fn symmetry_changes_no_witness_s_cost() {
    for (n_threads, n_increments) in [(2, 4), (3, 2), (4, 2)] {
        let costs = |sorted| -> Vec<(u64, Option<Count>, u32)> {
            let report = search(Counter::new(n_threads, n_increments, 2, sorted));
            let cost = |found: &concurrency_playground::explore::OutcomeFound<u64>| {
                found.witness.as_ref().expect("shown").n_preemptions
            };
            report
                .outcomes
                .iter()
                .map(|found| (found.outcome, found.n_schedules.clone(), cost(found)))
                .collect()
        };
        assert_eq!(costs(true), costs(false));
    }
}
