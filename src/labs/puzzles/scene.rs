//! A small program as a row of a model: one run of it on the machine, by seed or along a schedule.
//!
//! Not here: every other run of it (`searching`).

use super::following::Following;
use super::on_machine::{OnMachine, Pace, ready, replay};
use super::{Puzzle, of_schedule};
use crate::explore::small::Ending;
use crate::explore::{Schedule, System};
use crate::labs::Scene;
use crate::machine::Nanoseconds;
use crate::machine::threads::MachineSettings;
use crate::measure::Subject;
use crate::switch_points::Grain;
use crate::text::{Words, args};
use crate::wire::{Grade, Named, Row, Runtime, Strategy};

/// What a line takes, and what an acquire with a limit waits: long enough to be seen in a trace.
const PACE: Pace = Pace {
    line: Nanoseconds::micros(1),
    limit: Nanoseconds::micros(10),
};

/// One run as the machine's settings and seed will have it.
#[must_use]
pub fn scene(puzzle: Puzzle, settings: MachineSettings) -> Scene {
    scene_within(puzzle, settings, PACE.limit)
}

/// The same, where an acquire with a limit waits for so long.
#[must_use]
pub fn scene_within(puzzle: Puzzle, settings: MachineSettings, limit: Nanoseconds) -> Scene {
    let on_machine = ready(&puzzle.program, settings, Pace { limit, ..PACE });
    of_run(puzzle, on_machine)
}

/// One run in which each thread goes on as long as it can before the next one does: that of a program that may go on for
/// ever otherwise.
#[must_use]
pub fn one_after_another(puzzle: Puzzle) -> Scene {
    let following = Following::new(&puzzle);
    let mut schedule = Schedule::default();
    following.finish(&mut schedule, following.system.start());
    Followed { puzzle, schedule }.scene()
}

fn of_run(puzzle: Puzzle, on_machine: OnMachine) -> Scene {
    let (record, program) = (on_machine.record.clone(), on_machine.program.clone());
    Scene {
        machine: on_machine.machine,
        read: Box::new(move |machine, _, row| fill(&puzzle, &record.ending(&program, machine), row)),
    }
}

/// The lab's value where there is one, else that there is none because nobody can go on.
fn fill(puzzle: &Puzzle, ending: &Ending, row: &mut Row) {
    let value = puzzle.value(ending).map(|value| value.to_string());
    row.value = Some(value.unwrap_or_else(|| "deadlock".to_owned()));
    let right = puzzle.right.iter().find(|(cell, _)| *cell == puzzle.value);
    row.expected = right.map(|(_, value)| value.to_string());
}

/// A schedule that was asked for, and the puzzle that it is of.
#[derive(Debug)]
pub struct Followed {
    puzzle: Puzzle,
    schedule: Schedule,
}

impl Followed {
    /// None where it is of none of them: the request was checked for that.
    #[must_use]
    pub fn new(puzzles: &[Puzzle], schedule: &str) -> Option<Self> {
        let (puzzle, schedule) = of_schedule(puzzles, schedule).ok()?;
        Some(Self {
            puzzle: puzzle.clone(),
            schedule,
        })
    }

    /// The puzzle.
    #[must_use]
    pub const fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    /// The one row.
    #[must_use]
    pub fn subject(&self) -> Subject {
        let (strategy, runtime) = match self.puzzle.program.grain {
            Grain::Await => (Strategy::EventLoop, None),
            Grain::CheckPoint => (Strategy::Threads, Some(Runtime::Gil)),
            Grain::Access => (Strategy::Threads, Some(Runtime::FreeThreaded)),
        };
        Subject {
            runtime,
            workers: u32::try_from(self.puzzle.program.threads.len()).ok(),
            once: true,
            ..Subject::new(strategy)
        }
    }

    /// The machine that has followed it.
    #[must_use]
    pub fn scene(&self) -> Scene {
        match replay(&self.puzzle.program, &self.schedule.0) {
            Ok(replayed) => of_run(self.puzzle.clone(), replayed.on_machine),
            // Tests hold the two to each other; if they parted, the row would show the machine's own way.
            Err(_) => scene(self.puzzle.clone(), MachineSettings::default()),
        }
    }

    /// How the schedule ended: an id, its words, and the sentence.
    #[must_use]
    pub fn finding(&self, words: &Words) -> (&'static str, Named, String) {
        let following = Following::new(&self.puzzle);
        let mut whole = self.schedule.clone();
        let state = following
            .follow(&whole)
            .ok()
            .and_then(|(states, _)| states.last().copied());
        let state = state.unwrap_or_else(|| following.system.start());
        let has_ended = following.ending(&state).is_some();
        following.finish(&mut whole, state);
        let end = following
            .follow(&whole)
            .ok()
            .and_then(|(states, _)| states.last().copied());
        let ending = end.and_then(|state| following.ending(&state));
        let text = ending.as_ref().map(|ending| self.puzzle.say_ending(ending, words));
        let grade = ending.map_or(Grade::Deadlock, |ending| self.puzzle.grade(&ending));
        let numbers = args([
            ("text", text.unwrap_or_default().into()),
            ("right", (grade == Grade::Right).into()),
        ]);
        let id = if has_ended { "followed" } else { "not-ended" };
        let sentence = words.fill(&format!("puzzle.finding.{id}"), &numbers);
        (id, numbers, sentence)
    }
}
