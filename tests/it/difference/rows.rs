//! The A rows of the table of behaviours as programs, each with what it says.
//!
//! A line is the second, who, and what; what only tells that a sleep or a blocking step is over is left out. CPython runs
//! the same programs (`run.mjs`), so that the expectations themselves are checked.
//!
//! Not here: the rows of threads.

use super::syntax::{
    Block, Catch, Caught, Does, Function, Lockable, Objects, Order, Queue, Raised, Ref, Script, Semaphore, Step, Until,
    What, When,
};

/// One row.
pub struct Row {
    pub name: &'static str,
    pub script: Script,
    pub says: Vec<&'static str>,
}

const SECOND: i64 = 1_000_000;

/// All rows, in the order of the table.
pub fn rows() -> Vec<Row> {
    let mut rows = order();
    rows.extend(gathering());
    rows.extend(groups());
    rows.extend(timeouts());
    rows.extend(cancelling());
    rows.extend(primitives());
    rows.extend(whole_programs());
    rows
}

/// One row by its name.
pub fn row(name: &str) -> Row {
    rows().into_iter().find(|row| row.name == name).unwrap_or_else(|| panic!("there is no row {name}"))
}

fn program(name: &'static str, functions: Vec<Vec<Does>>, callbacks: Vec<Vec<Does>>, says: &[&'static str]) -> Row {
    let function = |body| Function { body: block(body), returns: 0 };
    let mut script = Script {
        is_eager: false,
        objects: Objects {
            tasks: 12,
            futures: 1,
            groups: 1,
            timeouts: 2,
            handles: 4,
            locks: 2,
            semaphores: vec![Semaphore { value: 2, is_bounded: false }, Semaphore { value: 1, is_bounded: false }],
            conditions: 1,
            events: 1,
            barriers: vec![2],
            queues: vec![Queue { order: Order::FirstIn, most: 2 }],
            variables: 1,
            cells: 1,
        },
        functions: functions.into_iter().map(function).collect(),
        callbacks: callbacks.into_iter().map(block).collect(),
    };
    script.renumber();
    Row { name, script, says: says.to_vec() }
}

fn block(steps: Vec<Does>) -> Block {
    steps.into_iter().map(|does| Step { number: 0, does }).collect()
}

fn say(words: &str) -> Does {
    Does::Say(words.to_owned())
}

fn sleep(seconds: i64) -> Does {
    Does::Sleep(seconds * SECOND)
}

fn spawn(task: usize, function: usize) -> Does {
    Does::Spawn { task, function, is_eager: false }
}

fn task(task: usize) -> Does {
    Does::Await(Ref::Task(task))
}

fn cancel(task: usize) -> Does {
    Does::Cancel { what: Ref::Task(task), has_message: false }
}

fn catching(body: Vec<Does>, kind: Caught, handler: Vec<Does>) -> Does {
    let catches = vec![Catch { kind, body: block(handler) }];
    Does::Try { body: block(body), catches, finally: None }
}

fn finally(body: Vec<Does>, finally: Vec<Does>) -> Does {
    Does::Try { body: block(body), catches: Vec::new(), finally: Some(block(finally)) }
}

fn group(body: Vec<Does>) -> Does {
    Does::Group { group: 0, is_new: true, body: block(body) }
}

fn group_spawn(task: usize, function: usize) -> Does {
    Does::GroupSpawn { group: 0, task, function, is_eager: false }
}

fn timeout(timeout: usize, seconds: i64, body: Vec<Does>) -> Does {
    Does::Timeout { timeout, when: Some(When::In(seconds * SECOND)), body: block(body) }
}

fn order() -> Vec<Row> {
    let two_words = || vec![say("start"), Does::Sleep(0), say("end")];
    let thrice = || vec![say("0"), Does::Sleep(0), say("1"), Does::Sleep(0), say("2")];
    let soon = |callback, handle| Does::CallSoon { callback, handle };
    let a1 = vec![spawn(1, 1), spawn(2, 1), say("created"), task(1), task(2)];
    let a2 = vec![spawn(1, 1), Does::Call { function: 2, is_object: false }, task(1)];
    let a4 = vec![soon(0, 0), soon(3, 3), Does::Sleep(0), say("1"), Does::Sleep(0), say("2"), Does::Sleep(0), say("3")];
    let later = Does::CallLater { callback: 0, handle: 0, delay: 0 };
    let mut a7: Vec<Does> = (1..=8).map(|number| spawn(number, 1)).collect();
    a7.push(sleep(2));
    vec![
        program(
            "A1",
            vec![a1, two_words()],
            vec![],
            &["0 0 created", "0 0.1 start", "0 0.2 start", "0 0.1 end", "0 0.2 end", "0 0 got 0", "0 0 got 0"],
        ),
        program(
            "A2",
            vec![a2, vec![say("c")], vec![say("d")]],
            vec![],
            &["0 0 d", "0 0 returned 0", "0 0.1 c", "0 0 got 0"],
        ),
        program(
            "A3",
            vec![vec![spawn(1, 1), spawn(2, 1), sleep(1)], thrice()],
            vec![],
            &["0 0.1 0", "0 0.2 0", "0 0.1 1", "0 0.2 1", "0 0.1 2", "0 0.2 2"],
        ),
        program(
            "A4",
            vec![a4],
            vec![vec![say("a"), soon(1, 1)], vec![say("a'"), soon(2, 2)], vec![say("a''")], vec![say("b")]],
            &["0 0.1 a", "0 0.2 b", "0 0 1", "0 0.1.10 a'", "0 0 2", "0 0.1.10.12 a''", "0 0 3"],
        ),
        program(
            "A6",
            vec![vec![later, soon(1, 1), sleep(1)]],
            vec![vec![say("later")], vec![say("soon")]],
            &["0 0.2 soon", "0 0.1 later"],
        ),
        program(
            "A7",
            vec![a7, vec![sleep(1), say("woke")]],
            vec![],
            &[
                "1 0.1 woke", "1 0.2 woke", "1 0.3 woke", "1 0.4 woke", "1 0.5 woke", "1 0.6 woke", "1 0.7 woke", "1 0.8 woke",
            ],
        ),
        program(
            "A8",
            vec![vec![sleep(-5), say("gave way"), sleep(2), say("v")]],
            vec![],
            &["0 0 gave way", "2 0 v"],
        ),
    ]
}

fn gathering() -> Vec<Row> {
    let functions = |numbers: &[usize]| numbers.iter().map(|number| What::Function(*number)).collect::<Vec<_>>();
    let gather = |numbers: &[usize], returns_exceptions| Does::Gather { what: functions(numbers), returns_exceptions };
    let ends = |seconds| vec![sleep(seconds), say("ends")];
    let fails = || vec![sleep(1), Does::Raise(Raised::ValueError)];
    let wait = |what: &[usize], until, limit| Does::Wait {
        what: what.iter().map(|number| Ref::Task(*number)).collect(),
        until,
        limit,
    };
    let a10 = vec![catching(vec![gather(&[1, 2], false)], Caught::ValueError, vec![]), sleep(4)];
    let a34 = vec![
        spawn(1, 1),
        spawn(2, 2),
        spawn(3, 3),
        wait(&[1, 2, 3], Until::First, None),
        wait(&[1, 3], Until::All, Some(SECOND)),
        Does::IsDone(Ref::Task(1)),
    ];
    vec![
        program(
            "A9",
            vec![vec![gather(&[1, 2, 3], false)], ends(3), ends(1), ends(2)],
            vec![],
            &["1 0.1.1 ends", "2 0.1.2 ends", "3 0.1.0 ends", "3 0 gathered [0, 0, 0]"],
        ),
        program(
            "A10",
            vec![a10, ends(3), fails()],
            vec![],
            &["1 0 caught ValueError(v7)", "3 0.2.0 ends"],
        ),
        program(
            "A11",
            vec![vec![gather(&[1, 2], true)], ends(3), fails()],
            vec![],
            &["3 0.1.0 ends", "3 0 gathered [0, ValueError(v5)]"],
        ),
        program(
            "A34",
            vec![a34, ends(3), ends(1), ends(2)],
            vec![],
            // The wait of one second and the task of two meet; what was asked for first is first.
            &["1 0.2 ends", "1 0 waited [1] [0, 2]", "2 0.3 ends", "2 0 waited [1] [0]", "2 0 done False False"],
        ),
    ]
}

fn groups() -> Vec<Row> {
    let again = || vec![Does::Raise(Raised::Again)];
    let cleanup = |handler| vec![catching(vec![sleep(10)], Caught::Cancelled, handler)];
    let fails = || vec![sleep(1), Does::Raise(Raised::ValueError)];
    let caught = |body: Vec<Does>, handler| catching(vec![group(body)], Caught::Group, handler);
    let shutting_down = vec![catching(vec![group_spawn(3, 3)], Caught::Any, vec![])];
    vec![
        program(
            "A12",
            vec![vec![caught(vec![group_spawn(1, 1), group_spawn(2, 2)], vec![Does::Cancelling])], cleanup(again()), fails()],
            vec![],
            &["1 0.3 caught CancelledError()", "1 0 caught ExceptionGroup[ValueError(v10)]", "1 0 cancelling 0"],
        ),
        program(
            "A14",
            vec![
                vec![caught(vec![group_spawn(1, 1), sleep(1), Does::Raise(Raised::Own)], vec![])],
                vec![finally(vec![sleep(10)], vec![say("ends")])],
            ],
            vec![],
            &["1 0.3 ends", "1 0 caught ExceptionGroup[Own(5)]"],
        ),
        program(
            "A15",
            vec![
                vec![
                    caught(vec![group_spawn(1, 1), Does::Raise(Raised::Own)], vec![]),
                    Does::IsDone(Ref::Task(1)),
                ],
                vec![say("never")],
            ],
            vec![],
            &["0 0 caught ExceptionGroup[Own(4)]", "0 0 done True True"],
        ),
        program(
            "A16",
            vec![
                vec![caught(vec![group_spawn(1, 1), group_spawn(2, 2)], vec![])],
                fails(),
                cleanup(shutting_down),
                vec![say("never")],
            ],
            vec![],
            &[
                "1 0.4 caught CancelledError()",
                "1 0.4 caught RuntimeError(TaskGroup … is shutting down)",
                "1 0 caught ExceptionGroup[ValueError(v6)]",
            ],
        ),
        program(
            "A17",
            vec![
                vec![group(vec![group_spawn(1, 1), sleep(1), cancel(1)]), Does::IsDone(Ref::Task(1))],
                cleanup(again()),
            ],
            vec![],
            &["1 0 cancels True", "1 0.2 caught CancelledError()", "1 0 done True True"],
        ),
        program(
            "A40",
            vec![
                vec![catching(
                    vec![timeout(0, 1, vec![group(vec![group_spawn(1, 1), group_spawn(2, 1)])])],
                    Caught::Any,
                    vec![],
                )],
                cleanup(again()),
            ],
            vec![],
            &[
                "1 0.4 caught CancelledError()",
                "1 0.5 caught CancelledError()",
                "1 0 caught TimeoutError() from CancelledError()",
            ],
        ),
        program(
            "A41",
            vec![
                vec![catching(
                    vec![timeout(0, 1, vec![group(vec![group_spawn(1, 1), group_spawn(2, 2)])])],
                    Caught::Group,
                    vec![Does::LookContext, Does::Cancelling],
                )],
                cleanup(again()),
                cleanup(vec![Does::Raise(Raised::ValueError)]),
            ],
            vec![],
            &[
                "1 0.4 caught CancelledError()",
                "1 0.5 caught CancelledError()",
                "1 0 caught ExceptionGroup[ValueError(v13)]",
                "1 0 context TimeoutError() from CancelledError()",
                "1 0 cancelling 0",
            ],
        ),
    ]
}

fn timeouts() -> Vec<Row> {
    let in_time = |limit, seconds, words: &str| {
        catching(vec![timeout(limit, seconds, vec![sleep(10)])], Caught::Timeout, vec![say(words)])
    };
    let at_once = |seconds| {
        catching(vec![timeout(0, seconds, vec![say("begins"), sleep(1), say("never")])], Caught::Timeout, vec![])
    };
    let swallows = catching(vec![sleep(10)], Caught::Cancelled, vec![]);
    let cleans_up = finally(vec![sleep(10)], vec![sleep(2), say("cleaned up")]);
    let wait_for = Does::WaitFor { what: What::Function(1), limit: Some(SECOND) };
    let shield = Does::Shield(What::Ref(Ref::Task(1)));
    let timed_out = "1 0 caught TimeoutError() from CancelledError()";
    vec![
        program(
            "A18",
            vec![vec![catching(
                vec![timeout(0, 1, vec![sleep(10)])],
                Caught::Timeout,
                vec![Does::LookTimeout(0), Does::Cancelling],
            )]],
            vec![],
            &[timed_out, "1 0 timeout True 1000000000", "1 0 cancelling 0"],
        ),
        program(
            "A19",
            vec![vec![timeout(0, 1, vec![Does::Block(5 * SECOND)]), Does::LookTimeout(0)]],
            vec![],
            &["5 0 timeout False 1000000000"],
        ),
        program(
            "A21, the inner first",
            vec![vec![timeout(0, 2, vec![in_time(1, 1, "inner")]), Does::LookTimeout(0), Does::Cancelling]],
            vec![],
            &[timed_out, "1 0 inner", "1 0 timeout False 2000000000", "1 0 cancelling 0"],
        ),
        program(
            "A21, the outer first",
            vec![vec![
                catching(vec![timeout(0, 1, vec![in_time(1, 2, "inner")])], Caught::Timeout, vec![say("outer")]),
                Does::LookTimeout(1),
                Does::Cancelling,
            ]],
            vec![],
            &[timed_out, "1 0 outer", "1 0 timeout False 2000000000", "1 0 cancelling 0"],
        ),
        program(
            "A23",
            vec![vec![at_once(0), at_once(-1)]],
            vec![],
            &[
                "0 0 begins",
                "0 0 caught TimeoutError() from CancelledError()",
                "0 0 begins",
                "0 0 caught TimeoutError() from CancelledError()",
            ],
        ),
        program(
            "A24",
            vec![vec![timeout(0, 1, vec![swallows]), Does::LookTimeout(0)]],
            vec![],
            &["1 0 caught CancelledError()", "1 0 timeout True 1000000000"],
        ),
        program(
            "A32",
            vec![vec![catching(vec![wait_for], Caught::Timeout, vec![])], vec![cleans_up]],
            vec![],
            &["3 0.2.0 cleaned up", "3 0 caught TimeoutError() from CancelledError()"],
        ),
        program(
            "A33",
            vec![
                vec![spawn(1, 1), catching(vec![timeout(0, 1, vec![shield])], Caught::Timeout, vec![]), task(1)],
                vec![sleep(3), say("ends")],
            ],
            vec![],
            &[timed_out, "3 0.1 ends", "3 0 got 0"],
        ),
    ]
}

fn cancelling() -> Vec<Row> {
    let cleanup = |handler| vec![catching(vec![sleep(10)], Caught::Cancelled, handler)];
    let asked = |name: &str| cleanup(vec![say(name)]);
    vec![
        program(
            "A25",
            vec![
                vec![spawn(1, 1), sleep(1), cancel(1), task(1), Does::IsDone(Ref::Task(1))],
                cleanup(vec![Does::Cancelling]),
            ],
            vec![],
            &["1 0 cancels True", "1 0.1 caught CancelledError()", "1 0.1 cancelling 1", "1 0 got 0", "1 0 done True False"],
        ),
        program(
            "A26",
            vec![
                vec![spawn(1, 1), cancel(1), catching(vec![task(1)], Caught::Cancelled, vec![]), cancel(1)],
                vec![say("never")],
            ],
            vec![],
            &["0 0 cancels True", "0 0 caught CancelledError()", "0 0 cancels False"],
        ),
        program(
            "A27",
            vec![
                vec![spawn(1, 1), spawn(2, 2), Does::Sleep(0), cancel(2), cancel(1), say("main goes on"), sleep(1)],
                asked("a got it"),
                asked("b got it"),
            ],
            vec![],
            &[
                "0 0 cancels True", "0 0 cancels True", "0 0 main goes on", "0 0.2 caught CancelledError()", "0 0.2 b got it",
                "0 0.1 caught CancelledError()", "0 0.1 a got it",
            ],
        ),
        program(
            "A35",
            vec![vec![spawn(1, 1), sleep(1)], vec![catching(
                vec![sleep(100)],
                Caught::Cancelled,
                vec![Does::Raise(Raised::Again)],
            )]],
            vec![],
            &["1 0.1 caught CancelledError()", "1 run ended 0"],
        ),
    ]
}

fn primitives() -> Vec<Row> {
    let holding = |lockable| vec![Does::With(lockable, block(vec![sleep(1)]))];
    let thrice = |lockable| vec![Does::Repeat(3, block(holding(lockable)))];
    let mut a29: Vec<Does> = (1..=6).map(|number| spawn(number, 1)).collect();
    a29.push(sleep(4));
    let hog = |name, lockable| {
        let main = vec![spawn(1, 1), spawn(2, 2), sleep(5)];
        let says = ["0 0.1 has", "1 0.2 has", "2 0.1 has", "3 0.1 has"];
        program(name, vec![main, thrice(lockable), holding(lockable)], vec![], &says)
    };
    let in_order = |one, other| {
        vec![Does::With(
            Lockable::Lock(one),
            block(vec![sleep(1), Does::With(Lockable::Lock(other), Block::new())]),
        )]
    };
    let puts = (0..5).map(|item| Does::Put(0, item)).chain([Does::ShutDown(0, false)]).collect();
    let gets = vec![catching(vec![Does::Repeat(6, block(vec![Does::Get(0), sleep(1)]))], Caught::Any, vec![])];
    vec![
        program(
            "A29",
            vec![a29, holding(Lockable::Semaphore(0))],
            vec![],
            &["0 0.1 has", "0 0.2 has", "1 0.3 has", "1 0.4 has", "2 0.5 has", "2 0.6 has"],
        ),
        hog("A30, semaphore", Lockable::Semaphore(1)),
        hog("A30, lock", Lockable::Lock(0)),
        program(
            "A39",
            vec![vec![spawn(1, 1), spawn(2, 2), task(1)], in_order(0, 1), in_order(1, 0)],
            vec![],
            &["0 0.1 has", "0 0.2 has", "1 run deadlock"],
        ),
        program(
            "A44",
            vec![vec![spawn(1, 1), spawn(2, 2), sleep(6)], puts, gets],
            vec![],
            &[
                "0 0.1 put", "0 0.1 put", "0 0.2 got 0", "0 0.1 put", "1 0.2 got 1", "1 0.1 put", "2 0.2 got 2", "2 0.1 put",
                "3 0.2 got 3", "4 0.2 got 4", "5 0.2 caught QueueShutDown()",
            ],
        ),
    ]
}

fn whole_programs() -> Vec<Row> {
    let count = |gives_way| vec![Does::Repeat(100, block(vec![Does::Increment { cell: 0, gives_way, is_told: false }]))];
    let counted = |name, gives_way, says| {
        let mut main: Vec<Does> = (1..=10).map(|number| spawn(number, 1)).collect();
        main.push(sleep(1));
        // One more, which tells.
        main.push(Does::Increment { cell: 0, gives_way: false, is_told: true });
        program(name, vec![main, count(gives_way)], vec![], &[says])
    };
    let beat = || vec![say("beat"), Does::Sleep(SECOND / 10)];
    let late = vec![Does::Sleep(SECOND / 4), Does::Block(SECOND)];
    let slow = [99, 100, 250].map(|time| [Does::Block(time * 1_000), Does::Sleep(0)]).into_iter().flatten().collect();
    vec![
        counted("A36, in one step", false, "1 0 wrote 1001"),
        counted("A36, giving way", true, "1 0 wrote 101"),
        program(
            "A37",
            vec![vec![spawn(1, 1), spawn(2, 2), sleep(3)], vec![Does::Repeat(6, block(beat()))], late],
            vec![],
            &["0 0.1 beat", "0.1 0.1 beat", "0.2 0.1 beat", "1.25 0.1 beat", "1.35 0.1 beat", "1.45 0.1 beat"],
        ),
        program("A38", vec![slow], vec![], &[]),
    ]
}
