//! Programs made at random: any schedule of theirs is replayed, and any seed ends as the explorer says.

use std::collections::BTreeSet;
use std::fmt;

use concurrency_playground::explore::small::{
    Amount, CellId, Ending, Line, LockId, SmallProgram, Step, Test, ThreadCode,
};
use concurrency_playground::labs::puzzles::on_machine::{Plan, replay, seeded, what_if};
use concurrency_playground::switch_points::{Grain, Operation};
use proptest::collection::vec;
use proptest::prelude::*;

use super::explored;
use super::programs::{C, GRAINS, L, M, OK, Q, R, S, number, program, register};
use super::schedules::{is_fair, letters};

/// What a line is made from: what it does, what place is before it, and a number.
type Seed = (u8, u8, i32);

/// Places by number; the first is one for free threads alone.
const PLACES: [Operation; 5] = [
    Operation::MemoryAccess,
    Operation::MemoryAccess,
    Operation::FunctionEntry,
    Operation::VoluntaryRelease,
    Operation::Await,
];

struct Code {
    lines: ThreadCode,
    /// Whether a call has returned since the last place at which a thread under the interpreter lock lets others in.
    has_called: bool,
}

impl Code {
    fn add(&mut self, place: u8, step: Step) {
        let is_own = matches!(step, Step::Set { .. } | Step::Assert(_) | Step::Unless(..));
        let mut operation = PLACES[usize::from(place) % PLACES.len()];
        if is_own && place.is_multiple_of(2) {
            self.lines.push(Line::glued(step));
            return;
        }
        if self.has_called && operation == Operation::MemoryAccess {
            operation = Operation::AfterCallIntoC;
        }
        self.has_called = step.place_behind() == Operation::AfterCallIntoC;
        self.lines.push(Line::after(operation, step));
    }

    fn simple(&mut self, (kind, place, value): Seed) {
        let cell = CellId((value & 1) as u8);
        let step = match kind % 16 {
            0 | 1 => Step::Read { cell, into: R },
            2 | 3 => Step::Write {
                cell,
                value: register(R, 1),
            },
            4 => Step::Add { cell, amount: 1 },
            5 => Step::CompareAndSwap {
                cell,
                expected: register(R, 0),
                new: number(value & 3),
                into: OK,
            },
            6 => Step::Set {
                into: R,
                value: number(value & 3),
            },
            7 => Step::TryAcquire { lock: M, into: OK },
            8 => Step::AcquireWithin { lock: M, into: OK },
            9 => Step::Down(S),
            10 => Step::Up(S),
            11 => Step::Put(Q, number(value & 3)),
            12 => Step::Get { queue: Q, into: R },
            13 => Step::Yield,
            14 => Step::Acquire(M),
            _ => Step::Release(M),
        };
        self.add(place, step);
    }

    fn part(&mut self, seed: Seed, inner: &[Seed]) {
        let (kind, place, value) = seed;
        match kind % 24 {
            0..16 => self.simple(seed),
            16 => self.add(place, Step::Assert(Test::Less(register(R, 0), number(1 + (value & 3))))),
            17 => {
                let to = self.lines.len() as u8 + 2;
                self.add(place, Step::Unless(Test::Equal(register(OK, 0), number(value & 1)), to));
                self.simple(((kind / 24).wrapping_add(place), place / 3, value));
                // Whoever jumps here may have called just before.
                self.has_called = true;
            }
            _ => self.locked(L, seed, inner),
        }
    }

    /// `with lock:`, maybe with a wait or a notification in it.
    fn locked(&mut self, lock: LockId, (kind, place, value): Seed, inner: &[Seed]) {
        self.add(place, Step::Acquire(lock));
        for seed in inner {
            self.simple(*seed);
        }
        match kind % 4 {
            0 | 1 => self.add(place / 5, Step::Wait(C)),
            2 if value & 1 == 0 => self.add(place / 5, Step::Notify(C, Amount::One)),
            _ => self.add(place / 5, Step::Notify(C, Amount::All)),
        }
        self.add(place / 7, Step::Release(lock));
    }
}

fn code(parts: &[(Seed, Vec<Seed>)]) -> ThreadCode {
    let mut code = Code {
        lines: Vec::new(),
        has_called: false,
    };
    for (seed, inner) in parts {
        code.part(*seed, inner);
    }
    code.lines
}

fn seed() -> impl Strategy<Value = Seed> {
    (any::<u8>(), any::<u8>(), 0..8_i32)
}

/// A program that is shown in a few lines.
struct Made(SmallProgram);

impl fmt::Debug for Made {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.0.grain)?;
        for (thread, code) in ('A'..).zip(&self.0.threads) {
            write!(formatter, "\n{thread}:")?;
            for (number, line) in code.iter().enumerate() {
                write!(formatter, "\n    {number} {:?} {:?}", line.before, line.step)?;
            }
        }
        Ok(())
    }
}

/// Two or three threads of up to four parts each.
fn programs() -> impl Strategy<Value = Made> {
    let part = || (seed(), vec(seed(), 0..2));
    (vec(vec(part(), 1..4), 2..4), 0..3_usize).prop_map(|(threads, grain)| {
        Made(program(
            threads.iter().map(|parts| code(parts)).collect(),
            GRAINS[grain],
        ))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_schedule_is_replayed(Made(program) in programs(), choices in vec(any::<u8>(), 1..60)) {
        let schedule = explored::schedule(&program, &choices);
        let plan = Plan::new(&program, &schedule).expect("it can be");
        match replay(&program, &schedule) {
            Ok(replayed) => {
                prop_assert_eq!(Some(replayed.on_machine.ending()), plan.ending);
                if program.grain != Grain::Await {
                    let mut again = what_if(&program, replayed.switches.clone());
                    again.run();
                    prop_assert_eq!(again.record.order(), replayed.on_machine.record.order());
                }
            }
            Err(astray) => prop_assert!(!is_fair(&program, &schedule), "{}: {:?}", letters(&schedule), astray),
        }
    }

    #[test]
    fn any_seed_ends_as_the_explorer_says(Made(program) in programs()) {
        let may_be: BTreeSet<Ending> = explored::endings(&program).into_keys().collect();
        for seed in 0..30 {
            let ending = seeded(&program, seed).run().expect("it has no loop");
            prop_assert!(may_be.contains(&ending), "{}: {:?} of {:?}", seed, ending, may_be);
        }
    }
}
