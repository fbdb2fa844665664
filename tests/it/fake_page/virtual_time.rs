//! Programs on the event loop in virtual time: whoever works elsewhere for one takes exactly the time it should.
//!
//! Not here: the page that asks for them.

use std::cell::Cell;

use concurrency_playground::live::Host;
use concurrency_playground::live::event_loop::Program;
use concurrency_playground::wire::{
    Job, JobOutcome, RequestEnd, RequestJob, RequestTry, Sabotage, SlowRequest, StallJob, StallSeen,
};

use super::Slow;

thread_local! {
    static VIRTUAL_MS: Cell<f64> = const { Cell::new(0.0) };
}

/// A clock that only moves when somebody waits.
pub fn virtual_host(slow: Slow) -> Host {
    VIRTUAL_MS.set(0.0);
    Host {
        ask: match slow {
            Slow::Answers | Slow::Late(_) => |request| {
                VIRTUAL_MS.set(VIRTUAL_MS.get() + f64::from(request.delay_ms));
                end_of(request)
            },
            Slow::BlockingPassesBy | Slow::PassesBy => |_| RequestEnd::PassedBy,
        },
        now_ms: || VIRTUAL_MS.get(),
        block_ms: |ms| VIRTUAL_MS.set(VIRTUAL_MS.get() + ms),
        busy_ms: |ms| VIRTUAL_MS.set(VIRTUAL_MS.get() + ms),
    }
}

fn end_of(request: &SlowRequest) -> RequestEnd {
    if request.fails {
        RequestEnd::Failed
    } else {
        RequestEnd::Answered
    }
}

/// How much longer than its delay a request takes that is not made one after another.
fn late_ms(slow: Slow) -> f64 {
    if let Slow::Late(ms) = slow { ms } else { 0.0 }
}

/// A request that another worker waits for, on a clock of its own that starts at 0.
pub fn block(job: &RequestJob, slow: Slow) -> Vec<RequestTry> {
    let mut tries = Vec::new();
    let mut now = 0.0;
    let unasked = job.sabotage == Some(Sabotage::RequestThatFailsUnasked);
    for number in 0..=job.retries {
        let fails = unasked || number < job.failures;
        let passes = matches!(slow, Slow::BlockingPassesBy | Slow::PassesBy) && !job.request.by_timer;
        let (start_ms, took) = (now, f64::from(job.request.delay_ms) + late_ms(slow));
        now += if passes { 1.0 } else { took };
        let end = match (passes, fails) {
            (true, _) => RequestEnd::PassedBy,
            (false, true) => RequestEnd::Failed,
            (false, false) => RequestEnd::Answered,
        };
        tries.push(RequestTry {
            start_ms,
            end_ms: now,
            end,
        });
        if end != RequestEnd::Failed {
            break;
        }
    }
    tries
}

/// The real program of the stall lab in virtual time.
pub fn stall_in_virtual_time(job: StallJob, callers: u32) -> StallSeen {
    match in_virtual_time(Program::new(job, callers, virtual_host(Slow::Answers)), Slow::Answers) {
        JobOutcome::Stalled(seen) => seen,
        other => panic!("a stall ends in {other:?}"),
    }
}

/// What somebody else does for a program, and when it is done.
enum Elsewhere {
    Call(u32, JobOutcome),
    Request(u32, RequestEnd),
}

/// Drives a program on a loop to its end.
pub fn in_virtual_time(mut program: Program, slow: Slow) -> JobOutcome {
    let mut elsewhere: Vec<(f64, Elsewhere)> = Vec::new();
    for _ in 0..1_000_000 {
        let turn = program.turn();
        if let Some(outcome) = turn.outcome {
            return outcome;
        }
        let now = VIRTUAL_MS.get();
        for call in turn.calls {
            let (ms, outcome) = done_elsewhere(&call.job, now, slow);
            elsewhere.push((now + ms, Elsewhere::Call(call.id, outcome)));
        }
        elsewhere.retain(|(_, what)| !matches!(what, Elsewhere::Request(id, _) if turn.dropped.contains(id)));
        for begun in turn.requests {
            let (ms, end) = match (slow, begun.request.by_timer) {
                (Slow::PassesBy, false) => (1.0, RequestEnd::PassedBy),
                _ => (
                    f64::from(begun.request.delay_ms) + late_ms(slow),
                    end_of(&begun.request),
                ),
            };
            elsewhere.push((now + ms, Elsewhere::Request(begun.id, end)));
        }
        let next_end = elsewhere.iter().map(|(end, _)| *end).fold(f64::INFINITY, f64::min);
        let wake = turn.wake_after_ms.map_or(f64::INFINITY, |ms| now + ms);
        let next = wake.min(next_end).max(now);
        assert!(next.is_finite(), "the loop waits for nothing");
        VIRTUAL_MS.set(next);
        for (_, what) in elsewhere.extract_if(.., |(end, _)| *end <= next) {
            match what {
                Elsewhere::Call(id, outcome) => program.answered(id, outcome),
                Elsewhere::Request(id, end) => program.request_ended(id, end),
            }
        }
    }
    panic!("the loop never ends");
}

/// A call that another worker does, begun now: how long it takes, and what comes of it.
fn done_elsewhere(job: &Job, now: f64, slow: Slow) -> (f64, JobOutcome) {
    match job {
        Job::Block { ms } | Job::Busy { ms } => {
            let elapsed_ms = f64::from(*ms);
            (elapsed_ms, JobOutcome::Blocked { elapsed_ms })
        }
        Job::Request(job) => {
            let mut tries = block(job, slow);
            for tried in &mut tries {
                tried.start_ms += now;
                tried.end_ms += now;
            }
            let end = tries.last().map_or(now, |last| last.end_ms);
            (end - now, JobOutcome::Requested { tries })
        }
        other => panic!("the loop hands over {other:?}"),
    }
}
