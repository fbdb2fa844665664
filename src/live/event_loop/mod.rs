//! The event loop of the model on the real clock, and the programs that run on it here and there.
//!
//! It is the machine's own loop ([`crate::machine::event_loop`]), driven by a worker: [`Program::turn`] runs one
//! iteration and says when the next is due; whoever drives it sleeps, makes requests, and hands calls to other workers.
//! What a program asks of its thread is done for real: it blocks, computes and asks the slow API.
//!
//! Not here: a browser's timers and requests; and locks and processes of threads, which only the machine has.

mod calls;
mod clock;
pub mod fan_out;
pub mod heartbeat;
mod network;
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
    BatchHow, BatchJob, BatchSeen, JobOutcome, LogLine, LoopTurn, RequestEnd, Sabotage, Scene, SlowStep, StallJob,
    StallSeen, StallVariant, WaitsJob,
};
use calls::Calls;
use clock::Clock;
use fan_out::{Batch, Book};
use network::Network;

/// A step at least this long is written down as slow.
const SLOW: Nanoseconds = Nanoseconds::millis(50);

/// A program on a loop of its own.
pub struct Program {
    event_loop: EventLoop,
    recorder: Recorder,
    /// It starts with the first turn.
    clock: Clock,
    calls: Calls,
    network: Network,
    /// Whether nothing is left on the loop; calls may still run.
    is_over: bool,
    seen: Seen,
    outcome: Option<JobOutcome>,
}

/// What the program writes down.
enum Seen {
    Stall(Rc<RefCell<StallSeen>>),
    Scene(Rc<RefCell<Vec<LogLine>>>, Option<Sabotage>),
    Batch(Rc<Book>),
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

    /// A batch of requests, made and not started. At most `callers` calls are with other workers at a time.
    ///
    /// # Panics
    /// The job hands calls over and there is nobody to take them, a bug of the caller.
    #[must_use]
    pub fn batch(job: BatchJob, callers: u32, host: Host) -> Self {
        let hands_over = matches!(job.how, BatchHow::ToThread | BatchHow::GatherToThread);
        assert!(
            callers > 0 || !hands_over,
            "{:?} hands its calls over and needs at least one caller",
            job.how
        );
        let book = Rc::default();
        let main = fan_out::main(&Here::new(), Batch::from(&job), &book);
        let fault = scenes::loop_fault(job.sabotage);
        Self {
            network: Network::new(job.request, job.sabotage),
            ..Self::of(main, Seen::Batch(book), fault, callers, host)
        }
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
            clock: Clock::new(host),
            calls: Calls::new(callers),
            network: Network::unused(),
            is_over: false,
            seen,
            outcome: None,
        }
    }

    /// One iteration of the loop: runs what is ready, says what it waits for. After the end it only repeats the
    /// outcome.
    pub fn turn(&mut self) -> LoopTurn {
        let wake_after_ms = if self.is_over { None } else { self.iterate() };
        if self.network.passed_by() {
            // No other request would be answered: what is left of the batch is not worth making.
            self.calls.drop_queued();
            self.is_over = true;
        }
        // As a Python does when it exits: the program ends with its main task and with the calls it has made.
        if self.is_over && self.outcome.is_none() && self.calls.is_empty() {
            self.outcome = Some(self.end());
        }
        LoopTurn {
            calls: self.calls.take_handed(),
            requests: self.network.take_begun(),
            dropped: self.network.take_dropped(),
            wake_after_ms,
            outcome: self.outcome.clone(),
        }
    }

    /// A call handed over has ended; the next turn sees it. A turn is due at once.
    pub fn answered(&mut self, id: u32, outcome: JobOutcome) {
        self.calls.answered(id, outcome, &mut self.network, self.clock);
    }

    /// A request has ended that a turn had asked to begin; the next turn sees it. A turn is due at once.
    pub fn request_ended(&mut self, id: u32, end: RequestEnd) {
        self.network.ended(id, end, self.clock);
    }

    /// One iteration; when the next is due, or none: only when a call is answered.
    fn iterate(&mut self) -> Option<f64> {
        loop {
            for post in self.calls.take_posts().into_iter().chain(self.network.take_posts()) {
                self.event_loop.post(post);
            }
            let now = self.clock.start();
            match self.event_loop.turn(now, &mut self.recorder) {
                NextWake::AfterEffect(effect) => {
                    let input = self.perform(effect);
                    self.event_loop.answer(input);
                }
                NextWake::Now => return Some(0.0),
                NextWake::At(when) => return Some(when.since(self.clock.now()).as_millis()),
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
            Effect::Compute(compute) => self.clock.host.compute(compute.cost.as_millis()),
            Effect::CheckPoint(_) => {}
            Effect::Thread(ThreadCall::Sleep(delay)) => self.clock.host.block(delay.as_millis()),
            Effect::Thread(ThreadCall::TakeBack(future)) => {
                let was_open = self.calls.take_back(future) || self.network.take_back(future, self.clock);
                return Input::Value(Value::Bool(was_open));
            }
            Effect::Thread(ThreadCall::Now) => return self.clock.answer(),
            Effect::Thread(ThreadCall::Network(call)) => {
                return self.network.perform(call, self.clock).unwrap_or_else(not_here);
            }
            // All calls go to the same workers, whatever pool they are for.
            Effect::Thread(ThreadCall::Pool(PoolCall::New(_))) => return Input::Value(ExecutorId(0).into()),
            Effect::Thread(ThreadCall::Pool(PoolCall::Submit(submit))) => match submit.work {
                Work::One(program) => {
                    self.calls
                        .submit(program, submit.answer_to, &mut self.network, self.clock);
                }
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
        let now = self.clock.now_ms();
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
            Seen::Batch(book) => JobOutcome::Batched(BatchSeen {
                started_ms: self.clock.started_ms(),
                ended_ms: self.clock.host.now(),
                gave_up_ms: book.gave_up.get().map(Nanoseconds::as_millis),
                took_ms: book.took.borrow().iter().map(|took| took.as_millis()).collect(),
                failed: book.n_failed.get() + book.n_timeouts.get(),
                tries: self.network.tries().to_vec(),
            }),
            Seen::Waits => JobOutcome::Played {
                elapsed_ms: now,
                log: Vec::new(),
            },
        }
    }
}

fn not_here() -> Input {
    let message = "a loop on the real clock has no threads, locks and cells, and one simple network";
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

/// Milliseconds that another worker or service is asked for: whole ones, never fewer.
fn whole_ms(time: Nanoseconds) -> u32 {
    u32::try_from(time.0.div_ceil(1_000_000)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod batch_tests;
#[cfg(test)]
mod tests;
