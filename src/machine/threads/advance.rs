//! Asking a thread for its next effect, and doing it, until the thread computes, waits or ends.
//!
//! Not here: what calls do (`perform` and the objects' own files).

use super::cores::FULL_SPEED;
use super::thread::{FrameBody, Phase, WorkKind};
use super::{Machine, ThreadId, watch};
use crate::machine::event_loop::{Ceiling, NextWake};
use crate::machine::{Compute, Effect, Input, Nanoseconds};
use crate::switch_points::Operation;
use crate::wire::Runtime;

/// What the last frame of a thread wants.
pub(super) enum Wants {
    /// This to be done.
    Effect(Effect),
    /// Another turn of the event loop, after a look at the selector.
    Turn,
    /// To wait for that time or a post.
    Post(Option<Nanoseconds>),
    /// The loop is over a ceiling.
    Stop(Ceiling),
    /// The next round of a pool's worker or manager.
    Round,
}

/// Whether the acting thread is asked for more at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// It is: it has its next input.
    On,
    /// It computes, waits or has ended, or the run has.
    Off,
}

impl Machine {
    /// Asks a thread on a core for effects and does them; false if the slice of the run is used up before it stops.
    pub(super) fn advance(&mut self, thread: ThreadId, stop_at: u64) -> bool {
        if !matches!(self.thread(thread).phase, Phase::Running(_)) {
            // It was stopped since it was put on the agenda.
            return true;
        }
        self.acting = Some(thread);
        if !self.thread(thread).has_begun {
            self.begun(thread);
        }
        let is_done = self.ask(thread, stop_at);
        self.settle_woken();
        self.acting = None;
        is_done
    }

    /// A thread's first moment on a core: who started it goes on.
    fn begun(&mut self, thread: ThreadId) {
        self.thread_mut(thread).has_begun = true;
        self.wake_watchers(thread);
        self.settle_woken();
    }

    fn ask(&mut self, thread: ThreadId, stop_at: u64) -> bool {
        loop {
            let asked = self.thread(thread);
            let flow = if asked.work.is_begun || asked.owed > Nanoseconds::ZERO || asked.pending.is_some() {
                self.catch_up(thread)
            } else if asked.frames.is_empty() {
                // Its main program has ended, and nothing keeps the process alive any longer.
                let process = asked.process;
                self.end_process(process, None);
                Flow::Off
            } else if self.steps >= stop_at {
                return false;
            } else {
                self.steps += 1;
                match self.wants(thread) {
                    Wants::Effect(effect) => self.do_effect(thread, effect),
                    other => self.serve(thread, &other),
                }
            };
            if flow == Flow::Off || self.ended.is_some() {
                return true;
            }
        }
    }

    /// What comes before a thread is asked for more: work that it was interrupted in, what it owes, an effect that is
    /// paid for by now.
    #[cold]
    fn catch_up(&mut self, thread: ThreadId) -> Flow {
        let (now, phase) = (self.now, &self.thread(thread).phase);
        let rate = match phase {
            Phase::Running(core) => self.cores.core(*core).rate,
            _ => FULL_SPEED,
        };
        let asked = self.thread_mut(thread);
        if asked.work.is_begun {
            if asked.owed > Nanoseconds::ZERO {
                asked.owe_before_work(now, rate);
            }
            self.go_on_working(thread);
            return Flow::Off;
        }
        let owed = std::mem::take(&mut asked.owed);
        if !self.begin_work(thread, owed, WorkKind::Overhead) {
            return Flow::Off;
        }
        match self.thread_mut(thread).pending.take() {
            Some(effect) => self.perform(thread, effect),
            None => Flow::On,
        }
    }

    /// Asks the last frame of a thread.
    #[inline]
    fn wants(&mut self, thread: ThreadId) -> Wants {
        let (threads, recorder) = (&mut self.threads, &mut self.recorder);
        let asked = threads.get_mut(thread.index()).expect("the acting thread is there");
        let input = asked.take_input();
        let frame = asked.frames.last_mut().expect("a thread without frames has ended");
        match &mut frame.body {
            FrameBody::Program(program) => Wants::Effect(program.resume(input)),
            FrameBody::Loop(event_loop, is_due) => {
                if std::mem::take(is_due) {
                    event_loop.answer(input);
                    let stall = asked.loop_watch.look(thread, event_loop, self.now, self.settings.stall);
                    if let Some(stall) = stall {
                        watch::add_stall(&mut self.watch.stalls, stall);
                    }
                }
                let wake = event_loop.turn(self.now, recorder);
                // The loop's own count; a turn without any effect is a step too.
                let n_effects = event_loop.n_effects();
                let counted = &mut asked.loop_watch.n_effects;
                self.steps += n_effects.saturating_sub(*counted).saturating_sub(1);
                *counted = n_effects;
                let tasks = std::mem::replace(&mut asked.loop_watch.n_tasks, event_loop.n_live_tasks());
                let costs = &self.settings.costs.memory;
                self.memory.tasks_changed(costs, tasks, event_loop.n_live_tasks());
                match wake {
                    NextWake::AfterEffect(effect) => {
                        asked.loop_watch.leaves(self.now);
                        *is_due = true;
                        Wants::Effect(effect)
                    }
                    NextWake::Now => Wants::Turn,
                    NextWake::At(time) => Wants::Post(Some(time)),
                    NextWake::WhenPosted => Wants::Post(None),
                    NextWake::Ended(Ok(value)) => Wants::Effect(Effect::Return(value)),
                    NextWake::Ended(Err(exception)) => Wants::Effect(Effect::Raise(exception)),
                    NextWake::Exceeded(ceiling) => Wants::Stop(ceiling),
                }
            }
            FrameBody::Worker(_) | FrameBody::Manager(_) => {
                asked.input = input;
                Wants::Round
            }
        }
    }

    /// Does an effect that was not paid for yet.
    #[inline]
    fn do_effect(&mut self, thread: ThreadId, effect: Effect) -> Flow {
        match effect {
            Effect::Compute(Compute { cost, kind }) => {
                let jitter = self.settings.costs.compute_jitter_permille;
                let cost = if jitter == 0 {
                    cost
                } else {
                    self.random.jittered(cost, jitter)
                };
                if self.begin_work(thread, cost, WorkKind::Program(kind)) {
                    Flow::On
                } else {
                    Flow::Off
                }
            }
            Effect::Access(access) => {
                if self.settings.runtime == Runtime::GilLegacy && self.passes(thread, Operation::BetweenBytecodes) {
                    self.thread_mut(thread).pending = Some(Effect::Access(access));
                    return Flow::Off;
                }
                let fetching = self.transfer_cost(thread, &access);
                if !self.begin_work(thread, fetching, WorkKind::Overhead) {
                    self.thread_mut(thread).pending = Some(Effect::Access(access));
                    return Flow::Off;
                }
                let value = self.touch(thread, &access);
                self.thread_mut(thread).input = Input::Value(value);
                Flow::On
            }
            effect => {
                let price = self.price(&effect);
                if self.begin_work(thread, price, WorkKind::Overhead) {
                    self.perform(thread, effect)
                } else {
                    self.thread_mut(thread).pending = Some(effect);
                    Flow::Off
                }
            }
        }
    }
}
