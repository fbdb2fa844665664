//! The other side of a network: endpoints with a latency, a capacity, a backlog and failures.
//!
//! Worked example, capacity 2 and backlog 1, 100 ms each: of four requests at once two are begun, one waits until
//! 100 ms and is answered at 200 ms, and one is refused at once. A client that gives up frees nothing that is begun: the
//! endpoint works on.
//!
//! Not here: what becomes of requests (`requests`), and the client's computing for one, which is a cost of its thread.

use super::EndpointId;
use super::random::Random;
use crate::machine::Nanoseconds;
use crate::machine::event_loop::FutureId;

/// What is asked of the network.
#[derive(Debug)]
pub enum NetworkCall {
    /// A new endpoint. Gives an [`EndpointId`].
    New(Box<NewEndpoint>),
    /// One request. Gives nothing when it is answered; raises `Connection` if it is refused or fails, `Timeout` if its
    /// time was up.
    Request {
        /// Whom.
        endpoint: EndpointId,
        /// How long the client waits.
        timeout: Option<Nanoseconds>,
        /// A future of the running loop's that gets the answer; the thread itself then does not wait.
        answer_to: Option<FutureId>,
    },
}

/// What an endpoint is made with.
#[derive(Clone, Debug)]
pub struct NewEndpoint {
    /// How long it takes to answer one request that it has begun.
    pub latency: Latency,
    /// How many it works on at once; none is no limit.
    pub capacity: Option<u32>,
    /// How many more may wait for their turn; any beyond are refused.
    pub backlog: u32,
    /// Which requests fail.
    pub failures: Failures,
}

/// How long an answer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// Always the same.
    Fixed(Nanoseconds),
    /// Anything between, alike likely, by the seed.
    Uniform(Nanoseconds, Nanoseconds),
    /// Exponential with this mean, by the seed.
    Exponential(Nanoseconds),
}

/// Which requests fail, after their time, with `Connection`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failures {
    /// None.
    #[default]
    None,
    /// The first so many.
    First(u32),
    /// So many of a thousand, by the seed.
    Share(u32),
}

/// What became of an endpoint's requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndpointReport {
    /// All that were made.
    pub requests: u64,
    /// Answered while the client still waited.
    pub answered: u64,
    /// Failed while the client still waited.
    pub failed: u64,
    /// Turned away at once.
    pub refused: u64,
    /// Given up by the client: its time was up, or nobody wanted the answer any more.
    pub given_up: u64,
    /// Clients that wait now, and at most.
    pub in_flight: u32,
    /// The most clients that waited at once.
    pub peak_in_flight: u32,
}

impl Latency {
    pub(super) fn draw(self, random: &mut Random) -> Nanoseconds {
        match self {
            Self::Fixed(time) => time,
            Self::Uniform(low, high) => random.between(low, high),
            Self::Exponential(mean) => random.exponential(mean),
        }
    }
}
