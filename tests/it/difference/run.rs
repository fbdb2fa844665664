//! Runs a program on the machine's event loop, alone in virtual time, and gives its log.
//!
//! Not here: CPython.

use std::rc::Rc;

use concurrency_playground::machine::event_loop::{Complaint, EventLoop, Fault, LoopSettings, NextWake};
use concurrency_playground::machine::threads::{Machine, MachineSettings, Progress, ThreadCall};
use concurrency_playground::machine::trace::Recorder;
use concurrency_playground::machine::{Access, Effect, Input, Nanoseconds, Value};

use super::lower::lower;
use super::syntax::Script;
use crate::stack_interpreter::{Interpreter, World, describe, show};

/// An honest program ends, stands still or has filled its log long before.
const MOST_TURNS: u32 = 100_000;

/// Effects that a machine makes at a time.
const SLICE: u64 = 1_000;

/// A run that is over.
pub struct Run {
    pub log: Vec<String>,
    pub event_loop: EventLoop,
}

/// The log of a program, as CPython's is written: what the programs said, how the run ended, what went wrong beside.
pub fn run(script: &Script, fault: Option<Fault>) -> String {
    run_with(
        script,
        LoopSettings {
            fault,
            ..LoopSettings::default()
        },
    )
    .log
    .join("\n")
}

/// The same, with settings, and the loop to ask about what is left on it.
pub fn run_with(script: &Script, settings: LoopSettings) -> Run {
    let (codes, n_globals) = lower(script);
    let world = Rc::new(World::new(codes, n_globals));
    let mut event_loop = EventLoop::new(settings);
    event_loop.start(Interpreter::program(&world, 0, "0"));
    let mut recorder = Recorder::off();
    let mut cells = vec![Value::None; script.objects.cells];
    let mut now = Nanoseconds::ZERO;
    let mut turns = 0;
    let end = loop {
        turns += 1;
        match event_loop.turn(now, &mut recorder) {
            NextWake::AfterEffect(effect) => event_loop.answer(perform(effect, &mut now, &mut cells)),
            NextWake::Now => {}
            NextWake::At(when) => now = now.max(when),
            NextWake::WhenPosted => break "deadlock".to_owned(),
            NextWake::Ended(Ok(value)) => break format!("ended {}", show(&value)),
            NextWake::Ended(Err(exception)) => break format!("raised {}", describe(&exception)),
            NextWake::Exceeded(ceiling) => break format!("exceeded {ceiling:?}"),
        }
        if world.log.borrow().is_full() {
            break String::new();
        }
        if turns == MOST_TURNS {
            break "endless".to_owned();
        }
    };
    let mut log = std::mem::take(&mut world.log.borrow_mut().lines);
    if !end.is_empty() {
        log.push(format!("{} run {end}", now.0));
        log.extend(event_loop.complaints().iter().filter_map(complaint));
    }
    Run { log, event_loop }
}

/// The log of a program on an event loop on a thread of an ideal machine, but for what went wrong beside.
pub fn run_on_machine(script: &Script) -> Vec<String> {
    let (codes, n_globals) = lower(script);
    let world = Rc::new(World::new(codes, n_globals));
    let mut machine = Machine::new(MachineSettings::default());
    machine.start_loop(Interpreter::program(&world, 0, "0"));
    let end = loop {
        match machine.run(SLICE) {
            Progress::Paused if world.log.borrow().is_full() => break None,
            Progress::Paused => {}
            Progress::Ended(Ok(value)) => break Some(format!("ended {}", show(&value))),
            Progress::Ended(Err(exception)) => break Some(format!("raised {}", describe(&exception))),
            Progress::Deadlock(_) => break Some("deadlock".to_owned()),
            Progress::Exceeded(exceeded) => break Some(format!("exceeded {exceeded:?}")),
        }
    };
    let mut log = std::mem::take(&mut world.log.borrow_mut().lines);
    log.extend(end.map(|end| format!("{} run {end}", machine.now().0)));
    log
}

/// What the thread of the loop would do.
fn perform(effect: Effect, now: &mut Nanoseconds, cells: &mut [Value]) -> Input {
    match effect {
        Effect::Thread(ThreadCall::Sleep(delay)) => *now += delay,
        Effect::Access(Access::Read(cell)) => return Input::Value(cells[cell.0 as usize].clone()),
        Effect::Access(Access::Write(cell, value)) => cells[cell.0 as usize] = value,
        other => panic!("no program of this language makes {other:?}"),
    }
    Input::Value(Value::None)
}

/// What CPython reports at once, too; what it reports when something is collected depends on when that is.
fn complaint(complaint: &Complaint) -> Option<String> {
    Some(match complaint {
        Complaint::NeverAwaited(name) => format!("never awaited {name}"),
        Complaint::Callback(exception) => format!("callback {}", describe(exception)),
        Complaint::Shielded(_, exception) => format!("shielded {}", describe(exception)),
        Complaint::Shutdown(_, exception) => format!("shutdown {}", describe(exception)),
        Complaint::Orphan(_, exception) => format!("orphan {}", describe(exception)),
        Complaint::Slow { .. } | Complaint::NeverRetrieved(..) => return None,
    })
}
