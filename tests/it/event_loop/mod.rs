//! The event loop's behaviour, through its public face: `async fn`s run alone in virtual time.
//!
//! [`rows`] are the recorded rows by number. The others are what CPython's own test files check (3.13's, the newest at
//! hand), each behaviour as a test of ours. What is left out has no counterpart here: `repr`s, constructors that refuse
//! an argument, awaiting what is no awaitable, `KeyboardInterrupt`, subclasses.
//!
//! | CPython's file | here | behaviours covered |
//! |---|---|---|
//! | `test_taskgroups.py` | `groups`, `groups_in_detail` | 35 of 39: not `KeyboardInterrupt` and base exceptions |
//! | `test_timeouts.py` | `time_limits` | 30 of 34: not the four `repr`s |
//! | `test_waitfor.py` | `wait_for` | 19 of 19 |
//! | `test_locks.py` | `locks`, `conditions`, `semaphores`, `barriers` | 63 of 75: not `repr`s, wrong arguments, several loops |
//! | `test_queues.py` | `queues` | 34 of 41: not `repr`s, generic aliases, sizes that are no whole numbers |
//! | `test_eager_task_factory.py` | `tasks` | 11 of 15 in kind: not the factories themselves |
//! | `test_futures.py` | `futures` | those of results, exceptions and callbacks |
//! | `test_tasks.py` | `tasks`, `cancellation`, `several`, `gathering` | those of tasks, contexts, wait, gather, shield |
//! | `test_base_events.py`, `test_runners.py` | `running` | those of callbacks, timers and the end of a run |
mod barriers;
mod cancellation;
mod conditions;
mod futures;
mod gathering;
mod groups;
mod groups_in_detail;
mod later_rows;
mod locks;
mod queues;
mod rows;
mod running;
mod semaphores;
mod several;
mod tasks;
mod time_limits;
mod wait_for;

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::rc::Rc;

use concurrency_playground::machine::event_loop::{Complaint, Driven, EventLoop, LoopSettings, Stop, drive};
use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::trace::Recorder;
use concurrency_playground::machine::{Exception, Kind, Nanoseconds, Outcome, Value};

/// What a test's programs write down, each line with the time if asked for.
#[derive(Clone, Default)]
struct Log(Rc<RefCell<Vec<String>>>);

impl Log {
    fn say(&self, what: impl Display) {
        self.0.borrow_mut().push(what.to_string());
    }

    /// What happened at which second.
    async fn at(&self, here: &Here, what: impl Display) {
        let now = here.time().await.expect("it runs on a loop");
        self.say(format!("{what} @{}", now.as_seconds()));
    }

    fn lines(&self) -> Vec<String> {
        self.0.borrow().clone()
    }
}

/// A run that is over.
struct Ran {
    stop: Stop,
    log: Vec<String>,
    now: Nanoseconds,
    event_loop: EventLoop,
}

impl Ran {
    /// What the main program gave.
    #[track_caller]
    fn value(&self) -> Value {
        match &self.stop {
            Stop::Ended(Ok(value)) => value.clone(),
            other => panic!("it ended otherwise: {other:?}"),
        }
    }

    /// What the main program raised.
    #[track_caller]
    fn raised(&self) -> Exception {
        match &self.stop {
            Stop::Ended(Err(exception)) => exception.clone(),
            other => panic!("it ended otherwise: {other:?}"),
        }
    }

    fn complaints(&self) -> &[Complaint] {
        self.event_loop.complaints()
    }
}

fn run<Body>(main: impl FnOnce(Here, Log) -> Body) -> Ran
where
    Body: Future<Output = Outcome> + 'static,
{
    run_with(LoopSettings::default(), main)
}

fn run_with<Body>(settings: LoopSettings, main: impl FnOnce(Here, Log) -> Body) -> Ran
where
    Body: Future<Output = Outcome> + 'static,
{
    let log = Log::default();
    let here = Here::new();
    let main = program(&here, |here| main(here, log.clone()));
    let Driven { stop, now, event_loop } = drive(settings, main, 1_000_000, &mut Recorder::off());
    Ran {
        stop,
        log: log.lines(),
        now,
        event_loop,
    }
}

/// A run that must end well; what it is about is asserted inside.
#[track_caller]
fn ok<Body>(main: impl FnOnce(Here) -> Body)
where
    Body: Future<Output = Outcome> + 'static,
{
    run(|here, _| main(here)).value();
}

/// The log of a run that ended well.
#[track_caller]
fn log_of<Body>(main: impl FnOnce(Here, Log) -> Body) -> Vec<String>
where
    Body: Future<Output = Outcome> + 'static,
{
    let ran = run(main);
    ran.value();
    ran.log
}

const fn seconds(n: u64) -> Nanoseconds {
    Nanoseconds::seconds(n)
}

const fn millis(n: u64) -> Nanoseconds {
    Nanoseconds::millis(n)
}

fn value_error() -> Exception {
    Exception::own("ValueError", Value::None)
}

/// What a sleep that must be cancelled raised.
async fn cancelled_sleep(here: &Here) -> Exception {
    let slept = here.sleep(seconds(1_000)).await;
    slept.expect_err("somebody cancels it")
}

/// A counter that several programs share.
#[derive(Clone, Default)]
struct Count(Rc<Cell<i64>>);

impl Count {
    fn add(&self, n: i64) {
        self.0.set(self.0.get() + n);
    }

    fn get(&self) -> i64 {
        self.0.get()
    }
}

const GIVE_WAY: Nanoseconds = Nanoseconds::ZERO;

fn zero_division() -> Exception {
    Exception::own("ZeroDivisionError", Value::None)
}

fn done() -> Outcome {
    Ok(Value::None)
}

/// An exception as a test writes it down: `Timeout`, `ValueError`, `Group[ValueError]`.
fn shown(exception: &Exception) -> String {
    match exception.kind() {
        Kind::Own => exception.message().to_owned(),
        Kind::Group => {
            let all: Vec<String> = exception.exceptions().iter().map(shown).collect();
            format!("Group[{}]", all.join(", "))
        }
        kind => format!("{kind:?}"),
    }
}

/// How something ended, as a test writes it down.
fn ended<T>(outcome: &Result<T, Exception>) -> String {
    outcome.as_ref().map_or_else(shown, |_| "ok".to_owned())
}
