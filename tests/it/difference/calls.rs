//! The steps that are one call or one await each: operands, the effect, a line of the log.
//!
//! Not here: steps with blocks of their own (`lower`).

use std::rc::Rc;

use concurrency_playground::machine::event_loop::{self, Awaitable, LoopCall, OnException, TaskOptions};
use concurrency_playground::machine::threads::ThreadCall;
use concurrency_playground::machine::{Effect, Exception, Value};

use super::lower::{Lowering, create_future};
use super::syntax::{Does, Lockable, Ref, Settled, Until, What, When};
use crate::stack_interpreter::{Op, Operands};

/// Lowers one step.
pub fn call(to: &mut Lowering, number: u32, does: &Does) {
    match does {
        Does::Log => to.log(number, "", 0),
        Does::Say(words) => to.log(number, words, 0),
        Does::Sleep(time) => {
            to.push(time * 1_000);
            to.call_only("sleep", |operands| Ok(Effect::Await(Awaitable::Sleep(operands.time()))));
            to.log(number, "slept", 0);
        }
        Does::Block(time) => {
            to.push(time * 1_000);
            to.call_only("block", |operands| Ok(Effect::Thread(ThreadCall::Sleep(operands.time()))));
            to.log(number, "blocked", 0);
        }
        Does::Time => {
            to.call("time", |_| Ok(Effect::Loop(LoopCall::Time)));
            to.log(number, "time", 1);
        }
        Does::Call { function, is_object: false } => {
            to.emit(Op::Call(*function));
            to.log(number, "returned", 1);
        }
        Does::Call { function, is_object: true } => {
            coroutine(to, *function);
            to.call("await coroutine", |operands| Ok(Effect::Await(Awaitable::Coroutine(operands.id()?))));
            to.log(number, "returned", 1);
        }
        Does::Forget(function) => {
            coroutine(to, *function);
            to.call_only("drop coroutine", |operands| Ok(Effect::Loop(LoopCall::DropCoroutine(operands.id()?))));
        }
        Does::LookContext => to.log_context(number),
        Does::Increment { cell, gives_way, is_told } => {
            to.read(*cell);
            if *gives_way {
                to.push(0);
                to.call_only("sleep", |operands| Ok(Effect::Await(Awaitable::Sleep(operands.time()))));
            }
            to.push(1);
            to.emit(Op::Add);
            to.emit(Op::Duplicate);
            to.write(*cell);
            if *is_told {
                to.log(number, "wrote", 1);
            } else {
                to.emit(Op::Pop);
            }
        }
        Does::SetVariable(variable) => {
            to.emit(Op::Load(to.globals.variables + variable));
            to.push(i64::from(number));
            to.call_only("set", |operands| {
                let value = operands.value();
                Ok(Effect::Loop(LoopCall::SetVariable(operands.id()?, value)))
            });
        }
        Does::GetVariable(variable) => {
            to.emit(Op::Load(to.globals.variables + variable));
            to.call("get", |operands| Ok(Effect::Loop(LoopCall::GetVariable(operands.id()?))));
            to.log(number, "variable", 1);
        }
        Does::CountTasks => {
            to.call("all_tasks", |_| Ok(Effect::Loop(LoopCall::AllTasks)));
            to.emit(Op::Length);
            to.log(number, "tasks", 1);
        }
        Does::WaitFor { .. } | Does::Gather { .. } | Does::Wait { .. } | Does::AsCompleted { .. } | Does::Shield(_) => {
            waiting(to, number, does);
        }
        Does::Acquire(lockable) => {
            to.lockable(*lockable);
            to.acquire(*lockable);
            to.log(number, "acquired", 1);
        }
        Does::Release(lockable) => {
            to.lockable(*lockable);
            to.release(*lockable);
            to.log(number, "released", 0);
        }
        Does::IsLocked(lockable) => {
            to.lockable(*lockable);
            to.call(
                "locked",
                match lockable {
                    Lockable::Semaphore(_) => |operands| Ok(Effect::Loop(LoopCall::SemaphoreLocked(operands.id()?))),
                    _ => |operands| Ok(Effect::Loop(LoopCall::Locked(operands.id()?))),
                },
            );
            to.log(number, "locked", 1);
        }
        _ if tasks(to, number, does) || locks(to, number, does) || queues(to, number, does) => {}
        _ => unreachable!("a step with a block is lowered elsewhere: {does:?}"),
    }
}

/// `f()` without `await`.
fn coroutine(to: &mut Lowering, function: usize) {
    to.push(Value::Text(format!("f{function}").into()));
    to.emit(Op::Program { code: function, suffix: String::new() });
    to.call("coroutine", |operands| {
        let program = operands.program();
        let name = text(operands);
        Ok(Effect::Loop(LoopCall::Coroutine(program, name)))
    });
}

fn text(operands: &mut Operands<'_>) -> Option<Rc<str>> {
    match operands.value() {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// A message to cancel with, or none.
fn message(to: &mut Lowering, number: u32, has_message: bool) {
    to.push(if has_message { Value::Text(format!("m{number}").into()) } else { Value::None });
}

fn reference(to: &mut Lowering, what: Ref) {
    let place = match what {
        Ref::Task(task) => to.globals.tasks + task,
        Ref::Future(future) => to.globals.futures + future,
    };
    to.emit(Op::Load(place));
}

fn what(to: &mut Lowering, number: u32, place: usize, what: What) {
    match what {
        What::Ref(what) => reference(to, what),
        What::Function(function) => to.emit(Op::Program { code: function, suffix: format!(".{number}.{place}") }),
    }
}

fn callback(to: &mut Lowering, number: u32, callback: usize) {
    let code = to.n_functions + callback;
    to.emit(Op::Program { code, suffix: format!(".{number}") });
}

fn maybe(to: &mut Lowering, time: Option<i64>) {
    to.push(time.map_or(Value::None, |time| Value::Int(time * 1_000)));
}

fn eager(is_eager: bool) -> Option<Box<TaskOptions>> {
    is_eager.then(|| {
        Box::new(TaskOptions {
            eager: Some(true),
            ..TaskOptions::default()
        })
    })
}

/// The current task, on top.
fn current_task(to: &mut Lowering) {
    to.call("current_task", |_| Ok(Effect::Loop(LoopCall::CurrentTask)));
}

fn cancel(operands: &mut Operands<'_>) -> Result<Effect, Exception> {
    let message = text(operands);
    Ok(Effect::Loop(LoopCall::Cancel(operands.id()?, message)))
}

fn tasks(to: &mut Lowering, number: u32, does: &Does) -> bool {
    match does {
        Does::Spawn { task, function, is_eager } => {
            to.emit(Op::Program { code: *function, suffix: format!(".{number}") });
            to.push(*is_eager);
            to.call("create_task", |operands| {
                let options = eager(operands.bool());
                Ok(Effect::Loop(LoopCall::CreateTask(operands.waitable()?, options)))
            });
            to.emit(Op::Store(to.globals.tasks + task));
        }
        Does::GroupSpawn { group, task, function, is_eager } => {
            to.emit(Op::Load(to.globals.groups + group));
            to.emit(Op::Program { code: *function, suffix: format!(".{number}") });
            to.push(*is_eager);
            to.call("group.create_task", |operands| {
                let options = eager(operands.bool());
                let program = operands.waitable()?;
                Ok(Effect::Loop(LoopCall::CreateGroupTask(operands.id()?, program, options)))
            });
            to.emit(Op::Store(to.globals.tasks + task));
        }
        Does::Await(what) => {
            reference(to, *what);
            to.call("await", |operands| Ok(Effect::Await(Awaitable::Future(operands.id()?))));
            to.log(number, "got", 1);
        }
        Does::AwaitSelf => {
            current_task(to);
            to.call("await", |operands| Ok(Effect::Await(Awaitable::Future(operands.id()?))));
            to.log(number, "got", 1);
        }
        Does::Cancel { what, has_message } => {
            reference(to, *what);
            message(to, number, *has_message);
            to.call("cancel", cancel);
            to.log(number, "cancels", 1);
        }
        Does::CancelSelf { has_message } => {
            current_task(to);
            message(to, number, *has_message);
            to.call("cancel", cancel);
            to.log(number, "cancels", 1);
        }
        Does::Uncancel => {
            current_task(to);
            to.call("uncancel", |operands| Ok(Effect::Loop(LoopCall::Uncancel(operands.id()?))));
            to.log(number, "uncancels", 1);
        }
        Does::Cancelling => {
            current_task(to);
            to.call("cancelling", |operands| Ok(Effect::Loop(LoopCall::Cancelling(operands.id()?))));
            to.log(number, "cancelling", 1);
        }
        Does::IsDone(what) => {
            reference(to, *what);
            to.call("done", |operands| Ok(Effect::Loop(LoopCall::Done(operands.id()?))));
            reference(to, *what);
            to.call("cancelled", |operands| Ok(Effect::Loop(LoopCall::Cancelled(operands.id()?))));
            to.log(number, "done", 2);
        }
        Does::Result(what) => {
            reference(to, *what);
            to.call("result", |operands| Ok(Effect::Loop(LoopCall::Result(operands.id()?))));
            to.log(number, "result", 1);
        }
        Does::Exception(what) => {
            reference(to, *what);
            to.call("exception", |operands| Ok(Effect::Loop(LoopCall::Exception(operands.id()?))));
            to.log(number, "exception", 1);
        }
        Does::WhenDone { what, callback: code } => {
            reference(to, *what);
            callback(to, number, *code);
            to.call_only("add_done_callback", |operands| {
                let program = operands.program();
                Ok(Effect::Loop(LoopCall::AddDoneCallback(operands.id()?, program, None)))
            });
        }
        Does::MakeFuture(future) => {
            to.call("create_future", |_| create_future());
            to.emit(Op::Store(to.globals.futures + future));
        }
        Does::Settle { future, with } => {
            reference(to, Ref::Future(*future));
            match with {
                Settled::Value => {
                    to.push(i64::from(number));
                    to.call_only("set_result", |operands| {
                        let value = operands.value();
                        Ok(Effect::Loop(LoopCall::SetResult(operands.id()?, value)))
                    });
                }
                Settled::Exception => {
                    to.emit(Op::MakeOwn("Own", Value::Int(i64::from(number))));
                    to.call_only("set_exception", |operands| {
                        let exception = operands.exception().expect("an exception was pushed");
                        Ok(Effect::Loop(LoopCall::SetException(operands.id()?, exception)))
                    });
                }
                Settled::Cancelled => {
                    message(to, number, false);
                    to.call_only("cancel", cancel);
                }
            }
        }
        Does::CallSoon { callback: code, handle } => {
            callback(to, number, *code);
            to.call("call_soon", |operands| Ok(Effect::Loop(LoopCall::CallSoon(operands.program(), None))));
            to.emit(Op::Store(to.globals.handles + handle));
        }
        Does::CallLater { callback: code, handle, delay } => {
            callback(to, number, *code);
            to.push(delay * 1_000);
            to.call("call_later", |operands| {
                let delay = operands.time();
                Ok(Effect::Loop(LoopCall::CallLater(delay, operands.program())))
            });
            to.emit(Op::Store(to.globals.handles + handle));
        }
        Does::CallAt { callback: code, handle, time } => {
            callback(to, number, *code);
            to.push(time * 1_000);
            to.call("call_at", |operands| {
                let when = operands.time();
                Ok(Effect::Loop(LoopCall::CallAt(when, operands.program())))
            });
            to.emit(Op::Store(to.globals.handles + handle));
        }
        Does::CancelHandle(handle) => {
            to.emit(Op::Load(to.globals.handles + handle));
            let nothing = to.jump(Op::JumpUnless);
            to.emit(Op::Load(to.globals.handles + handle));
            to.call_only("cancel handle", |operands| Ok(Effect::Loop(LoopCall::CancelHandle(operands.id()?))));
            to.aim(nothing);
        }
        Does::Reschedule { timeout, when } => {
            to.emit(Op::Load(to.globals.timeouts + timeout));
            match when {
                When::Never => to.push(Value::None),
                When::In(delay) => {
                    to.call("time", |_| Ok(Effect::Loop(LoopCall::Time)));
                    to.push(delay * 1_000);
                    to.emit(Op::Add);
                }
                When::At(time) => to.push(time * 1_000),
            }
            to.call_only("reschedule", |operands| {
                let when = operands.maybe_time();
                Ok(Effect::Loop(LoopCall::Reschedule(operands.id()?, when)))
            });
        }
        Does::LookTimeout(timeout) => {
            to.emit(Op::Load(to.globals.timeouts + timeout));
            to.call("expired", |operands| Ok(Effect::Loop(LoopCall::Expired(operands.id()?))));
            to.emit(Op::Load(to.globals.timeouts + timeout));
            to.call("when", |operands| Ok(Effect::Loop(LoopCall::When(operands.id()?))));
            to.log(number, "timeout", 2);
        }
        _ => return false,
    }
    true
}

fn waiting(to: &mut Lowering, number: u32, does: &Does) {
    match does {
        Does::WaitFor { what: one, limit } => {
            what(to, number, 0, *one);
            maybe(to, *limit);
            to.call("wait_for", |operands| {
                let limit = operands.maybe_time();
                Ok(Effect::Await(Awaitable::WaitFor(Box::new((operands.waitable()?, limit)))))
            });
            to.log(number, "got", 1);
        }
        Does::Gather { what: all, returns_exceptions } => {
            all.iter().enumerate().for_each(|(place, one)| what(to, number, place, *one));
            to.push(all.len() as i64);
            to.call(
                "gather",
                if *returns_exceptions {
                    |operands| Ok(Effect::Loop(LoopCall::Gather(operands.waitables()?, OnException::Return)))
                } else {
                    |operands| Ok(Effect::Loop(LoopCall::Gather(operands.waitables()?, OnException::Raise)))
                },
            );
            to.call("await", |operands| Ok(Effect::Await(Awaitable::Future(operands.id()?))));
            to.log(number, "gathered", 1);
        }
        Does::Shield(one) => {
            what(to, number, 0, *one);
            to.call("shield", |operands| Ok(Effect::Loop(LoopCall::Shield(operands.waitable()?))));
            to.call("await", |operands| Ok(Effect::Await(Awaitable::Future(operands.id()?))));
            to.log(number, "got", 1);
        }
        Does::Wait { what, until, limit } => wait(to, number, what, *until, *limit),
        Does::AsCompleted { what, limit, is_plain } => as_completed(to, number, what, *limit, *is_plain),
        _ => unreachable!("{does:?} is another step"),
    }
}

fn wait(to: &mut Lowering, number: u32, what: &[Ref], until: Until, limit: Option<i64>) {
    what.iter().for_each(|what| reference(to, *what));
    to.emit(Op::List(what.len()));
    to.emit(Op::Duplicate);
    maybe(to, limit);
    to.push(until as i64);
    to.call("wait", |operands| {
        let until = match operands.int() {
            0 => event_loop::Until::FirstCompleted,
            1 => event_loop::Until::FirstException,
            _ => event_loop::Until::AllCompleted,
        };
        let timeout = operands.maybe_time();
        let of = operands.ids()?;
        Ok(Effect::Await(Awaitable::Wait(Box::new(event_loop::Wait { of, until, timeout }))))
    });
    to.emit(Op::PlacesInBoth);
    to.log(number, "waited", 2);
}

fn as_completed(to: &mut Lowering, number: u32, what: &[Ref], limit: Option<i64>, is_plain: bool) {
    what.iter().for_each(|what| reference(to, *what));
    to.emit(Op::List(what.len()));
    what.iter().for_each(|what| reference(to, *what));
    to.push(what.len() as i64);
    maybe(to, limit);
    to.call("as_completed", |operands| {
        let limit = operands.maybe_time();
        Ok(Effect::Loop(LoopCall::AsCompleted(operands.waitables()?, limit)))
    });
    // The list and the iteration stay on the stack; a handler around this step drops them.
    let head = to.here();
    to.emit(Op::Duplicate);
    to.call("left", |operands| Ok(Effect::Loop(LoopCall::CompletedLeft(operands.id()?))));
    let over = to.jump(Op::JumpUnless);
    to.emit(Op::Duplicate);
    if is_plain {
        to.call("next", |operands| Ok(Effect::Await(Awaitable::NextResult(operands.id()?))));
    } else {
        to.call("anext", |operands| Ok(Effect::Await(Awaitable::NextCompleted(operands.id()?))));
        to.emit(Op::PlaceBelow);
    }
    to.log(number, "completed", 1);
    to.emit(Op::Jump(head));
    to.aim(over);
    to.emit(Op::Pop);
    to.emit(Op::Pop);
}

fn locks(to: &mut Lowering, number: u32, does: &Does) -> bool {
    match does {
        Does::ConditionWait(condition) => {
            condition_wait(to, *condition);
            to.log(number, "woken", 1);
        }
        Does::ConditionWaitFor { condition, cell, least } => {
            let head = to.here();
            to.read(*cell);
            to.push(*least);
            to.emit(Op::AtLeast);
            let waits = to.jump(Op::JumpUnless);
            let over = to.jump(Op::Jump);
            to.aim(waits);
            condition_wait(to, *condition);
            to.emit(Op::Pop);
            to.emit(Op::Jump(head));
            to.aim(over);
            to.push(true);
            to.log(number, "woken", 1);
        }
        Does::Notify(condition, count) => {
            to.emit(Op::Load(to.globals.conditions + condition));
            to.push(*count);
            to.call_only("notify", |operands| {
                let count = operands.int() as u32;
                Ok(Effect::Loop(LoopCall::Notify(operands.id()?, count)))
            });
        }
        Does::NotifyAll(condition) => {
            to.emit(Op::Load(to.globals.conditions + condition));
            to.call_only("notify_all", |operands| Ok(Effect::Loop(LoopCall::NotifyAll(operands.id()?))));
        }
        Does::EventWait(event) => {
            to.emit(Op::Load(to.globals.events + event));
            to.call("event.wait", |operands| Ok(Effect::Await(Awaitable::WaitEvent(operands.id()?))));
            to.log(number, "woken", 1);
        }
        Does::EventSet(event) => {
            to.emit(Op::Load(to.globals.events + event));
            to.call_only("event.set", |operands| Ok(Effect::Loop(LoopCall::SetEvent(operands.id()?))));
        }
        Does::EventClear(event) => {
            to.emit(Op::Load(to.globals.events + event));
            to.call_only("event.clear", |operands| Ok(Effect::Loop(LoopCall::ClearEvent(operands.id()?))));
        }
        Does::IsSet(event) => {
            to.emit(Op::Load(to.globals.events + event));
            to.call("is_set", |operands| Ok(Effect::Loop(LoopCall::IsSet(operands.id()?))));
            to.log(number, "set", 1);
        }
        Does::BarrierWait(barrier) => {
            to.emit(Op::Load(to.globals.barriers + barrier));
            to.call("barrier.wait", |operands| Ok(Effect::Await(Awaitable::WaitBarrier(operands.id()?))));
            to.log(number, "place", 1);
        }
        Does::BarrierAbort(barrier) => {
            to.emit(Op::Load(to.globals.barriers + barrier));
            to.call_only("abort", |operands| Ok(Effect::Await(Awaitable::AbortBarrier(operands.id()?))));
            to.log(number, "over", 0);
        }
        Does::BarrierReset(barrier) => {
            to.emit(Op::Load(to.globals.barriers + barrier));
            to.call_only("reset", |operands| Ok(Effect::Await(Awaitable::ResetBarrier(operands.id()?))));
            to.log(number, "over", 0);
        }
        Does::LookBarrier(barrier) => {
            to.emit(Op::Load(to.globals.barriers + barrier));
            to.call("n_waiting", |operands| Ok(Effect::Loop(LoopCall::BarrierWaiting(operands.id()?))));
            to.emit(Op::Load(to.globals.barriers + barrier));
            to.call("broken", |operands| Ok(Effect::Loop(LoopCall::BarrierBroken(operands.id()?))));
            to.log(number, "barrier", 2);
        }
        _ => return false,
    }
    true
}

fn condition_wait(to: &mut Lowering, condition: usize) {
    to.emit(Op::Load(to.globals.conditions + condition));
    to.call("condition.wait", |operands| Ok(Effect::Await(Awaitable::WaitCondition(operands.id()?))));
}

fn queues(to: &mut Lowering, number: u32, does: &Does) -> bool {
    let queue = match does {
        Does::Put(queue, _) | Does::Get(queue) | Does::PutNow(queue, _) | Does::GetNow(queue) => queue,
        Does::TaskDone(queue) | Does::Join(queue) | Does::ShutDown(queue, _) | Does::LookQueue(queue) => queue,
        _ => return false,
    };
    let place = to.globals.queues + queue;
    to.emit(Op::Load(place));
    match does {
        Does::Put(_, item) => {
            to.push(*item);
            to.call_only("put", |operands| {
                let item = operands.value();
                Ok(Effect::Await(Awaitable::Put(operands.id()?, item)))
            });
            to.log(number, "put", 0);
        }
        Does::PutNow(_, item) => {
            to.push(*item);
            to.call_only("put_nowait", |operands| {
                let item = operands.value();
                Ok(Effect::Loop(LoopCall::PutNowait(operands.id()?, item)))
            });
            to.log(number, "put", 0);
        }
        Does::Get(_) => {
            to.call("get", |operands| Ok(Effect::Await(Awaitable::Get(operands.id()?))));
            to.log(number, "got", 1);
        }
        Does::GetNow(_) => {
            to.call("get_nowait", |operands| Ok(Effect::Loop(LoopCall::GetNowait(operands.id()?))));
            to.log(number, "got", 1);
        }
        Does::TaskDone(_) => {
            to.call_only("task_done", |operands| Ok(Effect::Loop(LoopCall::TaskDone(operands.id()?))));
        }
        Does::Join(_) => {
            to.call_only("join", |operands| Ok(Effect::Await(Awaitable::Join(operands.id()?))));
            to.log(number, "joined", 0);
        }
        Does::ShutDown(_, is_immediate) => {
            to.push(*is_immediate);
            to.call_only("shutdown", |operands| {
                let is_immediate = operands.bool();
                Ok(Effect::Loop(LoopCall::ShutdownQueue(operands.id()?, is_immediate)))
            });
        }
        _ => {
            to.call("qsize", |operands| Ok(Effect::Loop(LoopCall::QueueSize(operands.id()?))));
            to.emit(Op::Load(place));
            to.call("empty", |operands| Ok(Effect::Loop(LoopCall::QueueEmpty(operands.id()?))));
            to.emit(Op::Load(place));
            to.call("full", |operands| Ok(Effect::Loop(LoopCall::QueueFull(operands.id()?))));
            to.log(number, "queue", 3);
        }
    }
    true
}
