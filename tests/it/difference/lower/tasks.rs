//! Tasks: made, awaited, cancelled, asked.
//!
//! Not here: futures that are settled by hand, and callbacks.

use concurrency_playground::machine::event_loop::{Awaitable, LoopCall, TaskOptions};
use concurrency_playground::machine::{Effect, Exception, Value};

use super::super::syntax::{Does, Ref};
use super::Lowering;
use super::calls::text;
use crate::stack_interpreter::{Op, Operands};

/// Lowers a step about tasks; false if it is about something else.
pub(super) fn lower(to: &mut Lowering, number: u32, does: &Does) -> bool {
    match does {
        Does::Spawn {
            task,
            function,
            is_eager,
        } => {
            to.emit(Op::Program {
                code: *function,
                suffix: format!(".{number}"),
            });
            to.push(*is_eager);
            to.call("create_task", |operands| {
                let options = eager(operands.bool());
                Ok(Effect::Loop(LoopCall::CreateTask(operands.waitable()?, options)))
            });
            to.emit(Op::Store(to.globals.tasks + task));
        }
        Does::GroupSpawn {
            group,
            task,
            function,
            is_eager,
        } => {
            to.emit(Op::Load(to.globals.groups + group));
            to.emit(Op::Program {
                code: *function,
                suffix: format!(".{number}"),
            });
            to.push(*is_eager);
            to.call("group.create_task", |operands| {
                let options = eager(operands.bool());
                let program = operands.waitable()?;
                Ok(Effect::Loop(LoopCall::CreateGroupTask(
                    operands.id()?,
                    program,
                    options,
                )))
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
            to.call("uncancel", |operands| {
                Ok(Effect::Loop(LoopCall::Uncancel(operands.id()?)))
            });
            to.log(number, "uncancels", 1);
        }
        Does::Cancelling => {
            current_task(to);
            to.call("cancelling", |operands| {
                Ok(Effect::Loop(LoopCall::Cancelling(operands.id()?)))
            });
            to.log(number, "cancelling", 1);
        }
        Does::IsDone(what) => {
            reference(to, *what);
            to.call("done", |operands| Ok(Effect::Loop(LoopCall::Done(operands.id()?))));
            reference(to, *what);
            to.call("cancelled", |operands| {
                Ok(Effect::Loop(LoopCall::Cancelled(operands.id()?)))
            });
            to.log(number, "done", 2);
        }
        Does::Result(what) => {
            reference(to, *what);
            to.call("result", |operands| Ok(Effect::Loop(LoopCall::Result(operands.id()?))));
            to.log(number, "result", 1);
        }
        Does::Exception(what) => {
            reference(to, *what);
            to.call("exception", |operands| {
                Ok(Effect::Loop(LoopCall::Exception(operands.id()?)))
            });
            to.log(number, "exception", 1);
        }
        _ => return false,
    }
    true
}

pub(super) fn reference(to: &mut Lowering, what: Ref) {
    let place = match what {
        Ref::Task(task) => to.globals.tasks + task,
        Ref::Future(future) => to.globals.futures + future,
    };
    to.emit(Op::Load(place));
}

/// A message to cancel with, or none.
pub(super) fn message(to: &mut Lowering, number: u32, has_message: bool) {
    to.push(if has_message {
        Value::Text(format!("m{number}").into())
    } else {
        Value::None
    });
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

pub(super) fn cancel(operands: &mut Operands<'_>) -> Result<Effect, Exception> {
    let message = text(operands);
    Ok(Effect::Loop(LoopCall::Cancel(operands.id()?, message)))
}
