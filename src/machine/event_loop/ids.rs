//! Names of the loop's objects: small numbers that programs hold and pass on as [`Value::Handle`].
//!
//! A handle says what it names, so that a lock given where a queue is wanted is refused. Not here: the objects.

use crate::machine::{Exception, Value};

/// The number of an object in a table of its kind.
pub(in crate::machine) trait Id: Copy {
    /// The id of this row.
    fn at(index: u32) -> Self;
    /// The row of this id.
    fn place(self) -> usize;
}

/// Makes one id type a line: a number from 0, told apart in a handle by a tag of its own.
macro_rules! ids {
    ($($(#[$about:meta])* $name:ident = $tag:literal;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into a table.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $crate::machine::event_loop::ids::Id for $name {
            fn at(index: u32) -> Self {
                Self(index)
            }

            fn place(self) -> usize {
                self.index()
            }
        }

        impl From<$name> for $crate::machine::Value {
            fn from(id: $name) -> Self {
                Self::Handle($tag << 32 | u64::from(id.0))
            }
        }

        /// Fails with Python's `TypeError` on anything else than a handle of this kind.
        impl TryFrom<&$crate::machine::Value> for $name {
            type Error = $crate::machine::Exception;

            fn try_from(value: &$crate::machine::Value) -> Result<Self, Self::Error> {
                match value {
                    $crate::machine::Value::Handle(handle) if handle >> 32 == $tag => Ok(Self(*handle as u32)),
                    _ => Err($crate::machine::Exception::own("TypeError", value.clone())),
                }
            }
        }

        impl TryFrom<$crate::machine::Value> for $name {
            type Error = $crate::machine::Exception;

            fn try_from(value: $crate::machine::Value) -> Result<Self, Self::Error> {
                Self::try_from(&value)
            }
        }
    )*};
}

pub(in crate::machine) use ids;

ids! {
    /// A future; a task is one, and so are what a gather, a shield and a call to a pool give.
    FutureId = 0x101;
    /// A coroutine object: made, not yet awaited.
    CoroutineId = 0x102;
    /// A callback that was scheduled by a program, and can be cancelled.
    HandleId = 0x103;
    /// A done callback of a future's.
    CallbackId = 0x104;
    /// A context: values of context variables.
    ContextId = 0x105;
    /// A context variable.
    ContextVarId = 0x106;
    /// What a context variable was before it was set.
    TokenId = 0x107;
    /// A lock of tasks.
    LockId = 0x108;
    /// An event of tasks.
    EventId = 0x109;
    /// A condition of tasks.
    ConditionId = 0x10a;
    /// A semaphore of tasks, bounded or not.
    SemaphoreId = 0x10b;
    /// A barrier of tasks.
    BarrierId = 0x10c;
    /// A queue of tasks.
    QueueId = 0x10d;
    /// A task group.
    GroupId = 0x10e;
    /// A time limit around a part of a task.
    TimeoutId = 0x10f;
    /// An iteration over futures in the order of their completion.
    AsCompletedId = 0x110;
}

/// What can be waited for: Python's "awaitable" argument of gather, wait_for, shield and the like.
pub enum Waitable {
    /// A future or task.
    Future(FutureId),
    /// A coroutine object, which becomes a task.
    Coroutine(CoroutineId),
    /// A program at once: a coroutine object that nobody else holds.
    Program(Box<dyn crate::machine::Program>),
}

impl std::fmt::Debug for Waitable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Future(id) => id.fmt(formatter),
            Self::Coroutine(id) => id.fmt(formatter),
            Self::Program(_) => formatter.write_str("Program"),
        }
    }
}

impl From<FutureId> for Waitable {
    fn from(id: FutureId) -> Self {
        Self::Future(id)
    }
}

impl From<CoroutineId> for Waitable {
    fn from(id: CoroutineId) -> Self {
        Self::Coroutine(id)
    }
}

impl From<Box<dyn crate::machine::Program>> for Waitable {
    fn from(program: Box<dyn crate::machine::Program>) -> Self {
        Self::Program(program)
    }
}

impl TryFrom<&Value> for Waitable {
    type Error = Exception;

    fn try_from(value: &Value) -> Result<Self, Exception> {
        FutureId::try_from(value)
            .map(Self::Future)
            .or_else(|_| CoroutineId::try_from(value).map(Self::Coroutine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_of_one_kind() {
        let handle = Value::from(LockId(7));
        assert_eq!(LockId::try_from(&handle).expect("it names a lock"), LockId(7));
        assert!(QueueId::try_from(&handle).is_err());
        assert!(LockId::try_from(&Value::Int(7)).is_err());
    }
}
