//! What the threads of a small program tell of themselves while the machine runs them.
//!
//! Not here: what the cells hold; the machine knows.

use std::cell::RefCell;
use std::rc::Rc;

use crate::explore::small::{Ending, Failure, Short, SmallProgram, Step};
use crate::explore::system::Thread;
use crate::machine::program::CellId;
use crate::machine::threads::Machine;
use crate::switch_points::Operation;

/// One line that was run, by its place in its thread's code, from 0. A wait for a notification is run when it begins,
/// every other line when it is over.
pub type RunLine = (Thread, u8);

/// What a thread does after the effect that it makes now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coming {
    /// It comes to its next line, or to its end.
    Arrival,
    /// It passes the place before its line.
    Place(Operation),
    /// It does what its line says.
    Line(Step),
    /// It ends.
    End,
}

/// How far a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Before its line, or in it.
    Line,
    /// In its line, which waits for a notification.
    Waits,
    /// Behind its last line.
    Ended,
    Failed(Failure),
}

#[derive(Clone, Copy, Debug)]
struct Stand {
    line: u8,
    stage: Stage,
    n_arrivals: u32,
    coming: Coming,
}

#[derive(Debug, Default)]
struct Told {
    has_begun: bool,
    stands: Vec<Stand>,
    order: Vec<RunLine>,
}

/// Shared by the threads of one machine and whoever watches them.
#[derive(Clone, Debug, Default)]
pub struct Record(Rc<RefCell<Told>>);

impl Record {
    pub(super) fn new(program: &SmallProgram) -> Self {
        let stand = Stand {
            line: 0,
            stage: Stage::Line,
            n_arrivals: 0,
            coming: Coming::Arrival,
        };
        let told = Told {
            stands: vec![stand; program.threads.len()],
            ..Told::default()
        };
        Self(Rc::new(RefCell::new(told)))
    }

    /// The lines in the order in which they were run.
    #[must_use]
    pub fn order(&self) -> Vec<RunLine> {
        self.0.borrow().order.clone()
    }

    /// How a run of the program ended, once nobody can go on.
    #[must_use]
    pub fn ending(&self, program: &SmallProgram, machine: &Machine) -> Ending {
        let (mut stuck, mut failed) = (Vec::new(), Vec::new());
        for (thread, stand) in (0..).map(Thread).zip(&self.0.borrow().stands) {
            let short = |failure| Short {
                like: like(program, thread),
                line: stand.line,
                failure,
            };
            match stand.stage {
                Stage::Ended => {}
                Stage::Failed(failure) => failed.push(short(Some(failure))),
                Stage::Line | Stage::Waits => stuck.push(short(None)),
            }
        }
        stuck.sort_unstable();
        failed.sort_unstable();
        let value = |cell: u32| machine.cell(CellId(cell)).int().unwrap_or_default();
        let cells = || {
            let cells = (0..).zip(&program.cells).map(|(cell, _)| value(cell));
            cells.map(|value| i32::try_from(value).unwrap_or(i32::MAX)).collect()
        };
        match (stuck.is_empty(), failed.is_empty()) {
            (false, _) => Ending::Deadlock { stuck, failed },
            (true, false) => Ending::Failed { failed, cells: cells() },
            (true, true) => Ending::Finished { cells: cells() },
        }
    }

    /// The threads have been set going.
    pub(super) fn begin(&self) {
        self.0.borrow_mut().has_begun = true;
    }

    pub(super) fn has_begun(&self) -> bool {
        self.0.borrow().has_begun
    }

    fn tell(&self, thread: Thread, change: impl FnOnce(&mut Stand)) {
        if let Some(stand) = self.0.borrow_mut().stands.get_mut(thread.index()) {
            change(stand);
        }
    }

    fn ask<T>(&self, thread: Thread, look: impl FnOnce(&Stand) -> T) -> Option<T> {
        self.0.borrow().stands.get(thread.index()).map(look)
    }

    /// The thread comes to a line.
    pub(super) fn arrives(&self, thread: Thread, line: u8) {
        self.tell(thread, |stand| {
            stand.line = line;
            stand.stage = Stage::Line;
            stand.n_arrivals += 1;
        });
    }

    /// What comes after the effect that is made now.
    pub(super) fn comes(&self, thread: Thread, coming: Coming) {
        self.tell(thread, |stand| stand.coming = coming);
    }

    pub(super) fn waits(&self, thread: Thread) {
        self.tell(thread, |stand| stand.stage = Stage::Waits);
    }

    pub(super) fn ends(&self, thread: Thread) {
        self.tell(thread, |stand| stand.stage = Stage::Ended);
    }

    pub(super) fn fails(&self, thread: Thread, failure: Failure) {
        self.tell(thread, |stand| {
            stand.stage = Stage::Failed(failure);
            stand.n_arrivals += 1;
        });
    }

    /// The line is run.
    pub(super) fn runs(&self, thread: Thread, line: u8) {
        self.0.borrow_mut().order.push((thread, line));
    }

    pub(super) fn n_arrivals(&self, thread: Thread) -> u32 {
        self.ask(thread, |stand| stand.n_arrivals).unwrap_or_default()
    }

    pub(super) fn is_waiting(&self, thread: Thread) -> bool {
        self.ask(thread, |stand| stand.stage == Stage::Waits)
            .unwrap_or_default()
    }

    pub(super) fn coming(&self, thread: Thread) -> Coming {
        self.ask(thread, |stand| stand.coming).unwrap_or(Coming::End)
    }
}

/// The first thread with the same code.
fn like(program: &SmallProgram, thread: Thread) -> Thread {
    let own = program.threads.get(thread.index());
    let first = program.threads.iter().position(|code| Some(code) == own);
    let number = first.and_then(|first| u8::try_from(first).ok());
    number.map_or(thread, Thread)
}
