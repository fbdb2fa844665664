//! Time limits, `wait_for` and `shield`.

use super::super::syntax::{Caught, Does, Ref, What};
use super::{Row, SECOND, catching, finally, program, say, sleep, spawn, task, timeout};

pub(super) fn rows() -> Vec<Row> {
    let in_time = |limit, seconds, words: &str| {
        catching(
            vec![timeout(limit, seconds, vec![sleep(10)])],
            Caught::Timeout,
            vec![say(words)],
        )
    };
    let at_once = |seconds| {
        catching(
            vec![timeout(0, seconds, vec![say("begins"), sleep(1), say("never")])],
            Caught::Timeout,
            vec![],
        )
    };
    let swallows = catching(vec![sleep(10)], Caught::Cancelled, vec![]);
    let cleans_up = finally(vec![sleep(10)], vec![sleep(2), say("cleaned up")]);
    let wait_for = Does::WaitFor {
        what: What::Function(1),
        limit: Some(SECOND),
    };
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
            vec![vec![
                timeout(0, 2, vec![in_time(1, 1, "inner")]),
                Does::LookTimeout(0),
                Does::Cancelling,
            ]],
            vec![],
            &[
                timed_out,
                "1 0 inner",
                "1 0 timeout False 2000000000",
                "1 0 cancelling 0",
            ],
        ),
        program(
            "A21, the outer first",
            vec![vec![
                catching(
                    vec![timeout(0, 1, vec![in_time(1, 2, "inner")])],
                    Caught::Timeout,
                    vec![say("outer")],
                ),
                Does::LookTimeout(1),
                Does::Cancelling,
            ]],
            vec![],
            &[
                timed_out,
                "1 0 outer",
                "1 0 timeout False 2000000000",
                "1 0 cancelling 0",
            ],
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
                vec![
                    spawn(1, 1),
                    catching(vec![timeout(0, 1, vec![shield])], Caught::Timeout, vec![]),
                    task(1),
                ],
                vec![sleep(3), say("ends")],
            ],
            vec![],
            &[timed_out, "3 0.1 ends", "3 0 got 0"],
        ),
    ]
}
