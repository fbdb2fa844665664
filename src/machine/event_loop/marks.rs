//! What the trace is told of a task's waits: what for, and on whom it depends.
//!
//! Not here: any behaviour; without a trace nothing of this runs.

use super::effects::WaitsFor;
use super::futures::Of;
use super::ids::{FutureId, LockId};
use super::state::{State, Turn};
use super::waits::Waiting;
use crate::machine::trace::{BlockCause, LaneId, State as LaneState, WaitCause};

/// So many waiters of a lock are told at most when it changes hands; the others still name the holder before.
const MAX_TOLD: usize = 64;

impl Turn<'_> {
    /// A task begins to wait.
    pub(super) fn trace_wait(&mut self, id: FutureId) {
        let Some(lane) = self.state.lane_of(id) else { return };
        let Some(state) = self.state.lane_state(id) else { return };
        self.recorder.enter(self.state.now, lane, state);
        if state == LaneState::Waiting(WaitCause::Task) {
            for awaited in self.state.held_up_by(id) {
                if let Some(awaited) = self.state.lane_of(awaited) {
                    self.recorder.awaits(self.state.now, lane, awaited);
                }
            }
        }
    }

    /// A lock has another holder: whoever still waits for it waits for that one now.
    pub(super) fn trace_holder(&mut self, id: LockId) {
        if !self.recorder.is_on() {
            return;
        }
        let Ok(lock) = self.state.locks.get(id) else { return };
        let waiters: Vec<FutureId> = lock.waiters.iter().copied().take(MAX_TOLD).collect();
        for waiter in waiters {
            let is_waiting = self.waiter_of(waiter) == super::waits::Waiter::Pending;
            if let (true, Some(lane), Some(state)) =
                (is_waiting, self.state.lane_of(waiter), self.state.lane_state(waiter))
            {
                self.recorder.enter(self.state.now, lane, state);
            }
        }
    }
}

impl State {
    /// The state of a task's lane while it waits; none where it does not.
    fn lane_state(&self, id: FutureId) -> Option<LaneState> {
        let blocked = |cause, holder: Option<FutureId>| {
            let holder: Option<LaneId> = holder.and_then(|holder| self.lane_of(holder));
            LaneState::Blocked(cause, holder)
        };
        Some(match &self.futures.task(id).ok()?.waiting {
            Waiting::Nothing | Waiting::Raise(_) => return None,
            Waiting::Sleep(_) => LaneState::Waiting(WaitCause::Timer),
            Waiting::Future(future) | Waiting::WaitFor(_, future) | Waiting::CancelAndWait(future) => {
                let cause = match self.futures.get(*future).map(|future| &future.of) {
                    Ok(Of::Plain(WaitsFor::Io)) => WaitCause::Io,
                    Ok(Of::Plain(WaitsFor::Thread)) => WaitCause::Thread,
                    _ => WaitCause::Task,
                };
                LaneState::Waiting(cause)
            }
            Waiting::Several(_) | Waiting::Completed(..) | Waiting::Group(_) => LaneState::Waiting(WaitCause::Task),
            Waiting::Lock(_) | Waiting::Reacquire(_) | Waiting::BarrierLock(..) => {
                blocked(BlockCause::Lock, self.held_up_by(id).first().copied())
            }
            Waiting::Semaphore(_) => blocked(BlockCause::Semaphore, self.held_up_by(id).first().copied()),
            Waiting::Event(_) | Waiting::Notified(_) => blocked(BlockCause::Condition, None),
            Waiting::Put(_) | Waiting::Get(_) | Waiting::Join(_) => blocked(BlockCause::Queue, None),
        })
    }
}
