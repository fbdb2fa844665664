//! Machines with one program to its end, and what the tests look at.

use std::cell::RefCell;
use std::rc::Rc;

use concurrency_playground::machine::front::{Here, program};
use concurrency_playground::machine::threads::{Costs, Machine, MachineSettings, Progress, ThreadId};
use concurrency_playground::machine::{Exception, Kind, Nanoseconds, Outcome, Value};
use concurrency_playground::wire::Runtime;

/// More effects than any test needs.
const ENOUGH: u64 = 50_000_000;

pub type Gives<T> = Result<T, Exception>;

pub const NOTHING: Outcome = Ok(Value::None);

pub fn ms(n: u64) -> Nanoseconds {
    Nanoseconds::millis(n)
}

pub fn us(n: u64) -> Nanoseconds {
    Nanoseconds::micros(n)
}

/// The ideal machine with so many cores.
pub fn ideal(cores: u32) -> MachineSettings {
    MachineSettings {
        cores,
        logical_cores: cores,
        ..MachineSettings::default()
    }
}

pub fn with_runtime(cores: u32, runtime: Runtime) -> MachineSettings {
    MachineSettings {
        runtime,
        ..ideal(cores)
    }
}

/// A machine on which waking, switching and calls take what they take on a Linux machine, give or take.
pub fn rough(cores: u32) -> MachineSettings {
    MachineSettings {
        costs: Costs {
            context_switch: us(2),
            wake_up: us(8),
            timer_slack: us(55),
            thread_start: us(30),
            thread_begin: us(20),
            lock_call: Nanoseconds(60),
            queue_call: us(2),
            poll: us(1),
            compute_jitter_permille: 10,
            core_phase: true,
            ..Costs::IDEAL
        },
        ..ideal(cores)
    }
}

/// A machine whose main thread runs this.
pub fn machine<Running>(settings: MachineSettings, body: impl FnOnce(Here) -> Running) -> Machine
where
    Running: Future<Output = Outcome> + 'static,
{
    let mut machine = Machine::new(settings);
    machine.start(program(&Here::new(), body));
    machine
}

/// A machine whose main thread runs an event loop with this.
pub fn loop_machine<Running>(settings: MachineSettings, body: impl FnOnce(Here) -> Running) -> Machine
where
    Running: Future<Output = Outcome> + 'static,
{
    let mut machine = Machine::new(settings);
    machine.start_loop(program(&Here::new(), body));
    machine
}

/// Runs to the end, in slices, and gives the main program's outcome.
pub fn outcome(machine: &mut Machine) -> Outcome {
    loop {
        match machine.run(10_000) {
            Progress::Paused => assert!(machine.steps() < ENOUGH, "it does not end"),
            Progress::Ended(outcome) => return outcome,
            other => panic!("{other:?} at {}", machine.now()),
        }
    }
}

/// Runs to whatever it comes to.
pub fn run(machine: &mut Machine) -> Progress {
    machine.run(ENOUGH)
}

/// Runs a program on a machine and gives the machine after its good end.
pub fn ended<Running>(settings: MachineSettings, body: impl FnOnce(Here) -> Running) -> Machine
where
    Running: Future<Output = Outcome> + 'static,
{
    let mut machine = machine(settings, body);
    outcome(&mut machine).expect("the program ends well");
    machine
}

/// As [`ended`], on an event loop.
pub fn loop_ended<Running>(settings: MachineSettings, body: impl FnOnce(Here) -> Running) -> Machine
where
    Running: Future<Output = Outcome> + 'static,
{
    let mut machine = loop_machine(settings, body);
    outcome(&mut machine).expect("the program ends well");
    machine
}

/// What a program said, and when.
#[derive(Clone, Debug, Default)]
pub struct Log(Rc<RefCell<Vec<(String, Nanoseconds)>>>);

impl Log {
    pub async fn say(&self, here: &Here, what: impl Into<String>) {
        let now = here.now().await;
        self.0.borrow_mut().push((what.into(), now));
    }

    pub fn words(&self) -> Vec<String> {
        self.0.borrow().iter().map(|(what, _)| what.clone()).collect()
    }

    /// In order, each with its time in milliseconds: `a@0 b@10`.
    pub fn timed(&self) -> String {
        let lines = self.0.borrow();
        let words = lines.iter().map(|(what, at)| format!("{what}@{}", at.as_millis()));
        words.collect::<Vec<String>>().join(" ")
    }

    pub fn times(&self) -> Vec<Nanoseconds> {
        self.0.borrow().iter().map(|(_, at)| *at).collect()
    }
}

/// The kind of exception that came out.
pub fn kind<T: std::fmt::Debug>(outcome: Result<T, Exception>) -> Kind {
    outcome.expect_err("it raises").kind()
}

/// The kind and message of the exception that came out.
pub fn complaint<T: std::fmt::Debug>(outcome: Result<T, Exception>) -> (Kind, String) {
    let exception = outcome.expect_err("it raises");
    (exception.kind(), exception.message().to_owned())
}

/// Something that threads of a test add to.
#[derive(Debug)]
pub struct List<T>(Rc<RefCell<Vec<T>>>);

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T: Clone> List<T> {
    pub fn new() -> Self {
        Self(Rc::default())
    }

    pub fn add(&self, item: T) {
        self.0.borrow_mut().push(item);
    }

    pub fn all(&self) -> Vec<T> {
        self.0.borrow().clone()
    }

    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }
}

/// Threads that run the same, each with its number from 0.
pub async fn bunch<Running>(
    here: &Here,
    n_threads: u32,
    body: impl Fn(Here, u32) -> Running + Clone + 'static,
) -> Gives<Vec<ThreadId>>
where
    Running: Future<Output = Outcome> + 'static,
{
    let mut threads = Vec::new();
    for number in 0..n_threads {
        let body = body.clone();
        threads.push(here.start_thread(move |here| body(here, number)).await?);
    }
    Ok(threads)
}

pub async fn join_all(here: &Here, threads: Vec<ThreadId>) -> Gives<()> {
    for thread in threads {
        here.join_thread(thread, None).await?;
    }
    Ok(())
}

/// Machines on which a behaviour must be the same: one core and many, with and without costs, every runtime.
pub fn everywhere() -> Vec<MachineSettings> {
    let mut all = vec![ideal(1), ideal(4)];
    for runtime in [Runtime::GilLegacy, Runtime::Gil, Runtime::FreeThreaded] {
        for (cores, seed) in [(1, 1), (2, 2), (4, 3)] {
            all.push(MachineSettings {
                runtime,
                seed,
                ..rough(cores)
            });
        }
    }
    all
}

/// Runs a program on all of these machines to its good end; nothing may be complained of.
pub fn check<Running>(body: impl Fn(Here) -> Running)
where
    Running: Future<Output = Outcome> + 'static,
{
    for settings in everywhere() {
        let machine = ended(settings, &body);
        assert!(machine.complaints().is_empty(), "{:?}", machine.complaints());
    }
}

/// Whether about so much time has passed: a machine's wake-ups take a little.
pub fn is_about(passed: Nanoseconds, expected: Nanoseconds) -> bool {
    expected <= passed && passed.since(expected) <= ms(1) + Nanoseconds(expected.0 / 20)
}
