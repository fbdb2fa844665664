//! Random systems: each thread a few lines of random code over shared bits, with locks that are bits too.
//!
//! A line waits for some bits to be what it wants (or does not), then changes some, and goes to the next line; in those
//! that may repeat a line may go back. Threads with equal code are alike.

use concurrency_playground::explore::{System, Thread, Threads};

/// What a line does: waits until `bits & mask == wanted`, flips some, and goes on at the line `to`, or at `otherwise` if
/// the bits below `branch` are odd in number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub mask: u8,
    pub wanted: u8,
    pub flips: u8,
    pub to: u8,
    pub branch: u8,
    pub otherwise: u8,
}

/// A program of such threads. A thread whose line is past its code has ended.
#[derive(Clone, Debug)]
pub struct Automata {
    pub threads: Vec<Vec<Move>>,
    pub sorted: bool,
    pub may_repeat: bool,
}

/// The line of each thread, and the shared bits.
pub type Place = ([u8; 4], u8);

impl Automata {
    /// A random one, the same for the same number.
    pub fn random(seed: u64, n_threads: usize, n_lines: usize, alike: bool, may_repeat: bool) -> Self {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |limit: u64| {
            // xorshift64*
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
        };
        let mut code = || -> Vec<Move> {
            (0..n_lines)
                .map(|line| {
                    let mask = if below(3) == 0 { 1 << below(3) } else { 0 };
                    let mut target = || {
                        if may_repeat && below(4) == 0 {
                            below(n_lines as u64) as u8
                        } else {
                            (line + 1 + below(2) as usize).min(n_lines) as u8
                        }
                    };
                    let (to, otherwise) = (target(), target());
                    Move {
                        mask,
                        wanted: mask & below(8) as u8,
                        flips: below(8) as u8,
                        to,
                        branch: below(8) as u8,
                        otherwise,
                    }
                })
                .collect()
        };
        let first = code();
        let threads = (0..n_threads).map(|thread| if alike && thread < 2 { first.clone() } else { code() });
        Self {
            threads: threads.collect(),
            sorted: alike,
            may_repeat,
        }
    }

    fn line(&self, state: &Place, thread: Thread) -> Option<&Move> {
        self.threads[thread.index()].get(state.0[thread.index()] as usize)
    }

    /// The order of threads by place, kinds kept together.
    fn order(&self, state: &Place) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.threads.len()).collect();
        if self.sorted {
            for at in 0..order.len() {
                for other in at + 1..order.len() {
                    let (one, two) = (order[at], order[other]);
                    if self.threads[at] == self.threads[other] && state.0[two] < state.0[one] {
                        order.swap(at, other);
                    }
                }
            }
        }
        order
    }
}

impl System for Automata {
    type State = Place;
    type Outcome = (u8, u8);

    fn n_threads(&self) -> u8 {
        self.threads.len() as u8
    }

    fn start(&self) -> Place {
        ([0; 4], 0)
    }

    fn enabled(&self, state: &Place) -> Threads {
        let threads = (0..self.n_threads()).map(Thread);
        threads.fold(Threads::NONE, |all, thread| match self.line(state, thread) {
            Some(line) if state.1 & line.mask == line.wanted => all.with(thread),
            _ => all,
        })
    }

    fn step(&self, state: &mut Place, thread: Thread) {
        let line = *self.line(state, thread).expect("it can go");
        let is_odd = (state.1 & line.branch).count_ones() % 2 == 1;
        state.0[thread.index()] = if is_odd { line.otherwise } else { line.to };
        state.1 ^= line.flips;
    }

    fn has_ended(&self, state: &Place, thread: Thread) -> bool {
        self.line(state, thread).is_none()
    }

    fn waits_for(&self, state: &Place, thread: Thread) -> Threads {
        // Whoever has not ended might still change what it waits for.
        let threads = (0..self.n_threads()).map(Thread);
        let others = threads.filter(|other| *other != thread && !self.has_ended(state, *other));
        others.fold(Threads::NONE, Threads::with)
    }

    /// The bits, and how many threads have ended: names play no part in it.
    fn outcome(&self, state: &Place) -> (u8, u8) {
        let threads = (0..self.n_threads()).map(Thread);
        (
            state.1,
            threads.filter(|thread| self.has_ended(state, *thread)).count() as u8,
        )
    }

    fn sort(&self, state: &mut Place) {
        let before = *state;
        for (place, thread) in self.order(&before).into_iter().enumerate() {
            state.0[place] = before.0[thread];
        }
    }

    fn sort_following(&self, state: &mut Place, thread: Thread) -> Thread {
        let order = self.order(state);
        self.sort(state);
        let place = order.iter().position(|other| *other == thread.index());
        Thread(place.expect("an order has all threads") as u8)
    }

    fn are_alike(&self, one: Thread, other: Thread) -> bool {
        self.sorted && self.threads[one.index()] == self.threads[other.index()]
    }

    fn may_repeat(&self) -> bool {
        self.may_repeat
    }
}
