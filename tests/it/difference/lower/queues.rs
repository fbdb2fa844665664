//! Queues.
//!
//! Not here: their making.

use concurrency_playground::machine::Effect;
use concurrency_playground::machine::event_loop::{Awaitable, LoopCall};

use super::super::syntax::Does;
use super::Lowering;
use crate::stack_interpreter::Op;

/// Lowers a step about queues; false if it is about something else.
pub(super) fn lower(to: &mut Lowering, number: u32, does: &Does) -> bool {
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
            to.call("get_nowait", |operands| {
                Ok(Effect::Loop(LoopCall::GetNowait(operands.id()?)))
            });
            to.log(number, "got", 1);
        }
        Does::TaskDone(_) => {
            to.call_only("task_done", |operands| {
                Ok(Effect::Loop(LoopCall::TaskDone(operands.id()?)))
            });
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
            to.call("qsize", |operands| {
                Ok(Effect::Loop(LoopCall::QueueSize(operands.id()?)))
            });
            to.emit(Op::Load(place));
            to.call("empty", |operands| {
                Ok(Effect::Loop(LoopCall::QueueEmpty(operands.id()?)))
            });
            to.emit(Op::Load(place));
            to.call("full", |operands| Ok(Effect::Loop(LoopCall::QueueFull(operands.id()?))));
            to.log(number, "queue", 3);
        }
    }
    true
}
