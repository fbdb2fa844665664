//! Setting a small program going: its cells, its objects, and its threads or tasks, which begin together.
//!
//! Not here: what they do (`worker`).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::objects::Objects;
use super::record::Record;
use super::worker::{Outside, Pace, TaskTurn, Worker};
use crate::explore::small::{Ending, SmallProgram};
use crate::explore::system::Thread;
use crate::machine::front::{Here, program};
use crate::machine::program::CellId;
use crate::machine::threads::{
    Costs, Failures, Latency, Limits, Machine, MachineSettings, NewEndpoint, Progress, Spawn, ThreadId,
};
use crate::machine::{Exception, Nanoseconds, Note, Program, Value};
use crate::switch_points::Grain;
use crate::wire::Runtime;

/// What a task waits for from outside takes up to so long.
const LONGEST_ANSWER: Nanoseconds = Nanoseconds::micros(10);

/// More effects than a run of a small program that ends has; one that does not is a livelock.
pub(super) const MOST_STEPS: u64 = 200_000;

/// A small program on a machine, ready to run.
#[derive(Debug)]
pub struct OnMachine {
    /// Started, and not yet run.
    pub machine: Machine,
    /// What its threads tell of themselves.
    pub record: Record,
    /// The program.
    pub program: Rc<SmallProgram>,
}

/// The turns of every task in a schedule.
pub(super) type Turns = Vec<VecDeque<TaskTurn>>;

/// Which Python a program's threads run under; tasks have one thread, to which it is no matter.
#[must_use]
pub const fn runtime(grain: Grain) -> Runtime {
    match grain {
        Grain::Access => Runtime::FreeThreaded,
        Grain::CheckPoint | Grain::Await => Runtime::Gil,
    }
}

/// The thread of the machine that is this one of the program: the first that is started, after the main thread.
pub(super) const fn id_of(thread: Thread) -> ThreadId {
    ThreadId(thread.0 as u32 + 1)
}

/// A machine that runs a program, with the runtime of the program's grain.
#[must_use]
pub fn ready(small: &SmallProgram, settings: MachineSettings, pace: Pace) -> OnMachine {
    start(small, settings, pace, None)
}

/// One of many runs of a program, each with another seed: cores, time slices, wake-ups and answers fall differently.
///
/// Two cores fewer than threads would do, and a switch interval of some lines: what is rare on a real machine, where an
/// interval is a hundred thousand lines, is common here.
#[must_use]
pub fn seeded(small: &SmallProgram, seed: u32) -> OnMachine {
    let cores = u32::try_from(small.threads.len()).unwrap_or(1).max(2);
    let settings = MachineSettings {
        cores,
        logical_cores: cores,
        switch_interval: Nanoseconds(100),
        costs: Costs {
            wake_up: Nanoseconds(400),
            lock_call: Nanoseconds(50),
            queue_call: Nanoseconds(100),
            cell_transfer: Nanoseconds(70),
            compute_jitter_permille: 1000,
            core_phase: true,
            ..Costs::IDEAL
        },
        seed,
        limits: Limits {
            steps: MOST_STEPS,
            ..Limits::default()
        },
        ..MachineSettings::default()
    };
    let pace = Pace {
        line: Nanoseconds(200),
        limit: Nanoseconds(1_000),
    };
    ready(small, settings, pace)
}

pub(super) fn start(small: &SmallProgram, settings: MachineSettings, pace: Pace, turns: Option<Turns>) -> OnMachine {
    let small = Rc::new(small.clone());
    let record = Record::new(&small);
    let mut machine = Machine::new(MachineSettings {
        runtime: runtime(small.grain),
        ..settings
    });
    let here = Here::new();
    let makes = Makes {
        program: Rc::clone(&small),
        record: record.clone(),
        pace,
    };
    if small.grain == Grain::Await {
        machine.start_loop(makes.tasks(&here, turns));
    } else {
        machine.start(makes.threads(&here));
    }
    OnMachine {
        machine,
        record,
        program: small,
    }
}

impl OnMachine {
    /// Runs to whatever it comes to, and how the program ended; none if it goes on for ever.
    pub fn run(&mut self) -> Option<Ending> {
        match self.machine.run(u64::MAX) {
            Progress::Ended(_) | Progress::Deadlock(_) => Some(self.ending()),
            Progress::Paused | Progress::Exceeded(_) => None,
        }
    }

    /// How the program ended, once its machine has or stands still.
    #[must_use]
    pub fn ending(&self) -> Ending {
        self.record.ending(&self.program, &self.machine)
    }
}

/// What all workers of a machine are made from.
struct Makes {
    program: Rc<SmallProgram>,
    record: Record,
    pace: Pace,
}

impl Makes {
    fn worker(&self, thread: Thread, objects: &Rc<Objects>, outside: Option<Outside>) -> Worker {
        Worker {
            thread,
            program: Rc::clone(&self.program),
            objects: Rc::clone(objects),
            record: self.record.clone(),
            pace: self.pace,
            outside,
        }
    }

    fn all(&self) -> impl Iterator<Item = Thread> {
        (0..).map(Thread).take(self.program.threads.len())
    }

    async fn fill_cells(&self, here: &Here) {
        for (number, cell) in (0..).zip(&self.program.cells) {
            here.write(CellId(number), i64::from(cell.first)).await;
        }
    }

    /// The main thread: it starts the others, which wait for each other, and waits for their ends.
    fn threads(self, here: &Here) -> Box<dyn Program> {
        program(here, move |here| async move {
            self.fill_cells(&here).await;
            let objects = Rc::new(Objects::of_threads(&here, &self.program).await?);
            let all_there = here.new_thread_event().await?;
            let mut threads = Vec::new();
            for thread in self.all() {
                let worker = self.worker(thread, &objects, None);
                let body = program(&here, move |here| async move {
                    here.wait_thread_event(all_there, None).await?;
                    worker.run(here).await
                });
                let spawn = Spawn {
                    name: Some(thread.name().to_string()),
                    ..Spawn::new(body)
                };
                threads.push(here.start_thread_with(spawn).await?);
            }
            here.set_thread_event(all_there).await?;
            self.record.begin();
            here.note(Note::Doing("join")).await;
            for thread in threads {
                here.join_thread(thread, None).await?;
            }
            Ok(Value::None)
        })
    }

    /// The main task, likewise.
    fn tasks(self, here: &Here, turns: Option<Turns>) -> Box<dyn Program> {
        program(here, move |here| async move {
            self.fill_cells(&here).await;
            let objects = Rc::new(Objects::of_tasks(&here, &self.program).await?);
            let outside = Outsides::new(&here, turns).await?;
            let mut tasks = Vec::new();
            for thread in self.all() {
                let worker = self.worker(thread, &objects, Some(outside.next()));
                let name = thread.name().to_string();
                tasks.push(here.spawn_named(&name, move |here| worker.run(here)).await?);
            }
            self.record.begin();
            for task in tasks {
                // One that fails has told so itself.
                let _ = here.join(task).await;
            }
            Ok(Value::None)
        })
    }
}

/// What each of the tasks waits for, one after the other.
enum Outsides {
    Answers(crate::machine::threads::EndpointId),
    Turns(RefCell<std::vec::IntoIter<VecDeque<TaskTurn>>>),
}

impl Outsides {
    async fn new(here: &Here, turns: Option<Turns>) -> Result<Self, Exception> {
        if let Some(turns) = turns {
            return Ok(Self::Turns(RefCell::new(turns.into_iter())));
        }
        let endpoint = NewEndpoint {
            latency: Latency::Uniform(Nanoseconds(1), LONGEST_ANSWER),
            capacity: None,
            backlog: 0,
            failures: Failures::None,
        };
        here.new_endpoint(endpoint).await.map(Self::Answers)
    }

    fn next(&self) -> Outside {
        match self {
            Self::Answers(endpoint) => Outside::Answer(*endpoint),
            Self::Turns(turns) => Outside::Turn(turns.borrow_mut().next().unwrap_or_default()),
        }
    }
}
