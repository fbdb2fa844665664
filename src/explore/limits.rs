//! How much a search may hold and do. Not here: how long; the caller stops between two slices.

/// Ceilings of a search. What goes over one is covered in a coarser way, and the report says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// States in all, for each of the ways in turn. 40 million by default: the largest program of the tables, 4 threads
    /// × 5 additions without symmetry, has 26 million. At most 2²⁷ − 64.
    pub states: u32,
    /// Memory held at once, in bytes; states that own memory count for their own size only. 1 GiB by default: a tab's
    /// WebAssembly has up to 4, and phones far less.
    pub bytes: usize,
    /// Steps of the longest schedule, 100,000 by default: a schedule's text has no more.
    pub steps: u32,
    /// The most preemptions that are searched for where not all can be, 3 by default.
    pub preemptions: u8,
    /// Random walks where not all can be searched, 10,000 by default.
    pub walks: u32,
    /// Their seed, 1 by default.
    pub seed: u32,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self {
            states: 40_000_000,
            bytes: 1 << 30,
            steps: MAX_STEPS,
            preemptions: 3,
            walks: 10_000,
            seed: 1,
        }
    }
}

/// The longest schedule there is.
pub const MAX_STEPS: u32 = 100_000;

/// Places in a list of states are packed into 27 bits, beside a thread in 5; one state may lead to 32 more at once.
pub(super) const MAX_STATES: u32 = (1 << 27) - 64;

/// Where one slice of a search has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// There is more to do.
    More,
    /// All is done.
    Done,
    /// A ceiling is reached.
    Over,
}

impl SearchLimits {
    /// Whether so much is too much, at the `at`th state of a list.
    pub(super) fn exceeded(&self, n_states: usize, at: u32, n_bytes: impl FnOnce() -> usize) -> bool {
        // Memory is asked for now and then: the answer is a sum over many lists.
        n_states > self.states.min(MAX_STATES) as usize || at.is_multiple_of(1024) && n_bytes() > self.bytes
    }
}
