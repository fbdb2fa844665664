//! What random programs have found, kept: each went differently here and on CPython once.

use super::super::syntax::{Caught, Does, Ref, Settled, What};
use super::{Row, catching, program, spawn};

pub(super) fn rows() -> Vec<Row> {
    let cancel_main = Does::Cancel {
        what: Ref::Task(0),
        has_message: true,
    };
    let gather = Does::Gather {
        what: vec![What::Ref(Ref::Future(0)), What::Ref(Ref::Task(1))],
        returns_exceptions: true,
    };
    let settle = || Does::Settle {
        future: 0,
        with: Settled::Value,
    };
    let caught = |does| catching(vec![does], Caught::Any, vec![]);
    let mut eager = program(
        "found: the shield of an eager task that is done is that task",
        vec![vec![Does::Shield(What::Function(1))], vec![]],
        vec![],
        &["0 0 got 0"],
    );
    eager.script.is_eager = true;
    vec![
        eager,
        program(
            "found: a gather that is cancelled asks its last child for the message, whether that was cancelled or not",
            vec![
                vec![spawn(1, 1), catching(vec![gather], Caught::Cancelled, vec![])],
                vec![cancel_main, Does::TaskDone(0)],
            ],
            vec![],
            &["0 0.1 cancels True", "0 0 caught CancelledError(m4)"],
        ),
        program(
            "found: a task that has awaited itself is not awaited again",
            vec![vec![caught(Does::AwaitSelf), caught(Does::AwaitSelf)]],
            vec![],
            &[
                "0 0 caught RuntimeError(Task cannot await on itself: …)",
                "0 0 caught RuntimeError(await wasn't used with future)",
            ],
        ),
        program(
            "found: the words of futures are those of _asynciomodule.c",
            vec![vec![
                settle(),
                caught(settle()),
                caught(Does::Result(Ref::Task(1))),
                caught(Does::Exception(Ref::Task(1))),
            ]],
            vec![],
            &[
                "0 0 caught InvalidStateError(invalid state)",
                "0 0 caught InvalidStateError(Result is not set.)",
                "0 0 caught InvalidStateError(Exception is not set.)",
            ],
        ),
    ]
}
