//! Cancellation, and what a run leaves behind.

use super::super::syntax::{Caught, Does, Raised, Ref};
use super::{Row, cancel, catching, program, say, sleep, spawn, task};

pub(super) fn rows() -> Vec<Row> {
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
            &[
                "1 0 cancels True",
                "1 0.1 caught CancelledError()",
                "1 0.1 cancelling 1",
                "1 0 got 0",
                "1 0 done True False",
            ],
        ),
        program(
            "A26",
            vec![
                vec![
                    spawn(1, 1),
                    cancel(1),
                    catching(vec![task(1)], Caught::Cancelled, vec![]),
                    cancel(1),
                ],
                vec![say("never")],
            ],
            vec![],
            &["0 0 cancels True", "0 0 caught CancelledError()", "0 0 cancels False"],
        ),
        program(
            "A27",
            vec![
                vec![
                    spawn(1, 1),
                    spawn(2, 2),
                    Does::Sleep(0),
                    cancel(2),
                    cancel(1),
                    say("main goes on"),
                    sleep(1),
                ],
                asked("a got it"),
                asked("b got it"),
            ],
            vec![],
            &[
                "0 0 cancels True",
                "0 0 cancels True",
                "0 0 main goes on",
                "0 0.2 caught CancelledError()",
                "0 0.2 b got it",
                "0 0.1 caught CancelledError()",
                "0 0.1 a got it",
            ],
        ),
        program(
            "A35",
            vec![
                vec![spawn(1, 1), sleep(1)],
                vec![catching(
                    vec![sleep(100)],
                    Caught::Cancelled,
                    vec![Does::Raise(Raised::Again)],
                )],
            ],
            vec![],
            &["1 0.1 caught CancelledError()", "1 run ended 0"],
        ),
    ]
}
