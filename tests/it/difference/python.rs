//! A program of the tiny language as Python: what CPython runs, and what a person reads when the two differ.
//!
//! Worked example: `Sleep(1500)` as step 3 is `await asyncio.sleep(1500 * US)` and `log(me, 3, "slept")`.
//!
//! Not here: `log`, `US` and the other names that the oracle gives (tests/difference/words.py).

use super::syntax::{
    Block, Catch, Caught, Does, Lockable, Order, Raised, Ref, Script, Settled, Step, Until, What, When,
};

/// The source of a module whose `f0` is the main coroutine function.
pub fn python(script: &Script) -> String {
    let mut source = Source::default();
    source.objects(script);
    for (number, function) in script.functions.iter().enumerate() {
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
        source.depth -= 1;
    }
    for (number, body) in script.callbacks.iter().enumerate() {
        source.line(&format!("def c{number}(me):"));
        source.block(body);
    }
    source.text
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

    fn objects(&mut self, script: &Script) {
        let objects = &script.objects;
        self.line(&format!("t = [loop.create_future() for _ in range({})]", objects.tasks));
        self.line(&format!("f = [loop.create_future() for _ in range({})]", objects.futures));
        self.line(&format!("g = [TaskGroup() for _ in range({})]", objects.groups));
        self.line(&format!("w = [asyncio.Timeout(None) for _ in range({})]", objects.timeouts));
        self.line(&format!("h = [None] * {}", objects.handles));
        self.line(&format!("l = [asyncio.Lock() for _ in range({})]", objects.locks));
        let semaphores = objects.semaphores.iter().map(|semaphore| {
            let kind = if semaphore.is_bounded { "BoundedSemaphore" } else { "Semaphore" };
            format!("asyncio.{kind}({})", semaphore.value)
        });
        self.line(&format!("s = [{}]", list(semaphores)));
        self.line(&format!("d = [asyncio.Condition() for _ in range({})]", objects.conditions));
        self.line(&format!("e = [asyncio.Event() for _ in range({})]", objects.events));
        let barriers = objects.barriers.iter().map(|parties| format!("asyncio.Barrier({parties})"));
        self.line(&format!("b = [{}]", list(barriers)));
        let queues = objects.queues.iter().map(|queue| {
            let kind = match queue.order {
                Order::FirstIn => "Queue",
                Order::LastIn => "LifoQueue",
                Order::Priority => "PriorityQueue",
            };
            format!("asyncio.{kind}({})", queue.most)
        });
        self.line(&format!("q = [{}]", list(queues)));
        let variables = (0..objects.variables).map(|number| format!("contextvars.ContextVar(\"v{number}\", default=0)"));
        self.line(&format!("v = [{}]", list(variables)));
        self.line(&format!("x = [0] * {}", objects.cells));
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
            Does::Call { function, is_object: true } => vec![format!("c = f{function}(me)")],
            Does::Increment { cell, gives_way, .. } => {
                let pause = gives_way.then(|| "await asyncio.sleep(0)".to_owned());
                let old = Some(format!("old = x[{cell}]"));
                old.into_iter().chain(pause).chain([format!("x[{cell}] = old + 1")]).collect()
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
            Does::AsCompleted { is_plain: true, .. } => self.line(&format!("    log(me, {number}, \"completed\", await one)")),
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

/// A step that is one line and gives nothing worth telling, or nothing at all.
fn statement(number: u32, does: &Does) -> Option<String> {
    let label = format!("me + \".{number}\"");
    let text = match does {
        Does::Sleep(time) => format!("await asyncio.sleep({})", us(*time)),
        Does::Block(time) => format!("loop.block({})", us(*time)),
        Does::Forget(function) => format!("f{function}(me)"),
        Does::Raise(raised) => match raised {
            Raised::ValueError => format!("raise ValueError(\"v{number}\")"),
            Raised::Own => format!("raise Own({number})"),
            Raised::RuntimeError => format!("raise RuntimeError(\"r{number}\")"),
            Raised::Timeout => format!("raise TimeoutError(\"t{number}\")"),
            Raised::Cancelled => format!("raise asyncio.CancelledError(\"c{number}\")"),
            Raised::Again => "raise".to_owned(),
        },
        Does::SetVariable(variable) => format!("v[{variable}].set({number})"),
        Does::Spawn { task, function, is_eager } => {
            format!("t[{task}] = asyncio.create_task(f{function}({label}){})", eager(*is_eager))
        }
        Does::GroupSpawn { group, task, function, is_eager } => {
            format!("t[{task}] = g[{group}].create_task(f{function}({label}){})", eager(*is_eager))
        }
        Does::WhenDone { what, callback } => {
            format!("{}.add_done_callback(lambda _: c{callback}({label}))", reference(*what))
        }
        Does::MakeFuture(future) => format!("f[{future}] = loop.create_future()"),
        Does::Settle { future, with } => match with {
            Settled::Value => format!("f[{future}].set_result({number})"),
            Settled::Exception => format!("f[{future}].set_exception(Own({number}))"),
            Settled::Cancelled => format!("f[{future}].cancel()"),
        },
        Does::CallSoon { callback, handle } => format!("h[{handle}] = loop.call_soon(c{callback}, {label})"),
        Does::CallLater { callback, handle, delay } => {
            format!("h[{handle}] = loop.call_later({}, c{callback}, {label})", us(*delay))
        }
        Does::CallAt { callback, handle, time } => {
            format!("h[{handle}] = loop.call_at(loop.at({}), c{callback}, {label})", us(*time))
        }
        Does::CancelHandle(handle) => format!("if h[{handle}]: h[{handle}].cancel()"),
        Does::Reschedule { timeout, when } => {
            let when = match when {
                When::Never => "None".to_owned(),
                When::In(delay) => format!("loop.time() + {}", us(*delay)),
                When::At(time) => format!("loop.at({})", us(*time)),
            };
            format!("w[{timeout}].reschedule({when})")
        }
        Does::Release(lockable) => format!("{}.release()", lock(*lockable)),
        Does::Notify(condition, count) => format!("d[{condition}].notify({count})"),
        Does::NotifyAll(condition) => format!("d[{condition}].notify_all()"),
        Does::EventSet(event) => format!("e[{event}].set()"),
        Does::EventClear(event) => format!("e[{event}].clear()"),
        Does::BarrierAbort(barrier) => format!("await b[{barrier}].abort()"),
        Does::BarrierReset(barrier) => format!("await b[{barrier}].reset()"),
        Does::Put(queue, item) => format!("await q[{queue}].put({item})"),
        Does::PutNow(queue, item) => format!("q[{queue}].put_nowait({item})"),
        Does::TaskDone(queue) => format!("q[{queue}].task_done()"),
        Does::Join(queue) => format!("await q[{queue}].join()"),
        Does::ShutDown(queue, false) => format!("q[{queue}].shutdown()"),
        Does::ShutDown(queue, true) => format!("q[{queue}].shutdown(immediate=True)"),
        _ => return None,
    };
    Some(text)
}

/// What a step tells the log when it is over: a word, and a value where it gives one.
fn told(number: u32, does: &Does) -> Option<String> {
    let text = match does {
        Does::Say(words) => format!("\"{words}\""),
        Does::Sleep(_) => "\"slept\"".to_owned(),
        Does::Block(_) => "\"blocked\"".to_owned(),
        Does::Time => "\"time\", loop.time() // TICKS".to_owned(),
        Does::Call { is_object: true, .. } => "\"returned\", await c".to_owned(),
        Does::Call { function, .. } => format!("\"returned\", await f{function}(me)"),
        Does::LookContext => "\"context\", context(caught)".to_owned(),
        Does::Increment { is_told: true, .. } => "\"wrote\", old + 1".to_owned(),
        Does::GetVariable(variable) => format!("\"variable\", v[{variable}].get()"),
        Does::CountTasks => "\"tasks\", len(asyncio.all_tasks())".to_owned(),
        Does::Await(what) => format!("\"got\", await {}", reference(*what)),
        Does::AwaitSelf => "\"got\", await asyncio.current_task()".to_owned(),
        Does::Cancel { what, has_message } => {
            format!("\"cancels\", {}.cancel({})", reference(*what), message(number, *has_message))
        }
        Does::CancelSelf { has_message } => {
            format!("\"cancels\", asyncio.current_task().cancel({})", message(number, *has_message))
        }
        Does::Uncancel => "\"uncancels\", asyncio.current_task().uncancel()".to_owned(),
        Does::Cancelling => "\"cancelling\", asyncio.current_task().cancelling()".to_owned(),
        Does::IsDone(what) => {
            let what = reference(*what);
            format!("\"done\", {what}.done(), {what}.cancelled()")
        }
        Does::Result(what) => format!("\"result\", {}.result()", reference(*what)),
        Does::Exception(what) => format!("\"exception\", {}.exception()", reference(*what)),
        Does::LookTimeout(timeout) => format!("\"timeout\", w[{timeout}].expired(), since(w[{timeout}].when())"),
        Does::WaitFor { what: one, limit } => {
            format!("\"got\", await asyncio.wait_for({}, {})", what(number, 0, *one), some(*limit))
        }
        Does::Gather { what: all, returns_exceptions } => {
            let all = list(all.iter().enumerate().map(|(place, one)| what(number, place, *one)));
            let option = if *returns_exceptions { ", return_exceptions=True" } else { "" };
            format!("\"gathered\", await asyncio.gather(*[{all}]{option})")
        }
        Does::Wait { .. } => "\"waited\", places(of, done), places(of, pending)".to_owned(),
        Does::Shield(one) => format!("\"got\", await asyncio.shield({})", what(number, 0, *one)),
        Does::Acquire(lockable) => format!("\"acquired\", await {}.acquire()", lock(*lockable)),
        Does::Release(_) => "\"released\"".to_owned(),
        Does::IsLocked(lockable) => format!("\"locked\", {}.locked()", lock(*lockable)),
        Does::ConditionWait(condition) => format!("\"woken\", await d[{condition}].wait()"),
        Does::ConditionWaitFor { condition, cell, least } => {
            format!("\"woken\", await d[{condition}].wait_for(lambda: x[{cell}] >= {least})")
        }
        Does::EventWait(event) => format!("\"woken\", await e[{event}].wait()"),
        Does::IsSet(event) => format!("\"set\", e[{event}].is_set()"),
        Does::BarrierWait(barrier) => format!("\"place\", await b[{barrier}].wait()"),
        Does::BarrierAbort(_) | Does::BarrierReset(_) => "\"over\"".to_owned(),
        Does::LookBarrier(barrier) => format!("\"barrier\", b[{barrier}].n_waiting, b[{barrier}].broken"),
        Does::Put(..) | Does::PutNow(..) => "\"put\"".to_owned(),
        Does::Get(queue) => format!("\"got\", await q[{queue}].get()"),
        Does::GetNow(queue) => format!("\"got\", q[{queue}].get_nowait()"),
        Does::Join(_) => "\"joined\"".to_owned(),
        Does::LookQueue(queue) => format!("\"queue\", q[{queue}].qsize(), q[{queue}].empty(), q[{queue}].full()"),
        _ => return None,
    };
    Some(text)
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

fn us(time: i64) -> String {
    if time == 0 { "0".to_owned() } else { format!("{time} * US") }
}

fn some(time: Option<i64>) -> String {
    time.map_or_else(|| "None".to_owned(), us)
}

fn eager(is_eager: bool) -> &'static str {
    if is_eager { ", eager_start=True" } else { "" }
}

fn message(number: u32, has_message: bool) -> String {
    if has_message { format!("\"m{number}\"") } else { String::new() }
}

fn reference(what: Ref) -> String {
    match what {
        Ref::Task(task) => format!("t[{task}]"),
        Ref::Future(future) => format!("f[{future}]"),
    }
}

fn what(number: u32, place: usize, what: What) -> String {
    match what {
        What::Ref(what) => reference(what),
        What::Function(function) => format!("f{function}(me + \".{number}.{place}\")"),
    }
}

fn lock(lockable: Lockable) -> String {
    match lockable {
        Lockable::Lock(lock) => format!("l[{lock}]"),
        Lockable::Semaphore(semaphore) => format!("s[{semaphore}]"),
        Lockable::Condition(condition) => format!("d[{condition}]"),
    }
}
