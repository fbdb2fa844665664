//! Batches of requests, driven by hand: what is begun, what is given up, and what is written down, at exact times.

use std::cell::Cell;

use super::*;
use crate::wire::{BegunRequest, Job, RequestTry, SlowRequest};

thread_local! {
    static NOW_MS: Cell<f64> = const { Cell::new(0.0) };
}

const START_MS: f64 = 1_000.0;

const FAKE: Host = Host {
    now_ms: || NOW_MS.get(),
    block_ms: |ms| NOW_MS.set(NOW_MS.get() + ms),
    busy_ms: |_| panic!("requests do not compute"),
    ask: |request| {
        NOW_MS.set(NOW_MS.get() + f64::from(request.delay_ms));
        if request.fails {
            RequestEnd::Failed
        } else {
            RequestEnd::Answered
        }
    },
};

fn job(how: BatchHow) -> BatchJob {
    BatchJob {
        how,
        requests: 5,
        limit: 2,
        deadline_ms: None,
        failing: 0,
        retries: 0,
        request: SlowRequest {
            delay_ms: 100,
            fails: false,
            capacity: 0,
            backlog: 0,
            group: "g".to_owned(),
            by_timer: false,
        },
        sabotage: None,
    }
}

/// One worker beside the loop, and a driver that does what it is told.
struct Driver {
    program: Program,
    begun: Vec<BegunRequest>,
    handed: Vec<(u32, Job)>,
    dropped: Vec<u32>,
    wake_after_ms: Option<f64>,
    outcome: Option<JobOutcome>,
}

impl Driver {
    fn start(job: BatchJob) -> Self {
        NOW_MS.set(START_MS);
        let mut driver = Self {
            program: Program::batch(job, 1, FAKE),
            begun: Vec::new(),
            handed: Vec::new(),
            dropped: Vec::new(),
            wake_after_ms: None,
            outcome: None,
        };
        driver.settle();
        driver
    }

    /// Turns until it waits for somebody.
    fn settle(&mut self) {
        loop {
            let turn = self.program.turn();
            self.begun.extend(turn.requests);
            self.dropped.extend(turn.dropped);
            self.handed
                .extend(turn.calls.into_iter().map(|call| (call.id, call.job)));
            self.wake_after_ms = turn.wake_after_ms;
            self.outcome = turn.outcome;
            if self.outcome.is_some() || self.wake_after_ms != Some(0.0) {
                return;
            }
        }
    }

    /// Time passes, and what was begun so far is answered.
    fn answer(&mut self, after_ms: f64, end: RequestEnd) {
        NOW_MS.set(NOW_MS.get() + after_ms);
        for begun in std::mem::take(&mut self.begun) {
            self.program.request_ended(begun.id, end);
        }
        self.settle();
    }

    fn seen(&self) -> &BatchSeen {
        match &self.outcome {
            Some(JobOutcome::Batched(seen)) => seen,
            other => panic!("it has not ended: {other:?}"),
        }
    }
}

fn ends(seen: &BatchSeen) -> Vec<(f64, f64, RequestEnd)> {
    let relative = |tried: &RequestTry| (tried.start_ms - START_MS, tried.end_ms - START_MS, tried.end);
    seen.tries.iter().map(relative).collect()
}

#[test]
fn a_limit_lets_two_in_at_a_time() {
    let mut driver = Driver::start(job(BatchHow::Limited));
    let mut rounds = Vec::new();
    while driver.outcome.is_none() {
        rounds.push(driver.begun.len());
        driver.answer(100.0, RequestEnd::Answered);
    }
    assert_eq!(rounds, [2, 2, 1]);
    let seen = driver.seen();
    assert_eq!(seen.ended_ms - seen.started_ms, 300.0);
    assert_eq!(seen.took_ms, [100.0; 5]);
    assert_eq!((seen.failed, seen.gave_up_ms, seen.tries.len()), (0, None, 5));
}

#[test]
fn a_deadline_gives_up_what_was_begun() {
    let mut driver = Driver::start(BatchJob {
        deadline_ms: Some(50),
        ..job(BatchHow::Tasks)
    });
    assert_eq!(driver.begun.len(), 5);
    assert_eq!(driver.wake_after_ms, Some(50.0));
    NOW_MS.set(START_MS + 50.0);
    driver.settle();
    assert_eq!(driver.dropped, [0, 1, 2, 3, 4]);
    let seen = driver.seen();
    assert_eq!((seen.gave_up_ms, seen.took_ms.len()), (Some(50.0), 0));
    assert_eq!(ends(seen), [(0.0, 50.0, RequestEnd::Cancelled); 5]);
}

#[test]
fn what_is_given_up_before_it_was_begun_is_never_begun() {
    let mut driver = Driver::start(BatchJob {
        deadline_ms: Some(0),
        ..job(BatchHow::Tasks)
    });
    NOW_MS.set(START_MS + 1.0);
    driver.settle();
    let known: Vec<u32> = driver.begun.iter().map(|begun| begun.id).collect();
    assert_eq!(
        known, driver.dropped,
        "what the driver has not heard of need not be given up"
    );
    assert!(driver.seen().took_ms.is_empty());
}

#[test]
fn the_first_that_fails_ends_its_group_and_another_try_saves_it() {
    let failing = BatchJob {
        failing: 1,
        ..job(BatchHow::Limited)
    };
    let mut driver = Driver::start(failing.clone());
    let flags: Vec<bool> = driver.begun.iter().map(|begun| begun.request.fails).collect();
    assert_eq!(flags, [true, false], "the service is told which one fails");
    let first = driver.begun.remove(0);
    NOW_MS.set(NOW_MS.get() + 100.0);
    driver.program.request_ended(first.id, RequestEnd::Failed);
    driver.settle();
    let seen = driver.seen();
    assert_eq!((seen.failed, seen.took_ms.len()), (1, 0));
    assert!(driver.dropped.contains(&1), "{:?}", driver.dropped);

    let mut driver = Driver::start(BatchJob { retries: 1, ..failing });
    let first = driver.begun.remove(0);
    NOW_MS.set(NOW_MS.get() + 100.0);
    driver.program.request_ended(first.id, RequestEnd::Failed);
    driver.settle();
    while driver.outcome.is_none() {
        driver.answer(100.0, RequestEnd::Answered);
    }
    let seen = driver.seen();
    assert_eq!((seen.failed, seen.took_ms.len(), seen.tries.len()), (0, 5, 6));
    assert_eq!(seen.took_ms.iter().copied().fold(0.0, f64::max), 200.0, "retries count");
}

#[test]
fn what_blocks_is_one_by_one() {
    for how in [BatchHow::OneByOne, BatchHow::Blocking] {
        let driver = Driver::start(job(how));
        let starts: Vec<f64> = ends(driver.seen()).iter().map(|(start, ..)| *start).collect();
        assert_eq!(starts, [0.0, 100.0, 200.0, 300.0, 400.0], "{how:?}");
        assert_eq!(driver.seen().ended_ms - START_MS, 500.0);
    }
}

#[test]
fn a_call_that_was_handed_over_outlives_the_deadline() {
    let mut driver = Driver::start(BatchJob {
        deadline_ms: Some(50),
        ..job(BatchHow::ToThread)
    });
    assert_eq!(driver.handed.len(), 1, "one worker, one request");
    NOW_MS.set(START_MS + 50.0);
    driver.settle();
    assert!(driver.outcome.is_none(), "its thread still waits");
    NOW_MS.set(START_MS + 100.0);
    let tried = RequestTry {
        start_ms: START_MS + 1.0,
        end_ms: START_MS + 100.0,
        end: RequestEnd::Answered,
    };
    let (id, job) = driver.handed.remove(0);
    assert!(matches!(job, Job::Request(_)), "{job:?}");
    driver
        .program
        .answered(id, JobOutcome::Requested { tries: vec![tried] });
    driver.settle();
    assert!(driver.handed.is_empty(), "those that waited never begin");
    let seen = driver.seen();
    assert_eq!((seen.gave_up_ms, seen.ended_ms - START_MS), (Some(50.0), 100.0));
    assert_eq!(
        ends(seen),
        [(1.0, 100.0, RequestEnd::Answered)],
        "by the other worker's clock"
    );
}

#[test]
fn requests_that_pass_by_end_the_batch() {
    let mut driver = Driver::start(job(BatchHow::Tasks));
    let first = driver.begun.remove(0);
    driver.program.request_ended(first.id, RequestEnd::PassedBy);
    driver.settle();
    assert_eq!(
        driver.seen().tries.last().map(|tried| tried.end),
        Some(RequestEnd::PassedBy)
    );

    let mut driver = Driver::start(job(BatchHow::GatherToThread));
    let (id, _) = driver.handed.remove(0);
    let tried = RequestTry {
        start_ms: START_MS,
        end_ms: START_MS,
        end: RequestEnd::PassedBy,
    };
    driver
        .program
        .answered(id, JobOutcome::Requested { tries: vec![tried] });
    driver.settle();
    // The next had its turn before anybody could know; it ends, and no other begins.
    for (id, _) in std::mem::take(&mut driver.handed) {
        driver
            .program
            .answered(id, JobOutcome::Requested { tries: vec![tried] });
    }
    driver.settle();
    assert!(driver.handed.is_empty());
    assert!(driver.seen().took_ms.is_empty());
}

#[test]
#[should_panic(expected = "needs at least one caller")]
fn handing_requests_to_nobody_is_a_bug() {
    let _ = Program::batch(job(BatchHow::ToThread), 0, FAKE);
}
