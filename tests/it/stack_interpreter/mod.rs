//! A small stack interpreter: a second front end of the machine, so that its interface is not bent to `async fn`s.
//!
//! It works as CPython's does: one operand stack, one frame for each coroutine that awaits another (such an `await`
//! suspends nothing), and a table of exception handlers for each code instead of blocks at run time. All that asyncio
//! does is reached by effects. Worked example: `Push(1), Push(2), Add, Return` is `Start → Return(3)`.
//!
//! Not here: any language (`crate::difference` compiles one), any scheduling.

#![allow(clippy::indexing_slicing, reason = "a wrong index ends the test, as it should")]

#[cfg(test)]
mod a_rows;
mod code;
#[cfg(test)]
mod effects;
mod operands;
mod world;

pub use code::{Build, Code, Handler, Op};
pub use operands::{Item, Operands};
pub use world::{World, describe, show};

use std::rc::Rc;

use concurrency_playground::machine::event_loop::LoopCall;
use concurrency_playground::machine::{Effect, Exception, Input, Program, Value};

/// One coroutine or callback in the middle of its code, and all that it awaits directly.
pub struct Interpreter {
    world: Rc<World>,
    /// Who it is in the log.
    label: Rc<str>,
    frames: Vec<Frame>,
    stack: Vec<Item>,
    awaits: Awaits,
}

struct Frame {
    code: usize,
    next: usize,
    /// Where its part of the operand stack begins.
    base: usize,
}

/// What the answer to the last effect is for.
enum Awaits {
    /// It has not begun: what is thrown in now ends it before its first line.
    Start,
    /// It is pushed.
    Value,
    /// It is the time for a line of the log.
    Time(String),
}

impl Interpreter {
    /// The code of that number, not yet begun.
    pub fn program(world: &Rc<World>, code: usize, label: impl Into<Rc<str>>) -> Box<dyn Program> {
        Box::new(Self {
            world: Rc::clone(world),
            label: label.into(),
            frames: vec![Frame { code, next: 0, base: 0 }],
            stack: Vec::new(),
            awaits: Awaits::Start,
        })
    }

    /// Goes to the innermost handler, leaving frames that have none; the end where no frame has one.
    fn raise(&mut self, exception: Exception) -> Option<Effect> {
        while let Some(frame) = self.frames.last_mut() {
            // The instruction that raised is the one before the next.
            if let Some(handler) = self.world.codes[frame.code].handler_of(frame.next - 1) {
                self.stack.truncate(frame.base + handler.depth);
                self.stack.push(Item::Value(Value::Exception(exception)));
                frame.next = handler.target;
                return None;
            }
            self.stack.truncate(frame.base);
            self.frames.pop();
        }
        Some(Effect::Raise(exception))
    }

    /// Leaves a frame with a value.
    fn return_value(&mut self) -> Option<Effect> {
        let value = self.pop();
        let frame = self.frames.pop().expect("code runs in a frame");
        self.stack.truncate(frame.base);
        if self.frames.is_empty() {
            return Some(Effect::Return(value));
        }
        self.stack.push(Item::Value(value));
        None
    }

    fn pop(&mut self) -> Value {
        Operands::new(&mut self.stack).value()
    }

    fn push(&mut self, value: impl Into<Value>) {
        self.stack.push(Item::Value(value.into()));
    }

    fn jump(&mut self, target: usize) {
        self.frames.last_mut().expect("code runs in a frame").next = target;
    }

    /// One instruction; an effect where it makes one.
    fn step(&mut self) -> Option<Effect> {
        let world = Rc::clone(&self.world);
        let frame = self.frames.last_mut().expect("code runs in a frame");
        let op = &world.codes[frame.code].ops[frame.next];
        let base = frame.base;
        frame.next += 1;
        match op {
            Op::Push(value) => self.push(value.clone()),
            Op::Pop => drop(self.stack.pop()),
            Op::Copy(place) => self.push(self.stack[base + place].as_value().clone()),
            Op::Duplicate => self.push(self.stack.last().expect("there is one to copy").as_value().clone()),
            Op::Load(place) => self.push(world.globals.borrow()[*place].clone()),
            Op::Store(place) => {
                let value = self.pop();
                world.globals.borrow_mut()[*place] = value;
            }
            Op::Program { code, suffix } => {
                let program = Self::program(&world, *code, format!("{}{suffix}", self.label));
                self.stack.push(Item::Program(program));
            }
            Op::Make(kind, message) => self.push(Value::Exception(Exception::new(*kind, message.clone()))),
            Op::MakeOwn(name, value) => self.push(Value::Exception(Exception::own(*name, value.clone()))),
            Op::SetContext => {
                let (context, raised) = (self.pop(), self.pop());
                if let (Value::Exception(context), Value::Exception(raised)) = (context, &raised) {
                    raised.set_context(Some(context));
                }
                self.push(raised);
            }
            Op::Context => {
                let Value::Exception(exception) = self.pop() else {
                    panic!("only exceptions have a context")
                };
                let exception = exception.exceptions().first().unwrap_or(&exception).clone();
                self.push(exception.context().map_or(Value::None, Value::Exception));
            }
            Op::Matches(matches) => {
                let caught = self.stack.last().expect("a handler has an exception").as_value();
                let is_one = matches!(caught, Value::Exception(exception) if matches(exception));
                self.push(is_one);
            }
            Op::Raise => match self.pop() {
                Value::Exception(exception) => return self.raise(exception),
                other => panic!("{other:?} is no exception"),
            },
            Op::Add => {
                let sum = self.pop().int().zip(self.pop().int()).map(|(one, other)| one + other);
                self.push(sum.expect("numbers are added"));
            }
            Op::AtLeast => {
                let (least, value) = (self.pop().int(), self.pop().int());
                self.push(value >= least);
            }
            Op::Length => {
                let length = self.pop().list().len();
                self.push(length as i64);
            }
            Op::List(count) => {
                let values: Vec<Value> = self
                    .stack
                    .drain(self.stack.len() - count..)
                    .map(Item::into_value)
                    .collect();
                self.push(Value::List(values.into()));
            }
            Op::PlacesInBoth => {
                let (both, of) = (self.pop(), self.pop());
                both.list()
                    .iter()
                    .for_each(|some| self.push(places(of.list(), some.list())));
            }
            Op::PlaceBelow => {
                let one = self.pop();
                let below = &self.stack[self.stack.len() - 2];
                let place = below.as_value().list().iter().position(|other| *other == one);
                self.push(place.map_or(Value::None, |place| Value::Int(place as i64)));
            }
            Op::Jump(target) => self.jump(*target),
            Op::JumpUnless(target) => {
                if matches!(self.pop(), Value::None | Value::Bool(false) | Value::Int(0)) {
                    self.jump(*target);
                }
            }
            Op::Call(code) => {
                let base = self.stack.len();
                self.frames.push(Frame {
                    code: *code,
                    next: 0,
                    base,
                });
            }
            Op::Return => return self.return_value(),
            Op::Log { step, words, takes } => {
                let values = self.stack.split_off(self.stack.len() - takes);
                let mut line = format!("{} {step} {words}", self.label).trim_end().to_owned();
                for value in &values {
                    line.push(' ');
                    line.push_str(&show(value.as_value()));
                }
                self.awaits = Awaits::Time(line);
                return Some(Effect::Loop(LoopCall::Time));
            }
            Op::Do(_, build) => {
                self.awaits = Awaits::Value;
                return match build(&mut Operands::new(&mut self.stack)) {
                    Ok(effect) => Some(effect),
                    Err(exception) => self.raise(exception),
                };
            }
        }
        None
    }
}

impl Program for Interpreter {
    fn resume(&mut self, input: Input) -> Effect {
        let awaits = std::mem::replace(&mut self.awaits, Awaits::Value);
        let end = match (awaits, input) {
            (_, Input::Start) => None,
            (Awaits::Time(line), Input::Value(now)) => {
                self.world
                    .log
                    .borrow_mut()
                    .write(now.int().expect("the time is a number"), &line);
                None
            }
            (_, Input::Value(value)) => {
                self.push(value);
                None
            }
            (Awaits::Start, Input::Throw(exception)) => Some(Effect::Raise(exception)),
            (_, Input::Throw(exception)) => self.raise(exception),
        };
        if let Some(end) = end {
            return end;
        }
        loop {
            if let Some(effect) = self.step() {
                return effect;
            }
        }
    }
}

/// Where in a list the members of another stand first.
fn places(of: &[Value], some: &[Value]) -> Value {
    let is_first = |(place, one): &(usize, &Value)| of.iter().position(|other| other == *one) == Some(*place);
    let there = of
        .iter()
        .enumerate()
        .filter(is_first)
        .filter(|(_, one)| some.contains(one));
    Value::List(there.map(|(place, _)| Value::Int(place as i64)).collect())
}
