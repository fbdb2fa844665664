//! Livelock: threads go round in a circle and none gets on.
//!
//! The rule, exactly: of the last thousand or so things that threads did (calls with what came of them, time-outs, changes
//! of cells), the end is one pattern at least eight times in a row; in each round at least two threads tried something in
//! vain (a lock that was not to be had, a queue that was empty or full, a time that was up); and since before that no
//! thread ended, no future was done, no item came out of a queue, no request was answered and no program made a mark.
//!
//! Worked example: two threads each hold a lock and try the other's without success, let their own go, and begin again.
//!
//! Not here: busy waiting of one thread, which looks like any other loop; and tasks, which have their own detector in a
//! trace's diagnosis.

use std::collections::BTreeSet;

use super::Watch;
use crate::machine::program::Access;
use crate::machine::threads::blocking::Answer;
use crate::machine::threads::primitives::ThreadQueueCall;
use crate::machine::threads::{Machine, ThreadCall, ThreadId};
use crate::machine::trace::periodic_start;
use crate::machine::{Kind, Nanoseconds, Value};

/// A circle without progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// Threads that try in vain in each round.
    pub threads: Vec<ThreadId>,
    /// How many things a round consists of.
    pub round: u32,
    /// How many rounds were seen up to now; there may have been more before.
    pub n_rounds: u32,
    /// Since when, at least.
    pub since: Nanoseconds,
}

/// So much is remembered.
const REMEMBERED: usize = 1024;

/// What threads did of late.
#[derive(Debug, Default)]
pub(in crate::machine::threads) struct Recent {
    seen: Vec<Seen>,
    /// Where the next goes.
    next: usize,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Equal where the same thread did the same with the same result.
    mark: u64,
    thread: ThreadId,
    in_vain: bool,
    at: Nanoseconds,
}

impl Recent {
    fn add(&mut self, seen: Seen) {
        match self.seen.get_mut(self.next) {
            Some(place) => *place = seen,
            None => self.seen.push(seen),
        }
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// Somebody got on: what was before is no circle.
    pub fn forget(&mut self) {
        self.seen.clear();
        self.next = 0;
    }

    /// The last first.
    fn backwards(&self) -> Vec<&Seen> {
        let (later, earlier) = self.seen.split_at(self.next.min(self.seen.len()));
        later.iter().rev().chain(earlier.iter().rev()).collect()
    }

    pub fn repetition(&self) -> Option<Repetition> {
        let backwards = self.backwards();
        let marks: Vec<u64> = backwards.iter().map(|seen| seen.mark).collect();
        let (length, round) = periodic_start(&marks)?;
        let in_vain = backwards.iter().take(round).filter(|seen| seen.in_vain);
        let threads: BTreeSet<ThreadId> = in_vain.map(|seen| seen.thread).collect();
        let since = backwards.get(length - 1).map_or(Nanoseconds::ZERO, |seen| seen.at);
        (threads.len() > 1).then(|| Repetition {
            threads: threads.into_iter().collect(),
            round: round as u32,
            n_rounds: (length / round) as u32,
            since,
        })
    }
}

/// One number of several: FNV-1a, 64 bits a step.
fn mix(parts: &[u64]) -> u64 {
    parts.iter().fold(0xcbf2_9ce4_8422_2325, |hash, part| {
        (hash ^ part).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
    })
}

fn mark_of(value: &Value) -> u64 {
    match value {
        Value::None => 1,
        Value::Bool(truth) => 2 + u64::from(*truth),
        Value::Int(number) => mix(&[4, *number as u64]),
        Value::Handle(handle) => mix(&[5, *handle]),
        Value::Text(text) => mix(&[6, text.len() as u64]),
        Value::Exception(_) => 7,
        Value::List(values) => mix(&[8, values.len() as u64]),
    }
}

/// What a call was, but for what it carries.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine::threads) struct CallMark {
    mark: u64,
    takes_item: bool,
}

impl CallMark {
    pub fn new(call: &ThreadCall) -> Self {
        // The object's number tells calls on different objects apart; the kinds inside one object's calls differ in
        // their answers.
        let (kind, object) = match call {
            ThreadCall::Sleep(delay) => (1, delay.0),
            ThreadCall::Lock(call) => (2, call.object()),
            ThreadCall::ReentrantLock(call) => (3, call.object()),
            ThreadCall::Condition(call) => (4, call.object()),
            ThreadCall::Semaphore(call) => (5, call.object()),
            ThreadCall::Event(call) => (6, call.object()),
            ThreadCall::Barrier(_) => (7, 0),
            ThreadCall::Queue(call) => (8, call.object()),
            ThreadCall::Future(_) => (9, 0),
            ThreadCall::Pool(_) => (10, 0),
            ThreadCall::Network(_) => (11, 0),
            ThreadCall::Process(_) => (12, 0),
            _ => (13, 0),
        };
        Self {
            mark: mix(&[kind, object]),
            takes_item: matches!(call, ThreadCall::Queue(ThreadQueueCall::Get(..))),
        }
    }
}

impl Machine {
    /// A thread's call was answered, or the thread waits.
    pub(in crate::machine::threads) fn called(&mut self, thread: ThreadId, call: CallMark, answer: &Answer) {
        let (result, in_vain) = match answer {
            Answer::Gives(_) if call.takes_item => {
                self.watch.repetition.forget();
                return;
            }
            Answer::Gives(value) => (mark_of(value), *value == Value::Bool(false)),
            Answer::Raises(exception) => {
                let vain = [Kind::QueueEmpty, Kind::QueueFull, Kind::Timeout, Kind::Connection];
                (20, vain.contains(&exception.kind()))
            }
            Answer::Blocks(..) => (21, false),
            Answer::Runs | Answer::Stops => (22, false),
        };
        self.saw(thread, mix(&[call.mark, result]), in_vain);
    }

    /// A thread's time was up.
    pub(in crate::machine::threads) fn saw_timeout(&mut self, thread: ThreadId) {
        self.saw(thread, 30, true);
    }

    /// A cell has another value than before.
    #[inline]
    pub(in crate::machine::threads) fn saw_change(&mut self, thread: ThreadId, access: &Access) {
        let value = match access {
            Access::Read(_) => 0,
            Access::Write(_, value) => mark_of(value),
            // The number before is not known here: whoever adds changes something for good.
            Access::Add(..) => self.steps,
            Access::CompareAndSwap(_, values) => mark_of(&values.1),
        };
        self.saw(thread, mix(&[40, u64::from(access.cell().0), value]), false);
    }

    fn saw(&mut self, thread: ThreadId, mark: u64, in_vain: bool) {
        let at = self.now;
        self.watch.repetition.add(Seen {
            mark: mix(&[u64::from(thread.0), mark]),
            thread,
            in_vain,
            at,
        });
    }
}

impl Watch {
    /// Somebody got on.
    pub fn progress(&mut self) {
        self.repetition.forget();
    }
}
