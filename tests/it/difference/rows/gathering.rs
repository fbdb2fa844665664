//! Gathers and waits.

use super::super::syntax::{Caught, Does, Raised, Ref, Until, What};
use super::{Row, SECOND, catching, program, say, sleep, spawn};

pub(super) fn rows() -> Vec<Row> {
    let functions = |numbers: &[usize]| numbers.iter().map(|number| What::Function(*number)).collect::<Vec<_>>();
    let gather = |numbers: &[usize], returns_exceptions| Does::Gather {
        what: functions(numbers),
        returns_exceptions,
    };
    let ends = |seconds| vec![sleep(seconds), say("ends")];
    let fails = || vec![sleep(1), Does::Raise(Raised::ValueError)];
    let wait = |what: &[usize], until, limit| Does::Wait {
        what: what.iter().map(|number| Ref::Task(*number)).collect(),
        until,
        limit,
    };
    let a10 = vec![
        catching(vec![gather(&[1, 2], false)], Caught::ValueError, vec![]),
        sleep(4),
    ];
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
            &[
                "1 0.2 ends",
                "1 0 waited [1] [0, 2]",
                "2 0.3 ends",
                "2 0 waited [1] [0]",
                "2 0 done False False",
            ],
        ),
    ]
}
