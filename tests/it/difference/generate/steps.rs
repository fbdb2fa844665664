//! The steps of the families, where they take more than a line to draw.
//!
//! Not here: which family is asked.

use super::super::syntax::{Block, Catch, Caught, Does, Raised, Settled};
use super::families::Family;
use super::{DEEPEST, Draw, Place, step};

/// What every program has.
pub(super) fn common(draw: &mut Draw, place: Place) -> Option<Does> {
    let does = match draw.below(12) {
        0 if draw.chance(60) => Does::Block(draw.delay().max(500)),
        0 => Does::Log,
        1 | 2 => Does::Sleep(0),
        3..=5 => Does::Sleep(draw.delay()),
        6 if draw.chance(20) => Does::Sleep(-1_000),
        6 => Does::Time,
        7 => {
            let function = draw.callee(place)?;
            Does::Call {
                function,
                is_object: false,
            }
        }
        8 | 9 => {
            let function = draw.callee(place)?;
            Does::Spawn {
                task: draw.task_of(function),
                function,
                is_eager: false,
            }
        }
        10 if draw.chance(20) => Does::Raise(raised(draw, place)),
        _ => Does::Await(draw.awaited(place)),
    };
    Some(does)
}

pub(super) fn raised(draw: &mut Draw, place: Place) -> Raised {
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

pub(super) fn tries(draw: &mut Draw, place: Place) -> Does {
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
            let mut body = draw.inner(place.in_catch(), 0, 2);
            body.extend(draw.chance(20).then(|| step(Does::Raise(Raised::Again))));
            catches.push(Catch { kind, body });
        }
    }
    let finally = draw.chance(35).then(|| draw.inner(place.out_of_catch(), 1, 2));
    if finally.is_some() && draw.chance(40) {
        catches.clear();
    }
    Does::Try { body, catches, finally }
}

pub(super) fn cancels(draw: &mut Draw, place: Place) -> Does {
    match draw.below(10) {
        0 => Does::Uncancel,
        1 => Does::Cancelling,
        2 if draw.chance(60) => Does::CancelSelf {
            has_message: draw.chance(40),
        },
        // Swallows a cancellation, and may say so.
        3 if place.depth < DEEPEST => {
            let body = draw.inner(place, 1, 2);
            let mut cleanup = draw.inner(place.in_catch(), 0, 1);
            if draw.chance(50) {
                cleanup.push(step(Does::Uncancel));
            }
            Does::Try {
                body,
                catches: vec![Catch {
                    kind: Caught::Cancelled,
                    body: cleanup,
                }],
                finally: None,
            }
        }
        _ => Does::Cancel {
            what: draw.any(),
            has_message: draw.chance(40),
        },
    }
}

/// A group with its tasks, mostly; or a task for a group that may be over.
pub(super) fn groups(draw: &mut Draw, place: Place, is_deep: bool) -> Option<Does> {
    let group_spawn = |draw: &mut Draw, group: usize| {
        let function = draw.callee(place)?;
        let is_eager = draw.families.contains(&Family::Eager) && draw.chance(30);
        Some(Does::GroupSpawn {
            group,
            task: draw.task_of(function),
            function,
            is_eager,
        })
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
    let inside = Place {
        group: Some(group),
        ..place.inside()
    };
    if draw.chance(25) {
        body.extend(groups(draw, inside, inside.depth >= DEEPEST).map(step));
    }
    body.extend(draw.block(inside, 0, 2));
    if draw.chance(20) {
        body.push(step(Does::Raise(raised(draw, place.out_of_catch()))));
    }
    let does = Does::Group {
        group,
        is_new: draw.chance(92),
        body,
    };
    if draw.chance(40) {
        let kind = draw.one_of(&[Caught::Group, Caught::Group, Caught::Any, Caught::Cancelled]);
        let body = draw.inner(place.in_catch(), 0, 1);
        return Some(Does::Try {
            body: vec![step(does)],
            catches: vec![Catch { kind, body }],
            finally: None,
        });
    }
    Some(does)
}

/// A time limit, mostly; or another look at one, or another deadline for it.
pub(super) fn timeouts(draw: &mut Draw, place: Place, is_deep: bool) -> Does {
    let any = draw.below(draw.objects.timeouts);
    let timeout = place.timeout.filter(|_| draw.chance(70)).unwrap_or(any);
    if is_deep || draw.chance(35) {
        return if draw.chance(55) {
            Does::Reschedule {
                timeout,
                when: draw.when_rescheduled(),
            }
        } else {
            Does::LookTimeout(timeout)
        };
    }
    let timeout = draw.below(draw.objects.timeouts);
    let body = draw.inner(
        Place {
            timeout: Some(timeout),
            ..place
        },
        1,
        3,
    );
    let when = if draw.chance(8) { None } else { Some(draw.when()) };
    let does = Does::Timeout { timeout, when, body };
    if draw.chance(55) {
        let kind = draw.one_of(&[Caught::Timeout, Caught::Timeout, Caught::Any]);
        let mut body = draw.inner(place.in_catch(), 0, 1);
        if draw.chance(30) {
            body.push(step(Does::LookTimeout(timeout)));
        }
        return Does::Try {
            body: vec![step(does)],
            catches: vec![Catch { kind, body }],
            finally: None,
        };
    }
    does
}

pub(super) fn settle(draw: &mut Draw) -> Does {
    let with = draw.one_of(&[Settled::Value, Settled::Value, Settled::Exception, Settled::Cancelled]);
    Does::Settle {
        future: draw.below(draw.objects.futures),
        with,
    }
}

pub(super) fn futures(draw: &mut Draw, place: Place) -> Option<Does> {
    let does = match draw.below(8) {
        0 => Does::MakeFuture(draw.below(draw.objects.futures)),
        1 | 2 => settle(draw),
        3 | 4 => {
            let callback = draw.scheduled(place)?;
            Does::CallLater {
                callback,
                handle: draw.below(draw.objects.handles),
                delay: draw.delay(),
            }
        }
        _ => Does::Await(draw.future()),
    };
    Some(does)
}

pub(super) fn callbacks(draw: &mut Draw, place: Place) -> Option<Does> {
    let callback = draw.scheduled(place)?;
    let handle = draw.below(draw.objects.handles);
    let does = match draw.below(7) {
        0 | 1 => Does::CallSoon { callback, handle },
        2 => Does::CallLater {
            callback,
            handle,
            delay: draw.delay(),
        },
        3 => Does::CallAt {
            callback,
            handle,
            time: draw.one_of(&[0, 1_000, 2_000, 5_000, 8_000]),
        },
        4 => Does::CancelHandle(handle),
        _ => Does::WhenDone {
            what: draw.any(),
            callback,
        },
    };
    Some(does)
}

pub(super) fn conditions(draw: &mut Draw, place: Place, is_deep: bool) -> Does {
    let lockable = draw.lockable(Family::Conditions);
    let cell = draw.below(draw.objects.cells);
    let does = match draw.below(10) {
        0 => Does::Notify(0, draw.between(1, 2)),
        1 | 2 => Does::NotifyAll(0),
        3 | 4 => Does::ConditionWaitFor {
            condition: 0,
            cell,
            least: draw.between(1, 2),
        },
        5 => Does::IsLocked(lockable),
        _ => Does::ConditionWait(0),
    };
    if is_deep || draw.chance(10) {
        return does;
    }
    // Mostly with the lock, which all of this needs.
    let mut body = Block::new();
    if matches!(does, Does::Notify(..) | Does::NotifyAll(_)) && draw.chance(60) {
        body.push(step(Does::Increment {
            cell,
            gives_way: draw.chance(30),
            is_told: true,
        }));
    }
    body.push(step(does));
    body.extend(draw.inner(place, 0, 1));
    Does::With(lockable, body)
}

pub(super) fn queues(draw: &mut Draw) -> Does {
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
pub(super) fn queue_in_turns(draw: &mut Draw) -> Does {
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
    });
    Does::Repeat(times, block)
}

pub(super) fn loops(draw: &mut Draw, place: Place, is_deep: bool) -> Option<Does> {
    if is_deep {
        return None;
    }
    if draw.chance(15) {
        let pause = draw.one_of(&[0, 1_000, 2_000]);
        // Endless: what is in it may be done hundreds of times, so nothing that makes tasks.
        let body = (0..draw.below(3))
            .map(|_| step(Does::Sleep(draw.one_of(&[0, 1_000]))))
            .collect();
        return Some(Does::Forever(pause, body));
    }
    let times = 2 + draw.below(2) as u32;
    Some(Does::Repeat(
        times,
        draw.repeated(times, |draw| draw.inner(place, 1, 2)),
    ))
}

pub(super) fn looks(draw: &mut Draw, place: Place) -> Does {
    match draw.below(if place.callback.is_some() { 3 } else { 4 }) {
        0 if draw.chance(50) => Does::CountTasks,
        0 => Does::IsDone(draw.any()),
        1 => Does::Result(draw.any()),
        2 => Does::Exception(draw.any()),
        _ if draw.chance(70) => Does::AwaitSelf,
        _ => Does::Await(draw.awaited(place)),
    }
}
