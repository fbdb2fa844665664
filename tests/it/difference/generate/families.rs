//! The families of constructs, and what each is asked for: a step of a coroutine, or one of a callback.
//!
//! Not here: the longer of the steps (`steps`), and how many families a program has.

use super::super::syntax::{Block, Catch, Caught, Does, Until};
use super::steps::{
    callbacks, cancels, common, conditions, futures, groups, looks, loops, queue_in_turns, queues, raised, settle,
    timeouts, tries,
};
use super::{DEEPEST, Draw, Place, step};

/// What belongs together in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Common,
    Tries,
    Cancels,
    Groups,
    Timeouts,
    WaitFor,
    Gather,
    Wait,
    AsCompleted,
    Shield,
    Futures,
    Callbacks,
    Locks,
    Semaphores,
    Conditions,
    Events,
    Barriers,
    Queues,
    Variables,
    Cells,
    Blocking,
    Loops,
    Looks,
    Eager,
    Coroutines,
}

/// All but the common one, which every program has.
pub const ALL: [Family; 24] = [
    Family::Tries,
    Family::Cancels,
    Family::Groups,
    Family::Timeouts,
    Family::WaitFor,
    Family::Gather,
    Family::Wait,
    Family::AsCompleted,
    Family::Shield,
    Family::Futures,
    Family::Callbacks,
    Family::Locks,
    Family::Semaphores,
    Family::Conditions,
    Family::Events,
    Family::Barriers,
    Family::Queues,
    Family::Variables,
    Family::Cells,
    Family::Blocking,
    Family::Loops,
    Family::Looks,
    Family::Eager,
    Family::Coroutines,
];

impl Family {
    /// How often it is chosen, against the others.
    pub fn weight(self) -> usize {
        match self {
            Self::Cancels | Self::Queues => 3,
            Self::Shield
            | Self::Tries
            | Self::Groups
            | Self::Timeouts
            | Self::Conditions
            | Self::Barriers
            | Self::Callbacks => 2,
            _ => 1,
        }
    }

    /// A step of a coroutine; none where none can be had.
    pub fn step(self, draw: &mut Draw, place: Place) -> Option<Does> {
        let is_deep = place.depth >= DEEPEST;
        let does = match self {
            Self::Common => return common(draw, place),
            Self::Tries if is_deep || draw.chance(15) => Does::Raise(raised(draw, place)),
            Self::Tries => tries(draw, place),
            Self::Cancels => cancels(draw, place),
            Self::Groups => return groups(draw, place, is_deep),
            Self::Timeouts => timeouts(draw, place, is_deep),
            Self::WaitFor => Does::WaitFor {
                what: draw.awaited_or_function(place),
                limit: draw.limit(),
            },
            Self::Gather => Does::Gather {
                what: (0..draw.one_of(&[0, 1, 1, 1, 2, 2, 2, 3, 3, 3]))
                    .map(|_| draw.awaited_or_function(place))
                    .collect(),
                returns_exceptions: draw.chance(45),
            },
            Self::Wait => Does::Wait {
                what: draw.several_awaited(place),
                until: draw.one_of(&[Until::First, Until::Exception, Until::All]),
                limit: draw.limit(),
            },
            Self::AsCompleted => Does::AsCompleted {
                what: draw.several_awaited(place),
                limit: draw.limit(),
                is_plain: draw.chance(50),
            },
            Self::Shield => {
                let shield = Does::Shield(draw.awaited_or_function(place));
                match draw.below(3) {
                    0 if !is_deep => {
                        let timeout = draw.below(draw.objects.timeouts);
                        Does::Timeout {
                            timeout,
                            when: Some(draw.when()),
                            body: vec![step(shield)],
                        }
                    }
                    _ => shield,
                }
            }
            Self::Futures => return futures(draw, place),
            Self::Callbacks => return callbacks(draw, place),
            Self::Locks | Self::Semaphores => match draw.below(8) {
                0 => Does::Acquire(draw.lockable(self)),
                1 => Does::Release(draw.lockable(self)),
                2 => Does::IsLocked(draw.lockable(self)),
                _ if is_deep => Does::Acquire(draw.lockable(self)),
                3 => {
                    // Lets go and asks again at once, beside those who wait.
                    let lockable = draw.lockable(self);
                    let held = draw.repeated(2, |draw| draw.inner(place, 1, 1));
                    Does::Repeat(2, vec![step(Does::With(lockable, held))])
                }
                _ => Does::With(draw.lockable(self), draw.inner(place, 1, 2)),
            },
            Self::Conditions => conditions(draw, place, is_deep),
            Self::Events => match draw.below(6) {
                0 => Does::EventClear(draw.below(draw.objects.events)),
                1 => Does::IsSet(draw.below(draw.objects.events)),
                2 | 3 => Does::EventSet(draw.below(draw.objects.events)),
                _ => Does::EventWait(draw.below(draw.objects.events)),
            },
            Self::Barriers => match draw.below(8) {
                0 => Does::BarrierAbort(0),
                1 => Does::BarrierReset(0),
                2 => Does::LookBarrier(0),
                _ => Does::BarrierWait(0),
            },
            Self::Queues if !is_deep && draw.chance(35) => queue_in_turns(draw),
            Self::Queues => queues(draw),
            Self::Variables if !is_deep && draw.chance(25) => Does::WithVariable(0, draw.inner(place, 1, 2)),
            Self::Variables if draw.chance(40) => Does::SetVariable(0),
            Self::Variables => Does::GetVariable(0),
            Self::Cells => Does::Increment {
                cell: draw.below(draw.objects.cells),
                gives_way: draw.chance(60),
                is_told: true,
            },
            Self::Blocking => Does::Block(draw.delay().max(500)),
            Self::Loops => return loops(draw, place, is_deep),
            Self::Looks => looks(draw, place),
            Self::Eager => {
                let function = draw.callee(place)?;
                Does::Spawn {
                    task: draw.task_of(function),
                    function,
                    is_eager: true,
                }
            }
            Self::Coroutines => {
                let function = draw.callee(place)?;
                match draw.below(3) {
                    0 => Does::Forget(function),
                    1 => Does::Call {
                        function,
                        is_object: true,
                    },
                    _ => Does::Call {
                        function,
                        is_object: false,
                    },
                }
            }
        };
        Some(does)
    }

    /// A step of a callback, which awaits nothing.
    pub fn callback_step(self, draw: &mut Draw, place: Place) -> Option<Does> {
        let does = match self {
            Self::Tries if draw.chance(60) => Does::Raise(raised(draw, place)),
            Self::Tries => {
                let body = draw.inner(place, 1, 2);
                Does::Try {
                    body,
                    catches: vec![Catch {
                        kind: Caught::Any,
                        body: Block::new(),
                    }],
                    finally: None,
                }
            }
            Self::Cancels => Does::Cancel {
                what: draw.any(),
                has_message: draw.chance(40),
            },
            Self::Groups => {
                let function = draw.callee(place)?;
                let group = draw.below(draw.objects.groups);
                Does::GroupSpawn {
                    group,
                    task: draw.task_of(function),
                    function,
                    is_eager: false,
                }
            }
            Self::Timeouts if draw.chance(50) => Does::LookTimeout(draw.below(draw.objects.timeouts)),
            Self::Timeouts => Does::Reschedule {
                timeout: draw.below(draw.objects.timeouts),
                when: draw.when_rescheduled(),
            },
            Self::Futures | Self::Shield | Self::Wait | Self::WaitFor => settle(draw),
            Self::Callbacks => return callbacks(draw, place),
            Self::Locks | Self::Semaphores => Does::Release(draw.lockable(self)),
            Self::Conditions => Does::NotifyAll(0),
            Self::Events if draw.chance(80) => Does::EventSet(draw.below(draw.objects.events)),
            Self::Events => Does::EventClear(draw.below(draw.objects.events)),
            Self::Barriers => Does::LookBarrier(0),
            Self::Queues => {
                let queue = draw.below(draw.objects.queues.len());
                match draw.below(6) {
                    0 => Does::GetNow(queue),
                    1 => Does::TaskDone(queue),
                    2 => Does::ShutDown(queue, draw.chance(50)),
                    _ => Does::PutNow(queue, draw.between(0, 9)),
                }
            }
            Self::Variables if draw.chance(40) => Does::SetVariable(0),
            Self::Variables => Does::GetVariable(0),
            Self::Cells => Does::Increment {
                cell: draw.below(draw.objects.cells),
                gives_way: false,
                is_told: true,
            },
            Self::Blocking => Does::Block(draw.delay().max(500)),
            Self::Looks | Self::AsCompleted | Self::Gather => looks(draw, place),
            Self::Loops => Does::Repeat(2, draw.repeated(2, |draw| draw.inner(place, 1, 2))),
            Self::Eager => {
                let function = draw.callee(place)?;
                Does::Spawn {
                    task: draw.task_of(function),
                    function,
                    is_eager: draw.chance(50),
                }
            }
            Self::Coroutines => Does::Forget(draw.callee(place)?),
            Self::Common if draw.chance(50) => settle(draw),
            Self::Common => Does::Log,
        };
        Some(does)
    }
}
