//! The variants: how the call is made.
//!
//! Not here: what each of them does (`live::event_loop::heartbeat`).

use crate::wire::{Runtime, StallVariant, Strategy};

/// A variant: its id, how it is made, its strategy, and where it can be shown.
#[derive(Debug)]
pub struct Way {
    /// Its public id.
    pub id: &'static str,
    /// How it is made.
    pub variant: StallVariant,
    /// Its strategy.
    pub strategy: Strategy,
    /// The runtime whose threads a browser's workers are like, where that matters: they have no interpreter lock.
    pub runtime: Option<Runtime>,
    /// Whether the page's own loop can show it.
    pub on_page: bool,
}

const fn way(id: &'static str, variant: StallVariant, strategy: Strategy) -> Way {
    Way {
        id,
        variant,
        strategy,
        runtime: None,
        on_page: false,
    }
}

const fn on_page(way: Way) -> Way {
    Way { on_page: true, ..way }
}

/// All of them, in the order shown.
pub const WAYS: [Way; 9] = [
    on_page(way("blocking", StallVariant::Blocking, Strategy::EventLoop)),
    on_page(way("to-thread", StallVariant::ToThread, Strategy::ToThread)),
    way("own-timeout", StallVariant::OwnTimeout, Strategy::ToThread),
    on_page(way("slices", StallVariant::Slices, Strategy::EventLoop)),
    way("compute-inline", StallVariant::ComputeInline, Strategy::EventLoop),
    Way {
        runtime: Some(Runtime::FreeThreaded),
        ..way("compute-to-thread", StallVariant::ComputeToThread, Strategy::ToThread)
    },
    way("compute-processes", StallVariant::ComputeProcesses, Strategy::Processes),
    way("handlers-blocking", StallVariant::HandlersBlocking, Strategy::EventLoop),
    way("handlers-awaiting", StallVariant::HandlersAwaiting, Strategy::EventLoop),
];

/// Their ids.
pub const VARIANTS: &[&str] = &[
    "blocking",
    "to-thread",
    "own-timeout",
    "slices",
    "compute-inline",
    "compute-to-thread",
    "compute-processes",
    "handlers-blocking",
    "handlers-awaiting",
];

/// How many handlers there are, and how long each takes in milliseconds.
pub const HANDLERS: u32 = 10;
/// One handler.
pub const HANDLER_MS: u32 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_has_a_way() {
        let ids: Vec<&str> = WAYS.iter().map(|way| way.id).collect();
        assert_eq!(ids, VARIANTS);
    }
}
