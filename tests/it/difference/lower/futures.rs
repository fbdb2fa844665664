//! Futures settled by hand, callbacks and their handles, and what moves a time limit.
//!
//! Not here: the block of a time limit.

use concurrency_playground::machine::event_loop::LoopCall;
use concurrency_playground::machine::{Effect, Value};

use super::super::syntax::{Does, Ref, Settled, When};
use super::Lowering;
use super::objects::create_future;
use super::tasks::{cancel, message, reference};
use crate::stack_interpreter::Op;

/// Lowers a step about these; false if it is about something else.
pub(super) fn lower(to: &mut Lowering, number: u32, does: &Does) -> bool {
    match does {
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
            to.call("call_soon", |operands| {
                Ok(Effect::Loop(LoopCall::CallSoon(operands.program(), None)))
            });
            to.emit(Op::Store(to.globals.handles + handle));
        }
        Does::CallLater {
            callback: code,
            handle,
            delay,
        } => {
            callback(to, number, *code);
            to.push(delay * 1_000);
            to.call("call_later", |operands| {
                let delay = operands.time();
                Ok(Effect::Loop(LoopCall::CallLater(delay, operands.program())))
            });
            to.emit(Op::Store(to.globals.handles + handle));
        }
        Does::CallAt {
            callback: code,
            handle,
            time,
        } => {
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
            to.call_only("cancel handle", |operands| {
                Ok(Effect::Loop(LoopCall::CancelHandle(operands.id()?)))
            });
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
            to.call("expired", |operands| {
                Ok(Effect::Loop(LoopCall::Expired(operands.id()?)))
            });
            to.emit(Op::Load(to.globals.timeouts + timeout));
            to.call("when", |operands| Ok(Effect::Loop(LoopCall::When(operands.id()?))));
            to.log(number, "timeout", 2);
        }
        _ => return false,
    }
    true
}

fn callback(to: &mut Lowering, number: u32, callback: usize) {
    let code = to.n_functions + callback;
    to.emit(Op::Program {
        code,
        suffix: format!(".{number}"),
    });
}
