//! Which constructs a program has, by name: what the coverage of a set of programs is counted in.
//!
//! Not here: how many programs ought to have one (the test in `mod.rs`).

use std::collections::BTreeSet;

use super::syntax::{Caught, Does, Lockable, Order, Raised, Ref, Script, Settled, Until, What, When};

/// Every construct that a program may have.
pub const CONSTRUCTS: [&str; 85] = [
    "acquire and release by hand",
    "add_done_callback",
    "all_tasks",
    "as_completed, async for",
    "as_completed, for",
    "as_completed, timeout",
    "await coroutine",
    "await future",
    "await on itself",
    "await task",
    "barrier",
    "barrier abort",
    "barrier reset",
    "blocking step",
    "bounded semaphore",
    "call_at",
    "call_later",
    "call_soon",
    "cancel",
    "cancel itself",
    "cancel the main task",
    "cancel with a message",
    "cancel, swallowed",
    "cancelling",
    "coroutine never awaited",
    "coroutine object",
    "condition",
    "condition wait_for",
    "context variable",
    "create_task",
    "eager task",
    "eager task factory",
    "entered again, perhaps",
    "event",
    "except CancelledError",
    "except Exception",
    "except ExceptionGroup",
    "except TimeoutError",
    "except ValueError",
    "except Own",
    "finally",
    "future, cancelled",
    "future, set_exception",
    "future, set_result",
    "gather",
    "gather, return_exceptions",
    "group",
    "group in a group",
    "group of a callback's or another task's",
    "group whose body raises",
    "handle.cancel",
    "InvalidStateError possible",
    "lock",
    "loop",
    "loop for ever",
    "nested timeout",
    "notify",
    "notify_all",
    "queue",
    "queue in order of priority",
    "queue join",
    "queue last in, first out",
    "queue shutdown",
    "queue shutdown, immediate",
    "queue with maxsize",
    "queue, nowait",
    "raise again",
    "raise CancelledError",
    "read-modify-write",
    "reschedule",
    "reschedule to never",
    "semaphore",
    "shield",
    "sleep",
    "sleep negative",
    "sleep(0)",
    "task_done",
    "timeout",
    "timeout_at",
    "timeout(None)",
    "uncancel",
    "wait, all",
    "wait, first completed",
    "wait, first exception",
    "wait_for",
];

/// The constructs of one program.
pub fn constructs(script: &Script) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    if script.is_eager {
        all.insert("eager task factory");
    }
    script.each(&mut |does, around| {
        all.extend(names(script, does));
        all.extend(names_around(does, around));
    });
    let in_callbacks = script.callbacks.iter().flatten();
    if in_callbacks
        .into_iter()
        .any(|step| matches!(step.does, Does::GroupSpawn { .. }))
    {
        all.insert("group of a callback's or another task's");
    }
    all
}

/// What a step is by what is around it.
fn names_around(does: &Does, around: &[&Does]) -> Vec<&'static str> {
    let group = around.iter().rev().find_map(|outer| {
        if let Does::Group { group, .. } = outer {
            Some(*group)
        } else {
            None
        }
    });
    let is_in_timeout = around.iter().any(|outer| matches!(outer, Does::Timeout { .. }));
    match does {
        Does::Group { .. } if group.is_some() => vec!["group in a group"],
        Does::GroupSpawn { group: into, .. } if group != Some(*into) => vec!["group of a callback's or another task's"],
        Does::Raise(_) if matches!(around.last(), Some(Does::Group { .. })) => vec!["group whose body raises"],
        Does::Timeout { .. } if is_in_timeout => vec!["nested timeout"],
        _ => Vec::new(),
    }
}

/// What a step is by itself.
fn names(script: &Script, does: &Does) -> Vec<&'static str> {
    let several = |first: &'static str, others: &[(bool, &'static str)]| {
        let others = others.iter().filter(|(is_so, _)| *is_so).map(|(_, name)| *name);
        Some(first).into_iter().chain(others).collect::<Vec<_>>()
    };
    match does {
        Does::Sleep(0) => vec!["sleep(0)"],
        Does::Sleep(time) if *time < 0 => vec!["sleep negative"],
        Does::Sleep(_) => vec!["sleep"],
        Does::Block(_) => vec!["blocking step"],
        Does::Call { is_object, .. } => several("await coroutine", &[(*is_object, "coroutine object")]),
        Does::Forget(_) => vec!["coroutine never awaited"],
        Does::Raise(Raised::Again) => vec!["raise again"],
        Does::Raise(Raised::Cancelled) => vec!["raise CancelledError"],
        Does::Try { catches, finally, .. } => {
            let mut names: Vec<&'static str> = catches.iter().map(|catch| name_of(catch.kind)).collect();
            names.extend(finally.is_some().then_some("finally"));
            let swallows = |does: &Does| !matches!(does, Does::Raise(_));
            let is_swallowed = catches
                .iter()
                .any(|catch| catch.kind == Caught::Cancelled && catch.body.iter().all(|step| swallows(&step.does)));
            names.extend(is_swallowed.then_some("cancel, swallowed"));
            names
        }
        Does::Repeat(..) => vec!["loop"],
        Does::Forever(..) => vec!["loop for ever"],
        Does::Increment { gives_way, .. } => several("context", &[(*gives_way, "read-modify-write")]).split_off(1),
        Does::SetVariable(_) | Does::GetVariable(_) | Does::WithVariable(..) => vec!["context variable"],
        Does::CountTasks => vec!["all_tasks"],
        Does::Spawn { is_eager, .. } => several("create_task", &[(*is_eager, "eager task")]),
        Does::Await(Ref::Task(_)) => vec!["await task"],
        Does::Await(Ref::Future(_)) => vec!["await future"],
        Does::AwaitSelf => vec!["await on itself"],
        Does::Cancel { what, has_message } => several(
            "cancel",
            &[
                (*has_message, "cancel with a message"),
                (*what == Ref::Task(0), "cancel the main task"),
            ],
        ),
        Does::CancelSelf { .. } => vec!["cancel itself"],
        Does::Uncancel => vec!["uncancel"],
        Does::Cancelling => vec!["cancelling"],
        Does::Result(_) | Does::Exception(_) => vec!["InvalidStateError possible"],
        Does::WhenDone { .. } => vec!["add_done_callback"],
        Does::Settle { with, .. } => vec![match with {
            Settled::Value => "future, set_result",
            Settled::Exception => "future, set_exception",
            Settled::Cancelled => "future, cancelled",
        }],
        Does::CallSoon { .. } => vec!["call_soon"],
        Does::CallLater { .. } => vec!["call_later"],
        Does::CallAt { .. } => vec!["call_at"],
        Does::CancelHandle(_) => vec!["handle.cancel"],
        Does::Group { is_new, .. } => several("group", &[(!is_new, "entered again, perhaps")]),
        Does::GroupSpawn { .. } => vec!["group"],
        Does::Timeout { when, .. } => several(
            "timeout",
            &[
                (matches!(when, Some(When::At(_))), "timeout_at"),
                (*when == Some(When::Never), "timeout(None)"),
                (when.is_none(), "entered again, perhaps"),
            ],
        ),
        Does::Reschedule { when, .. } => several("reschedule", &[(*when == When::Never, "reschedule to never")]),
        Does::WaitFor { .. } => vec!["wait_for"],
        Does::Gather { returns_exceptions, .. } => {
            several("gather", &[(*returns_exceptions, "gather, return_exceptions")])
        }
        Does::Wait { until, .. } => vec![match until {
            Until::All => "wait, all",
            Until::First => "wait, first completed",
            Until::Exception => "wait, first exception",
        }],
        Does::AsCompleted { limit, is_plain, .. } => {
            let kind = if *is_plain {
                "as_completed, for"
            } else {
                "as_completed, async for"
            };
            several(kind, &[(limit.is_some(), "as_completed, timeout")])
        }
        Does::Shield(What::Ref(_) | What::Function(_)) => vec!["shield"],
        Does::Acquire(lockable) | Does::Release(lockable) => several(
            name_of_lock(script, *lockable),
            &[(true, "acquire and release by hand")],
        ),
        Does::With(lockable, _) | Does::IsLocked(lockable) => vec![name_of_lock(script, *lockable)],
        Does::ConditionWait(_) => vec!["condition"],
        Does::ConditionWaitFor { .. } => vec!["condition wait_for"],
        Does::Notify(..) => vec!["notify"],
        Does::NotifyAll(_) => vec!["notify_all"],
        Does::EventWait(_) | Does::EventSet(_) | Does::EventClear(_) | Does::IsSet(_) => vec!["event"],
        Does::BarrierWait(_) | Does::LookBarrier(_) => vec!["barrier"],
        Does::BarrierAbort(_) => vec!["barrier abort"],
        Does::BarrierReset(_) => vec!["barrier reset"],
        Does::Put(queue, _) | Does::Get(queue) | Does::LookQueue(queue) => of_queue(script, *queue, "queue"),
        Does::PutNow(queue, _) | Does::GetNow(queue) => of_queue(script, *queue, "queue, nowait"),
        Does::TaskDone(_) => vec!["task_done"],
        Does::Join(_) => vec!["queue join"],
        Does::ShutDown(_, is_immediate) => several("queue shutdown", &[(*is_immediate, "queue shutdown, immediate")]),
        _ => Vec::new(),
    }
}

fn of_queue(script: &Script, queue: usize, name: &'static str) -> Vec<&'static str> {
    let queue = script.objects.queues[queue];
    let order = match queue.order {
        Order::FirstIn => "queue",
        Order::LastIn => "queue last in, first out",
        Order::Priority => "queue in order of priority",
    };
    let mut names = vec![name, order];
    names.extend((queue.most > 0).then_some("queue with maxsize"));
    names
}

fn name_of(kind: Caught) -> &'static str {
    match kind {
        Caught::Cancelled => "except CancelledError",
        Caught::Timeout => "except TimeoutError",
        Caught::ValueError => "except ValueError",
        Caught::Own => "except Own",
        Caught::Group => "except ExceptionGroup",
        Caught::Any => "except Exception",
    }
}

fn name_of_lock(script: &Script, lockable: Lockable) -> &'static str {
    match lockable {
        Lockable::Lock(_) => "lock",
        Lockable::Semaphore(semaphore) if script.objects.semaphores[semaphore].is_bounded => "bounded semaphore",
        Lockable::Semaphore(_) => "semaphore",
        Lockable::Condition(_) => "condition",
    }
}
