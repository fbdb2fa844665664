//! What comes of a thousand runs with different seeds lies within what the explorer finds.

use std::collections::BTreeSet;

use concurrency_playground::explore::small::Ending;
use concurrency_playground::labs::puzzles::on_machine::seeded;
use concurrency_playground::switch_points::Grain;

use super::programs::X;
use super::{explored, programs};

/// How a thousand runs end, each of them as it may; and how they may.
fn check(grain: Grain) {
    let (mut n_found, mut n_all) = (0, 0);
    for (name, program) in programs::all(grain) {
        let may_be: BTreeSet<Ending> = explored::endings(&program).into_keys().collect();
        let mut found = BTreeSet::new();
        for seed in 0..1_000 {
            let ending = seeded(&program, seed).run();
            let ending = ending.unwrap_or_else(|| panic!("{name}, {grain:?}, {seed}: it goes on"));
            assert!(may_be.contains(&ending), "{name}, {grain:?}, {seed}: {ending:?}");
            found.insert(ending);
        }
        n_found += found.len();
        n_all += may_be.len();
    }
    // Seeds matter: nearly all that may be comes up.
    assert!(n_found * 10 >= n_all * 9, "{grain:?}: {n_found} of {n_all}");
}

#[test]
fn a_thousand_seeds_of_tasks_end_as_the_explorer_says() {
    check(Grain::Await);
}

#[test]
fn a_thousand_seeds_of_threads_under_the_lock_end_as_the_explorer_says() {
    check(Grain::CheckPoint);
}

#[test]
fn a_thousand_seeds_of_free_threads_end_as_the_explorer_says() {
    check(Grain::Access);
}

/// Of free threads that count once each many lose; under the lock none does, and of tasks none.
#[test]
fn two_that_count_lose_where_they_may() {
    let n_losing = |grain| {
        let counter = vec![
            programs::memory(programs::read(X)),
            programs::memory(programs::write(X, 1)),
        ];
        let program = programs::program(vec![counter.clone(), counter], grain);
        let loses = |seed: &u32| {
            let ending = seeded(&program, *seed).run();
            ending == Some(Ending::Finished { cells: vec![1, 0] })
        };
        (0..100).filter(loses).count()
    };
    let losing = n_losing(Grain::Access);
    assert!((10..90).contains(&losing), "{losing}");
    assert_eq!([Grain::CheckPoint, Grain::Await].map(n_losing), [0, 0]);
}
