//! Lists of workers' own and what crosses between workers: the lab `isolation`.

use super::Sabotage;
use crate::wire::shape::shape;

/// A list that has become so long is begun anew by the next call, so that a page left open does not fill its memory.
pub const MOST_ITEMS: u32 = 1_000_000;

shape! {
    /// Appends to the list of this wasm instance: of an isolate its own, of threads the one that they share.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct AppendJob {
        /// Items to append; 0 only looks.
        pub items: u32,
        /// Threads of the pool that append them together to a list begun anew; 0: this worker alone, to what is there.
        pub threads: u32,
        /// Items that a thread takes at a time, from 1.
        pub chunk: u32,
        /// A fault, in tests only.
        pub sabotage: Option<Sabotage>,
    }
}

shape! {
    /// What became of the list.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ListSeen {
        /// From the first item to the last.
        pub elapsed_ms: f64,
        /// The list's length before.
        pub before: u32,
        /// Its length after, as each thread sees it in the end; one number where the worker was alone.
        pub lists: Vec<u32>,
    }
}

shape! {
    /// How a payload gets to another worker.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Crossing {
        /// It is copied: both have one afterwards.
        Copy,
        /// It is handed over, and back again with the answer: one of them has it at a time.
        Transfer,
        /// Both have the same memory.
        Share,
    }
}

shape! {
    /// Sends a payload to the other worker of a pair, which answers shortly, again and again.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CrossJob {
        /// How it gets there.
        pub way: Crossing,
        /// Its size in bytes, from 1.
        pub bytes: u32,
        /// Until so many milliseconds have passed; at least once.
        pub least_ms: u32,
    }
}
