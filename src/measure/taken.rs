//! What a run took, and what was fixed before it. Not here: taking it (`sampler`), or judging it (`labs`).

use super::answer::Sample;
use super::experiment::Subject;

/// What the learner and the browser fix for a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Samples a row, from 1.
    pub repeats: u32,
    /// Milliseconds a row may take, warm-up included.
    pub budget_ms: f64,
    /// The clock's step in milliseconds.
    pub clock_step_ms: f64,
}

/// What was taken of one row.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenRow {
    /// The row.
    pub subject: Subject,
    /// Warm-up runs at the final size, not counted.
    pub warm_up: Vec<Sample>,
    /// Samples in the order taken.
    pub samples: Vec<Sample>,
}

impl TakenRow {
    /// The samples' times in milliseconds.
    #[must_use]
    pub fn samples_ms(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.ms).collect()
    }

    /// Whether it has numbers.
    #[must_use]
    pub fn is_available(&self) -> bool {
        self.subject.absent.is_none()
    }
}

/// Everything a run took.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The rows, in the order asked.
    pub rows: Vec<TakenRow>,
    /// The size asked for.
    pub asked_size: u32,
    /// The size really run.
    pub size: u32,
    /// Whether the page was hidden at any time.
    pub hidden: bool,
    /// Threads of the pool: how many were asked for and the fewest that had started.
    pub pool: Option<(u32, u32)>,
    /// Milliseconds a sample may take by the budget.
    pub share_ms: f64,
}
