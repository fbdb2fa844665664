//! A machine that follows one schedule of the explorer, line by line.
//!
//! Threads share one core and are steered from outside: one effect at a time, and whenever a step of the schedule is
//! done, the next one's thread is called. No effect takes any time, and no wake-up comes before the schedule is over, so
//! that nobody goes on without being called. What came of the steering is a list of switches; a machine given these does
//! the same by itself.
//!
//! Worked example, under an interpreter lock, with a check point before line 2: A's step is over when it has come to
//! line 2. B is called, which asks A to drop the lock; A does so in its next effect, the check point; B has it.
//!
//! Tasks are not steered: what each awaits is there when it is its turn, and the event loop does the rest.
//!
//! Not here: where the schedule comes from.

use std::collections::VecDeque;

use super::plan::{Plan, Turn};
use super::record::{Coming, RunLine};
use super::start::{MOST_STEPS, OnMachine, Turns, id_of, start};
use super::worker::{Pace, TaskTurn};
use crate::explore::small::{SmallProgram, Step};
use crate::explore::system::Thread;
use crate::machine::Nanoseconds;
use crate::machine::threads::{Costs, Limits, MachineSettings, Progress, Switch};
use crate::switch_points::Grain;

/// Longer than a schedule takes, which is no time at all; shorter than what a lock waits until it is fair, a millisecond.
const WAKE_UP: Nanoseconds = Nanoseconds::micros(900);

/// From one task's turn to the next.
const BETWEEN_TURNS: Nanoseconds = Nanoseconds::micros(1);

/// So many slices without an effect are a machine that does not go on.
const PATIENCE: u32 = 1_000;

/// A machine that has followed a schedule to its end.
#[derive(Debug)]
pub struct Replayed {
    /// It has run on until nobody could go on.
    pub on_machine: OnMachine,
    /// The switches that made it so; none for tasks.
    pub switches: Vec<Switch>,
}

/// Where a machine did something else than the schedule says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Astray {
    /// The schedule itself cannot be: the thread of this step cannot go on.
    NoSuchSchedule {
        /// The step, from 0.
        step: usize,
    },
    /// This line was to be run, and another one was, or none.
    RanAnother {
        /// How many lines were run before, as they should.
        after: usize,
        /// What was to be run.
        expected: Option<RunLine>,
        /// What was.
        found: Option<RunLine>,
    },
    /// In this step nobody went on.
    StoodStill {
        /// The step, from 0.
        step: usize,
    },
}

/// Follows a schedule from the program's start, and runs on until nobody can go on.
///
/// # Errors
/// Where the machine does something else.
pub fn replay(program: &SmallProgram, schedule: &[Thread]) -> Result<Replayed, Astray> {
    let plan = Plan::new(program, schedule).map_err(|step| Astray::NoSuchSchedule { step })?;
    let (mut on_machine, switches) = if program.grain == Grain::Await {
        (follow_by_time(program, &plan), Vec::new())
    } else {
        follow_by_steering(program, &plan)?
    };
    on_machine.run();
    check(&plan, &on_machine)?;
    Ok(Replayed { on_machine, switches })
}

/// The same machine as a replay's, with these switches: those of the replay, or others.
#[must_use]
pub fn what_if(program: &SmallProgram, switches: Vec<Switch>) -> OnMachine {
    start(program, settings(switches), PACE, None)
}

/// A limit passes at once: the schedule says whether the lock is free by then.
const PACE: Pace = Pace {
    line: Nanoseconds::ZERO,
    limit: Nanoseconds::ZERO,
};

fn settings(switches: Vec<Switch>) -> MachineSettings {
    MachineSettings {
        cores: 1,
        logical_cores: 1,
        costs: Costs {
            wake_up: WAKE_UP,
            ..Costs::IDEAL
        },
        switches,
        // A schedule may lead into what never ends.
        limits: Limits {
            steps: MOST_STEPS,
            ..Limits::default()
        },
        traced: true,
        ..MachineSettings::default()
    }
}

/// The lines of the schedule have been run, in its order, and no others before it was over.
fn check(plan: &Plan, on_machine: &OnMachine) -> Result<(), Astray> {
    let (expected, found) = (plan.order(), on_machine.record.order());
    let after = expected.iter().zip(&found).take_while(|(one, other)| one == other);
    let after = after.count();
    let is_more = plan.ending.is_some() && found.len() > expected.len();
    if after == expected.len() && !is_more {
        return Ok(());
    }
    Err(Astray::RanAnother {
        after,
        expected: expected.get(after).copied(),
        found: found.get(after).copied(),
    })
}

fn follow_by_time(program: &SmallProgram, plan: &Plan) -> OnMachine {
    let mut turns: Turns = vec![VecDeque::new(); program.threads.len()];
    let time = |number: usize| Nanoseconds(BETWEEN_TURNS.0 * (number as u64 + 1));
    for (number, turn) in plan.turns.iter().enumerate() {
        if let Some(own) = turns.get_mut(turn.thread.index()) {
            own.push_back(TaskTurn {
                at: time(number),
                lines: turn.lines.len(),
            });
        }
    }
    for own in &mut turns {
        own.push_back(TaskTurn {
            at: time(plan.turns.len()),
            lines: usize::MAX,
        });
    }
    let settings = MachineSettings {
        costs: Costs::IDEAL,
        ..settings(Vec::new())
    };
    start(program, settings, PACE, Some(turns))
}

fn follow_by_steering(program: &SmallProgram, plan: &Plan) -> Result<(OnMachine, Vec<Switch>), Astray> {
    let mut driver = Driver {
        on_machine: start(program, settings(Vec::new()), PACE, None),
        is_locked: program.grain == Grain::CheckPoint,
    };
    while !driver.on_machine.record.has_begun() {
        if !matches!(driver.on_machine.machine.run(1), Progress::Paused) {
            return Err(Astray::StoodStill { step: 0 });
        }
    }
    let expected = plan.order();
    let mut n_expected = 0;
    let mut seen = vec![false; program.threads.len()];
    for (step, turn) in plan.turns.iter().enumerate() {
        let is_first = seen
            .get_mut(turn.thread.index())
            .is_some_and(|seen| !std::mem::replace(seen, true));
        let next = plan.turns.get(step + 1).map(|next| next.thread);
        driver.step(step, turn, is_first, next)?;
        n_expected += turn.lines.len();
        let found = driver.on_machine.record.order();
        if expected.get(..n_expected) != Some(found.as_slice()) {
            check(plan, &driver.on_machine)?;
        }
    }
    driver.on_machine.machine.take_back_switches();
    let switches = driver.on_machine.machine.switches_made().to_vec();
    Ok((driver.on_machine, switches))
}

struct Driver {
    on_machine: OnMachine,
    is_locked: bool,
}

impl Driver {
    /// Lets one step of the schedule happen.
    fn step(&mut self, step: usize, turn: &Turn, is_first: bool, next: Option<Thread>) -> Result<(), Astray> {
        let thread = turn.thread;
        let record = self.on_machine.record.clone();
        // Coming to a line follows each line that is run but a wait, and each wait that is over; and begins it all.
        let arrivals = turn.lines.len() + usize::from(turn.ends_wait) + usize::from(is_first);
        let arrivals = (arrivals - usize::from(turn.into_wait)) as u32;
        let until = record.n_arrivals(thread) + arrivals;
        let mut patience = PATIENCE;
        while record.n_arrivals(thread) < until || (turn.into_wait && !record.is_waiting(thread)) {
            let is_last = turn.into_wait
                && record.n_arrivals(thread) == until
                && matches!(record.coming(thread), Coming::Line(Step::Wait(_)));
            let before = self.on_machine.machine.steps();
            self.effect(thread, next.filter(|_| is_last).unwrap_or(thread));
            patience = if self.on_machine.machine.steps() > before {
                PATIENCE
            } else {
                patience.saturating_sub(1)
            };
            if patience == 0 {
                return Err(Astray::StoodStill { step });
            }
        }
        Ok(())
    }

    /// Lets one effect happen: this thread's, or under the interpreter lock one of the thread before, which has to come to
    /// a place where it can let go. Whoever stops by itself thereby is followed by `then`.
    fn effect(&mut self, thread: Thread, then: Thread) {
        let machine = &mut self.on_machine.machine;
        machine.take_back_switches();
        let now = machine.steps();
        let going = machine.next_to_go();
        if going != Some(id_of(thread)) {
            machine.ask_for(Switch {
                at_step: now,
                to: id_of(thread),
            });
        }
        let is_others = self.is_locked && going != Some(id_of(thread));
        machine.ask_for(Switch {
            at_step: now + 1,
            to: id_of(if is_others { thread } else { then }),
        });
        machine.run(1);
    }
}
