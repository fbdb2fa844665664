//! A program of the tiny language as code for the stack interpreter.
//!
//! Every step leaves the operand stack as it was, so that the place of each operand in its frame is known here: loops keep
//! their count there, handlers their exception, `async with` its object.
//!
//! Not here: the steps that are one call or one await each (`calls`).

use concurrency_playground::machine::event_loop::{Awaitable, LoopCall, QueueOrder};
use concurrency_playground::machine::program::CellId;
use concurrency_playground::machine::{Access, Effect, Exception, Kind, Value};

use super::calls::call;
use super::syntax::{Block, Catch, Caught, Does, Lockable, Objects, Order, Raised, Script, Step, When};
use crate::stack_interpreter::{Build, Code, Handler, Op};

/// All codes of a program, functions first, and how many global variables they use.
pub fn lower(script: &Script) -> (Vec<Code>, usize) {
    let globals = Globals::new(&script.objects);
    let n_functions = script.functions.len();
    let mut codes = Vec::new();
    for (number, function) in script.functions.iter().enumerate() {
        let mut lowering = Lowering::new(format!("f{number}"), &globals, n_functions);
        if number == 0 {
            lowering.prologue(script);
        }
        lowering.steps(&function.body);
        lowering.emit(Op::Push(Value::Int(function.returns)));
        lowering.emit(Op::Return);
        codes.push(lowering.code);
    }
    for (number, body) in script.callbacks.iter().enumerate() {
        let mut lowering = Lowering::new(format!("c{number}"), &globals, n_functions);
        lowering.steps(body);
        lowering.emit(Op::Push(Value::None));
        lowering.emit(Op::Return);
        codes.push(lowering.code);
    }
    (codes, globals.total)
}

/// Where the objects of each kind begin among the global variables.
#[derive(Clone, Copy, Default)]
pub struct Globals {
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
    fn new(objects: &Objects) -> Self {
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

/// The code of one function, so far.
pub struct Lowering {
    pub code: Code,
    pub globals: Globals,
    /// Callbacks are numbered behind the functions.
    pub n_functions: usize,
    /// Operands of the frame at this point.
    depth: usize,
    /// Where the exceptions stand that are being handled, inner ones last.
    caught: Vec<usize>,
}

impl Lowering {
    fn new(name: String, globals: &Globals, n_functions: usize) -> Self {
        Self {
            code: Code { name, ..Code::default() },
            globals: *globals,
            n_functions,
            depth: 0,
            caught: Vec::new(),
        }
    }

    pub fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
    }

    pub fn push(&mut self, value: impl Into<Value>) {
        self.emit(Op::Push(value.into()));
    }

    pub fn call(&mut self, name: &'static str, build: Build) {
        self.emit(Op::Do(name, build));
    }

    /// A call whose answer is not looked at.
    pub fn call_only(&mut self, name: &'static str, build: Build) {
        self.call(name, build);
        self.emit(Op::Pop);
    }

    pub fn log(&mut self, step: u32, words: &str, takes: usize) {
        let words = words.to_owned();
        self.emit(Op::Log { step, words, takes });
    }

    pub fn here(&self) -> usize {
        self.code.ops.len()
    }

    /// A jump to be aimed later.
    pub fn jump(&mut self, op: fn(usize) -> Op) -> usize {
        self.emit(op(usize::MAX));
        self.here() - 1
    }

    /// Aims a jump at the next instruction.
    pub fn aim(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.code.ops[jump] {
            Op::Jump(target) | Op::JumpUnless(target) => *target = here,
            other => panic!("{other} is no jump"),
        }
    }

    /// All objects, made before anything else is done.
    fn prologue(&mut self, script: &Script) {
        let objects = &script.objects;
        let globals = self.globals;
        if script.is_eager {
            self.call_only("set_task_factory", |_| Ok(Effect::Loop(LoopCall::SetEagerTasks(true))));
        }
        self.make(globals.tasks, objects.tasks, "create_future", |_| create_future());
        self.make(globals.futures, objects.futures, "create_future", |_| create_future());
        self.make(globals.groups, objects.groups, "TaskGroup", |_| Ok(Effect::Loop(LoopCall::NewGroup)));
        self.make(globals.timeouts, objects.timeouts, "Timeout", |_| Ok(Effect::Loop(LoopCall::NewTimeout(None))));
        self.make(globals.locks, objects.locks, "Lock", |_| Ok(Effect::Loop(LoopCall::NewLock)));
        self.make(globals.conditions, objects.conditions, "Condition", |_| {
            Ok(Effect::Loop(LoopCall::NewCondition(None)))
        });
        self.make(globals.events, objects.events, "Event", |_| Ok(Effect::Loop(LoopCall::NewEvent)));
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
            self.make(globals.queues + place, 1, "Queue", match queue.order {
                Order::FirstIn => |operands| Ok(Effect::Loop(LoopCall::NewQueue(QueueOrder::First, operands.int()))),
                Order::LastIn => |operands| Ok(Effect::Loop(LoopCall::NewQueue(QueueOrder::Last, operands.int()))),
                Order::Priority => |operands| Ok(Effect::Loop(LoopCall::NewQueue(QueueOrder::Smallest, operands.int()))),
            });
        }
        self.make(globals.variables, objects.variables, "ContextVar", |_| {
            Ok(Effect::Loop(LoopCall::NewVariable(Some(Box::new(Value::Int(0))))))
        });
        for cell in 0..objects.cells {
            self.push(0);
            self.write(cell);
        }
        self.make(globals.tasks, 1, "current_task", |_| Ok(Effect::Loop(LoopCall::CurrentTask)));
    }

    fn make(&mut self, first: usize, count: usize, name: &'static str, build: Build) {
        for place in 0..count {
            self.call(name, build);
            self.emit(Op::Store(first + place));
        }
    }

    pub fn read(&mut self, cell: usize) {
        self.push(cell as i64);
        self.call("read", |operands| Ok(Effect::Access(Access::Read(CellId(operands.int() as u32)))));
    }

    /// Sets a cell to the operand on top.
    pub fn write(&mut self, cell: usize) {
        self.push(cell as i64);
        self.call_only("write", |operands| {
            let cell = CellId(operands.int() as u32);
            Ok(Effect::Access(Access::Write(cell, operands.value())))
        });
    }

    fn steps(&mut self, block: &Block) {
        for Step { number, does } in block {
            self.step(*number, does);
        }
    }

    /// Steps with blocks of their own; all others are calls.
    fn step(&mut self, number: u32, does: &Does) {
        match does {
            Does::Raise(raised) => self.raise(number, *raised),
            Does::Try { body, catches, finally } => match finally {
                Some(finally) => self.finally(finally, |lowering| lowering.catching(number, body, catches)),
                None => self.catching(number, body, catches),
            },
            Does::Repeat(times, body) => {
                self.push(i64::from(*times));
                let head = self.here();
                self.emit(Op::Duplicate);
                let out = self.jump(Op::JumpUnless);
                self.push(-1);
                self.emit(Op::Add);
                self.deeper(|lowering| lowering.steps(body));
                self.emit(Op::Jump(head));
                self.aim(out);
                self.emit(Op::Pop);
            }
            Does::Forever(pause, body) => {
                let head = self.here();
                call(self, number, &Does::Sleep(*pause));
                // What `Sleep` says is not said here.
                self.code.ops.pop();
                self.log(number, "", 0);
                self.steps(body);
                self.emit(Op::Jump(head));
            }
            Does::Group { group, is_new, body } => {
                if *is_new {
                    self.call("TaskGroup", |_| Ok(Effect::Loop(LoopCall::NewGroup)));
                    self.emit(Op::Store(self.globals.groups + group));
                }
                self.emit(Op::Load(self.globals.groups + group));
                self.emit(Op::Duplicate);
                self.call_only("enter group", |operands| Ok(Effect::Loop(LoopCall::EnterGroup(operands.id()?))));
                self.with(body, |lowering| {
                    lowering.call_only("exit group", |operands| {
                        let exception = operands.exception();
                        Ok(Effect::Await(Awaitable::ExitGroup(operands.id()?, exception)))
                    });
                });
            }
            Does::Timeout { timeout, when, body } => {
                if let Some(when) = when {
                    self.timeout(*when);
                    self.emit(Op::Store(self.globals.timeouts + timeout));
                }
                self.emit(Op::Load(self.globals.timeouts + timeout));
                self.emit(Op::Duplicate);
                self.call_only("enter timeout", |operands| Ok(Effect::Loop(LoopCall::EnterTimeout(operands.id()?))));
                self.with(body, |lowering| {
                    lowering.call_only("exit timeout", |operands| {
                        let exception = operands.exception();
                        Ok(Effect::Loop(LoopCall::ExitTimeout(operands.id()?, exception)))
                    });
                });
            }
            Does::WithVariable(variable, body) => {
                call(self, number, &Does::SetVariable(*variable));
                // The token is what setting it gave.
                self.code.ops.pop();
                self.deeper(|lowering| lowering.steps(body));
                self.emit(Op::Load(self.globals.variables + variable));
                self.call_only("reset", |operands| {
                    let variable = operands.id()?;
                    Ok(Effect::Loop(LoopCall::ResetVariable(variable, operands.id()?)))
                });
            }
            Does::With(lockable, body) => {
                self.lockable(*lockable);
                self.emit(Op::Duplicate);
                self.acquire(*lockable);
                self.emit(Op::Pop);
                let lockable = *lockable;
                let said = Step { number, does: Does::Say("has".to_owned()) };
                let body: Block = Some(said).into_iter().chain(body.iter().cloned()).collect();
                self.with(&body, |lowering| {
                    // The exception that came out of the body does not matter to a lock.
                    lowering.emit(Op::Pop);
                    lowering.release(lockable);
                });
            }
            _ => call(self, number, does),
        }
    }

    fn timeout(&mut self, when: When) {
        match when {
            When::Never => self.call("timeout", |_| Ok(Effect::Loop(LoopCall::NewTimeout(None)))),
            When::In(delay) => {
                self.push(delay * 1_000);
                self.call("timeout", |operands| Ok(Effect::Loop(LoopCall::NewTimeout(operands.maybe_time()))));
            }
            When::At(time) => {
                self.push(time * 1_000);
                self.call("timeout_at", |operands| Ok(Effect::Loop(LoopCall::NewTimeoutAt(operands.maybe_time()))));
            }
        }
    }

    fn deeper(&mut self, body: impl FnOnce(&mut Self)) {
        self.depth += 1;
        body(self);
        self.depth -= 1;
    }

    /// Exceptions of the body go to the handler, which finds them on top and ends with a raise or a jump of its own.
    fn guarded(&mut self, body: impl FnOnce(&mut Self), after: impl FnOnce(&mut Self), handler: impl FnOnce(&mut Self)) {
        let from = self.here();
        body(self);
        let to = self.here();
        after(self);
        let over = self.jump(Op::Jump);
        let target = self.here();
        if from < to {
            self.code.handlers.push(Handler { from, to, target, depth: self.depth });
        }
        self.caught.push(self.depth);
        self.deeper(handler);
        self.caught.pop();
        self.aim(over);
    }

    /// `async with` an object that is on top and has been entered. `exit` takes the exception, or nothing, and the object;
    /// what came out of the body goes on unless it raises another.
    fn with(&mut self, body: &Block, exit: impl Fn(&mut Self)) {
        self.depth += 1;
        let object = self.depth - 1;
        self.guarded(
            |lowering| lowering.steps(body),
            |lowering| {
                lowering.emit(Op::Copy(object));
                lowering.push(Value::None);
                exit(lowering);
            },
            |lowering| {
                lowering.emit(Op::Copy(object));
                lowering.emit(Op::Copy(object + 1));
                exit(lowering);
                lowering.emit(Op::Raise);
            },
        );
        self.emit(Op::Pop);
        self.depth -= 1;
    }

    fn finally(&mut self, finally: &Block, body: impl FnOnce(&mut Self)) {
        self.guarded(
            body,
            |lowering| lowering.steps(finally),
            |lowering| {
                lowering.steps(finally);
                lowering.emit(Op::Raise);
            },
        );
    }

    fn catching(&mut self, number: u32, body: &Block, catches: &[Catch]) {
        self.guarded(
            |lowering| lowering.steps(body),
            |_| {},
            |lowering| {
                let mut over = Vec::new();
                for catch in catches {
                    lowering.emit(Op::Matches(matches(catch.kind)));
                    let next = lowering.jump(Op::JumpUnless);
                    lowering.emit(Op::Duplicate);
                    lowering.log(number, "caught", 1);
                    lowering.steps(&catch.body);
                    lowering.emit(Op::Pop);
                    over.push(lowering.jump(Op::Jump));
                    lowering.aim(next);
                }
                lowering.emit(Op::Raise);
                over.into_iter().for_each(|jump| lowering.aim(jump));
            },
        );
    }

    fn raise(&mut self, number: u32, raised: Raised) {
        match (raised, self.caught.last()) {
            (Raised::Again, Some(place)) => self.emit(Op::Copy(*place)),
            (Raised::Again, None) => {
                self.emit(Op::Make(Kind::RuntimeError, "No active exception to reraise".to_owned()));
            }
            (Raised::ValueError, _) => self.emit(Op::Make(Kind::ValueError, format!("v{number}"))),
            (Raised::Own, _) => self.emit(Op::MakeOwn("Own", Value::Int(i64::from(number)))),
            (Raised::RuntimeError, _) => self.emit(Op::Make(Kind::RuntimeError, format!("r{number}"))),
            (Raised::Timeout, _) => self.emit(Op::Make(Kind::Timeout, format!("t{number}"))),
            (Raised::Cancelled, _) => self.emit(Op::Make(Kind::Cancelled, format!("c{number}"))),
        }
        if let (false, Some(place)) = (raised == Raised::Again, self.caught.last()) {
            self.emit(Op::Copy(*place));
            self.emit(Op::SetContext);
        }
        self.emit(Op::Raise);
    }

    /// The context of the exception that is being handled.
    pub fn log_context(&mut self, number: u32) {
        self.emit(Op::Copy(*self.caught.last().expect("only a handler asks")));
        self.emit(Op::Context);
        self.log(number, "context", 1);
    }

    pub fn lockable(&mut self, lockable: Lockable) {
        match lockable {
            Lockable::Lock(lock) => self.emit(Op::Load(self.globals.locks + lock)),
            Lockable::Semaphore(semaphore) => self.emit(Op::Load(self.globals.semaphores + semaphore)),
            Lockable::Condition(condition) => {
                self.emit(Op::Load(self.globals.conditions + condition));
                self.call("lock of", |operands| Ok(Effect::Loop(LoopCall::LockOf(operands.id()?))));
            }
        }
    }

    pub fn acquire(&mut self, lockable: Lockable) {
        self.call("acquire", match lockable {
            Lockable::Semaphore(_) => |operands| Ok(Effect::Await(Awaitable::AcquireSemaphore(operands.id()?))),
            _ => |operands| Ok(Effect::Await(Awaitable::Acquire(operands.id()?))),
        });
    }

    pub fn release(&mut self, lockable: Lockable) {
        self.call_only("release", match lockable {
            Lockable::Semaphore(_) => |operands| Ok(Effect::Loop(LoopCall::ReleaseSemaphore(operands.id()?))),
            _ => |operands| Ok(Effect::Loop(LoopCall::Release(operands.id()?))),
        });
    }
}

pub fn create_future() -> Result<Effect, Exception> {
    Ok(Effect::Loop(LoopCall::CreateFuture(concurrency_playground::machine::event_loop::WaitsFor::Task)))
}

fn matches(kind: Caught) -> fn(&Exception) -> bool {
    match kind {
        Caught::Cancelled => |exception| exception.kind() == Kind::Cancelled,
        Caught::Timeout => |exception| exception.kind() == Kind::Timeout,
        Caught::ValueError => |exception| exception.kind() == Kind::ValueError,
        Caught::Own => |exception| exception.kind() == Kind::Own,
        Caught::Group => |exception| exception.kind() == Kind::Group,
        Caught::Any => |exception| exception.kind() != Kind::Cancelled,
    }
}
