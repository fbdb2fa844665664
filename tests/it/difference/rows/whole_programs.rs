//! Lost updates, late beats, slow steps.

use super::super::syntax::Does;
use super::{Row, SECOND, block, program, say, sleep, spawn};

pub(super) fn rows() -> Vec<Row> {
    let count = |gives_way| {
        vec![Does::Repeat(
            100,
            block(vec![Does::Increment {
                cell: 0,
                gives_way,
                is_told: false,
            }]),
        )]
    };
    let counted = |name, gives_way, says| {
        let mut main: Vec<Does> = (1..=10).map(|number| spawn(number, 1)).collect();
        main.push(sleep(1));
        // One more, which tells.
        main.push(Does::Increment {
            cell: 0,
            gives_way: false,
            is_told: true,
        });
        program(name, vec![main, count(gives_way)], vec![], &[says])
    };
    let beat = || vec![say("beat"), Does::Sleep(SECOND / 10)];
    let late = vec![Does::Sleep(SECOND / 4), Does::Block(SECOND)];
    let slow = [99, 100, 250]
        .map(|time| [Does::Block(time * 1_000), Does::Sleep(0)])
        .into_iter()
        .flatten()
        .collect();
    vec![
        counted("A36, in one step", false, "1 0 wrote 1001"),
        counted("A36, giving way", true, "1 0 wrote 101"),
        program(
            "A37",
            vec![
                vec![spawn(1, 1), spawn(2, 2), sleep(3)],
                vec![Does::Repeat(6, block(beat()))],
                late,
            ],
            vec![],
            &[
                "0 0.1 beat",
                "0.1 0.1 beat",
                "0.2 0.1 beat",
                "1.25 0.1 beat",
                "1.35 0.1 beat",
                "1.45 0.1 beat",
            ],
        ),
        program("A38", vec![slow], vec![], &[]),
    ]
}
