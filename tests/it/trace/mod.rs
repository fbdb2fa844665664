//! The trace through its public door: what is written down, and all that is made of it.

#![allow(
    clippy::indexing_slicing,
    reason = "a test that looks where nothing is has failed, and these helpers are tests"
)]

mod diagnosis;
mod exports;
mod labs;
mod limits;
mod page;
mod spans;
mod synthetic;
mod timeline;
mod waiting;

use concurrency_playground::machine::Nanoseconds;
use concurrency_playground::machine::trace::{LaneId, LaneKind, Log, Recorder, State, Timeline, View};

pub use synthetic::Synthetic;

/// The log of a synthetic run.
pub fn synthetic(about: Synthetic) -> Log {
    let (recorder, now) = about.record(Recorder::on());
    recorder.finish(now).expect("the recorder was on")
}

/// A recorder, the time, and lanes that stand in their first state: for logs that are told by hand.
pub struct Stage {
    pub recorder: Recorder,
    pub now: Nanoseconds,
    pub process: LaneId,
    pub thread: LaneId,
    pub event_loop: LaneId,
}

impl Stage {
    /// One process with one interpreter and one thread that runs one loop: lanes 0 to 3.
    pub fn new() -> Self {
        let mut stage = Self {
            recorder: Recorder::on(),
            now: Nanoseconds::ZERO,
            process: LaneId(0),
            thread: LaneId(2),
            event_loop: LaneId(3),
        };
        let mut parent = None;
        for (kind, name) in [
            (LaneKind::Process, "process"),
            (LaneKind::Interpreter, "interpreter"),
            (LaneKind::Thread, "thread"),
            (LaneKind::Loop, "loop"),
        ] {
            parent = Some(stage.lane(kind, parent, name, State::Running));
        }
        assert_eq!(parent, Some(stage.event_loop));
        stage
    }

    pub fn lane(&mut self, kind: LaneKind, parent: Option<LaneId>, name: &str, state: State) -> LaneId {
        let lane = self.recorder.lane(self.now, kind, parent, || name.to_owned());
        self.recorder.enter(self.now, lane, state);
        lane
    }

    pub fn task(&mut self, name: &str, state: State) -> LaneId {
        self.lane(LaneKind::Task, Some(self.event_loop), name, state)
    }

    pub fn another_thread(&mut self, name: &str, state: State) -> LaneId {
        self.lane(LaneKind::Thread, Some(LaneId(1)), name, state)
    }

    pub fn enter(&mut self, lane: LaneId, state: State) {
        self.recorder.enter(self.now, lane, state);
    }

    pub fn pass(&mut self, millis: u64) {
        self.now += Nanoseconds::millis(millis);
    }

    pub fn log(self) -> Log {
        self.recorder.finish(self.now).expect("it is on")
    }

    /// The timeline at its end.
    pub fn end(self) -> Timeline {
        Timeline::new(self.log())
    }
}

/// Everything that a view shows, as text.
pub fn shown(view: View<'_>) -> String {
    let mut text = format!("{} at {} after {:?}\n", view.index(), view.now(), view.event());
    for lane in view.lanes() {
        text += &format!("{lane:?} awaits {:?}\n", view.awaited(lane.lane));
    }
    for queues in view.loops() {
        let ready: Vec<_> = queues.ready().collect();
        text += &format!("{:?}: {ready:?} {:?}\n", queues.lane, queues.timers());
    }
    let counters: Vec<_> = view.counters().collect();
    let cells: Vec<_> = view.cells().collect();
    text + &format!("{counters:?} {cells:?}\n")
}
