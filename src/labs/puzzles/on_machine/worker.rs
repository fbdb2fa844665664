//! One thread or task of a small program as a program of the machine: the one interpreter of its lines.
//!
//! Worked example, `r = x · x = r + 1` of a thread: note line 1, read the cell; note line 2, a check point, write the cell;
//! note line 3, which is the end. Each is one effect, so that whoever steers the machine can let another thread go on
//! before any of them.
//!
//! Not here: what others do meanwhile.

use std::collections::VecDeque;
use std::rc::Rc;

use super::objects::Objects;
use super::record::{Coming, Record};
use super::registers::Registers;
use crate::explore::small::{CellId, Failure, Line, MOST_LINES, SmallProgram, Step};
use crate::explore::system::Thread;
use crate::machine::front::Here;
use crate::machine::threads::EndpointId;
use crate::machine::{Access, Computing, Exception, Kind, Nanoseconds, Note, Outcome, Value, program};
use crate::switch_points::Operation;

/// What a task waits for where it awaits something from outside.
#[derive(Clone, Debug)]
pub(super) enum Outside {
    /// An answer, which takes as long as it takes.
    Answer(EndpointId),
    /// Its turn in a schedule.
    Turn(VecDeque<TaskTurn>),
}

/// One step of a task in a schedule: when it is its turn, and how many lines it then runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskTurn {
    pub at: Nanoseconds,
    pub lines: usize,
}

/// What lines take, where the machine itself says nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The computing of each line, before it does what it says.
    pub line: Nanoseconds,
    /// How long one is ready to wait for a lock with a limit.
    pub limit: Nanoseconds,
}

/// One thread or task in its making.
#[derive(Debug)]
pub(super) struct Worker {
    pub thread: Thread,
    pub program: Rc<SmallProgram>,
    pub objects: Rc<Objects>,
    pub record: Record,
    pub pace: Pace,
    /// None of a thread.
    pub outside: Option<Outside>,
}

/// Where a thread goes on.
enum Flow {
    Next,
    To(u8),
}

/// Why a line was not run to its end.
enum Stop {
    /// It fails its thread.
    Fails(Failure),
    /// The machine would not have it: a cancelled task's wait.
    Raises(Exception),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Fails(failure)
    }
}

impl From<Exception> for Stop {
    fn from(exception: Exception) -> Self {
        Self::Raises(exception)
    }
}

impl Worker {
    /// Runs its code from the first line to its end.
    pub async fn run(mut self, here: Here) -> Outcome {
        let program = Rc::clone(&self.program);
        let code: &[Line] = program.threads.get(self.thread.index()).map_or(&[], Vec::as_slice);
        let mut registers = Registers::new(&program);
        let (mut at, mut is_first) = (0_u8, true);
        let (mut n_alone, mut turn_lines) = (0, 0);
        if let Some(Outside::Answer(endpoint)) = self.outside {
            here.request_async(endpoint, None).await?;
        }
        while let Some(line) = code.get(usize::from(at)) {
            let place = line.before.filter(|_| !is_first);
            let comes_after = after_arrival(line, place);
            self.arrive(&here, at, comes_after).await;
            while turn_lines == 0 {
                turn_lines = self.turn(&here).await?;
            }
            if let Some(operation) = place {
                self.record.comes(self.thread, after_arrival(line, None));
                self.pass(&here, operation, line.step).await?;
                n_alone = if program.grain.may_switch(operation) {
                    0
                } else {
                    n_alone
                };
            }
            is_first = false;
            n_alone += 1;
            if n_alone > MOST_LINES {
                return self.fail(&here, at, Failure::NeverLetsGo).await;
            }
            self.record.comes(self.thread, Coming::Arrival);
            if self.pace.line > Nanoseconds::ZERO {
                here.compute_as(self.pace.line, Computing::KeepsLock).await;
            }
            let done = self.line(&here, &mut registers, at, line.step).await;
            let is_wait = matches!(line.step, Step::Wait(_));
            if !is_wait && !matches!(done, Err(Stop::Raises(_))) {
                self.record.runs(self.thread, at);
            }
            turn_lines = turn_lines.saturating_sub(1);
            if is_wait && done.is_ok() {
                // Having the lock again is a step of its own.
                n_alone = 0;
                turn_lines = self.turn(&here).await?;
            }
            at = match done {
                Ok(Flow::Next) => at + 1,
                Ok(Flow::To(to)) => to,
                Err(Stop::Fails(failure)) => return self.fail(&here, at, failure).await,
                Err(Stop::Raises(exception)) => return Err(exception),
            };
        }
        self.record.arrives(self.thread, at);
        self.record.ends(self.thread);
        self.record.comes(self.thread, Coming::End);
        here.note(Note::Line(u32::from(at) + 1)).await;
        Ok(Value::None)
    }

    /// It stops here, and keeps what it holds.
    async fn fail(&self, here: &Here, at: u8, failure: Failure) -> Outcome {
        self.record.fails(self.thread, failure);
        self.record.comes(self.thread, Coming::End);
        here.note(Note::Line(u32::from(at) + 1)).await;
        Err(match failure {
            Failure::Assertion => Exception::own("AssertionError", Value::None),
            Failure::OutOfRange => Exception::own("OverflowError", Value::None),
            Failure::ReleasedFreeLock
            | Failure::WaitedWithoutLock
            | Failure::NotifiedWithoutLock
            | Failure::NeverLetsGo => Exception::new(Kind::RuntimeError, "a line that cannot be"),
        })
    }

    async fn arrive(&self, here: &Here, at: u8, then: Coming) {
        self.record.arrives(self.thread, at);
        self.record.comes(self.thread, then);
        here.note(Note::Line(u32::from(at) + 1)).await;
    }

    /// Passes a place where another may come in. A task that follows a schedule has waited for its turn already.
    async fn pass(&self, here: &Here, place: Operation, step: Step) -> Result<(), Exception> {
        match &self.outside {
            None => here.check_point(place).await,
            // What blocks the whole loop's thread lets no other task go on.
            Some(_) if place != Operation::Await => {}
            Some(Outside::Answer(_)) if step == Step::Yield => {
                here.sleep(Nanoseconds::ZERO).await?;
            }
            Some(Outside::Answer(endpoint)) => {
                here.request_async(*endpoint, None).await?;
            }
            Some(Outside::Turn(_)) => {}
        }
        Ok(())
    }

    /// Waits for the next step's turn; how many lines that has. Without a schedule there is one turn without an end.
    async fn turn(&mut self, here: &Here) -> Result<usize, Exception> {
        let Some(Outside::Turn(turns)) = &mut self.outside else {
            return Ok(usize::MAX);
        };
        let Some(turn) = turns.pop_front() else {
            return Ok(usize::MAX);
        };
        let now = here.time().await?;
        here.sleep(turn.at.since(now)).await?;
        Ok(turn.lines)
    }

    /// Does what a line says.
    async fn line(&self, here: &Here, registers: &mut Registers, at: u8, step: Step) -> Result<Flow, Stop> {
        let (program, objects) = (&*self.program, &*self.objects);
        match step {
            Step::Set { into, value } => registers.set(program, into, registers.value(value))?,
            Step::Read { cell, into } => {
                let read = here.read(on_machine(cell)).await.int().unwrap_or_default();
                registers.set(program, into, read)?;
            }
            Step::Write { cell, value } => {
                let value = within(program, cell, registers.value(value))?;
                here.write(on_machine(cell), value).await;
            }
            Step::Add { cell, amount } => {
                let before = here.access(Access::Add(on_machine(cell), amount.into())).await;
                within(program, cell, before.int().unwrap_or_default() + i64::from(amount))?;
            }
            Step::CompareAndSwap {
                cell,
                expected,
                new,
                into,
            } => {
                let values = Box::new((registers.value(expected).into(), registers.value(new).into()));
                let swap = Access::CompareAndSwap(on_machine(cell), values);
                let was_expected = here.access(swap).await.is_true();
                registers.set(program, into, was_expected.into())?;
            }
            Step::Acquire(lock) => objects.acquire(here, lock).await?,
            Step::TryAcquire { lock, into } => {
                let is_taken = objects.try_acquire(here, lock).await?;
                registers.set(program, into, is_taken.into())?;
            }
            Step::AcquireWithin { lock, into } => {
                let is_taken = objects.acquire_within(here, lock, self.pace.limit).await?;
                registers.set(program, into, is_taken.into())?;
            }
            Step::Release(lock) => fails_with(Failure::ReleasedFreeLock, objects.release(here, lock).await)?,
            Step::Wait(condition) => {
                self.record.runs(self.thread, at);
                self.record.waits(self.thread);
                fails_with(Failure::WaitedWithoutLock, objects.wait(here, condition).await)?;
            }
            Step::Notify(condition, amount) => {
                let notified = objects.notify(here, condition, amount).await;
                fails_with(Failure::NotifiedWithoutLock, notified)?;
            }
            Step::Down(semaphore) => objects.down(here, semaphore).await?,
            Step::Up(semaphore) => objects.up(here, semaphore).await?,
            Step::Put(queue, value) => {
                let value = registers.value(value);
                let most = program.queues.get(usize::from(queue.0)).map(|queue| queue.most);
                if !(0..=i64::from(most.unwrap_or_default())).contains(&value) {
                    return Err(Failure::OutOfRange.into());
                }
                objects.put(here, queue, value).await?;
            }
            Step::Get { queue, into } => {
                let got = objects.get(here, queue).await?;
                registers.set(program, into, got)?;
            }
            Step::Yield => {}
            Step::Assert(test) if !registers.holds(test) => return Err(Failure::Assertion.into()),
            Step::Unless(test, to) if !registers.holds(test) => return Ok(Flow::To(to)),
            Step::Assert(_) | Step::Unless(..) => {}
            Step::Jump(to) => return Ok(Flow::To(to)),
        }
        Ok(Flow::Next)
    }
}

/// What comes after a line's note: its place, its effect, or at once the next note.
fn after_arrival(line: &Line, place: Option<Operation>) -> Coming {
    let has_effect = !matches!(
        line.step,
        Step::Set { .. } | Step::Yield | Step::Assert(_) | Step::Unless(..) | Step::Jump(_)
    );
    match place {
        Some(operation) => Coming::Place(operation),
        None if has_effect => Coming::Line(line.step),
        None => Coming::Arrival,
    }
}

/// The cell of the machine.
const fn on_machine(cell: CellId) -> program::CellId {
    program::CellId(cell.0 as u32)
}

/// The number, if it is within the ends that the program states for the cell.
fn within(program: &SmallProgram, cell: CellId, value: i64) -> Result<i64, Failure> {
    let ends = program.cells.get(usize::from(cell.0));
    ends.filter(|ends| (i64::from(ends.least)..=i64::from(ends.most)).contains(&value))
        .map(|_| value)
        .ok_or(Failure::OutOfRange)
}

/// A call that does not fit the state of what it is called on fails the thread.
fn fails_with(failure: Failure, outcome: Result<(), Exception>) -> Result<(), Stop> {
    outcome.map_err(|exception| match exception.kind() {
        Kind::RuntimeError => Stop::Fails(failure),
        _ => Stop::Raises(exception),
    })
}
