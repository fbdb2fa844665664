//! Cores, threads, interpreters and processes in virtual time, and what threads wait for.
//!
//! [`Machine`] runs programs and event loops on threads. In the order of reading: `calls` is what a program can ask of
//! its thread, `machine` lets the earliest thing happen next, `advance`, `perform` and `dispatch` ask a thread for its
//! effects and do them, `compute`, `cores` and `interpreter_lock` say how long computing takes and who may, `blocking` is
//! how threads wait and are woken. The objects that threads wait for have a file each: [`primitives`], `futures`,
//! `pools`, `processes`, `network`. `diagnosis`, `watch`, `memory` and `report` tell what came of it.
//!
//! **Invariant**: a thread holds a core only while it is `Running`, and every thread in `Running` that is not computing is
//! on the agenda or is the one being asked.
//!
//! **Invariant**: whoever makes something possible wakes as many as can go on; a woken thread that finds another was
//! quicker keeps its place.
//!
//! Not here: the real clock and the real threads (`live`).

mod advance;
mod blocking;
mod calls;
mod compute;
mod cores;
mod costs;
mod diagnosis;
mod dispatch;
mod events;
mod future_calls;
mod futures;
mod held_up;
mod ids;
mod interpreter_lock;
mod interpreters;
mod machine;
mod memory;
mod network;
mod perform;
mod pools;
pub mod primitives;
mod process_life;
mod processes;
mod progress;
mod random;
mod report;
mod requests;
mod settings;
mod several;
mod steering;
mod thread;
mod thread_life;
mod threadsafe;
mod watch;

pub use calls::{Body, Patience, Spawn, ThreadCall};
pub use costs::{Costs, MemoryCosts, StartCost};
pub use diagnosis::{Actor, Condition, Deadlock, Needs, WhyWaiting};
pub use futures::{ConcurrentCall, WaitFutures};
pub use ids::{
    CompletionsId, ConcurrentFutureId, EndpointId, ExecutorId, InterpreterId, ProcessId, ReentrantLockId,
    ThreadBarrierId, ThreadConditionId, ThreadEventId, ThreadId, ThreadLockId, ThreadQueueId, ThreadSemaphoreId,
};
pub use interpreter_lock::HandOvers;
pub use machine::Machine;
pub use memory::MemoryUse;
pub use network::{EndpointReport, Failures, Latency, NetworkCall, NewEndpoint};
pub use pools::{Initializer, NewPool, Payload, Pool, PoolCall, Shutdown, Submit, Work, Workers};
pub use primitives::{
    Action, ConditionCall, ConditionLock, LockCall, NewBarrier, ReentrantLockCall, SemaphoreCall, ThreadBarrierCall,
    ThreadEventCall, ThreadQueueCall,
};
pub use processes::{Module, ProcessCall, StartMethod, StartProcess};
pub use progress::{Exceeded, Limit, Progress};
pub(crate) use random::negative_log2;
pub use report::{ProcessReport, ThreadReport};
pub use settings::{Limits, MachineFault, MachineSettings};
pub use steering::Switch;
pub use thread::Used;
pub use watch::{Lacks, Overtaken, Repetition, Stalled};
