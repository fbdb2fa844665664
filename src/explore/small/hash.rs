//! A program's fingerprint, so that a schedule is only replayed on the program that it was found in.
//!
//! FNV-1a of 32 bits (Fowler, Noll and Vo) over a form that is the same on every machine: a version; the grain; for each
//! kind of shared thing how many, and of each its numbers as 4 bytes from the least on; for each thread how many lines,
//! and of each its place before, its kind of step and that step's numbers. Names are left out: they change nothing of
//! what a schedule does.
//!
//! Not here: the text of a schedule.

use super::line::{Amount, Operand, Step, Test};
use super::program::{SmallProgram, Variable};
use crate::switch_points::{Grain, Operation};

/// Of the form; one more whenever an old fingerprint may no longer fit.
const VERSION: i32 = 1;

struct Fnv(u32);

impl Fnv {
    fn number(&mut self, number: i32) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = i32>) {
        for number in numbers {
            self.number(number);
        }
    }

    fn count(&mut self, count: usize) {
        self.number(i32::try_from(count).unwrap_or(i32::MAX));
    }
}

/// The program's fingerprint. Two programs with the same one are the same but for names, unless chance has it (1 in 4
/// thousand million).
#[must_use]
pub fn program_hash(program: &SmallProgram) -> u32 {
    let mut fnv = Fnv(0x811c_9dc5);
    fnv.number(VERSION);
    fnv.number(match program.grain {
        Grain::Await => 0,
        Grain::CheckPoint => 1,
        Grain::Access => 2,
    });
    for variables in [&program.cells, &program.registers] {
        fnv.count(variables.len());
        let ends = |variable: &Variable| [variable.first, variable.least, variable.most];
        fnv.numbers(variables.iter().flat_map(ends));
    }
    fnv.count(program.locks.len());
    fnv.count(program.conditions.len());
    fnv.numbers(program.conditions.iter().map(|one| one.lock.0.into()));
    fnv.count(program.semaphores.len());
    let ends = program.semaphores.iter().flat_map(|one| [one.first, one.most]);
    fnv.numbers(ends.map(i32::from));
    fnv.count(program.queues.len());
    let ends = program
        .queues
        .iter()
        .flat_map(|one| [u16::from(one.capacity), one.most]);
    fnv.numbers(ends.map(i32::from));
    fnv.count(program.threads.len());
    for code in &program.threads {
        fnv.count(code.len());
        for line in code {
            fnv.number(line.before.map_or(0, place));
            step(&mut fnv, line.step);
        }
    }
    fnv.0
}

const fn place(operation: Operation) -> i32 {
    match operation {
        Operation::BetweenBytecodes => 1,
        Operation::FunctionEntry => 2,
        Operation::LoopBackEdge => 3,
        Operation::AfterCallIntoC => 4,
        Operation::VoluntaryRelease => 5,
        Operation::MemoryAccess => 6,
        Operation::Await => 7,
    }
}

/// Three numbers: its kind, its register or −1, and the rest.
const fn operand(operand: Operand) -> [i32; 3] {
    match operand {
        Operand::Number(number) => [0, -1, number],
        Operand::Register(register, more) => [1, register.0 as i32, more],
    }
}

fn test(fnv: &mut Fnv, test: Test) {
    fnv.number(match test {
        Test::Equal(..) => 0,
        Test::NotEqual(..) => 1,
        Test::Less(..) => 2,
        Test::AtLeast(..) => 3,
    });
    let (one, other) = test.operands();
    fnv.numbers(operand(one));
    fnv.numbers(operand(other));
}

fn step(fnv: &mut Fnv, step: Step) {
    match step {
        Step::Read { cell, into } => fnv.numbers([1, cell.0.into(), into.0.into()]),
        Step::Set { into, value } => {
            fnv.numbers([2, into.0.into()]);
            fnv.numbers(operand(value));
        }
        Step::Write { cell, value } => {
            fnv.numbers([3, cell.0.into()]);
            fnv.numbers(operand(value));
        }
        Step::Add { cell, amount } => fnv.numbers([4, cell.0.into(), amount]),
        Step::CompareAndSwap {
            cell,
            expected,
            new,
            into,
        } => {
            fnv.numbers([5, cell.0.into(), into.0.into()]);
            fnv.numbers(operand(expected));
            fnv.numbers(operand(new));
        }
        Step::Acquire(lock) => fnv.numbers([6, lock.0.into()]),
        Step::TryAcquire { lock, into } => fnv.numbers([7, lock.0.into(), into.0.into()]),
        Step::AcquireWithin { lock, into } => fnv.numbers([8, lock.0.into(), into.0.into()]),
        Step::Release(lock) => fnv.numbers([9, lock.0.into()]),
        Step::Wait(condition) => fnv.numbers([10, condition.0.into()]),
        Step::Notify(condition, Amount::One) => fnv.numbers([11, condition.0.into()]),
        Step::Notify(condition, Amount::All) => fnv.numbers([12, condition.0.into()]),
        Step::Down(semaphore) => fnv.numbers([13, semaphore.0.into()]),
        Step::Up(semaphore) => fnv.numbers([14, semaphore.0.into()]),
        Step::Put(queue, value) => {
            fnv.numbers([15, queue.0.into()]);
            fnv.numbers(operand(value));
        }
        Step::Get { queue, into } => fnv.numbers([16, queue.0.into(), into.0.into()]),
        Step::Yield => fnv.number(17),
        Step::Assert(what) => {
            fnv.number(18);
            test(fnv, what);
        }
        Step::Unless(what, to) => {
            fnv.numbers([19, to.into()]);
            test(fnv, what);
        }
        Step::Jump(to) => fnv.numbers([20, to.into()]),
    }
}
