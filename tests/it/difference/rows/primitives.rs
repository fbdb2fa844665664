//! Locks, semaphores and queues.

use super::super::syntax::{Block, Caught, Does, Lockable};
use super::{Row, block, catching, program, sleep, spawn, task};

pub(super) fn rows() -> Vec<Row> {
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
    let puts = (0..5)
        .map(|item| Does::Put(0, item))
        .chain([Does::ShutDown(0, false)])
        .collect();
    let gets = vec![catching(
        vec![Does::Repeat(6, block(vec![Does::Get(0), sleep(1)]))],
        Caught::Any,
        vec![],
    )];
    vec![
        program(
            "A29",
            vec![a29, holding(Lockable::Semaphore(0))],
            vec![],
            &[
                "0 0.1 has",
                "0 0.2 has",
                "1 0.3 has",
                "1 0.4 has",
                "2 0.5 has",
                "2 0.6 has",
            ],
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
                "0 0.1 put",
                "0 0.1 put",
                "0 0.2 got 0",
                "0 0.1 put",
                "1 0.2 got 1",
                "1 0.1 put",
                "2 0.2 got 2",
                "2 0.1 put",
                "3 0.2 got 3",
                "4 0.2 got 4",
                "5 0.2 caught QueueShutDown()",
            ],
        ),
    ]
}
