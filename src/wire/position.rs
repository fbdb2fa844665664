//! One schedule of a small program, step by step: where everything stands, and who may go next.
//!
//! A position is asked for with a run's request, whose `schedule` says what has been decided so far. Nothing of it is
//! kept: the same question gets the same answer. Not here: the search through all schedules (`explored`).

use super::explored::Grade;
use super::shape::shape;

shape! {
    /// What is decided at the step that is shown. What came after it in the schedule is dropped, unless nothing is decided.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Choice {
        /// Nothing: only look.
        Look,
        /// This thread goes on.
        Thread {
            /// Its place among the threads, from 0.
            thread: u32,
        },
        /// All go on to the end, without any preemption.
        Finish,
        /// All go on to the end at random: each of all ways to the end alike likely, where they can be counted.
        Draw {
            /// What decides the draw: the same seed at the same step draws the same way.
            seed: u32,
        },
    }
}

shape! {
    /// What a thread can do.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PositionState {
        /// It may go next.
        Ready,
        /// Something must happen first.
        Blocked,
        /// It has ended.
        Done,
        /// It has failed.
        Failed,
    }
}

shape! {
    /// A name and what it holds.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PositionValue {
        /// The name in the code.
        pub name: String,
        /// What it holds, as it is shown.
        pub value: String,
        /// Whether the step before changed it.
        pub changed: bool,
    }
}

shape! {
    /// One line of a thread's code.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PositionLine {
        /// The code.
        pub code: String,
        /// Whether another may come in before it.
        pub may_switch: bool,
    }
}

shape! {
    /// One thread or task.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PositionThread {
        /// Its name.
        pub name: String,
        /// What it can do.
        pub state: PositionState,
        /// What it does next, or why it cannot, with the holder: in words.
        pub says: String,
        /// Its code.
        pub lines: Vec<PositionLine>,
        /// The line that comes next, from 0; none where it has ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub next: Option<u32>,
        /// How many lines it runs when it goes on, as far as can be told.
        pub step_lines: u32,
        /// Its own variables that still matter.
        pub registers: Vec<PositionValue>,
        /// Whether it made the step before.
        pub was_last: bool,
    }
}

shape! {
    /// What a shared object is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PositionObjectKind {
        /// A lock.
        Lock,
        /// A condition variable.
        Condition,
        /// A semaphore.
        Semaphore,
        /// A queue.
        Queue,
    }
}

shape! {
    /// A lock, condition, semaphore or queue.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PositionObject {
        /// What it is.
        pub kind: PositionObjectKind,
        /// Its name in the code.
        pub name: String,
        /// How it stands, in words.
        pub says: String,
        /// Who holds it: the threads' places.
        pub holders: Vec<u32>,
        /// Who waits for it.
        pub waiters: Vec<u32>,
        /// The names of the cells it protects.
        pub protects: Vec<String>,
    }
}

shape! {
    /// One step of a schedule.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PositionStep {
        /// Who made it.
        pub thread: u32,
        /// What was done, in words.
        pub text: String,
        /// Whether the thread before could have gone on.
        pub preempts: bool,
    }
}

shape! {
    /// How a schedule ended.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PositionEnding {
        /// What it is worth.
        pub grade: Grade,
        /// What it is, in words; of a deadlock, who waits for whom.
        pub text: String,
    }
}

shape! {
    /// Something to try.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PositionGoal {
        /// Its id.
        pub id: String,
        /// What is to be done, in words.
        pub text: String,
        /// Whether this schedule does it.
        pub reached: bool,
    }
}

shape! {
    /// Where a small program stands after some steps of a schedule.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Position {
        /// The schedule, as a link holds it.
        pub schedule: String,
        /// How many of its steps are shown.
        pub at: u32,
        /// Its steps, those after `at` too.
        pub steps: Vec<PositionStep>,
        /// The threads or tasks.
        pub threads: Vec<PositionThread>,
        /// The shared variables.
        pub cells: Vec<PositionValue>,
        /// The locks and whatever else is shared.
        pub objects: Vec<PositionObject>,
        /// Preemptions up to here.
        pub preemptions: u32,
        /// How it ended, where nobody can go on.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub ending: Option<PositionEnding>,
        /// What to try.
        pub goals: Vec<PositionGoal>,
        /// What is to be said of how the rest of the schedule came about, in words: how it was drawn, or that it goes
        /// round. None where there is nothing to say.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub drawn: Option<String>,
    }
}
