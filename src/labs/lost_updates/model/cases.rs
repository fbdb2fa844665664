//! The rows of a modelled run, and how many additions each of them is given.
//!
//! A race of a million additions would be five million steps of the machine and show no more than one of a thousand,
//! so a race has at most [`MOST_ADDITIONS`] of all threads together. Where an addition's own cost decides what gets
//! lost, each is made as much dearer: the race lasts as long, the lock changes hands as often (up to
//! [`MOST_INTERVALS`] times), and the share that gets lost is the same.
//!
//! Not here: the machine.

use crate::labs::rows::runtime_id;
use crate::labs::{Asked, presets};
use crate::machine::Nanoseconds;
use crate::measure::Subject;
use crate::wire::{Runtime, Strategy};

/// Additions of all threads together in a modelled race.
pub const MOST_ADDITIONS: u32 = 2_000;

/// And where the switch interval is no longer than it takes to hand the lock over, so that every addition may be a
/// hand-over.
const MOST_HAND_OVERS: u32 = 400;
const OFTEN: Nanoseconds = Nanoseconds::micros(20);

/// Switch intervals that a slowed race spans at most: more hand-overs would show no more.
const MOST_INTERVALS: u64 = 200;

/// Tasks on the event loop, and additions of each.
pub const TASKS: u32 = 10;
pub const ADDITIONS_A_TASK: u32 = 100;

/// How a counter is incremented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Plain,
    /// The same with a switch interval of 1 µs.
    PlainOften,
    Call,
    Wide,
    AwaitBetween,
    Lock,
    Atomic,
    OwnThenMerge,
    Queue,
}

const ALL: [Variant; 9] = [
    Variant::Plain,
    Variant::PlainOften,
    Variant::Call,
    Variant::Wide,
    Variant::AwaitBetween,
    Variant::Lock,
    Variant::Atomic,
    Variant::OwnThenMerge,
    Variant::Queue,
];

/// What runs side by side when neither variant nor runtime was chosen: every variant where it says most.
const SIDE_BY_SIDE: [(Variant, Runtime, Strategy); 12] = [
    (Variant::Plain, Runtime::GilLegacy, Strategy::Threads),
    (Variant::Plain, Runtime::Gil, Strategy::Threads),
    (Variant::PlainOften, Runtime::Gil, Strategy::Threads),
    (Variant::Plain, Runtime::FreeThreaded, Strategy::Threads),
    (Variant::Call, Runtime::Gil, Strategy::Threads),
    (Variant::Wide, Runtime::Gil, Strategy::Threads),
    (Variant::Plain, Runtime::Gil, Strategy::EventLoop),
    (Variant::AwaitBetween, Runtime::Gil, Strategy::EventLoop),
    (Variant::Lock, Runtime::FreeThreaded, Strategy::Threads),
    (Variant::Atomic, Runtime::FreeThreaded, Strategy::Threads),
    (Variant::OwnThenMerge, Runtime::FreeThreaded, Strategy::Threads),
    (Variant::Queue, Runtime::FreeThreaded, Strategy::Threads),
];

/// One row.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is.
    pub subject: Subject,
    pub variant: Variant,
    pub runtime: Runtime,
    /// Racing threads, or tasks.
    pub workers: u32,
    /// Additions of each.
    pub additions: u32,
    /// How many times as dear each addition is made.
    pub slower: u64,
}

impl Variant {
    pub fn id(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::PlainOften => "plain-often",
            Self::Call => "call",
            Self::Wide => "wide",
            Self::AwaitBetween => "await-between",
            Self::Lock => "lock",
            Self::Atomic => "atomic",
            Self::OwnThenMerge => "own-then-merge",
            Self::Queue => "queue",
        }
    }

    pub fn switch_interval(self, asked: &Asked) -> Nanoseconds {
        let us = if self == Self::PlainOften {
            1
        } else {
            asked.unsigned("switchIntervalUs")
        };
        Nanoseconds::micros(us.into())
    }

    /// Whether waiting for each other, not computing, takes the time: then a dearer addition would show nothing.
    fn waits(self) -> bool {
        matches!(self, Self::Wide | Self::Lock | Self::Queue)
    }
}

impl Case {
    fn new(asked: &Asked, variant: Variant, runtime: Runtime, strategy: Strategy) -> Self {
        let is_loop = strategy == Strategy::EventLoop;
        let workers = if is_loop {
            TASKS
        } else {
            asked.unsigned("threads").max(1)
        };
        let wanted = if is_loop {
            ADDITIONS_A_TASK
        } else {
            asked.unsigned("additions").max(1)
        };
        let interval = variant.switch_interval(asked);
        let has_lock = runtime != Runtime::FreeThreaded && !is_loop;
        let is_often = has_lock && interval < OFTEN;
        let most = if is_often { MOST_HAND_OVERS } else { MOST_ADDITIONS };
        let additions = wanted.min((most / workers).max(1));
        let mut slower = if variant.waits() || is_often {
            1
        } else {
            u64::from(wanted / additions)
        };
        if has_lock {
            let python = presets::of(asked).python;
            let race = u64::from(workers * additions) * (python.addition_window + python.addition_rest);
            let longest = MOST_INTERVALS * interval.0;
            slower = slower.min(longest / race.max(1)).max(1);
        }
        let subject = Subject {
            variant: Some(variant.id().to_owned()),
            runtime: Some(runtime),
            workers: Some(workers),
            ..Subject::new(strategy)
        };
        Self {
            subject,
            variant,
            runtime,
            workers,
            additions,
            slower,
        }
    }

    /// What the counter should hold in the end.
    pub fn expected(&self) -> i64 {
        i64::from(self.workers) * i64::from(self.additions)
    }

    /// Whether it is as dear in all as the additions that were asked for.
    pub fn is_slow_motion(&self, wanted: u32) -> bool {
        self.slower > 1 && self.slower == u64::from(wanted / self.additions)
    }
}

/// The rows of a run.
pub fn cases(asked: &Asked) -> Vec<Case> {
    let case = |(variant, runtime, strategy)| Case::new(asked, variant, runtime, strategy);
    if asked.choice("variant").is_none() && asked.choice("runtime").is_none() {
        return SIDE_BY_SIDE.into_iter().map(case).collect();
    }
    let allowed = |variant: &Variant| {
        // What runs often is a row of its own only beside the others.
        *variant != Variant::PlainOften && asked.allows("variant", variant.id())
    };
    let runtimes = [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded];
    let runtimes = runtimes
        .into_iter()
        .filter(|runtime| asked.allows("runtime", runtime_id(*runtime)));
    let runtimes: Vec<Runtime> = runtimes.collect();
    let mut cases = Vec::new();
    for variant in ALL.into_iter().filter(allowed) {
        for runtime in &runtimes {
            if variant != Variant::AwaitBetween {
                cases.push(case((variant, *runtime, Strategy::Threads)));
            }
        }
        // One thread runs the event loop: the runtime changes nothing.
        if matches!(variant, Variant::Plain | Variant::AwaitBetween) {
            let runtime = runtimes.first().copied().unwrap_or(Runtime::Gil);
            cases.push(case((variant, runtime, Strategy::EventLoop)));
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labs::{Lab, Value};

    fn asked(values: &[(&'static str, u32)]) -> Asked {
        let mut asked = Asked::defaults(super::super::super::LAB.about().parameters, crate::wire::Mode::Model, 1);
        for (id, value) in values {
            asked.set(id, Value::Unsigned(*value));
        }
        asked
    }

    #[test]
    fn many_additions_become_fewer_and_dearer() {
        let case = |values, variant| Case::new(&asked(values), variant, Runtime::Gil, Strategy::Threads);
        let plain = case(&[], Variant::Plain);
        assert_eq!((plain.additions, plain.slower), (500, 500));
        assert!(plain.is_slow_motion(250_000));
        // At 1 µs the lock changes hands often enough without.
        assert_eq!(case(&[], Variant::PlainOften).slower, 1);
        let most = case(&[("threads", 16), ("additions", 10_000_000)], Variant::Plain);
        assert_eq!((most.additions, most.slower), (125, 7_692));
        let few = case(&[("additions", 1)], Variant::Plain);
        assert_eq!((few.additions, few.slower), (1, 1));
        assert_eq!(case(&[], Variant::Queue).slower, 1);
    }
}
