//! The result of a run, and the refusal of one: public formats, kept compatible.

use super::environment::Environment;
use super::explored::Explored;
use super::job::{LogLine, WorkSpan};
use super::plain::{Holds, Named};
use super::shape::shape;
use super::trace::Trace;
use super::vocabulary::{Mode, Provenance, Runtime, Strategy};

shape! {
    /// Why a request was refused. Closed: the page's switch over it is exhaustive.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ErrorCode {
        /// No lab has this id.
        UnknownLab,
        /// The lab, or the request, has no such parameter.
        UnknownParameter,
        /// The value is not of the parameter's type.
        WrongType,
        /// The value is outside the parameter's range or not one of its choices.
        OutOfRange,
        /// The lab cannot be run in this mode.
        ModeNotOffered,
        /// Allowed one by one, the values together ask for more than a documented ceiling.
        TooLarge,
        /// It cannot run in this place.
        Unavailable,
        /// A worker died during the run.
        Crashed,
        /// The watchdog ended the run.
        TimedOut,
    }
}

shape! {
    /// A refusal with its words.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Refusal {
        /// What kind.
        pub code: ErrorCode,
        /// The parameter at fault.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parameter: Option<String>,
        /// In words: what is wrong and what would be right.
        pub message: String,
    }
}

shape! {
    /// One row of a result: one strategy, variant and runtime.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Row {
        /// The strategy.
        pub strategy: Strategy,
        /// What the lab varies inside the strategy.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub variant: Option<String>,
        /// The runtime, where it matters.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub runtime: Option<Runtime>,
        /// In words.
        pub label: String,
        /// Where its numbers come from.
        pub provenance: Provenance,
        /// Whether it could run here.
        pub available: bool,
        /// Why not, in words.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reason: Option<String>,
        /// What would help, in words.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cure: Option<String>,
        /// Whether the speed-up of the rows below it, up to the next such row, is against this one.
        pub baseline: bool,
        /// Every sample kept, in milliseconds, in the order taken.
        pub samples_ms: Vec<f64>,
        /// Warm-up runs, shown and not counted.
        pub warm_up_ms: Vec<f64>,
        /// The samples' median.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub median_ms: Option<f64>,
        /// Lower end of the median's bootstrap interval (95 %).
        #[serde(skip_serializing_if = "Option::is_none")]
        pub low_ms: Option<f64>,
        /// Upper end of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub high_ms: Option<f64>,
        /// Baseline's median / this median: over 1 is faster.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub speedup: Option<f64>,
        /// Lower end of the speed-up's interval.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub speedup_low: Option<f64>,
        /// Upper end of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub speedup_high: Option<f64>,
        /// Speed-up / workers, 0 to about 1: how well the workers were used.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub efficiency: Option<f64>,
        /// Notes in words about this row alone (scaled size, one sample, outliers).
        pub notes: Vec<String>,
        /// Workers that took part.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub workers: Option<u32>,
        /// The size really run, where the time budget scaled it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub scaled_size: Option<u32>,
        /// Each task's result, as decimal numbers.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub totals: Option<Vec<String>>,
        /// The value reached: a decimal number or a word.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub value: Option<String>,
        /// The value that would be right.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub expected: Option<String>,
        /// Updates lost: the median over the samples.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub lost: Option<u32>,
        /// Updates lost in each sample.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub losses: Option<Vec<u32>>,
        /// Share of the time, 0 to 1, in which at least two workers really worked at once: the median over the samples.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub overlap: Option<f64>,
        /// Overlap of each sample.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub overlaps: Option<Vec<f64>>,
        /// How often the interpreter lock changed hands: the median over the samples.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub hand_overs: Option<u32>,
        /// How often the interpreter lock was let go of for a hash, in one sample.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub releases: Option<u32>,
        /// In the model: what the program itself computed, all threads together, in time on a core that is alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub computed_ms: Option<f64>,
        /// The last sample's tasks on their workers, for drawing; times from the sample's start.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub spans: Option<Vec<WorkSpan>>,
        /// Heartbeats in milliseconds after the start.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub beats_ms: Option<Vec<f64>>,
        /// The longest gap between two heartbeats.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub longest_gap_ms: Option<f64>,
        /// The longest gap between two animation frames.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub longest_frame_gap_ms: Option<f64>,
        /// Whether the timeout fired.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub timeout_fired: Option<bool>,
        /// When the timeout fired, in milliseconds after the call's start.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub timeout_after_ms: Option<f64>,
        /// When the call began, in milliseconds after the start.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub call_started_ms: Option<f64>,
        /// When the call ended, in milliseconds after the start.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub call_ended_ms: Option<f64>,
        /// When the program could end, in milliseconds after the start.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub program_ended_ms: Option<f64>,
        /// Who held the loop, in words: task, call and length.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub culprit: Option<String>,
        /// What the program printed, in order.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub log: Option<Vec<LogLine>>,
        /// Requests that were answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub answered: Option<u32>,
        /// Requests that were not, by what became of them.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub errors: Option<Vec<ErrorCount>>,
        /// Requests in flight at once, at most.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub in_flight_max: Option<u32>,
        /// Requests in flight as time goes by: each number holds until the next.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub in_flight: Option<Vec<CurvePoint>>,
        /// Requests that waited at once for a thread, a loop or a connection, at most.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub queue_max: Option<u32>,
        /// Requests answered a second, from the first's arrival to the last's answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub throughput: Option<f64>,
        /// How busy the busiest of what requests share would have to be: from 1 on, what waits for it grows without end.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub load: Option<f64>,
        /// Half of the answered requests took at most this long.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub p50_ms: Option<f64>,
        /// 95 of 100 did.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub p95_ms: Option<f64>,
        /// 99 of 100 did.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub p99_ms: Option<f64>,
        /// What the client itself computed, on all cores together, in milliseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub client_ms: Option<f64>,
        /// Memory in use at once, at most, in bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub peak_memory_bytes: Option<f64>,
        /// Address space set aside for the stacks of threads, at most, in bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reserved_bytes: Option<f64>,
        /// What a search through all schedules found.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub explored: Option<Explored>,
    }
}

shape! {
    /// How many came to one end.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ErrorCount {
        /// Which: `timeout`, `connection`, `cancelled`, `refused`, `import` or `crashed`.
        pub kind: String,
        /// How many.
        pub count: u32,
    }
}

shape! {
    /// A number from a time on.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CurvePoint {
        /// From when, in milliseconds after the start.
        pub at_ms: f64,
        /// The number.
        pub value: u32,
    }
}

shape! {
    /// A figure that a lesson published, beside which the result stands.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PublishedFigure {
        /// The figure's id in `lesson-figures.json`.
        pub id: String,
        /// The lesson's letter.
        pub lesson: String,
        /// The strategy it is about.
        pub strategy: Strategy,
        /// The variant it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub variant: Option<String>,
        /// The runtime it is about.
        pub runtime: Runtime,
        /// The parameters under which it was taken.
        pub params: Named,
        /// What was measured, with its unit in the name.
        pub quantity: String,
        /// The figure.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub value: Option<f64>,
        /// Or its range, lowest and highest.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub range: Option<Vec<f64>>,
        /// `at-least` where the figure is a lower bound.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub relation: Option<String>,
        /// `published` or `derived`.
        pub provenance: Provenance,
        /// What to know about it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub note: Option<String>,
    }
}

shape! {
    /// What kind of sentence a claim is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ClaimKind {
        /// Holds always.
        Invariant,
        /// Depends on the machine; decided from the samples' interval.
        Speed,
    }
}

shape! {
    /// A claim, judged.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Claim {
        /// Its id within the lab.
        pub id: String,
        /// What kind.
        pub kind: ClaimKind,
        /// true, false or "not-applicable".
        #[cfg_attr(target_arch = "wasm32", tsify(type = "boolean | \"not-applicable\""))]
        pub holds: Holds,
        /// What decided it, in words.
        pub why: String,
        /// The sentence.
        pub text: String,
    }
}

shape! {
    /// What a run found, as an id with arguments and in words.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Finding {
        /// Its id within the lab.
        pub id: String,
        /// The numbers and words in it.
        pub args: Named,
        /// In words.
        pub text: String,
    }
}

shape! {
    /// Where a result was taken.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ResultEnvironment {
        /// What the page knew before the run.
        pub page: Environment,
        /// Threads that started, and how many were asked; none where no pool was needed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub threads_started: Option<u32>,
        /// Threads asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub threads_asked: Option<u32>,
        /// Whether the page was hidden during the run: then the result is void.
        pub void: bool,
        /// Named warnings, in words.
        pub warnings: Vec<Warning>,
        /// In a model of this browser: what its machine was made from, by the names of the constants.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub found: Option<Named>,
    }
}

shape! {
    /// A warning with its id and its words.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Warning {
        /// Its id.
        pub id: String,
        /// In words, with advice.
        pub text: String,
    }
}

shape! {
    /// The result of a run. Plain JSON.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LabResult {
        /// 0 until all labs exist, then 1 and kept.
        pub schema: u32,
        /// The lab's id.
        pub lab: String,
        /// How it was run.
        pub mode: Mode,
        /// All parameters, defaults filled in.
        pub params: Named,
        /// The seed.
        pub seed: u32,
        /// Where it was taken.
        pub environment: ResultEnvironment,
        /// What was measured or modelled.
        pub rows: Vec<Row>,
        /// The figures it stands beside.
        pub published: Vec<PublishedFigure>,
        /// The lesson's sentences, judged.
        pub claims: Vec<Claim>,
        /// What the run found.
        pub finding: Finding,
        /// A hash of the whole log, 16 hexadecimal digits: equal wherever the same run is modelled.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub trace_hash: Option<String>,
        /// What happened, for drawing.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub trace: Option<Trace>,
    }
}
