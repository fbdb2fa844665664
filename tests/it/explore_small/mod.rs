//! Small programs to explore: what each step means, how states merge, and that merging changes no count.

#![allow(clippy::indexing_slicing, reason = "a wrong index ends the test, as it should")]

mod blocking;
mod conditions;
mod counter;
mod counting;
mod grains;
mod plain;
mod problems;
mod programs;
mod random;
mod reader;
mod steps;
mod symmetry;
