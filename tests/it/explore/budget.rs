//! What a search does when it is too large, how it is sliced, and that it is the same every time.

use concurrency_playground::explore::{Count, Coverage, Schedules, Search, SearchLimits, SearchPhase, System, replay};

use super::automata::Automata;
use super::counter::Counter;
use super::{search, within};

fn limits(states: u32) -> SearchLimits {
    SearchLimits {
        states,
        walks: 500,
        ..SearchLimits::default()
    }
}

/// The schedules of two threads of so many steps each with at most so many preemptions, by their switches: a schedule is
/// a row of runs, and every switch but the one from a thread that has ended is a preemption.
fn n_within(n_steps: u64, bound: u32) -> u64 {
    // One of two threads has its steps in `runs` runs, the other in as many or one fewer.
    let choose = |n: u64, k: u64| (0..k).fold(1, |all, at| all * (n - at) / (at + 1));
    let ways = |runs: u64| {
        if (1..=n_steps).contains(&runs) {
            choose(n_steps - 1, runs - 1)
        } else {
            0
        }
    };
    let mut sum = 0;
    for first in 1..=n_steps {
        for second in [first, first - 1] {
            let switches = first + second - 1;
            // The last switch is from a thread that has ended: whoever does not run last ends at it.
            if switches.saturating_sub(1) <= u64::from(bound) {
                sum += 2 * ways(first) * ways(second);
            }
        }
    }
    sum
}

#[test]
fn what_is_too_large_is_searched_within_a_bound() {
    let system = Counter::new(2, 10, 2, true);
    // 11,446 states are too many, those within three preemptions are not.
    let report = within(system, limits(8_000));
    let Coverage::Walks {
        bound: Some(bound),
        walks: 500,
        cut: 0,
    } = report.coverage
    else {
        panic!("{:?}", report.coverage);
    };
    assert_eq!(
        report.schedules,
        Schedules::Covered(Count::from(n_within(20, u32::from(bound))))
    );
    let whole = search(system);
    for found in &report.outcomes {
        let exact = whole.outcome(&found.outcome).expect("it is in the whole as well");
        let (witness, fewest) = (
            found.witness.as_ref().expect("shown"),
            exact.witness.as_ref().expect("shown"),
        );
        let replayed = replay(&system, &witness.schedule).expect("it can be gone");
        assert_eq!(system.outcome(replayed.end()), found.outcome);
        assert_eq!(replayed.n_preemptions, witness.n_preemptions);
        if witness.is_fewest {
            assert_eq!(witness.n_preemptions, fewest.n_preemptions);
            assert!(witness.n_preemptions <= u32::from(bound));
        } else {
            assert_eq!(found.n_schedules, Some(Count::default()));
            assert!(witness.n_preemptions > u32::from(bound) && found.n_walks > 0);
        }
    }
    assert_eq!(report.outcomes.iter().map(|found| found.n_walks).sum::<u32>(), 500);
    assert!(
        report
            .outcomes
            .iter()
            .any(|found| found.witness.as_ref().is_some_and(|witness| !witness.is_fewest))
    );
}

#[test]
fn every_bound_counts_exactly_its_schedules() {
    for bound in 0..=3 {
        let limits = SearchLimits {
            preemptions: bound,
            walks: 0,
            ..limits(1_000_000)
        };
        let mut search = Search::new(Counter::new(2, 4, 2, true), limits);
        // As if it were too much.
        search.hurry();
        search.finish();
        let report = search.report().expect("it is finished");
        assert_eq!(report.coverage, Coverage::Preemptions { bound });
        assert_eq!(
            report.schedules,
            Schedules::Covered(Count::from(n_within(8, u32::from(bound))))
        );
        assert!(!report.repeats_complete);
    }
}

#[test]
fn where_not_even_that_fits_it_walks() {
    let report = within(Counter::new(3, 5, 2, true), limits(20));
    assert_eq!(
        report.coverage,
        Coverage::Walks {
            bound: None,
            walks: 500,
            cut: 0
        }
    );
    assert_eq!(report.schedules, Schedules::Covered(Count::default()));
    assert!(report.outcomes.len() > 3);
    let few_bytes = SearchLimits {
        bytes: 0,
        ..limits(10_000_000)
    };
    let report = within(Counter::new(2, 20, 3, true), few_bytes);
    assert!(
        matches!(report.coverage, Coverage::Walks { walks: 500, .. }),
        "{:?}",
        report.coverage
    );
    // Walks that are too long are given up and counted as such.
    let short = SearchLimits {
        steps: 10,
        ..limits(10_000_000)
    };
    let report = within(Counter::new(2, 10, 2, true), short);
    assert_eq!(
        report.coverage,
        Coverage::Walks {
            bound: None,
            walks: 500,
            cut: 500
        }
    );
    assert!(report.outcomes.is_empty());
}

#[test]
fn a_hurried_search_goes_on_with_less() {
    let mut search = Search::new(Counter::new(2, 10, 2, true), limits(1_000_000));
    let mut phases = Vec::new();
    while search.go_on(1) {
        phases.push(search.progress().phase);
        assert!(search.report().is_none());
        search.hurry();
    }
    phases.dedup();
    assert_eq!(
        phases,
        [
            SearchPhase::Counting,
            SearchPhase::Bounded { bound: 0 },
            SearchPhase::Walking
        ]
    );
    assert_eq!(search.progress().phase, SearchPhase::Done);
    assert_eq!(
        search.report().map(|report| report.coverage),
        Some(Coverage::Walks {
            bound: None,
            walks: 0,
            cut: 0
        })
    );
}

/// The same report, byte by byte, whatever the slices.
#[test]
fn slices_change_nothing() {
    fn check<S: System + Clone>(system: &S, limits: SearchLimits) {
        let whole = format!("{:?}", within(system.clone(), limits));
        for slice in [1, 7, 1_000] {
            let mut search = Search::new(system.clone(), limits);
            let mut n_slices = 0;
            while search.go_on(slice) {
                n_slices += 1;
                assert!(n_slices < 10_000_000);
            }
            assert_eq!(format!("{:?}", search.report().expect("it is finished")), whole);
        }
    }
    check(&Counter::new(2, 5, 2, true), limits(1_000_000));
    check(&Counter::new(2, 5, 2, true), limits(400));
    check(&Counter::new(2, 5, 2, false), limits(30));
    for seed in 0..30 {
        check(&Automata::random(seed, 3, 4, seed % 2 == 0, true), limits(1_000_000));
        check(
            &Automata::random(seed, 3, 4, seed % 2 == 0, true),
            SearchLimits {
                steps: 200,
                ..limits(40)
            },
        );
    }
}

#[test]
fn one_slice_is_about_as_long_as_was_asked() {
    let mut search = Search::new(Counter::new(2, 20, 2, true), SearchLimits::default());
    let mut before = 0;
    while search.progress().phase == SearchPhase::Counting {
        let now = search.progress().n_states;
        // Each state that is looked at leads to two at the most.
        assert!(now <= before + 200);
        before = now;
        search.go_on(100);
    }
    assert_eq!(search.progress().phase, SearchPhase::Witnesses);
}
