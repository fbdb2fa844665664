//! The same meaning of a small program, written a second time without any packing: the random tests' yardstick.

use std::collections::{BTreeMap, VecDeque};

use concurrency_playground::explore::Thread;
use concurrency_playground::explore::small::{
    Amount, Ending, Failure, LockId, MOST_LINES, Operand, RegisterId, Short, SmallProgram, Step, Test, Variable,
};
use concurrency_playground::switch_points::Grain;

#[derive(Clone, Copy, PartialEq)]
enum Is {
    Ready,
    Waiting,
    Notified,
    /// A task in a row.
    Queued,
    Failed(Failure),
}

#[derive(Clone)]
struct Runner {
    place: usize,
    is: Is,
    registers: Vec<i64>,
}

#[derive(Clone)]
pub struct Plain<'a> {
    program: &'a SmallProgram,
    threads: Vec<Runner>,
    cells: Vec<i64>,
    holders: Vec<Option<usize>>,
    /// Of each condition, the longest first.
    waiters: Vec<Vec<usize>>,
    /// Tasks that queue for each lock and then for each semaphore, the longest first.
    rows: Vec<Vec<usize>>,
    semaphores: Vec<u8>,
    queues: Vec<VecDeque<i64>>,
}

type Ran = Result<Option<usize>, Failure>;

fn keep(place: &mut i64, value: i64, variable: &Variable) -> Ran {
    if (i64::from(variable.least)..=i64::from(variable.most)).contains(&value) {
        *place = value;
        Ok(None)
    } else {
        Err(Failure::OutOfRange)
    }
}

impl<'a> Plain<'a> {
    pub fn new(program: &'a SmallProgram) -> Self {
        let firsts = |variables: &[Variable]| variables.iter().map(|one| i64::from(one.first)).collect::<Vec<_>>();
        let runner = Runner {
            place: 0,
            is: Is::Ready,
            registers: firsts(&program.registers),
        };
        Self {
            program,
            threads: vec![runner; program.threads.len()],
            cells: firsts(&program.cells),
            holders: vec![None; program.locks.len()],
            waiters: vec![vec![]; program.conditions.len()],
            rows: vec![vec![]; program.locks.len() + program.semaphores.len()],
            semaphores: program.semaphores.iter().map(|one| one.first).collect(),
            queues: vec![VecDeque::new(); program.queues.len()],
        }
    }

    fn next_step(&self, thread: usize) -> Option<Step> {
        let line = self.program.threads[thread].get(self.threads[thread].place);
        line.map(|line| line.step)
    }

    fn is_of_tasks(&self) -> bool {
        self.program.grain == Grain::Await
    }

    /// What a step takes first of all.
    fn wanted(&self, step: Step) -> Option<usize> {
        match step {
            Step::Acquire(lock) | Step::TryAcquire { lock, .. } | Step::AcquireWithin { lock, .. } => {
                Some(lock.0.into())
            }
            Step::Wait(condition) => Some(self.program.conditions[usize::from(condition.0)].lock.0.into()),
            Step::Down(one) => Some(self.program.locks.len() + usize::from(one.0)),
            _ => None,
        }
    }

    fn is_free(&self, wanted: usize) -> bool {
        match wanted.checked_sub(self.program.locks.len()) {
            Some(semaphore) => self.semaphores[semaphore] > 0,
            None => self.holders[wanted].is_none(),
        }
    }

    fn is_first(&self, thread: usize, wanted: usize) -> bool {
        self.is_free(wanted) && self.rows[wanted].first() == Some(&thread)
    }

    /// Whether a task has to queue before it can do this.
    fn has_to_queue(&self, step: Step) -> bool {
        let Some(wanted) = self.wanted(step).filter(|_| self.is_of_tasks()) else {
            return false;
        };
        match step {
            Step::TryAcquire { .. } if !self.is_free(wanted) => false,
            _ => !self.is_free(wanted) || !self.rows[wanted].is_empty(),
        }
    }

    pub fn can_go_on(&self, thread: usize) -> bool {
        let lock_of = |condition: usize| usize::from(self.program.conditions[condition].lock.0);
        match (self.threads[thread].is, self.next_step(thread)) {
            (Is::Queued, Some(step)) => {
                let wanted = self.wanted(step).expect("it queues for something");
                let gives_up = matches!(step, Step::AcquireWithin { .. }) && !self.is_free(wanted);
                gives_up || self.is_first(thread, wanted)
            }
            (Is::Ready, Some(Step::Acquire(_) | Step::Down(_))) | (Is::Notified, _) if self.is_of_tasks() => true,
            (Is::Ready, Some(step)) => match step {
                Step::Acquire(lock) => self.holders[usize::from(lock.0)].is_none(),
                Step::Down(one) => self.semaphores[usize::from(one.0)] > 0,
                Step::Put(queue, _) => {
                    let queue = usize::from(queue.0);
                    self.queues[queue].len() < usize::from(self.program.queues[queue].capacity)
                }
                Step::Get { queue, .. } => !self.queues[usize::from(queue.0)].is_empty(),
                _ => true,
            },
            (Is::Notified, Some(Step::Wait(condition))) => self.holders[lock_of(usize::from(condition.0))].is_none(),
            _ => false,
        }
    }

    fn value(&self, thread: usize, operand: Operand) -> i64 {
        match operand {
            Operand::Number(number) => number.into(),
            Operand::Register(id, more) => self.threads[thread].registers[usize::from(id.0)] + i64::from(more),
        }
    }

    fn holds(&self, thread: usize, test: Test) -> bool {
        let value = |operand| self.value(thread, operand);
        match test {
            Test::Equal(one, other) => value(one) == value(other),
            Test::NotEqual(one, other) => value(one) != value(other),
            Test::Less(one, other) => value(one) < value(other),
            Test::AtLeast(one, other) => value(one) >= value(other),
        }
    }

    fn set(&mut self, thread: usize, into: RegisterId, value: i64) -> Ran {
        let id = usize::from(into.0);
        keep(
            &mut self.threads[thread].registers[id],
            value,
            &self.program.registers[id],
        )
    }

    fn write(&mut self, cell: usize, value: i64) -> Ran {
        keep(&mut self.cells[cell], value, &self.program.cells[cell])
    }

    /// Runs a line that does not block; says where it jumps, if it does.
    fn run(&mut self, thread: usize, step: Step) -> Ran {
        match step {
            Step::Read { cell, into } => self.set(thread, into, self.cells[usize::from(cell.0)]),
            Step::Set { into, value } => self.set(thread, into, self.value(thread, value)),
            Step::Write { cell, value } => self.write(cell.0.into(), self.value(thread, value)),
            Step::Add { cell, amount } => {
                self.write(cell.0.into(), self.cells[usize::from(cell.0)] + i64::from(amount))
            }
            Step::CompareAndSwap {
                cell,
                expected,
                new,
                into,
            } => {
                let is_so = self.cells[usize::from(cell.0)] == self.value(thread, expected);
                if is_so {
                    self.write(cell.0.into(), self.value(thread, new))?;
                }
                self.set(thread, into, is_so.into())
            }
            Step::Acquire(lock) => {
                self.holders[usize::from(lock.0)] = Some(thread);
                Ok(None)
            }
            Step::TryAcquire { lock, into } | Step::AcquireWithin { lock, into } => {
                let is_free = self.holders[usize::from(lock.0)].is_none();
                if is_free {
                    self.holders[usize::from(lock.0)] = Some(thread);
                }
                self.set(thread, into, is_free.into())
            }
            Step::Release(lock) => match self.holders[usize::from(lock.0)].take() {
                Some(_) => Ok(None),
                None => Err(Failure::ReleasedFreeLock),
            },
            Step::Wait(condition) => {
                let condition = usize::from(condition.0);
                let lock = usize::from(self.program.conditions[condition].lock.0);
                if self.holders[lock] != Some(thread) {
                    return Err(Failure::WaitedWithoutLock);
                }
                self.holders[lock] = None;
                self.waiters[condition].push(thread);
                self.threads[thread].is = Is::Waiting;
                Ok(None)
            }
            Step::Notify(condition, amount) => {
                let condition = usize::from(condition.0);
                let lock = usize::from(self.program.conditions[condition].lock.0);
                if self.holders[lock] != Some(thread) {
                    return Err(Failure::NotifiedWithoutLock);
                }
                let all = self.waiters[condition].len();
                let how_many = if amount == Amount::All { all } else { all.min(1) };
                for waiter in self.waiters[condition].drain(..how_many) {
                    self.threads[waiter].is = Is::Notified;
                }
                Ok(None)
            }
            Step::Down(one) => {
                self.semaphores[usize::from(one.0)] -= 1;
                Ok(None)
            }
            Step::Up(one) => {
                let one = usize::from(one.0);
                if self.semaphores[one] == self.program.semaphores[one].most {
                    return Err(Failure::OutOfRange);
                }
                self.semaphores[one] += 1;
                Ok(None)
            }
            Step::Put(queue, value) => {
                let value = self.value(thread, value);
                let most = i64::from(self.program.queues[usize::from(queue.0)].most);
                if !(0..=most).contains(&value) {
                    return Err(Failure::OutOfRange);
                }
                self.queues[usize::from(queue.0)].push_back(value);
                Ok(None)
            }
            Step::Get { queue, into } => {
                let first = self.queues[usize::from(queue.0)][0];
                self.set(thread, into, first)?;
                self.queues[usize::from(queue.0)].pop_front();
                Ok(None)
            }
            Step::Yield => Ok(None),
            Step::Assert(test) if self.holds(thread, test) => Ok(None),
            Step::Assert(_) => Err(Failure::Assertion),
            Step::Unless(test, _) if self.holds(thread, test) => Ok(None),
            Step::Unless(_, to) | Step::Jump(to) => Ok(Some(to.into())),
        }
    }

    pub fn step(&mut self, thread: usize) {
        for _ in 0..MOST_LINES {
            let step = self.next_step(thread).expect("it can go on");
            let is = self.threads[thread].is;
            let begins = is == Is::Ready && !matches!(step, Step::Wait(_));
            if (begins || is == Is::Notified) && self.has_to_queue(step) {
                let wanted = self.wanted(step).expect("it queues for something");
                self.rows[wanted].push(thread);
                self.threads[thread].is = Is::Queued;
                return;
            }
            let is_over = matches!(step, Step::Wait(_)) && is != Is::Ready;
            if is == Is::Queued {
                let wanted = self.wanted(step).expect("it queues for something");
                self.rows[wanted].retain(|other| *other != thread);
                self.threads[thread].is = Is::Ready;
            }
            if is_over {
                let Step::Wait(condition) = step else {
                    panic!("{step:?} is no place to be notified at");
                };
                let lock = self.program.conditions[usize::from(condition.0)].lock;
                self.holders[usize::from(lock.0)] = Some(thread);
                self.threads[thread].is = Is::Ready;
                self.threads[thread].place += 1;
            } else {
                match self.run(thread, step) {
                    Err(failure) => {
                        self.threads[thread].is = Is::Failed(failure);
                        return;
                    }
                    Ok(_) if self.threads[thread].is == Is::Waiting => return,
                    Ok(Some(to)) => self.threads[thread].place = to,
                    Ok(None) => self.threads[thread].place += 1,
                }
            }
            let Some(line) = self.program.threads[thread].get(self.threads[thread].place) else {
                return;
            };
            let is_held = |lock: LockId| self.holders[usize::from(lock.0)].is_some();
            // A task queues inside its line; a thread lets others in before it waits for a while.
            let waits = matches!(line.step, Step::AcquireWithin { lock, .. } if !self.is_of_tasks() && is_held(lock));
            let lets_in = line.before.is_some_and(|place| self.program.grain.may_switch(place));
            if lets_in || waits || !self.can_go_on(thread) {
                return;
            }
        }
        self.threads[thread].is = Is::Failed(Failure::NeverLetsGo);
    }

    pub fn ending(&self) -> Ending {
        let (mut stuck, mut failed) = (vec![], vec![]);
        for (thread, runner) in self.threads.iter().enumerate() {
            let codes = &self.program.threads;
            let like = codes.iter().position(|code| *code == codes[thread]).expect("its own");
            let short = |failure| Short {
                like: Thread(u8::try_from(like).expect("it is small")),
                line: u8::try_from(runner.place).expect("it is small"),
                failure,
            };
            match runner.is {
                Is::Failed(failure) => failed.push(short(Some(failure))),
                _ if self.next_step(thread).is_some() => stuck.push(short(None)),
                _ => {}
            }
        }
        stuck.sort();
        failed.sort();
        let value = |value: &i64| i32::try_from(*value).expect("it is within its range");
        let cells = self.cells.iter().map(value).collect();
        if !stuck.is_empty() {
            Ending::Deadlock { stuck, failed }
        } else if !failed.is_empty() {
            Ending::Failed { failed, cells }
        } else {
            Ending::Finished { cells }
        }
    }

    /// Walks every schedule, one by one.
    pub fn one_by_one(&self, endings: &mut BTreeMap<Ending, u128>) {
        let mut has_ended = true;
        for thread in (0..self.threads.len()).filter(|thread| self.can_go_on(*thread)) {
            has_ended = false;
            let mut then = self.clone();
            then.step(thread);
            then.one_by_one(endings);
        }
        if has_ended {
            *endings.entry(self.ending()).or_default() += 1;
        }
    }
}
