//! The search against plain enumeration: every schedule gone through one by one.

use std::collections::BTreeMap;

use concurrency_playground::explore::{Count, Deadlock, Report, Schedule, Schedules, System, Thread, Wait, replay};

use super::automata::Automata;
use super::counter::Counter;
use super::search;

/// For every outcome: how many schedules end so, and the fewest preemptions of any; and how many are deadlocks.
#[derive(Debug, Default, PartialEq)]
struct Enumerated<O: Ord> {
    outcomes: BTreeMap<O, (u64, u32)>,
    n_deadlocked: u64,
}

/// Goes through all schedules one after the other; nothing if there are more than a million.
fn enumerate<S: System>(system: &S) -> Option<Enumerated<S::Outcome>> {
    let mut all = Enumerated {
        outcomes: BTreeMap::new(),
        n_deadlocked: 0,
    };
    let mut n_schedules = 0;
    // A stack of states, each with who went last, the preemptions so far, and the number of steps.
    let mut stack = vec![(system.start(), None, 0)];
    while let Some((state, last, n_preemptions)) = stack.pop() {
        let enabled = system.enabled(&state);
        if enabled.is_empty() {
            n_schedules += 1;
            let found = all.outcomes.entry(system.outcome(&state)).or_insert((0, u32::MAX));
            *found = (found.0 + 1, found.1.min(n_preemptions));
            let mut threads = (0..system.n_threads()).map(Thread);
            all.n_deadlocked += u64::from(!threads.all(|thread| system.has_ended(&state, thread)));
            if n_schedules > 1_000_000 {
                return None;
            }
        }
        for thread in enabled.iter() {
            let mut after = state.clone();
            system.step(&mut after, thread);
            let interrupts = last.is_some_and(|last| last != thread && enabled.has(last));
            stack.push((after, Some(thread), n_preemptions + u32::from(interrupts)));
        }
    }
    Some(all)
}

/// The report says exactly what the enumeration saw, and all its witnesses go where they should.
fn agree<S: System>(system: &S, report: &Report<S::Outcome>, seen: &Enumerated<S::Outcome>, name: &str) {
    let mut total = 0;
    for found in &report.outcomes {
        let (n_schedules, fewest) = seen.outcomes[&found.outcome];
        total += n_schedules;
        assert_eq!(found.n_schedules, Some(Count::from(n_schedules)), "{name}");
        let witness = found.witness.as_ref().expect("complete searches show all");
        assert_eq!((witness.n_preemptions, witness.is_fewest), (fewest, true), "{name}");
        let replayed = replay(system, &witness.schedule).expect("it can be gone");
        assert_eq!(system.outcome(replayed.end()), found.outcome, "{name}");
        assert_eq!(replayed.n_preemptions, fewest, "{name}");
    }
    assert_eq!(report.outcomes.len(), seen.outcomes.len(), "{name}");
    assert_eq!(report.schedules, Schedules::Exactly(Count::from(total)), "{name}");
    let mut n_deadlocked = Count::default();
    for found in &report.deadlocks {
        n_deadlocked += found.n_schedules.as_ref().expect("counted");
        shows(system, &found.witness.schedule, &found.deadlock);
    }
    assert_eq!(n_deadlocked, Count::from(seen.n_deadlocked), "{name}");
}

/// A deadlock is what stands at the end of its witness.
fn shows<S: System>(system: &S, schedule: &Schedule, deadlock: &Deadlock) {
    let replayed = replay(system, schedule).expect("it can be gone");
    let end = replayed.end();
    assert!(system.enabled(end).is_empty());
    for thread in (0..system.n_threads()).map(Thread) {
        assert_eq!(deadlock.stuck().has(thread), !system.has_ended(end, thread));
    }
    let waits_for = |thread: Thread| {
        let wait = deadlock.waits.iter().find(|wait| wait.thread == thread);
        wait.map(|Wait { for_one_of, .. }| *for_one_of)
            .expect("of the cycle all wait")
    };
    let next = deadlock.cycle.iter().cycle().skip(1);
    assert!(
        deadlock
            .cycle
            .iter()
            .zip(next)
            .all(|(one, next)| waits_for(*one).has(*next))
    );
}

/// (n·s)! / (s!)ⁿ for n threads of s steps each, or a number that is as good as endless.
fn n_schedules(n_threads: u8, n_steps: u8) -> u64 {
    // Step by step: each thread's steps among all so far.
    let binomial = |n: u64, k: u64| (0..k).try_fold(1_u64, |all, at| Some(all.checked_mul(n - at)? / (at + 1)));
    let steps = u64::from(n_steps);
    let rows = (1..=u64::from(n_threads)).map(|threads| binomial(threads * steps, steps));
    rows.reduce(|all, row| all?.checked_mul(row?))
        .flatten()
        .unwrap_or(u64::MAX)
}

#[test]
fn every_counter_of_up_to_a_million_schedules_agrees() {
    let mut n_compared = 0;
    for n_threads in 1..=4 {
        for n_increments in 1..=6 {
            for n_steps in [2, 3] {
                if n_schedules(n_threads, n_increments * n_steps) > 1_000_000 {
                    continue;
                }
                let system = Counter::new(n_threads, n_increments, n_steps, false);
                let seen = enumerate(&system).expect("as many as there are");
                for sorted in [false, true] {
                    let system = Counter { sorted, ..system };
                    agree(&system, &search(system), &seen, &format!("{system:?}"));
                }
                n_compared += 1;
            }
        }
    }
    assert!(n_compared > 15, "{n_compared}");
}

#[test]
fn random_systems_agree() {
    let (mut n_compared, mut n_with_deadlock, mut n_with_several) = (0, 0, 0);
    for seed in 0..400 {
        let (n_threads, n_lines) = [(2, 6), (3, 4), (3, 3), (4, 2)][seed as usize % 4];
        let alike = seed % 3 != 0;
        let mut system = Automata::random(seed, n_threads, n_lines, alike, false);
        let Some(seen) = enumerate(&system) else {
            continue;
        };
        n_compared += 1;
        n_with_deadlock += u32::from(seen.n_deadlocked > 0);
        n_with_several += u32::from(seen.outcomes.len() > 2);
        agree(&system, &search(system.clone()), &seen, &format!("{seed}"));
        // Walked through with a visited set first, for it might repeat: the same.
        system.may_repeat = true;
        agree(&system, &search(system.clone()), &seen, &format!("{seed}, may repeat"));
        system.sorted = false;
        agree(&system, &search(system.clone()), &seen, &format!("{seed}, not sorted"));
    }
    assert!(
        n_compared > 350 && n_with_deadlock > 50 && n_with_several > 50,
        "{n_compared} {n_with_deadlock} {n_with_several}"
    );
}
