//! The steps that are one call or one await each: operands, the effect, a line of the log.
//!
//! Not here: those about tasks, futures, waiting, locks and queues, which have files of their own; steps with blocks.

use std::rc::Rc;

use concurrency_playground::machine::event_loop::{Awaitable, LoopCall};
use concurrency_playground::machine::threads::ThreadCall;
use concurrency_playground::machine::{Effect, Value};

use super::super::syntax::Does;
use super::{Lowering, futures, locks, queues, tasks, waiting};
use crate::stack_interpreter::{Op, Operands};

/// Lowers one step.
pub(super) fn call(to: &mut Lowering, number: u32, does: &Does) {
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
            to.call_only("block", |operands| {
                Ok(Effect::Thread(ThreadCall::Sleep(operands.time())))
            });
            to.log(number, "blocked", 0);
        }
        Does::Time => {
            to.call("time", |_| Ok(Effect::Loop(LoopCall::Time)));
            to.log(number, "time", 1);
        }
        Does::Call {
            function,
            is_object: false,
        } => {
            to.emit(Op::Call(*function));
            to.log(number, "returned", 1);
        }
        Does::Call {
            function,
            is_object: true,
        } => {
            coroutine(to, *function);
            to.call("await coroutine", |operands| {
                Ok(Effect::Await(Awaitable::Coroutine(operands.id()?)))
            });
            to.log(number, "returned", 1);
        }
        Does::Forget(function) => {
            coroutine(to, *function);
            to.call_only("drop coroutine", |operands| {
                Ok(Effect::Loop(LoopCall::DropCoroutine(operands.id()?)))
            });
        }
        Does::LookContext => to.log_context(number),
        Does::Increment {
            cell,
            gives_way,
            is_told,
        } => {
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
            to.call("get", |operands| {
                Ok(Effect::Loop(LoopCall::GetVariable(operands.id()?)))
            });
            to.log(number, "variable", 1);
        }
        Does::CountTasks => {
            to.call("all_tasks", |_| Ok(Effect::Loop(LoopCall::AllTasks)));
            to.emit(Op::Length);
            to.log(number, "tasks", 1);
        }
        Does::WaitFor { .. } | Does::Gather { .. } | Does::Wait { .. } | Does::AsCompleted { .. } | Does::Shield(_) => {
            waiting::lower(to, number, does);
        }
        _ if tasks::lower(to, number, does) || futures::lower(to, number, does) => {}
        _ if locks::lower(to, number, does) || queues::lower(to, number, does) => {}
        _ => unreachable!("a step with a block is lowered elsewhere: {does:?}"),
    }
}

/// `f()` without `await`.
fn coroutine(to: &mut Lowering, function: usize) {
    to.push(Value::Text(format!("f{function}").into()));
    to.emit(Op::Program {
        code: function,
        suffix: String::new(),
    });
    to.call("coroutine", |operands| {
        let program = operands.program();
        let name = text(operands);
        Ok(Effect::Loop(LoopCall::Coroutine(program, name)))
    });
}

pub(super) fn text(operands: &mut Operands<'_>) -> Option<Rc<str>> {
    match operands.value() {
        Value::Text(text) => Some(text),
        _ => None,
    }
}
