//! Waiting for several at once, or for one with a limit: gather, wait, as_completed, wait_for, shield.
//!
//! Not here: groups.

use concurrency_playground::machine::event_loop::{self, Awaitable, LoopCall, OnException};
use concurrency_playground::machine::{Effect, Value};

use super::super::syntax::{Does, Ref, Until, What};
use super::Lowering;
use super::tasks::reference;
use crate::stack_interpreter::Op;

/// Lowers such a step.
pub(super) fn lower(to: &mut Lowering, number: u32, does: &Does) {
    match does {
        Does::WaitFor { what: one, limit } => {
            what(to, number, 0, *one);
            maybe(to, *limit);
            to.call("wait_for", |operands| {
                let limit = operands.maybe_time();
                Ok(Effect::Await(Awaitable::WaitFor(Box::new((
                    operands.waitable()?,
                    limit,
                )))))
            });
            to.log(number, "got", 1);
        }
        Does::Gather {
            what: all,
            returns_exceptions,
        } => {
            all.iter()
                .enumerate()
                .for_each(|(place, one)| what(to, number, place, *one));
            to.push(all.len() as i64);
            to.call(
                "gather",
                if *returns_exceptions {
                    |operands| {
                        Ok(Effect::Loop(LoopCall::Gather(
                            operands.waitables()?,
                            OnException::Return,
                        )))
                    }
                } else {
                    |operands| {
                        Ok(Effect::Loop(LoopCall::Gather(
                            operands.waitables()?,
                            OnException::Raise,
                        )))
                    }
                },
            );
            to.call("await", |operands| Ok(Effect::Await(Awaitable::Future(operands.id()?))));
            to.log(number, "gathered", 1);
        }
        Does::Shield(one) => {
            what(to, number, 0, *one);
            to.call("shield", |operands| {
                Ok(Effect::Loop(LoopCall::Shield(operands.waitable()?)))
            });
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
        Ok(Effect::Await(Awaitable::Wait(Box::new(event_loop::Wait {
            of,
            until,
            timeout,
        }))))
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
    to.call("left", |operands| {
        Ok(Effect::Loop(LoopCall::CompletedLeft(operands.id()?)))
    });
    let over = to.jump(Op::JumpUnless);
    to.emit(Op::Duplicate);
    if is_plain {
        to.call("next", |operands| {
            Ok(Effect::Await(Awaitable::NextResult(operands.id()?)))
        });
    } else {
        to.call("anext", |operands| {
            Ok(Effect::Await(Awaitable::NextCompleted(operands.id()?)))
        });
        to.emit(Op::PlaceBelow);
    }
    to.log(number, "completed", 1);
    to.emit(Op::Jump(head));
    to.aim(over);
    to.emit(Op::Pop);
    to.emit(Op::Pop);
}

fn what(to: &mut Lowering, number: u32, place: usize, what: What) {
    match what {
        What::Ref(what) => reference(to, what),
        What::Function(function) => to.emit(Op::Program {
            code: function,
            suffix: format!(".{number}.{place}"),
        }),
    }
}

fn maybe(to: &mut Lowering, time: Option<i64>) {
    to.push(time.map_or(Value::None, |time| Value::Int(time * 1_000)));
}
