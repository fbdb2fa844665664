//! A loop alone in virtual time: computing and blocking move the clock, waiting jumps to the next timer.
//!
//! Worked example: `sleep(1 s)` beside a second task that computes for 0.3 s: the clock goes 0, 0.3, 1.
//!
//! Not here: other threads. A call that needs one raises, as there is none; the machine has them.

use super::EventLoop;
use super::settings::{Ceiling, LoopSettings, NextWake};
use super::tasks::runtime_error;
use crate::machine::threads::ThreadCall;
use crate::machine::trace::Recorder;
use crate::machine::{Effect, Input, Nanoseconds, Outcome, Program, Value};

/// What a run in virtual time came to.
#[derive(Debug)]
pub struct Driven {
    /// How it ended.
    pub stop: Stop,
    /// When.
    pub now: Nanoseconds,
    /// The loop, to ask about what is left on it.
    pub event_loop: EventLoop,
}

/// How a run ended.
#[derive(Debug)]
pub enum Stop {
    /// With its main program's outcome.
    Ended(Outcome),
    /// Nothing is ready, no timer is set, nobody will post: it stands still for ever.
    Stuck,
    /// It made as many effects as it was allowed.
    OutOfSteps,
    /// It held too much.
    Exceeded(Ceiling),
}

/// Runs a program as `asyncio.run` does, alone in virtual time, for at most so many effects.
pub fn drive(settings: LoopSettings, main: Box<dyn Program>, max_effects: u64, recorder: &mut Recorder) -> Driven {
    let mut event_loop = EventLoop::new(settings);
    event_loop.start(main);
    let mut now = Nanoseconds::ZERO;
    let mut n_machine_effects = 0_u64;
    let stop = loop {
        match event_loop.turn(now, recorder) {
            NextWake::AfterEffect(effect) => {
                let input = perform(effect, &mut now);
                event_loop.answer(input);
                n_machine_effects += 1;
            }
            NextWake::Now => {}
            NextWake::At(when) => now = now.max(when),
            NextWake::WhenPosted => break Stop::Stuck,
            NextWake::Ended(outcome) => break Stop::Ended(outcome),
            NextWake::Exceeded(ceiling) => break Stop::Exceeded(ceiling),
        }
        if event_loop.n_effects().max(n_machine_effects) >= max_effects {
            break Stop::OutOfSteps;
        }
    };
    Driven { stop, now, event_loop }
}

/// Does what a lone thread can.
fn perform(effect: Effect, now: &mut Nanoseconds) -> Input {
    match effect {
        Effect::Compute(compute) => *now += compute.cost,
        Effect::CheckPoint(_) => {}
        Effect::Thread(ThreadCall::Sleep(delay)) => *now += delay,
        Effect::Thread(ThreadCall::Now) => return Input::Value(Value::Int(now.0 as i64)),
        Effect::Thread(ThreadCall::TakeBack(_)) => return Input::Value(Value::Bool(true)),
        _ => return Input::Throw(runtime_error("there is no machine here, only an event loop")),
    }
    Input::Value(Value::None)
}
