//! Cores: who has one, who waits for one, how long a slice is and how fast a core is.
//!
//! Worked example, one core, slices of 3 ms, A computing 4 ms and B 2 ms: A has the core from 0, B comes at 1 ms and
//! waits; at 3 ms A's slice is over and B has the core until it ends at 5 ms; A computes its last millisecond until 6.
//! A thread that has used its slice up while nobody waited gives way as soon as somebody does.
//!
//! Two logical cores of one physical core are both slower while both are busy, and so may all cores be while many are
//! busy; what is being computed is timed anew, exactly, when that changes.
//!
//! Not here: the interpreter lock; a thread asks for a core when it has everything else.

use std::collections::VecDeque;

use super::events::Event;
use super::thread::Phase;
use super::{Costs, Machine, MachineSettings, ThreadId};
use crate::machine::Nanoseconds;
use crate::machine::trace::{LaneId, LaneKind, Recorder, State};

/// A core that runs at full speed, in millionths.
pub(super) const FULL_SPEED: u32 = 1_000_000;

#[derive(Debug)]
pub(super) struct Core {
    pub lane: LaneId,
    pub running: Option<ThreadId>,
    /// Who ran here last, for the cost of a switch.
    last: Option<ThreadId>,
    /// When the running thread has had its slice.
    slice_end: Nanoseconds,
    /// Whether the end of the slice is among the events.
    is_slice_set: bool,
    /// How fast it is now.
    pub rate: u32,
}

#[derive(Debug)]
pub(super) struct Cores {
    pub cores: Vec<Core>,
    physical: usize,
    /// Threads that have everything but a core, in the order of their coming.
    pub queue: VecDeque<ThreadId>,
    /// How many times a thread got a core.
    pub turns: u64,
    /// Whether the speed of a core depends on the others.
    speed_varies: bool,
}

impl Cores {
    pub fn new(settings: &MachineSettings, recorder: &mut Recorder) -> Self {
        let physical = settings.cores.max(1);
        let logical = settings.logical_cores.max(physical);
        let cores = (0..logical).map(|number| {
            let lane = recorder.lane(Nanoseconds::ZERO, LaneKind::Core, None, || format!("core {number}"));
            recorder.enter(Nanoseconds::ZERO, lane, State::Idle);
            Core {
                lane,
                running: None,
                last: None,
                slice_end: Nanoseconds::ZERO,
                is_slice_set: false,
                rate: FULL_SPEED,
            }
        });
        let costs = &settings.costs;
        Self {
            cores: cores.collect(),
            physical: physical as usize,
            queue: VecDeque::new(),
            turns: 0,
            speed_varies: costs.all_cores_permille != 1000 || (logical > physical && costs.sibling_permille != 1000),
        }
    }

    #[inline(always)]
    pub fn core(&self, number: u32) -> &Core {
        self.cores
            .get(number as usize)
            .expect("a running thread's core is one of the machine's")
    }

    #[inline(always)]
    fn core_mut(&mut self, number: u32) -> &mut Core {
        self.cores
            .get_mut(number as usize)
            .expect("a running thread's core is one of the machine's")
    }

    /// The free core that suits a thread best: its last one if no sibling is busy there, else the first without a busy
    /// sibling, else its last one, else the first.
    fn free_core(&self, last: Option<u32>) -> Option<u32> {
        let is_free = |number: u32| self.core(number).running.is_none();
        let last = last.filter(|number| is_free(*number));
        if let Some(number) = last
            && !self.has_busy_sibling(number as usize)
        {
            return Some(number);
        }
        let mut free = (0..self.cores.len() as u32).filter(|number| is_free(*number));
        if self.cores.len() == self.physical {
            return free.next();
        }
        let first = free.clone().next();
        free.find(|number| !self.has_busy_sibling(*number as usize))
            .or(last)
            .or(first)
    }

    fn has_busy_sibling(&self, number: usize) -> bool {
        let mut siblings = self.cores.iter().skip(number % self.physical).step_by(self.physical);
        let own = number / self.physical;
        siblings.by_ref().take(own).any(|core| core.running.is_some())
            || siblings.skip(1).any(|core| core.running.is_some())
    }

    /// Sets every core's speed; gives the threads on those that changed.
    fn set_speeds(&mut self, costs: &Costs) -> Vec<ThreadId> {
        let busy = (0..self.physical)
            .filter(|first| {
                let mut siblings = self.cores.iter().skip(*first).step_by(self.physical);
                siblings.any(|core| core.running.is_some())
            })
            .count() as u32;
        let loss = 1000_u32.saturating_sub(costs.all_cores_permille);
        let others = self.physical as u32 - 1;
        let turbo = 1000 - (loss * busy.saturating_sub(1)).checked_div(others).unwrap_or(0);
        let mut changed = Vec::new();
        for number in 0..self.cores.len() {
            let shared = if self.has_busy_sibling(number) {
                costs.sibling_permille
            } else {
                1000
            };
            let rate = (turbo * shared).max(1);
            let core = self.core_mut(number as u32);
            if core.rate != rate {
                core.rate = rate;
                changed.extend(core.running);
            }
        }
        changed
    }
}

impl Machine {
    /// The thread has everything but a core: it gets one that is free, or waits for its turn.
    pub(super) fn want_core(&mut self, thread: ThreadId) {
        let last = self.thread(thread).last_core;
        if let Some(core) = self.cores.free_core(last) {
            self.place(thread, core);
            return;
        }
        self.enter(thread, Phase::NeedsCore);
        self.cores.queue.push_back(thread);
        self.set_slice_ends();
    }

    /// Gives a thread a free core.
    fn place(&mut self, thread: ThreadId, number: u32) {
        let full_slice = self.settings.costs.time_slice.0.max(1);
        let is_first = self.thread(thread).last_core.is_none();
        let slice = if is_first && self.settings.costs.core_phase {
            1 + self.random.below(full_slice)
        } else {
            full_slice
        };
        let now = self.now;
        let core = self.cores.core_mut(number);
        let is_switch = core.last != Some(thread);
        core.running = Some(thread);
        core.last = Some(thread);
        core.slice_end = now + Nanoseconds(slice);
        let lane = core.lane;
        self.cores.turns += 1;
        self.recorder.enter(now, lane, State::Running);
        let context_switch = self.settings.costs.context_switch;
        let placed = self.thread_mut(thread);
        placed.last_core = Some(number);
        if is_switch {
            placed.owed += context_switch;
        }
        self.enter(thread, Phase::Running(number));
        self.agenda.push_back(thread);
        self.speeds_changed();
        if !self.cores.queue.is_empty() {
            self.set_slice_ends();
        }
    }

    /// The thread, which is on a core, leaves it to the next that waits for one. The caller says where it goes.
    pub(super) fn leave_core(&mut self, thread: ThreadId) {
        let Phase::Running(number) = self.thread(thread).phase else {
            return;
        };
        self.stop_clock(thread);
        let now = self.now;
        let core = self.cores.core_mut(number);
        core.running = None;
        let lane = core.lane;
        if let Some(next) = self.cores.queue.pop_front() {
            self.place(next, number);
        } else {
            self.recorder.enter(now, lane, State::Idle);
            self.speeds_changed();
        }
    }

    /// A slice is over: who waits for a core has this one, and the thread waits behind all others.
    pub(super) fn slice_over(&mut self, number: u32) {
        let now = self.now;
        let core = self.cores.core_mut(number);
        core.is_slice_set = false;
        let Some(thread) = core.running else { return };
        if self.cores.queue.is_empty() {
            return;
        }
        if self.cores.core(number).slice_end > now {
            // The core has gone to another thread since this was set.
            self.set_slice_ends();
            return;
        }
        self.give_way(thread);
    }

    /// The thread, which is on a core, leaves it to the first that waits, and waits behind all others.
    pub(super) fn give_way(&mut self, thread: ThreadId) {
        self.leave_core(thread);
        self.enter(thread, Phase::NeedsCore);
        self.cores.queue.push_back(thread);
        self.set_slice_ends();
    }

    /// A loop's thread waits for this time, and nothing at all happens before: the clock is set, without the thread leaving
    /// its core and coming back. False where that would not be the same. Only untraced, for a trace shows the waiting.
    pub(super) fn passes_alone(&mut self, thread: ThreadId, time: Nanoseconds) -> bool {
        let interpreter = self.thread(thread).interpreter;
        let is_alone = self.agenda.is_empty()
            && self.woken.is_empty()
            && self.cores.queue.is_empty()
            && self.interpreter(interpreter).lock.waiters.is_empty()
            && self.events.next_at() > time
            && time <= self.horizon;
        let is_plain =
            !self.recorder.is_on() && !self.cores.speed_varies && self.settings.costs.timer_slack == Nanoseconds::ZERO;
        // Each such wait is an event of the slice, and of the budget.
        let n_events = self.n_events + 1;
        let is_within = n_events < self.last_event && self.steps.saturating_add(n_events) < self.settings.limits.steps;
        if !is_alone || !is_plain || !is_within {
            return false;
        }
        let Phase::Running(number) = self.thread(thread).phase else {
            return false;
        };
        let (now, slice) = (self.now, self.settings.costs.time_slice.0.max(1));
        self.n_events = n_events;
        self.cores.turns += 1;
        self.cores.core_mut(number).slice_end = time + Nanoseconds(slice);
        self.interpreter_mut(interpreter).lock.drop_requested = false;
        let waited = self.thread_mut(thread);
        waited.used.on_core += now.since(waited.since);
        waited.since = time;
        waited.epoch = waited.epoch.wrapping_add(2);
        self.now = time;
        true
    }

    /// While threads wait for a core, every busy core's slice has an end; the longest overdue comes first.
    fn set_slice_ends(&mut self) {
        let mut due: Vec<(Nanoseconds, u32)> = Vec::new();
        for (core, number) in self.cores.cores.iter_mut().zip(0..) {
            if core.running.is_some() && !core.is_slice_set {
                core.is_slice_set = true;
                due.push((core.slice_end, number));
            }
        }
        due.sort_unstable();
        for (slice_end, number) in due {
            self.events.add(slice_end.max(self.now), Event::Slice(number));
        }
    }

    /// A core became busy or free: what is computed at another speed from now on is timed anew.
    fn speeds_changed(&mut self) {
        if self.cores.speed_varies {
            for thread in self.cores.set_speeds(&self.settings.costs) {
                self.time_anew(thread);
            }
        }
    }
}
