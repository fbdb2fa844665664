//! `threading.Barrier`: nobody passes before all have come.
//!
//! Not here: a barrier of tasks.

use std::collections::VecDeque;
use std::fmt;

use crate::machine::threads::blocking::Answer;
use crate::machine::threads::thread::{Then, Wait};
use crate::machine::threads::{Machine, ThreadBarrierId, ThreadCall, ThreadId};
use crate::machine::{Effect, Exception, Kind, Nanoseconds, Outcome, Program, Value};

/// What a barrier is asked.
#[derive(Debug)]
pub enum ThreadBarrierCall {
    /// `threading.Barrier(parties, action, timeout)`. Gives a [`ThreadBarrierId`]; a `ValueError` below 1.
    New(Box<NewBarrier>),
    /// `barrier.wait(timeout)`; none is the barrier's own. Gives the place in the order of arrival, from 0.
    Wait(ThreadBarrierId, Option<Nanoseconds>),
    /// `barrier.reset()`
    Reset(ThreadBarrierId),
    /// `barrier.abort()`
    Abort(ThreadBarrierId),
    /// `barrier.parties`
    Parties(ThreadBarrierId),
    /// `barrier.n_waiting`
    Waiting(ThreadBarrierId),
    /// `barrier.broken`
    Broken(ThreadBarrierId),
}

/// Makes the program that the last to arrive runs, each time.
pub type Action = Box<dyn FnMut() -> Box<dyn Program>>;

/// What a barrier is made with.
pub struct NewBarrier {
    /// How many threads it takes.
    pub parties: i64,
    /// What the last to arrive does before any goes on; if it raises, the barrier is broken.
    pub action: Option<Action>,
    /// How long a thread waits, unless it says otherwise.
    pub timeout: Option<Nanoseconds>,
}

impl fmt::Debug for NewBarrier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("NewBarrier")
            .field("parties", &self.parties)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

pub(in crate::machine::threads) struct Barrier {
    parties: usize,
    action: Option<Action>,
    limit: Option<Nanoseconds>,
    state: BarrierState,
    /// Who has come and waits for the others, in the order of coming.
    pub waiters: VecDeque<ThreadId>,
    /// Who came while the action ran: they come again when it has ended.
    pub late: VecDeque<ThreadId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BarrierState {
    /// Threads come. Next: `Acting` or `Broken`.
    Filling,
    /// All have come, and the last runs the action. Next: `Filling` or `Broken`.
    Acting,
    /// Waiting raises. Next: `Filling`, by a reset.
    Broken,
}

impl fmt::Debug for Barrier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Barrier")
            .field("parties", &self.parties)
            .field("state", &self.state)
            .field("waiters", &self.waiters)
            .finish_non_exhaustive()
    }
}

fn broken() -> Outcome {
    Err(Exception::new(Kind::BrokenBarrier, ""))
}

impl Machine {
    pub(in crate::machine::threads) fn barrier_call(&mut self, thread: ThreadId, call: ThreadBarrierCall) -> Answer {
        let id = match &call {
            ThreadBarrierCall::New(_) => ThreadBarrierId(0),
            ThreadBarrierCall::Wait(id, _)
            | ThreadBarrierCall::Reset(id)
            | ThreadBarrierCall::Abort(id)
            | ThreadBarrierCall::Parties(id)
            | ThreadBarrierCall::Waiting(id)
            | ThreadBarrierCall::Broken(id) => *id,
        };
        let barrier = self.primitives.barriers.get_mut(id.index());
        match (call, barrier) {
            (ThreadBarrierCall::New(new), _) => self.new_barrier(*new),
            (_, None) => Answer::unknown(),
            (ThreadBarrierCall::Wait(_, limit), Some(_)) => self.arrive(thread, id, limit),
            (ThreadBarrierCall::Reset(_), Some(_)) => {
                self.turn_away(id, BarrierState::Filling);
                Value::None.into()
            }
            (ThreadBarrierCall::Abort(_), Some(_)) => {
                self.turn_away(id, BarrierState::Broken);
                Value::None.into()
            }
            (ThreadBarrierCall::Parties(_), Some(barrier)) => (barrier.parties as i64).into(),
            (ThreadBarrierCall::Waiting(_), Some(barrier)) => (barrier.waiters.len() as i64).into(),
            (ThreadBarrierCall::Broken(_), Some(barrier)) => (barrier.state == BarrierState::Broken).into(),
        }
    }

    fn new_barrier(&mut self, new: NewBarrier) -> Answer {
        if new.parties < 1 {
            return Answer::raises(Kind::ValueError, "parties must be >= 1");
        }
        if self.is_too_many(self.primitives.barriers.len()) {
            return Answer::Stops;
        }
        self.primitives.barriers.push(Barrier {
            parties: usize::try_from(new.parties).unwrap_or(usize::MAX),
            action: new.action,
            limit: new.timeout,
            state: BarrierState::Filling,
            waiters: VecDeque::new(),
            late: VecDeque::new(),
        });
        ThreadBarrierId(self.primitives.barriers.len() as u32 - 1).into()
    }

    fn arrive(&mut self, thread: ThreadId, id: ThreadBarrierId, limit: Option<Nanoseconds>) -> Answer {
        let Some(barrier) = self.primitives.barriers.get_mut(id.index()) else {
            return Answer::unknown();
        };
        match barrier.state {
            BarrierState::Broken => broken().into(),
            BarrierState::Acting => {
                barrier.late.push_back(thread);
                let again = ThreadCall::Barrier(ThreadBarrierCall::Wait(id, limit));
                self.thread_mut(thread).pending = Some(Effect::Thread(again));
                Answer::Blocks(Wait::Barrier(id), None)
            }
            BarrierState::Filling if barrier.waiters.len() + 1 < barrier.parties => {
                barrier.waiters.push_back(thread);
                Answer::Blocks(Wait::Barrier(id), limit.or(barrier.limit))
            }
            BarrierState::Filling => match barrier.action.as_mut().map(|action| action()) {
                Some(action) => {
                    barrier.state = BarrierState::Acting;
                    self.push_program(thread, action, Then::Action(id));
                    Answer::Runs
                }
                None => self.let_pass(id).into(),
            },
        }
    }

    /// All have come: who waited goes on, each with its place. Gives the place of the last.
    fn let_pass(&mut self, id: ThreadBarrierId) -> Value {
        let Some(barrier) = self.primitives.barriers.get_mut(id.index()) else {
            return Value::None;
        };
        if barrier.state == BarrierState::Acting {
            barrier.state = BarrierState::Filling;
        }
        let last = barrier.parties as i64 - 1;
        let late = std::mem::take(&mut barrier.late);
        for (waiter, place) in std::mem::take(&mut barrier.waiters).into_iter().zip(0_i64..) {
            self.give(waiter, Ok(place.into()));
        }
        for waiter in late {
            self.give(waiter, Ok(Value::None));
        }
        last.into()
    }

    /// Who waits is told that it waits in vain, and the barrier is in this state from now on.
    fn turn_away(&mut self, id: ThreadBarrierId, state: BarrierState) {
        let Some(barrier) = self.primitives.barriers.get_mut(id.index()) else {
            return;
        };
        barrier.state = state;
        let late = std::mem::take(&mut barrier.late);
        for waiter in std::mem::take(&mut barrier.waiters) {
            self.give(waiter, broken());
        }
        for waiter in late {
            self.give(waiter, Ok(Value::None));
        }
    }

    /// The barrier's action has ended, on the thread that came last.
    pub(in crate::machine::threads) fn action_ended(&mut self, id: ThreadBarrierId, outcome: Outcome) -> Outcome {
        match outcome {
            Ok(_) => Ok(self.let_pass(id)),
            Err(exception) => {
                self.turn_away(id, BarrierState::Broken);
                Err(exception)
            }
        }
    }

    /// The time of a thread at a barrier is up, and with it the barrier is broken for all.
    pub(in crate::machine::threads) fn barrier_timed_out(&mut self, id: ThreadBarrierId) -> Outcome {
        self.turn_away(id, BarrierState::Broken);
        broken()
    }
}
