//! Locks, semaphores, conditions, events and barriers.
//!
//! Not here: `async with` one of them.

use concurrency_playground::machine::Effect;
use concurrency_playground::machine::event_loop::{Awaitable, LoopCall};

use super::super::syntax::{Does, Lockable};
use super::Lowering;
use crate::stack_interpreter::Op;

/// Lowers a step about these; false if it is about something else.
pub(super) fn lower(to: &mut Lowering, number: u32, does: &Does) -> bool {
    match does {
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
            to.call_only("notify_all", |operands| {
                Ok(Effect::Loop(LoopCall::NotifyAll(operands.id()?)))
            });
        }
        Does::EventWait(event) => {
            to.emit(Op::Load(to.globals.events + event));
            to.call("event.wait", |operands| {
                Ok(Effect::Await(Awaitable::WaitEvent(operands.id()?)))
            });
            to.log(number, "woken", 1);
        }
        Does::EventSet(event) => {
            to.emit(Op::Load(to.globals.events + event));
            to.call_only("event.set", |operands| {
                Ok(Effect::Loop(LoopCall::SetEvent(operands.id()?)))
            });
        }
        Does::EventClear(event) => {
            to.emit(Op::Load(to.globals.events + event));
            to.call_only("event.clear", |operands| {
                Ok(Effect::Loop(LoopCall::ClearEvent(operands.id()?)))
            });
        }
        Does::IsSet(event) => {
            to.emit(Op::Load(to.globals.events + event));
            to.call("is_set", |operands| Ok(Effect::Loop(LoopCall::IsSet(operands.id()?))));
            to.log(number, "set", 1);
        }
        Does::BarrierWait(barrier) => {
            to.emit(Op::Load(to.globals.barriers + barrier));
            to.call("barrier.wait", |operands| {
                Ok(Effect::Await(Awaitable::WaitBarrier(operands.id()?)))
            });
            to.log(number, "place", 1);
        }
        Does::BarrierAbort(barrier) => {
            to.emit(Op::Load(to.globals.barriers + barrier));
            to.call_only("abort", |operands| {
                Ok(Effect::Await(Awaitable::AbortBarrier(operands.id()?)))
            });
            to.log(number, "over", 0);
        }
        Does::BarrierReset(barrier) => {
            to.emit(Op::Load(to.globals.barriers + barrier));
            to.call_only("reset", |operands| {
                Ok(Effect::Await(Awaitable::ResetBarrier(operands.id()?)))
            });
            to.log(number, "over", 0);
        }
        Does::LookBarrier(barrier) => {
            to.emit(Op::Load(to.globals.barriers + barrier));
            to.call("n_waiting", |operands| {
                Ok(Effect::Loop(LoopCall::BarrierWaiting(operands.id()?)))
            });
            to.emit(Op::Load(to.globals.barriers + barrier));
            to.call("broken", |operands| {
                Ok(Effect::Loop(LoopCall::BarrierBroken(operands.id()?)))
            });
            to.log(number, "barrier", 2);
        }
        _ => return false,
    }
    true
}

fn condition_wait(to: &mut Lowering, condition: usize) {
    to.emit(Op::Load(to.globals.conditions + condition));
    to.call("condition.wait", |operands| {
        Ok(Effect::Await(Awaitable::WaitCondition(operands.id()?)))
    });
}

impl Lowering {
    pub(super) fn lockable(&mut self, lockable: Lockable) {
        match lockable {
            Lockable::Lock(lock) => self.emit(Op::Load(self.globals.locks + lock)),
            Lockable::Semaphore(semaphore) => self.emit(Op::Load(self.globals.semaphores + semaphore)),
            Lockable::Condition(condition) => {
                self.emit(Op::Load(self.globals.conditions + condition));
                self.call("lock of", |operands| Ok(Effect::Loop(LoopCall::LockOf(operands.id()?))));
            }
        }
    }

    pub(super) fn acquire(&mut self, lockable: Lockable) {
        self.call(
            "acquire",
            match lockable {
                Lockable::Semaphore(_) => |operands| Ok(Effect::Await(Awaitable::AcquireSemaphore(operands.id()?))),
                _ => |operands| Ok(Effect::Await(Awaitable::Acquire(operands.id()?))),
            },
        );
    }

    pub(super) fn release(&mut self, lockable: Lockable) {
        self.call_only(
            "release",
            match lockable {
                Lockable::Semaphore(_) => |operands| Ok(Effect::Loop(LoopCall::ReleaseSemaphore(operands.id()?))),
                _ => |operands| Ok(Effect::Loop(LoopCall::Release(operands.id()?))),
            },
        );
    }
}
