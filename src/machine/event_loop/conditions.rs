//! Conditions and barriers of tasks: both give a lock up to wait, and have it again afterwards, come what may.
//!
//! Source: `Lib/asyncio/locks.py`. A barrier there is a condition with a few waits in a row; so it is here.

use std::collections::VecDeque;

use super::ids::{BarrierId, ConditionId, FutureId, LockId};
use super::state::{Step, Turn};
use super::tasks::runtime_error;
use super::waits::Waiting;
use crate::machine::{Exception, Input, Kind, Outcome, Value};

/// One condition.
pub(super) struct Condition {
    pub(super) lock: LockId,
    waiters: VecDeque<FutureId>,
}

/// A task that waits at a condition.
pub(super) struct ConditionWait {
    pub(super) condition: ConditionId,
    /// What is to be raised once it has the lock again.
    raised: Option<Exception>,
    /// The barrier it waits at thereby.
    pub(super) barrier: Option<(BarrierId, BarrierStage)>,
}

/// One barrier.
pub(super) struct Barrier {
    condition: ConditionId,
    parties: u64,
    n_inside: u64,
    state: BarrierState,
}

/// Where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BarrierState {
    /// Waiting for more to arrive.
    Filling,
    /// All had arrived and are leaving; whoever comes now waits outside.
    Draining,
    /// Those inside are being sent away; whoever comes now waits outside.
    Resetting,
    /// For good: everybody is sent away.
    Broken,
}

/// What a task wants of a barrier, as soon as it has its lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarrierUse {
    Wait,
    Reset,
    Abort,
}

/// What a task waits for at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarrierStage {
    /// Outside, until those before it have left.
    Outside,
    /// Inside, as the so-manieth, until all have arrived.
    Inside(u64),
}

impl Turn<'_> {
    /// `asyncio.Condition(lock)`
    ///
    /// # Errors
    /// There is no such lock.
    pub(super) fn new_condition(&mut self, lock: Option<LockId>) -> Result<ConditionId, Exception> {
        let lock = match lock {
            Some(lock) => self.state.locks.get(lock).map(|_| lock)?,
            None => self.new_lock(),
        };
        self.state.count_object();
        Ok(self.state.conditions.push(Condition {
            lock,
            waiters: VecDeque::new(),
        }))
    }

    /// `condition.wait()`, for a program or for a barrier.
    pub(super) fn wait_condition(
        &mut self,
        task: FutureId,
        id: ConditionId,
        barrier: Option<(BarrierId, BarrierStage)>,
    ) -> Step {
        if let Err(exception) = self.give_lock_up(task, id) {
            return Step::Go(Input::Throw(exception));
        }
        let wait = ConditionWait {
            condition: id,
            raised: None,
            barrier,
        };
        self.wait_for_waiter(task, Waiting::Notified(Box::new(wait)))
    }

    fn give_lock_up(&mut self, task: FutureId, id: ConditionId) -> Result<(), Exception> {
        let lock = self.state.conditions.get(id)?.lock;
        if !self.state.locks.get(lock)?.is_locked {
            return Err(runtime_error("cannot wait on un-acquired lock"));
        }
        self.release_lock(lock)?;
        self.state.conditions.get_mut(id)?.waiters.push_back(task);
        Ok(())
    }

    /// The task was notified, or cancelled while it waited to be.
    pub(super) fn notified(&mut self, task: FutureId, mut wait: Box<ConditionWait>, woke: Outcome) -> Step {
        if let Ok(condition) = self.state.conditions.get_mut(wait.condition) {
            condition.waiters.retain(|waiter| *waiter != task);
        }
        wait.raised = woke.err();
        self.reacquire(task, wait)
    }

    fn reacquire(&mut self, task: FutureId, wait: Box<ConditionWait>) -> Step {
        let lock = self
            .state
            .conditions
            .get(wait.condition)
            .map(|condition| condition.lock);
        match lock.and_then(|lock| self.try_acquire(task, lock)) {
            Ok(true) => self.leave_condition(task, *wait),
            Ok(false) => self.wait_for_waiter(task, Waiting::Reacquire(wait)),
            Err(exception) => Step::Go(Input::Throw(exception)),
        }
    }

    /// The task has the lock again; or it was cancelled while it waited for it, and goes on waiting.
    pub(super) fn reacquired(&mut self, task: FutureId, mut wait: Box<ConditionWait>, woke: Outcome) -> Step {
        let lock = self
            .state
            .conditions
            .get(wait.condition)
            .map(|condition| condition.lock);
        match lock.and_then(|lock| self.acquired(task, lock, woke)) {
            Ok(()) => self.leave_condition(task, *wait),
            Err(exception) => {
                wait.raised = Some(exception);
                self.reacquire(task, wait)
            }
        }
    }

    fn leave_condition(&mut self, task: FutureId, wait: ConditionWait) -> Step {
        let outcome = match wait.raised {
            Some(exception) => {
                // It may have been notified and cannot make use of it: somebody else shall.
                self.wake_waiters(wait.condition, 1);
                Err(exception)
            }
            None => Ok(Value::Bool(true)),
        };
        match wait.barrier {
            None => outcome.into(),
            Some((barrier, stage)) => self.at_barrier(task, barrier, stage, outcome),
        }
    }

    /// `condition.notify(n)`
    ///
    /// # Errors
    /// Nobody holds the lock.
    pub(super) fn notify(&mut self, id: ConditionId, n: usize) -> Outcome {
        let lock = self.state.conditions.get(id)?.lock;
        if !self.state.locks.get(lock)?.is_locked {
            return Err(runtime_error("cannot notify on un-acquired lock"));
        }
        self.wake_waiters(id, n);
        Ok(Value::None)
    }

    fn wake_waiters(&mut self, id: ConditionId, n: usize) {
        let waiters: Vec<FutureId> = match self.state.conditions.get(id) {
            Ok(condition) => condition.waiters.iter().copied().collect(),
            Err(_) => return,
        };
        let mut n_left = n;
        for waiter in waiters {
            if n_left == 0 {
                return;
            }
            if self.release(waiter) {
                n_left -= 1;
            }
        }
    }

    /// `asyncio.Barrier(parties)`
    ///
    /// # Errors
    /// It is for nobody.
    pub(super) fn new_barrier(&mut self, parties: i64) -> Outcome {
        let parties = u64::try_from(parties).ok().filter(|parties| *parties > 0);
        let Some(parties) = parties else {
            return Err(Exception::new(Kind::ValueError, "parties must be >= 1"));
        };
        let condition = self.new_condition(None)?;
        Ok(self
            .state
            .barriers
            .push(Barrier {
                condition,
                parties,
                n_inside: 0,
                state: BarrierState::Filling,
            })
            .into())
    }

    /// `barrier.parties`
    pub(super) fn barrier_parties(&self, id: BarrierId) -> Outcome {
        Ok(Value::Int(self.state.barriers.get(id)?.parties as i64))
    }

    /// `barrier.n_waiting`
    pub(super) fn barrier_waiting(&self, id: BarrierId) -> Outcome {
        let barrier = self.state.barriers.get(id)?;
        let is_filling = barrier.state == BarrierState::Filling;
        Ok(Value::Int(if is_filling { barrier.n_inside as i64 } else { 0 }))
    }

    /// `barrier.broken`
    pub(super) fn barrier_broken(&self, id: BarrierId) -> Outcome {
        Ok(Value::Bool(self.state.barriers.get(id)?.state == BarrierState::Broken))
    }

    /// `async with barrier._cond`, before what the task wants there.
    pub(super) fn enter_barrier(&mut self, task: FutureId, id: BarrierId, purpose: BarrierUse) -> Step {
        match self
            .state
            .barrier_lock(id)
            .and_then(|lock| self.try_acquire(task, lock))
        {
            Ok(true) => self.use_barrier(task, id, purpose),
            Ok(false) => self.wait_for_waiter(task, Waiting::BarrierLock(id, purpose)),
            Err(exception) => Step::Go(Input::Throw(exception)),
        }
    }

    pub(super) fn barrier_locked(&mut self, task: FutureId, id: BarrierId, purpose: BarrierUse, woke: Outcome) -> Step {
        match self
            .state
            .barrier_lock(id)
            .and_then(|lock| self.acquired(task, lock, woke))
        {
            Ok(()) => self.use_barrier(task, id, purpose),
            Err(exception) => Step::Go(Input::Throw(exception)),
        }
    }

    fn use_barrier(&mut self, task: FutureId, id: BarrierId, purpose: BarrierUse) -> Step {
        let Ok(barrier) = self.state.barriers.get_mut(id) else {
            return Step::Go(Input::Throw(super::table::unknown()));
        };
        match purpose {
            BarrierUse::Wait => return self.stand_outside(task, id),
            BarrierUse::Abort => barrier.state = BarrierState::Broken,
            BarrierUse::Reset if barrier.n_inside > 0 => barrier.state = BarrierState::Resetting,
            BarrierUse::Reset => barrier.state = BarrierState::Filling,
        }
        let condition = barrier.condition;
        self.wake_waiters(condition, usize::MAX);
        self.leave_barrier(id, Ok(Value::None))
    }

    /// `async with` ends: the lock is given up.
    fn leave_barrier(&mut self, id: BarrierId, outcome: Outcome) -> Step {
        match self.state.barrier_lock(id).and_then(|lock| self.release_lock(lock)) {
            Ok(_) => outcome.into(),
            Err(exception) => Step::Go(Input::Throw(exception)),
        }
    }

    /// With the lock: waits until those who leave have left.
    fn stand_outside(&mut self, task: FutureId, id: BarrierId) -> Step {
        let Ok(barrier) = self.state.barriers.get_mut(id) else {
            return Step::Go(Input::Throw(super::table::unknown()));
        };
        let condition = barrier.condition;
        match barrier.state {
            BarrierState::Draining | BarrierState::Resetting => {
                self.wait_condition(task, condition, Some((id, BarrierStage::Outside)))
            }
            BarrierState::Broken => {
                let error = Exception::new(Kind::BrokenBarrier, "Barrier aborted");
                self.leave_barrier(id, Err(error))
            }
            BarrierState::Filling => {
                let place = barrier.n_inside;
                barrier.n_inside += 1;
                if barrier.n_inside == barrier.parties {
                    barrier.state = BarrierState::Draining;
                    self.wake_waiters(condition, usize::MAX);
                    return self.go_out(id, Ok(Value::Int(place as i64)));
                }
                self.stand_inside(task, id, place)
            }
        }
    }

    /// With the lock: waits until all have arrived, or somebody sends everybody away.
    fn stand_inside(&mut self, task: FutureId, id: BarrierId, place: u64) -> Step {
        let Ok(barrier) = self.state.barriers.get(id) else {
            return Step::Go(Input::Throw(super::table::unknown()));
        };
        match barrier.state {
            BarrierState::Filling => {
                let condition = barrier.condition;
                self.wait_condition(task, condition, Some((id, BarrierStage::Inside(place))))
            }
            BarrierState::Draining => self.go_out(id, Ok(Value::Int(place as i64))),
            BarrierState::Resetting | BarrierState::Broken => {
                let error = Exception::new(Kind::BrokenBarrier, "Abort or reset of barrier");
                self.go_out(id, Err(error))
            }
        }
    }

    /// A wait at the barrier's condition is over; the task has the lock.
    fn at_barrier(&mut self, task: FutureId, id: BarrierId, stage: BarrierStage, outcome: Outcome) -> Step {
        match (stage, outcome) {
            (BarrierStage::Outside, Ok(_)) => self.stand_outside(task, id),
            (BarrierStage::Outside, Err(exception)) => self.leave_barrier(id, Err(exception)),
            (BarrierStage::Inside(place), Ok(_)) => self.stand_inside(task, id, place),
            (BarrierStage::Inside(_), Err(exception)) => self.go_out(id, Err(exception)),
        }
    }

    /// Whoever was inside leaves; the last one lets those outside in.
    fn go_out(&mut self, id: BarrierId, outcome: Outcome) -> Step {
        let Ok(barrier) = self.state.barriers.get_mut(id) else {
            return Step::Go(Input::Throw(super::table::unknown()));
        };
        barrier.n_inside = barrier.n_inside.saturating_sub(1);
        let condition = barrier.condition;
        if barrier.n_inside == 0 {
            if matches!(barrier.state, BarrierState::Resetting | BarrierState::Draining) {
                barrier.state = BarrierState::Filling;
            }
            self.wake_waiters(condition, usize::MAX);
        }
        self.leave_barrier(id, outcome)
    }
}

impl super::state::State {
    /// The lock of a barrier's condition.
    pub(super) fn barrier_lock(&self, id: BarrierId) -> Result<LockId, Exception> {
        let condition = self.barriers.get(id)?.condition;
        Ok(self.conditions.get(condition)?.lock)
    }
}
