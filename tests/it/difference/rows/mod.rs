//! The A rows of the table of behaviours as programs, each with what it says; and what random programs have found.
//!
//! A line is the second, who, and what; what only tells that a sleep or a blocking step is over is left out. CPython runs
//! the same programs (`run.mjs`), so that the expectations themselves are checked.
//!
//! Not here: the rows of threads.

mod cancelling;
mod found;
mod gathering;
mod groups;
mod order;
mod primitives;
mod timeouts;
mod whole_programs;

use concurrency_playground::machine::Nanoseconds;

use super::run::run;
use super::syntax::{Block, Catch, Caught, Does, Function, Objects, Order, Queue, Ref, Script, Semaphore, Step, When};

/// One row.
pub struct Row {
    pub name: &'static str,
    pub script: Script,
    pub says: Vec<&'static str>,
}

const SECOND: i64 = 1_000_000;

/// All rows.
pub fn rows() -> Vec<Row> {
    let themes = [
        order::rows(),
        gathering::rows(),
        groups::rows(),
        timeouts::rows(),
        cancelling::rows(),
        primitives::rows(),
        whole_programs::rows(),
        found::rows(),
    ];
    themes.into_iter().flatten().collect()
}

/// One row by its name.
pub fn row(name: &str) -> Row {
    rows()
        .into_iter()
        .find(|row| row.name == name)
        .unwrap_or_else(|| panic!("there is no row {name}"))
}

impl Row {
    /// Runs it and compares what it says.
    pub fn check(&self) {
        let log = run(&self.script, None);
        let told: Vec<String> = log.lines().filter_map(told).collect();
        let ends = self.says.iter().any(|line| line.contains(" run "));
        let told = told.iter().filter(|line| ends || !line.contains(" run "));
        assert_eq!(told.collect::<Vec<_>>(), self.says, "{}", self.name);
    }
}

/// A line of the log as a row writes it: the second, who, what; nothing of steps that are only over.
fn told(line: &str) -> Option<String> {
    let mut words = line.splitn(4, ' ');
    let (time, who) = (words.next()?, words.next()?);
    let time = Nanoseconds(time.parse().expect("a line begins with the time")).to_string();
    let time = time.trim_end_matches(" s");
    if who == "run" {
        return Some(format!("{time} run {}", words.collect::<Vec<_>>().join(" ")));
    }
    let _step = words.next()?;
    let what = words.next().unwrap_or_default();
    (what != "slept" && what != "blocked").then(|| format!("{time} {who} {what}"))
}

fn program(name: &'static str, functions: Vec<Vec<Does>>, callbacks: Vec<Vec<Does>>, says: &[&'static str]) -> Row {
    let function = |body| Function {
        body: block(body),
        returns: 0,
    };
    let mut script = Script {
        is_eager: false,
        objects: Objects {
            tasks: 12,
            futures: 1,
            groups: 1,
            timeouts: 2,
            handles: 4,
            locks: 2,
            semaphores: vec![
                Semaphore {
                    value: 2,
                    is_bounded: false,
                },
                Semaphore {
                    value: 1,
                    is_bounded: false,
                },
            ],
            conditions: 1,
            events: 1,
            barriers: vec![2],
            queues: vec![Queue {
                order: Order::FirstIn,
                most: 2,
            }],
            variables: 1,
            cells: 1,
        },
        functions: functions.into_iter().map(function).collect(),
        callbacks: callbacks.into_iter().map(block).collect(),
    };
    script.renumber();
    Row {
        name,
        script,
        says: says.to_vec(),
    }
}

fn block(steps: Vec<Does>) -> Block {
    steps.into_iter().map(|does| Step { number: 0, does }).collect()
}

fn say(words: &str) -> Does {
    Does::Say(words.to_owned())
}

fn sleep(seconds: i64) -> Does {
    Does::Sleep(seconds * SECOND)
}

fn spawn(task: usize, function: usize) -> Does {
    Does::Spawn {
        task,
        function,
        is_eager: false,
    }
}

fn task(task: usize) -> Does {
    Does::Await(Ref::Task(task))
}

fn cancel(task: usize) -> Does {
    Does::Cancel {
        what: Ref::Task(task),
        has_message: false,
    }
}

fn catching(body: Vec<Does>, kind: Caught, handler: Vec<Does>) -> Does {
    let catches = vec![Catch {
        kind,
        body: block(handler),
    }];
    Does::Try {
        body: block(body),
        catches,
        finally: None,
    }
}

fn finally(body: Vec<Does>, finally: Vec<Does>) -> Does {
    Does::Try {
        body: block(body),
        catches: Vec::new(),
        finally: Some(block(finally)),
    }
}

fn group(body: Vec<Does>) -> Does {
    Does::Group {
        group: 0,
        is_new: true,
        body: block(body),
    }
}

fn group_spawn(task: usize, function: usize) -> Does {
    Does::GroupSpawn {
        group: 0,
        task,
        function,
        is_eager: false,
    }
}

fn timeout(timeout: usize, seconds: i64, body: Vec<Does>) -> Does {
    Does::Timeout {
        timeout,
        when: Some(When::In(seconds * SECOND)),
        body: block(body),
    }
}
