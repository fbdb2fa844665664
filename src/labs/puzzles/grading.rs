//! What an ending of a small program is worth, and how it is said. Not here: how it came about.

use super::{Goal, Puzzle};
use crate::explore::Thread;
use crate::explore::small::{CellId, Ending, Failure, Short};
use crate::text::{Words, args};
use crate::wire::Grade;

impl Puzzle {
    /// What an ending is worth.
    #[must_use]
    pub fn grade(&self, ending: &Ending) -> Grade {
        match ending {
            Ending::Finished { cells } => {
                if self.right.iter().all(|(cell, wanted)| value(cells, *cell) == *wanted) {
                    Grade::Right
                } else {
                    Grade::Lost
                }
            }
            Ending::Failed { .. } => Grade::Assertion,
            Ending::Deadlock { .. } => Grade::Deadlock,
        }
    }

    /// The value that the lab is about, where all threads came to their ends or failed.
    #[must_use]
    pub fn value(&self, ending: &Ending) -> Option<i32> {
        match ending {
            Ending::Finished { cells } | Ending::Failed { cells, .. } => Some(value(cells, self.value)),
            Ending::Deadlock { .. } => None,
        }
    }

    /// Whether an ending, after so many preemptions, is what a goal asks for.
    #[must_use]
    pub fn reaches(&self, goal: Goal, ending: &Ending, preemptions: u32) -> bool {
        let grade = self.grade(ending);
        match goal {
            Goal::Lose => grade == Grade::Lost,
            Goal::Deadlock => grade == Grade::Deadlock,
            Goal::Fail => grade == Grade::Assertion,
            Goal::Reach(wanted) => self.value(ending) == Some(wanted),
            Goal::RightAnyway => grade == Grade::Right && preemptions > 0,
        }
    }

    /// An ending in words: what the cells hold, who failed and why, who stands where for ever.
    #[must_use]
    pub fn say_ending(&self, ending: &Ending, words: &Words) -> String {
        let cells = |cells: &[i32]| {
            let shown = self.program.cells.iter().zip(cells);
            let shown: Vec<String> = shown.map(|(cell, value)| format!("{} = {value}", cell.name)).collect();
            shown.join(", ")
        };
        match ending {
            Ending::Finished { cells: held } => cells(held),
            Ending::Failed { failed, cells: held } => {
                let numbers = args([
                    ("failed", self.say_each(failed, words).into()),
                    ("cells", cells(held).into()),
                ]);
                words.fill("puzzle.ending.failed", &numbers)
            }
            Ending::Deadlock { stuck, failed } => {
                let all: Vec<Short> = stuck.iter().chain(failed).copied().collect();
                words.fill(
                    "puzzle.ending.deadlock",
                    &args([("stuck", self.say_each(&all, words).into())]),
                )
            }
        }
    }

    fn say_each(&self, all: &[Short], words: &Words) -> String {
        let said: Vec<String> = all.iter().map(|one| self.say_short(*one, words)).collect();
        said.join("; ")
    }

    fn say_short(&self, Short { like, line, failure }: Short, words: &Words) -> String {
        let id = match failure {
            None => "puzzle.stuck".to_owned(),
            Some(failure) => format!("puzzle.failure.{}", failure_id(failure)),
        };
        let numbers = args([
            ("thread", self.name_of(like, words).into()),
            ("code", self.code(like, line).into()),
        ]);
        words.fill(&id, &numbers)
    }

    /// A thread's name; of several that do the same, that it is one of them.
    fn name_of(&self, like: Thread, words: &Words) -> String {
        let code = self.program.threads.get(like.index());
        let is_alone = self.program.threads.iter().filter(|other| Some(*other) == code).count() == 1;
        let name = args([("name", like.name().to_string().into())]);
        words.fill(
            if is_alone {
                "puzzle.thread"
            } else {
                "puzzle.thread-like"
            },
            &name,
        )
    }
}

/// The failure's id in texts.
#[must_use]
pub const fn failure_id(failure: Failure) -> &'static str {
    match failure {
        Failure::Assertion => "assertion",
        Failure::ReleasedFreeLock => "released-free-lock",
        Failure::WaitedWithoutLock => "waited-without-lock",
        Failure::NotifiedWithoutLock => "notified-without-lock",
        Failure::OutOfRange => "out-of-range",
        Failure::NeverLetsGo => "never-lets-go",
    }
}

fn value(cells: &[i32], cell: CellId) -> i32 {
    cells.get(usize::from(cell.0)).copied().unwrap_or_default()
}
