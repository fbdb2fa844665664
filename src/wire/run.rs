//! The two tagged enums between the page and the session, and what they carry.

use super::environment::Environment;
use super::job::{CrossJob, Job, JobOutcome, StallJob, WorkSpan};
use super::position::{Choice, Position};
use super::result::{LabResult, Refusal};
use super::shape::shape;

shape! {
    /// A value exactly as it came in, before anybody judged it.
    #[derive(Clone, Debug, PartialEq)]
    pub enum RawValue {
        /// Any number, NaN and infinities too.
        Number {
            /// The number.
            value: f64,
        },
        /// Any text.
        Text {
            /// The text; the page cuts it at 1,000 characters, a schedule at 100,000, and says so with an ellipsis.
            value: String,
        },
        /// true or false.
        Flag {
            /// The flag.
            value: bool,
        },
        /// Text that came from a link or an attribute, where everything is text: read as the parameter's type.
        Written {
            /// The text.
            value: String,
        },
        /// Not given (undefined).
        Missing,
        /// Anything else: an object, a function, null.
        Other {
            /// What it was, for the message.
            what: String,
        },
    }
}

shape! {
    /// A parameter as it came in.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RawParameter {
        /// Its name; any text.
        pub name: String,
        /// Its value; anything.
        pub value: RawValue,
    }
}

shape! {
    /// A run as it was asked for; nothing in it has been checked.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RunRequest {
        /// The lab's id.
        pub lab: RawValue,
        /// `measured` or `model`.
        pub mode: RawValue,
        /// The lab's parameters. At most 100 are passed on.
        pub params: Vec<RawParameter>,
        /// The seed, an unsigned integer; 1 when missing.
        pub seed: RawValue,
        /// A schedule for the model.
        pub schedule: RawValue,
        /// The language of the texts; `en` when missing.
        pub language: RawValue,
        /// Keys of the request that are none of the above.
        pub unknown: Vec<String>,
    }
}

shape! {
    /// What the page says to the session.
    #[derive(Clone, Debug, PartialEq)]
    #[allow(clippy::large_enum_variant, reason = "one request lives at a time, and a box shows in the generated types")]
    pub enum Request {
        /// Gives the session the words of one language: a flat JSON object from id to text. Answer: `ready`.
        Speak {
            /// The language's code.
            language: String,
            /// The table as JSON text.
            table: String,
        },
        /// Asks for a run. Answer: `refused`, `perform`, `working` or `finished`.
        Start {
            /// What is asked.
            run: RunRequest,
            /// Where it would run.
            environment: Environment,
        },
        /// Lets a model go on after `working`. Answer: `working` or `finished`.
        GoOn,
        /// Answers the action asked for last. Answer: `perform` or `finished`.
        Continue {
            /// What became of it.
            outcome: ActionOutcome,
        },
        /// Gives the run up. Answer: `ready`.
        Cancel,
        /// Asks where a small program stands after some steps of a schedule. It touches no run. Answer: `refused` or
        /// `stands`.
        Look {
            /// The run whose program it is; its `schedule` says what was decided.
            run: RunRequest,
            /// Where it would run.
            environment: Environment,
            /// How many steps of the schedule to show; all of them where it has fewer, or none is said.
            at: Option<u32>,
            /// What is decided there.
            choice: Choice,
        },
    }
}

shape! {
    /// How an isolate came to be.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum IsolateKind {
        /// An instance of the module that the page has compiled already.
        Interpreter,
        /// It fetches and compiles the module itself.
        Process,
    }
}

shape! {
    /// What the session asks the page to do. Actions of one run are asked one at a time.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Action {
        /// Runs one job on the lab worker.
        OnLab {
            /// Threads of the pool beside it, 0 to 64. With 0 no shared memory is needed.
            threads: u32,
            /// The job. For `stall` and `batch`, the loop's calls go to at most `callers` other workers.
            job: Job,
            /// At most this many other workers take calls handed over; 0 where the job hands none over.
            callers: u32,
            /// The watchdog's limit in milliseconds; past it everything is ended and the run has failed.
            limit_ms: u32,
        },
        /// Hands jobs to isolates; who is free gets the next.
        OnIsolates {
            /// What they are.
            kind: IsolateKind,
            /// How many, 1 to 64.
            workers: u32,
            /// Cold ones are started within the measured time and ended after it; warm ones before it, and kept.
            cold: bool,
            /// The jobs; each isolate first answers a `ping`.
            jobs: Vec<Job>,
            /// The watchdog's limit in milliseconds.
            limit_ms: u32,
        },
        /// Connects two warm interpreters and has one of them send the other a payload.
        OnPair {
            /// What crosses, and how.
            job: CrossJob,
            /// The watchdog's limit in milliseconds.
            limit_ms: u32,
        },
        /// Gives each job to a process of its own, which is started before the measured time and ended after it. Of one
        /// that traps the outcome is `died`, and that is no crash of the run.
        OnOwnProcesses {
            /// The jobs, 1 to 64.
            jobs: Vec<Job>,
            /// The watchdog's limit in milliseconds.
            limit_ms: u32,
        },
        /// Hands each job to an isolate of its own, one after another: started for it and ended after it, all within the
        /// measured time.
        OnNewIsolates {
            /// What they are.
            kind: IsolateKind,
            /// The jobs; each isolate first answers a `ping`.
            jobs: Vec<Job>,
            /// The watchdog's limit in milliseconds.
            limit_ms: u32,
        },
        /// Runs the heartbeat on the page's own loop, in TypeScript.
        OnPage {
            /// Its times.
            stall: StallJob,
            /// The watchdog's limit in milliseconds.
            limit_ms: u32,
        },
        /// Asks the service worker's slow API once, from the page.
        OnNetwork {
            /// The delay asked of it in milliseconds.
            delay_ms: u32,
            /// The watchdog's limit in milliseconds.
            limit_ms: u32,
        },
    }
}

shape! {
    /// Why an action could not be done at all. Not a crash: the run goes on without it.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Impossible {
        /// Shared memory does not work here.
        NoSharedMemory,
        /// The pool did not start.
        PoolFailed {
            /// The browser's own words.
            detail: String,
        },
        /// Fewer isolates started than asked.
        IsolatesFailed {
            /// How many did.
            started: u32,
            /// The browser's own words.
            detail: String,
        },
        /// No service worker answers.
        NoServiceWorker,
        /// Blocking requests of workers go past the service worker, to the host.
        BlockingPassesBy,
        /// The page has no loop of its own to stall (no window).
        NoPage,
    }
}

shape! {
    /// What became of an action.
    #[derive(Clone, Debug, PartialEq)]
    pub enum ActionOutcome {
        /// It was done.
        Performed {
            /// From the start to the last answer, seen by the page.
            elapsed_ms: f64,
            /// The jobs' answers, in the order of the jobs.
            jobs: Vec<JobOutcome>,
            /// Isolates: when each job was worked on, by the page's record of handing out and answer.
            spans: Vec<WorkSpan>,
            /// Workers or threads that had really started.
            started: u32,
            /// Whether the page was hidden at any time meanwhile.
            hidden: bool,
        },
        /// It could not be done here.
        Unavailable {
            /// Why.
            why: Impossible,
        },
    }
}

shape! {
    /// How far a run is.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Progress {
        /// Whether samples are being taken; false while warming up.
        pub sampling: bool,
        /// Actions done.
        pub done: u32,
        /// Actions in all, as planned now.
        pub total: u32,
        /// Milliseconds left, estimated from the samples so far; none before there is one.
        pub left_ms: Option<f64>,
        /// What is being measured, in words.
        pub label: String,
    }
}

shape! {
    /// What the session answers. Every request gets exactly one reply.
    #[derive(Clone, Debug, PartialEq)]
    #[allow(clippy::large_enum_variant, reason = "one reply lives at a time, and a box shows in the generated types")]
    pub enum Reply {
        /// Understood; nothing to do.
        Ready,
        /// Not run, and why.
        Refused {
            /// Why, with words.
            refusal: Refusal,
        },
        /// Please do this, then `continue`.
        Perform {
            /// What to do.
            action: Action,
            /// How far the run is.
            progress: Progress,
        },
        /// The model has run for a slice of time and is not done: `go-on`, or `cancel`.
        Working {
            /// How far the run is.
            progress: Progress,
        },
        /// The run has ended.
        Finished {
            /// Its result.
            result: LabResult,
        },
        /// Where a small program stands.
        Stands {
            /// There.
            position: Position,
        },
        /// The request made no sense in this state: a bug of the page or a wrong version.
        Rejected {
            /// For developers.
            detail: String,
        },
    }
}
