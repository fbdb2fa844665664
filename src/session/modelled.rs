//! A modelled run: the machine of each row in turn, a slice at a time, and the result.
//!
//! Not here: any scene, and what a lab concludes.

use super::run::{Due, SCHEMA};
use crate::labs::{Asked, Lab, Model};
use crate::text::Words;
use crate::wire::Environment;

/// A run of a lab's model.
#[derive(Debug)]
pub struct ModelRun {
    lab: &'static dyn Lab,
    model: &'static dyn Model,
    asked: Asked,
    environment: Environment,
    words: Words,
}

impl ModelRun {
    /// Plans it; nothing has run yet.
    pub fn new(
        lab: &'static dyn Lab,
        model: &'static dyn Model,
        asked: Asked,
        environment: Environment,
        words: Words,
    ) -> Self {
        Self { lab, model, asked, environment, words }
    }

    /// Runs a slice.
    pub fn go_on(&mut self) -> Due {
        let _ = SCHEMA;
        unreachable!("written when the machine is there")
    }
}
