//! Small programs on the machine: what the explorer says of them is what happens there.

#![allow(clippy::indexing_slicing, reason = "a wrong index ends the test, as it should")]

mod endings;
mod explored;
mod fair;
mod named;
mod programs;
mod random;
mod schedules;
mod seeds;
