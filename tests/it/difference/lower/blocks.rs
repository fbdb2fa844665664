//! Steps with blocks of their own: loops, handlers, `async with`.
//!
//! Not here: all others, which are calls (`calls`).

use concurrency_playground::machine::event_loop::{Awaitable, LoopCall};
use concurrency_playground::machine::{Effect, Exception, Kind, Value};

use super::super::syntax::{Block, Catch, Caught, Does, Raised, Step, When};
use super::Lowering;
use super::calls::call;
use crate::stack_interpreter::{Handler, Op};

impl Lowering {
    pub(super) fn steps(&mut self, block: &Block) {
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
                self.call_only("enter group", |operands| {
                    Ok(Effect::Loop(LoopCall::EnterGroup(operands.id()?)))
                });
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
                self.call_only("enter timeout", |operands| {
                    Ok(Effect::Loop(LoopCall::EnterTimeout(operands.id()?)))
                });
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
                let said = Step {
                    number,
                    does: Does::Say("has".to_owned()),
                };
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
                self.call("timeout", |operands| {
                    Ok(Effect::Loop(LoopCall::NewTimeout(operands.maybe_time())))
                });
            }
            When::At(time) => {
                self.push(time * 1_000);
                self.call("timeout_at", |operands| {
                    Ok(Effect::Loop(LoopCall::NewTimeoutAt(operands.maybe_time())))
                });
            }
        }
    }

    fn deeper(&mut self, body: impl FnOnce(&mut Self)) {
        self.depth += 1;
        body(self);
        self.depth -= 1;
    }

    /// Exceptions of the body go to the handler, which finds them on top and ends with a raise or a jump of its own.
    fn guarded(
        &mut self,
        body: impl FnOnce(&mut Self),
        after: impl FnOnce(&mut Self),
        handler: impl FnOnce(&mut Self),
    ) {
        let from = self.here();
        body(self);
        let to = self.here();
        after(self);
        let over = self.jump(Op::Jump);
        let target = self.here();
        if from < to {
            self.code.handlers.push(Handler {
                from,
                to,
                target,
                depth: self.depth,
            });
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
                self.emit(Op::Make(
                    Kind::RuntimeError,
                    "No active exception to reraise".to_owned(),
                ));
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
