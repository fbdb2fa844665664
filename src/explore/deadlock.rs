//! Where nothing can go on and somebody has not ended: who waits for whom.
//!
//! Not here: which states those are; a search meets them.

use super::system::{System, Thread, Threads};

/// One blocked thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait {
    /// Who waits.
    pub thread: Thread,
    /// For any one of these; nobody, where it waits for what will never come.
    pub for_one_of: Threads,
}

/// A deadlock: no thread can go on, and some have not ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadlock {
    /// All who have not ended, from the first on.
    pub waits: Vec<Wait>,
    /// The shortest cycle: each waits for the next, the last for the first. Empty where there is none: then somebody
    /// waits for one who has ended or for nobody at all, for what will never come.
    pub cycle: Vec<Thread>,
}

/// A deadlock without names: equal for states that differ only in which of several alike threads is which.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    cycle: Vec<Thread>,
    /// Without a cycle: who waits for what will never come.
    in_vain: Vec<Thread>,
}

/// What a search counts and looks for: an outcome and, where it is a deadlock, which.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Goal<O> {
    pub outcome: O,
    pub shape: Option<Shape>,
}

impl Deadlock {
    /// The deadlock at a state where no thread can go on; nothing if all have ended.
    pub fn at<S: System>(system: &S, state: &S::State) -> Option<Self> {
        let stuck = (0..system.n_threads()).map(Thread);
        let stuck = stuck.filter(|thread| !system.has_ended(state, *thread));
        let waits: Vec<Wait> = stuck
            .map(|thread| Wait {
                thread,
                for_one_of: system.waits_for(state, thread),
            })
            .collect();
        (!waits.is_empty()).then(|| Self {
            cycle: shortest_cycle(&waits),
            waits,
        })
    }

    /// Those who wait for what will never come: for nobody, or only for threads that have ended.
    #[must_use]
    pub fn in_vain(&self) -> Threads {
        let stuck = self.stuck();
        let alone = self.waits.iter().filter(|wait| wait.for_one_of.0 & stuck.0 == 0);
        alone.fold(Threads::NONE, |all, wait| all.with(wait.thread))
    }

    /// All who have not ended.
    #[must_use]
    pub fn stuck(&self) -> Threads {
        self.waits.iter().fold(Threads::NONE, |all, wait| all.with(wait.thread))
    }

    fn shape<S: System>(&self, system: &S) -> Shape {
        let cycle: Vec<Thread> = self.cycle.iter().map(|thread| kind_of(system, *thread)).collect();
        let turned = (0..cycle.len()).map(|by| {
            let mut turned = cycle.clone();
            turned.rotate_left(by);
            turned
        });
        Shape {
            in_vain: if cycle.is_empty() {
                kinds_of(system, self.in_vain())
            } else {
                Vec::new()
            },
            cycle: turned.min().unwrap_or_default(),
        }
    }
}

impl<O> Goal<O> {
    /// What was reached at a state where no thread can go on.
    pub fn at<S: System<Outcome = O>>(system: &S, state: &S::State) -> Self {
        Self {
            outcome: system.outcome(state),
            shape: Deadlock::at(system, state).map(|deadlock| deadlock.shape(system)),
        }
    }
}

/// The first thread that does the same.
pub(super) fn kind_of<S: System>(system: &S, thread: Thread) -> Thread {
    let before = (0..thread.0).map(Thread);
    before
        .into_iter()
        .find(|other| system.are_alike(*other, thread))
        .unwrap_or(thread)
}

/// The kinds of several threads, in order.
pub(super) fn kinds_of<S: System>(system: &S, threads: Threads) -> Vec<Thread> {
    let mut kinds: Vec<Thread> = threads.iter().map(|thread| kind_of(system, thread)).collect();
    kinds.sort_unstable();
    kinds
}

/// The shortest cycle of waits, the first of several; it begins at its first thread.
fn shortest_cycle(waits: &[Wait]) -> Vec<Thread> {
    let waits_for = |thread: Thread| {
        let wait = waits.iter().find(|wait| wait.thread == thread);
        wait.map_or(Threads::NONE, |wait| wait.for_one_of)
    };
    let cycles = waits.iter().filter_map(|wait| {
        // Breadth first from a thread until somebody waits for it.
        let start = wait.thread;
        let mut reached = vec![(start, 0)];
        let mut seen = Threads::one(start);
        let mut at = 0;
        while let Some((thread, _)) = reached.get(at).copied() {
            for next in waits_for(thread).iter() {
                if next == start {
                    let mut path = Vec::new();
                    let mut back = at;
                    while let Some((thread, before)) = reached.get(back).filter(|_| back > 0) {
                        path.push(*thread);
                        back = *before;
                    }
                    path.push(start);
                    path.reverse();
                    return Some(path);
                }
                if !seen.has(next) {
                    seen = seen.with(next);
                    reached.push((next, at));
                }
            }
            at += 1;
        }
        None
    });
    cycles.min_by_key(Vec::len).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(waits: &[(u8, &[u8])]) -> Vec<u8> {
        let waits: Vec<Wait> = waits
            .iter()
            .map(|(thread, others)| Wait {
                thread: Thread(*thread),
                for_one_of: others.iter().fold(Threads::NONE, |all, other| all.with(Thread(*other))),
            })
            .collect();
        shortest_cycle(&waits).into_iter().map(|thread| thread.0).collect()
    }

    #[test]
    fn the_shortest_cycle_of_waits_is_found() {
        assert_eq!(cycle(&[(0, &[1]), (1, &[0])]), [0, 1]);
        assert_eq!(cycle(&[(0, &[2]), (1, &[0]), (2, &[1])]), [0, 2, 1]);
        // One who waits for a cycle is not of it.
        assert_eq!(cycle(&[(0, &[1]), (1, &[2]), (2, &[1])]), [1, 2]);
        assert_eq!(cycle(&[(0, &[1, 3]), (1, &[2]), (2, &[0]), (3, &[0])]), [0, 3]);
        // A lock that its own holder asks for again.
        assert_eq!(cycle(&[(0, &[1]), (1, &[1])]), [1]);
        assert!(cycle(&[(0, &[1]), (1, &[])]).is_empty());
    }
}
