//! Small programs on the machine: what the explorer says of them is what happens there.

mod explored;
mod named;
mod programs;
mod random;
mod schedules;
mod seeds;
