//! The words of a trace as small numbers.
//!
//! Not here: the words as text, see `words`.

use super::event::AccessKind;
use super::{BlockCause, CounterKind, Instant, LaneId, LaneKind, ReadyCause, State, WaitCause};

pub(super) const LANE_KINDS: [LaneKind; 6] = {
    use LaneKind::{Core, Interpreter, Loop, Process, Task, Thread};
    [Core, Process, Interpreter, Thread, Loop, Task]
};
pub(super) const COUNTERS: [CounterKind; 6] = {
    use CounterKind::{InFlight, Memory, PoolBusy, PoolQueue, ReadyQueue, Timers};
    [ReadyQueue, Timers, PoolQueue, PoolBusy, InFlight, Memory]
};
pub(super) const INSTANTS: [Instant; 6] = {
    use Instant::{Cancel, DropRequest, Exception, Mark, SlowStep, Timeout};
    [Cancel, Timeout, Exception, DropRequest, SlowStep, Mark]
};
pub(super) const ACCESSES: [AccessKind; 4] = [
    AccessKind::Read,
    AccessKind::Write,
    AccessKind::Add,
    AccessKind::CompareAndSwap,
];
const BLOCK_CAUSES: [BlockCause; 4] = {
    use BlockCause::{Condition, Lock, Queue, Semaphore};
    [Lock, Semaphore, Condition, Queue]
};

/// Every state without a lane beside it. A blocked state with its holder comes after them, in the order of its cause.
pub(super) const STATES: [State; 16] = [
    State::Running,
    State::Ready(ReadyCause::Core),
    State::Ready(ReadyCause::Turn),
    State::Ready(ReadyCause::InterpreterLock),
    State::Waiting(WaitCause::Timer),
    State::Waiting(WaitCause::Io),
    State::Waiting(WaitCause::Task),
    State::Waiting(WaitCause::Thread),
    State::Blocked(BlockCause::Lock, None),
    State::Blocked(BlockCause::Semaphore, None),
    State::Blocked(BlockCause::Condition, None),
    State::Blocked(BlockCause::Queue, None),
    State::Idle,
    State::Done,
    State::Cancelled,
    State::Failed,
];
const FIRST_BLOCKED: u8 = 8;
pub(super) const FIRST_HELD: u8 = STATES.len() as u8;
const NO_STATE: u8 = u8::MAX;

/// A state, or none yet, in eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedState {
    holder: u32,
    code: u8,
}

impl PackedState {
    /// Before the first state.
    pub const NONE: Self = Self {
        holder: 0,
        code: NO_STATE,
    };

    #[inline]
    pub const fn new(state: State) -> Self {
        let code = match state {
            State::Running => 0,
            State::Ready(cause) => 1 + cause as u8,
            State::Waiting(cause) => 4 + cause as u8,
            State::Blocked(cause, None) => FIRST_BLOCKED + cause as u8,
            State::Blocked(cause, Some(holder)) => {
                return Self {
                    holder: holder.0,
                    code: FIRST_HELD + cause as u8,
                };
            }
            State::Idle => 12,
            State::Done => 13,
            State::Cancelled => 14,
            State::Failed => 15,
        };
        Self { holder: 0, code }
    }

    /// The one with this number; a holder only where it is blocked by one.
    #[inline]
    pub const fn from_code(code: u8, holder: u32) -> Self {
        Self { holder, code }
    }

    pub const fn code(self) -> u8 {
        self.code
    }

    /// The holder's number, where its code says that there is one.
    pub const fn holder(self) -> Option<u32> {
        if self.code >= FIRST_HELD && self.code != NO_STATE {
            Some(self.holder)
        } else {
            None
        }
    }

    #[inline]
    pub fn state(self) -> Option<State> {
        if let Some(state) = STATES.get(usize::from(self.code)) {
            return Some(*state);
        }
        let cause = BLOCK_CAUSES.get(usize::from(self.code.checked_sub(FIRST_HELD)?))?;
        Some(State::Blocked(*cause, Some(LaneId(self.holder))))
    }

    pub const fn is_end(self) -> bool {
        self.code >= 13 && self.code < FIRST_HELD
    }
}

/// The word with this number.
pub(super) fn word<Word: Copy>(words: &[Word], code: u8) -> Word {
    let word = words.get(usize::from(code));
    *word.expect("a log holds only kinds that were put into it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_comes_back() {
        for (code, state) in STATES.into_iter().enumerate() {
            let packed = PackedState::new(state);
            assert_eq!((usize::from(packed.code()), packed.state()), (code, Some(state)));
            assert_eq!(packed.is_end(), state.is_end());
        }
        for cause in BLOCK_CAUSES {
            let held = State::Blocked(cause, Some(LaneId(7)));
            assert_eq!(PackedState::new(held).state(), Some(held));
            assert_ne!(PackedState::new(held), PackedState::new(State::Blocked(cause, None)));
        }
        assert_eq!(PackedState::NONE.state(), None);
        assert!(LANE_KINDS.iter().enumerate().all(|(code, kind)| *kind as usize == code));
        assert!(COUNTERS.iter().enumerate().all(|(code, kind)| *kind as usize == code));
        assert!(INSTANTS.iter().enumerate().all(|(code, kind)| *kind as usize == code));
        assert!(ACCESSES.iter().enumerate().all(|(code, kind)| *kind as usize == code));
    }
}
