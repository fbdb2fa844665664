//! The event loop of the model on the real clock, and the programs that run on it here and there.
//!
//! It is the machine's own loop ([`crate::machine::event_loop`]), driven by a worker: [`Program::turn`] runs one
//! iteration and says when the next is due; whoever drives it sleeps, and hands calls to other workers. What a program
//! asks of its thread is done for real: it blocks and computes.
//!
//! Not here: a browser's timers; and locks, processes and networks of threads, which only the machine has.

mod calls;
pub mod heartbeat;
pub mod scenes;
pub mod waits;

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use super::Host;
use crate::machine::event_loop::{Complaint, EventLoop, Fault, LoopSettings, NextWake};
use crate::machine::front::Here;
use crate::machine::threads::{ExecutorId, PoolCall, ThreadCall, Work};
use crate::machine::trace::Recorder;
use crate::machine::{Effect, Exception, Input, Kind, Nanoseconds, Value};
use crate::wire::{
    JobOutcome, LogLine, LoopTurn, Sabotage, Scene, SlowStep, StallJob, StallSeen, StallVariant, WaitsJob,
};
use calls::Calls;

/// A step at least this long is written down as slow.
const SLOW: Nanoseconds = Nanoseconds::millis(50);
const NANOSECONDS_PER_MS: f64 = 1e6;

/// A program on a loop of its own.
pub struct Program {
    event_loop: EventLoop,
    recorder: Recorder,
    host: Host,
    /// When the first turn began.
    started_ms: Option<f64>,
    calls: Calls,
    /// Whether nothing is left on the loop; calls may still run.
    is_over: bool,
    seen: Seen,
    outcome: Option<JobOutcome>,
}

/// What the program writes down.
enum Seen {
    Stall(Rc<RefCell<StallSeen>>),
    Scene(Rc<RefCell<Vec<LogLine>>>, Option<Sabotage>),
    /// Nothing but the time.
    Waits,
}

impl Program {
    /// The heartbeat, made and not started: times count from the first turn. At most `callers` calls are with other
    /// workers at a time; further ones wait their turn.
    ///
    /// # Panics
    /// The job hands calls over and there is nobody to take them, a bug of the caller.
    #[must_use]
    pub fn new(job: StallJob, callers: u32, host: Host) -> Self {
        let hands_over = match job.variant {
            StallVariant::ToThread
            | StallVariant::OwnTimeout
            | StallVariant::ComputeToThread
            | StallVariant::ComputeProcesses => job.sabotage != Some(Sabotage::ToThreadThatBlocks),
            StallVariant::Blocking
            | StallVariant::Slices
            | StallVariant::ComputeInline
            | StallVariant::HandlersBlocking
            | StallVariant::HandlersAwaiting => false,
        };
        assert!(
            callers > 0 || !hands_over,
            "{:?} hands its call over and needs at least one caller",
            job.variant
        );
        let seen = Rc::default();
        let main = heartbeat::program(&Here::new(), job, &seen);
        Self::of(main, Seen::Stall(seen), None, callers, host)
    }

    /// A scene, made and not started.
    #[must_use]
    pub fn scene(scene: Scene, sabotage: Option<Sabotage>, host: Host) -> Self {
        let log = Rc::default();
        let main = scenes::program(&Here::new(), scene, sabotage, &log);
        Self::of(main, Seen::Scene(log, sabotage), scenes::loop_fault(sabotage), 0, host)
    }

    /// Jobs that wait and compute, made and not started.
    #[must_use]
    pub fn waits(job: WaitsJob, host: Host) -> Self {
        let main = waits::program(&Here::new(), job);
        Self::of(main, Seen::Waits, None, 0, host)
    }

    fn of(main: Box<dyn crate::machine::Program>, seen: Seen, fault: Option<Fault>, callers: u32, host: Host) -> Self {
        let mut event_loop = EventLoop::new(LoopSettings {
            debug: true,
            slow_callback_duration: SLOW,
            fault,
            ..LoopSettings::default()
        });
        event_loop.start(main);
        Self {
            event_loop,
            recorder: Recorder::off(),
            host,
            started_ms: None,
            calls: Calls::new(callers),
            is_over: false,
            seen,
            outcome: None,
        }
    }

    /// One iteration of the loop: runs what is ready, says what it waits for. After the end it only repeats the
    /// outcome.
    pub fn turn(&mut self) -> LoopTurn {
        let wake_after_ms = if self.is_over { None } else { self.iterate() };
        // As a Python does when it exits: the program ends with its main task and with the calls it has made.
        if self.is_over && self.outcome.is_none() && self.calls.is_empty() {
            self.outcome = Some(self.end());
        }
        LoopTurn {
            calls: self.calls.take_handed(),
            wake_after_ms,
            outcome: self.outcome.clone(),
        }
    }

    /// A call handed over has ended; the next turn sees it. A turn is due at once.
    pub fn answered(&mut self, id: u32, _outcome: JobOutcome) {
        self.calls.answered(id);
    }

    /// One iteration; when the next is due, or none: only when a call is answered.
    fn iterate(&mut self) -> Option<f64> {
        loop {
            for post in self.calls.take_posts() {
                self.event_loop.post(post);
            }
            let now = self.now();
            match self.event_loop.turn(now, &mut self.recorder) {
                NextWake::AfterEffect(effect) => {
                    let input = self.perform(effect);
                    self.event_loop.answer(input);
                }
                NextWake::Now => return Some(0.0),
                NextWake::At(when) => return Some(when.since(self.now()).as_millis()),
                NextWake::WhenPosted => return None,
                NextWake::Ended(_) | NextWake::Exceeded(_) => {
                    self.is_over = true;
                    return None;
                }
            }
        }
    }

    /// Does what a program asks of its thread.
    fn perform(&mut self, effect: Effect) -> Input {
        match effect {
            Effect::Compute(compute) => self.host.compute(compute.cost.as_millis()),
            Effect::CheckPoint(_) => {}
            Effect::Thread(ThreadCall::Sleep(delay)) => self.host.block(delay.as_millis()),
            Effect::Thread(ThreadCall::TakeBack(future)) => {
                return Input::Value(Value::Bool(self.calls.take_back(future)));
            }
            // All calls go to the same workers, whatever pool they are for.
            Effect::Thread(ThreadCall::Pool(PoolCall::New(_))) => return Input::Value(ExecutorId(0).into()),
            Effect::Thread(ThreadCall::Pool(PoolCall::Submit(submit))) => match submit.work {
                Work::One(program) => self.calls.submit(program, submit.answer_to),
                Work::Chunk(_) => return not_here(),
            },
            Effect::Thread(ThreadCall::Pool(PoolCall::Shutdown(shutdown))) => {
                if let Some(future) = shutdown.answer_to {
                    self.calls.tell_at_the_end(future);
                }
            }
            _ => return not_here(),
        }
        Input::Value(Value::None)
    }

    fn end(&self) -> JobOutcome {
        let now = self.now_ms();
        match &self.seen {
            Seen::Stall(seen) => {
                let mut seen = seen.borrow().clone();
                seen.program_ended_ms = now;
                seen.slow_steps = self.event_loop.complaints().iter().filter_map(slow_step).collect();
                JobOutcome::Stalled(seen)
            }
            Seen::Scene(log, sabotage) => JobOutcome::Played {
                elapsed_ms: now,
                log: scenes::whole_log(&log.borrow(), self.event_loop.complaints(), now, *sabotage),
            },
            Seen::Waits => JobOutcome::Played {
                elapsed_ms: now,
                log: Vec::new(),
            },
        }
    }

    /// The loop's clock: it starts with the first turn.
    fn now(&mut self) -> Nanoseconds {
        if self.started_ms.is_none() {
            self.started_ms = Some(self.host.now());
        }
        Nanoseconds((self.now_ms() * NANOSECONDS_PER_MS).round().max(0.0) as u64)
    }

    fn now_ms(&self) -> f64 {
        self.started_ms.map_or(0.0, |started| self.host.now() - started)
    }
}

fn not_here() -> Input {
    let message = "a loop on the real clock has no threads, locks, cells and networks";
    Input::Throw(Exception::new(Kind::RuntimeError, message))
}

fn slow_step(complaint: &Complaint) -> Option<SlowStep> {
    let Complaint::Slow {
        name,
        doing,
        at,
        length,
        ..
    } = complaint
    else {
        return None;
    };
    Some(SlowStep {
        task: name.to_string(),
        call: (*doing).to_owned(),
        at_ms: at.as_millis(),
        length_ms: length.as_millis(),
    })
}

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Program")
            .field("event_loop", &self.event_loop)
            .field("calls", &self.calls)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
