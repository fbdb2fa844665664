//! What all codes of one run share: the codes, the global variables and the log.
//!
//! Not here: who writes into it.

use std::cell::RefCell;

use concurrency_playground::machine::{Exception, Kind, Value};

use super::Code;

/// More says nothing new: a program that goes on for ever has shown what it does.
const MOST_LINES: usize = 400;

/// One run's codes and globals.
pub struct World {
    pub codes: Vec<Code>,
    pub globals: RefCell<Vec<Value>>,
    pub log: RefCell<Log>,
}

impl World {
    pub fn new(codes: Vec<Code>, n_globals: usize) -> Self {
        Self {
            codes,
            globals: RefCell::new(vec![Value::None; n_globals]),
            log: RefCell::default(),
        }
    }
}

/// What the programs of one run said, in lines: when, who, at which step, what.
#[derive(Default)]
pub struct Log {
    pub lines: Vec<String>,
}

impl Log {
    pub fn write(&mut self, now: i64, line: &str) {
        if !self.is_full() {
            self.lines.push(format!("{now} {line}"));
        }
    }

    pub fn is_full(&self) -> bool {
        self.lines.len() >= MOST_LINES
    }
}

/// A value as Python's `repr` writes it.
pub fn show(value: &Value) -> String {
    match value {
        Value::None => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Text(text) => format!("'{text}'"),
        Value::Handle(handle) => format!("<{handle:x}>"),
        Value::List(values) => format!("[{}]", values.iter().map(show).collect::<Vec<_>>().join(", ")),
        Value::Exception(exception) => describe(exception),
    }
}

/// An exception by its name in Python, what is in it, and what it was raised from.
pub fn describe(exception: &Exception) -> String {
    let members = || {
        exception
            .exceptions()
            .iter()
            .map(describe)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let text = match exception.kind() {
        Kind::Group => format!("ExceptionGroup[{}]", members()),
        Kind::Own if *exception.value() == Value::None => format!("{}()", exception.message()),
        Kind::Own => format!("{}({})", exception.message(), show(exception.value())),
        kind => format!("{}({})", name(kind), without_objects(exception.message())),
    };
    match exception.cause() {
        Some(cause) => format!("{text} from {}", describe(&cause)),
        None => text,
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Cancelled => "CancelledError",
        Kind::Timeout => "TimeoutError",
        Kind::RuntimeError => "RuntimeError",
        Kind::InvalidState => "InvalidStateError",
        Kind::ValueError => "ValueError",
        Kind::QueueEmpty => "QueueEmpty",
        Kind::QueueFull => "QueueFull",
        Kind::QueueShutDown => "QueueShutDown",
        Kind::BrokenBarrier => "BrokenBarrierError",
        Kind::Group => "ExceptionGroup",
        _ => "Exception",
    }
}

/// A message tells an object by what it looks like inside: not compared.
fn without_objects(message: &str) -> String {
    let mut text = String::new();
    let mut depth = 0_u32;
    for letter in message.chars() {
        match letter {
            '<' => depth += 1,
            '>' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    text.push('…');
                }
            }
            _ if depth == 0 => text.push(letter),
            _ => {}
        }
    }
    text
}
