//! labs: being written.
