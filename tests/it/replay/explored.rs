//! All endings of a small program, by going through all its states, and schedules that lead to them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use concurrency_playground::explore::small::{AnySystem, Ending, SmallProgram, SmallSystem};
use concurrency_playground::explore::system::{System, Thread};

/// Every ending, with a shortest schedule that leads to it.
pub fn endings(program: &SmallProgram) -> BTreeMap<Ending, Vec<Thread>> {
    match AnySystem::new(program.clone()).expect("the program is right") {
        AnySystem::One(system) => all(&system),
        AnySystem::Four(system) => all(&system),
    }
}

fn all<const WORDS: usize>(system: &SmallSystem<WORDS>) -> BTreeMap<Ending, Vec<Thread>> {
    let mut found = BTreeMap::new();
    let mut seen = BTreeSet::from([system.start()]);
    let mut ahead = VecDeque::from([(system.start(), Vec::new())]);
    while let Some((state, path)) = ahead.pop_front() {
        let enabled = system.enabled(&state);
        if enabled.is_empty() {
            found.entry(system.outcome(&state)).or_insert(path);
            continue;
        }
        for thread in enabled.iter() {
            let mut next = state;
            system.step(&mut next, thread);
            if seen.insert(next) {
                let mut path = path.clone();
                path.push(thread);
                ahead.push_back((next, path));
            }
        }
    }
    found
}

/// A schedule to an ending, each thread chosen by the next of these numbers; cut off where it is too long.
pub fn schedule(program: &SmallProgram, choices: &[u8]) -> Vec<Thread> {
    match AnySystem::new(program.clone()).expect("the program is right") {
        AnySystem::One(system) => chosen(&system, choices),
        AnySystem::Four(system) => chosen(&system, choices),
    }
}

fn chosen<const WORDS: usize>(system: &SmallSystem<WORDS>, choices: &[u8]) -> Vec<Thread> {
    let mut state = system.start();
    let mut path = Vec::new();
    for choice in choices.iter().cycle().take(400) {
        let enabled: Vec<Thread> = system.enabled(&state).iter().collect();
        let Some(thread) = enabled.get(usize::from(*choice) % enabled.len().max(1)).copied() else {
            break;
        };
        system.step(&mut state, thread);
        path.push(thread);
    }
    path
}
