//! What runs when.

use super::super::syntax::Does;
use super::{Row, program, say, sleep, spawn, task};

pub(super) fn rows() -> Vec<Row> {
    let two_words = || vec![say("start"), Does::Sleep(0), say("end")];
    let thrice = || vec![say("0"), Does::Sleep(0), say("1"), Does::Sleep(0), say("2")];
    let soon = |callback, handle| Does::CallSoon { callback, handle };
    let a1 = vec![spawn(1, 1), spawn(2, 1), say("created"), task(1), task(2)];
    let a2 = vec![
        spawn(1, 1),
        Does::Call {
            function: 2,
            is_object: false,
        },
        task(1),
    ];
    let a4 = vec![
        soon(0, 0),
        soon(3, 3),
        Does::Sleep(0),
        say("1"),
        Does::Sleep(0),
        say("2"),
        Does::Sleep(0),
        say("3"),
    ];
    let later = Does::CallLater {
        callback: 0,
        handle: 0,
        delay: 0,
    };
    let mut a7: Vec<Does> = (1..=8).map(|number| spawn(number, 1)).collect();
    a7.push(sleep(2));
    vec![
        program(
            "A1",
            vec![a1, two_words()],
            vec![],
            &[
                "0 0 created",
                "0 0.1 start",
                "0 0.2 start",
                "0 0.1 end",
                "0 0.2 end",
                "0 0 got 0",
                "0 0 got 0",
            ],
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
            vec![
                vec![say("a"), soon(1, 1)],
                vec![say("a'"), soon(2, 2)],
                vec![say("a''")],
                vec![say("b")],
            ],
            &[
                "0 0.1 a",
                "0 0.2 b",
                "0 0 1",
                "0 0.1.10 a'",
                "0 0 2",
                "0 0.1.10.12 a''",
                "0 0 3",
            ],
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
                "1 0.1 woke",
                "1 0.2 woke",
                "1 0.3 woke",
                "1 0.4 woke",
                "1 0.5 woke",
                "1 0.6 woke",
                "1 0.7 woke",
                "1 0.8 woke",
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
