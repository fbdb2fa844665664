//! What is measured: each row's requests, who makes them, and how long they should take.
//!
//! Not here: what became of them (`seen`), and the model's rows.

use super::{MODEL_ONLY, VARIANTS, most_threads};
use crate::labs::absence::of_service_worker;
use crate::labs::parameters::Asked;
use crate::measure::{Absence, DEFAULT_LIMIT_MS, Experiment, Subject};
use crate::wire::{Action, BatchHow, BatchJob, Environment, IsolateKind, Job, RequestJob, SlowRequest, Strategy};

/// One after another nobody wants to wait for all of them.
pub const FEW: u32 = 10;

/// How much longer than twice its plan a row may take before the watchdog ends it, in milliseconds.
const ROOM_MS: u64 = 6_000;

/// Who makes a row's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A program on a real event loop.
    Loop(BatchHow),
    /// Workers that each take the next request when they are free.
    Isolates(IsolateKind),
}

/// One row's requests.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// The row's variant.
    pub id: &'static str,
    /// Who makes them.
    pub by: By,
    /// How many.
    pub requests: u32,
    /// How many the client has under way at once, at most.
    pub places: u32,
    /// Other workers that make requests; 0 where the loop makes them.
    pub workers: u32,
    /// How long the other side takes for one, in milliseconds.
    pub delay_ms: u32,
    /// When the whole batch is given up.
    pub deadline_ms: Option<u32>,
    /// The first so many tries fail.
    pub failing: u32,
    /// How often a request that failed is made again.
    pub retries: u32,
    /// How many the other side works on at once: 0 is no limit.
    pub capacity: u32,
    /// How many more may wait there.
    pub backlog: u32,
}

/// The rows of a run, in the order shown.
pub fn askings(asked: &Asked, environment: &Environment) -> Vec<Asking> {
    let ids = VARIANTS.iter().filter(|id| !MODEL_ONLY.contains(id));
    let chosen = ids.filter(|id| asked.allows("variant", id));
    chosen.map(|id| Asking::new(id, asked, environment)).collect()
}

impl Asking {
    fn new(id: &'static str, asked: &Asked, environment: &Environment) -> Self {
        let number = |id| asked.unsigned(id);
        let delay_ms = number("delayMs");
        let deadline = Some(number("deadlineMs")).filter(|ms| *ms > 0);
        let by = by(id);
        let requests = match by {
            By::Loop(BatchHow::OneByOne | BatchHow::Blocking) => number("requests").min(FEW),
            _ => number("requests"),
        };
        let own = Self {
            id,
            by,
            requests,
            places: 1,
            workers: 0,
            delay_ms,
            deadline_ms: deadline,
            failing: number("failing"),
            retries: number("retries"),
            capacity: number("capacity"),
            backlog: number("backlog"),
        };
        // Seen at close range, so without whatever else was asked for.
        let plain = Self {
            failing: 0,
            retries: 0,
            capacity: 0,
            ..own
        };
        let own = match id {
            "deadline-tasks" | "deadline-to-thread" => Self {
                deadline_ms: Some(delay_ms / 2),
                ..plain
            },
            "failure-group" => Self {
                deadline_ms: None,
                failing: 1,
                ..plain
            },
            _ => own,
        };
        let workers = match by {
            By::Isolates(_) => number("workers").min(requests),
            By::Loop(BatchHow::ToThread | BatchHow::GatherToThread) => {
                most_threads(environment.cores_claimed.max(1)).min(requests)
            }
            By::Loop(_) => 0,
        };
        let places = match by {
            By::Loop(BatchHow::OneByOne | BatchHow::Blocking) => 1,
            By::Loop(BatchHow::Tasks) => requests,
            // Half of them wait when the first fails.
            By::Loop(BatchHow::Limited) if id == "failure-group" => number("limit").min(requests.div_ceil(2)),
            By::Loop(BatchHow::Limited) => number("limit").min(requests),
            By::Loop(BatchHow::ToThread | BatchHow::GatherToThread) | By::Isolates(_) => workers,
        };
        Self { places, workers, ..own }
    }

    /// How long its rounds take at least, in milliseconds, where all requests are answered at the first try.
    pub fn floor_ms(&self) -> f64 {
        f64::from(self.rounds()) * f64::from(self.delay_ms)
    }

    /// Rounds of requests, with as many in each as client and server make at once.
    pub fn rounds(&self) -> u32 {
        let served = if self.capacity > 0 { self.capacity } else { u32::MAX };
        self.requests.div_ceil(self.places.min(served).max(1))
    }

    /// How long it should take, in milliseconds: what happens to a batch between its requests takes no time in it.
    pub fn planned_ms(&self) -> u64 {
        let tries = if self.failing > 0 || self.capacity > 0 {
            u64::from(self.retries) + 1
        } else {
            1
        };
        let delay = u64::from(self.delay_ms);
        let whole = u64::from(self.rounds()) * delay * tries;
        match (self.by, self.deadline_ms) {
            (By::Loop(how), Some(deadline)) if !matches!(how, BatchHow::OneByOne | BatchHow::Blocking) => {
                whole.min(u64::from(deadline) + delay)
            }
            _ => whole,
        }
    }

    fn strategy(&self) -> Strategy {
        match self.by {
            By::Loop(BatchHow::OneByOne) => Strategy::Serial,
            By::Loop(BatchHow::ToThread | BatchHow::GatherToThread) => Strategy::ToThread,
            By::Loop(_) => Strategy::EventLoop,
            By::Isolates(IsolateKind::Interpreter) => Strategy::Threads,
            By::Isolates(IsolateKind::Process) => Strategy::Processes,
        }
    }

    /// How many tries of one request fail, when it and all before it in each round of tries are among the first so many.
    fn failures_of(&self, request: u32) -> u32 {
        self.failing
            .saturating_sub(request)
            .div_ceil(self.requests.max(1))
            .min(self.retries + 1)
    }
}

fn by(id: &str) -> By {
    match id {
        "threads" => By::Isolates(IsolateKind::Interpreter),
        "processes" => By::Isolates(IsolateKind::Process),
        "tasks" | "deadline-tasks" => By::Loop(BatchHow::Tasks),
        "limited" | "failure-group" => By::Loop(BatchHow::Limited),
        "blocking" => By::Loop(BatchHow::Blocking),
        "to-thread" | "deadline-to-thread" => By::Loop(BatchHow::ToThread),
        "gather-to-thread" => By::Loop(BatchHow::GatherToThread),
        _ => By::Loop(BatchHow::OneByOne),
    }
}

/// One run.
#[derive(Debug)]
pub struct Batches {
    askings: Vec<Asking>,
    /// Why nobody would answer; then timers stand in.
    unanswered: Option<Absence>,
    seed: u32,
}

impl Batches {
    /// What is asked for, here.
    pub fn new(asked: &Asked, environment: &Environment) -> Self {
        Self {
            askings: askings(asked, environment),
            unanswered: of_service_worker(environment),
            seed: asked.seed,
        }
    }
}

impl Experiment for Batches {
    fn subjects(&self) -> Vec<Subject> {
        let subject = |asking: &Asking| Subject {
            variant: Some(asking.id.to_owned()),
            workers: Some(asking.workers).filter(|workers| *workers > 0),
            once: true,
            // Timers know nothing of a server that is full.
            absent: self.unanswered.clone().filter(|_| asking.capacity > 0),
            ..Subject::new(asking.strategy())
        };
        self.askings.iter().map(subject).collect()
    }

    fn action(&self, row: usize, _size: u32) -> Action {
        let Some(asking) = self.askings.get(row) else {
            // The sampler asks for rows of `subjects` only; a ping would be refused as an answer to anything.
            return Action::OnLab {
                threads: 0,
                job: Job::Ping,
                callers: 0,
                limit_ms: DEFAULT_LIMIT_MS,
            };
        };
        let request = SlowRequest {
            delay_ms: asking.delay_ms,
            fails: false,
            capacity: asking.capacity,
            backlog: asking.backlog,
            // What an earlier row gave up is worked on all the same, and must not take this one's places.
            group: format!("fan-out {} {row}", self.seed),
            by_timer: self.unanswered.is_some(),
        };
        let limit_ms = u32::try_from(2 * asking.planned_ms() + ROOM_MS).unwrap_or(u32::MAX);
        let limit_ms = limit_ms.max(DEFAULT_LIMIT_MS);
        match asking.by {
            By::Loop(how) => Action::OnLab {
                threads: 0,
                job: Job::Batch(BatchJob {
                    how,
                    requests: asking.requests,
                    limit: asking.places,
                    deadline_ms: asking.deadline_ms,
                    failing: asking.failing,
                    retries: asking.retries,
                    request,
                    sabotage: None,
                }),
                callers: asking.workers,
                limit_ms,
            },
            By::Isolates(kind) => {
                let job = |number| {
                    Job::Request(RequestJob {
                        request: request.clone(),
                        failures: asking.failures_of(number),
                        retries: asking.retries,
                        sabotage: None,
                    })
                };
                Action::OnIsolates {
                    kind,
                    workers: asking.workers,
                    cold: false,
                    jobs: (0..asking.requests).map(job).collect(),
                    limit_ms,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: Asking = Asking {
        id: "threads",
        by: By::Isolates(IsolateKind::Interpreter),
        requests: 10,
        places: 4,
        workers: 4,
        delay_ms: 100,
        deadline_ms: Some(150),
        failing: 0,
        retries: 2,
        capacity: 0,
        backlog: 0,
    };

    #[test]
    fn the_first_tries_fail_round_by_round() {
        let failures = |failing| -> Vec<u32> {
            let asking = Asking { failing, ..TEN };
            (0..10).map(|request| asking.failures_of(request)).collect()
        };
        assert_eq!(failures(0), [0; 10]);
        assert_eq!(failures(3), [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(failures(12), [2, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(failures(10_000), [3; 10], "no more than there are tries");
    }

    #[test]
    fn a_plan_counts_rounds_and_tries_and_a_deadline_that_ends_them() {
        assert_eq!((TEN.rounds(), TEN.floor_ms(), TEN.planned_ms()), (3, 300.0, 300));
        let full = Asking { capacity: 2, ..TEN };
        assert_eq!((full.rounds(), full.planned_ms()), (5, 1_500));
        let tasks = Asking {
            by: By::Loop(BatchHow::Limited),
            ..TEN
        };
        assert_eq!(
            tasks.planned_ms(),
            250,
            "at the deadline, or with what is under way then"
        );
    }
}
