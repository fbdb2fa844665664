//! Gathers and shields: futures that stand before others.
//!
//! Source: `gather`, `_GatheringFuture` and `shield` in `Lib/asyncio/tasks.py`.
//!
//! Not here: how a cancellation of a gather reaches its children, see `cancel`.

use std::collections::BTreeSet;

use super::callbacks::Callback;
use super::effects::OnException;
use super::futures::{Of, Settled, cancelled};
use super::ids::FutureId;
use super::settings::{Complaint, Fault};
use super::state::Turn;
use crate::machine::{Exception, Outcome, Value};

/// Each once, in order. Ids that were made one after the other, as most are, cost next to nothing.
fn distinct(of: &[FutureId]) -> Vec<FutureId> {
    let mut distinct = of.to_vec();
    if !distinct.is_sorted_by(|one, next| one < next) {
        distinct.sort_unstable();
        distinct.dedup();
    }
    distinct
}

/// What a gather's future has besides.
pub(super) struct Gather {
    /// In the order given; one given twice is there twice.
    pub(super) children: Box<[FutureId]>,
    /// In the order of completion, for a seeded fault alone.
    finished: Vec<FutureId>,
    n_left: usize,
    on_exception: OnException,
    pub(super) is_cancel_requested: bool,
}

impl Turn<'_> {
    /// `asyncio.gather`, of futures.
    ///
    /// # Errors
    /// There is no such future.
    pub(super) fn gather(&mut self, of: &[FutureId], on_exception: OnException) -> Outcome {
        self.gather_future(of, on_exception).map(Value::from)
    }

    /// The future of a gather.
    ///
    /// # Errors
    /// There is no such future.
    pub(super) fn gather_future(&mut self, of: &[FutureId], on_exception: OnException) -> Result<FutureId, Exception> {
        let n_distinct = distinct(of).len();
        let outer = self.add_future(Of::Gather(Box::new(Gather {
            children: of.into(),
            finished: Vec::new(),
            n_left: n_distinct,
            on_exception,
            is_cancel_requested: false,
        })));
        if of.is_empty() {
            self.settle(outer, Settled::Ok(Value::from(Vec::new())));
            return Ok(outer);
        }
        let mut done = Vec::new();
        let has_repeats = n_distinct < of.len();
        let mut seen = BTreeSet::new();
        for child in of.iter().copied().filter(|child| !has_repeats || seen.insert(*child)) {
            self.pin(child);
            self.pin(outer);
            if self.state.futures.is_done(child) {
                done.push(child);
            } else {
                self.when_done(child, Callback::Gathered(outer, child));
            }
        }
        for child in done {
            self.gathered(outer, child);
        }
        Ok(outer)
    }

    /// A gather's child is done.
    pub(super) fn gathered(&mut self, outer: FutureId, child: FutureId) {
        self.count_gathered(outer, child);
        self.unpin(outer);
    }

    fn count_gathered(&mut self, outer: FutureId, child: FutureId) {
        let in_order_of_completion = self.state.has(Fault::GatherInOrderOfCompletion);
        let Ok(future) = self.state.futures.get_mut(outer) else {
            return;
        };
        let is_over = future.is_done();
        let Of::Gather(gather) = &mut future.of else { return };
        gather.n_left = gather.n_left.saturating_sub(1);
        let (is_last, on_exception) = (gather.n_left == 0, gather.on_exception);
        if in_order_of_completion {
            gather.finished.push(child);
        }
        let Ok(found) = self.state.futures.get_mut(child) else {
            return;
        };
        if is_over {
            // Nobody will be told: its exception counts as asked for.
            found.is_unretrieved = false;
            if is_last {
                self.let_children_go(outer);
            }
            return;
        }
        if on_exception == OnException::Raise {
            let failure = if found.is_cancelled() {
                Some(found.cancelled_error())
            } else {
                found.exception().ok().flatten()
            };
            if let Some(exception) = failure {
                if self.state.has(Fault::GatherCancelsSiblings) {
                    self.cancel(outer, None);
                }
                self.settle(outer, Settled::Failed(exception));
                if is_last {
                    self.let_children_go(outer);
                }
                return;
            }
        }
        if is_last {
            self.settle_gather(outer);
            self.let_children_go(outer);
        }
    }

    fn settle_gather(&mut self, outer: FutureId) {
        let Ok(future) = self.state.futures.get(outer) else {
            return;
        };
        let Of::Gather(gather) = &future.of else { return };
        let in_order = if gather.finished.is_empty() {
            &*gather.children
        } else {
            &gather.finished
        };
        let (children, is_cancel_requested) = (in_order.to_vec(), gather.is_cancel_requested);
        // The gather has pinned its children: they are all there.
        let results = children.iter().map(|child| match self.state.futures.get_mut(*child) {
            Ok(child) => match &child.settled {
                Settled::Ok(value) => value.clone(),
                Settled::Cancelled(cancellation) => Value::Exception(cancelled(cancellation.message.as_deref())),
                _ => child.exception().ok().flatten().map_or(Value::None, Value::Exception),
            },
            Err(_) => Value::None,
        });
        let results = Value::List(results.collect());
        if is_cancel_requested {
            let last = children.last().and_then(|last| self.state.futures.get_mut(*last).ok());
            let error = last.map_or_else(|| cancelled(None), |last| last.cancelled_error());
            self.settle(outer, Settled::Failed(error));
        } else {
            self.settle(outer, Settled::Ok(results));
        }
    }

    /// The results of a gather are made: it does not look at its children any more.
    fn let_children_go(&mut self, outer: FutureId) {
        let Ok(future) = self.state.futures.get_mut(outer) else {
            return;
        };
        let Of::Gather(gather) = &mut future.of else { return };
        for child in distinct(&gather.children) {
            self.unpin(child);
        }
    }

    /// `asyncio.shield`, of a future.
    ///
    /// # Errors
    /// There is no such future.
    pub(super) fn shield(&mut self, inner: FutureId) -> Outcome {
        if self.state.futures.get(inner)?.is_done() {
            return Ok(inner.into());
        }
        let outer = self.add_future(Of::Shield(inner));
        self.pin(inner);
        self.pin(outer);
        self.when_done(inner, Callback::ShieldInner(outer, inner));
        self.when_done(outer, Callback::ShieldOuter(outer, inner));
        Ok(outer.into())
    }

    /// What a shield stands before is done.
    pub(super) fn shield_inner(&mut self, outer: FutureId, inner: FutureId) {
        if self.state.futures.is_done(outer) {
            return;
        }
        let Ok(found) = self.state.futures.get_mut(inner) else {
            return;
        };
        if found.is_cancelled() {
            self.cancel(outer, None);
            return;
        }
        let settled = found.result().map_or_else(Settled::Failed, Settled::Ok);
        self.settle(outer, settled);
    }

    /// A shield itself is done. If that was by a cancellation, nobody will hear of the inner one's exception.
    pub(super) fn shield_outer(&mut self, outer: FutureId, inner: FutureId) {
        if !self.state.futures.is_done(inner)
            && let Ok(found) = self.state.futures.get_mut(inner)
        {
            found.callbacks.remove(|callback| match callback {
                Callback::ShieldInner(found, _) => *found == outer,
                Callback::ShieldLog(_) => true,
                _ => false,
            });
            self.when_done(inner, Callback::ShieldLog(inner));
        }
        self.unpin(inner);
        self.unpin(outer);
    }

    /// A future whose shield was cancelled is done.
    pub(super) fn shield_log(&mut self, inner: FutureId) {
        if let Ok(found) = self.state.futures.get_mut(inner)
            && !found.is_cancelled()
            && let Ok(Some(exception)) = found.exception()
        {
            self.state.complaints.push(Complaint::Shielded(inner, exception));
        }
    }
}
