//! One turn: the loop runs until it needs something from outside.
//!
//! Worked example, an iteration of `_run_once`: A and B are ready, a timer is due. The timer's callback goes behind A and
//! B, then those three run; what they schedule is for the next iteration. Between two iterations the loop asks for the
//! time, even when it need not wait.
//!
//! Source: `BaseEventLoop._run_once`, `base_events.py`. Not here: what the callbacks do.

use super::callbacks::Callback;
use super::ending::Phase;
use super::futures::Future;
use super::ids::FutureId;
use super::making::no_task;
use super::settings::{Complaint, Fault, NextWake};
use super::state::{Expects, Next, Step, Turn, Who};
use super::timers::Timed;
use super::waits::Waiting;
use crate::machine::threads::ThreadCall;
use crate::machine::trace::{Instant, LaneKind, State as LaneState, WaitCause};
use crate::machine::{Compute, Computing, Effect, Input, Nanoseconds, Note, Outcome, Program, Value};

/// The longest a loop waits without looking around: `MAXIMUM_SELECT_TIMEOUT`, 24 hours.
const MAX_WAIT: Nanoseconds = Nanoseconds::seconds(24 * 3600);

/// So many effects may be made in one turn, then whoever drives the loop gets a word in.
const EFFECTS_A_TURN: u32 = 10_000;

impl Turn<'_> {
    /// Goes on until something is needed.
    pub(super) fn go(&mut self, now: Nanoseconds) -> NextWake {
        self.state.now = now;
        if let Some(main) = self.state.main_program.take() {
            self.make_lane();
            self.create_main(main);
        }
        if !self.state.inbox.is_empty() {
            for callback in std::mem::take(&mut self.state.inbox) {
                self.schedule(callback);
            }
        }
        if self.state.expects != Expects::Nothing && !self.take_answer() {
            return NextWake::WhenPosted;
        }
        let mut effects_left = EFFECTS_A_TURN;
        loop {
            if let Some(ceiling) = self.state.exceeded {
                return NextWake::Exceeded(ceiling);
            }
            if !self.state.running.is_empty() {
                if let Some(wake) = self.run(&mut effects_left) {
                    return wake;
                }
                if self.state.running.is_empty() {
                    self.callback_over();
                }
            } else if self.state.owed > Nanoseconds::ZERO {
                return self.ask_for_cost();
            } else if self.state.left > 0 {
                self.run_next();
            } else if let Some(wake) = self.between_iterations() {
                return wake;
            }
        }
    }

    fn make_lane(&mut self) {
        let (now, parent) = (self.state.now, self.state.settings.thread_lane);
        self.state.lane = self
            .recorder
            .lane(now, LaneKind::Loop, parent, || "event loop".to_owned());
        self.recorder.enter(now, self.state.lane, LaneState::Running);
    }

    /// Ends an iteration, waits, and begins the next.
    fn between_iterations(&mut self) -> Option<NextWake> {
        if std::mem::take(&mut self.state.is_iterating) {
            if self.goes_on_in_the_same_iteration() {
                return None;
            }
            if self.state.is_stopping {
                self.next_phase();
            }
            if matches!(self.state.phase, Phase::Over) {
                return Some(self.end());
            }
            if !self.state.ready.is_empty() {
                return Some(NextWake::Now);
            }
        }
        if matches!(self.state.phase, Phase::Over) {
            return Some(self.end());
        }
        let (now, lane, recorder) = (self.state.now, self.state.lane, &mut *self.recorder);
        self.state
            .timers
            .sweep(|number| recorder.timer_gone(now, lane, number.into()));
        if self.state.ready.is_empty() {
            let head = self.state.timers.head();
            self.look_ahead();
            if head.is_none_or(|head| head > now) {
                let cause = if head.is_some() {
                    WaitCause::Timer
                } else {
                    WaitCause::Thread
                };
                self.recorder.enter(now, lane, LaneState::Waiting(cause));
                return Some(head.map_or(NextWake::WhenPosted, |head| NextWake::At(head.min(now + MAX_WAIT))));
            }
        }
        self.recorder.enter(now, lane, LaneState::Running);
        self.take_due_timers();
        self.state.left = self.state.ready.len();
        self.state.is_iterating = true;
        self.state.n_iterations += 1;
        self.state.owed += self.state.settings.costs.iteration;
        None
    }

    /// Some timers have come near: looks at whom they wake. Of many tasks most have left the processor's caches; coming back
    /// all at once they cost little more than one alone does.
    #[inline(always)]
    fn look_ahead(&mut self) {
        let state = &mut *self.state;
        if !state.timers.has_near() {
            return;
        }
        let tasks = state.timers.near().filter_map(|timed| match timed {
            Timed::Release(task, _) => Some(task),
            _ => None,
        });
        tasks.clone().for_each(|task| state.futures.look_at(task));
        tasks.for_each(|task| state.futures.look_at_program(task));
        let handles = state.timers.near().filter_map(|timed| match timed {
            Timed::Handle(handle) => Some(handle),
            _ => None,
        });
        handles.clone().for_each(|handle| state.handles.look_at(handle));
        for handle in handles {
            if let Some(handle) = state.handles.get_mut(handle) {
                handle.look_at_program();
            }
        }
        state.timers.clear_near();
    }

    /// A seeded fault: what an iteration has scheduled runs in it, too.
    fn goes_on_in_the_same_iteration(&mut self) -> bool {
        let goes_on =
            self.state.has(Fault::SameIteration) && !self.state.ready.is_empty() && self.state.n_rounds < 1_000;
        self.state.n_rounds = if goes_on { self.state.n_rounds + 1 } else { 0 };
        self.state.left = if goes_on { self.state.ready.len() } else { 0 };
        self.state.is_iterating = goes_on;
        goes_on
    }

    fn end(&mut self) -> NextWake {
        self.recorder.enter(self.state.now, self.state.lane, LaneState::Done);
        let outcome = self.state.outcome.clone();
        NextWake::Ended(outcome.unwrap_or(Ok(Value::None)))
    }

    fn take_due_timers(&mut self) {
        let comes_first = self.state.has(Fault::TimersBeforeReady);
        let n_before = self.state.ready.len();
        while let Some((number, callback)) = self.state.timers.pop_due(self.state.now) {
            let (now, lane) = (self.state.now, self.state.lane);
            self.recorder.timer_gone(now, lane, number.into());
            if let Some(timed) = callback {
                self.schedule(timed.into());
            }
        }
        if comes_first {
            self.state.ready.rotate_left(n_before);
        }
    }

    /// Runs the next ready callback.
    fn run_next(&mut self) {
        let from_the_end = self.state.has(Fault::LastInFirstOut);
        let ready = &mut self.state.ready;
        let next = if from_the_end {
            ready.pop_back()
        } else {
            ready.pop_front()
        };
        self.state.left -= 1;
        let Some(callback) = next else { return };
        self.recorder.run_next(self.state.now, self.state.lane);
        if self.is_cancelled(&callback) {
            return;
        }
        self.state.began = self.state.now;
        self.state.step_of = callback.task();
        self.state.doing = "";
        self.state.line = 0;
        self.state.owed += self.state.settings.costs.callback;
        let source = callback.source();
        self.dispatch(callback);
        if let Some(source) = source {
            self.unpin(source);
        }
        if self.state.running.is_empty() {
            self.callback_over();
        }
    }

    fn dispatch(&mut self, callback: Callback) {
        match callback {
            Callback::Step(task) => self.begin_step(task, Ok(Value::None)),
            Callback::WaiterDone(task) => self.waiter_done(task),
            Callback::Wake(task, source) => {
                let woke = self.state.futures.get_mut(source).and_then(Future::result);
                self.begin_step(task, woke);
            }
            Callback::Release(task, wait) => self.release_wait(task, wait),
            Callback::Waited(task, wait, child) => self.waited(task, wait, child),
            Callback::Gathered(outer, child) => self.gathered(outer, child),
            Callback::ShieldInner(outer, inner) => self.shield_inner(outer, inner),
            Callback::ShieldOuter(outer, inner) => self.shield_outer(outer, inner),
            Callback::ShieldLog(inner) => self.shield_log(inner),
            Callback::GroupTaskDone(group, task) => self.group_task_done(group, task),
            Callback::Completed(id, future) => self.completion_done(id, future),
            Callback::CompletedOver(id) => self.completion_over(id),
            Callback::Expire(timeout, _) => self.expire(timeout),
            Callback::Handle(handle) => self.run_handle(handle),
            Callback::Done(callback) => self.run_done_callback(callback),
            Callback::TakeBack(future) => self.take_back(future),
            Callback::Posted(posted) => self.posted(*posted),
            Callback::Report(report) => {
                let (task, report) = *report;
                self.report(task, report);
            }
            Callback::Stop => self.state.is_stopping = true,
            Callback::Ending => self.ending(),
        }
    }

    /// A callback is over: in debug mode it may have been slow.
    fn callback_over(&mut self) {
        let length = self.state.now.since(self.state.began);
        if !self.state.settings.debug || length < self.state.settings.slow_callback_duration {
            return;
        }
        let task = self.state.step_of;
        let name = task
            .and_then(|task| self.state.futures.task(task).ok())
            .map(|task| task.name());
        self.state.complaints.push(Complaint::Slow {
            task,
            name: name.unwrap_or_default(),
            doing: self.state.doing,
            at: self.state.began,
            length,
        });
        let lane = task
            .and_then(|task| self.state.lane_of(task))
            .unwrap_or(self.state.lane);
        self.recorder
            .instant(self.state.now, lane, Instant::SlowStep, || length.to_string());
    }

    fn ask_for_cost(&mut self) -> NextWake {
        self.state.expects = Expects::Cost;
        NextWake::AfterEffect(Effect::Compute(Compute {
            cost: std::mem::take(&mut self.state.owed),
            kind: Computing::Bytecode,
        }))
    }

    /// Takes in the answer that was asked for; false if there is none yet.
    fn take_answer(&mut self) -> bool {
        let Some(answer) = self.state.answer.take() else {
            return false;
        };
        let expected = std::mem::replace(&mut self.state.expects, Expects::Nothing);
        if expected == Expects::Cost {
            return true;
        }
        let Some(activity) = self.state.running.last_mut() else {
            return true;
        };
        let (next, taken_back) = match std::mem::replace(&mut activity.next, Next::Nothing) {
            Next::Begun(future, is_awaited) => (Next::Answered(future, is_awaited, answer), None),
            Next::TakenBack(future) => (Next::Go(Input::Value(Value::None)), Some((future, answer))),
            _ => (Next::Go(answer), None),
        };
        activity.next = next;
        if let Some((future, answer)) = taken_back {
            self.taken_back(future, &answer);
        }
        true
    }

    /// Runs the innermost activity until it gives way, ends, or needs something.
    fn run(&mut self, effects_left: &mut u32) -> Option<NextWake> {
        let activity = self.state.running.last_mut()?;
        let mut program = activity.program.take()?;
        let task = match activity.who {
            Who::Task(task) => Some(task),
            Who::Callback(_) => None,
        };
        let next = std::mem::replace(&mut activity.next, Next::Nothing);
        let mut step = self.first_step(task, next);
        loop {
            let input = match step {
                Step::Go(input) => input,
                Step::Into(inner, coroutine) => {
                    let outer = std::mem::replace(&mut program, inner);
                    let put_aside = task.map_or(Ok(()), |task| self.put_aside(task, outer, coroutine));
                    match put_aside {
                        Ok(()) => Input::Start,
                        Err(exception) => {
                            step = Step::Over(Err(exception));
                            continue;
                        }
                    }
                }
                Step::Wait => {
                    self.suspend(task, program);
                    return None;
                }
                Step::Nested => {
                    // The eager task is the innermost activity; this one goes on after it.
                    let outer = self.state.running.iter_mut().rev().nth(1);
                    outer.expect("the eager task runs inside this activity").program = Some(program);
                    return None;
                }
                Step::Perform(effect) => {
                    self.put_back(program, None);
                    self.state.expects = Expects::Effect;
                    return Some(NextWake::AfterEffect(effect));
                }
                Step::Over(outcome) => match task.and_then(|task| self.take_outer(task)) {
                    Some(outer) => {
                        program = outer;
                        outcome.into()
                    }
                    None => {
                        self.activity_over(task, outcome);
                        return None;
                    }
                },
            };
            if self.state.owed > Nanoseconds::ZERO {
                self.put_back(program, Some(input));
                return Some(self.ask_for_cost());
            }
            if *effects_left == 0 || self.state.exceeded.is_some() {
                self.put_back(program, Some(input));
                return (*effects_left == 0).then_some(NextWake::Now);
            }
            *effects_left -= 1;
            self.state.n_effects += 1;
            step = self.perform(task, &mut program, input);
        }
    }

    fn put_back(&mut self, program: Box<dyn Program>, input: Option<Input>) {
        if let Some(activity) = self.state.running.last_mut() {
            activity.program = Some(program);
            if let Some(input) = input {
                activity.next = Next::Go(input);
            }
        }
    }

    /// One effect of a program.
    fn perform(&mut self, task: Option<FutureId>, program: &mut Box<dyn Program>, input: Input) -> Step {
        match program.resume(input) {
            Effect::Loop(call) => self.call(call),
            Effect::Await(awaitable) => match task {
                Some(task) => self.begin(task, awaitable),
                None => Step::Go(Input::Throw(no_task())),
            },
            Effect::Note(note) => {
                self.note(note);
                Step::Go(Input::Value(Value::None))
            }
            Effect::Return(value) => Step::Over(Ok(value)),
            Effect::Raise(exception) => Step::Over(Err(exception)),
            effect @ (Effect::Compute(_) | Effect::CheckPoint(_) | Effect::Access(_) | Effect::Thread(_)) => {
                Step::Perform(effect)
            }
        }
    }

    fn first_step(&mut self, task: Option<FutureId>, next: Next) -> Step {
        match next {
            Next::Go(input) => Step::Go(input),
            Next::Wake(waiting, woke) => match task {
                Some(task) => self.step_on(task, waiting, woke),
                None => Step::Wait,
            },
            Next::Make(making) => self.make_on(*making),
            Next::Answered(future, is_awaited, answer) => self.begun(future, is_awaited, answer),
            Next::TakenBack(id) => {
                // What it is for must still be known when the answer comes.
                if let Some(activity) = self.state.running.last_mut() {
                    activity.next = Next::TakenBack(id);
                }
                Step::Perform(Effect::Thread(ThreadCall::TakeBack(id)))
            }
            Next::Nothing | Next::Begun(..) => Step::Go(Input::Value(Value::None)),
        }
    }

    /// A task's step: its first, or the one after a wait.
    fn step_on(&mut self, id: FutureId, waiting: Waiting, woke: Outcome) -> Step {
        let Ok(task) = self.state.futures.task_mut(id) else {
            return Step::Wait;
        };
        if std::mem::replace(&mut task.has_begun, true) {
            return self.resume(id, waiting, woke);
        }
        match woke {
            Ok(_) => Step::Go(Input::Start),
            // Thrown into a coroutine that has not begun, it ends it before its first line.
            Err(exception) => Step::Over(Err(exception)),
        }
    }

    /// The task waits: its program is its own again.
    fn suspend(&mut self, task: Option<FutureId>, program: Box<dyn Program>) {
        if let Some(activity) = self.state.running.pop() {
            self.leave_contexts(&activity.entered);
        }
        if let Some(task) = task.and_then(|task| self.state.futures.task_mut(task).ok()) {
            task.program = Some(program);
        }
    }

    fn activity_over(&mut self, task: Option<FutureId>, outcome: Outcome) {
        if let Some(task) = task {
            self.finish(task, outcome);
        } else if let Err(exception) = outcome {
            self.state.complaints.push(Complaint::Callback(exception));
        }
        if let Some(activity) = self.state.running.pop() {
            self.leave_contexts(&activity.entered);
        }
    }

    fn note(&mut self, note: Note) {
        let (now, lane) = (self.state.now, self.state.current_lane());
        match note {
            Note::Line(line) => {
                self.state.line = line;
                self.recorder.line(now, lane, line);
            }
            Note::Doing(call) => {
                self.state.doing = call;
                self.recorder.doing(now, lane, call);
            }
            Note::Mark(label) => self.recorder.instant(now, lane, Instant::Mark, || label),
        }
    }
}
