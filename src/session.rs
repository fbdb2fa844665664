//! Requests in, replies out.

use crate::wire::{Reply, Request};

/// The session.
#[derive(Debug, Default)]
pub struct Session {}

impl Session {
    /// Answers one request.
    pub fn handle(&mut self, _request: Request) -> Reply {
        Reply::Ready
    }
}
