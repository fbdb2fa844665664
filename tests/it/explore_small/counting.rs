//! Counts every schedule by layers of merged states, and one by one: slow, short, and apart from the real search.

use std::collections::BTreeMap;

use concurrency_playground::explore::small::{Ending, Packed, SmallSystem};
use concurrency_playground::explore::{System, Thread};

/// What there is.
#[derive(Debug, PartialEq, Eq)]
pub struct Counted {
    /// Merged states of all layers.
    pub n_states: usize,
    /// How many schedules end how.
    pub endings: BTreeMap<Ending, u128>,
}

impl Counted {
    pub fn n_schedules(&self) -> u128 {
        self.endings.values().sum()
    }
}

/// Counts layer by layer: a layer is the number of steps taken. Only for programs without a loop.
pub fn by_layers<const WORDS: usize>(system: &SmallSystem<WORDS>, is_sorted: bool) -> Counted {
    assert!(!system.may_repeat(), "its layers would never end");
    let mut counted = Counted {
        n_states: 0,
        endings: BTreeMap::new(),
    };
    let mut layer: Vec<(Packed<WORDS>, u128)> = vec![(sorted(system, system.start(), is_sorted), 1)];
    while !layer.is_empty() {
        counted.n_states += layer.len();
        let mut next = Vec::new();
        for (state, ways) in layer {
            let enabled = system.enabled(&state);
            if enabled.is_empty() {
                *counted.endings.entry(system.outcome(&state)).or_default() += ways;
            }
            for thread in enabled.iter() {
                let mut then = state;
                system.step(&mut then, thread);
                next.push((sorted(system, then, is_sorted), ways));
            }
        }
        next.sort_unstable();
        next.dedup_by(|(later, more), (state, ways)| {
            let is_same = later == state;
            if is_same {
                *ways += *more;
            }
            is_same
        });
        layer = next;
    }
    counted
}

fn sorted<const WORDS: usize>(system: &SmallSystem<WORDS>, mut state: Packed<WORDS>, is_sorted: bool) -> Packed<WORDS> {
    if is_sorted {
        system.sort(&mut state);
    }
    state
}

/// Lets threads go on in this order, by their names, each of them enabled.
pub fn after<const WORDS: usize>(system: &SmallSystem<WORDS>, schedule: &str) -> Packed<WORDS> {
    let mut state = system.start();
    for name in schedule.bytes() {
        let thread = Thread(name - b'A');
        assert!(
            system.enabled(&state).has(thread),
            "{schedule}: {} cannot go on in {:?}",
            thread.name(),
            system.view(&state)
        );
        system.step(&mut state, thread);
    }
    state
}

/// Those who can go on after this schedule, by their names.
pub fn enabled_after<const WORDS: usize>(system: &SmallSystem<WORDS>, schedule: &str) -> String {
    format!("{:?}", system.enabled(&after(system, schedule)))
}
