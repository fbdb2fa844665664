//! The operand stack, as an instruction that makes an effect sees it.
//!
//! Not here: instructions.

use concurrency_playground::machine::event_loop::Waitable;
use concurrency_playground::machine::{Exception, Nanoseconds, Program, Value};

/// One operand.
pub enum Item {
    Value(Value),
    /// A coroutine or callback that has not begun.
    Program(Box<dyn Program>),
}

impl Item {
    pub fn as_value(&self) -> &Value {
        match self {
            Self::Value(value) => value,
            Self::Program(_) => panic!("a program is no value"),
        }
    }

    pub fn into_value(self) -> Value {
        match self {
            Self::Value(value) => value,
            Self::Program(_) => panic!("a program is no value"),
        }
    }
}

/// Takes operands from the top down.
pub struct Operands<'a>(&'a mut Vec<Item>);

impl<'a> Operands<'a> {
    pub fn new(stack: &'a mut Vec<Item>) -> Self {
        Self(stack)
    }

    fn item(&mut self) -> Item {
        self.0.pop().expect("code takes only what it has pushed")
    }

    pub fn value(&mut self) -> Value {
        self.item().into_value()
    }

    pub fn int(&mut self) -> i64 {
        self.value().int().expect("a number was pushed")
    }

    /// A number of nanoseconds; less than nothing is nothing.
    pub fn time(&mut self) -> Nanoseconds {
        self.maybe_time().expect("a time was pushed")
    }

    /// The same, or nothing.
    pub fn maybe_time(&mut self) -> Option<Nanoseconds> {
        self.value()
            .int()
            .map(|time| Nanoseconds(u64::try_from(time).unwrap_or_default()))
    }

    pub fn bool(&mut self) -> bool {
        self.value().is_true()
    }

    pub fn exception(&mut self) -> Option<Exception> {
        match self.value() {
            Value::Exception(exception) => Some(exception),
            _ => None,
        }
    }

    /// One of the loop's objects; what is none raises `TypeError`.
    pub fn id<Id: TryFrom<Value, Error = Exception>>(&mut self) -> Result<Id, Exception> {
        Id::try_from(self.value())
    }

    pub fn ids<Id: TryFrom<Value, Error = Exception>>(&mut self) -> Result<Vec<Id>, Exception> {
        self.value().list().iter().cloned().map(Id::try_from).collect()
    }

    pub fn program(&mut self) -> Box<dyn Program> {
        match self.item() {
            Item::Program(program) => program,
            Item::Value(value) => panic!("{value:?} is no program"),
        }
    }

    /// A future, or a program not yet begun.
    pub fn waitable(&mut self) -> Result<Waitable, Exception> {
        match self.item() {
            Item::Program(program) => Ok(program.into()),
            Item::Value(value) => Waitable::try_from(&value),
        }
    }

    /// So many of them, in the order of pushing; the number is on top.
    pub fn waitables(&mut self) -> Result<Vec<Waitable>, Exception> {
        let count = usize::try_from(self.int()).expect("a count was pushed");
        let mut waitables = (0..count).map(|_| self.waitable()).collect::<Result<Vec<_>, _>>()?;
        waitables.reverse();
        Ok(waitables)
    }
}
