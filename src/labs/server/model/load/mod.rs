//! The service under load: up to two million requests, each from its arrival to its answer, in the order of time.
//!
//! Worked example, one thread, arrivals at 0 and 100 ms, 400 ms each: the first takes the thread at 0 and gives it back at
//! 400; the second arrives at 100, finds it taken, waits in its queue until 400, and is answered at 800: it took 700.
//!
//! An exact simulation, event by event, in whole nanoseconds; who waits for a place gets it in the order of arrival. What
//! it leaves out of the machine: what computes under the lock is done in order, not in slices, and cores that are fewer
//! than those that want them are shared evenly. Where nobody computes, it gives each request the same time as the machine,
//! and a test holds the two together.
//!
//! Not here: what a request goes through (`route`), and what the numbers mean.

mod chance;
mod finish;
mod route;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::service::{Own, Service};
use crate::labs::{Asked, Sequel};
use crate::text::{Words, args};
use crate::wire::{CurvePoint, Row, Sabotage};
use chance::Chance;
pub use chance::scaled;
pub use finish::{erlang_mean_ms, percentile_ms};
use route::{Place, Plan, Step};

/// Steps a slice: some 10 ms in a browser.
const SLICE: u32 = 100_000;

/// More points than that do not fit a picture side by side.
const MOST_POINTS: u32 = 200;

/// The factor of whoever takes exactly the mean, in units of 2⁻²⁴.
const ONE: u64 = 1 << 24;

/// What arrives.
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    /// Requests.
    pub requests: u32,
    /// Arrivals a second, by chance: the times between them are exponential.
    pub a_second: u32,
    /// Fixes them.
    pub seed: u32,
}

/// Requests as they arrive: the same for the machine and for the simulation.
#[derive(Debug)]
pub struct Arrivals {
    gap: u64,
    next: u64,
    gaps: Chance,
    kinds: Chance,
    is_exponential: bool,
    blocking_percent: u32,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When, in nanoseconds.
    pub at: u64,
    /// What it takes, against the mean, in units of 2⁻²⁴.
    pub factor: u64,
    /// Whether its calls block.
    pub blocks: bool,
}

impl Arrivals {
    /// Of a service under this traffic.
    pub fn new(service: &Service, traffic: Traffic) -> Self {
        let varies = service.is_exponential && !service.has(Sabotage::TimeThatIgnoresSize);
        Self {
            gap: 1_000_000_000 / u64::from(traffic.a_second.max(1)),
            next: 0,
            gaps: Chance::new(traffic.seed, 1),
            kinds: Chance::new(traffic.seed, 2),
            is_exponential: varies,
            blocking_percent: service.blocking_percent,
        }
    }

    /// The next one.
    pub fn next(&mut self) -> Arrival {
        self.next += scaled(self.gap, self.gaps.exponential());
        Arrival {
            at: self.next,
            factor: if self.is_exponential {
                self.kinds.exponential()
            } else {
                ONE
            },
            blocks: self.blocking_percent > 0 && self.kinds.percent(self.blocking_percent),
        }
    }
}

/// A request that is in the service.
#[derive(Clone, Copy, Debug)]
struct Request {
    arrival: Arrival,
    step: usize,
    worker: u32,
}

/// Places of one kind, and who waits for one.
#[derive(Debug)]
struct Station {
    free: u32,
    queue: VecDeque<u32>,
}

/// How busy the busiest of what requests share will be, over 1 where its queue grows without end.
pub fn planned_load(asked: &Asked, service: &Service) -> f64 {
    let plan = Plan::new(service, &Own::of(asked, service.kind));
    plan.load(asked.unsigned("arrivalsPerSecond").into())
}

/// The simulation.
#[derive(Debug)]
pub struct Load {
    plan: Plan,
    traffic: Traffic,
    arrivals: Arrivals,
    next: Arrival,
    n_arrived: u32,
    first_at: u64,
    now: u64,
    /// When a request goes on: the time, the order of the making, the request.
    events: BinaryHeap<Reverse<(u64, u64, u32)>>,
    n_events: u64,
    requests: Vec<Request>,
    vacant: Vec<u32>,
    stations: Vec<Station>,
    /// Servers that are free, by worker.
    free_servers: Vec<u32>,
    going: Vec<u32>,
    inside: u32,
    inside_max: u32,
    queued: u32,
    queued_max: u32,
    /// The most inside since the last point of the curve.
    peak: u32,
    curve: Vec<CurvePoint>,
    took: Vec<u64>,
    load: f64,
    expected_mean_ms: Option<f64>,
}

impl Load {
    /// One that has not begun.
    pub fn new(service: &Service, own: &Own, traffic: Traffic) -> Self {
        let plan = Plan::new(service, own);
        let station = |free: u32| Station {
            free,
            queue: VecDeque::new(),
        };
        // Of each worker one of each kind, whether the kind is the worker's or shared: found by one sum.
        let stations = (0..plan.workers.max(1))
            .flat_map(|_| plan.capacity.map(station))
            .collect();
        let mut arrivals = Arrivals::new(service, traffic);
        let next = arrivals.next();
        Self {
            load: plan.load(f64::from(traffic.a_second)),
            free_servers: vec![service.threads; plan.workers.max(1) as usize],
            plan,
            traffic,
            arrivals,
            next,
            n_arrived: 0,
            first_at: next.at,
            now: 0,
            events: BinaryHeap::new(),
            n_events: 0,
            requests: Vec::new(),
            vacant: Vec::new(),
            stations,
            going: Vec::new(),
            inside: 0,
            inside_max: 0,
            queued: 0,
            queued_max: 0,
            peak: 0,
            curve: Vec::new(),
            took: Vec::new(),
            expected_mean_ms: None,
        }
    }

    /// One whose mean is known.
    pub fn with_known_mean(self, mean_ms: f64) -> Self {
        Self {
            expected_mean_ms: Some(mean_ms),
            ..self
        }
    }

    /// Goes on for about so many steps; true while there is more to do.
    pub fn run(&mut self, n_steps: u32) -> bool {
        let mut left = i64::from(n_steps);
        while left > 0 {
            let due = self.events.peek().map(|Reverse((at, ..))| *at);
            if self.n_arrived < self.traffic.requests && due.is_none_or(|due| self.next.at <= due) {
                left -= self.arrive();
            } else if let Some(Reverse((at, _, request))) = self.events.pop() {
                self.now = at;
                left -= self.advance(request);
            } else {
                return false;
            }
        }
        true
    }

    fn arrive(&mut self) -> i64 {
        let arrival = self.next;
        self.now = arrival.at;
        // One worker after the other; threads that take from one queue are told their worker when they do.
        let worker = self.n_arrived % self.plan.workers.max(1);
        let request = Request {
            arrival,
            step: 0,
            worker,
        };
        let slot = match self.vacant.pop() {
            Some(slot) => {
                if let Some(place) = self.requests.get_mut(slot as usize) {
                    *place = request;
                }
                slot
            }
            None => {
                self.requests.push(request);
                // No more than two million requests arrive.
                (self.requests.len() - 1) as u32
            }
        };
        self.n_arrived += 1;
        if self.n_arrived < self.traffic.requests {
            self.next = self.arrivals.next();
        }
        self.inside += 1;
        self.inside_max = self.inside_max.max(self.inside);
        self.peak = self.peak.max(self.inside);
        let each = self.traffic.requests.div_ceil(MOST_POINTS);
        if self.n_arrived.is_multiple_of(each) {
            self.point();
        }
        self.advance(slot)
    }

    fn point(&mut self) {
        self.curve.push(CurvePoint {
            at_ms: (self.now - self.first_at) as f64 / 1e6,
            value: self.peak,
        });
        self.peak = self.inside;
    }

    /// Lets a request go on, and whoever gets what it gives back. How many steps that were.
    fn advance(&mut self, slot: u32) -> i64 {
        let mut n_steps = 0;
        self.going.push(slot);
        while let Some(slot) = self.going.pop() {
            loop {
                n_steps += 1;
                if !self.step(slot) {
                    break;
                }
            }
        }
        n_steps
    }

    /// One step of a request; whether the next can follow at once.
    fn step(&mut self, slot: u32) -> bool {
        let Some(request) = self.requests.get_mut(slot as usize) else {
            return false;
        };
        let route = if request.arrival.blocks {
            &self.plan.blocking
        } else {
            &self.plan.route
        };
        let Some(step) = route.get(request.step).copied() else {
            self.answer(slot);
            return false;
        };
        request.step += 1;
        let Request { arrival, worker, .. } = *request;
        match step {
            Step::Wait(fixed, mean) => self.wait(slot, fixed + scaled(mean, arrival.factor)),
            Step::Turn(fixed, mean) => {
                let crew = self.station(Place::Crew, worker);
                let computes = crew.is_some_and(|crew| crew.free == 0);
                let late = if computes { self.plan.lock_delay } else { 0 };
                self.wait(slot, fixed + scaled(mean, arrival.factor) + late)
            }
            Step::Take(place) => self.take(place, slot, worker),
            Step::Give(place) => {
                self.give(place, worker);
                true
            }
        }
    }

    /// Whether no time has to pass.
    fn wait(&mut self, slot: u32, time: u64) -> bool {
        if time == 0 {
            return true;
        }
        self.n_events += 1;
        self.events
            .push(Reverse((self.now.saturating_add(time), self.n_events, slot)));
        false
    }

    fn station(&mut self, place: Place, worker: u32) -> Option<&mut Station> {
        let of_worker = if place.is_of_worker() { worker as usize } else { 0 };
        self.stations.get_mut(of_worker * Place::ALL.len() + place as usize)
    }

    fn take(&mut self, place: Place, slot: u32, worker: u32) -> bool {
        let Some(station) = self.station(place, worker) else {
            return true;
        };
        if station.free == 0 {
            station.queue.push_back(slot);
            self.queued += 1;
            self.queued_max = self.queued_max.max(self.queued);
            return false;
        }
        station.free -= 1;
        if place == Place::Servers {
            self.give_to_a_worker(slot);
        }
        true
    }

    /// The worker with the most free threads, the first of those that have as many, takes the request.
    fn give_to_a_worker(&mut self, slot: u32) {
        let free = self.free_servers.iter().enumerate();
        let Some((worker, _)) = free.max_by_key(|(place, free)| (**free, Reverse(*place))) else {
            return;
        };
        if let Some(free) = self.free_servers.get_mut(worker) {
            *free = free.saturating_sub(1);
        }
        if let Some(request) = self.requests.get_mut(slot as usize) {
            request.worker = u32::try_from(worker).unwrap_or_default();
        }
    }

    fn give(&mut self, place: Place, worker: u32) {
        let Some(station) = self.station(place, worker) else {
            return;
        };
        let Some(next) = station.queue.pop_front() else {
            station.free = station.free.saturating_add(1);
            if place == Place::Servers
                && let Some(free) = self.free_servers.get_mut(worker as usize)
            {
                *free += 1;
            }
            return;
        };
        self.queued -= 1;
        if place == Place::Servers
            && let Some(request) = self.requests.get_mut(next as usize)
        {
            request.worker = worker;
        }
        self.going.push(next);
    }

    fn answer(&mut self, slot: u32) {
        if let Some(request) = self.requests.get(slot as usize) {
            self.took.push(self.now - request.arrival.at);
        }
        self.vacant.push(slot);
        self.inside -= 1;
    }

    /// What each request took, in nanoseconds, in the order of the answers.
    #[cfg(test)]
    pub fn took(&self) -> &[u64] {
        &self.took
    }
}

impl Sequel for Load {
    fn go_on(&mut self) -> bool {
        self.run(SLICE)
    }

    fn progress(&self, label: &str, words: &Words) -> String {
        let numbers = args([
            ("label", label.into()),
            ("done", u32::try_from(self.took.len()).unwrap_or(u32::MAX).into()),
            ("all", self.traffic.requests.into()),
        ]);
        words.fill("progress.queueing", &numbers)
    }

    fn fill(&mut self, row: &mut Row) {
        finish::fill(self, row);
    }
}
