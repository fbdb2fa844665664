//! Cores, threads, interpreters and processes in virtual time, and what threads wait for.

mod advance;
mod blocking;
mod calls;
mod compute;
mod cores;
mod costs;
mod diagnosis;
mod dispatch;
mod events;
mod futures;
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
mod settings;
mod several;
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
    Action, ConditionCall, ConditionLock, LockCall, NewBarrier, ReentrantLockCall, SemaphoreCall, ThreadBarrierCall, ThreadEventCall,
    ThreadQueueCall,
};
pub use processes::{Module, ProcessCall, StartMethod, StartProcess};
pub use progress::{Exceeded, Limit, Progress};
pub use report::{ProcessReport, ThreadReport};
pub use settings::{Limits, MachineFault, MachineSettings};
pub use thread::Used;
pub use watch::{Lacks, Overtaken, Repetition, Stalled};
