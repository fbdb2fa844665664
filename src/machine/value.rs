//! What programs hand to each other: opaque to the machine, which only makes the few values that it answers with.
//!
//! Not here: objects of a language. A front end keeps its own, and hands over their numbers.

use std::rc::Rc;

use super::Exception;

/// One value. The machine makes nothing, truths, numbers, names, exceptions that are results, and lists (the results of a
/// gather); all else is a handle.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Nothing.
    #[default]
    None,
    /// A truth.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// An object of the front end, or an id of the machine's.
    Handle(u64),
    /// A name.
    Text(Rc<str>),
    /// An exception as a result: nobody raises it.
    Exception(Exception),
    /// Several in order.
    List(Rc<[Value]>),
}

impl Value {
    /// The whole number, where it is one.
    #[must_use]
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether it is the truth `true`.
    #[must_use]
    pub fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// The values of a list; none of anything else.
    #[must_use]
    pub fn list(&self) -> &[Self] {
        match self {
            Self::List(values) => values,
            _ => &[],
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<()> for Value {
    fn from((): ()) -> Self {
        Self::None
    }
}

impl From<Vec<Self>> for Value {
    fn from(values: Vec<Self>) -> Self {
        Self::List(values.into())
    }
}
