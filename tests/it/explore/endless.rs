//! Programs that may go on for ever: livelock, starvation, stuck and spinning, told apart.

use std::collections::{BTreeMap, BTreeSet};

use concurrency_playground::explore::{
    RepeatFound, RepeatKind, Report, Schedule, Schedules, System, Thread, Threads, replay,
};

use super::automata::{Automata, Place};
use super::script::Do::{Acquire, Goto, Release, Set, TryOr, Unless};
use super::script::{Do, script};
use super::search;

fn threads(letters: &str) -> Threads {
    letters
        .bytes()
        .fold(Threads::NONE, |all, letter| all.with(Thread(letter - b'A')))
}

/// After the witness the round can be gone and leads back, everybody who keeps moving goes, nobody else does, those who
/// are stuck never can, and a fair scheduler owes nobody a turn unless it is starvation.
fn shows<S: System>(system: &S, found: &RepeatFound) {
    let what = &found.repeating;
    let begin = replay(system, &found.witness.schedule).expect("it can be gone");
    assert_eq!(begin.n_preemptions, found.witness.n_preemptions);
    let both = Schedule([found.witness.schedule.0.clone(), found.round.0.clone()].concat());
    let round = replay(system, &both).expect("it can be gone");
    assert_eq!(round.end(), begin.end());
    assert!(!found.round.0.is_empty());
    let went = found
        .round
        .0
        .iter()
        .fold(Threads::NONE, |all, thread| all.with(*thread));
    assert_eq!(went, what.moving);
    let mut always = Threads(u32::MAX);
    for state in &round.states[found.witness.schedule.0.len()..] {
        let enabled = system.enabled(state);
        always.0 &= enabled.0;
        assert_eq!(enabled.0 & (what.stuck.0 | what.ended.0), 0);
        assert!(what.starved.iter().all(|thread| enabled.has(thread)));
        assert!(what.ended.iter().all(|thread| system.has_ended(state, thread)));
        assert!(what.stuck.iter().all(|thread| !system.has_ended(state, thread)));
    }
    let owed = always.0 & !went.0;
    assert_eq!(owed != 0, what.kind == RepeatKind::Starvation, "{found:?}");
}

fn repeats(threads: &[&[Do]]) -> (Report<(u8, u8)>, Vec<RepeatFound>) {
    let system = script(threads);
    let report = search(system.clone());
    report.repeats.iter().for_each(|found| shows(&system, found));
    assert_eq!(report.schedules, Schedules::Endless);
    assert!(report.repeats_complete && report.outcomes.iter().all(|found| found.n_schedules.is_none()));
    (report.clone(), report.repeats)
}

#[test]
fn two_who_always_make_room_for_each_other_are_a_livelock() {
    let polite = |own, other| {
        vec![
            Acquire(own),
            TryOr(other, 5),
            Release(other),
            Release(own),
            Goto(7),
            Release(own),
            Goto(0),
        ]
    };
    let (report, found) = repeats(&[&polite(0, 1), &polite(1, 0)]);
    let livelock = found
        .iter()
        .find(|found| found.repeating.moving == threads("AB"))
        .expect("both keep moving");
    assert_eq!(livelock.repeating.kind, RepeatKind::Livelock);
    assert!(!livelock.repeating.certain && livelock.repeating.stuck.is_empty());
    // They may as well get through.
    assert_eq!(report.outcomes.len(), 1);
    assert!(report.deadlocks.is_empty());
}

#[test]
fn one_who_is_never_let_on_starves() {
    let (report, found) = repeats(&[&[Unless(0, 0)], &[Set(0)]]);
    let [starvation] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(starvation.repeating.kind, RepeatKind::Starvation);
    assert_eq!(
        (starvation.repeating.moving, starvation.repeating.starved),
        (threads("A"), threads("B"))
    );
    assert!(!starvation.repeating.certain);
    assert_eq!(
        (starvation.witness.schedule.letters(), starvation.round.letters()),
        (String::new(), "A".to_owned())
    );
    assert_eq!(report.outcomes[0].outcome, (1, 2));
    assert_eq!(
        report.outcomes[0].witness.as_ref().map(|witness| witness.n_preemptions),
        Some(0)
    );
}

#[test]
fn one_blocked_and_one_spinning_is_neither_deadlock_nor_livelock() {
    let (report, found) = repeats(&[
        &[Acquire(0), Unless(0, 1), Release(0)],
        &[Acquire(0), Set(0), Release(0)],
    ]);
    let [stuck] = found.as_slice() else {
        panic!("{found:?}");
    };
    let what = stuck.repeating;
    assert_eq!(what.kind, RepeatKind::StuckAndSpinning);
    assert_eq!(
        (what.moving, what.stuck, what.certain),
        (threads("A"), threads("B"), true)
    );
    assert_eq!(
        (stuck.witness.schedule.letters().as_str(), stuck.witness.n_preemptions),
        ("A", 0)
    );
    assert_eq!(stuck.round.letters(), "A");
    assert!(report.deadlocks.is_empty());
    assert_eq!(report.outcomes.len(), 1);
}

#[test]
fn a_loop_without_an_end_is_certain() {
    let (report, found) = repeats(&[&[Goto(0)], &[Set(0)]]);
    assert!(report.outcomes.is_empty());
    let kinds: Vec<(RepeatKind, bool)> = found
        .iter()
        .map(|found| (found.repeating.kind, found.repeating.certain))
        .collect();
    assert_eq!(kinds, [(RepeatKind::Livelock, true), (RepeatKind::Starvation, false)]);
    assert_eq!(found[0].repeating.ended, threads("B"));
}

#[test]
fn one_for_whom_the_lock_is_never_free_in_time_is_overtaken() {
    let (_, found) = repeats(&[&[Acquire(0), Release(0), Goto(0)], &[Acquire(0), Release(0)]]);
    let overtaken = found
        .iter()
        .find(|found| !found.repeating.overtaken.is_empty())
        .expect("B is");
    assert_eq!(overtaken.repeating.overtaken, threads("B"));
    assert_eq!(overtaken.repeating.kind, RepeatKind::Livelock);
    assert!(overtaken.repeating.starved.is_empty() && !overtaken.repeating.certain);
}

#[test]
fn alike_threads_are_told_once_and_by_name() {
    let spinner: &[Do] = &[Acquire(0), Goto(1)];
    let (_, found) = repeats(&[spinner, spinner, spinner]);
    let [stuck] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((stuck.n_alike, stuck.repeating.kind), (3, RepeatKind::StuckAndSpinning));
    assert_eq!(
        (stuck.repeating.moving, stuck.repeating.stuck),
        (threads("C"), threads("AB"))
    );
    assert_eq!(stuck.witness.schedule.letters(), "C");
}

#[test]
fn a_loop_that_ends_is_counted() {
    // Jumps back, but each time with a flag more.
    let system = script(&[&[Unless(0, 2), Goto(4), Set(0), Goto(0)], &[Set(1)]]);
    let report = search(system);
    assert!(
        matches!(&report.schedules, Schedules::Exactly(total) if total.to_string() == "6"),
        "{report:?}"
    );
    assert!(report.repeats.is_empty() && report.repeats_complete);
}

/// All states by plain search, and for each what it leads to.
fn graph(system: &Automata) -> BTreeMap<Place, Vec<(Thread, Place)>> {
    let mut all = BTreeMap::new();
    let mut to_do = vec![system.start()];
    while let Some(state) = to_do.pop() {
        if all.contains_key(&state) {
            continue;
        }
        let steps: Vec<(Thread, Place)> = system
            .enabled(&state)
            .iter()
            .map(|thread| {
                let mut after = state;
                system.step(&mut after, thread);
                (thread, after)
            })
            .collect();
        to_do.extend(steps.iter().map(|(_, to)| *to));
        all.insert(state, steps);
    }
    all
}

/// What can be reached from a state by one step or more.
fn reachable(graph: &BTreeMap<Place, Vec<(Thread, Place)>>, from: Place) -> BTreeSet<Place> {
    let mut all = BTreeSet::new();
    let mut to_do = vec![from];
    while let Some(state) = to_do.pop() {
        to_do.extend(graph[&state].iter().map(|(_, to)| *to).filter(|to| all.insert(*to)));
    }
    all
}

type Sets = (RepeatKind, bool, Threads, Threads, Threads, Threads, Threads);

/// The components by their definition: states that lead to each other.
fn components(system: &Automata) -> BTreeSet<Sets> {
    let graph = graph(system);
    let reach: BTreeMap<Place, BTreeSet<Place>> =
        graph.keys().map(|state| (*state, reachable(&graph, *state))).collect();
    let all = Threads((1 << system.n_threads()) - 1);
    let repeating = graph.keys().filter(|state| reach[state].contains(state));
    repeating
        .map(|state| {
            let inside: Vec<Place> = reach[state]
                .iter()
                .copied()
                .filter(|other| reach[other].contains(state))
                .collect();
            let (mut always, mut ever, mut moving, mut ended, mut certain) =
                (all, Threads::NONE, Threads::NONE, all, true);
            for state in &inside {
                let enabled = system.enabled(state);
                (always.0, ever.0) = (always.0 & enabled.0, ever.0 | enabled.0);
                for thread in (0..system.n_threads()).map(Thread) {
                    if !system.has_ended(state, thread) {
                        ended = ended.without(thread);
                    }
                }
                for (thread, to) in &graph[state] {
                    if inside.contains(to) {
                        moving = moving.with(*thread);
                    } else {
                        certain = false;
                    }
                }
            }
            let starved = Threads(always.0 & !moving.0);
            let stuck = Threads(all.0 & !ever.0 & !ended.0);
            let kind = match (starved.is_empty(), certain && !stuck.is_empty()) {
                (false, _) => RepeatKind::Starvation,
                (true, true) => RepeatKind::StuckAndSpinning,
                (true, false) => RepeatKind::Livelock,
            };
            (
                kind,
                certain,
                moving,
                stuck,
                ended,
                starved,
                Threads(ever.0 & !always.0 & !moving.0),
            )
        })
        .collect()
}

#[test]
fn random_systems_agree_with_the_definition() {
    let mut n_of_kind = BTreeMap::new();
    let mut n_endless = 0;
    for seed in 0..300 {
        let (n_threads, n_lines) = [(2, 5), (3, 3), (3, 4)][seed as usize % 3];
        let mut system = Automata::random(seed, n_threads, n_lines, seed % 2 == 0, true);
        let report = search(system.clone());
        // Outcomes are those of all states where nobody can go.
        let graph = graph(&system);
        let ends = graph.iter().filter(|(_, steps)| steps.is_empty());
        let outcomes: BTreeSet<(u8, u8)> = ends.map(|(state, _)| system.outcome(state)).collect();
        let found: BTreeSet<(u8, u8)> = report.outcomes.iter().map(|found| found.outcome).collect();
        assert_eq!(found, outcomes, "{seed}");
        for found in &report.outcomes {
            let witness = found.witness.as_ref().expect("complete searches show all");
            let replayed = replay(&system, &witness.schedule).expect("it can be gone");
            assert_eq!(system.outcome(replayed.end()), found.outcome);
            assert_eq!(replayed.n_preemptions, witness.n_preemptions);
        }
        report.repeats.iter().for_each(|found| shows(&system, found));
        let expected = components(&system);
        assert_eq!(report.schedules == Schedules::Endless, !expected.is_empty(), "{seed}");
        n_endless += u32::from(!expected.is_empty());
        // By name, that is, without symmetry, all of them are there.
        system.sorted = false;
        let by_name = search(system.clone());
        let told = by_name.repeats.iter().map(|found| {
            let what = found.repeating;
            *n_of_kind.entry(what.kind).or_insert(0) += 1;
            (
                what.kind,
                what.certain,
                what.moving,
                what.stuck,
                what.ended,
                what.starved,
                what.overtaken,
            )
        });
        assert_eq!(told.collect::<BTreeSet<Sets>>(), expected, "{seed}");
        assert_eq!(by_name.repeats.len(), expected.len(), "{seed}");
    }
    assert!(n_endless > 50 && n_of_kind.len() == 3, "{n_endless} {n_of_kind:?}");
}
