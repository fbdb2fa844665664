//! Programs that make no sense are refused, each with its reason; and hashes that stay.

use concurrency_playground::explore::Thread;
use concurrency_playground::explore::small::{
    AnySystem, CellId, ConditionId, Line, LockId, Problem, QueueId, RegisterId, SemaphoreId, SmallProgram, SmallSystem,
    Step, Variable, program_hash, words_needed,
};
use concurrency_playground::switch_points::Grain;

use super::programs::{LOCK, R, X, counter, fine, number, plus, program, read, write};

#[test]
fn a_program_that_makes_no_sense_is_refused() {
    let base = || program(vec![fine(&[read(X, R)])]);
    let one = |step: Step| program(vec![fine(&[read(X, R), step])]);
    let unknown = Problem::Unknown(Thread(0), 1);
    let change = |change: fn(&mut SmallProgram)| {
        let mut program = base();
        change(&mut program);
        program
    };
    let table = [
        (program(vec![]), Problem::NThreads(0)),
        (program(vec![vec![]; 9]), Problem::NThreads(9)),
        (
            program(vec![fine(&[read(X, R)].repeat(251))]),
            Problem::NLines(Thread(0), 251),
        ),
        (one(read(CellId(2), R)), unknown.clone()),
        (one(read(X, RegisterId(2))), unknown.clone()),
        (one(write(X, plus(RegisterId(9), 0))), unknown.clone()),
        (one(Step::Acquire(LockId(2))), unknown.clone()),
        (one(Step::Wait(ConditionId(1))), unknown.clone()),
        (one(Step::Up(SemaphoreId(1))), unknown.clone()),
        (one(Step::Put(QueueId(1), number(1))), unknown),
        (one(Step::Jump(3)), Problem::JumpsOut(Thread(0), 1)),
        (
            program(vec![vec![Line::glued(Step::Yield)]]),
            Problem::LetsNobodyIn(Thread(0), 0),
        ),
        (change(|program| program.cells[1].first = 11), Problem::Range("y")),
        (change(|program| program.registers[0].least = 1), Problem::Range("r")),
        (
            change(|program| program.semaphores[0].most = 0),
            Problem::Range("semaphore"),
        ),
        (
            change(|program| program.queues[0].capacity = 0),
            Problem::Range("queue"),
        ),
        (
            change(|program| program.conditions[0].lock = LockId(7)),
            Problem::Unrelated("condition"),
        ),
        (
            change(|program| program.locks[1].protects = vec![CellId(2)]),
            Problem::Unrelated("other"),
        ),
        (change(|program| program.queues[0].capacity = 255), Problem::TooLarge(5)),
        (
            change(|program| program.cells = vec![Variable::within("x", 0, 0, 1); 17]),
            Problem::TooMany("cells"),
        ),
        (
            change(|program| program.cells = vec![Variable::within("x", 0, i32::MIN, i32::MAX); 9]),
            Problem::TooLarge(5),
        ),
    ];
    for (program, problem) in table {
        assert_eq!(words_needed(&program), Err(problem.clone()), "{program:?}");
        assert_eq!(AnySystem::new(program).err(), Some(problem));
    }
    let wide = change(|program| program.cells = vec![Variable::within("x", 0, i32::MIN, i32::MAX); 3]);
    assert_eq!(words_needed(&wide), Ok(2));
    assert_eq!(SmallSystem::<1>::new(wide.clone()).err(), Some(Problem::TooLarge(2)));
    assert!(matches!(AnySystem::new(wide), Ok(AnySystem::Four(_))));
    assert!(matches!(AnySystem::new(counter(2, 1, 2)), Ok(AnySystem::One(_))));
}

/// Old links name these: a change of the numbers makes them schedules of programs that no longer are.
#[test]
fn a_hash_is_the_same_for_ever_and_everywhere() {
    // Worked out by a short script of another language from the form that the module describes.
    assert_eq!(program_hash(&counter(2, 1, 2)), 2_926_483_876);
    let mut other = counter(2, 1, 2);
    other.cells[0].name = "total";
    assert_eq!(program_hash(&other), program_hash(&counter(2, 1, 2)));
    other.grain = Grain::CheckPoint;
    assert_ne!(program_hash(&other), program_hash(&counter(2, 1, 2)));
    let lock = |step| program_hash(&program(vec![fine(&[step])]));
    assert_ne!(lock(Step::Acquire(LOCK)), lock(Step::Release(LOCK)));
}
