//! A program of the tiny language as Python: what CPython runs, and what a person reads when the two differ.
//!
//! Worked example: `Sleep(1500)` as step 3 is `await asyncio.sleep(1500 * US)` and `log(me, 3, "slept")`.
//!
//! Not here: `log`, `US` and the other names that the oracle gives (tests/difference/words.py).

mod lines;
mod names;

use super::syntax::{Block, Catch, Caught, Does, Objects, Order, Script, Step, Until, When};
use lines::{statement, told};
use names::{list, lock, reference, some, us};

/// The source of a module whose `f0` is the main coroutine function: what is never called or named is left out.
pub fn python(script: &Script) -> String {
    let functions: Vec<(String, String)> = functions(script).collect();
    let called = script.called();
    let functions = functions.into_iter().filter(|(name, _)| called.contains(name));
    let functions: String = functions.map(|(_, text)| text).collect();
    let objects = objects(&script.objects).into_iter();
    let named = objects.filter(|(name, _)| functions.contains(&format!("{name}[")));
    let objects: String = named.map(|(name, value)| format!("{name} = {value}\n")).collect();
    objects + &functions
}

/// Each function with its source, by name.
fn functions(script: &Script) -> impl Iterator<Item = (String, String)> {
    let functions = script.functions.iter().enumerate().map(|(number, function)| {
        let mut source = Source::default();
        source.line(&format!("async def f{number}(me):"));
        source.depth += 1;
        if number == 0 {
            if script.is_eager {
                source.line("loop.set_task_factory(asyncio.eager_task_factory)");
            }
            source.line("t[0] = asyncio.current_task()");
        }
        source.steps(&function.body);
        source.line(&format!("return {}", function.returns));
        (format!("f{number}"), source.text)
    });
    let callbacks = script.callbacks.iter().enumerate().map(|(number, body)| {
        let mut source = Source::default();
        source.line(&format!("def c{number}(me):"));
        source.block(body);
        (format!("c{number}"), source.text)
    });
    functions.chain(callbacks)
}

/// Each list of objects with its value, by name.
fn objects(objects: &Objects) -> Vec<(&'static str, String)> {
    let several = |made: &str, count: usize| format!("[{made} for _ in range({count})]");
    let semaphores = objects.semaphores.iter().map(|semaphore| {
        let kind = if semaphore.is_bounded {
            "BoundedSemaphore"
        } else {
            "Semaphore"
        };
        format!("asyncio.{kind}({})", semaphore.value)
    });
    let barriers = objects
        .barriers
        .iter()
        .map(|parties| format!("asyncio.Barrier({parties})"));
    let queues = objects.queues.iter().map(|queue| {
        let kind = match queue.order {
            Order::FirstIn => "Queue",
            Order::LastIn => "LifoQueue",
            Order::Priority => "PriorityQueue",
        };
        format!("asyncio.{kind}({})", queue.most)
    });
    let variables = (0..objects.variables).map(|number| format!("contextvars.ContextVar(\"v{number}\", default=0)"));
    vec![
        ("t", several("loop.create_future()", objects.tasks)),
        ("f", several("loop.create_future()", objects.futures)),
        ("g", several("TaskGroup()", objects.groups)),
        ("w", several("asyncio.Timeout(None)", objects.timeouts)),
        ("h", format!("[None] * {}", objects.handles)),
        ("l", several("asyncio.Lock()", objects.locks)),
        ("s", format!("[{}]", list(semaphores))),
        ("d", several("asyncio.Condition()", objects.conditions)),
        ("e", several("asyncio.Event()", objects.events)),
        ("b", format!("[{}]", list(barriers))),
        ("q", format!("[{}]", list(queues))),
        ("v", format!("[{}]", list(variables))),
        ("x", format!("[0] * {}", objects.cells)),
    ]
}

#[derive(Default)]
struct Source {
    text: String,
    depth: usize,
}

impl Source {
    fn line(&mut self, line: &str) {
        self.text.push_str(&"    ".repeat(self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn block(&mut self, block: &Block) {
        self.depth += 1;
        self.steps(block);
        if block.is_empty() {
            self.line("pass");
        }
        self.depth -= 1;
    }

    fn steps(&mut self, block: &Block) {
        for Step { number, does } in block {
            self.step(*number, does);
        }
    }

    /// A line of the log: the step, and what came of it.
    fn log(&mut self, number: u32, what: &str) {
        self.line(&format!("log(me, {number}, {what})"));
    }

    /// Steps with blocks of their own; all others are lines.
    fn step(&mut self, number: u32, does: &Does) {
        match does {
            Does::Try { body, catches, finally } => {
                if catches.is_empty() && finally.is_none() {
                    return self.steps(body);
                }
                self.line("try:");
                self.block(body);
                catches.iter().for_each(|catch| self.catch(number, catch));
                if let Some(finally) = finally {
                    self.line("finally:");
                    self.block(finally);
                }
            }
            Does::Repeat(times, body) => {
                self.line(&format!("for _ in range({times}):"));
                self.block(body);
            }
            Does::Forever(pause, body) => {
                self.line("while True:");
                self.depth += 1;
                self.line(&format!("await asyncio.sleep({})", us(*pause)));
                self.line(&format!("log(me, {number})"));
                self.steps(body);
                self.depth -= 1;
            }
            Does::Group { group, is_new, body } => {
                if *is_new {
                    self.line(&format!("g[{group}] = TaskGroup()"));
                }
                self.line(&format!("async with g[{group}]:"));
                self.block(body);
            }
            Does::Timeout { timeout, when, body } => {
                if let Some(when) = when {
                    let made = match when {
                        When::Never => "timeout(None)".to_owned(),
                        When::In(delay) => format!("timeout({})", us(*delay)),
                        When::At(time) => format!("timeout_at(loop.at({}))", us(*time)),
                    };
                    self.line(&format!("w[{timeout}] = asyncio.{made}"));
                }
                self.line(&format!("async with w[{timeout}]:"));
                self.block(body);
            }
            Does::WithVariable(variable, body) => {
                self.line(&format!("token{number} = v[{variable}].set({number})"));
                self.steps(body);
                self.line(&format!("v[{variable}].reset(token{number})"));
            }
            Does::With(lockable, body) => {
                self.line(&format!("async with {}:", lock(*lockable)));
                self.depth += 1;
                self.log(number, "\"has\"");
                self.steps(body);
                self.depth -= 1;
            }
            _ => self.lines(number, does),
        }
    }

    fn catch(&mut self, number: u32, catch: &Catch) {
        let kind = match catch.kind {
            Caught::Cancelled => "asyncio.CancelledError",
            Caught::Timeout => "TimeoutError",
            Caught::ValueError => "ValueError",
            Caught::Own => "Own",
            Caught::Group => "ExceptionGroup",
            Caught::Any => "Exception",
        };
        self.line(&format!("except {kind} as caught:"));
        self.depth += 1;
        self.log(number, "\"caught\", caught");
        self.steps(&catch.body);
        self.depth -= 1;
    }

    fn lines(&mut self, number: u32, does: &Does) {
        let before = match does {
            Does::Call {
                function,
                is_object: true,
            } => vec![format!("c = f{function}(me)")],
            Does::Increment { cell, gives_way, .. } => {
                let pause = gives_way.then(|| "await asyncio.sleep(0)".to_owned());
                let old = Some(format!("old = x[{cell}]"));
                old.into_iter()
                    .chain(pause)
                    .chain([format!("x[{cell}] = old + 1")])
                    .collect()
            }
            Does::Wait { what, until, limit } => {
                let until = match until {
                    Until::First => "FIRST_COMPLETED",
                    Until::Exception => "FIRST_EXCEPTION",
                    Until::All => "ALL_COMPLETED",
                };
                let limit = some(*limit);
                vec![
                    format!("of = [{}]", list(what.iter().map(|what| reference(*what)))),
                    format!("done, pending = await asyncio.wait(of, timeout={limit}, return_when=asyncio.{until})"),
                ]
            }
            Does::AsCompleted { what, limit, is_plain } => {
                let all = list(what.iter().map(|what| reference(*what)));
                let each = if *is_plain { "for" } else { "async for" };
                vec![
                    format!("of = [{all}]"),
                    format!("{each} one in as_completed(of, timeout={}):", some(*limit)),
                ]
            }
            _ => statement(number, does).into_iter().collect(),
        };
        before.iter().for_each(|line| self.line(line));
        match does {
            Does::AsCompleted { is_plain: true, .. } => {
                self.line(&format!("    log(me, {number}, \"completed\", await one)"))
            }
            Does::AsCompleted { .. } => self.line(&format!("    log(me, {number}, \"completed\", of.index(one))")),
            Does::Log => self.line(&format!("log(me, {number})")),
            _ => {
                if let Some(what) = told(number, does) {
                    self.log(number, &what);
                }
            }
        }
    }
}
