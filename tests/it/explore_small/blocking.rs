//! Who is blocked by what, who could help, and what never blocks.

use concurrency_playground::explore::small::{Doing, Ending, Failure, LockId, Reason, SmallSystem, Step, Test};
use concurrency_playground::explore::{System, Thread, Threads};

use super::counting::{after, by_layers, enabled_after};
use super::programs::{LOCK, OTHER, QUEUE, R, SEMAPHORE, X, fine, number, plus, program, read, write};

fn system(threads: &[&[Step]]) -> SmallSystem<4> {
    SmallSystem::new(program(threads.iter().map(|steps| fine(steps)).collect())).expect("it is sound")
}

fn waits_for(system: &SmallSystem<4>, schedule: &str, thread: u8) -> String {
    format!("{:?}", system.waits_for(&after(system, schedule), Thread(thread)))
}

fn deadlocks(system: &SmallSystem<4>) -> u128 {
    let endings = by_layers(system, false).endings.into_iter();
    endings
        .filter(|(ending, _)| matches!(ending, Ending::Deadlock { .. }))
        .map(|(_, ways)| ways)
        .sum()
}

#[test]
fn opposite_order_waits_in_a_circle() {
    let both = |one, other| {
        [
            Step::Acquire(one),
            Step::Acquire(other),
            Step::Release(other),
            Step::Release(one),
        ]
    };
    let crossed = system(&[&both(LOCK, OTHER), &both(OTHER, LOCK)]);
    let stuck = after(&crossed, "AB");
    assert!(crossed.enabled(&stuck).is_empty());
    assert_eq!(waits_for(&crossed, "AB", 0), "B");
    assert_eq!(waits_for(&crossed, "AB", 1), "A");
    let lock = |lock: LockId, holder: u8| Reason::Lock {
        lock,
        holder: Thread(holder),
    };
    assert_eq!(crossed.blocked(&stuck, Thread(0)), Some(lock(OTHER, 1)));
    assert_eq!(crossed.blocked(&stuck, Thread(1)), Some(lock(LOCK, 0)));
    assert!(
        matches!(crossed.outcome(&stuck), Ending::Deadlock { stuck, failed } if stuck.len() == 2 && failed.is_empty())
    );
    let view = crossed.view(&stuck);
    assert_eq!(view.locks[0].holder, Some(Thread(0)));
    assert_eq!(view.locks[0].wanted_by, [Thread(1)]);
    assert_eq!(view.locks[0].protects, [X]);
    // A first, then B at once; or B first, then A at once.
    assert_eq!(deadlocks(&crossed), 2);

    let ordered = system(&[&both(LOCK, OTHER), &both(LOCK, OTHER)]);
    assert_eq!(deadlocks(&ordered), 0);
    assert_eq!(waits_for(&ordered, "A", 1), "A");
    assert_eq!(enabled_after(&ordered, "A"), "A");
}

#[test]
fn a_time_out_is_never_stuck() {
    let patient = |one, other| {
        [
            Step::Acquire(one),
            Step::AcquireWithin { lock: other, into: R },
            Step::Unless(Test::Equal(plus(R, 0), number(1)), 4),
            Step::Release(other),
            Step::Release(one),
        ]
    };
    let system = system(&[&patient(LOCK, OTHER), &patient(OTHER, LOCK)]);
    assert_eq!(enabled_after(&system, "AB"), "AB");
    assert!(system.waits_for(&after(&system, "AB"), Thread(0)).is_empty());
    assert_eq!(deadlocks(&system), 0);
}

/// A lock as a signal: `A` takes it twice, `B` lets it go.
#[test]
fn any_thread_may_release_a_lock() {
    let signal = system(&[
        &[Step::Acquire(LOCK), Step::Acquire(LOCK), write(X, number(1))],
        &[write(X, number(2)), Step::Release(LOCK)],
    ]);
    assert_eq!(enabled_after(&signal, "A"), "B");
    assert_eq!(waits_for(&signal, "A", 0), "AB");
    assert_eq!(enabled_after(&signal, "ABB"), "A");
    let done = after(&signal, "ABBAA");
    assert_eq!(signal.view(&done).cells[0].value, 1);
    assert_eq!(signal.holder(&done, LOCK), Some(Thread(0)));
}

#[test]
fn a_lock_of_the_dead_is_awaited_in_vain() {
    let left = system(&[
        &[Step::Acquire(LOCK)],
        &[Step::Acquire(LOCK), Step::Release(LOCK)],
        &[write(X, number(1))],
    ]);
    assert_eq!(enabled_after(&left, "A"), "C");
    assert_eq!(left.waits_for(&after(&left, "A"), Thread(1)), Threads::NONE);
    assert!(left.has_ended(&after(&left, "A"), Thread(0)));
    let twice = system(&[&[Step::Acquire(LOCK), Step::Acquire(LOCK)]]);
    assert_eq!(waits_for(&twice, "A", 0), "A");
}

#[test]
fn a_failed_thread_keeps_its_lock_and_the_others_go_on() {
    let failing = system(&[
        &[
            Step::Acquire(LOCK),
            Step::Assert(Test::Equal(number(0), number(1))),
            Step::Release(LOCK),
        ],
        &[write(X, number(1)), Step::Acquire(LOCK), write(X, number(2))],
    ]);
    let state = after(&failing, "AAB");
    assert!(failing.enabled(&state).is_empty() && failing.has_ended(&state, Thread(0)));
    assert!(failing.waits_for(&state, Thread(1)).is_empty());
    assert_eq!(failing.view(&state).threads[0].doing, Doing::Failed(Failure::Assertion));
    assert!(matches!(failing.outcome(&state), Ending::Deadlock { stuck, failed }
        if stuck[0].like == Thread(1) && failed[0].failure == Some(Failure::Assertion)));
}

#[test]
fn semaphores_and_queues_wait_for_whoever_can_help() {
    let semaphore = system(&[
        &[Step::Down(SEMAPHORE), Step::Up(SEMAPHORE)],
        &[Step::Down(SEMAPHORE), write(X, number(1))],
        &[write(X, number(1))],
    ]);
    assert_eq!(enabled_after(&semaphore, "A"), "AC");
    assert_eq!(waits_for(&semaphore, "A", 1), "A");
    assert_eq!(enabled_after(&semaphore, "AA"), "BC");
    assert_eq!(
        semaphore.blocked(&after(&semaphore, "A"), Thread(1)),
        Some(Reason::Semaphore(SEMAPHORE))
    );

    let get = Step::Get { queue: QUEUE, into: R };
    let put = |value| Step::Put(QUEUE, number(value));
    let queue = system(&[&[put(1), put(2), put(3)], &[get, get], &[read(X, R)]]);
    assert_eq!(enabled_after(&queue, ""), "AC");
    assert_eq!(waits_for(&queue, "", 1), "A");
    assert_eq!(
        queue.blocked(&queue.start(), Thread(1)),
        Some(Reason::QueueEmpty(QUEUE))
    );
    assert_eq!(enabled_after(&queue, "AA"), "BC");
    assert_eq!(waits_for(&queue, "AA", 0), "B");
    let full = after(&queue, "AA");
    assert_eq!(queue.blocked(&full, Thread(0)), Some(Reason::QueueFull(QUEUE)));
    assert_eq!(queue.view(&full).queues[0].content, [1, 2]);
    assert_eq!(queue.view(&after(&queue, "AABA")).queues[0].content, [2, 3]);
}
