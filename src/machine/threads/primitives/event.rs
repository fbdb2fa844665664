//! `threading.Event`: who waits when it is set goes on, even if it is cleared again before they look.
//!
//! Not here: an event of tasks.

use std::collections::VecDeque;

use crate::machine::threads::blocking::Answer;
use crate::machine::threads::thread::Wait;
use crate::machine::threads::{Machine, ThreadEventId, ThreadId};
use crate::machine::{Nanoseconds, Value};

/// What an event is asked.
#[derive(Clone, Copy, Debug)]
pub enum ThreadEventCall {
    /// `threading.Event()`. Gives a [`ThreadEventId`].
    New,
    /// `event.set()`
    Set(ThreadEventId),
    /// `event.clear()`
    Clear(ThreadEventId),
    /// `event.is_set()`
    IsSet(ThreadEventId),
    /// `event.wait(timeout)`. Gives false if the time was up.
    Wait(ThreadEventId, Option<Nanoseconds>),
}

#[derive(Debug, Default)]
pub(in crate::machine::threads) struct Event {
    is_set: bool,
    pub waiters: VecDeque<ThreadId>,
}

impl ThreadEventCall {
    /// What it is done to, and what is done, for telling calls apart.
    pub(in crate::machine::threads) fn object(&self) -> u64 {
        let (kind, id) = match self {
            Self::New => (0, 0),
            Self::Set(id) => (1, id.0),
            Self::Clear(id) => (2, id.0),
            Self::IsSet(id) => (3, id.0),
            Self::Wait(id, _) => (4, id.0),
        };
        kind << 32 | u64::from(id)
    }
}

impl Machine {
    pub(in crate::machine::threads) fn event_call(&mut self, thread: ThreadId, call: ThreadEventCall) -> Answer {
        let id = match call {
            ThreadEventCall::New => return self.new_event(),
            ThreadEventCall::Set(id)
            | ThreadEventCall::Clear(id)
            | ThreadEventCall::IsSet(id)
            | ThreadEventCall::Wait(id, _) => id,
        };
        let Some(event) = self.primitives.events.get_mut(id.index()) else {
            return Answer::unknown();
        };
        match call {
            ThreadEventCall::New => self.new_event(),
            ThreadEventCall::Set(_) => {
                event.is_set = true;
                for waiter in std::mem::take(&mut event.waiters) {
                    self.give(waiter, Ok(Value::Bool(true)));
                }
                Value::None.into()
            }
            ThreadEventCall::Clear(_) => {
                event.is_set = false;
                Value::None.into()
            }
            ThreadEventCall::IsSet(_) => event.is_set.into(),
            ThreadEventCall::Wait(..) if event.is_set => true.into(),
            ThreadEventCall::Wait(_, limit) => {
                event.waiters.push_back(thread);
                Answer::Blocks(Wait::Event(id), limit)
            }
        }
    }

    fn new_event(&mut self) -> Answer {
        if self.is_too_many(self.primitives.events.len()) {
            return Answer::Stops;
        }
        self.primitives.events.push(Event::default());
        ThreadEventId(self.primitives.events.len() as u32 - 1).into()
    }
}
