//! text: being written.
