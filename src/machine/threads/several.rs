//! `concurrent.futures.wait` and `as_completed`: waiting for several futures.
//!
//! As in CPython, a future that was cancelled counts as done here only when its pool has come across it.
//!
//! Not here: waiting for one.

use std::collections::{BTreeSet, VecDeque};

use super::blocking::Answer;
use super::futures::{ConcurrentCall, FutureState};
use super::thread::{Several, Wait};
use super::{CompletionsId, ConcurrentFutureId, Machine, Patience, ThreadId};
use crate::machine::event_loop::Until;
use crate::machine::{Exception, Kind, Nanoseconds, Outcome, Value};

/// An iteration over futures in the order of their completion.
#[derive(Debug)]
pub(super) struct Completions {
    /// Done, and not given yet.
    done: VecDeque<ConcurrentFutureId>,
    /// How many are not done.
    left: usize,
    total: usize,
    deadline: Option<Nanoseconds>,
    waiters: VecDeque<ThreadId>,
}

impl Machine {
    pub(super) fn several_call(&mut self, thread: ThreadId, call: ConcurrentCall) -> Answer {
        match call {
            ConcurrentCall::Wait(wait) => match self.all_known(&wait.of) {
                Some(of) => self.wait_for_several(thread, of, wait.until, wait.timeout),
                None => Answer::unknown(),
            },
            ConcurrentCall::AsCompleted(of, limit) => match self.all_known(&of) {
                Some(of) => self.as_completed(&of, limit),
                None => Answer::unknown(),
            },
            ConcurrentCall::Next(id) => self.next_call(thread, id),
            _ => Answer::unknown(),
        }
    }

    /// The futures, each once; none if one of them does not exist.
    fn all_known(&self, of: &[ConcurrentFutureId]) -> Option<Vec<ConcurrentFutureId>> {
        let mut seen = BTreeSet::new();
        let once = of.iter().copied().filter(|future| seen.insert(*future));
        let once: Vec<ConcurrentFutureId> = once.collect();
        once.iter()
            .all(|future| future.index() < self.futures.len())
            .then_some(once)
    }

    fn wait_for_several(
        &mut self,
        thread: ThreadId,
        of: Vec<ConcurrentFutureId>,
        until: Until,
        limit: Option<Nanoseconds>,
    ) -> Answer {
        let (mut left, mut is_enough) = (0, false);
        for id in &of {
            let future = self.future_mut(*id);
            if future.counts_as_done() {
                is_enough |= is_enough_by(until, &future.state);
            } else {
                left += 1;
            }
        }
        if is_enough || left == 0 {
            return self.sorted(&of).into();
        }
        for id in &of {
            let future = self.future_mut(*id);
            if !future.counts_as_done() {
                future.waiters.push_back(thread);
            }
        }
        let several = Several {
            of,
            until,
            left,
            is_enough: false,
        };
        Answer::Blocks(Wait::Several(Box::new(several)), limit)
    }

    pub(super) fn attempt_several(&mut self, thread: ThreadId, several: &Several) -> Option<Outcome> {
        if !several.is_enough {
            return None;
        }
        for id in &several.of {
            self.leave_future(thread, *id);
        }
        Some(Ok(self.sorted(&several.of)))
    }

    /// Two lists: done and not done.
    pub(super) fn sorted(&self, of: &[ConcurrentFutureId]) -> Value {
        let is_done = |id: &ConcurrentFutureId| self.futures.get(id.index()).is_some_and(|of| of.counts_as_done());
        let (done, open): (Vec<ConcurrentFutureId>, Vec<ConcurrentFutureId>) = of.iter().partition(|id| is_done(id));
        let list = |ids: Vec<ConcurrentFutureId>| Value::from(ids.into_iter().map(Value::from).collect::<Vec<Value>>());
        vec![list(done), list(open)].into()
    }

    /// A future counts as done from now on: who waits for it among others may go on.
    pub(super) fn count_as_done(&mut self, future_id: ConcurrentFutureId) {
        self.watch.progress();
        self.watch.n_done += 1;
        let place = self.watch.n_done;
        let future = self.future_mut(future_id);
        future.place = place;
        let (state, waiters) = (future.state.clone(), future.waiters.clone());
        let completions = std::mem::take(&mut future.completions);
        for waiter in waiters {
            let Some(Wait::Several(several)) = self.thread_mut(waiter).wait_mut() else {
                continue;
            };
            several.left = several.left.saturating_sub(1);
            several.is_enough |= several.left == 0 || is_enough_by(several.until, &state);
            if several.is_enough {
                self.wake(waiter);
            }
        }
        for id in completions {
            let Some(of) = self.completions.get_mut(id.index()) else {
                continue;
            };
            of.left -= 1;
            of.done.push_back(future_id);
            let waiters = of.waiters.clone();
            self.wake_first(&waiters, 1);
        }
    }

    fn as_completed(&mut self, of: &[ConcurrentFutureId], limit: Option<Nanoseconds>) -> Answer {
        if self.is_too_many(self.completions.len()) {
            return Answer::Stops;
        }
        let id = CompletionsId(self.completions.len() as u32);
        let mut done = Vec::new();
        for future_id in of {
            let future = self.future_mut(*future_id);
            if future.counts_as_done() {
                done.push((future.place, *future_id));
            } else {
                future.completions.push(id);
            }
        }
        done.sort_unstable();
        self.completions.push(Completions {
            left: of.len() - done.len(),
            done: done.into_iter().map(|(_, future)| future).collect(),
            total: of.len(),
            deadline: limit.map(|limit| self.now + limit),
            waiters: VecDeque::new(),
        });
        id.into()
    }

    fn next_call(&mut self, thread: ThreadId, id: CompletionsId) -> Answer {
        let now = self.now;
        let Some(of) = self.completions.get_mut(id.index()) else {
            return Answer::unknown();
        };
        let patience = match of.deadline {
            None => Patience::Forever,
            Some(deadline) if deadline <= now => Patience::No,
            Some(deadline) => Patience::For(deadline.since(now)),
        };
        let outcome = of.next();
        if outcome.is_none() && patience != Patience::No {
            of.waiters.push_back(thread);
        }
        let timeout = Err(of.timeout());
        Self::now_or_wait(outcome, patience, Wait::Next(id), timeout)
    }

    pub(super) fn attempt_next(&mut self, thread: ThreadId, id: CompletionsId) -> Option<Outcome> {
        let of = self.completions.get_mut(id.index())?;
        let outcome = of.next()?;
        of.waiters.retain(|waiter| *waiter != thread);
        Some(outcome)
    }

    /// What `next` raises when its time is up.
    pub(super) fn completions_timeout(&self, id: CompletionsId) -> Exception {
        let of = self.completions.get(id.index());
        of.map_or_else(|| Exception::new(Kind::Timeout, ""), Completions::timeout)
    }

    pub(super) fn leave_completions(&mut self, thread: ThreadId, id: CompletionsId) {
        if let Some(of) = self.completions.get_mut(id.index()) {
            of.waiters.retain(|waiter| *waiter != thread);
        }
    }
}

impl Completions {
    /// The next that is done; nothing after the last.
    fn next(&mut self) -> Option<Outcome> {
        match self.done.pop_front() {
            Some(future) => Some(Ok(future.into())),
            None => (self.left == 0).then_some(Ok(Value::None)),
        }
    }

    /// What is raised when the time is up.
    fn timeout(&self) -> Exception {
        let message = format!("{} (of {}) futures unfinished", self.left, self.total);
        Exception::new(Kind::Timeout, message)
    }
}

/// Whether one future that is done is enough.
fn is_enough_by(until: Until, state: &FutureState) -> bool {
    match until {
        Until::FirstCompleted => true,
        Until::FirstException => matches!(state, FutureState::Done(Err(_))),
        Until::AllCompleted => false,
    }
}
