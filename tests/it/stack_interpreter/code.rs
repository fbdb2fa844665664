//! Instructions, and the handlers of exceptions beside them.
//!
//! Not here: what runs them.

use std::fmt;

use concurrency_playground::machine::{Effect, Exception, Kind, Value};

use super::Operands;

/// Takes operands and makes an effect of them, or raises.
pub type Build = fn(&mut Operands<'_>) -> Result<Effect, Exception>;

/// One instruction. What it takes from the operand stack it removes.
pub enum Op {
    Push(Value),
    Pop,
    /// Pushes a copy of the operand at this place of the frame.
    Copy(usize),
    Duplicate,
    /// Pushes, or sets, a global variable.
    Load(usize),
    Store(usize),
    /// Pushes a program of that code, not yet begun; its label is the own one and this.
    Program {
        code: usize,
        suffix: String,
    },
    /// Pushes a new exception.
    Make(Kind, String),
    MakeOwn(&'static str, Value),
    /// Takes an exception and another below it, and makes it the context of that other.
    SetContext,
    /// Takes an exception, pushes its context; of a group, that of its first member.
    Context,
    /// Pushes whether the exception on top is such a one; leaves it.
    Matches(fn(&Exception) -> bool),
    Raise,
    Add,
    /// Whether the operand below is at least the one on top.
    AtLeast,
    /// Takes a list, pushes how long it is.
    Length,
    /// So many operands become one list.
    List(usize),
    /// Takes a pair of lists, and a list below: where in that one the members of each stand first.
    PlacesInBoth,
    /// Takes one, and pushes where it stands in the list that is the second operand below it.
    PlaceBelow,
    Jump(usize),
    /// Jumps at nothing, false and zero.
    JumpUnless(usize),
    /// `await code()`: a frame more.
    Call(usize),
    Return,
    /// Writes a line of the log with so many operands.
    Log {
        step: u32,
        words: String,
        takes: usize,
    },
    /// Makes an effect, by name; pushes its answer.
    Do(&'static str, Build),
}

/// The code of one coroutine function or callback.
#[derive(Default)]
pub struct Code {
    pub name: String,
    pub ops: Vec<Op>,
    /// Inner ones before outer ones.
    pub handlers: Vec<Handler>,
}

/// Where an exception goes that comes out of an instruction in this range.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    pub from: usize,
    /// The first behind the range.
    pub to: usize,
    pub target: usize,
    /// So many operands of the frame are kept; the exception is pushed on them.
    pub depth: usize,
}

impl Code {
    /// The innermost handler of an instruction.
    pub fn handler_of(&self, op: usize) -> Option<Handler> {
        let mut handlers = self.handlers.iter();
        handlers
            .find(|handler| (handler.from..handler.to).contains(&op))
            .copied()
    }
}

/// A listing, as `dis` prints one.
impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}:", self.name)?;
        for (place, op) in self.ops.iter().enumerate() {
            writeln!(formatter, "  {place:3} {op}")?;
        }
        for Handler {
            from,
            to,
            target,
            depth,
        } in &self.handlers
        {
            writeln!(formatter, "  {from} to {} -> {target} [{depth}]", to - 1)?;
        }
        Ok(())
    }
}

impl fmt::Display for Op {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Push(value) => write!(formatter, "push {}", super::show(value)),
            Self::Pop => formatter.write_str("pop"),
            Self::Copy(place) => write!(formatter, "copy {place}"),
            Self::Duplicate => formatter.write_str("duplicate"),
            Self::Load(place) => write!(formatter, "load {place}"),
            Self::Store(place) => write!(formatter, "store {place}"),
            Self::Program { code, suffix } => write!(formatter, "program {code} {suffix}"),
            Self::Make(kind, message) => write!(formatter, "make {kind:?} {message}"),
            Self::MakeOwn(name, value) => write!(formatter, "make {name} {}", super::show(value)),
            Self::SetContext => formatter.write_str("set context"),
            Self::Context => formatter.write_str("context"),
            Self::Matches(_) => formatter.write_str("matches"),
            Self::Raise => formatter.write_str("raise"),
            Self::Add => formatter.write_str("add"),
            Self::AtLeast => formatter.write_str("at least"),
            Self::Length => formatter.write_str("length"),
            Self::List(count) => write!(formatter, "list {count}"),
            Self::PlacesInBoth => formatter.write_str("places in both"),
            Self::PlaceBelow => formatter.write_str("place below"),
            Self::Jump(target) => write!(formatter, "jump {target}"),
            Self::JumpUnless(target) => write!(formatter, "jump unless {target}"),
            Self::Call(code) => write!(formatter, "call {code}"),
            Self::Return => formatter.write_str("return"),
            Self::Log { step, words, takes } => write!(formatter, "log {step} {words} with {takes}"),
            Self::Do(name, _) => write!(formatter, "do {name}"),
        }
    }
}
