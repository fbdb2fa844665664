//! The families of constructs, and the steps that each draws.
//!
//! Not here: how many of them a program has (`generate`).

use super::generate::{Draw, Place, step};
use super::syntax::{Block, Catch, Caught, Does, Raised, Settled, Until};

/// How deep blocks go.
const DEEPEST: u32 = 4;

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
            Self::Shield | Self::Tries | Self::Groups | Self::Timeouts | Self::Conditions | Self::Barriers | Self::Callbacks => 2,
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
            Self::WaitFor => Does::WaitFor { what: draw.awaited_or_function(place), limit: draw.limit() },
            Self::Gather => Does::Gather {
                what: (0..draw.one_of(&[0, 1, 1, 1, 2, 2, 2, 3, 3, 3])).map(|_| draw.awaited_or_function(place)).collect(),
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
                        Does::Timeout { timeout, when: Some(draw.when()), body: vec![step(shield)] }
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
                    let held = draw.repeated(2, |draw| draw.inner(place, 1, 1))?;
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
            Self::Queues if !is_deep && draw.chance(35) => queue_in_turns(draw)?,
            Self::Queues => queues(draw),
            Self::Variables if !is_deep && draw.chance(25) => Does::WithVariable(0, draw.inner(place, 1, 2)),
            Self::Variables if draw.chance(40) => Does::SetVariable(0),
            Self::Variables => Does::GetVariable(0),
            Self::Cells => Does::Increment { cell: draw.below(draw.objects.cells), gives_way: draw.chance(60), is_told: true },
            Self::Blocking => Does::Block(draw.delay().max(500)),
            Self::Loops => return loops(draw, place, is_deep),
            Self::Looks => looks(draw, place),
            Self::Eager => {
                let function = draw.callee(place)?;
                Does::Spawn { task: draw.task_of(function), function, is_eager: true }
            }
            Self::Coroutines => {
                let function = draw.callee(place)?;
                match draw.below(3) {
                    0 => Does::Forget(function),
                    1 => Does::Call { function, is_object: true },
                    _ => Does::Call { function, is_object: false },
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
                Does::Try { body, catches: vec![Catch { kind: Caught::Any, body: Block::new() }], finally: None }
            }
            Self::Cancels => Does::Cancel { what: draw.any(), has_message: draw.chance(40) },
            Self::Groups => {
                let function = draw.callee(place)?;
                let group = draw.below(draw.objects.groups);
                Does::GroupSpawn { group, task: draw.task_of(function), function, is_eager: false }
            }
            Self::Timeouts if draw.chance(50) => Does::LookTimeout(draw.below(draw.objects.timeouts)),
            Self::Timeouts => Does::Reschedule { timeout: draw.below(draw.objects.timeouts), when: draw.when_rescheduled() },
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
            Self::Cells => Does::Increment { cell: draw.below(draw.objects.cells), gives_way: false, is_told: true },
            Self::Blocking => Does::Block(draw.delay().max(500)),
            Self::Looks | Self::AsCompleted | Self::Gather => looks(draw, place),
            Self::Loops => Does::Repeat(2, draw.repeated(2, |draw| draw.inner(place, 1, 2))?),
            Self::Eager => {
                let function = draw.callee(place)?;
                Does::Spawn { task: draw.task_of(function), function, is_eager: draw.chance(50) }
            }
            Self::Coroutines => Does::Forget(draw.callee(place)?),
            Self::Common if draw.chance(50) => settle(draw),
            Self::Common => Does::Log,
        };
        Some(does)
    }
}

fn common(draw: &mut Draw, place: Place) -> Option<Does> {
    let does = match draw.below(12) {
        0 if draw.chance(60) => Does::Block(draw.delay().max(500)),
        0 => Does::Log,
        1 | 2 => Does::Sleep(0),
        3..=5 => Does::Sleep(draw.delay()),
        6 if draw.chance(20) => Does::Sleep(-1_000),
        6 => Does::Time,
        7 => {
            let function = draw.callee(place)?;
            Does::Call { function, is_object: false }
        }
        8 | 9 => {
            let function = draw.callee(place)?;
            Does::Spawn { task: draw.task_of(function), function, is_eager: false }
        }
        10 if draw.chance(20) => Does::Raise(raised(draw, place)),
        _ => Does::Await(draw.awaited(place)),
    };
    Some(does)
}

fn raised(draw: &mut Draw, place: Place) -> Raised {
    if place.is_in_catch && draw.chance(60) {
        return Raised::Again;
    }
    draw.one_of(&[
        Raised::ValueError,
        Raised::ValueError,
        Raised::Own,
        Raised::Own,
        Raised::RuntimeError,
        Raised::Timeout,
        Raised::Cancelled,
    ])
}

fn tries(draw: &mut Draw, place: Place) -> Does {
    let body = draw.inner(place, 1, 3);
    let kinds = [
        Caught::Cancelled,
        Caught::Cancelled,
        Caught::Timeout,
        Caught::ValueError,
        Caught::Own,
        Caught::Group,
        Caught::Any,
        Caught::Any,
    ];
    let mut catches: Vec<Catch> = Vec::new();
    for _ in 0..1 + draw.below(2) {
        let kind = draw.one_of(&kinds);
        if catches.iter().all(|catch| catch.kind != kind) {
            let mut body = draw.inner(Place { is_in_catch: true, ..place }, 0, 2);
            body.extend(draw.chance(20).then(|| step(Does::Raise(Raised::Again))));
            catches.push(Catch { kind, body });
        }
    }
    let finally = draw.chance(35).then(|| draw.inner(Place { is_in_catch: false, ..place }, 1, 2));
    if finally.is_some() && draw.chance(40) {
        catches.clear();
    }
    Does::Try { body, catches, finally }
}

fn cancels(draw: &mut Draw, place: Place) -> Does {
    match draw.below(10) {
        0 => Does::Uncancel,
        1 => Does::Cancelling,
        2 if draw.chance(60) => Does::CancelSelf { has_message: draw.chance(40) },
        // Swallows a cancellation, and may say so.
        3 if place.depth < DEEPEST => {
            let body = draw.inner(place, 1, 2);
            let mut cleanup = draw.inner(Place { is_in_catch: true, ..place }, 0, 1);
            if draw.chance(50) {
                cleanup.push(step(Does::Uncancel));
            }
            Does::Try { body, catches: vec![Catch { kind: Caught::Cancelled, body: cleanup }], finally: None }
        }
        _ => Does::Cancel { what: draw.any(), has_message: draw.chance(40) },
    }
}

fn groups(draw: &mut Draw, place: Place, is_deep: bool) -> Option<Does> {
    let group_spawn = |draw: &mut Draw, group: usize| {
        let function = draw.callee(place)?;
        let is_eager = draw.families.contains(&Family::Eager) && draw.chance(30);
        Some(Does::GroupSpawn { group, task: draw.task_of(function), function, is_eager })
    };
    if is_deep || draw.chance(30) {
        // Into the group around, or into whichever there is.
        let any = draw.below(draw.objects.groups);
        let group = place.group.filter(|_| draw.chance(70)).unwrap_or(any);
        return group_spawn(draw, group);
    }
    let group = draw.below(draw.objects.groups);
    let mut body = Block::new();
    for _ in 0..1 + draw.below(3) {
        body.extend(group_spawn(draw, group).map(step));
    }
    let inside = Place { group: Some(group), depth: place.depth + 1, ..place };
    if draw.chance(25) {
        body.extend(groups(draw, inside, inside.depth >= DEEPEST).map(step));
    }
    body.extend(draw.block(inside, 0, 2));
    if draw.chance(20) {
        body.push(step(Does::Raise(raised(draw, Place { is_in_catch: false, ..place }))));
    }
    let does = Does::Group { group, is_new: draw.chance(92), body };
    if draw.chance(40) {
        let kind = draw.one_of(&[Caught::Group, Caught::Group, Caught::Any, Caught::Cancelled]);
        let body = draw.inner(Place { is_in_catch: true, ..place }, 0, 1);
        return Some(Does::Try { body: vec![step(does)], catches: vec![Catch { kind, body }], finally: None });
    }
    Some(does)
}

fn timeouts(draw: &mut Draw, place: Place, is_deep: bool) -> Does {
    let any = draw.below(draw.objects.timeouts);
    let timeout = place.timeout.filter(|_| draw.chance(70)).unwrap_or(any);
    if is_deep || draw.chance(35) {
        return if draw.chance(55) { Does::Reschedule { timeout, when: draw.when_rescheduled() } } else { Does::LookTimeout(timeout) };
    }
    let timeout = draw.below(draw.objects.timeouts);
    let body = draw.inner(Place { timeout: Some(timeout), ..place }, 1, 3);
    let when = if draw.chance(8) { None } else { Some(draw.when()) };
    let does = Does::Timeout { timeout, when, body };
    if draw.chance(55) {
        let kind = draw.one_of(&[Caught::Timeout, Caught::Timeout, Caught::Any]);
        let mut body = draw.inner(Place { is_in_catch: true, ..place }, 0, 1);
        if draw.chance(30) {
            body.push(step(Does::LookTimeout(timeout)));
        }
        return Does::Try { body: vec![step(does)], catches: vec![Catch { kind, body }], finally: None };
    }
    does
}

fn settle(draw: &mut Draw) -> Does {
    let with = draw.one_of(&[Settled::Value, Settled::Value, Settled::Exception, Settled::Cancelled]);
    Does::Settle { future: draw.below(draw.objects.futures), with }
}

fn futures(draw: &mut Draw, place: Place) -> Option<Does> {
    let does = match draw.below(8) {
        0 => Does::MakeFuture(draw.below(draw.objects.futures)),
        1 | 2 => settle(draw),
        3 | 4 => {
            let callback = draw.scheduled(place)?;
            Does::CallLater { callback, handle: draw.below(draw.objects.handles), delay: draw.delay() }
        }
        _ => Does::Await(draw.future()),
    };
    Some(does)
}

fn callbacks(draw: &mut Draw, place: Place) -> Option<Does> {
    let callback = draw.scheduled(place)?;
    let handle = draw.below(draw.objects.handles);
    let does = match draw.below(7) {
        0 | 1 => Does::CallSoon { callback, handle },
        2 => Does::CallLater { callback, handle, delay: draw.delay() },
        3 => Does::CallAt { callback, handle, time: draw.one_of(&[0, 1_000, 2_000, 5_000, 8_000]) },
        4 => Does::CancelHandle(handle),
        _ => Does::WhenDone { what: draw.any(), callback },
    };
    Some(does)
}

fn conditions(draw: &mut Draw, place: Place, is_deep: bool) -> Does {
    let lockable = draw.lockable(Family::Conditions);
    let cell = draw.below(draw.objects.cells);
    let does = match draw.below(10) {
        0 => Does::Notify(0, draw.between(1, 2)),
        1 | 2 => Does::NotifyAll(0),
        3 | 4 => Does::ConditionWaitFor { condition: 0, cell, least: draw.between(1, 2) },
        5 => Does::IsLocked(lockable),
        _ => Does::ConditionWait(0),
    };
    if is_deep || draw.chance(10) {
        return does;
    }
    // Mostly with the lock, which all of this needs.
    let mut body = Block::new();
    if matches!(does, Does::Notify(..) | Does::NotifyAll(_)) && draw.chance(60) {
        body.push(step(Does::Increment { cell, gives_way: draw.chance(30), is_told: true }));
    }
    body.push(step(does));
    body.extend(draw.inner(place, 0, 1));
    Does::With(lockable, body)
}

fn queues(draw: &mut Draw) -> Does {
    let queue = draw.below(draw.objects.queues.len());
    let item = draw.between(0, 9);
    match draw.below(16) {
        0..=3 => Does::Put(queue, item),
        4..=6 => Does::Get(queue),
        7 => Does::PutNow(queue, item),
        8 => Does::GetNow(queue),
        9 | 10 => Does::TaskDone(queue),
        11 | 12 => Does::Join(queue),
        13 => Does::LookQueue(queue),
        _ => Does::ShutDown(queue, draw.chance(55)),
    }
}

/// Puts or gets several, one after the other: who has to wait waits beside others.
fn queue_in_turns(draw: &mut Draw) -> Option<Does> {
    let queue = draw.below(draw.objects.queues.len());
    let times = 2 + draw.below(2) as u32;
    let block = draw.repeated(times, |draw| {
        if draw.chance(55) {
            return vec![step(Does::Put(queue, draw.between(0, 9)))];
        }
        let mut block = vec![step(Does::Get(queue))];
        block.extend(draw.chance(40).then(|| step(Does::Sleep(draw.delay()))));
        block.extend(draw.chance(40).then(|| step(Does::TaskDone(queue))));
        block
    })?;
    Some(Does::Repeat(times, block))
}

fn loops(draw: &mut Draw, place: Place, is_deep: bool) -> Option<Does> {
    if is_deep {
        return None;
    }
    if draw.chance(15) {
        let pause = draw.one_of(&[0, 1_000, 2_000]);
        // Endless: what is in it may be done hundreds of times, so nothing that makes tasks.
        let body = (0..draw.below(3)).map(|_| step(Does::Sleep(draw.one_of(&[0, 1_000])))).collect();
        return Some(Does::Forever(pause, body));
    }
    let times = 2 + draw.below(2) as u32;
    Some(Does::Repeat(times, draw.repeated(times, |draw| draw.inner(place, 1, 2))?))
}

fn looks(draw: &mut Draw, place: Place) -> Does {
    match draw.below(if place.callback.is_some() { 3 } else { 4 }) {
        0 if draw.chance(50) => Does::CountTasks,
        0 => Does::IsDone(draw.any()),
        1 => Does::Result(draw.any()),
        2 => Does::Exception(draw.any()),
        _ if draw.chance(70) => Does::AwaitSelf,
        _ => Does::Await(draw.awaited(place)),
    }
}
