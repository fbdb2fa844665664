//! What comes of a thousand runs with different seeds lies within what the explorer finds.

use std::collections::BTreeSet;

use concurrency_playground::explore::small::Ending;
use concurrency_playground::labs::puzzles::on_machine::seeded;

use super::{explored, programs};

#[test]
fn a_thousand_seeds_end_as_the_explorer_says() {
    for grain in programs::GRAINS {
        for (name, program) in programs::all(grain) {
            let may_be: BTreeSet<Ending> = explored::endings(&program).into_keys().collect();
            let mut found = BTreeSet::new();
            for seed in 0..1_000 {
                let ending = seeded(&program, seed).run();
                let ending = ending.unwrap_or_else(|| panic!("{name}, {grain:?}, {seed}: it goes on"));
                assert!(may_be.contains(&ending), "{name}, {grain:?}, {seed}: {ending:?}");
                found.insert(ending);
            }
            println!("{name}, {grain:?}: {} of {}", found.len(), may_be.len());
        }
    }
}
