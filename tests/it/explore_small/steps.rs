//! What each step means, and how it reads: one table, one thread.

use concurrency_playground::explore::System;
use concurrency_playground::explore::small::{Amount, Ending, Failure, Short, SmallSystem, Step, Test};

use super::programs::{CONDITION, LOCK, OTHER, QUEUE, R, S, SEMAPHORE, X, Y, fine, number, plus, program, read, write};
use concurrency_playground::explore::Thread;

/// Runs one thread alone until it cannot go on.
fn alone(steps: &[Step]) -> Ending {
    let system = SmallSystem::<4>::new(program(vec![fine(steps)])).expect("it is sound");
    let mut state = system.start();
    while !system.enabled(&state).is_empty() {
        system.step(&mut state, Thread(0));
    }
    system.outcome(&state)
}

fn finished(x: i32, y: i32) -> Ending {
    Ending::Finished { cells: vec![x, y] }
}

fn failed(line: u8, failure: Failure, x: i32, y: i32) -> Ending {
    let failed = vec![Short {
        like: Thread(0),
        line,
        failure: Some(failure),
    }];
    Ending::Failed {
        failed,
        cells: vec![x, y],
    }
}

fn stuck(line: u8) -> Ending {
    Ending::Deadlock {
        stuck: vec![Short {
            like: Thread(0),
            line,
            failure: None,
        }],
        failed: vec![],
    }
}

fn set(value: i32) -> Step {
    Step::Set {
        into: R,
        value: number(value),
    }
}

#[test]
fn each_step_does_what_it_says() {
    let show = write(X, plus(R, 0));
    let swap = |expected, new| Step::CompareAndSwap {
        cell: X,
        expected: number(expected),
        new: number(new),
        into: R,
    };
    let then_y = write(Y, plus(R, 0));
    let get = Step::Get { queue: QUEUE, into: R };
    let try_lock = Step::TryAcquire { lock: LOCK, into: R };
    let within = Step::AcquireWithin { lock: LOCK, into: R };
    let put = |value| Step::Put(QUEUE, number(value));
    let table: Vec<(&str, Vec<Step>, Ending)> = vec![
        ("write a number", vec![write(X, number(-7))], finished(-7, 0)),
        ("set", vec![set(3), show], finished(3, 0)),
        (
            "add to a register",
            vec![set(3), write(X, plus(R, -5))],
            finished(-2, 0),
        ),
        ("read", vec![write(X, number(4)), read(X, R), then_y], finished(4, 4)),
        ("add", vec![Step::Add { cell: X, amount: -3 }], finished(-3, 0)),
        ("swap", vec![swap(0, 5), then_y], finished(5, 1)),
        ("do not swap", vec![swap(1, 5), then_y], finished(0, 0)),
        (
            "swap out of range",
            vec![swap(0, 11)],
            failed(0, Failure::OutOfRange, 0, 0),
        ),
        (
            "out of range",
            vec![write(X, number(11))],
            failed(0, Failure::OutOfRange, 0, 0),
        ),
        (
            "out of range below",
            vec![write(Y, number(1)), Step::Add { cell: X, amount: -11 }],
            failed(1, Failure::OutOfRange, 0, 1),
        ),
        (
            "lock and unlock",
            vec![Step::Acquire(LOCK), Step::Release(LOCK), Step::Acquire(LOCK)],
            finished(0, 0),
        ),
        ("lock twice", vec![Step::Acquire(LOCK), Step::Acquire(LOCK)], stuck(1)),
        (
            "two locks",
            vec![Step::Acquire(LOCK), Step::Acquire(OTHER)],
            finished(0, 0),
        ),
        (
            "release a free lock",
            vec![Step::Release(LOCK)],
            failed(0, Failure::ReleasedFreeLock, 0, 0),
        ),
        (
            "try a free lock",
            vec![try_lock, show, Step::Release(LOCK)],
            finished(1, 0),
        ),
        (
            "try a held lock",
            vec![Step::Acquire(LOCK), set(5), try_lock, show],
            finished(0, 0),
        ),
        (
            "wait a while for a free lock",
            vec![within, show, Step::Release(LOCK)],
            finished(1, 0),
        ),
        (
            "wait a while for a held lock",
            vec![Step::Acquire(LOCK), set(5), within, show],
            finished(0, 0),
        ),
        (
            "wait without the lock",
            vec![Step::Wait(CONDITION)],
            failed(0, Failure::WaitedWithoutLock, 0, 0),
        ),
        (
            "wait with another lock",
            vec![Step::Acquire(OTHER), Step::Wait(CONDITION)],
            failed(1, Failure::WaitedWithoutLock, 0, 0),
        ),
        (
            "wait for nobody",
            vec![Step::Acquire(LOCK), Step::Wait(CONDITION)],
            stuck(1),
        ),
        (
            "notify without the lock",
            vec![Step::Notify(CONDITION, Amount::All)],
            failed(0, Failure::NotifiedWithoutLock, 0, 0),
        ),
        (
            "notify nobody",
            vec![Step::Acquire(LOCK), Step::Notify(CONDITION, Amount::One)],
            finished(0, 0),
        ),
        ("down to 0", vec![Step::Down(SEMAPHORE)], finished(0, 0)),
        (
            "down below 0",
            vec![Step::Down(SEMAPHORE), Step::Down(SEMAPHORE)],
            stuck(1),
        ),
        (
            "down and up",
            [Step::Down(SEMAPHORE), Step::Up(SEMAPHORE)].repeat(3),
            finished(0, 0),
        ),
        (
            "up too far",
            vec![Step::Up(SEMAPHORE); 3],
            failed(2, Failure::OutOfRange, 0, 0),
        ),
        (
            "first in, first out",
            vec![put(3), put(4), get, show, get, then_y],
            finished(3, 4),
        ),
        ("a full queue", vec![put(3), put(4), put(5)], stuck(2)),
        ("an empty queue", vec![put(0), get, get], stuck(2)),
        (
            "room again",
            vec![put(3), put(4), get, put(9), get, show, get, then_y],
            finished(4, 9),
        ),
        (
            "too large for the queue",
            vec![put(10)],
            failed(0, Failure::OutOfRange, 0, 0),
        ),
        ("yield", vec![Step::Yield, write(X, number(1))], finished(1, 0)),
        (
            "assert what holds",
            vec![set(1), Step::Assert(Test::Equal(plus(R, 0), number(1)))],
            finished(0, 0),
        ),
        (
            "assert what does not",
            vec![write(X, number(2)), Step::Assert(Test::NotEqual(number(1), number(1)))],
            failed(1, Failure::Assertion, 2, 0),
        ),
        (
            "jump",
            vec![Step::Jump(2), write(X, number(1)), write(Y, number(1))],
            finished(0, 1),
        ),
        (
            "jump to the end",
            vec![Step::Jump(2), write(X, number(1))],
            finished(0, 0),
        ),
        (
            "a loop",
            vec![
                read(X, S),
                Step::Unless(Test::Less(plus(S, 0), number(4)), 4),
                write(X, plus(S, 1)),
                Step::Jump(0),
                write(Y, number(1)),
            ],
            finished(4, 1),
        ),
    ];
    for (what, steps, ending) in table {
        assert_eq!(alone(&steps), ending, "{what}");
    }
}

#[test]
fn tests_hold_at_their_edges() {
    let at = |test: fn(_, _) -> Test| {
        [2, 3, 4].map(|left| match alone(&[Step::Assert(test(number(left), number(3)))]) {
            Ending::Finished { .. } => true,
            Ending::Failed { .. } => false,
            Ending::Deadlock { .. } => panic!("an assertion never blocks"),
        })
    };
    assert_eq!(at(Test::Equal), [false, true, false]);
    assert_eq!(at(Test::NotEqual), [true, false, true]);
    assert_eq!(at(Test::Less), [true, false, false]);
    assert_eq!(at(Test::AtLeast), [false, true, true]);
}

#[test]
fn a_line_reads_as_what_runs() {
    let steps = [
        (read(X, R), "r = x"),
        (set(-1), "r = -1"),
        (write(X, plus(R, 1)), "x = r + 1"),
        (write(X, plus(S, -2)), "x = s - 2"),
        (Step::Add { cell: X, amount: 1 }, "atomic_add(x, 1)"),
        (
            Step::CompareAndSwap {
                cell: X,
                expected: plus(R, 0),
                new: plus(R, 1),
                into: S,
            },
            "s = compare_and_swap(x, r, r + 1)",
        ),
        (Step::Acquire(LOCK), "lock.acquire()"),
        (
            Step::TryAcquire { lock: LOCK, into: R },
            "r = lock.acquire(blocking=False)",
        ),
        (
            Step::AcquireWithin { lock: LOCK, into: R },
            "r = lock.acquire(timeout=…)",
        ),
        (Step::Release(OTHER), "other.release()"),
        (Step::Wait(CONDITION), "condition.wait()"),
        (Step::Notify(CONDITION, Amount::One), "condition.notify()"),
        (Step::Notify(CONDITION, Amount::All), "condition.notify_all()"),
        (Step::Down(SEMAPHORE), "semaphore.acquire()"),
        (Step::Up(SEMAPHORE), "semaphore.release()"),
        (Step::Put(QUEUE, plus(R, 0)), "queue.put(r)"),
        (Step::Get { queue: QUEUE, into: R }, "r = queue.get()"),
        (Step::Yield, "sleep(0)"),
        (Step::Assert(Test::Equal(plus(R, 0), number(1))), "assert r == 1"),
        (
            Step::Unless(Test::AtLeast(plus(R, 0), number(80)), 4),
            "if r < 80: goto 5",
        ),
        (
            Step::Unless(Test::NotEqual(plus(R, 0), plus(S, 0)), 0),
            "if r == s: goto 1",
        ),
        (Step::Jump(22), "goto end"),
    ];
    assert_eq!(steps.len(), 22, "the last line jumps behind itself");
    let program = program(vec![fine(&steps.map(|(step, _)| step))]);
    for (line, (_, text)) in (0..).zip(steps) {
        let code = program.code(Thread(0), line).expect("it is there");
        assert_eq!(code.to_string(), text);
    }
    assert!(program.code(Thread(0), 22).is_none() && program.code(Thread(1), 0).is_none());
}
