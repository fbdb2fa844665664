//! The one place where a run is written down; every call is nothing where the run is not traced.
//!
//! Each call that changes something is one event. A state entered again, a line, call or counter said again is none.
//!
//! What the readers of a log take for granted:
//!
//! * A lane gets its first state at the time of its making, and no event after the state that ends it.
//! * A task's parent is its loop, a loop's its thread, a thread's its interpreter, an interpreter's its process.
//! * A task is `Running` from [`run_next`](Recorder::run_next) to its next `await`, also while its whole thread waits. A
//!   loop is `Running` as long as it has callbacks and `Waiting` while it sleeps; its thread alone tells of cores and of
//!   the interpreter lock.
//! * `Waiting` for tasks or a thread is followed by [`awaits`](Recorder::awaits) for each of them; `Blocked` names the
//!   holder, and is entered again when another holds.
//!
//! Not here: what is made of the log (`Timeline`, spans, exports, diagnoses).

use std::collections::BTreeMap;

use super::event::AccessKind;
use super::form::Before;
use super::log::Log;
use super::packed::PackedState;
use super::texts::{Known, TextId};
use super::{CounterKind, Instant, LaneId, LaneKind, State};
use crate::machine::program::{Access, CellId};
use crate::machine::{Nanoseconds, Value};

/// How much is written down at the most. Whatever comes first ends the writing; the run itself goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Events. A span takes at least one, so there are never more spans than this and the lanes.
    pub max_events: u32,
    /// Bytes of memory for events, lanes and texts.
    pub max_bytes: usize,
    /// Whether the machine is asked to end the run there, see [`Recorder::wants_stop`].
    pub stops: bool,
}

impl Default for Limits {
    /// 60 million events in 384 MiB, which leaves room for the machine and for going back within 1 GiB; the run goes on.
    fn default() -> Self {
        Self {
            max_events: 60_000_000,
            max_bytes: 384 << 20,
            stops: false,
        }
    }
}

/// Writes down a run, or nothing.
#[derive(Debug, Default)]
pub struct Recorder {
    writer: Option<Box<Writer>>,
    lanes: u32,
    /// The log of a run that went past its limits.
    full: Option<Box<Writer>>,
}

/// The log with what is needed to tell a change from a repetition.
#[derive(Debug, Default)]
struct Writer {
    log: Log,
    limits: Limits,
    lanes: Vec<Latest>,
    counters: BTreeMap<(LaneId, CounterKind), u64>,
    known: Known,
}

/// What a lane was last said to be.
#[derive(Clone, Copy, Debug)]
struct Latest {
    state: PackedState,
    call: TextId,
    line: u32,
}

impl Recorder {
    /// One that writes nothing down: lanes get numbers, and that is all.
    #[must_use]
    pub fn off() -> Self {
        Self::default()
    }

    /// One that writes everything down, within the default [`Limits`].
    #[must_use]
    pub fn on() -> Self {
        Self::within(Limits::default())
    }

    /// One that writes everything down as long as there is room.
    #[must_use]
    pub fn within(limits: Limits) -> Self {
        let writer = Writer {
            limits,
            ..Writer::default()
        };
        Self {
            writer: Some(Box::new(writer)),
            ..Self::default()
        }
    }

    /// Whether anything is written down: ask before making a costly name.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.writer.is_some()
    }

    /// Whether the limits were reached and say that the run should end: an explained result, not a failure.
    #[must_use]
    pub fn wants_stop(&self) -> bool {
        self.full.as_ref().is_some_and(|full| full.limits.stops)
    }

    /// What is written down so far; none where nothing ever was.
    #[must_use]
    pub fn log(&self) -> Option<&Log> {
        let writer = self.writer.as_ref().or(self.full.as_ref());
        writer.map(|writer| &writer.log)
    }

    /// The log of a run that ended now; none where nothing was written down.
    #[must_use]
    pub fn finish(self, now: Nanoseconds) -> Option<Log> {
        let mut writer = self.writer.or(self.full)?;
        writer.log.finish(now);
        Some(writer.log)
    }

    /// A new lane; its first state follows by [`enter`](Self::enter) at the same time.
    pub fn lane(
        &mut self,
        now: Nanoseconds,
        kind: LaneKind,
        parent: Option<LaneId>,
        name: impl FnOnce() -> String,
    ) -> LaneId {
        let lane = LaneId(self.lanes);
        self.lanes += 1;
        if let Some(writer) = self.writer(now) {
            writer.log.next_lane(now, kind, parent, &name());
            writer.lanes.push(Latest {
                state: PackedState::NONE,
                call: TextId::default(),
                line: 0,
            });
        }
        lane
    }

    /// A lane has another name. It is shown under it from its beginning: a name is for finding a lane again.
    pub fn rename(&mut self, now: Nanoseconds, lane: LaneId, name: impl FnOnce() -> String) {
        if let Some(writer) = self.writer(now) {
            writer.log.rename(now, lane, &name());
        }
    }

    /// A lane's state from now on. After an end there is no other.
    #[inline(always)]
    pub fn enter(&mut self, now: Nanoseconds, lane: LaneId, state: State) {
        if self.is_on() {
            self.write_enter(now, lane, state);
        }
    }

    fn write_enter(&mut self, now: Nanoseconds, lane: LaneId, state: State) {
        let Some(writer) = self.writer(now) else { return };
        let state = PackedState::new(state);
        let Some(latest) = writer.lanes.get_mut(lane.0 as usize) else {
            return;
        };
        debug_assert!(!latest.state.is_end() || latest.state == state, "{lane:?} has ended");
        if latest.state != state {
            latest.state = state;
            let (bytes, before) = writer.log.next(now);
            before.put_enter(bytes, now, lane, state);
        }
    }

    /// What a lane does until told otherwise: the name of a call.
    #[inline]
    pub fn doing(&mut self, now: Nanoseconds, lane: LaneId, call: &'static str) {
        let Some(writer) = self.writer(now) else { return };
        let call = writer.known.call(&mut writer.log.texts, call);
        let Some(latest) = writer.lanes.get_mut(lane.0 as usize) else {
            return;
        };
        if latest.call != call {
            latest.call = call;
            let (bytes, before) = writer.log.next(now);
            before.put_doing(bytes, now, lane, call);
        }
    }

    /// A lane is at this line of its source.
    #[inline]
    pub fn line(&mut self, now: Nanoseconds, lane: LaneId, line: u32) {
        let Some(writer) = self.writer(now) else { return };
        let Some(latest) = writer.lanes.get_mut(lane.0 as usize) else {
            return;
        };
        if latest.line != line {
            latest.line = line;
            let (bytes, before) = writer.log.next(now);
            before.put_line(bytes, now, lane, line);
        }
    }

    /// The one lane makes the other go on.
    #[inline]
    pub fn wake(&mut self, now: Nanoseconds, from: LaneId, to: LaneId) {
        self.put(now, |bytes, before| before.put_wake(bytes, now, from, to));
    }

    /// A lane that has just entered `Waiting` cannot go on without this one: once for each task that it awaits (all of a
    /// gather's or a group's), or for the thread that it joins. Holds until the lane's next state. Whom a *blocked* lane
    /// waits for is said by its state.
    #[inline]
    pub fn awaits(&mut self, now: Nanoseconds, lane: LaneId, on: LaneId) {
        self.put(now, |bytes, before| before.put_awaits(bytes, now, lane, on));
    }

    /// A counter of a lane (loop, pool's process, endpoint's process) has a new value.
    #[inline]
    pub fn count(&mut self, now: Nanoseconds, lane: LaneId, counter: CounterKind, value: u64) {
        let Some(writer) = self.writer(now) else { return };
        if writer.counters.insert((lane, counter), value) != Some(value) {
            let (bytes, before) = writer.log.next(now);
            before.put_count(bytes, now, lane, counter, value);
        }
    }

    /// A moment.
    #[inline]
    pub fn instant(&mut self, now: Nanoseconds, lane: LaneId, instant: Instant, label: impl FnOnce() -> String) {
        let Some(writer) = self.writer(now) else { return };
        let label = writer.known.text(&mut writer.log.texts, &label());
        let (bytes, before) = writer.log.next(now);
        before.put_instant(bytes, now, lane, instant, label);
    }

    /// A lane touched a shared cell, which now has this value.
    #[inline]
    pub fn access(&mut self, now: Nanoseconds, lane: LaneId, cell: CellId, access: &Access, value: &Value) {
        let kind = match access {
            Access::Read(_) => AccessKind::Read,
            Access::Write(..) => AccessKind::Write,
            Access::Add(..) => AccessKind::Add,
            Access::CompareAndSwap(..) => AccessKind::CompareAndSwap,
        };
        self.put(now, |bytes, before| {
            before.put_access(bytes, now, lane, cell, (kind, value))
        });
    }

    /// A loop's ready queue got a callback at its end; of a task's, or of something else.
    #[inline]
    pub fn ready(&mut self, now: Nanoseconds, event_loop: LaneId, task: Option<LaneId>) {
        self.put(now, |bytes, before| before.put_ready(bytes, now, event_loop, task));
    }

    /// A loop's ready queue lost its first callback: it runs now.
    #[inline(always)]
    pub fn run_next(&mut self, now: Nanoseconds, event_loop: LaneId) {
        self.put(now, |bytes, before| before.put_run_next(bytes, now, event_loop));
    }

    /// A loop's timer heap got a timer.
    #[inline]
    pub fn timer(&mut self, now: Nanoseconds, event_loop: LaneId, due: Nanoseconds, number: u64, task: Option<LaneId>) {
        self.put(now, |bytes, before| {
            before.put_timer(bytes, now, event_loop, (due, number, task))
        });
    }

    /// A loop's timer heap lost this timer: due, cancelled or swept.
    #[inline(always)]
    pub fn timer_gone(&mut self, now: Nanoseconds, event_loop: LaneId, number: u64) {
        self.put(now, |bytes, before| {
            before.put_timer_gone(bytes, now, event_loop, number)
        });
    }

    /// Writes an event that is always a change.
    #[inline(always)]
    fn put(&mut self, now: Nanoseconds, put: impl FnOnce(&mut Vec<u8>, &mut Before)) {
        if self.is_on() {
            self.write(now, put);
        }
    }

    #[inline]
    fn write(&mut self, now: Nanoseconds, put: impl FnOnce(&mut Vec<u8>, &mut Before)) {
        if let Some(writer) = self.writer(now) {
            let (bytes, before) = writer.log.next(now);
            put(bytes, before);
        }
    }

    /// The writer, where there is one and room for another event.
    #[inline]
    fn writer(&mut self, now: Nanoseconds) -> Option<&mut Writer> {
        if self.writer.as_ref()?.is_full() {
            self.end_writing(now);
        }
        self.writer.as_deref_mut()
    }

    #[cold]
    fn end_writing(&mut self, now: Nanoseconds) {
        self.full = self.writer.take();
        if let Some(full) = &mut self.full {
            full.log.truncate(now);
        }
    }
}

impl Writer {
    #[inline]
    fn is_full(&self) -> bool {
        self.log.n_events() >= self.limits.max_events || self.log.n_bytes() > self.limits.max_bytes
    }
}
