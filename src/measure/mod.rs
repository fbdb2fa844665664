//! measure: being written.
