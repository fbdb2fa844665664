//! workloads: being written.
