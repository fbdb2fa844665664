//! Integration tests.

mod fake_page;
mod labs;
mod live;
mod measure;
mod session;
mod tidy;
mod workloads;
