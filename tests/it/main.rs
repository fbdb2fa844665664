//! Integration tests.

mod difference;
mod event_loop;
mod explore;
mod explore_small;
mod explored;
mod fake_page;
mod figures;
mod labs;
mod live;
mod measure;
mod models;
mod replay;
mod result_words;
mod session;
mod stack_interpreter;
mod stepping;
mod threads;
mod tidy;
mod trace;
mod trace_hashes;
mod waiting;
mod workloads;
