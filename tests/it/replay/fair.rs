//! Tasks queue for locks and semaphores as `asyncio` has it; threads take what is free.

use std::collections::BTreeSet;

use concurrency_playground::explore::small::{Amount, Ending, Line, SmallProgram, Step, ThreadCode};
use concurrency_playground::explore::system::Thread;
use concurrency_playground::labs::puzzles::on_machine::{replay, seeded};
use concurrency_playground::switch_points::Grain;

use super::explored;
use super::programs::{C, L, M, OK, R, S, X, Y, memory, open, program, read, register};

fn endings(program: &SmallProgram) -> BTreeSet<Ending> {
    explored::endings(program).into_keys().collect()
}

/// One that takes, lets go and takes again, beside one that waits meanwhile and then notes what it sees.
fn hog(take: Step, give: Step) -> Vec<ThreadCode> {
    let add = memory(Step::Add { cell: X, amount: 1 });
    let hog = vec![
        memory(take),
        open(Step::Yield),
        add,
        memory(give),
        memory(take),
        add,
        memory(give),
    ];
    let note = Step::Write {
        cell: Y,
        value: register(R, 0),
    };
    vec![hog, vec![memory(take), memory(read(X)), memory(note), memory(give)]]
}

/// The other sees 0, 1 or 2; one that has come before the hog lets go sees 1, and not what the hog does then.
#[test]
fn no_task_passes_by_one_that_waits() {
    for (take, give) in [(Step::Acquire(L), Step::Release(L)), (Step::Down(S), Step::Up(S))] {
        let tasks = program(hog(take, give), Grain::Await);
        let all = [0, 1, 2].map(|seen| Ending::Finished { cells: vec![2, seen] });
        assert_eq!(endings(&tasks), BTreeSet::from(all.clone()));
        // The hog takes it, the other waits, the hog is through, and waits behind the other.
        let [_, one, _] = all;
        let replayed = replay(&tasks, &[0, 1, 0, 1, 0].map(Thread)).expect("it can be followed");
        assert_eq!(replayed.on_machine.ending(), one);
        // Threads that find it free take it, whoever waits.
        let threads = program(hog(take, give), Grain::CheckPoint);
        replay(&threads, &[0, 0, 1].map(Thread)).expect("the hog has it twice, then the other");
    }
}

/// The one that comes back for its lock finds another before it, which then notifies nobody.
#[test]
fn a_wake_up_is_missed_because_nobody_passes_by() {
    let after = |step| memory(step);
    let notifies = vec![
        memory(Step::Acquire(L)),
        after(Step::Notify(C, Amount::One)),
        after(Step::Release(L)),
        after(Step::TryAcquire { lock: M, into: OK }),
    ];
    let waits: Vec<Line> = vec![
        memory(Step::Acquire(L)),
        open(Step::Acquire(M)),
        after(Step::Release(L)),
        after(Step::Acquire(L)),
        after(Step::Wait(C)),
        after(Step::Release(L)),
    ];
    let tasks = program(vec![notifies, waits], Grain::Await);
    let lines_of_stuck = |ending: &Ending| match ending {
        Ending::Deadlock { stuck, .. } => stuck.iter().map(|short| short.line).collect(),
        _ => Vec::new(),
    };
    let may_be: BTreeSet<Vec<u8>> = endings(&tasks).iter().map(lines_of_stuck).collect();
    let found: BTreeSet<Vec<u8>> = (0..200)
        .filter_map(|seed| seeded(&tasks, seed).run())
        .map(|ending| lines_of_stuck(&ending))
        .collect();
    assert!(found.contains(&vec![4]), "{found:?}");
    assert!(found.is_subset(&may_be), "{found:?} of {may_be:?}");
}
