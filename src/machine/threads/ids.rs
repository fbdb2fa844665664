//! Names of the machine's objects: small numbers that programs hold and pass on as
//! [`Value::Handle`](crate::machine::Value).
//!
//! Not here: the objects, and the ids of an event loop's.

use crate::machine::event_loop::ids::ids;

ids! {
    /// A process, with interpreters of its own.
    ProcessId = 0x201;
    /// An interpreter, with cells of its own and, where the runtime has one, a lock of its own.
    InterpreterId = 0x202;
    /// A thread of the operating system.
    ThreadId = 0x203;
    /// `threading.Lock`
    ThreadLockId = 0x204;
    /// `threading.RLock`
    ReentrantLockId = 0x205;
    /// `threading.Condition`
    ThreadConditionId = 0x206;
    /// `threading.Semaphore`, bounded or not.
    ThreadSemaphoreId = 0x207;
    /// `threading.Event`
    ThreadEventId = 0x208;
    /// `threading.Barrier`
    ThreadBarrierId = 0x209;
    /// `queue.Queue` and its two kin.
    ThreadQueueId = 0x20a;
    /// `concurrent.futures.Future`
    ConcurrentFutureId = 0x20b;
    /// `concurrent.futures.Executor`, of threads, processes or interpreters.
    ExecutorId = 0x20c;
    /// An iteration over concurrent futures in the order of their completion.
    CompletionsId = 0x20d;
    /// Something on the other side of a network.
    EndpointId = 0x20e;
}
