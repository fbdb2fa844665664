//! The slow API as a loop's program reaches it: requests that the loop goes on beside, and requests that block.
//!
//! Those it goes on beside are begun and given up by whoever drives the loop. Those that block are made here, or by
//! another worker for a call that was handed to it. Every try is written down by the clock of whoever made it.
//!
//! Not here: making a request; a browser does.

use super::Clock;
use crate::live::request;
use crate::machine::event_loop::{FutureId, Posted};
use crate::machine::threads::{EndpointId, Failures, Latency, NetworkCall, NewEndpoint};
use crate::machine::{Exception, Input, Kind, Outcome, Value};
use crate::wire::{BegunRequest, RequestEnd, RequestJob, RequestTry, Sabotage, SlowRequest};

/// The only endpoint there is.
const ENDPOINT: EndpointId = EndpointId(0);

/// The other side, and all requests to it.
#[derive(Debug)]
pub struct Network {
    /// What each request is like; whether it fails is said with each.
    request: SlowRequest,
    /// The first so many tries fail.
    failing: u32,
    sabotage: Option<Sabotage>,
    n_tries: u32,
    /// Begun by the driver and not ended.
    open: Vec<Open>,
    begun: Vec<BegunRequest>,
    dropped: Vec<u32>,
    tries: Vec<RequestTry>,
    /// What the loop has still to be told.
    posts: Vec<Posted>,
    passed_by: bool,
}

#[derive(Debug)]
struct Open {
    id: u32,
    answer_to: FutureId,
    start_ms: f64,
}

impl Network {
    /// One to which requests like this go.
    pub fn new(request: SlowRequest, sabotage: Option<Sabotage>) -> Self {
        Self {
            request,
            failing: 0,
            sabotage,
            n_tries: 0,
            open: Vec::new(),
            begun: Vec::new(),
            dropped: Vec::new(),
            tries: Vec::new(),
            posts: Vec::new(),
            passed_by: false,
        }
    }

    /// One that nobody asks anything.
    pub fn unused() -> Self {
        let nothing = SlowRequest {
            delay_ms: 0,
            fails: false,
            capacity: 0,
            backlog: 0,
            group: String::new(),
            by_timer: true,
        };
        Self::new(nothing, None)
    }

    /// What a program on the loop asks of it; none where it cannot be done.
    pub fn perform(&mut self, call: NetworkCall, clock: Clock) -> Option<Input> {
        match call {
            NetworkCall::New(new) => self.open(&new),
            NetworkCall::Request {
                answer_to: Some(answer_to),
                timeout: None,
                ..
            } => {
                self.begin(answer_to, clock);
                Some(Input::Value(Value::None))
            }
            NetworkCall::Request {
                answer_to: None,
                timeout: None,
                ..
            } => {
                let tries = request::tries(&self.job(), clock.host);
                Some(input(self.ended_elsewhere(tries)))
            }
            NetworkCall::Request { timeout: Some(_), .. } => None,
        }
    }

    /// The next request, as one that another worker waits for. What becomes of it is told by `ended_elsewhere`.
    pub fn job(&mut self) -> RequestJob {
        RequestJob {
            failures: self.next_fails().into(),
            request: self.request.clone(),
            retries: 0,
            sabotage: None,
        }
    }

    /// A request that blocked has ended, here or on another worker: what whoever waited for it is told.
    pub fn ended_elsewhere(&mut self, tries: Vec<RequestTry>) -> Outcome {
        let end = tries.last().map_or(RequestEnd::Failed, |last| last.end);
        self.tries.extend(tries);
        self.passed_by |= end == RequestEnd::PassedBy;
        outcome(end)
    }

    /// Whoever drives the loop says how a request ended that it had begun.
    pub fn ended(&mut self, id: u32, end: RequestEnd, clock: Clock) {
        if let Some(place) = self.open.iter().position(|open| open.id == id) {
            let open = self.open.swap_remove(place);
            self.write_down(&open, end, clock);
            self.passed_by |= end == RequestEnd::PassedBy;
            self.posts.push(Posted::Settle(open.answer_to, outcome(end)));
        }
    }

    /// Nobody waits for this answer any more. Whether it was still open.
    pub fn take_back(&mut self, future: FutureId, clock: Clock) -> bool {
        let Some(place) = self.open.iter().position(|open| open.answer_to == future) else {
            return false;
        };
        let open = self.open.swap_remove(place);
        self.write_down(&open, RequestEnd::Cancelled, clock);
        // What the driver has not heard of need not be given up.
        let n_begun = self.begun.len();
        self.begun.retain(|begun| begun.id != open.id);
        if self.begun.len() == n_begun {
            self.dropped.push(open.id);
        }
        true
    }

    /// What is to be begun now.
    pub fn take_begun(&mut self) -> Vec<BegunRequest> {
        std::mem::take(&mut self.begun)
    }

    /// What is to be given up now.
    pub fn take_dropped(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.dropped)
    }

    /// What the loop is to be told now.
    pub fn take_posts(&mut self) -> Vec<Posted> {
        std::mem::take(&mut self.posts)
    }

    /// Every try so far, in the order of their ends as they were heard of.
    pub fn tries(&self) -> &[RequestTry] {
        &self.tries
    }

    /// Whether requests reach the host instead: then no other is worth making.
    pub fn passed_by(&self) -> bool {
        self.passed_by
    }

    /// The endpoint's own numbers count; latencies that differ are the machine's alone.
    fn open(&mut self, new: &NewEndpoint) -> Option<Input> {
        let Latency::Fixed(delay) = new.latency else {
            return None;
        };
        self.failing = match new.failures {
            Failures::None => 0,
            Failures::First(n) => n,
            Failures::Share(_) => return None,
        };
        self.request = SlowRequest {
            delay_ms: super::whole_ms(delay),
            fails: false,
            capacity: new.capacity.unwrap_or_default(),
            backlog: new.backlog,
            ..self.request.clone()
        };
        Some(Input::Value(ENDPOINT.into()))
    }

    fn begin(&mut self, answer_to: FutureId, clock: Clock) {
        let id = self.n_tries;
        let request = SlowRequest {
            fails: self.next_fails(),
            ..self.request.clone()
        };
        self.open.push(Open {
            id,
            answer_to,
            start_ms: clock.host.now(),
        });
        self.begun.push(BegunRequest { id, request });
    }

    fn next_fails(&mut self) -> bool {
        let place = self.n_tries;
        self.n_tries += 1;
        let unasked = self.sabotage == Some(Sabotage::RequestThatFailsUnasked) && place == 0;
        place < self.failing || unasked
    }

    fn write_down(&mut self, open: &Open, end: RequestEnd, clock: Clock) {
        self.tries.push(RequestTry {
            start_ms: open.start_ms,
            end_ms: clock.host.now(),
            end,
        });
    }
}

/// An outcome as the answer to an effect.
pub fn input(outcome: Outcome) -> Input {
    outcome.map_or_else(Input::Throw, Input::Value)
}

fn outcome(end: RequestEnd) -> Outcome {
    let message = match end {
        RequestEnd::Answered => return Ok(Value::None),
        RequestEnd::Failed => "the request failed or was refused",
        RequestEnd::PassedBy => "the slow API was not reached",
        RequestEnd::Cancelled => "the request was given up",
    };
    Err(Exception::new(Kind::Connection, message))
}
