//! What happened in a run: lanes, their states, wake-ups and counters, as a log that is stepped forwards and back.
//!
//! [`Recorder`] writes a [`Log`]. A [`Timeline`] goes to any event of it and shows a [`View`]; [`why_waiting`],
//! [`await_tree`] and [`diagnose`] answer questions about one. Spans, columns, stalls, the hash and the exports are made
//! of the whole log.
//!
//! Not here: what makes it happen. Not here either: the types in which the page gets a trace, see `wire`.

mod await_tree;
mod coding;
mod columns;
mod diagnosis;
mod event;
pub mod export;
mod for_page;
mod form;
mod frame;
mod hash;
mod keyframes;
mod log;
mod packed;
mod recorder;
mod repetition;
mod shown_value;
mod snapshot;
mod spans;
mod stalls;
mod state;
mod texts;
mod timeline;
mod timers;
mod view;
mod waiting;
mod words;

pub use await_tree::{AwaitLine, await_tree};
pub use columns::{Columns, CountColumns, InstantColumns, SpanColumns, WakeColumns};
pub use diagnosis::{Diagnosis, Starved, diagnose};
pub use event::{AccessKind, Event};
pub use for_page::{MAX_ROWS, for_page};
pub use hash::TraceHash;
pub use log::{Events, Happened, Log, Made, Truncated};
pub use recorder::{Limits, Recorder};
pub use repetition::Livelock;
pub(in crate::machine) use repetition::periodic_start;
pub use shown_value::ShownValue;
pub use spans::{Span, Spans, check_spans};
pub use stalls::{Gap, Stall, longest_gap, stalls};
pub use state::{BlockCause, CounterKind, Instant, LaneId, LaneKind, ReadyCause, State, WaitCause};
pub use texts::TextId;
pub use timeline::Timeline;
pub use timers::TimerView;
pub use view::{CellView, LaneView, LoopView, View};
pub use waiting::{ChainEnd, Why, why_waiting};
