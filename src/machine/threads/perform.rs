//! Doing one effect that is paid for, serving a loop or a worker, and what follows when a program ends.
//!
//! Not here: the calls of each kind of object.

use super::advance::{Flow, Wants};
use super::blocking::Answer;
use super::progress::Limit;
use super::thread::{Frame, FrameBody, Then, Wait, WorkKind};
use super::{Machine, ThreadId};
use crate::machine::event_loop::Ceiling;
use crate::machine::trace::Instant;
use crate::machine::{Compute, Effect, Exception, Input, Kind, Nanoseconds, Note, Outcome, Program};
use crate::switch_points::Operation;

impl Machine {
    /// Does an effect that is paid for.
    pub(super) fn perform(&mut self, thread: ThreadId, effect: Effect) -> Flow {
        match effect {
            Effect::Compute(Compute { cost, kind }) => {
                if self.begin_work(thread, cost, WorkKind::Program(kind)) {
                    Flow::On
                } else {
                    Flow::Off
                }
            }
            Effect::Access(access) => {
                let value = self.touch(thread, &access);
                self.goes_on_with(thread, Ok(value))
            }
            Effect::CheckPoint(operation) => self.check_point(thread, operation),
            Effect::Thread(call) => {
                let flow = self.call(thread, call);
                self.settle_woken();
                // A call into C has returned: a place where the lock may be asked for.
                if flow == Flow::On && self.passes(thread, Operation::AfterCallIntoC) {
                    return Flow::Off;
                }
                flow
            }
            Effect::Await(_) | Effect::Loop(_) => {
                let exception = Exception::new(Kind::RuntimeError, "no running event loop");
                self.goes_on_with(thread, Err(exception))
            }
            Effect::Note(note) => {
                self.note(thread, note);
                Flow::On
            }
            Effect::Return(value) => self.frame_ended(thread, Ok(value)),
            Effect::Raise(exception) => self.frame_ended(thread, Err(exception)),
        }
    }

    /// The acting thread's last frame is asked next, with this.
    pub(super) fn goes_on_with(&mut self, thread: ThreadId, outcome: Outcome) -> Flow {
        self.thread_mut(thread).input = Input::from(outcome);
        Flow::On
    }

    /// The acting thread's call is answered so.
    pub(super) fn goes_on(&mut self, thread: ThreadId, answer: Answer) -> Flow {
        match answer {
            Answer::Gives(value) => self.goes_on_with(thread, Ok(value)),
            Answer::Raises(exception) => self.goes_on_with(thread, Err(exception)),
            Answer::Runs => Flow::On,
            Answer::Blocks(wait, limit) => {
                self.block(thread, wait, limit);
                Flow::Off
            }
            Answer::Stops => Flow::Off,
        }
    }

    fn check_point(&mut self, thread: ThreadId, operation: Operation) -> Flow {
        if !self.heeds_check_points() {
            return Flow::On;
        }
        if operation == Operation::VoluntaryRelease {
            self.block(thread, Wait::Sleep, Some(Nanoseconds::ZERO));
            return Flow::Off;
        }
        if self.passes(thread, operation) {
            Flow::Off
        } else {
            Flow::On
        }
    }

    fn note(&mut self, thread: ThreadId, note: Note) {
        let (now, lane) = (self.now, self.thread(thread).lane);
        match note {
            Note::Line(line) => self.recorder.line(now, lane, line),
            Note::Doing(call) => self.recorder.doing(now, lane, call),
            Note::Mark(label) => {
                self.watch.progress();
                self.recorder.instant(now, lane, Instant::Mark, || label);
            }
        }
    }

    /// What a loop, a worker or a manager wants that is no effect of a program's.
    pub(super) fn serve(&mut self, thread: ThreadId, wants: &Wants) -> Flow {
        match wants {
            Wants::Turn => self.next_turn(thread),
            Wants::Post(Some(time)) if *time <= self.now => self.next_turn(thread),
            Wants::Post(Some(time)) if self.passes_alone(thread, *time) => Flow::On,
            Wants::Post(time) => {
                let limit = time.map(|time| time.since(self.now));
                self.block(thread, Wait::Poll, limit);
                Flow::Off
            }
            Wants::Stop(ceiling) => {
                self.exceed(match ceiling {
                    Ceiling::Tasks => Limit::Tasks,
                    Ceiling::Futures => Limit::Futures,
                    Ceiling::Timers => Limit::Timers,
                    Ceiling::Objects => Limit::LoopObjects,
                });
                Flow::Off
            }
            Wants::Round => match self.thread(thread).frames.last().map(|frame| &frame.body) {
                Some(FrameBody::Manager(_)) => self.manager_round(thread),
                _ => self.worker_round(thread),
            },
            Wants::Effect(_) => Flow::On,
        }
    }

    /// An event loop looks at the selector without waiting, and goes on.
    fn next_turn(&mut self, thread: ThreadId) -> Flow {
        if self.lets_go_to_poll(thread) || self.passes(thread, Operation::AfterCallIntoC) {
            Flow::Off
        } else {
            Flow::On
        }
    }

    /// The last program on a thread's stack has ended.
    pub(super) fn frame_ended(&mut self, thread: ThreadId, outcome: Outcome) -> Flow {
        let frame = self.thread_mut(thread).frames.pop();
        if let Some(FrameBody::Loop(event_loop, _)) = frame.as_ref().map(|frame| &frame.body) {
            self.watch.keep_complaints(event_loop);
        }
        match frame.map_or(Then::EndThread, |frame| frame.then) {
            Then::EndThread => {
                self.thread_ended(thread, outcome);
                Flow::Off
            }
            Then::Below => self.goes_on_with(thread, outcome),
            Then::Callback(future, answer) => {
                if let Err(exception) = outcome {
                    self.watch.complaints.push(exception);
                }
                let answer = self.run_callbacks(thread, future, answer);
                self.goes_on(thread, answer)
            }
            Then::Action(barrier) => {
                let outcome = self.action_ended(barrier, outcome);
                self.settle_woken();
                self.goes_on_with(thread, outcome)
            }
            Then::Import => match outcome {
                Ok(_) => {
                    self.imported(thread);
                    self.thread_mut(thread).input = Input::Start;
                    Flow::On
                }
                Err(exception) => {
                    self.thread_ended(thread, Err(exception));
                    Flow::Off
                }
            },
        }
    }

    /// A program that runs on top of what the thread does, and what becomes of its outcome.
    pub(super) fn push_program(&mut self, thread: ThreadId, program: Box<dyn Program>, then: Then) {
        let on = self.thread_mut(thread);
        on.frames.push(Frame {
            body: FrameBody::Program(program),
            then,
        });
        on.input = Input::Start;
    }
}
