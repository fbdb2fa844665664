//! Concurrency Playground: what threads, processes, interpreters and an event loop really do.
//!
//! The tour, from the bottom up; arrows point down only:
//!
//! * [`workloads`]: pure functions that burn time or count: name entropy, arithmetic, SHA-256.
//! * [`switch_points`]: where one thread may give way to another, for each runtime: one table for all.
//! * [`machine`]: a deterministic computer in virtual time: cores, threads, interpreter lock, event loop, trace.
//! * [`explore`]: every schedule of a small program, found and counted.
//! * [`live`]: the measured strategies: pool, interpreter lock, isolates' jobs, a small real-time loop.
//! * [`measure`]: how a measured run is planned, interleaved and judged: samples, intervals, verdicts.
//! * [`labs`]: one folder a lab, one list of them; parameters, rows, claims, findings, lesson text.
//! * [`session`]: requests in, replies out; plain Rust without a clock, a thread or a browser.
//! * [`decimal`]: numbers read and written without tables.
//! * [`json`]: a tree of JSON, read without a library.
//! * [`wire`]: the words of the field and every type that crosses to the page.
//! * [`text`]: where an id becomes words of a language.
//! * `web`: the only module that names wasm_bindgen, js_sys and web_sys.

pub mod decimal;
pub mod explore;
pub mod json;
pub mod labs;
pub mod live;
#[cfg(feature = "bench")]
pub mod loads;
pub mod machine;
pub mod measure;
pub mod session;
pub mod switch_points;
pub mod text;
#[cfg(target_arch = "wasm32")]
pub mod web;
pub mod wire;
pub mod workloads;
