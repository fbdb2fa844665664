//! The session as its worker holds it. Not here: any decision.

use tsify::Ts;
use wasm_bindgen::prelude::*;

use super::values::{from_js, to_js};
use crate::session::Session;
use crate::wire::{Reply, Request};

/// A seed that nobody chose.
///
/// # Errors
/// The browser refuses to give random bytes.
#[allow(
    clippy::disallowed_methods,
    reason = "this is the one place that may ask for entropy"
)]
#[wasm_bindgen(js_name = freshSeed)]
pub fn fresh_seed() -> Result<u32, JsError> {
    Ok(getrandom::u32()?)
}

/// The session, as the worker holds it.
#[wasm_bindgen]
#[derive(Default)]
pub struct SessionHandle(Session);

#[wasm_bindgen]
impl SessionHandle {
    /// A session without words and without a run.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers one request.
    ///
    /// # Errors
    /// The request does not have the shape of `Request`.
    pub fn handle(&mut self, request: Ts<Request>) -> Result<Ts<Reply>, JsError> {
        Ok(to_js(&self.0.handle(from_js(&request)?)))
    }
}
