//! The interpreter itself, driven by hand, and on a machine's thread: every kind of effect, frames and handlers.
//!
//! Not here: asyncio (`a_rows`).

use std::rc::Rc;

use concurrency_playground::machine::event_loop::{Awaitable, LoopCall};
use concurrency_playground::machine::program::CellId;
use concurrency_playground::machine::threads::{Machine, MachineSettings, Progress, Spawn, ThreadCall};
use concurrency_playground::machine::{
    Access, Compute, Computing, Effect, Exception, Input, Kind, Nanoseconds, Note, Program, Value,
};
use concurrency_playground::switch_points::Operation;

use super::{Build, Code, Handler, Interpreter, Op, World};

fn code(ops: Vec<Op>) -> Code {
    Code { ops, ..Code::default() }
}

fn program(codes: Vec<Code>) -> Box<dyn Program> {
    Interpreter::program(&Rc::new(World::new(codes, 1)), 0, "0")
}

fn push(number: i64) -> Op {
    Op::Push(Value::Int(number))
}

fn returned(effect: &Effect) -> Value {
    match effect {
        Effect::Return(value) => value.clone(),
        other => panic!("{other:?} is no return"),
    }
}

#[test]
fn the_worked_example() {
    let mut program = program(vec![code(vec![push(1), push(2), Op::Add, Op::Return])]);
    assert_eq!(returned(&program.resume(Input::Start)), Value::Int(3));
}

#[test]
fn every_kind_of_effect_comes_out_and_its_answer_goes_in() {
    let compute: Build = |_| {
        Ok(Effect::Compute(Compute {
            cost: Nanoseconds::millis(1),
            kind: Computing::Bytecode,
        }))
    };
    let builds: [Build; 7] = [
        compute,
        |_| Ok(Effect::CheckPoint(Operation::LoopBackEdge)),
        |_| Ok(Effect::Access(Access::Add(CellId(0), 1))),
        |_| Ok(Effect::Thread(ThreadCall::Now)),
        |_| Ok(Effect::Await(Awaitable::Sleep(Nanoseconds::ZERO))),
        |_| Ok(Effect::Loop(LoopCall::Time)),
        |_| Ok(Effect::Note(Note::Line(7))),
    ];
    let mut ops: Vec<Op> = builds.into_iter().map(|build| Op::Do("effect", build)).collect();
    ops.extend([Op::List(7), Op::Return]);
    let mut program = program(vec![code(ops)]);
    let mut input = Input::Start;
    for number in 0..7 {
        let effect = program.resume(input);
        let is_right = match number {
            0 => matches!(effect, Effect::Compute(_)),
            1 => matches!(effect, Effect::CheckPoint(_)),
            2 => matches!(effect, Effect::Access(_)),
            3 => matches!(effect, Effect::Thread(_)),
            4 => matches!(effect, Effect::Await(_)),
            5 => matches!(effect, Effect::Loop(_)),
            _ => matches!(effect, Effect::Note(_)),
        };
        assert!(is_right, "{number}: {effect:?}");
        input = Input::Value(Value::Int(number));
    }
    let all: Vec<Value> = (0..7).map(Value::Int).collect();
    assert_eq!(returned(&program.resume(input)), Value::List(all.into()));
}

#[test]
fn an_exception_leaves_frames_up_to_a_handler_and_drops_their_operands() {
    let caller = Code {
        ops: vec![push(1), Op::Call(1), Op::Return, Op::Pop, Op::Return],
        handlers: vec![Handler {
            from: 1,
            to: 2,
            target: 3,
            depth: 1,
        }],
        ..Code::default()
    };
    let callee = code(vec![
        push(2),
        Op::Do("sleep", |_| Ok(Effect::Await(Awaitable::Sleep(Nanoseconds::ZERO)))),
        Op::Return,
    ]);
    let mut program = program(vec![caller, callee]);
    assert!(matches!(program.resume(Input::Start), Effect::Await(_)));
    let cancelled = Exception::new(Kind::Cancelled, "");
    assert_eq!(returned(&program.resume(Input::Throw(cancelled))), Value::Int(1));
}

#[test]
fn what_is_thrown_before_the_first_line_no_handler_sees() {
    let guarded = Code {
        ops: vec![push(1), Op::Return, Op::Return],
        handlers: vec![Handler {
            from: 0,
            to: 2,
            target: 2,
            depth: 0,
        }],
        ..Code::default()
    };
    let mut program = program(vec![guarded]);
    let cancelled = Exception::new(Kind::Cancelled, "");
    assert!(matches!(program.resume(Input::Throw(cancelled)), Effect::Raise(exception) if exception.is_cancelled()));
}

/// Four threads read a cell, let the lock go, and write one more: each sees what the first one saw.
#[test]
fn threads_of_the_machine_lose_updates() {
    let read: Build = |_| Ok(Effect::Access(Access::Read(CellId(0))));
    let write: Build = |operands| Ok(Effect::Access(Access::Write(CellId(0), operands.value())));
    let sleep: Build = |_| Ok(Effect::Thread(ThreadCall::Sleep(Nanoseconds::millis(1))));
    let spawn: Build = |operands| {
        Ok(Effect::Thread(ThreadCall::Spawn(Box::new(Spawn::new(
            operands.program(),
        )))))
    };
    let join: Build = |operands| Ok(Effect::Thread(ThreadCall::Join(operands.id()?, None)));
    let mut main = vec![push(0), Op::Do("write", write), Op::Pop];
    for _ in 0..4 {
        let suffix = String::new();
        main.extend([Op::Program { code: 1, suffix }, Op::Do("start", spawn)]);
    }
    for _ in 0..4 {
        main.extend([Op::Do("join", join), Op::Pop]);
    }
    main.extend([Op::Do("read", read), Op::Return]);
    let thread = vec![
        Op::Do("read", read),
        Op::Do("sleep", sleep),
        Op::Pop,
        push(1),
        Op::Add,
        Op::Do("write", write),
        Op::Return,
    ];
    let mut machine = Machine::new(MachineSettings::default());
    machine.start(program(vec![code(main), code(thread)]));
    match machine.run(10_000) {
        Progress::Ended(Ok(value)) => assert_eq!(value, Value::Int(1)),
        other => panic!("{other:?}"),
    }
    assert_eq!(machine.now(), Nanoseconds::millis(1));
}
