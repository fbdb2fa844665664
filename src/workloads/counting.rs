//! One addition at an interpreter's cost: what a thread repeats in the labs about counters.
//!
//! A compiled addition takes 2 ns, so a run of a million would be over before the first switch interval. An
//! interpreter takes about 80 ns for the seven bytecodes of `x += 1` and the loop around it. So each addition here
//! runs the same seven, each burning a chosen number of dependent multiply-adds (ten cost about 11 ns):
//!
//! ```text
//! FOR_ITER      burn
//! STORE_FAST    burn
//! LOAD_GLOBAL   read, burn
//! LOAD_CONST    burn
//! BINARY_OP     burn, write (STORE_GLOBAL's own half)
//! STORE_GLOBAL  burn
//! JUMP_BACKWARD burn, and the loop's back edge
//! ```
//!
//! Three of the seven lie between the read and the write, as long as in an interpreter: that is where an update is
//! lost. Not here: what a counter is, which lock is held, who else counts; those come in as [`Counter`] and [`Turn`].

use std::hint::black_box;

use crate::switch_points::Operation;

/// Bytecodes an addition.
pub const BYTECODES: u32 = 7;

/// Additions that a thread sums up before it hands them over, where it hands over more than one.
pub const BATCH: u32 = 100;

/// What is counted, and how an addition reads and writes it.
pub trait Counter {
    /// Just before the read.
    #[inline(always)]
    fn before(&mut self, _turn: &mut impl Turn) {}
    /// Reads.
    fn read(&mut self) -> u32;
    /// In the middle of the three bytecodes between read and write.
    #[inline(always)]
    fn between(&mut self, _turn: &mut impl Turn) {}
    /// Writes what was read, plus one.
    fn write(&mut self, sum: u32, turn: &mut impl Turn);
    /// Just after the write.
    #[inline(always)]
    fn after(&mut self) {}
}

/// The counting thread's turn to run, as its runtime sees it.
pub trait Turn {
    /// The program got here: where the runtime allows it, another thread may run first.
    fn reached(&mut self, operation: Operation);
    /// Gives the runtime's lock up, if it has one, and takes it again at once: what a sleep of nothing does.
    fn let_go(&mut self);
    /// Waits for something else, and lets go of the runtime's lock meanwhile.
    fn wait<R>(&mut self, meanwhile: impl FnOnce() -> R) -> R;
}

/// A turn that nobody can end: no interpreter lock.
#[derive(Clone, Copy, Debug)]
pub struct Unlocked;

impl Turn for Unlocked {
    #[inline(always)]
    fn reached(&mut self, _operation: Operation) {}
    #[inline(always)]
    fn let_go(&mut self) {}
    #[inline(always)]
    fn wait<R>(&mut self, meanwhile: impl FnOnce() -> R) -> R {
        meanwhile()
    }
}

/// Adds one, `additions` times.
#[inline(always)]
pub fn count(additions: u32, work_per_bytecode: u32, counter: &mut impl Counter, turn: &mut impl Turn) {
    let mut burning = Burning {
        value: 1,
        multiplier: black_box(1_664_525),
    };
    for _ in 0..additions {
        burning.burn(work_per_bytecode);
        turn.reached(Operation::BetweenBytecodes);
        burning.burn(work_per_bytecode);
        turn.reached(Operation::BetweenBytecodes);
        counter.before(turn);
        let seen = counter.read();
        burning.burn(work_per_bytecode);
        turn.reached(Operation::BetweenBytecodes);
        burning.burn(work_per_bytecode);
        turn.reached(Operation::BetweenBytecodes);
        counter.between(turn);
        burning.burn(work_per_bytecode);
        turn.reached(Operation::BetweenBytecodes);
        counter.write(seen.wrapping_add(1), turn);
        counter.after();
        burning.burn(work_per_bytecode);
        turn.reached(Operation::BetweenBytecodes);
        burning.burn(work_per_bytecode);
        turn.reached(Operation::LoopBackEdge);
    }
}

/// What a thread burns its time on.
struct Burning {
    value: u32,
    /// Hidden from the optimiser: with a constant it would fold several steps into one.
    multiplier: u32,
}

impl Burning {
    /// One bytecode's time. Without the `black_box`, through which no access to memory is moved, the compiler may put
    /// the write right behind the read: burning touches no memory, so it would not matter to a single thread.
    #[inline(always)]
    fn burn(&mut self, multiply_adds: u32) {
        self.value = black_box(burnt(self.value, self.multiplier, multiply_adds));
    }
}

/// Each multiply-add waits for the one before, and none can be left out, because there is no shorter way to the
/// result. A function of its own, so that the loop around it stays small enough to be read in a disassembly.
#[inline(never)]
fn burnt(from: u32, multiplier: u32, multiply_adds: u32) -> u32 {
    let mut value = from;
    for _ in 0..multiply_adds {
        value = value.wrapping_mul(multiplier).wrapping_add(1_013_904_223);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes down everything that happens in an addition.
    #[derive(Default)]
    struct Script(Vec<&'static str>);
    struct Recorded<'a>(&'a std::cell::RefCell<Script>, u32);

    impl Recorded<'_> {
        fn note(&self, word: &'static str) {
            self.0.borrow_mut().0.push(word);
        }
    }
    impl Counter for Recorded<'_> {
        fn read(&mut self) -> u32 {
            self.note("read");
            self.1
        }
        fn write(&mut self, sum: u32, _turn: &mut impl Turn) {
            self.note("write");
            self.1 = sum;
        }
        fn between(&mut self, _turn: &mut impl Turn) {
            self.note("between");
        }
    }
    struct RecordedTurn<'a>(&'a std::cell::RefCell<Script>);
    impl Turn for RecordedTurn<'_> {
        fn reached(&mut self, operation: Operation) {
            let word = if operation == Operation::LoopBackEdge {
                "edge"
            } else {
                "bytecode"
            };
            self.0.borrow_mut().0.push(word);
        }
        fn let_go(&mut self) {}
        fn wait<R>(&mut self, meanwhile: impl FnOnce() -> R) -> R {
            meanwhile()
        }
    }

    #[test]
    fn three_of_seven_bytecodes_lie_between_read_and_write() {
        let script = std::cell::RefCell::default();
        let mut counter = Recorded(&script, 0);
        count(1, 1, &mut counter, &mut RecordedTurn(&script));
        assert_eq!(counter.1, 1);
        let expected = "bytecode bytecode read bytecode bytecode between bytecode write bytecode edge"
            .split(' ')
            .collect::<Vec<_>>();
        assert_eq!(script.borrow().0, expected);
    }

    #[test]
    fn burning_is_exact_and_depends_on_each_step() {
        let burnt = |from, multiply_adds| burnt(from, 1_664_525, multiply_adds);
        assert_eq!(burnt(1, 0), 1);
        assert_eq!(burnt(1, 1), 1_015_568_748);
        assert_eq!(burnt(burnt(1, 3), 4), burnt(1, 7));
    }
}
