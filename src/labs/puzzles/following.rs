//! A schedule followed line by line: the states that it comes by, and what each step does.
//!
//! The program's own system says where a step ends; a second one, of the same program with a place before every line,
//! says which lines a step is made of and what each of them changes.
//!
//! Not here: words.

use super::{Puzzle, refused};
use crate::explore::small::{Ending, Packed, SmallProgram, SmallSystem, View};
use crate::explore::{Fairness, Schedule, ScheduleProblem, SearchLimits, System, Thread, draw};
use crate::labs::Complaint;
use crate::switch_points::Operation;
use crate::text::args;

/// The longest schedule that is gone through step by step. The longest of the labs' programs without a loop has 2,000.
pub const MOST_STEPS: usize = 2_000;

/// What may be counted for one draw: an answer that is asked for by a press of a button comes within a second on a phone.
const MOST_DRAWN_STATES: u32 = 200_000;
const MOST_DRAWN_BYTES: usize = 64 << 20;

/// A line that runs in one step at most, before the step is shown without its lines.
const MOST_LINES: usize = 1_000;

/// A state of any of the labs' programs.
pub type State = Packed<4>;

/// A program that can be followed.
#[derive(Debug)]
pub struct Following {
    /// The program as it is.
    pub system: SmallSystem<4>,
    /// The same with a place before every line.
    fine: SmallSystem<4>,
}

/// One step that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// By whom.
    pub thread: Thread,
    /// Whether whoever went before could have gone on.
    pub preempts: bool,
    /// The lines, from 0, each with what was to be seen after it.
    pub lines: Vec<(u8, View)>,
}

impl Following {
    /// Of a puzzle's program.
    #[must_use]
    pub fn new(puzzle: &Puzzle) -> Self {
        let system =
            |program| SmallSystem::new(program).expect("a test makes every program of the labs, in every shape");
        Self {
            system: system(puzzle.program.clone()),
            fine: system(in_lines(&puzzle.program)),
        }
    }

    /// The states of a schedule, the start first, and its steps.
    ///
    /// # Errors
    /// A thread is to go that cannot.
    pub fn follow(&self, schedule: &Schedule) -> Result<(Vec<State>, Vec<Made>), Complaint> {
        let mut states = vec![self.system.start()];
        let mut steps: Vec<Made> = Vec::new();
        for (number, thread) in (1_u32..).zip(schedule.0.iter().copied()) {
            let state = states.last().copied().unwrap_or(self.system.start());
            let enabled = self.system.enabled(&state);
            if !enabled.has(thread) {
                let numbers = args([("step", number.into()), ("thread", thread.name().to_string().into())]);
                return Err(refused("refusal.schedule-cannot-go", numbers));
            }
            let last = steps.last().map(|made| made.thread);
            let mut after = state;
            self.system.step(&mut after, thread);
            steps.push(Made {
                thread,
                preempts: last.is_some_and(|last| last != thread && enabled.has(last)),
                lines: self.lines(&state, &after, thread),
            });
            states.push(after);
        }
        Ok((states, steps))
    }

    /// The lines that lead from one state to the next.
    fn lines(&self, before: &State, after: &State, thread: Thread) -> Vec<(u8, View)> {
        let mut lines = Vec::new();
        let mut state = *before;
        while state != *after && self.fine.enabled(&state).has(thread) && lines.len() < MOST_LINES {
            let line = self.line_of(&state, thread);
            self.fine.step(&mut state, thread);
            lines.push((line, self.fine.view(&state)));
        }
        if lines.is_empty() {
            // A step that changes nothing: around a loop and back.
            lines.push((self.line_of(before, thread), self.fine.view(after)));
        }
        lines
    }

    /// How many lines a thread that can go on would run.
    #[must_use]
    pub fn n_lines(&self, state: &State, thread: Thread) -> usize {
        let mut after = *state;
        self.system.step(&mut after, thread);
        self.lines(state, &after, thread).len()
    }

    fn line_of(&self, state: &State, thread: Thread) -> u8 {
        let view = self.fine.view(state);
        view.threads.get(thread.index()).map_or(0, |thread| thread.line)
    }

    /// Lets all go on to the end, each as far as it gets; ends early where a state comes again, and says that.
    pub fn finish(&self, schedule: &mut Schedule, mut state: State) -> bool {
        let mut seen = vec![state];
        let mut last = schedule.0.last().copied();
        while schedule.0.len() < MOST_STEPS {
            let enabled = self.system.enabled(&state);
            let next = last.filter(|last| enabled.has(*last)).or_else(|| enabled.iter().next());
            let Some(next) = next else { return false };
            self.system.step(&mut state, next);
            schedule.0.push(next);
            last = Some(next);
            if seen.contains(&state) {
                return true;
            }
            seen.push(state);
        }
        false
    }

    /// Lets all go on to the end at random, and says how that was drawn.
    pub fn draw(&self, schedule: &mut Schedule, from: &State, seed: u32) -> Fairness {
        let limits = SearchLimits {
            states: MOST_DRAWN_STATES,
            bytes: MOST_DRAWN_BYTES,
            steps: u32::try_from(MOST_STEPS.saturating_sub(schedule.0.len())).unwrap_or(0),
            ..SearchLimits::default()
        };
        let drawn = draw(&self.system, from, limits, seed);
        schedule.0.extend(drawn.rest);
        drawn.fairness
    }

    /// How it ended, where nobody can go on.
    #[must_use]
    pub fn ending(&self, state: &State) -> Option<Ending> {
        self.system
            .enabled(state)
            .is_empty()
            .then(|| self.system.outcome(state))
    }
}

/// The same program, cut before every line. Of the same grain, so that its states are the same too: every grain lets others
/// in at an await.
fn in_lines(program: &SmallProgram) -> SmallProgram {
    let mut fine = program.clone();
    for line in fine.threads.iter_mut().flatten() {
        line.before = Some(Operation::Await);
    }
    fine
}

/// A schedule as it came in.
///
/// # Errors
/// It is none, or not of this program.
pub fn parse(text: &str, hash: u32, n_threads: u8) -> Result<Schedule, Complaint> {
    // Nothing at all is the beginning, of any program.
    if text.is_empty() {
        return Ok(Schedule::default());
    }
    let schedule = Schedule::parse(text, hash, n_threads).map_err(|problem| match problem {
        ScheduleProblem::NoProgram => refused("refusal.schedule-form", args([])),
        ScheduleProblem::OtherProgram { .. } => refused("refusal.schedule-of-another", args([])),
        ScheduleProblem::NotAThread { at } => refused("refusal.schedule-thread", args([("at", (at + 1).into())])),
        ScheduleProblem::BadCount { at } => refused("refusal.schedule-count", args([("at", (at + 1).into())])),
        ScheduleProblem::TooLong => too_long(),
    })?;
    if schedule.0.len() > MOST_STEPS {
        return Err(too_long());
    }
    Ok(schedule)
}

fn too_long() -> Complaint {
    let most = u32::try_from(MOST_STEPS).unwrap_or(u32::MAX);
    refused("refusal.schedule-too-long", args([("most", most.into())]))
}
