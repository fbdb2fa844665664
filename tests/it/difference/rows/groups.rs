//! Task groups.

use super::super::syntax::{Caught, Does, Raised, Ref};
use super::{Row, cancel, catching, finally, group, group_spawn, program, say, sleep, timeout};

pub(super) fn rows() -> Vec<Row> {
    let again = || vec![Does::Raise(Raised::Again)];
    let cleanup = |handler| vec![catching(vec![sleep(10)], Caught::Cancelled, handler)];
    let fails = || vec![sleep(1), Does::Raise(Raised::ValueError)];
    let caught = |body: Vec<Does>, handler| catching(vec![group(body)], Caught::Group, handler);
    let shutting_down = vec![catching(vec![group_spawn(3, 3)], Caught::Any, vec![])];
    vec![
        program(
            "A12",
            vec![
                vec![caught(
                    vec![group_spawn(1, 1), group_spawn(2, 2)],
                    vec![Does::Cancelling],
                )],
                cleanup(again()),
                fails(),
            ],
            vec![],
            &[
                "1 0.3 caught CancelledError()",
                "1 0 caught ExceptionGroup[ValueError(v10)]",
                "1 0 cancelling 0",
            ],
        ),
        program(
            "A14",
            vec![
                vec![caught(
                    vec![group_spawn(1, 1), sleep(1), Does::Raise(Raised::Own)],
                    vec![],
                )],
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
                vec![
                    group(vec![group_spawn(1, 1), sleep(1), cancel(1)]),
                    Does::IsDone(Ref::Task(1)),
                ],
                cleanup(again()),
            ],
            vec![],
            &[
                "1 0 cancels True",
                "1 0.2 caught CancelledError()",
                "1 0 done True True",
            ],
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
