//! What is thrown: the kinds that the machine itself raises or looks at, and one for a front end's own.
//!
//! Not here: tracebacks, and exception classes of a language: a front end tells its own kinds apart by `value`.

use std::cell::RefCell;
use std::rc::Rc;

use super::Value;

/// The kinds the machine tells apart, named as in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A task was asked to end; no `Exception` in Python, so a group treats it apart.
    Cancelled,
    /// A time limit has passed.
    Timeout,
    /// A call that does not fit the state of what it is called on.
    RuntimeError,
    /// A future was asked for what it has not, or set twice.
    InvalidState,
    /// A value out of range.
    ValueError,
    /// A queue has nothing in it.
    QueueEmpty,
    /// A queue is full.
    QueueFull,
    /// A queue was shut down.
    QueueShutDown,
    /// A barrier was broken or reset while tasks or threads waited.
    BrokenBarrier,
    /// A process pool lost a worker.
    BrokenProcessPool,
    /// A thread of a pool could not be initialized.
    BrokenThreadPool,
    /// An interpreter of a pool could not be initialized.
    BrokenInterpreterPool,
    /// An endpoint refused or dropped a connection.
    Connection,
    /// Several at once.
    Group,
    /// A program's own; `value` says which.
    Own,
}

/// One exception. Cloned handles are the same exception.
#[derive(Clone, Debug)]
pub struct Exception(Rc<Body>);

#[derive(Debug)]
struct Body {
    kind: Kind,
    message: String,
    value: Value,
    group: Vec<Exception>,
    cause: RefCell<Option<Exception>>,
    context: RefCell<Option<Exception>>,
}

impl Exception {
    /// One of a kind, with the message that Python gives.
    #[must_use]
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self::with(kind, message.into(), Value::None, Vec::new())
    }

    /// A program's own: `ValueError` and the like by name, told apart by `value` where a front end needs more.
    #[must_use]
    pub fn own(name: impl Into<String>, value: Value) -> Self {
        Self::with(Kind::Own, name.into(), value, Vec::new())
    }

    /// Several at once, in order.
    #[must_use]
    pub fn group(message: impl Into<String>, exceptions: Vec<Self>) -> Self {
        Self::with(Kind::Group, message.into(), Value::None, exceptions)
    }

    fn with(kind: Kind, message: String, value: Value, group: Vec<Self>) -> Self {
        Self(Rc::new(Body {
            kind,
            message,
            value,
            group,
            cause: RefCell::default(),
            context: RefCell::default(),
        }))
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Its message; of a program's own, its name.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What a front end attached.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// The exceptions of a group; none of any other.
    #[must_use]
    pub fn exceptions(&self) -> &[Self] {
        &self.0.group
    }

    /// `__cause__`: what it was raised from.
    #[must_use]
    pub fn cause(&self) -> Option<Self> {
        self.0.cause.borrow().clone()
    }

    /// `__context__`: what was being handled when it was raised.
    #[must_use]
    pub fn context(&self) -> Option<Self> {
        self.0.context.borrow().clone()
    }

    /// Sets `__cause__`, and gives the same exception back.
    #[must_use]
    pub fn from_cause(self, cause: Self) -> Self {
        self.set_context(Some(cause.clone()));
        *self.0.cause.borrow_mut() = Some(cause);
        self
    }

    /// Sets `__context__`.
    pub fn set_context(&self, context: Option<Self>) {
        *self.0.context.borrow_mut() = context;
    }

    /// Whether it asks a task to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.kind() == Kind::Cancelled
    }

    /// Whether both are the very same exception.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// The very same, not one that looks alike.
impl PartialEq for Exception {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
    }
}
