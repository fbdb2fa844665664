//! What can be explored: a program whose state is a plain value, and whose threads are asked to go on one at a time.
//!
//! Not here: which thread is asked.

use std::fmt::{self, Debug};
use std::hash::Hash;

/// One thread (or task) of a system, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thread(pub u8);

impl Thread {
    /// Its place in a list of threads.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its name: `A` is the first, `a` the 27th.
    #[must_use]
    pub const fn name(self) -> char {
        if self.0 < 26 {
            (b'A' + self.0) as char
        } else {
            (b'a' + self.0 - 26) as char
        }
    }
}

/// Some of at most 32 threads.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Threads(pub u32);

impl Threads {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// Just this one.
    #[must_use]
    pub const fn one(thread: Thread) -> Self {
        Self(1 << thread.0)
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, thread: Thread) -> Self {
        Self(self.0 | 1 << thread.0)
    }

    /// Whether it is one of them.
    #[must_use]
    pub const fn has(self, thread: Thread) -> bool {
        self.0 >> thread.0 & 1 == 1
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// These without one.
    #[must_use]
    pub const fn without(self, thread: Thread) -> Self {
        Self(self.0 & !(1 << thread.0))
    }

    /// From the first on.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Thread> {
        EachThread(self)
    }
}

/// The threads of a set one by one; it costs as many steps as there are threads in it, for a search asks at every state.
struct EachThread(Threads);

impl Iterator for EachThread {
    type Item = Thread;

    fn next(&mut self) -> Option<Thread> {
        let first = Thread(self.0.0.trailing_zeros() as u8);
        (!self.0.is_empty()).then(|| {
            self.0 = self.0.without(first);
            first
        })
    }
}

impl DoubleEndedIterator for EachThread {
    fn next_back(&mut self) -> Option<Thread> {
        (!self.0.is_empty()).then(|| {
            let last = Thread(31 - self.0.0.leading_zeros() as u8);
            self.0 = self.0.without(last);
            last
        })
    }
}

impl Debug for Threads {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter()
            .try_for_each(|thread| write!(formatter, "{}", thread.name()))
    }
}

/// A program to explore. A step may be many operations; where a step ends is where another thread may come in.
pub trait System {
    /// Everything that decides how it may go on: equal states have equal futures.
    type State: Clone + Eq + Hash + Debug;

    /// How it may end.
    type Outcome: Clone + Ord + Debug;

    /// How many threads there are, at most 32.
    fn n_threads(&self) -> u8;

    /// Where it begins.
    fn start(&self) -> Self::State;

    /// The threads that can go next: neither ended nor blocked.
    fn enabled(&self, state: &Self::State) -> Threads;

    /// Lets an enabled thread go on to the next place where another may come in.
    fn step(&self, state: &mut Self::State, thread: Thread);

    /// Whether the thread has nothing more to do.
    fn has_ended(&self, state: &Self::State, thread: Thread) -> bool;

    /// Those of whom a blocked thread waits for one: the holder of its lock, whoever could notify it. Nobody, where no
    /// thread could ever let it go on.
    fn waits_for(&self, state: &Self::State, thread: Thread) -> Threads;

    /// How it ended, where no thread can go on.
    fn outcome(&self, state: &Self::State) -> Self::Outcome;

    /// Puts threads that do the same into one order, so that states that differ by their names alone become equal.
    fn sort(&self, _state: &mut Self::State) {}

    /// [`sort`](Self::sort)s, and says at whose place the given thread then stands: no two threads at the same. Must be
    /// written wherever `sort` is, for schedules found among sorted states are told with the threads' first names.
    fn sort_following(&self, state: &mut Self::State, thread: Thread) -> Thread {
        self.sort(state);
        thread
    }

    /// Whether threads `one` and `other` do the same, so that [`sort`](Self::sort) may exchange them.
    fn are_alike(&self, _one: Thread, _other: Thread) -> bool {
        false
    }

    /// Whether a state could come again, as in a loop without an end.
    fn may_repeat(&self) -> bool {
        true
    }
}
