//! Where each part of a state lies: a thread's part in one piece and the same for all threads, then what they share.
//!
//! Worked example, two threads that count to 2 with a read and a write each, in one word from its lowest bit up:
//!
//! ```text
//! A: place 2 bits, failed 1, register 2 · B: place 2, failed 1, register 2 · counter 2   = 12 bits
//! ```
//!
//! Whatever belongs to a thread (the locks that it holds, its ticket among those who wait for a notification) is in its
//! own part, and nothing that is shared names a thread: so exchanging two parts exchanges two threads.
//!
//! Not here: what happens to a state.

use super::check::{MOST_WORDS, Problem};
use super::compiled::is_fair;
use super::flow::registers;
use super::line::{Operand, Step};
use super::packed::{Field, bits_for, ones};
use super::phase::{Failure, Phase};
use super::program::{SmallProgram, Variable};

/// A field of what is shared, in its word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shared {
    pub(super) word: usize,
    pub(super) field: Field,
}

/// A queue: its numbers, the first in the lowest bits, and how many they are, all in one word.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueBits {
    pub(super) word: usize,
    pub(super) length: Field,
    /// All its numbers as one.
    pub(super) content: Field,
    pub(super) bits_each: u32,
    pub(super) most: i64,
}

/// Where a thread's part lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) word: usize,
    pub(super) shift: u32,
}

/// Where everything lies.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// How many words it takes.
    pub(super) words: usize,
    /// Each thread's part.
    pub(super) slots: Vec<Slot>,
    /// All bits of a part, at its lowest place.
    pub(super) own: u64,
    pub(super) place: Field,
    pub(super) phase: Field,
    pub(super) ticket: Field,
    /// Which phases a thread can be in; the field holds a place in this list.
    pub(super) phases: Vec<Phase>,
    /// Without bits where no thread uses the register.
    pub(super) registers: Vec<Field>,
    /// Whether the thread holds the lock.
    pub(super) held: Vec<Field>,
    pub(super) cells: Vec<Shared>,
    pub(super) semaphores: Vec<Shared>,
    pub(super) queues: Vec<QueueBits>,
}

/// Fills one word after another, each part into the first word that has room.
struct Words {
    used: Vec<u32>,
}

impl Words {
    fn place(&mut self, bits: u32) -> Result<Slot, Problem> {
        // A whole word is never one part: shifts stay below 64, and so does the number of ones.
        if bits >= u64::BITS {
            return Err(Problem::TooLarge(MOST_WORDS + 1));
        }
        let has_room = |used: &u32| used + bits.max(1) <= u64::BITS;
        let word = match self.used.iter().position(has_room) {
            Some(word) => word,
            None => {
                self.used.push(0);
                self.used.len() - 1
            }
        };
        let used = self.used.get_mut(word).expect("it was found or made just now");
        let shift = *used;
        *used += bits;
        Ok(Slot { word, shift })
    }
}

/// Puts the fields of one part side by side.
struct Part {
    bits: u32,
}

impl Part {
    fn field(&mut self, bits: u32, least: i32, span: u64) -> Result<Field, Problem> {
        if self.bits + bits >= u64::BITS {
            return Err(Problem::TooLarge(MOST_WORDS + 1));
        }
        let shift = self.bits;
        self.bits += bits;
        Ok(Field {
            shift,
            mask: ones(bits),
            least: least.into(),
            span,
        })
    }

    fn upto(&mut self, most: usize) -> Result<Field, Problem> {
        let most = most as u64;
        self.field(bits_for(most), 0, most)
    }

    fn variable(&mut self, variable: &Variable) -> Result<Field, Problem> {
        let span = span(variable);
        self.field(bits_for(span), variable.least, span)
    }
}

fn span(variable: &Variable) -> u64 {
    (i64::from(variable.most) - i64::from(variable.least)).unsigned_abs()
}

impl Layout {
    /// Lays out a program that was checked.
    pub(super) fn of(program: &SmallProgram) -> Result<Self, Problem> {
        let lines = || program.threads.iter().flatten();
        let used = lines().fold(0, |used, line| {
            let (reads, writes) = registers(line.step);
            used | reads | writes
        });
        let longest = program.threads.iter().map(Vec::len).max().unwrap_or(0);
        let waits = lines().any(|line| matches!(line.step, Step::Wait(_)) || queues(program, line.step));
        let phases = phases(program);

        // Registers lowest: alike threads are in order of their places then, which reads best. Phase and place lie side
        // by side, because together they say whether a thread may go on.
        let mut part = Part { bits: 0 };
        let registers = (0_u32..)
            .zip(&program.registers)
            .map(|(id, variable)| match used >> id & 1 {
                1 => part.variable(variable),
                _ => Ok(Field::default()),
            })
            .collect::<Result<_, _>>()?;
        let held = program.locks.iter().map(|_| part.upto(1)).collect::<Result<_, _>>()?;
        let ticket = part.upto(if waits { program.threads.len() - 1 } else { 0 })?;
        let phase = part.upto(phases.len() - 1)?;
        let place = part.upto(longest)?;

        let mut words = Words { used: Vec::new() };
        let slots = program
            .threads
            .iter()
            .map(|_| words.place(part.bits))
            .collect::<Result<_, _>>()?;
        let mut shared = |span: u64, least: i32| {
            let Slot { word, shift } = words.place(bits_for(span))?;
            let field = Field {
                shift,
                mask: ones(bits_for(span)),
                least: least.into(),
                span,
            };
            Ok(Shared { word, field })
        };
        let cells = program
            .cells
            .iter()
            .map(|cell| shared(span(cell), cell.least))
            .collect::<Result<_, _>>()?;
        let semaphores = program
            .semaphores
            .iter()
            .map(|one| shared(one.most.into(), 0))
            .collect::<Result<_, _>>()?;
        let mut queues = Vec::new();
        for queue in &program.queues {
            let bits_each = bits_for(queue.most.into());
            let mut part = Part { bits: 0 };
            let mut content = part.field(bits_each * u32::from(queue.capacity), 0, 0)?;
            let mut length = part.upto(queue.capacity.into())?;
            let Slot { word, shift } = words.place(part.bits)?;
            length.shift += shift;
            content.shift += shift;
            queues.push(QueueBits {
                word,
                length,
                content,
                bits_each,
                most: queue.most.into(),
            });
        }
        let n_words = words.used.len();
        if n_words > MOST_WORDS {
            return Err(Problem::TooLarge(n_words));
        }
        Ok(Self {
            words: n_words,
            slots,
            own: ones(part.bits),
            place,
            phase,
            ticket,
            phases,
            registers,
            held,
            cells,
            semaphores,
            queues,
        })
    }
}

/// The phases that a thread of this program could ever be in. Ready comes first, and so is 0.
fn phases(program: &SmallProgram) -> Vec<Phase> {
    let any = |is_so: &dyn Fn(usize, Step) -> bool| {
        let mut threads = program.threads.iter();
        threads.any(|code| code.iter().enumerate().any(|(at, line)| is_so(at, line.step)))
    };
    let can_be = |phase: &Phase| match phase {
        Phase::Ready => true,
        Phase::Waiting | Phase::Notified | Phase::Failed(Failure::WaitedWithoutLock) => {
            any(&|_, step| matches!(step, Step::Wait(_)))
        }
        Phase::Queued => any(&|_, step| queues(program, step)),
        Phase::Failed(Failure::Assertion) => any(&|_, step| matches!(step, Step::Assert(_))),
        Phase::Failed(Failure::ReleasedFreeLock) => any(&|_, step| matches!(step, Step::Release(_))),
        Phase::Failed(Failure::NotifiedWithoutLock) => any(&|_, step| matches!(step, Step::Notify(..))),
        Phase::Failed(Failure::OutOfRange) => any(&|_, step| may_leave_range(program, step)),
        Phase::Failed(Failure::NeverLetsGo) => any(&jumps_back),
    };
    Phase::ALL.into_iter().filter(can_be).collect()
}

/// Whether a thread may be queued inside a line.
fn queues(program: &SmallProgram, step: Step) -> bool {
    let wants = matches!(
        step,
        Step::Acquire(_) | Step::TryAcquire { .. } | Step::AcquireWithin { .. } | Step::Down(_) | Step::Wait(_)
    );
    wants && is_fair(program)
}

/// Whether a line leads to itself or to one before it.
pub(super) fn jumps_back(at: usize, step: Step) -> bool {
    matches!(step, Step::Jump(to) | Step::Unless(_, to) if usize::from(to) <= at)
}

/// Whether a step could give something a number outside of its range, as far as the ranges alone tell.
fn may_leave_range(program: &SmallProgram, step: Step) -> bool {
    let cell = |id: super::line::CellId| program.cells.get(usize::from(id.0)).map(ends);
    let register = |id: super::line::RegisterId| program.registers.get(usize::from(id.0)).map(ends);
    let operand = |operand: Operand| match operand {
        Operand::Number(number) => Some((number.into(), number.into())),
        Operand::Register(id, more) => {
            register(id).map(|(least, most)| (least + i64::from(more), most + i64::from(more)))
        }
    };
    let queue = |id: super::line::QueueId| {
        let queue = program.queues.get(usize::from(id.0));
        queue.map(|queue| (0, i64::from(queue.most)))
    };
    let yes_or_no = Some((0, 1));
    let (from, to) = match step {
        Step::Read { cell: from, into } => (cell(from), register(into)),
        Step::Set { into, value } => (operand(value), register(into)),
        Step::Write { cell: to, value } => (operand(value), cell(to)),
        Step::TryAcquire { into, .. } | Step::AcquireWithin { into, .. } => (yes_or_no, register(into)),
        Step::Put(to, value) => (operand(value), queue(to)),
        Step::Get { queue: from, into } => (queue(from), register(into)),
        Step::Add { amount, .. } => return amount != 0,
        Step::CompareAndSwap { .. } | Step::Up(_) => return true,
        _ => return false,
    };
    match (from, to) {
        (Some((least, most)), Some((lowest, highest))) => least < lowest || most > highest,
        // Nothing is unknown in a program that was checked.
        _ => true,
    }
}

fn ends(variable: &Variable) -> (i64, i64) {
    (variable.least.into(), variable.most.into())
}
