//! Computing: how long it takes on this core, splitting it exactly, and the interpreter lock along the way.
//!
//! Work is kept in millionths of a nanosecond of a free core, so that at any speed of whole millionths what was done in
//! a whole number of nanoseconds is a whole number: nothing is lost by splitting. Worked example: 1,000 ns at 650,000
//! millionths take 1,539 ns; interrupted after 100 ns, 65 ns of it are done and 935 are left.
//!
//! Not here: who gets a core and when.

use super::cores::FULL_SPEED;
use super::events::Event;
use super::thread::{Phase, Thread, Work, WorkKind};
use super::{Machine, ThreadId};
use crate::machine::program::Computing;
use crate::machine::{Input, Nanoseconds, Value};

/// What a thread does of its own before it lets go of the interpreter lock again: some loops' length between check points.
const AT_LEAST: Nanoseconds = Nanoseconds(1_000);

impl Work {
    /// How long what is left takes at a speed, rounded up to whole nanoseconds.
    #[inline]
    fn span(&self, rate: u32) -> Nanoseconds {
        if rate == FULL_SPEED && self.left == u128::from(self.cost.0) * u128::from(FULL_SPEED) {
            return self.cost;
        }
        let rate = u128::from(rate.max(1));
        Nanoseconds(u64::try_from(self.left.div_ceil(rate)).unwrap_or(u64::MAX))
    }
}

impl Machine {
    /// The acting thread begins to compute; true if that is over already, and the clock has moved.
    #[inline]
    pub(super) fn begin_work(&mut self, thread: ThreadId, cost: Nanoseconds, kind: WorkKind) -> bool {
        if cost == Nanoseconds::ZERO {
            return true;
        }
        let worker = self.thread(thread);
        let Phase::Running(core) = worker.phase else {
            return false;
        };
        let interpreter = worker.interpreter;
        let rate = self.cores.core(core).rate;
        if rate == FULL_SPEED && self.agenda.is_empty() {
            // A computing that ends before anything else happens moves the clock by itself.
            let end = self.now + cost;
            let is_alone = end < self.events.next_at() && end <= self.horizon;
            if is_alone && !self.lock_is_asked_for(interpreter, kind) {
                self.now = end;
                let used = &mut self.thread_mut(thread).used;
                match kind {
                    WorkKind::Program(_) => used.computed += cost,
                    WorkKind::Overhead => used.overhead += cost,
                }
                return true;
            }
        }
        self.thread_mut(thread).work = Work {
            left: u128::from(cost.0) * u128::from(FULL_SPEED),
            cost,
            kind,
            is_begun: true,
            ..Work::default()
        };
        self.go_on_working(thread);
        false
    }

    /// The acting thread goes on with what it was computing.
    pub(super) fn go_on_working(&mut self, thread: ThreadId) {
        let worker = self.thread(thread);
        let (interpreter, kind) = (worker.interpreter, worker.work.kind);
        if worker.work.left == 0 {
            // It lost its core in the nanosecond of its end.
            if self.compute_end(thread) {
                self.agenda.push_back(thread);
            }
            return;
        }
        match kind {
            WorkKind::Program(Computing::Bytecode)
                if self.is_drop_requested(interpreter) && self.now >= worker.work.keeps_lock_until =>
            {
                self.hand_over(thread);
                return;
            }
            WorkKind::Program(Computing::ReleasesLock) if self.holds_lock(thread) => {
                self.thread_mut(thread).work.has_released = true;
                self.release_lock(thread, false);
            }
            WorkKind::Program(_) | WorkKind::Overhead => {}
        }
        self.start_clock(thread);
    }

    /// Puts the end of a thread's work on its core among the events.
    fn start_clock(&mut self, thread: ThreadId) {
        let now = self.now;
        let Phase::Running(core) = self.thread(thread).phase else {
            return;
        };
        let rate = self.cores.core(core).rate;
        let worker = self.thread_mut(thread);
        worker.work.since = now;
        worker.work.rate = rate;
        worker.epoch = worker.epoch.wrapping_add(1);
        let (end, epoch) = (now + worker.work.span(rate), worker.epoch);
        self.events.add(end, Event::ComputeEnd(thread, epoch));
    }

    /// Counts what a thread has done of its work so far; the rest waits.
    pub(super) fn stop_clock(&mut self, thread: ThreadId) {
        let now = self.now;
        let work = &mut self.thread_mut(thread).work;
        if work.rate > 0 {
            let done = u128::from(now.since(work.since).0) * u128::from(work.rate);
            // Rounding up the end may count a last part of a nanosecond that was not needed.
            work.left = work.left.saturating_sub(done);
            work.rate = 0;
        }
    }

    /// The speed of a thread's core has changed.
    pub(super) fn time_anew(&mut self, thread: ThreadId) {
        if self.thread(thread).work.rate > 0 {
            self.stop_clock(thread);
            self.start_clock(thread);
        }
    }

    /// A thread's computing is over: true if it is to be asked for more at once, which the caller sees to.
    pub(super) fn compute_end(&mut self, thread: ThreadId) -> bool {
        let worker = self.thread_mut(thread);
        worker.work.rate = 0;
        worker.finish_work();
        let goes_on = !worker.work.has_released;
        if !goes_on {
            self.want_lock_on_core(thread);
        }
        goes_on
    }
}

impl Thread {
    /// All of the present work is done.
    fn finish_work(&mut self) {
        self.work.left = 0;
        self.work.is_begun = false;
        match self.work.kind {
            WorkKind::Program(_) => {
                self.used.computed += self.work.cost;
                self.input = Input::Value(Value::None);
            }
            WorkKind::Overhead => self.used.overhead += self.work.cost,
        }
    }

    /// What a thread owes is done before its present work, as a part of it. It keeps the lock for that long and a little
    /// longer: with a switch interval shorter than a switch takes, nobody would get anywhere.
    pub(super) fn owe_before_work(&mut self, now: Nanoseconds, rate: u32) {
        let owed = std::mem::take(&mut self.owed);
        let takes = u128::from(owed.0) * u128::from(FULL_SPEED) / u128::from(rate.max(1));
        let takes = Nanoseconds(u64::try_from(takes).unwrap_or(u64::MAX));
        self.work.keeps_lock_until = now + takes + AT_LEAST;
        self.work.left += u128::from(owed.0) * u128::from(FULL_SPEED);
        self.used.overhead += owed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_holds() {
        let mut work = Work {
            left: 1000 * u128::from(FULL_SPEED),
            cost: Nanoseconds(1000),
            ..Work::default()
        };
        assert_eq!(work.span(650_000), Nanoseconds(1539));
        assert_eq!(work.span(FULL_SPEED), Nanoseconds(1000));
        work.left -= 100 * 650_000;
        assert_eq!(work.left, 935 * u128::from(FULL_SPEED));
        assert_eq!(work.span(FULL_SPEED), Nanoseconds(935));
    }
}
