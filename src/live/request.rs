//! A request that its worker waits for, with its retries.
//!
//! Not here: how a browser asks (the host lends it), and requests beside which an event loop goes on.

use std::cell::Cell;

use super::Host;
use crate::wire::{JobOutcome, RequestEnd, RequestJob, RequestTry, Sabotage, SlowRequest};

thread_local! {
    /// Whether a request of this worker went past the service worker. All others would do the same, and the host of the
    /// site is not to be asked for nothing hundreds of times.
    static PASSED_BY: Cell<bool> = const { Cell::new(false) };
}

/// The request as a job of its own.
pub fn perform(job: &RequestJob, host: Host) -> JobOutcome {
    let unasked = job.sabotage == Some(Sabotage::RequestThatFailsUnasked);
    let failures = if unasked { u32::MAX } else { job.failures };
    let job = RequestJob {
        failures,
        ..job.clone()
    };
    JobOutcome::Requested {
        tries: tries(&job, host),
    }
}

/// Makes it, again after an error as often as allowed; at least one try.
pub fn tries(job: &RequestJob, host: Host) -> Vec<RequestTry> {
    let mut tries = Vec::new();
    for number in 0..=job.retries {
        let request = SlowRequest {
            fails: number < job.failures,
            ..job.request.clone()
        };
        let start_ms = host.now();
        let end = ask(&request, host);
        tries.push(RequestTry {
            start_ms,
            end_ms: host.now(),
            end,
        });
        if end != RequestEnd::Failed {
            break;
        }
    }
    tries
}

fn ask(request: &SlowRequest, host: Host) -> RequestEnd {
    if request.by_timer {
        host.block(request.delay_ms.into());
        return if request.fails {
            RequestEnd::Failed
        } else {
            RequestEnd::Answered
        };
    }
    if PASSED_BY.get() {
        return RequestEnd::PassedBy;
    }
    let end = host.ask(request);
    PASSED_BY.set(end == RequestEnd::PassedBy);
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static NOW_MS: Cell<f64> = const { Cell::new(0.0) };
        static ASKED: Cell<u32> = const { Cell::new(0) };
    }

    const FAKE: Host = Host {
        now_ms: || NOW_MS.get(),
        block_ms: |ms| NOW_MS.set(NOW_MS.get() + ms),
        busy_ms: |_| panic!("a request does not compute"),
        ask: |request| {
            ASKED.set(ASKED.get() + 1);
            NOW_MS.set(NOW_MS.get() + f64::from(request.delay_ms));
            match (request.group.as_str(), request.fails) {
                ("host", _) => RequestEnd::PassedBy,
                (_, true) => RequestEnd::Failed,
                (_, false) => RequestEnd::Answered,
            }
        },
    };

    fn job(failures: u32, retries: u32) -> RequestJob {
        RequestJob {
            request: SlowRequest {
                delay_ms: 50,
                fails: false,
                capacity: 0,
                backlog: 0,
                group: String::new(),
                by_timer: false,
            },
            failures,
            retries,
            sabotage: None,
        }
    }

    fn ends(job: &RequestJob) -> Vec<(f64, f64, RequestEnd)> {
        NOW_MS.set(0.0);
        let JobOutcome::Requested { tries } = perform(job, FAKE) else {
            panic!("a request ends as one")
        };
        tries
            .iter()
            .map(|tried| (tried.start_ms, tried.end_ms, tried.end))
            .collect()
    }

    #[test]
    fn an_error_is_tried_again_as_often_as_allowed() {
        use RequestEnd::{Answered, Failed};
        assert_eq!(ends(&job(0, 3)), [(0.0, 50.0, Answered)]);
        assert_eq!(
            ends(&job(2, 3)),
            [(0.0, 50.0, Failed), (50.0, 100.0, Failed), (100.0, 150.0, Answered)]
        );
        assert_eq!(ends(&job(9, 1)), [(0.0, 50.0, Failed), (50.0, 100.0, Failed)]);
        let broken = RequestJob {
            sabotage: Some(Sabotage::RequestThatFailsUnasked),
            ..job(0, 0)
        };
        assert_eq!(ends(&broken), [(0.0, 50.0, Failed)]);
    }

    #[test]
    fn a_timer_asks_nobody() {
        let mut timed = job(1, 1);
        timed.request.by_timer = true;
        ASKED.set(0);
        assert_eq!(
            ends(&timed),
            [(0.0, 50.0, RequestEnd::Failed), (50.0, 100.0, RequestEnd::Answered)]
        );
        assert_eq!(ASKED.get(), 0);
    }

    #[test]
    fn a_worker_whose_requests_pass_by_asks_once() {
        let mut wrong = job(0, 5);
        wrong.request.group = "host".to_owned();
        ASKED.set(0);
        for _ in 0..3 {
            assert_eq!(ends(&wrong).last().map(|(_, _, end)| *end), Some(RequestEnd::PassedBy));
        }
        assert_eq!(ASKED.get(), 1);
    }
}
