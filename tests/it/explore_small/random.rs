//! Programs made at random: merging, sorting and packing change no count of any ending.

use std::collections::BTreeMap;

use concurrency_playground::explore::small::{
    Amount, AnySystem, CellId, Line, LockId, Operand, RegisterId, SmallProgram, SmallSystem, Step, Test, ThreadCode,
    program_hash,
};
use concurrency_playground::switch_points::{Grain, Operation};
use proptest::prelude::*;

use super::counting::by_layers;
use super::plain::Plain;
use super::programs::{CONDITION, QUEUE, SEMAPHORE, program};

fn operands() -> impl Strategy<Value = Operand> {
    let registers = (0_u8..2, -2..3_i32).prop_map(|(id, more)| Operand::Register(RegisterId(id), more));
    prop_oneof![(-2..4_i32).prop_map(Operand::Number), registers]
}

fn tests() -> impl Strategy<Value = Test> {
    (0..4, operands(), operands()).prop_map(|(kind, one, other)| match kind {
        0 => Test::Equal(one, other),
        1 => Test::NotEqual(one, other),
        2 => Test::Less(one, other),
        _ => Test::AtLeast(one, other),
    })
}

/// Any step but a jump, which must know where it stands; `to` below says how far it leads.
fn steps() -> impl Strategy<Value = (Step, Option<u8>)> {
    let cell = || (0_u8..2).prop_map(CellId);
    let register = || (0_u8..2).prop_map(RegisterId);
    let lock = || (0_u8..2).prop_map(LockId);
    let amount = prop_oneof![Just(Amount::One), Just(Amount::All)];
    let straight = prop_oneof![
        4 => (cell(), register()).prop_map(|(cell, into)| Step::Read { cell, into }),
        1 => (register(), operands()).prop_map(|(into, value)| Step::Set { into, value }),
        4 => (cell(), operands()).prop_map(|(cell, value)| Step::Write { cell, value }),
        1 => (cell(), -1..2_i32).prop_map(|(cell, amount)| Step::Add { cell, amount }),
        1 => (cell(), operands(), operands(), register())
            .prop_map(|(cell, expected, new, into)| Step::CompareAndSwap { cell, expected, new, into }),
        3 => lock().prop_map(Step::Acquire),
        1 => (lock(), register()).prop_map(|(lock, into)| Step::TryAcquire { lock, into }),
        1 => (lock(), register()).prop_map(|(lock, into)| Step::AcquireWithin { lock, into }),
        3 => lock().prop_map(Step::Release),
        2 => Just(Step::Wait(CONDITION)),
        2 => amount.prop_map(|amount| Step::Notify(CONDITION, amount)),
        1 => Just(Step::Down(SEMAPHORE)),
        1 => Just(Step::Up(SEMAPHORE)),
        1 => operands().prop_map(|value| Step::Put(QUEUE, value)),
        1 => register().prop_map(|into| Step::Get { queue: QUEUE, into }),
        1 => Just(Step::Yield),
        1 => tests().prop_map(Step::Assert),
    ];
    prop_oneof![
        9 => straight.prop_map(|step| (step, None)),
        1 => (tests(), 1_u8..4).prop_map(|(test, to)| (Step::Unless(test, 0), Some(to))),
        1 => (1_u8..4).prop_map(|to| (Step::Jump(0), Some(to))),
    ]
}

fn places() -> impl Strategy<Value = Option<Operation>> {
    prop_oneof![
        1 => Just(None),
        4 => Just(Some(Operation::MemoryAccess)),
        1 => Just(Some(Operation::BetweenBytecodes)),
        1 => Just(Some(Operation::LoopBackEdge)),
        1 => Just(Some(Operation::AfterCallIntoC)),
        1 => Just(Some(Operation::Await)),
    ]
}

fn codes(n_lines: usize) -> impl Strategy<Value = ThreadCode> {
    prop::collection::vec((steps(), places()), 0..=n_lines).prop_map(|lines| {
        let end = u8::try_from(lines.len()).expect("it is short");
        (0..)
            .zip(lines)
            .map(|(at, ((step, far), before)): (u8, _)| {
                // Forward only: a schedule without an end could not be counted one by one.
                let to = at.saturating_add(far.unwrap_or(0)).min(end);
                let step = match step {
                    Step::Unless(test, _) => Step::Unless(test, to),
                    Step::Jump(_) => Step::Jump(to),
                    step => step,
                };
                // A line that lets others in needs a place to do so.
                let before = before.or((step == Step::Yield).then_some(Operation::Await));
                Line { step, before }
            })
            .collect()
    })
}

/// Often a wait and a notification would fail for want of the lock; so some begin by taking it.
fn locked(code: ThreadCode) -> ThreadCode {
    let shifted = code.into_iter().map(|line| Line {
        step: match line.step {
            Step::Unless(test, to) => Step::Unless(test, to + 1),
            Step::Jump(to) => Step::Jump(to + 1),
            step => step,
        },
        ..line
    });
    [Line::after(Operation::MemoryAccess, Step::Acquire(LockId(0)))]
        .into_iter()
        .chain(shifted)
        .collect()
}

/// Two threads of up to six lines, or three of up to three; two of them often alike.
fn programs() -> impl Strategy<Value = SmallProgram> {
    let two = prop::collection::vec(codes(5), 2);
    let three = prop::collection::vec(codes(3), 3);
    let grains = prop_oneof![
        1 => Just(Grain::Await),
        1 => Just(Grain::CheckPoint),
        3 => Just(Grain::Access),
    ];
    (prop_oneof![two, three], any::<[bool; 2]>(), grains).prop_map(|(mut threads, [are_alike, are_locked], grain)| {
        if are_locked {
            threads = threads.into_iter().map(locked).collect();
        }
        if are_alike {
            threads[1] = threads[0].clone();
        }
        SmallProgram {
            grain,
            ..program(threads)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn merged_and_sorted_counts_are_those_of_walking_every_schedule(program in programs()) {
        let mut endings = BTreeMap::new();
        Plain::new(&program).one_by_one(&mut endings);
        let system = SmallSystem::<4>::new(program).expect("it is sound");
        let merged = by_layers(&system, false);
        prop_assert_eq!(&merged.endings, &endings);
        let sorted = by_layers(&system, true);
        prop_assert_eq!(&sorted.endings, &endings);
        prop_assert!(sorted.n_states <= merged.n_states);
    }

    #[test]
    fn programs_that_differ_have_other_hashes(one in programs(), other in programs()) {
        prop_assert_eq!(one == other, program_hash(&one) == program_hash(&other));
        prop_assert!(AnySystem::new(one).is_ok());
    }
}
