//! Condition variables: the first to wait is the first notified, and whoever comes too late waits for ever.

use concurrency_playground::explore::small::{
    Amount, Doing, Ending, Line, Reason, SmallSystem, Step, Test, ThreadCode,
};
use concurrency_playground::explore::{System, Thread};

use super::counting::{after, by_layers, enabled_after};
use super::programs::{CONDITION, LOCK, R, X, fine, number, plus, program, read, write};

const WAITS: [Step; 3] = [Step::Acquire(LOCK), Step::Wait(CONDITION), Step::Release(LOCK)];

fn notifies(amount: Amount) -> ThreadCode {
    fine(&[
        Step::Acquire(LOCK),
        Step::Notify(CONDITION, amount),
        Step::Release(LOCK),
    ])
}

fn system(threads: Vec<ThreadCode>) -> SmallSystem<4> {
    SmallSystem::new(program(threads)).expect("it is sound")
}

#[test]
fn who_waits_longest_is_notified_first() {
    let waits = fine(&WAITS);
    let twice = notifies(Amount::One).repeat(2);
    let one = system(vec![waits.clone(), waits.clone(), waits.clone(), twice]);
    let waiting = after(&one, "CCAABB");
    assert_eq!(
        one.view(&waiting).conditions[0].waiters,
        [Thread(2), Thread(0), Thread(1)]
    );
    assert_eq!(one.blocked(&waiting, Thread(1)), Some(Reason::Notification(CONDITION)));
    assert_eq!(format!("{:?}", one.waits_for(&waiting, Thread(1))), "D");
    let notified = after(&one, "CCAABBDD");
    assert_eq!(one.view(&notified).conditions[0].waiters, [Thread(0), Thread(1)]);
    assert!(matches!(
        one.blocked(&notified, Thread(2)),
        Some(Reason::LockAfterNotification {
            holder: Thread(3),
            lock: LOCK,
            condition: CONDITION
        })
    ));
    assert_eq!(format!("{:?}", one.waits_for(&notified, Thread(2))), "D");
    // The lock is free: the notified one takes it, or the notifier again.
    assert_eq!(enabled_after(&one, "CCAABBDDD"), "CD");
    let awake = after(&one, "CCAABBDDD");
    assert_eq!(one.view(&awake).threads[2].doing, Doing::Wakes(CONDITION));
    let awake = after(&one, "CCAABBDDDC");
    assert_eq!(one.holder(&awake, LOCK), Some(Thread(2)));
    assert_eq!(one.view(&awake).threads[2].doing, Doing::Next);
    // One that comes back to wait goes to the end of the row.
    let next = after(&one, "CCAABBDDDCCDD");
    assert_eq!(one.view(&next).conditions[0].waiters, [Thread(1)]);

    let all = system(vec![waits.clone(), waits, notifies(Amount::All)]);
    assert_eq!(enabled_after(&all, "AABBCCC"), "AB");
    assert!(all.view(&after(&all, "AABBCC")).conditions[0].waiters.is_empty());
    let done = after(&all, "AABBCCCBBAA");
    assert!(matches!(all.outcome(&done), Ending::Finished { .. }));
}

/// Notified before it waits: nobody is there to hear it. A flag that is looked at under the lock cures it.
#[test]
fn a_wake_up_can_be_missed() {
    let missed = system(vec![fine(&WAITS), notifies(Amount::One)]);
    let endings = by_layers(&missed, false).endings;
    assert!(endings.keys().any(|ending| matches!(ending, Ending::Deadlock { .. })));
    assert!(endings.keys().any(|ending| matches!(ending, Ending::Finished { .. })));
    let late = after(&missed, "BBBAA");
    assert!(missed.waits_for(&late, Thread(0)).is_empty() && missed.enabled(&late).is_empty());

    let looks = fine(&[
        Step::Acquire(LOCK),
        read(X, R),
        Step::Unless(Test::Equal(plus(R, 0), number(0)), 4),
        Step::Wait(CONDITION),
        Step::Release(LOCK),
    ]);
    let tells = fine(&[
        Step::Acquire(LOCK),
        write(X, number(1)),
        Step::Notify(CONDITION, Amount::One),
        Step::Release(LOCK),
    ]);
    let fixed = by_layers(&system(vec![looks, tells]), false).endings;
    assert_eq!(
        fixed.into_keys().collect::<Vec<_>>(),
        [Ending::Finished { cells: vec![1, 0] }]
    );
}

/// Who waits inside one step lets go of the lock, and goes on in the same step once it has it back.
#[test]
fn a_wait_ends_a_step_and_its_end_begins_one() {
    let waits: ThreadCode = [&WAITS[..], &[write(X, number(1))]]
        .concat()
        .into_iter()
        .map(Line::glued)
        .collect();
    let tells: ThreadCode = [
        Step::Acquire(LOCK),
        Step::Notify(CONDITION, Amount::All),
        Step::Release(LOCK),
    ]
    .map(Line::glued)
    .to_vec();
    let system = system(vec![waits, tells]);
    assert_eq!(system.holder(&after(&system, "A"), LOCK), None);
    assert_eq!(
        system.outcome(&after(&system, "ABA")),
        Ending::Finished { cells: vec![1, 0] }
    );
}
