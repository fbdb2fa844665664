//! What only the benchmarks' build offers: the machine's loads, timed. Not here: the loads.

use wasm_bindgen::prelude::*;

use super::now_ms;
use crate::loads;

/// Milliseconds that one run of a load takes, and its steps.
///
/// # Errors
/// There is no such load.
#[wasm_bindgen(js_name = machineLoad)]
pub fn machine_load(name: &str, size: u32) -> Result<Vec<f64>, JsError> {
    let start = now_ms();
    let done = loads::load(name, size.into()).ok_or_else(|| JsError::new("there is no such load"))?;
    Ok(vec![now_ms() - start, done.steps as f64])
}

/// Milliseconds of each of many jumps to anywhere in a traced run of so many effects.
#[wasm_bindgen(js_name = machineJumps)]
#[must_use]
pub fn machine_jumps(effects: u32) -> Vec<f64> {
    loads::jumps(&mut loads::traced(effects.into()), now_ms)
}

/// Milliseconds to count every schedule of a counter, milliseconds with all witnesses too, and merged states.
#[wasm_bindgen(js_name = exploreLoad)]
#[must_use]
pub fn explore_load(threads: u8, increments: u8) -> Vec<f64> {
    let done = loads::search(threads, increments, now_ms);
    vec![done.counting_ms, done.all_ms, done.states.into()]
}
