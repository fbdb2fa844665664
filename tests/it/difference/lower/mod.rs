//! A program of the tiny language as code for the stack interpreter.
//!
//! Every step leaves the operand stack as it was, so that the place of each operand in its frame is known here: loops keep
//! their count there, handlers their exception, `async with` its object.
//!
//! Not here: the steps themselves, which have a file for each theme.

mod blocks;
mod calls;
mod futures;
mod locks;
mod objects;
mod queues;
mod tasks;
mod waiting;

use concurrency_playground::machine::program::CellId;
use concurrency_playground::machine::{Access, Effect, Value};

use super::syntax::Script;
use crate::stack_interpreter::{Build, Code, Op};
use objects::Globals;

/// All codes of a program, functions first, and how many global variables they use.
pub fn lower(script: &Script) -> (Vec<Code>, usize) {
    let globals = Globals::new(&script.objects);
    let n_functions = script.functions.len();
    let mut codes = Vec::new();
    for (number, function) in script.functions.iter().enumerate() {
        let mut lowering = Lowering::new(format!("f{number}"), &globals, n_functions);
        if number == 0 {
            lowering.prologue(script);
        }
        lowering.steps(&function.body);
        lowering.emit(Op::Push(Value::Int(function.returns)));
        lowering.emit(Op::Return);
        codes.push(lowering.code);
    }
    for (number, body) in script.callbacks.iter().enumerate() {
        let mut lowering = Lowering::new(format!("c{number}"), &globals, n_functions);
        lowering.steps(body);
        lowering.emit(Op::Push(Value::None));
        lowering.emit(Op::Return);
        codes.push(lowering.code);
    }
    (codes, globals.total)
}

/// The code of one function, so far.
struct Lowering {
    code: Code,
    globals: Globals,
    /// Callbacks are numbered behind the functions.
    n_functions: usize,
    /// Operands of the frame at this point.
    depth: usize,
    /// Where the exceptions stand that are being handled, inner ones last.
    caught: Vec<usize>,
}

impl Lowering {
    fn new(name: String, globals: &Globals, n_functions: usize) -> Self {
        Self {
            code: Code {
                name,
                ..Code::default()
            },
            globals: *globals,
            n_functions,
            depth: 0,
            caught: Vec::new(),
        }
    }

    fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
    }

    fn push(&mut self, value: impl Into<Value>) {
        self.emit(Op::Push(value.into()));
    }

    fn call(&mut self, name: &'static str, build: Build) {
        self.emit(Op::Do(name, build));
    }

    /// A call whose answer is not looked at.
    fn call_only(&mut self, name: &'static str, build: Build) {
        self.call(name, build);
        self.emit(Op::Pop);
    }

    fn log(&mut self, step: u32, words: &str, takes: usize) {
        let words = words.to_owned();
        self.emit(Op::Log { step, words, takes });
    }

    fn here(&self) -> usize {
        self.code.ops.len()
    }

    /// A jump to be aimed later.
    fn jump(&mut self, op: fn(usize) -> Op) -> usize {
        self.emit(op(usize::MAX));
        self.here() - 1
    }

    /// Aims a jump at the next instruction.
    fn aim(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.code.ops[jump] {
            Op::Jump(target) | Op::JumpUnless(target) => *target = here,
            other => panic!("{other} is no jump"),
        }
    }

    fn read(&mut self, cell: usize) {
        self.push(cell as i64);
        self.call("read", |operands| {
            Ok(Effect::Access(Access::Read(CellId(operands.int() as u32))))
        });
    }

    /// Sets a cell to the operand on top.
    fn write(&mut self, cell: usize) {
        self.push(cell as i64);
        self.call_only("write", |operands| {
            let cell = CellId(operands.int() as u32);
            Ok(Effect::Access(Access::Write(cell, operands.value())))
        });
    }

    /// The context of the exception that is being handled.
    fn log_context(&mut self, number: u32) {
        self.emit(Op::Copy(*self.caught.last().expect("only a handler asks")));
        self.emit(Op::Context);
        self.log(number, "context", 1);
    }
}
