//! Threads that take locks, set flags and spin: just enough to get stuck in every way there is.

use concurrency_playground::explore::{System, Thread, Threads};

/// One step. Lines are places in the thread's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Do {
    /// Waits for the lock and takes it.
    Acquire(u8),
    Release(u8),
    /// Takes the lock, or goes to this line if it is held.
    TryOr(u8, u8),
    /// Sets a flag.
    Set(u8),
    /// Waits until a flag is set.
    Await(u8),
    /// Goes to this line unless a flag is set.
    Unless(u8, u8),
    /// Goes to this line.
    Goto(u8),
}

/// A program; threads with equal code are alike if it is sorted.
#[derive(Clone, Debug)]
pub struct Script {
    pub threads: Vec<Vec<Do>>,
    pub sorted: bool,
}

/// Each thread's line, who holds each lock (from 1; 0 is nobody), and the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    pub lines: [u8; 5],
    pub holders: [u8; 5],
    pub flags: u8,
}

pub fn script(threads: &[&[Do]]) -> Script {
    Script {
        threads: threads.iter().map(|code| code.to_vec()).collect(),
        sorted: true,
    }
}

impl Script {
    fn next(&self, state: &At, thread: Thread) -> Option<Do> {
        let code = &self.threads[thread.index()];
        code.get(state.lines[thread.index()] as usize).copied()
    }

    fn all(&self) -> impl Iterator<Item = Thread> + use<> {
        (0..self.threads.len() as u8).map(Thread)
    }

    /// Who stands at each place after sorting.
    fn order(&self, state: &At) -> Vec<Thread> {
        let mut order: Vec<Thread> = self.all().collect();
        if self.sorted {
            let kind = |thread: Thread| {
                self.threads
                    .iter()
                    .position(|code| *code == self.threads[thread.index()])
            };
            let holds = |thread: Thread| state.holders.map(|holder| holder == thread.0 + 1);
            let key = |thread: Thread| (state.lines[thread.index()], holds(thread), thread);
            let places = order.clone();
            for kind_of in 0..order.len() {
                let places: Vec<Thread> = places
                    .iter()
                    .copied()
                    .filter(|place| kind(*place) == Some(kind_of))
                    .collect();
                let mut threads = places.clone();
                threads.sort_by_key(|thread| key(*thread));
                for (place, thread) in places.into_iter().zip(threads) {
                    order[place.index()] = thread;
                }
            }
        }
        order
    }
}

impl System for Script {
    type State = At;
    /// The flags, and how many have ended.
    type Outcome = (u8, u8);

    fn n_threads(&self) -> u8 {
        self.threads.len() as u8
    }

    fn start(&self) -> At {
        At {
            lines: [0; 5],
            holders: [0; 5],
            flags: 0,
        }
    }

    fn enabled(&self, state: &At) -> Threads {
        let can_go = |thread: &Thread| match self.next(state, *thread) {
            None => false,
            Some(Do::Acquire(lock)) => state.holders[lock as usize] == 0,
            Some(Do::Await(flag)) => state.flags >> flag & 1 == 1,
            Some(_) => true,
        };
        self.all().filter(can_go).fold(Threads::NONE, Threads::with)
    }

    fn step(&self, state: &mut At, thread: Thread) {
        let next = self.next(state, thread).expect("it can go");
        let line = &mut state.lines[thread.index()];
        *line += 1;
        match next {
            Do::Acquire(lock) => state.holders[lock as usize] = thread.0 + 1,
            Do::Release(lock) => state.holders[lock as usize] = 0,
            Do::TryOr(lock, otherwise) => match &mut state.holders[lock as usize] {
                free @ 0 => *free = thread.0 + 1,
                _ => *line = otherwise,
            },
            Do::Set(flag) => state.flags |= 1 << flag,
            Do::Await(_) => {}
            Do::Unless(flag, to) => {
                if state.flags >> flag & 1 == 0 {
                    *line = to;
                }
            }
            Do::Goto(to) => *line = to,
        }
    }

    fn has_ended(&self, state: &At, thread: Thread) -> bool {
        self.next(state, thread).is_none()
    }

    fn waits_for(&self, state: &At, thread: Thread) -> Threads {
        match self.next(state, thread) {
            Some(Do::Acquire(lock)) => match state.holders[lock as usize] {
                0 => Threads::NONE,
                holder => Threads::one(Thread(holder - 1)),
            },
            Some(Do::Await(flag)) => {
                let could_set = |other: &Thread| {
                    !self.has_ended(state, *other) && self.threads[other.index()].contains(&Do::Set(flag))
                };
                self.all().filter(could_set).fold(Threads::NONE, Threads::with)
            }
            _ => Threads::NONE,
        }
    }

    fn outcome(&self, state: &At) -> (u8, u8) {
        let ended = self.all().filter(|thread| self.has_ended(state, *thread));
        (state.flags, ended.count() as u8)
    }

    fn sort(&self, state: &mut At) {
        let before = *state;
        for (place, thread) in self.order(&before).into_iter().enumerate() {
            state.lines[place] = before.lines[thread.index()];
            for (now, holder) in state.holders.iter_mut().zip(before.holders) {
                if holder == thread.0 + 1 {
                    *now = place as u8 + 1;
                }
            }
        }
    }

    fn sort_following(&self, state: &mut At, thread: Thread) -> Thread {
        let order = self.order(state);
        self.sort(state);
        let place = order.iter().position(|other| *other == thread);
        Thread(place.expect("an order has all threads") as u8)
    }

    fn are_alike(&self, one: Thread, other: Thread) -> bool {
        self.sorted && self.threads[one.index()] == self.threads[other.index()]
    }
}
