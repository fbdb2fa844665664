//! The objects of a program: where they are kept, and their making before anything else is done.
//!
//! Not here: what is done with them.

use concurrency_playground::machine::event_loop::{LoopCall, QueueOrder, WaitsFor};
use concurrency_playground::machine::{Effect, Exception, Value};

use super::super::syntax::{Objects, Order, Script};
use super::Lowering;
use crate::stack_interpreter::{Build, Op};

/// Where the objects of each kind begin among the global variables.
#[derive(Clone, Copy, Default)]
pub(super) struct Globals {
    pub tasks: usize,
    pub futures: usize,
    pub groups: usize,
    pub timeouts: usize,
    pub handles: usize,
    pub locks: usize,
    pub semaphores: usize,
    pub conditions: usize,
    pub events: usize,
    pub barriers: usize,
    pub queues: usize,
    pub variables: usize,
    pub total: usize,
}

impl Globals {
    pub(super) fn new(objects: &Objects) -> Self {
        let mut total = 0;
        let mut next = |count: usize| {
            total += count;
            total - count
        };
        let mut globals = Self {
            tasks: next(objects.tasks),
            futures: next(objects.futures),
            groups: next(objects.groups),
            timeouts: next(objects.timeouts),
            handles: next(objects.handles),
            locks: next(objects.locks),
            semaphores: next(objects.semaphores.len()),
            conditions: next(objects.conditions),
            events: next(objects.events),
            barriers: next(objects.barriers.len()),
            queues: next(objects.queues.len()),
            variables: next(objects.variables),
            total: 0,
        };
        globals.total = total;
        globals
    }
}

impl Lowering {
    /// All objects, made before anything else is done.
    pub(super) fn prologue(&mut self, script: &Script) {
        let objects = &script.objects;
        let globals = self.globals;
        if script.is_eager {
            self.call_only("set_task_factory", |_| Ok(Effect::Loop(LoopCall::SetEagerTasks(true))));
        }
        self.make(globals.tasks, objects.tasks, "create_future", |_| create_future());
        self.make(globals.futures, objects.futures, "create_future", |_| create_future());
        self.make(globals.groups, objects.groups, "TaskGroup", |_| {
            Ok(Effect::Loop(LoopCall::NewGroup))
        });
        self.make(globals.timeouts, objects.timeouts, "Timeout", |_| {
            Ok(Effect::Loop(LoopCall::NewTimeout(None)))
        });
        self.make(globals.locks, objects.locks, "Lock", |_| {
            Ok(Effect::Loop(LoopCall::NewLock))
        });
        self.make(globals.conditions, objects.conditions, "Condition", |_| {
            Ok(Effect::Loop(LoopCall::NewCondition(None)))
        });
        self.make(globals.events, objects.events, "Event", |_| {
            Ok(Effect::Loop(LoopCall::NewEvent))
        });
        for (place, semaphore) in objects.semaphores.iter().enumerate() {
            self.push(semaphore.value);
            self.push(semaphore.is_bounded);
            self.make(globals.semaphores + place, 1, "Semaphore", |operands| {
                let is_bounded = operands.bool();
                Ok(Effect::Loop(LoopCall::NewSemaphore(operands.int(), is_bounded)))
            });
        }
        for (place, parties) in objects.barriers.iter().enumerate() {
            self.push(*parties);
            self.make(globals.barriers + place, 1, "Barrier", |operands| {
                Ok(Effect::Loop(LoopCall::NewBarrier(operands.int())))
            });
        }
        for (place, queue) in objects.queues.iter().enumerate() {
            self.push(queue.most);
            self.make(
                globals.queues + place,
                1,
                "Queue",
                match queue.order {
                    Order::FirstIn => {
                        |operands| Ok(Effect::Loop(LoopCall::NewQueue(QueueOrder::First, operands.int())))
                    }
                    Order::LastIn => |operands| Ok(Effect::Loop(LoopCall::NewQueue(QueueOrder::Last, operands.int()))),
                    Order::Priority => {
                        |operands| Ok(Effect::Loop(LoopCall::NewQueue(QueueOrder::Smallest, operands.int())))
                    }
                },
            );
        }
        self.make(globals.variables, objects.variables, "ContextVar", |_| {
            Ok(Effect::Loop(LoopCall::NewVariable(Some(Box::new(Value::Int(0))))))
        });
        for cell in 0..objects.cells {
            self.push(0);
            self.write(cell);
        }
        self.make(globals.tasks, 1, "current_task", |_| {
            Ok(Effect::Loop(LoopCall::CurrentTask))
        });
    }

    fn make(&mut self, first: usize, count: usize, name: &'static str, build: Build) {
        for place in 0..count {
            self.call(name, build);
            self.emit(Op::Store(first + place));
        }
    }
}

pub(super) fn create_future() -> Result<Effect, Exception> {
    Ok(Effect::Loop(LoopCall::CreateFuture(WaitsFor::Task)))
}
