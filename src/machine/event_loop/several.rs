//! Waiting for several futures: `wait` for enough of them, `as_completed` for one after the other.
//!
//! Source: `Lib/asyncio/tasks.py`. Where asyncio walks a set, futures are taken in the order given here.

use std::collections::BTreeSet;

use super::callbacks::Callback;
use super::effects::{Until, Wait};
use super::ids::{AsCompletedId, FutureId, QueueId};
use super::state::{Step, Turn};
use super::timers::{Timed, TimerRef};
use super::waits::Waiting;
use crate::machine::{Exception, Input, Kind, Nanoseconds, Outcome, Value};

/// `asyncio.wait`, under way.
pub(super) struct Several {
    pub(super) of: Vec<FutureId>,
    n_left: usize,
    until: Until,
    timer: Option<TimerRef>,
}

/// `asyncio.as_completed`
pub(super) struct Completion {
    pub(super) todo: BTreeSet<FutureId>,
    /// What is done, as handles; nothing for each that was not when the time was over.
    pub(super) done: QueueId,
    pub(super) n_left: usize,
    pub(super) timer: Option<TimerRef>,
}

impl Turn<'_> {
    /// `asyncio.wait`
    pub(super) fn wait_several(&mut self, task: FutureId, arguments: Wait) -> Step {
        let Wait { of, until, timeout } = arguments;
        let mut seen = BTreeSet::new();
        let of: Vec<FutureId> = of.into_iter().filter(|future| seen.insert(*future)).collect();
        if of.is_empty() {
            let error = Exception::new(Kind::ValueError, "Set of Tasks/Futures is empty.");
            return Step::Go(Input::Throw(error));
        }
        if let Some(error) = of.iter().find_map(|future| self.state.futures.get(*future).err()) {
            return Step::Go(Input::Throw(error));
        }
        let wait = self.next_wait(task);
        let timer = timeout.and_then(|delay| self.schedule_at(self.state.now + delay, Timed::Release(task, wait)));
        for future in &of {
            self.pin(*future);
            self.when_done(*future, Callback::Waited(task, wait, *future));
        }
        let several = Several {
            n_left: of.len(),
            of,
            until,
            timer,
        };
        self.wait_for_waiter(task, Waiting::Several(Box::new(several)))
    }

    /// One of the futures that a task waits for is done.
    pub(super) fn waited(&mut self, id: FutureId, wait: u32, child: FutureId) {
        let Ok(future) = self.state.futures.get_mut(id) else {
            return;
        };
        if future.wait != wait {
            return;
        }
        let Some(Waiting::Several(several)) = future.task_mut().map(|task| &mut task.waiting) else {
            return;
        };
        several.n_left = several.n_left.saturating_sub(1);
        let (timer, until) = (several.timer, several.until);
        let is_enough = several.n_left == 0
            || match until {
                Until::AllCompleted => false,
                Until::FirstCompleted => true,
                // To look whether it raised is to ask for its exception.
                Until::FirstException => {
                    let child = self.state.futures.get_mut(child);
                    child.is_ok_and(|child| !child.is_cancelled() && matches!(child.exception(), Ok(Some(_))))
                }
            };
        if is_enough {
            self.cancel_timer(timer);
            self.release(id);
        }
    }

    pub(super) fn waited_several(&mut self, task: FutureId, several: Several, woke: Outcome) -> Outcome {
        self.cancel_timer(several.timer);
        let (mut done, mut pending) = (Vec::new(), Vec::new());
        for id in several.of {
            if let Ok(future) = self.state.futures.get_mut(id) {
                future
                    .callbacks
                    .remove(|callback| matches!(callback, Callback::Waited(waiter, ..) if *waiter == task));
                let list = if future.is_done() { &mut done } else { &mut pending };
                list.push(Value::from(id));
            }
            self.unpin(id);
        }
        woke?;
        Ok(Value::from(vec![Value::from(done), Value::from(pending)]))
    }

    /// `asyncio.as_completed`, when its awaitables are futures.
    pub(super) fn as_completed(&mut self, of: &[FutureId], timeout: Option<Nanoseconds>) -> Outcome {
        let todo: BTreeSet<FutureId> = of.iter().copied().collect();
        let done = self.new_queue(super::effects::QueueOrder::First, 0);
        self.state.count_object();
        let n_left = todo.len();
        let id = self.state.completions.push(Completion {
            todo,
            done,
            n_left,
            timer: None,
        });
        let mut seen = BTreeSet::new();
        for future in of.iter().filter(|future| seen.insert(**future)) {
            self.pin(*future);
            self.when_done(*future, Callback::Completed(id, *future));
        }
        if let Some(delay) = timeout.filter(|_| n_left > 0) {
            let timer = self.schedule_at(self.state.now + delay, Timed::CompletedOver(id));
            self.state.completions.get_mut(id)?.timer = timer;
        }
        Ok(id.into())
    }

    /// The next of an as-completed.
    pub(super) fn next_completed(&mut self, task: FutureId, id: AsCompletedId, is_result: bool) -> Step {
        let completion = match self.state.completions.get_mut(id) {
            Ok(completion) => completion,
            Err(exception) => return Step::Go(Input::Throw(exception)),
        };
        if completion.n_left == 0 {
            let end = if is_result {
                "StopIteration"
            } else {
                "StopAsyncIteration"
            };
            return Step::Go(Input::Throw(Exception::own(end, Value::None)));
        }
        completion.n_left -= 1;
        let queue = completion.done;
        let got = self.get_or_queue(task, queue);
        self.completed(task, id, is_result, got)
    }

    pub(super) fn completed(
        &mut self,
        task: FutureId,
        id: AsCompletedId,
        is_result: bool,
        got: Option<Outcome>,
    ) -> Step {
        let Some(outcome) = got else {
            return match self.state.completions.get(id).map(|completion| completion.done) {
                Ok(queue) => self.wait_for_waiter(task, Waiting::Completed(id, queue, is_result)),
                Err(exception) => Step::Go(Input::Throw(exception)),
            };
        };
        let outcome = outcome.and_then(|item| {
            if item == Value::None {
                return Err(Exception::new(Kind::Timeout, ""));
            }
            let future = FutureId::try_from(&item)?;
            let result = if is_result {
                self.state.futures.get_mut(future)?.result()
            } else {
                Ok(item)
            };
            self.unpin(future);
            result
        });
        outcome.into()
    }

    /// A future of an as-completed is done.
    pub(super) fn completion_done(&mut self, id: AsCompletedId, future: FutureId) {
        let Ok(completion) = self.state.completions.get_mut(id) else {
            return;
        };
        if !completion.todo.remove(&future) {
            return;
        }
        let (queue, timer) = (completion.done, completion.timer);
        let is_last = completion.todo.is_empty();
        // A plain queue takes anything.
        let _ = self.put_now(queue, future.into());
        if is_last {
            self.cancel_timer(timer);
        }
    }

    /// The time of an as-completed is over.
    pub(super) fn completion_over(&mut self, id: AsCompletedId) {
        let Ok(completion) = self.state.completions.get_mut(id) else {
            return;
        };
        let queue = completion.done;
        for future in std::mem::take(&mut completion.todo) {
            if let Ok(row) = self.state.futures.get_mut(future) {
                row.callbacks
                    .remove(|callback| matches!(callback, Callback::Completed(found, _) if *found == id));
            }
            self.unpin(future);
            let _ = self.put_now(queue, Value::None);
        }
    }
}
