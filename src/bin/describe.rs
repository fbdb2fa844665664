//! Writes the generated data.
fn main() {}
