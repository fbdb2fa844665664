//! One program, three grains; what blocks lets others in at each of them; and loops that never do.

use concurrency_playground::explore::small::{
    Ending, Failure, Line, MOST_LINES, SmallProgram, SmallSystem, Step, Test, ThreadCode,
};
use concurrency_playground::explore::{System, Thread};
use concurrency_playground::switch_points::{Grain, Operation};

use super::counting::{after, by_layers, enabled_after};
use super::programs::{LOCK, R, X, counter, number, plus, program, read, write};

fn schedules(program: SmallProgram, grain: Grain) -> (u128, usize) {
    let system = SmallSystem::<4>::new(SmallProgram { grain, ..program }).expect("it is sound");
    let counted = by_layers(&system, false);
    (counted.n_schedules(), counted.endings.len())
}

/// Schedules and different endings.
#[test]
fn a_counter_is_cut_as_its_grain_says() {
    assert_eq!(schedules(counter(2, 1, 3), Grain::Access), (20, 2));
    // Whole increments, and between them the loop's jump back.
    assert_eq!(schedules(counter(2, 1, 3), Grain::CheckPoint), (2, 1));
    assert_eq!(schedules(counter(2, 2, 3), Grain::CheckPoint), (6, 1));
    // Nothing is awaited: whole threads.
    assert_eq!(schedules(counter(2, 2, 3), Grain::Await), (2, 1));
    // An await between reading and writing loses as much as the finest grain does.
    let awaits: ThreadCode = vec![
        Line::after(Operation::MemoryAccess, read(X, R)),
        Line::after(Operation::Await, Step::Yield),
        Line::after(Operation::MemoryAccess, write(X, plus(R, 1))),
    ];
    assert_eq!(schedules(program(vec![awaits.clone(); 2]), Grain::Await), (6, 2));
    assert_eq!(schedules(program(vec![awaits; 2]), Grain::Access), (20, 2));
}

#[test]
fn a_coarse_step_stops_before_what_blocks() {
    let code: ThreadCode = vec![
        Line::glued(write(X, number(1))),
        Line::glued(Step::Acquire(LOCK)),
        Line::after(Operation::Await, Step::Yield),
        Line::glued(Step::Release(LOCK)),
        Line::glued(write(X, number(2))),
    ];
    let system = SmallSystem::<4>::new(SmallProgram {
        grain: Grain::Await,
        ..program(vec![code.clone(), code])
    })
    .expect("it is sound");
    // A free lock is taken in passing; a held one ends the step before it.
    assert_eq!(system.view(&after(&system, "A")).threads[0].line, 2);
    assert_eq!(system.view(&after(&system, "AB")).threads[1].line, 1);
    assert_eq!(enabled_after(&system, "AB"), "A");
    assert_eq!(enabled_after(&system, "ABA"), "B");
    assert_eq!(
        system.outcome(&after(&system, "ABABB")),
        Ending::Finished { cells: vec![2, 0] }
    );
}

#[test]
fn a_loop_that_never_lets_go_fails_its_thread() {
    let spin: ThreadCode = vec![
        Line::glued(read(X, R)),
        Line::after(
            Operation::LoopBackEdge,
            Step::Unless(Test::AtLeast(plus(R, 0), number(1)), 0),
        ),
    ];
    let sets: ThreadCode = vec![Line::glued(write(X, number(1)))];
    let spins = |grain| {
        SmallSystem::<4>::new(SmallProgram {
            grain,
            ..program(vec![spin.clone(), sets.clone()])
        })
        .expect("it is sound")
    };
    let loops = spins(Grain::Await);
    let state = after(&loops, "A");
    assert!(loops.may_repeat() && loops.has_ended(&state, Thread(0)));
    assert!(
        matches!(loops.outcome(&after(&loops, "AB")), Ending::Failed { failed, .. }
        if failed[0].failure == Some(Failure::NeverLetsGo))
    );
    assert_eq!(
        loops.outcome(&after(&loops, "BA")),
        Ending::Finished { cells: vec![1, 0] }
    );
    // With a place to come in, it only comes back to where it was.
    let lets_in = spins(Grain::CheckPoint);
    assert_eq!(after(&lets_in, "AA"), after(&lets_in, "AAA"));
    assert_eq!(
        lets_in.outcome(&after(&lets_in, "AABAA")),
        Ending::Finished { cells: vec![1, 0] }
    );
}

/// A loop may be as long as it likes within the limit.
#[test]
fn a_long_loop_is_no_endless_one() {
    let counts = |to: i32| {
        let code: ThreadCode = [
            read(X, R),
            write(X, plus(R, 1)),
            Step::Unless(Test::AtLeast(plus(R, 0), number(to)), 0),
        ]
        .map(Line::glued)
        .to_vec();
        let mut program = program(vec![code]);
        program.cells[0].most = 100_000;
        program.registers[0].most = 100_000;
        let system = SmallSystem::<4>::new(program).expect("it is sound");
        system.outcome(&after(&system, "A"))
    };
    let most = i32::try_from(MOST_LINES / 3).expect("it is small");
    assert_eq!(counts(most - 1), Ending::Finished { cells: vec![most, 0] });
    assert!(matches!(counts(most + 1), Ending::Failed { .. }));
}
