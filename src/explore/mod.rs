//! The explorer: every schedule of a small program, found and counted exactly.
//!
//! Equal states are merged, so that millions of interleavings are thousands of states; each state carries the exact
//! number of ways into it. From the bottom up:
//!
//! * [`system`]: what can be explored: who may go next, what a step does, who waits for whom, how it ended.
//! * [`small`]: small programs of threads with atomic steps, as such a system.
//! * `hash`, `chunks`, `table`, `count`, `counts`: the set of states, and exact numbers of any size.
//! * `layers`: counting; `witness`: the fewest preemptions; `bounded`, `walks`: what is too large for that.
//! * `graph`, `components`, `repeats`, `tour`, `endless`: programs that may go on for ever.
//! * `search`: which of these after which, in slices, `found` and `report`: what came of them.
//! * `schedule`, `replay`: a schedule as text, and gone through step by step; `uniform`, `drawn`: one drawn at
//!   random.
//!
//! Not here: any lab's program, and the machine in virtual time. The two agree because both ask one table of switch
//! points where another thread may come in; tests replay schedules of this one there.

mod bounded;
mod chunks;
mod components;
mod count;
mod counts;
mod deadlock;
mod drawn;
mod endless;
mod found;
mod graph;
mod hash;
mod layers;
mod limits;
mod names;
mod random;
mod repeats;
mod replay;
mod report;
mod schedule;
mod search;
pub mod small;
pub mod system;
mod table;
mod tour;
mod uniform;
mod walks;
mod witness;

pub use count::Count;
pub use deadlock::{Deadlock, Wait};
pub use drawn::{Drawn, Fairness, draw};
pub use limits::{MAX_STEPS, SearchLimits};
pub use repeats::{RepeatKind, Repeating};
pub use replay::{CannotGo, Replay, replay};
pub use report::{Coverage, DeadlockFound, OutcomeFound, RepeatFound, Report, Schedules, Witness};
pub use schedule::{Schedule, ScheduleProblem};
pub use search::{Progress, Search, SearchPhase};
pub use system::{System, Thread, Threads};
pub use uniform::{Uniform, UniformSchedules};
