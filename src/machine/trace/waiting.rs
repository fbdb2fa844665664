//! Why a lane waits: whom it waits for, whom that one waits for, and so on to the end.
//!
//! Worked example: task A is blocked on a lock that B holds, B waits for C, C is ready for its turn, and D has the loop:
//! the chain of A is A, B, C, D, and its end says that D runs. If C were blocked on a lock of A's, the chain would be
//! A, B, C, and its end the cycle of all three: a deadlock.
//!
//! Not here: whether it waits too long, see [`super::diagnose`].

use std::collections::{BTreeMap, BTreeSet};

use super::view::{LaneView, View};
use super::{LaneId, LaneKind, ReadyCause, State, WaitCause};
use crate::machine::Nanoseconds;

/// The answer for one lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Why<'log> {
    /// The lane itself, then each one that the one before it waits for.
    pub chain: Vec<LaneView<'log>>,
    /// What the last of them needs.
    pub end: ChainEnd,
}

/// What the last lane of a chain needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainEnd {
    /// Nothing: it runs.
    Runs,
    /// A core, the interpreter lock or its turn, which nobody has.
    Turn(ReadyCause),
    /// A time to come; which, where its loop's timers tell.
    Time(Option<Nanoseconds>),
    /// An answer from a network or a disk.
    Answer,
    /// Something that another lane must do, and no lane is bound to.
    Another,
    /// Work, or nothing: it is idle.
    Work,
    /// Itself: these wait for each other in a circle and will for ever.
    Deadlock(Vec<LaneId>),
    /// Nothing will come: the last lane has ended, and the one before it is blocked by what the ended one still holds.
    HolderEnded,
    /// It has ended. As the end of a longer chain: the one before goes on soon.
    Ended,
}

/// Why this lane waits, at this event; none where it is not made yet or is in no state yet.
#[must_use]
pub fn why_waiting<'log>(view: View<'log>, lane: LaneId) -> Option<Why<'log>> {
    view.state(lane)?;
    let needs = Needs::of(view);
    let (path, cycle) = needs.path(lane);
    let chain: Vec<_> = path.iter().filter_map(|lane| view.lane(*lane)).collect();
    let end = match cycle {
        Some(cycle) => ChainEnd::Deadlock(cycle),
        None => needs.end(&chain),
    };
    Some(Why { chain, end })
}

/// Who needs whom at one event.
pub(super) struct Needs<'log> {
    view: View<'log>,
    /// Which task a loop runs.
    task_of: BTreeMap<LaneId, LaneId>,
    /// Which thread an interpreter runs, and with it has the lock.
    thread_of: BTreeMap<LaneId, LaneId>,
    due: BTreeMap<LaneId, Nanoseconds>,
}

impl<'log> Needs<'log> {
    pub fn of(view: View<'log>) -> Self {
        let (mut task_of, mut thread_of, mut due) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for lane in view.lanes().filter(|lane| lane.state == Some(State::Running)) {
            match lane.kind {
                LaneKind::Task => task_of.extend(lane.parent.map(|parent| (parent, lane.lane))),
                LaneKind::Thread => thread_of.extend(lane.parent.map(|parent| (parent, lane.lane))),
                _ => {}
            }
        }
        for timer in view.loops().flat_map(|queues| queues.timers()) {
            // In order of time: the first of each task counts.
            if let Some(task) = timer.task {
                due.entry(task).or_insert(timer.due);
            }
        }
        Self {
            view,
            task_of,
            thread_of,
            due,
        }
    }

    /// The lanes without which this one does not go on.
    fn of_lane(&self, lane: LaneId) -> Vec<LaneId> {
        let Some(lane) = self.view.lane(lane) else {
            return Vec::new();
        };
        let other = |found: Option<&LaneId>| found.copied().filter(|found| *found != lane.lane).into_iter().collect();
        let runs_its_loop = || lane.parent.and_then(|parent| self.task_of.get(&parent));
        match lane.state {
            Some(State::Blocked(_, Some(holder))) => vec![holder],
            Some(State::Waiting(WaitCause::Task | WaitCause::Thread)) => {
                let is_going = |on: &LaneId| self.view.state(*on).is_none_or(|state| !state.is_end());
                self.view.awaited(lane.lane).iter().copied().filter(is_going).collect()
            }
            Some(State::Ready(ReadyCause::Turn)) => other(runs_its_loop()),
            // Its time has come, and the loop has not looked yet.
            Some(State::Waiting(WaitCause::Timer)) if self.is_due(lane.lane) => other(runs_its_loop()),
            Some(State::Ready(ReadyCause::InterpreterLock)) => {
                other(lane.parent.and_then(|parent| self.thread_of.get(&parent)))
            }
            // A task or a loop runs only as far as its thread does.
            Some(State::Running) if matches!(lane.kind, LaneKind::Task | LaneKind::Loop) => {
                let thread = self.thread(lane);
                let stands = thread.filter(|thread| self.view.state(*thread) != Some(State::Running));
                other(stands.as_ref())
            }
            _ => Vec::new(),
        }
    }

    fn is_due(&self, lane: LaneId) -> bool {
        self.due.get(&lane).is_some_and(|due| *due <= self.view.now())
    }

    fn thread(&self, lane: LaneView<'log>) -> Option<LaneId> {
        let mut lane = lane;
        while lane.kind != LaneKind::Thread {
            lane = self.view.lane(lane.parent?)?;
        }
        Some(lane.lane)
    }

    /// The way from a lane to a circle, with the circle; where it leads into none, the way along the first of several.
    pub fn path(&self, start: LaneId) -> (Vec<LaneId>, Option<Vec<LaneId>>) {
        // A search in depth without recursion: a chain may be as long as there are tasks.
        let mut path = vec![start];
        let mut left = vec![self.of_lane(start).into_iter()];
        let mut seen = BTreeSet::from([start]);
        let mut first_way = None;
        while let Some(others) = left.last_mut() {
            match others.next() {
                Some(next) if seen.insert(next) => {
                    path.push(next);
                    left.push(self.of_lane(next).into_iter());
                }
                Some(next) => {
                    if let Some(place) = path.iter().position(|lane| *lane == next) {
                        let cycle = path.iter().skip(place).copied().collect();
                        return (path, Some(cycle));
                    }
                }
                None => {
                    first_way.get_or_insert_with(|| path.clone());
                    path.pop();
                    left.pop();
                }
            }
        }
        (first_way.unwrap_or_else(|| vec![start]), None)
    }

    /// What the last lane of a way without a circle needs.
    pub fn end_of(&self, path: &[LaneId]) -> ChainEnd {
        let chain: Vec<_> = path.iter().filter_map(|lane| self.view.lane(*lane)).collect();
        self.end(&chain)
    }

    fn end(&self, chain: &[LaneView<'log>]) -> ChainEnd {
        let Some(last) = chain.last() else {
            return ChainEnd::Another;
        };
        match last.state {
            Some(State::Running) => ChainEnd::Runs,
            Some(State::Ready(cause)) => ChainEnd::Turn(cause),
            Some(State::Waiting(WaitCause::Timer)) => ChainEnd::Time(self.due.get(&last.lane).copied()),
            Some(State::Waiting(WaitCause::Io)) => ChainEnd::Answer,
            Some(State::Idle) => ChainEnd::Work,
            Some(state) if state.is_end() => {
                let before = chain.len().checked_sub(2).and_then(|place| chain.get(place));
                match before.and_then(|before| before.state) {
                    Some(State::Blocked(..)) => ChainEnd::HolderEnded,
                    _ => ChainEnd::Ended,
                }
            }
            Some(State::Waiting(_) | State::Blocked(..) | State::Done | State::Cancelled | State::Failed) | None => {
                ChainEnd::Another
            }
        }
    }
}
