//! Why something is not available here, and what would help. Not here: finding that out; the page does, by doing.

use super::evidence::Evidence;
use crate::measure::Absence;
use crate::text::args;
use crate::wire::{Environment, Framed, Impossible, Named, Scheme, ServiceWorkerState, SharedMemory};

/// Why threads cannot share memory, where the page already knows that they cannot.
#[must_use]
pub fn of_shared_memory(environment: &Environment) -> Option<Absence> {
    let id = match (environment.shared_memory, environment.scheme, environment.framed) {
        (SharedMemory::Works, ..) => return None,
        (SharedMemory::NotIsolated, Scheme::File, _) => "not-isolated-file",
        (SharedMemory::NotIsolated, _, Framed::SameSite | Framed::CrossSite) => "not-isolated-frame",
        (SharedMemory::NotIsolated, ..) => "not-isolated",
        (SharedMemory::NoSharedArrayBuffer, ..) => "no-shared-array-buffer",
        (SharedMemory::PostingFails, ..) => "posting-fails",
    };
    Some(Absence::Foreseen(id))
}

/// Why no service worker answers, where the page already knows that none does.
#[must_use]
pub fn of_service_worker(environment: &Environment) -> Option<Absence> {
    let id = match (environment.service_worker, environment.scheme) {
        (ServiceWorkerState::Controls, _) => return None,
        (_, Scheme::File) => "service-worker-file",
        (ServiceWorkerState::Installed, _) => "service-worker-installed",
        (ServiceWorkerState::Unsupported, _) => "service-worker-unsupported",
        (ServiceWorkerState::Blocked, _) => "service-worker-blocked",
        (ServiceWorkerState::Failed, _) => "service-worker-failed",
    };
    Some(Absence::Foreseen(id))
}

/// Reason and cure in words.
#[must_use]
pub fn in_words(absence: &Absence, evidence: &Evidence<'_>) -> (String, String) {
    let (id, args) = match absence {
        Absence::Foreseen(id) => (*id, Named::default()),
        Absence::Found(Impossible::NoSharedMemory) => match of_shared_memory(evidence.environment) {
            Some(Absence::Foreseen(id)) => (id, Named::default()),
            _ => ("posting-fails", Named::default()),
        },
        Absence::Found(Impossible::PoolFailed { detail }) => {
            ("pool-failed", args([("detail", detail.as_str().into())]))
        }
        Absence::Found(Impossible::IsolatesFailed { started, detail }) => (
            "isolates-failed",
            args([("started", (*started).into()), ("detail", detail.as_str().into())]),
        ),
        Absence::Found(Impossible::NoServiceWorker) => ("service-worker-failed", Named::default()),
        Absence::Found(Impossible::BlockingPassesBy) => ("blocking-passes-by", Named::default()),
        Absence::Found(Impossible::NoPage) => ("no-page", Named::default()),
    };
    let fill = |part: &str| evidence.words.fill(&format!("absence.{id}.{part}"), &args);
    (fill("reason"), fill("cure"))
}
