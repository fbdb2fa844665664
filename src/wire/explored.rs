//! What a search through all schedules found, as part of a row. Not here: one schedule, step by step (`position`).

use super::shape::shape;

shape! {
    /// What an ending is worth.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Grade {
        /// All threads ended, and the values are those that were wanted.
        Right,
        /// All threads ended, and some values are not.
        Lost,
        /// A thread failed: what it asserted did not hold, or it did what may not be done.
        Assertion,
        /// Some thread can never go on, and none can now.
        Deadlock,
    }
}

shape! {
    /// One way to end, and how many schedules end so.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ExploredOutcome {
        /// What it is worth.
        pub grade: Grade,
        /// What it is, in words.
        pub text: String,
        /// The lab's one value, where it has one: a decimal number.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub value: Option<String>,
        /// Exactly so many schedules end so, as a decimal number; none where there is no end of schedules, or where not
        /// all were covered.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub schedules: Option<String>,
        /// Their share of all, 0 to 1: the probability under a schedule drawn at random from all.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub share: Option<f64>,
        /// The fewest preemptions that lead here.
        pub preemptions: u32,
        /// A schedule with so few, as a link holds it.
        pub witness: String,
    }
}

shape! {
    /// Why a program may go on for ever.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EndlessKind {
        /// Threads keep moving and none gets on, however fair the scheduler.
        Livelock,
        /// One keeps moving because another that could go on never gets its turn.
        Starvation,
        /// One keeps moving while another is blocked for ever.
        StuckAndSpinning,
    }
}

shape! {
    /// One way to go on for ever.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ExploredEndless {
        /// Why.
        pub kind: EndlessKind,
        /// Who does what, in words.
        pub text: String,
        /// Whether there is no way out of it any more.
        pub certain: bool,
        /// The fewest preemptions that lead into it.
        pub preemptions: u32,
        /// A schedule that leads into it and once around, as a link holds it.
        pub witness: String,
    }
}

shape! {
    /// What a search found.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Explored {
        /// What was searched, in words: it may be smaller than what the row's one run did.
        pub program: String,
        /// How many schedules there are, as a decimal number; none where there is no end of them, or where not all were
        /// covered.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub schedules: Option<String>,
        /// States looked at, equal ones merged.
        pub states: f64,
        /// Whether every schedule is covered.
        pub complete: bool,
        /// What was covered, in words.
        pub coverage: String,
        /// The ways to end, the right ones first.
        pub outcomes: Vec<ExploredOutcome>,
        /// Of the witnesses of endings, those that the machine followed to the same end.
        pub followed: u32,
        /// The ways to go on for ever.
        pub endless: Vec<ExploredEndless>,
    }
}
