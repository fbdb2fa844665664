//! Requests: begun, waiting for their turn, answered, failed, refused, given up.
//!
//! Not here: what an endpoint is made with (`network`).

use std::collections::BTreeMap;

use super::blocking::Answer;
use super::events::Event;
use super::machine::Answers;
use super::network::{EndpointReport, Failures, NetworkCall, NewEndpoint};
use super::thread::{Phase, Wait};
use super::{EndpointId, Machine, ThreadId};
use crate::machine::event_loop::{FutureId, Posted};
use crate::machine::trace::CounterKind;
use crate::machine::{Exception, Kind, Nanoseconds, Outcome, Value};

#[derive(Debug, Default)]
pub(super) struct Network {
    endpoints: Vec<Endpoint>,
    requests: Vec<Request>,
    /// Numbers of requests that are over, to be used again.
    free: Vec<u32>,
}

#[derive(Debug)]
struct Endpoint {
    new: NewEndpoint,
    n_begun: u32,
    /// Requests that have not begun, by their place in the row.
    waiting: BTreeMap<u64, u32>,
    report: EndpointReport,
}

#[derive(Debug)]
struct Request {
    endpoint: EndpointId,
    thread: ThreadId,
    answer_to: Option<FutureId>,
    /// Its number among its endpoint's: its place in the row.
    place: u64,
    fails: bool,
    is_begun: bool,
    /// Whether the client still waits.
    is_open: bool,
    /// Whether its time-out is still among the events, so that its number is not used again before.
    has_timeout: bool,
}

impl Machine {
    pub(super) fn network_call(&mut self, thread: ThreadId, call: NetworkCall) -> Answer {
        match call {
            NetworkCall::New(new) => {
                if self.is_too_many(self.network.endpoints.len()) {
                    return Answer::Stops;
                }
                self.add_endpoint(*new).into()
            }
            NetworkCall::Request {
                endpoint,
                timeout,
                answer_to,
            } => self.request(thread, endpoint, timeout, answer_to),
        }
    }

    /// An endpoint of this machine's network, before or while it runs.
    pub fn add_endpoint(&mut self, new: NewEndpoint) -> EndpointId {
        self.network.endpoints.push(Endpoint {
            new,
            n_begun: 0,
            waiting: BTreeMap::new(),
            report: EndpointReport::default(),
        });
        EndpointId(self.network.endpoints.len() as u32 - 1)
    }

    /// What became of an endpoint's requests so far; nothing for one that is not there.
    #[must_use]
    pub fn endpoint(&self, id: EndpointId) -> Option<EndpointReport> {
        self.network.endpoints.get(id.index()).map(|endpoint| endpoint.report)
    }

    fn request(
        &mut self,
        thread: ThreadId,
        id: EndpointId,
        limit: Option<Nanoseconds>,
        answer_to: Option<FutureId>,
    ) -> Answer {
        let Some(endpoint) = self.network.endpoints.get_mut(id.index()) else {
            return Answer::unknown();
        };
        let place = endpoint.report.requests;
        endpoint.report.requests += 1;
        let has_room = endpoint.new.capacity.is_none_or(|capacity| endpoint.n_begun < capacity);
        if !has_room && endpoint.waiting.len() >= endpoint.new.backlog as usize {
            endpoint.report.refused += 1;
            let refused = Err(Exception::new(Kind::Connection, "Connection refused"));
            return match answer_to {
                Some(answer_to) => {
                    self.post(thread, Posted::Settle(answer_to, refused));
                    Value::None.into()
                }
                None => refused.into(),
            };
        }
        let fails = match endpoint.new.failures {
            Failures::None => false,
            Failures::First(n) => place < u64::from(n),
            Failures::Share(permille) => self.random.below(1000) < u64::from(permille),
        };
        let report = &mut endpoint.report;
        report.in_flight += 1;
        report.peak_in_flight = report.peak_in_flight.max(report.in_flight);
        let request = Request {
            endpoint: id,
            thread,
            answer_to,
            place,
            fails,
            is_begun: false,
            is_open: true,
            has_timeout: limit.is_some(),
        };
        let number = self.network.add(request);
        self.record_in_flight(id, thread);
        if has_room {
            self.begin_request(number);
        } else if let Some(endpoint) = self.network.endpoints.get_mut(id.index()) {
            endpoint.waiting.insert(place, number);
        }
        if let Some(limit) = limit {
            let at = self.now + limit + self.settings.costs.timer_slack;
            self.events.add(at, Event::RequestTimeout(number));
        }
        match answer_to {
            Some(answer_to) => {
                self.open_answers.insert((thread, answer_to), Answers::Request(number));
                Value::None.into()
            }
            None => Answer::Blocks(Wait::Request(number), None),
        }
    }

    fn begin_request(&mut self, number: u32) {
        let Some(request) = self.network.requests.get_mut(number as usize) else {
            return;
        };
        request.is_begun = true;
        let Some(endpoint) = self.network.endpoints.get_mut(request.endpoint.index()) else {
            return;
        };
        endpoint.n_begun += 1;
        let latency = endpoint.new.latency.draw(&mut self.random);
        self.events.add(self.now + latency, Event::Answered(number));
    }

    /// An endpoint has done a request, and begins the next.
    pub(super) fn request_answered(&mut self, number: u32) {
        let Some(request) = self.network.requests.get_mut(number as usize) else {
            return;
        };
        let (id, fails, is_open) = (request.endpoint, request.fails, request.is_open);
        request.is_begun = false;
        self.watch.progress();
        if let Some(endpoint) = self.network.endpoints.get_mut(id.index()) {
            endpoint.n_begun -= 1;
            if is_open && fails {
                endpoint.report.failed += 1;
            } else if is_open {
                endpoint.report.answered += 1;
            }
            if let Some((_, next)) = endpoint.waiting.pop_first() {
                self.begin_request(next);
            }
        }
        let outcome = if fails {
            Err(Exception::new(Kind::Connection, "Connection reset by peer"))
        } else {
            Ok(Value::None)
        };
        self.close_request(number, Some(outcome));
    }

    /// A client's patience is over.
    pub(super) fn request_timed_out(&mut self, number: u32) {
        let Some(request) = self.network.requests.get_mut(number as usize) else {
            return;
        };
        request.has_timeout = false;
        if request.is_open {
            self.give_up_request(number, Some(Err(Exception::new(Kind::Timeout, "timed out"))));
        } else {
            self.network.let_go(number);
        }
    }

    /// Nobody wants the answer any more.
    pub(super) fn drop_request(&mut self, number: u32) {
        let is_open = self
            .network
            .requests
            .get(number as usize)
            .is_some_and(|request| request.is_open);
        if is_open {
            self.give_up_request(number, None);
        }
    }

    fn give_up_request(&mut self, number: u32, outcome: Option<Outcome>) {
        if let Some(request) = self.network.requests.get(number as usize)
            && let Some(endpoint) = self.network.endpoints.get_mut(request.endpoint.index())
        {
            endpoint.report.given_up += 1;
            endpoint.waiting.remove(&request.place);
        }
        self.close_request(number, outcome);
    }

    /// The client waits no longer; it is told this, if anything.
    fn close_request(&mut self, number: u32, outcome: Option<Outcome>) {
        let Some(request) = self.network.requests.get_mut(number as usize) else {
            return;
        };
        let (id, thread, answer_to) = (request.endpoint, request.thread, request.answer_to);
        if std::mem::take(&mut request.is_open) {
            if let Some(endpoint) = self.network.endpoints.get_mut(id.index()) {
                endpoint.report.in_flight -= 1;
            }
            self.record_in_flight(id, thread);
            match (outcome, answer_to) {
                (Some(outcome), Some(answer_to)) => {
                    self.open_answers.remove(&(thread, answer_to));
                    self.post(thread, Posted::Settle(answer_to, outcome));
                }
                (Some(outcome), None) => {
                    let is_its = matches!(self.thread(thread).phase, Phase::Blocked(Wait::Request(n)) if n == number);
                    if is_its {
                        self.give(thread, outcome);
                    }
                }
                (None, _) => {}
            }
        }
        self.network.let_go(number);
    }

    fn record_in_flight(&mut self, id: EndpointId, thread: ThreadId) {
        if let Some(endpoint) = self.network.endpoints.get(id.index()) {
            let lane = self.process(self.thread(thread).process).lane;
            let in_flight = u64::from(endpoint.report.in_flight);
            self.recorder.count(self.now, lane, CounterKind::InFlight, in_flight);
        }
    }
}

impl Network {
    fn add(&mut self, request: Request) -> u32 {
        if let Some(number) = self.free.pop()
            && let Some(place) = self.requests.get_mut(number as usize)
        {
            *place = request;
            return number;
        }
        self.requests.push(request);
        self.requests.len() as u32 - 1
    }

    /// A request's number may be used again, once nothing refers to it.
    fn let_go(&mut self, number: u32) {
        let request = self.requests.get(number as usize);
        if request.is_some_and(|request| !request.is_open && !request.is_begun && !request.has_timeout) {
            self.free.push(number);
        }
    }
}
