//! Alike threads may be exchanged; others may not.

use concurrency_playground::explore::small::{Amount, SmallSystem, Step};
use concurrency_playground::explore::{System, Thread};

use super::counting::{after, by_layers};
use super::programs::{CONDITION, LOCK, X, counter, fine, number, program, write};

#[test]
fn only_equal_code_is_alike() {
    let one = fine(&[write(X, number(1))]);
    let two = fine(&[write(X, number(2))]);
    let system = SmallSystem::<4>::new(program(vec![one.clone(), two, one])).expect("it is sound");
    assert!(system.are_alike(Thread(0), Thread(2)) && !system.are_alike(Thread(0), Thread(1)));
    let sorted = |schedule: &str| {
        let mut state = after(&system, schedule);
        system.sort(&mut state);
        state
    };
    assert_ne!(after(&system, "A"), after(&system, "C"));
    assert_eq!(sorted("A"), sorted("C"));
    assert_ne!(sorted("A"), sorted("B"));
}

/// Who holds the lock and who waits first goes with the thread when it is exchanged.
#[test]
fn exchanged_threads_take_their_locks_and_tickets_along() {
    let waits = fine(&[
        Step::Acquire(LOCK),
        Step::Wait(CONDITION),
        write(X, number(1)),
        Step::Release(LOCK),
    ]);
    let tells = fine(&[
        Step::Acquire(LOCK),
        Step::Notify(CONDITION, Amount::One),
        Step::Release(LOCK),
    ]);
    let system = SmallSystem::<4>::new(program(vec![waits.clone(), waits.clone(), tells, waits])).expect("it is sound");
    let sorted = |schedule: &str| {
        let mut state = after(&system, schedule);
        system.sort(&mut state);
        state
    };
    assert_eq!(sorted("AABBDDCCC"), sorted("DDBBAACCC"));
    assert_eq!(sorted("AABBDDCCCA"), sorted("BBDDAACCCB"));
    let state = sorted("AABBDDCC");
    let view = system.view(&state);
    assert_eq!(view.conditions[0].waiters.len(), 2);
    let notified = view
        .threads
        .iter()
        .filter(|thread| thread.line == 1 && thread.thread != Thread(2))
        .count();
    assert_eq!(notified, 3);
    let plain = by_layers(&system, false);
    let exchanged = by_layers(&system, true);
    assert_eq!(plain.endings, exchanged.endings);
    assert!(
        exchanged.n_states * 3 < plain.n_states,
        "{} of {}",
        exchanged.n_states,
        plain.n_states
    );
}

/// For every number of alike threads that there can be: whatever their names, sorted they stand in one order.
#[test]
fn any_number_of_alike_threads_can_be_sorted() {
    for n_threads in 2..=8_u8 {
        let system = SmallSystem::<4>::new(counter(n_threads, 2, 2)).expect("it is sound");
        // In each round fewer threads go on, so that they stand at different lines in the end.
        let rounds = (0..4).flat_map(|round| (round..n_threads).map(Thread));
        let named: String = rounds.clone().map(Thread::name).collect();
        let renamed: String = rounds.map(|thread| Thread(n_threads - 1 - thread.0).name()).collect();
        let (mut one, mut other) = (after(&system, &named), after(&system, &renamed));
        assert_ne!(one, other);
        let mut places: Vec<u8> = system.view(&other).threads.iter().map(|thread| thread.line).collect();
        system.sort(&mut one);
        system.sort(&mut other);
        assert_eq!(one, other, "{n_threads}");
        // Nobody was lost on the way.
        places.sort_unstable();
        let sorted = system.view(&one).threads;
        assert_eq!(sorted.iter().map(|thread| thread.line).collect::<Vec<_>>(), places);
    }
}
