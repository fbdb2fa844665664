//! Requests to the slow API, alone and in batches on an event loop: the lab `fan-out`.

use super::Sabotage;
use crate::wire::shape::shape;

shape! {
    /// One request to the slow API of the service worker.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SlowRequest {
        /// How long it is worked on, in milliseconds: 0 to 10000.
        pub delay_ms: u32,
        /// Whether it fails, after that time.
        pub fails: bool,
        /// How many requests of its group are worked on at once: 0 is no limit.
        pub capacity: u32,
        /// How many more of them may wait: 0 to 10000.
        pub backlog: u32,
        /// Requests with the same name share a capacity: at most 64 characters.
        pub group: String,
        /// Nobody is asked: a timer stands in for the answer. It knows no capacity.
        pub by_timer: bool,
    }
}

shape! {
    /// How a request ended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RequestEnd {
        /// It was answered.
        Answered,
        /// It failed or was refused.
        Failed,
        /// The host of the site answered, not the slow API: the browser sent it past the service worker.
        PassedBy,
        /// Whoever asked gave it up.
        Cancelled,
    }
}

shape! {
    /// One try to have a request answered, on the clock `timeOrigin + now()` that all workers share.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct RequestTry {
        /// Milliseconds since the epoch.
        pub start_ms: f64,
        /// Milliseconds since the epoch.
        pub end_ms: f64,
        /// How it ended.
        pub end: RequestEnd,
    }
}

shape! {
    /// A request that its worker waits for and does nothing else, with its retries.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RequestJob {
        /// The request; whether a try of it fails, the next field says.
        pub request: SlowRequest,
        /// The first so many tries fail.
        pub failures: u32,
        /// How often it is tried again after an error: 0 to 10.
        pub retries: u32,
        /// A fault, in tests only.
        pub sabotage: Option<Sabotage>,
    }
}

shape! {
    /// How a batch of requests is made on an event loop, or in its place.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BatchHow {
        /// A plain loop of requests that block.
        OneByOne,
        /// A task each, in a group.
        Tasks,
        /// The same, with a semaphore around each request.
        Limited,
        /// The same as `tasks`, each making a request that blocks.
        Blocking,
        /// A task each that hands its blocking request to another worker, in a group.
        ToThread,
        /// The same, gathered.
        GatherToThread,
    }
}

shape! {
    /// A batch of requests on a real-time event loop in this worker.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BatchJob {
        /// How they are made.
        pub how: BatchHow,
        /// How many: 1 to 500.
        pub requests: u32,
        /// Places of the semaphore, from 1.
        pub limit: u32,
        /// When the whole batch is given up, in milliseconds after its start.
        pub deadline_ms: Option<u32>,
        /// The first so many tries fail.
        pub failing: u32,
        /// How often a request is tried again after an error: 0 to 10.
        pub retries: u32,
        /// What each request is like.
        pub request: SlowRequest,
        /// A fault, in tests only.
        pub sabotage: Option<Sabotage>,
    }
}

shape! {
    /// What became of a batch.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct BatchSeen {
        /// When it began, in milliseconds since the epoch.
        pub started_ms: f64,
        /// When the program ended, with all calls that it had handed over.
        pub ended_ms: f64,
        /// When the whole batch was given up, if it was, in milliseconds after its start.
        pub gave_up_ms: Option<f64>,
        /// How long each answered request took, its retries included.
        pub took_ms: Vec<f64>,
        /// Requests that failed or were refused, retries and all.
        pub failed: u32,
        /// Every try, in the order of their ends.
        pub tries: Vec<RequestTry>,
    }
}

shape! {
    /// A request that the loop's worker makes and does not wait for.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BegunRequest {
        /// Names the request when it is answered.
        pub id: u32,
        /// What to ask.
        pub request: SlowRequest,
    }
}
