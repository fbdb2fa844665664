//! What a request goes through, as steps: waits, and places that it holds while it waits.
//!
//! Worked example, a view that calls twice for 200 ms on a thread of a service that costs nothing: take a thread, wait
//! 200 ms, wait 200 ms, give the thread back.
//!
//! Not here: who waits for whom (`mod`).

use super::super::service::{Database, Heavy, Kind, Own, QUERY, Service};
use crate::wire::Sabotage;

/// What requests share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Threads that each serve one request, of all workers.
    Servers,
    /// The loop of a worker; or, under the lock, whatever of it computes.
    Core,
    /// The one thread of `sync_to_async` in a worker.
    Helper,
    /// Threads of a loop's process that compute.
    Crew,
    /// Connections to the database.
    Connections,
}

impl Place {
    /// All of them, in the order of their stations.
    pub const ALL: [Self; 5] = [Self::Servers, Self::Core, Self::Helper, Self::Crew, Self::Connections];

    /// Whether each worker has its own.
    pub const fn is_of_worker(self) -> bool {
        matches!(self, Self::Core | Self::Helper | Self::Crew)
    }
}

/// One step. Times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Time passes: so much, and so much more by the request's own factor.
    Wait(u64, u64),
    /// The same on a loop: later by a switch interval while a thread of the process computes under the lock.
    Turn(u64, u64),
    /// Waits for a place, and has it then.
    Take(Place),
    /// Gives it back.
    Give(Place),
}

/// What requests of a service go through, and how many of each place there are.
#[derive(Debug)]
pub struct Plan {
    /// Most requests.
    pub route: Vec<Step>,
    /// Those whose calls block the loop.
    pub blocking: Vec<Step>,
    /// Servers of all workers, and of each worker the rest; in the order of [`Place::ALL`].
    pub capacity: [u32; 5],
    /// Workers.
    pub workers: u32,
    /// How much later a loop is while a thread computes.
    pub lock_delay: u64,
    blocking_share: f64,
}

impl Plan {
    /// Of a service.
    pub fn new(service: &Service, own: &Own) -> Self {
        let servers = service.workers.saturating_mul(service.threads);
        let all_in = service.has(Sabotage::SemaphoreThatLetsAllIn);
        let has_lock = service.runtime != crate::wire::Runtime::FreeThreaded;
        let blocks_all = service.has(Sabotage::AwaitThatBlocks);
        let maker = Maker { service, own };
        Self {
            route: maker.route(blocks_all),
            blocking: maker.route(true),
            capacity: [
                if all_in { u32::MAX } else { servers },
                service.cores_a_worker(),
                1,
                if has_lock { 1 } else { own.cores },
                service.connections,
            ],
            workers: service.workers,
            lock_delay: if has_lock {
                super::super::service::SWITCH_INTERVAL.0
            } else {
                0
            },
            blocking_share: f64::from(service.blocking_percent) / 100.0,
        }
    }

    /// How busy the busiest place would be with so many requests a second: over 1, its queue grows without end.
    pub fn load(&self, requests_a_second: f64) -> f64 {
        let mut busiest = 0.0_f64;
        for (place, capacity) in Place::ALL.into_iter().zip(self.capacity) {
            let each = if place.is_of_worker() { self.workers } else { 1 };
            let of = |route: &[Step]| held(route, place) as f64 / 1e9;
            let mean = of(&self.route) * (1.0 - self.blocking_share) + of(&self.blocking) * self.blocking_share;
            busiest = busiest.max(requests_a_second * mean / (f64::from(capacity) * f64::from(each)));
        }
        busiest
    }
}

/// How long a route holds a place, without what it waits for others.
fn held(route: &[Step], place: Place) -> u64 {
    let mut is_held = false;
    let mut total = 0;
    for step in route {
        match *step {
            Step::Take(taken) if taken == place => is_held = true,
            Step::Give(given) if given == place => is_held = false,
            Step::Wait(fixed, scaled) | Step::Turn(fixed, scaled) if is_held => total += fixed + scaled,
            _ => {}
        }
    }
    total
}

struct Maker<'a> {
    service: &'a Service,
    own: &'a Own,
}

impl Maker<'_> {
    fn route(&self, blocks: bool) -> Vec<Step> {
        match self.service.kind {
            Kind::Wsgi => self.on_thread(),
            Kind::Asgi => self.on_loop(blocks),
        }
    }

    fn on_thread(&self) -> Vec<Step> {
        let (service, own) = (self.service, self.own);
        let mut steps = vec![Step::Take(Place::Servers)];
        self.compute(&mut steps, own.start.0 + u64::from(service.calls) * own.call.0, 0);
        let n_waits = if service.at_once {
            service.calls.min(1)
        } else {
            service.calls
        };
        if n_waits > 0 {
            // Two waits of one thread are one: nothing happens between them but its own computing, which is above.
            let call = service.calling().0;
            steps.push(Step::Wait(own.late.0 * u64::from(n_waits), call));
        }
        if service.database != Database::None {
            steps.extend(self.query());
        }
        match service.heavy {
            Heavy::InRequest | Heavy::Thread => self.compute(&mut steps, 0, service.compute.0),
            Heavy::Queue => self.compute(&mut steps, own.enqueue.0, 0),
        }
        steps.push(Step::Give(Place::Servers));
        steps
    }

    fn on_loop(&self, blocks: bool) -> Vec<Step> {
        let (service, own) = (self.service, self.own);
        let hop = own.hop.0;
        let mut steps = Vec::new();
        let middleware = if service.sync_middleware { hop } else { 0 };
        turn(&mut steps, self.on_core(own.start.0 + middleware), 0);
        let calls = u64::from(service.calls);
        if blocks && calls > 0 {
            // A library that blocks makes one call after the other.
            turn(&mut steps, calls * own.call.0, calls * super::super::service::CALL.0);
        } else if service.at_once && calls > 0 {
            turn(&mut steps, self.on_core(calls * own.call.0), 0);
            self.await_call(&mut steps);
        } else {
            for _ in 0..calls {
                turn(&mut steps, self.on_core(own.call.0), 0);
                self.await_call(&mut steps);
            }
        }
        match service.database {
            Database::None => {}
            Database::Async | Database::Refused => {
                steps.extend(self.query());
                turn(&mut steps, self.on_core(own.resume.0), 0);
            }
            Database::SyncToAsync => {
                turn(&mut steps, self.on_core(hop), 0);
                steps.push(Step::Take(Place::Helper));
                steps.extend(self.query());
                steps.push(Step::Give(Place::Helper));
                turn(&mut steps, self.on_core(own.resume.0), 0);
            }
            Database::Sync => turn(&mut steps, 0, QUERY.0),
        }
        if service.compute.0 > 0 {
            match service.heavy {
                Heavy::InRequest => turn(&mut steps, 0, self.on_core(service.compute.0)),
                Heavy::Thread => {
                    turn(&mut steps, self.on_core(hop), 0);
                    steps.push(Step::Take(Place::Crew));
                    steps.push(Step::Wait(0, self.on_core(service.compute.0)));
                    steps.push(Step::Give(Place::Crew));
                    turn(&mut steps, self.on_core(own.resume.0), 0);
                }
                Heavy::Queue => turn(&mut steps, self.on_core(own.enqueue.0), 0),
            }
        }
        if middleware > 0 {
            turn(&mut steps, self.on_core(own.resume.0), 0);
        }
        steps
    }

    fn await_call(&self, steps: &mut Vec<Step>) {
        steps.push(Step::Wait(self.own.late.0, super::super::service::CALL.0));
        turn(steps, self.on_core(self.own.resume.0), 0);
    }

    fn query(&self) -> [Step; 3] {
        [
            Step::Take(Place::Connections),
            Step::Wait(self.own.late.0, QUERY.0),
            Step::Give(Place::Connections),
        ]
    }

    /// Computes on a core of the worker; nothing is left out that takes no time, as a thread does not wait for its turn.
    fn compute(&self, steps: &mut Vec<Step>, fixed: u64, scaled: u64) {
        if fixed + scaled > 0 {
            let wait = Step::Wait(self.on_core(fixed), self.on_core(scaled));
            steps.extend([Step::Take(Place::Core), wait, Step::Give(Place::Core)]);
        }
    }

    /// Where workers have more threads that compute than there are cores, they share them evenly, as if all were busy.
    fn on_core(&self, time: u64) -> u64 {
        let wanted = u64::from(self.service.workers) * u64::from(self.service.cores_a_worker());
        let there = u64::from(self.own.cores.max(1));
        if wanted > there { time * wanted / there } else { time }
    }
}

fn turn(steps: &mut Vec<Step>, fixed: u64, scaled: u64) {
    steps.extend([
        Step::Take(Place::Core),
        Step::Turn(fixed, scaled),
        Step::Give(Place::Core),
    ]);
}
