//! Threads.

mod conditions;
mod executors;
mod futures;
mod interpreter_lock;
mod limits;
mod locks;
mod loops;
mod network;
mod properties;
mod queues;
mod rows;
mod support;
mod threading;
mod trouble;
