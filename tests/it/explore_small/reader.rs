//! How a state looks to a reader: registers as long as they matter, everything with its name.

use concurrency_playground::explore::small::{Doing, Named, SmallSystem, Step};
use concurrency_playground::explore::{System, Thread};

use super::counting::after;
use super::programs::{R, S, X, Y, counter, fine, number, plus, program, read, write};

#[test]
fn a_register_is_there_as_long_as_it_is_needed() {
    let system = SmallSystem::<1>::new(counter(2, 1, 2)).expect("it is sound");
    let registers = |schedule: &str| system.view(&after(&system, schedule)).threads[0].registers.clone();
    let r = |value| vec![Named { name: "r", value }];
    assert_eq!(registers(""), []);
    assert_eq!(registers("A"), r(0));
    assert_eq!(registers("BBA"), r(1));
    assert_eq!(registers("AA"), []);
    let view = system.view(&after(&system, "AAB"));
    assert_eq!(
        view.cells,
        [Named {
            name: "counter",
            value: 1
        }]
    );
    assert_eq!(view.threads[0].doing, Doing::Done);
    assert_eq!((view.threads[1].line, view.threads[1].doing), (1, Doing::Next));
}

/// What a dead register held makes no difference between two states.
#[test]
fn a_dead_register_is_forgotten() {
    let set = |value| Step::Set {
        into: S,
        value: number(value),
    };
    // The second thread reads one of two values and then writes the register anew.
    let code = fine(&[read(X, R), write(Y, plus(R, 0)), set(5), write(Y, plus(S, 0))]);
    let other = fine(&[write(X, number(3))]);
    let system = SmallSystem::<4>::new(program(vec![code, other])).expect("it is sound");
    assert_ne!(after(&system, "AB"), after(&system, "BA"));
    assert_ne!(
        after(&system, "AAB"),
        after(&system, "BAA"),
        "the cell still tells them apart"
    );
    assert_eq!(after(&system, "AAABA"), after(&system, "BAAAA"));
}

/// A register that is read before it is written has its first value.
#[test]
fn a_register_begins_with_its_first_value() {
    let mut first = program(vec![fine(&[write(X, plus(R, 1))])]);
    first.registers[0].first = -4;
    let system = SmallSystem::<4>::new(first).expect("it is sound");
    let start = system.view(&system.start());
    assert_eq!(start.threads[0].registers, [Named { name: "r", value: -4 }]);
    assert_eq!(system.view(&after(&system, "A")).cells[0].value, -3);
    assert!(system.has_ended(&after(&system, "A"), Thread(0)));
}
