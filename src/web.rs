//! The browser's side of the crate: what the workers call. Nothing outside `web` names wasm_bindgen, js_sys or web_sys.
//!
//! Not here: decisions. Every function translates and passes on; the page's thread never runs any of it.

#[cfg(feature = "bench")]
mod bench;
#[cfg(feature = "loop")]
mod event_loop;
#[cfg(not(any(target_feature = "atomics", feature = "loop")))]
mod session;
mod values;

use js_sys::{Atomics, Function, Int32Array, Reflect, SharedArrayBuffer};
use tsify::Ts;
use wasm_bindgen::prelude::*;
use web_sys::WorkerGlobalScope;

use crate::live::{self, Host};
use crate::wire::{Job, JobOutcome, LabDescription, LabResult, LoopTurn, RequestEnd, SlowRequest};
use values::{from_js, to_js};

#[cfg(feature = "loop")]
pub use event_loop::LoopDriver;
#[cfg(not(any(target_feature = "atomics", feature = "loop")))]
pub use session::{SessionHandle, fresh_seed};
#[cfg(target_feature = "atomics")]
pub use wasm_bindgen_rayon::init_thread_pool;

thread_local! {
    /// Each worker's clock starts at its own birth, so spans of two workers only compare after adding its origin;
    /// the origin never changes, so it is read once a worker.
    static PERFORMANCE: (web_sys::Performance, f64) = {
        let performance = js_sys::global()
            .unchecked_into::<WorkerGlobalScope>()
            .performance()
            .expect_throw("every worker has a performance clock");
        let origin = performance.time_origin();
        (performance, origin)
    };
}

/// Milliseconds since the epoch, comparable between workers.
fn now_ms() -> f64 {
    PERFORMANCE.with(|(performance, origin)| origin + performance.now())
}

/// Blocks this worker: asleep on an atomic where `SharedArrayBuffer` exists, else busy on the clock.
fn block_ms(ms: f64) {
    let sleeps = Reflect::has(&js_sys::global(), &"SharedArrayBuffer".into()).unwrap_or(false);
    if sleeps {
        let cell = Int32Array::new(&SharedArrayBuffer::new(4));
        if Atomics::wait_with_timeout(&cell, 0, 0, ms).is_ok() {
            return;
        }
    }
    busy_ms(ms);
}

/// Keeps this worker busy on the clock.
fn busy_ms(ms: f64) {
    let end = now_ms() + ms;
    while now_ms() < end {
        std::hint::spin_loop();
    }
}

/// Asks the slow API, and blocks this worker until it has answered. How a worker asks, its script says.
fn ask(request: &SlowRequest) -> RequestEnd {
    let ask = Reflect::get(&js_sys::global(), &"askSlow".into()).ok();
    let ask = ask.and_then(|value| value.dyn_into::<Function>().ok());
    let end = ask.and_then(|ask| ask.call1(&JsValue::NULL, &to_js(request).js_value()).ok());
    end.and_then(|end| from_js(&Ts::new_unchecked(end)).ok())
        .unwrap_or(RequestEnd::Failed)
}

const HOST: Host = Host {
    now_ms,
    block_ms,
    busy_ms,
    ask,
};

/// Runs once in every worker that loads the module: makes a panic visible before the instance dies of it.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        let report = Reflect::get(&js_sys::global(), &"reportPanic".into()).ok();
        if let Some(report) = report.and_then(|value| value.dyn_into::<Function>().ok()) {
            // A failing report must not hide the panic itself, so its own error is dropped.
            let _ = report.call1(&JsValue::NULL, &panic.to_string().into());
        }
    }));
}

/// Runs one job to its end. A loop's job goes through `LoopDriver` instead.
///
/// # Errors
/// The job does not have the shape of `Job`.
#[wasm_bindgen]
pub fn perform(job: Ts<Job>) -> Result<Ts<JobOutcome>, JsError> {
    Ok(to_js(&live::perform(&from_js(&job)?, HOST)))
}

/// Never called: names the types that the page alone uses, so that TypeScript gets them too.
#[wasm_bindgen(js_name = typesOnly)]
#[must_use]
pub fn types_only(_: Option<Ts<LabDescription>>, _: Option<Ts<LabResult>>, _: Option<Ts<LoopTurn>>) -> bool {
    false
}
