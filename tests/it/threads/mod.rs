//! Threads.

mod rows;
mod support;
