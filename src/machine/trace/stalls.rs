//! What held a loop: the steps that were long while others waited for their turn, with the call that took the time.
//!
//! A step is one callback: from the event by which the loop runs it to the next one, to the task's leaving `Running`, or
//! to the loop's own waiting, whichever comes first. Others are the callbacks in the ready queue at its end, and the
//! timers that have gone past by then and that the loop could not look at.
//!
//! Not here: a detector inside the loop (asyncio's debug mode); this one needs nothing of the program.

use super::event::Event;
use super::log::Log;
use super::snapshot::LoopNow;
use super::texts::TextId;
use super::{LaneId, LaneKind, State};
use crate::machine::Nanoseconds;

/// A step that held its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// The loop that stood still.
    pub event_loop: LaneId,
    /// The task whose step it was; none: another callback's.
    pub task: Option<LaneId>,
    /// The call that took most of the step.
    pub call: TextId,
    /// Its line, from 1; 0 where the source said none.
    pub line: u32,
    /// When the step began.
    pub start: Nanoseconds,
    /// How long it was.
    pub length: Nanoseconds,
    /// How many others waited for their turn at its end.
    pub n_waiting: u32,
    /// The index at which it began.
    pub index: u32,
}

/// The longest time that passed between two steps of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// When the lane last began to run before it.
    pub from: Nanoseconds,
    /// When it began to run again.
    pub to: Nanoseconds,
    /// The index at which it did.
    pub index: u32,
}

impl Gap {
    /// How long it is.
    #[must_use]
    pub fn length(&self) -> Nanoseconds {
        self.to - self.from
    }
}

/// The longest gap of a lane: from one beginning of `Running` to the next, as a heartbeat's beats are. The first where
/// several are as long; none where the lane began to run less than twice.
#[must_use]
pub fn longest_gap(log: &Log, lane: LaneId) -> Option<Gap> {
    let (mut longest, mut last): (Option<Gap>, Option<Nanoseconds>) = (None, None);
    for happened in log.events() {
        match happened.event {
            Event::Enter {
                lane: whose,
                state: State::Running,
            } if whose == lane => {
                let gap = last.map(|from| Gap {
                    from,
                    to: happened.at,
                    index: happened.index,
                });
                if gap.map(|gap| gap.length()) > longest.map(|gap| gap.length()) {
                    longest = gap;
                }
                last = Some(happened.at);
            }
            _ => {}
        }
    }
    longest
}

/// The steps of at least this length during which others waited for the loop, in the order of their ends.
#[must_use]
pub fn stalls(log: &Log, at_least: Nanoseconds) -> Vec<Stall> {
    let mut search = Search {
        at_least,
        lanes: Vec::new(),
        loops: Vec::new(),
        found: Vec::new(),
    };
    for happened in log.events() {
        search.apply(log, happened.at, happened.index, &happened.event);
    }
    for place in 0..search.loops.len() {
        search.end_step(place, log.end());
    }
    search.found
}

struct Search {
    at_least: Nanoseconds,
    /// What each lane says that it does.
    lanes: Vec<(TextId, u32)>,
    loops: Vec<LoopSteps>,
    found: Vec<Stall>,
}

struct LoopSteps {
    lane: LaneId,
    queues: LoopNow,
    step: Option<Step>,
}

struct Step {
    task: Option<LaneId>,
    start: Nanoseconds,
    index: u32,
    /// The call now, its line, and when it began.
    call: (TextId, u32, Nanoseconds),
    /// The longest call that has ended, its line and its length.
    longest: (TextId, u32, Nanoseconds),
}

impl Search {
    fn apply(&mut self, log: &Log, at: Nanoseconds, index: u32, event: &Event) {
        match *event {
            Event::Lane { lane, kind, .. } => {
                self.lanes.push((TextId::default(), 0));
                if kind == LaneKind::Loop {
                    self.loops.push(LoopSteps {
                        lane,
                        queues: LoopNow::default(),
                        step: None,
                    });
                }
            }
            Event::Enter { lane, state } => self.enter(log, at, lane, state),
            Event::Doing { lane, call } => {
                if let Some(does) = self.lanes.get_mut(lane.0 as usize) {
                    does.0 = call;
                }
                self.does(at, lane);
            }
            Event::Line { lane, line } => {
                if let Some(does) = self.lanes.get_mut(lane.0 as usize) {
                    does.1 = line;
                }
                self.does(at, lane);
            }
            Event::Ready { event_loop, task } => {
                if let Some(queues) = self.queues(event_loop) {
                    queues.ready.push_back(task);
                }
            }
            Event::RunNext { event_loop } => self.run_next(at, index, event_loop),
            Event::Timer {
                event_loop,
                due,
                number,
                task,
            } => {
                if let Some(queues) = self.queues(event_loop) {
                    queues.timers.put(due, number, task);
                }
            }
            Event::TimerGone { event_loop, number } => {
                if let Some(queues) = self.queues(event_loop) {
                    queues.timers.remove(number);
                }
            }
            _ => {}
        }
    }

    fn place(&self, event_loop: LaneId) -> Option<usize> {
        self.loops.iter().position(|steps| steps.lane == event_loop)
    }

    fn queues(&mut self, event_loop: LaneId) -> Option<&mut LoopNow> {
        let place = self.place(event_loop)?;
        self.loops.get_mut(place).map(|steps| &mut steps.queues)
    }

    fn enter(&mut self, log: &Log, at: Nanoseconds, lane: LaneId, state: State) {
        let Some(made) = log.made(lane) else { return };
        let event_loop = match (made.kind, state) {
            (LaneKind::Task, State::Running) => None,
            (LaneKind::Task, _) => made.parent,
            (LaneKind::Loop, State::Running | State::Ready(_) | State::Blocked(..)) => None,
            (LaneKind::Loop, _) => Some(lane),
            _ => None,
        };
        let Some(place) = event_loop.and_then(|event_loop| self.place(event_loop)) else {
            return;
        };
        let step = self.loops.get(place).and_then(|steps| steps.step.as_ref());
        // A task that another one's step makes ready, or an eager one, does not end that step.
        if step.is_some_and(|step| made.kind == LaneKind::Loop || step.task == Some(lane)) {
            self.end_step(place, at);
        }
    }

    fn run_next(&mut self, at: Nanoseconds, index: u32, event_loop: LaneId) {
        let Some(place) = self.place(event_loop) else { return };
        self.end_step(place, at);
        let Some(steps) = self.loops.get_mut(place) else { return };
        let task = steps.queues.ready.pop_front().flatten();
        let (call, line) = task
            .and_then(|task| self.lanes.get(task.0 as usize))
            .copied()
            .unwrap_or_default();
        steps.step = Some(Step {
            task,
            start: at,
            index,
            call: (call, line, at),
            longest: (call, line, Nanoseconds::ZERO),
        });
    }

    /// A lane says something else: if it is a step's task, a new call begins.
    fn does(&mut self, at: Nanoseconds, lane: LaneId) {
        let (call, line) = self.lanes.get(lane.0 as usize).copied().unwrap_or_default();
        let mut steps = self.loops.iter_mut().filter_map(|steps| steps.step.as_mut());
        if let Some(step) = steps.find(|step| step.task == Some(lane))
            && (step.call.0 != call || step.call.2 == at)
        {
            step.end_call(at);
            step.call = (call, line, at);
        }
    }

    fn end_step(&mut self, place: usize, at: Nanoseconds) {
        let Some(steps) = self.loops.get_mut(place) else { return };
        let Some(mut step) = steps.step.take() else { return };
        let length = at - step.start;
        if length < self.at_least || length == Nanoseconds::ZERO {
            return;
        }
        step.end_call(at);
        let past = steps.queues.timers.iter().filter(|timer| timer.due < at);
        let n_waiting = (steps.queues.ready.len() + past.count()) as u32;
        if n_waiting > 0 {
            self.found.push(Stall {
                event_loop: steps.lane,
                task: step.task,
                call: step.longest.0,
                line: step.longest.1,
                start: step.start,
                length,
                n_waiting,
                index: step.index,
            });
        }
    }
}

impl Step {
    fn end_call(&mut self, at: Nanoseconds) {
        let (call, line, since) = self.call;
        if at - since > self.longest.2 {
            self.longest = (call, line, at - since);
        }
    }
}
