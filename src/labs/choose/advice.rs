//! The rules: from what a job is like to a strategy, a number of workers, and the one constraint that decided.
//!
//! Worked example: ten network calls with blocking libraries. Nothing must be kept apart, nothing must end at a deadline,
//! and they wait: threads, ten of them. With two thousand and async libraries, threads do not fit into the memory: an
//! event loop. Take the two thousand away, and it is threads again: so the number had decided.
//!
//! Not here: whether the advice is any good; the evidence is modelled.

use crate::labs::Asked;
use crate::labs::rows::runtime_of;
use crate::machine::threads::MemoryCosts;
use crate::wire::{Runtime, Strategy};

/// Up to so many waits threads do as well as an event loop, which computes less for each of them.
const MANY_THREADS: u32 = 100;

/// No pool of processes has more workers on Windows: its calls wait for at most 63 things at once.
const MOST_PROCESSES: u32 = 61;

/// Tasks that work through a larger number of jobs: more at once would only take memory.
const MOST_TASKS: u32 = 50_000;

/// Where interpreters fit so much better into the memory that they need this share of the rounds, they are advised.
const FEWER_ROUNDS: f64 = 0.75;

const MEBIBYTE: u64 = 1 << 20;

/// Where the time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Waiting for a network, a disk, a database.
    Waits,
    /// Computing in Python.
    Computes,
    /// Computing in code that lets go of the interpreter lock.
    Releases,
}

/// What the jobs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// Nothing.
    Nothing,
    /// State under a lock.
    Locked,
    /// State that cannot be put under a lock.
    LockFree,
}

/// What a job is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Where the time goes.
    pub time: Time,
    /// How many jobs there are at once.
    pub at_once: u32,
    /// What they share.
    pub shared: Shared,
    /// Whether there are libraries that can be awaited.
    pub has_async: bool,
    /// Whether one deadline ends all of them.
    pub deadline: bool,
    /// The most memory, in MiB.
    pub memory_mib: u32,
    /// Whether a crash of one must not touch the others.
    pub crash_safe: bool,
    /// Which Python.
    pub runtime: Runtime,
    /// Logical cores.
    pub cores: u32,
}

/// The constraint that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A crash must stay outside.
    CrashOutside,
    /// State is shared that no lock can protect.
    NoLocks,
    /// One deadline is to end all, and what waits can be cancelled.
    Deadline,
    /// The same, and nothing that waits can be cancelled.
    DeadlineBlocking,
    /// There is one job.
    OneAtATime,
    /// There is one core.
    OneCore,
    /// Two workers do not fit into the memory.
    NoMemory,
    /// The interpreter lock, under which one thread computes at a time.
    InterpreterLock,
    /// There is no interpreter lock.
    NoInterpreterLock,
    /// The code lets go of the lock.
    LetsGo,
    /// More waits at once than threads fit or pay.
    TooManyForThreads,
    /// They wait.
    Waits,
}

/// What is advised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The strategy.
    pub strategy: Strategy,
    /// How many workers, or tasks at once.
    pub workers: u32,
    /// What decided.
    pub reason: Reason,
    /// What would be advised without it.
    pub otherwise: Strategy,
}

impl Needs {
    /// What was asked for.
    pub fn of(asked: &Asked) -> Self {
        Self {
            time: match asked.choice("time") {
                Some("computes") => Time::Computes,
                Some("releases") => Time::Releases,
                _ => Time::Waits,
            },
            at_once: asked.unsigned("atOnce"),
            shared: match asked.choice("shared") {
                Some("locked") => Shared::Locked,
                Some("lock-free") => Shared::LockFree,
                _ => Shared::Nothing,
            },
            has_async: asked.choice("libraries") == Some("async"),
            deadline: asked.flag("deadline"),
            memory_mib: asked.unsigned("memoryMiB"),
            crash_safe: asked.flag("crashSafe"),
            ..Self::plain(asked)
        }
    }

    /// Ten network calls, on the machine and the Python that were asked for.
    pub fn plain(asked: &Asked) -> Self {
        Self {
            time: Time::Waits,
            at_once: 10,
            shared: Shared::Nothing,
            has_async: false,
            deadline: false,
            memory_mib: 1_024,
            crash_safe: false,
            runtime: asked.choice("runtime").and_then(runtime_of).unwrap_or(Runtime::Gil),
            cores: asked.unsigned("logicalCores").max(asked.unsigned("cores")).max(1),
        }
    }

    /// The same without the constraint that decided.
    pub fn without(self, reason: Reason) -> Self {
        match reason {
            Reason::CrashOutside => Self {
                crash_safe: false,
                ..self
            },
            Reason::NoLocks => Self {
                shared: Shared::Locked,
                ..self
            },
            Reason::Deadline | Reason::DeadlineBlocking => Self {
                deadline: false,
                ..self
            },
            Reason::OneAtATime | Reason::TooManyForThreads => Self { at_once: 10, ..self },
            Reason::OneCore => Self { cores: 4, ..self },
            Reason::NoMemory => Self {
                memory_mib: 65_536,
                ..self
            },
            Reason::InterpreterLock => Self {
                runtime: Runtime::FreeThreaded,
                ..self
            },
            Reason::NoInterpreterLock => Self {
                runtime: Runtime::Gil,
                ..self
            },
            Reason::LetsGo => Self {
                time: Time::Computes,
                ..self
            },
            Reason::Waits => Self { at_once: 1, ..self },
        }
    }

    /// Whether the strategy exists on this Python.
    pub fn offers(&self, strategy: Strategy) -> bool {
        strategy != Strategy::Interpreters || self.runtime != Runtime::GilLegacy
    }

    /// How many workers fit into the memory, or tasks.
    fn fitting(&self, strategy: Strategy) -> u32 {
        let costs = MemoryCosts::CPYTHON;
        let thread = costs.thread + costs.thread_stack;
        let spare = (u64::from(self.memory_mib) * MEBIBYTE).saturating_sub(costs.process);
        let most = match strategy {
            Strategy::Serial => 1,
            Strategy::Threads | Strategy::ToThread => spare / thread,
            // A pool of processes has a thread of its own.
            Strategy::Processes => spare.saturating_sub(thread) / costs.process,
            Strategy::Interpreters => spare / (thread + costs.interpreter),
            Strategy::EventLoop => spare / costs.task,
        };
        u32::try_from(most).unwrap_or(u32::MAX)
    }

    /// How many workers a strategy should have, from 1; of an event loop: how many tasks at once.
    pub fn workers(&self, strategy: Strategy) -> u32 {
        let useful = match (strategy, self.time) {
            (Strategy::Serial, _) => 1,
            (Strategy::Threads, Time::Waits) => u32::MAX,
            // Some more than cores, so that a last round is shared out.
            (Strategy::Threads, Time::Computes | Time::Releases) => self.cores.saturating_mul(2),
            (Strategy::Processes | Strategy::Interpreters, Time::Waits) => MOST_PROCESSES,
            (Strategy::Processes | Strategy::Interpreters, Time::Computes | Time::Releases) => {
                self.cores.min(MOST_PROCESSES)
            }
            (Strategy::EventLoop, _) => MOST_TASKS,
            // `asyncio.to_thread` has a pool of its own making.
            (Strategy::ToThread, _) => return self.cores.saturating_add(4).min(32),
        };
        useful.min(self.at_once).min(self.fitting(strategy)).max(1)
    }

    /// Processes, or interpreters where so many more of them fit.
    fn isolated(&self) -> Strategy {
        let rounds = |strategy| f64::from(self.at_once.div_ceil(self.workers(strategy)));
        let fewer = rounds(Strategy::Interpreters) < rounds(Strategy::Processes) * FEWER_ROUNDS;
        if fewer && self.offers(Strategy::Interpreters) {
            Strategy::Interpreters
        } else {
            Strategy::Processes
        }
    }
}

/// What is advised, and the constraint without which something else would be.
pub fn advise(needs: &Needs) -> Advice {
    let (strategy, reason) = first_rule(needs);
    let relaxed = needs.without(reason);
    let (otherwise, _) = first_rule(&relaxed);
    let workers = needs.workers(strategy);
    // A constraint without which the advice would be the same has not decided; what does then has.
    if otherwise == strategy && relaxed != *needs {
        return Advice {
            workers,
            ..advise(&relaxed)
        };
    }
    Advice {
        strategy,
        workers,
        reason,
        otherwise,
    }
}

/// Demands first, then where the time goes.
fn first_rule(needs: &Needs) -> (Strategy, Reason) {
    let waits = needs.time == Time::Waits;
    if needs.crash_safe {
        return (Strategy::Processes, Reason::CrashOutside);
    }
    if needs.shared == Shared::LockFree && needs.at_once > 1 {
        return if_they_fit(needs, needs.isolated(), Reason::NoLocks);
    }
    if needs.deadline && waits && needs.has_async {
        return (Strategy::EventLoop, Reason::Deadline);
    }
    if needs.at_once == 1 {
        return (Strategy::Serial, Reason::OneAtATime);
    }
    if needs.deadline && waits {
        return if_they_fit(needs, Strategy::Threads, Reason::DeadlineBlocking);
    }
    match needs.time {
        Time::Waits if needs.has_async && needs.at_once > needs.fitting(Strategy::Threads).min(MANY_THREADS) => {
            (Strategy::EventLoop, Reason::TooManyForThreads)
        }
        Time::Waits => if_they_fit(needs, Strategy::Threads, Reason::Waits),
        Time::Computes | Time::Releases if needs.cores == 1 => (Strategy::Serial, Reason::OneCore),
        Time::Computes if needs.runtime == Runtime::FreeThreaded => {
            if_they_fit(needs, Strategy::Threads, Reason::NoInterpreterLock)
        }
        Time::Computes => if_they_fit(needs, needs.isolated(), Reason::InterpreterLock),
        Time::Releases => if_they_fit(needs, Strategy::Threads, Reason::LetsGo),
    }
}

/// One worker of a pool gains nothing.
fn if_they_fit(needs: &Needs, strategy: Strategy, reason: Reason) -> (Strategy, Reason) {
    if needs.fitting(strategy) < 2 {
        (Strategy::Serial, Reason::NoMemory)
    } else {
        (strategy, reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs() -> Needs {
        Needs {
            cores: 4,
            ..Needs::plain(&Asked::default())
        }
    }

    fn advised(needs: Needs) -> (Strategy, u32, Reason) {
        let Advice {
            strategy,
            workers,
            reason,
            otherwise,
        } = advise(&needs);
        assert_ne!(otherwise, strategy);
        (strategy, workers, reason)
    }

    #[test]
    fn the_worked_example() {
        assert_eq!(advised(needs()), (Strategy::Threads, 10, Reason::Waits));
        let many = Needs {
            at_once: 2_000,
            has_async: true,
            ..needs()
        };
        assert_eq!(advised(many), (Strategy::EventLoop, 2_000, Reason::TooManyForThreads));
        let few = many.without(Reason::TooManyForThreads);
        assert_eq!(advised(few).0, Strategy::Threads);
    }

    #[test]
    fn a_demand_that_is_met_anyway_has_not_decided() {
        let computing = Needs {
            time: Time::Computes,
            ..needs()
        };
        let decided = (Strategy::Processes, 4, Reason::InterpreterLock);
        assert_eq!(advised(computing), decided);
        let demanding = Needs {
            crash_safe: true,
            shared: Shared::LockFree,
            ..computing
        };
        assert_eq!(advised(demanding), decided);
        let waiting = Needs {
            time: Time::Waits,
            ..demanding
        };
        assert_eq!(advised(waiting).0, Strategy::Processes);
    }

    #[test]
    fn memory_decides_where_it_is_short() {
        let short = Needs {
            memory_mib: 16,
            ..needs()
        };
        assert_eq!(advised(short), (Strategy::Serial, 1, Reason::NoMemory));
        let computing = Needs {
            time: Time::Computes,
            at_once: 9,
            memory_mib: 40,
            ..needs()
        };
        assert_eq!(advised(computing).0, Strategy::Interpreters);
        let of_old = Needs {
            runtime: Runtime::GilLegacy,
            ..computing
        };
        assert_eq!(advised(of_old).0, Strategy::Processes);
    }

    #[test]
    fn on_one_core_nothing_computes_faster() {
        for time in [Time::Computes, Time::Releases] {
            let needs = Needs {
                time,
                cores: 1,
                ..needs()
            };
            assert_eq!(advised(needs), (Strategy::Serial, 1, Reason::OneCore));
        }
    }
}
