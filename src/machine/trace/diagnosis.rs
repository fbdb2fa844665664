//! What is wrong with a run, told from its log: deadlock, livelock, starvation and plain waiting apart.
//!
//! * **Deadlock**: lanes that wait for each other in a circle; those behind a circle are *stuck*, as is a lane that waits
//!   for something that an ended lane still holds.
//! * **Never woken**: waiting with nobody bound to end it, while nothing in the run can act any more.
//! * **Livelock**: the last events are one short pattern again and again, in which several lanes touch the same cells or
//!   block each other, and nobody marks progress, begins or ends.
//! * **Starvation**: a lane is ready and did not get its turn while one other got it many times.
//! * **Waiting**: everything else that has not ended.
//!
//! A log does not name locks, so a lane that is starved of a lock is only seen by the kernel itself. Not here: the live
//! detectors of the loop and the machine.

use std::collections::{BTreeMap, BTreeSet};

use super::event::Event;
use super::repetition::{Livelock, livelock};
use super::view::{LaneView, View};
use super::waiting::{ChainEnd, Needs};
use super::{LaneId, LaneKind, ReadyCause, State, WaitCause};
use crate::machine::Nanoseconds;

/// So many turns of one other lane in the meantime are too many.
const PASSED_OVER: u32 = 16;

/// A lane that is ready and does not get what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starved {
    /// Which.
    pub lane: LaneId,
    /// What it lacks.
    pub cause: ReadyCause,
    /// Since when.
    pub since: Nanoseconds,
    /// The lane that got it most often since then.
    pub by: LaneId,
    /// How often.
    pub n_times: u32,
}

/// What is wrong at one event, and with whom. A lane is in one of the lists at most, except for a livelock's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// Each circle of lanes that wait for each other, from its lowest number on.
    pub deadlocks: Vec<Vec<LaneId>>,
    /// Lanes that wait for one in a circle, or for what an ended lane holds.
    pub stuck: Vec<LaneId>,
    /// Lanes that wait for what nothing will ever do.
    pub never_woken: Vec<LaneId>,
    /// Lanes that are passed over.
    pub starved: Vec<Starved>,
    /// The pattern that the run repeats, if it goes round without getting on.
    pub livelock: Option<Livelock>,
    /// Lanes that wait, and will not for ever.
    pub waiting: Vec<LaneId>,
}

impl Diagnosis {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_well(&self) -> bool {
        let Self {
            deadlocks,
            stuck,
            never_woken,
            starved,
            livelock,
            waiting: _,
        } = self;
        deadlocks.is_empty() && stuck.is_empty() && never_woken.is_empty() && starved.is_empty() && livelock.is_none()
    }
}

/// What is wrong at this event, with threads and tasks. At the end of a run that did not end by itself, it says why.
#[must_use]
pub fn diagnose(view: View<'_>) -> Diagnosis {
    let mut found = Diagnosis {
        livelock: livelock(view),
        ..Diagnosis::default()
    };
    let is_busy = can_anything_happen(view);
    let needs = Needs::of(view);
    let starved = starved(view);
    // Lanes known to be in a circle or behind one.
    let mut doomed = BTreeSet::new();
    for lane in view.lanes().filter(|lane| is_actor(lane.kind) && !has_gone(view, lane)) {
        match lane.state {
            None | Some(State::Running | State::Idle | State::Done | State::Cancelled | State::Failed) => continue,
            Some(State::Ready(_)) => match starved.get(&lane.lane) {
                Some(starved) => found.starved.push(*starved),
                None => found.waiting.push(lane.lane),
            },
            Some(State::Waiting(_) | State::Blocked(..)) => {
                found.sort_waiting(&needs, lane, is_busy, &mut doomed);
            }
        }
    }
    found
}

impl Diagnosis {
    fn sort_waiting(&mut self, needs: &Needs<'_>, lane: LaneView<'_>, is_busy: bool, doomed: &mut BTreeSet<LaneId>) {
        let lane = lane.lane;
        if self.deadlocks.iter().any(|cycle| cycle.contains(&lane)) {
            return;
        }
        if doomed.contains(&lane) {
            self.stuck.push(lane);
            return;
        }
        let (path, cycle) = needs.path(lane);
        if let Some(mut cycle) = cycle {
            doomed.extend(path);
            let is_in_it = cycle.contains(&lane);
            let lowest = cycle
                .iter()
                .enumerate()
                .min_by_key(|(_, lane)| **lane)
                .map_or(0, |(place, _)| place);
            cycle.rotate_left(lowest);
            if !self.deadlocks.contains(&cycle) {
                self.deadlocks.push(cycle);
            }
            if !is_in_it {
                self.stuck.push(lane);
            }
            return;
        }
        if path.iter().any(|on| doomed.contains(on)) {
            doomed.insert(lane);
            self.stuck.push(lane);
            return;
        }
        match needs.end_of(&path) {
            ChainEnd::HolderEnded => self.stuck.push(lane),
            ChainEnd::Another if !is_busy => self.never_woken.push(lane),
            _ => self.waiting.push(lane),
        }
    }
}

/// Whether a task's thread has ended over it, as when its process crashed: then nothing is wrong with the task.
fn has_gone(view: View<'_>, lane: &LaneView<'_>) -> bool {
    let event_loop = lane.parent.filter(|_| lane.kind == LaneKind::Task);
    let thread = event_loop.and_then(|of| view.lane(of)?.parent);
    thread.and_then(|thread| view.state(thread)).is_some_and(State::is_end)
}

const fn is_actor(kind: LaneKind) -> bool {
    matches!(kind, LaneKind::Thread | LaneKind::Task)
}

/// Whether any thread or task can act, or will by time or an answer.
fn can_anything_happen(view: View<'_>) -> bool {
    let acts = |state: State| {
        matches!(
            state,
            State::Running | State::Ready(_) | State::Waiting(WaitCause::Timer | WaitCause::Io)
        )
    };
    // A loop's thread waits as its loop does, and a task of its own may be all that is left.
    let actors = view.lanes().filter(|lane| is_actor(lane.kind));
    actors.filter_map(|lane| lane.state).any(acts) || view.loops().any(|queues| queues.next_due().is_some())
}

/// What ready lanes of one group compete for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    Cores,
    Of(LaneId),
}

/// Lanes that are ready and were passed over.
fn starved(view: View<'_>) -> BTreeMap<LaneId, Starved> {
    let mut ready: Vec<_> = view.lanes().filter_map(|lane| ready_for(&lane)).collect();
    let Some(first) = ready.iter().map(|(_, _, since, _)| *since).min() else {
        return BTreeMap::new();
    };
    // Who began to run since then, from the last to the first.
    let mut begun = Vec::new();
    for happened in view.log().events().take(view.index() as usize) {
        match happened.event {
            Event::Enter {
                lane,
                state: State::Running,
            } if happened.at >= first => begun.push((happened.at, lane)),
            _ => {}
        }
    }
    ready.sort_by_key(|(lane, _, since, _)| (std::cmp::Reverse(*since), *lane));
    let mut begun = begun.into_iter().rev().peekable();
    let mut n_turns: BTreeMap<LaneId, u32> = BTreeMap::new();
    let mut most: BTreeMap<Resource, (u32, LaneId)> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (lane, cause, since, resource) in ready {
        while let Some((_, other)) = begun.next_if(|(at, _)| *at >= since) {
            let n_turns = n_turns.entry(other).or_default();
            *n_turns += 1;
            for resource in resources_of(view, other) {
                let most = most.entry(resource).or_insert((0, other));
                if *n_turns > most.0 {
                    *most = (*n_turns, other);
                }
            }
        }
        if let Some((n_times, by)) = most.get(&resource).filter(|(n_times, _)| *n_times >= PASSED_OVER) {
            found.insert(
                lane,
                Starved {
                    lane,
                    cause,
                    since,
                    by: *by,
                    n_times: *n_times,
                },
            );
        }
    }
    found
}

fn ready_for(lane: &LaneView<'_>) -> Option<(LaneId, ReadyCause, Nanoseconds, Resource)> {
    let Some(State::Ready(cause)) = lane.state else {
        return None;
    };
    let resource = match cause {
        ReadyCause::Core => Resource::Cores,
        ReadyCause::Turn | ReadyCause::InterpreterLock => Resource::Of(lane.parent?),
    };
    is_actor(lane.kind).then_some((lane.lane, cause, lane.since, resource))
}

/// What a lane that began to run had got: of a task its loop's turn, of a thread a core and its interpreter.
fn resources_of(view: View<'_>, lane: LaneId) -> Vec<Resource> {
    let Some(made) = view.log().made(lane) else {
        return Vec::new();
    };
    let of_parent = made.parent.map(Resource::Of);
    match made.kind {
        LaneKind::Task => of_parent.into_iter().collect(),
        LaneKind::Thread => of_parent.into_iter().chain([Resource::Cores]).collect(),
        _ => Vec::new(),
    }
}
