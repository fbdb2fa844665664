//! What the benchmarks have the machine do: a few loads, the same natively and in a browser.
//!
//! Built with the feature `bench` only, so nothing of it ships. Not here: clocks, and anything to compare with.

use crate::explore::small::{
    CellId as CellIdOfSmall, Line, Operand, RegisterId, SmallProgram, SmallSystem, Step, Variable,
};
use crate::explore::{Coverage, Search, SearchLimits, SearchPhase};
use crate::machine::event_loop::{LoopCall, Waitable};
use crate::machine::front::{Here, program};
use crate::machine::program::CellId;
use crate::machine::threads::{Costs, Failures, Latency, Machine, MachineSettings, NewEndpoint, Progress};
use crate::machine::trace::Timeline;
use crate::machine::{Effect, Input, Nanoseconds, Outcome, Program, Value};
use crate::switch_points::{Grain, Operation};
use crate::wire::Runtime;

/// The loads, each with the size at which it is measured.
pub const LOADS: [(&str, u64); 7] = [
    ("effects", 3_000_000),
    ("effects-traced", 3_000_000),
    ("effects-on-four", 3_000_000),
    ("timers", 1_000_000),
    ("sleeps", 1_000_000),
    ("tasks", 100_000),
    ("fan-out", 10_000),
];

/// Effects of the run that is gone back in.
pub const LONG_RUN: u64 = 10_000_000;

/// Places of a log that are gone to, each from the one before.
const PLACES: u32 = 40;

/// Timers that are pending while others fire.
pub const PENDING: u64 = 100_000;

/// Counters whose schedules are all searched: threads, and additions of each.
pub const COUNTERS: [(u8, u8); 6] = [(2, 5), (2, 10), (2, 20), (3, 3), (3, 5), (4, 5)];

/// What a load came to.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// Effects.
    pub steps: u64,
    /// Virtual time.
    pub now: Nanoseconds,
}

/// A load by its name, of about this size; none for a name that there is not.
///
/// # Panics
/// The load does not end well, a bug.
#[must_use]
pub fn load(name: &str, size: u64) -> Option<Done> {
    let mut machine = match name {
        "effects" => effects(size, 1, false),
        "effects-traced" => effects(size, 1, true),
        "effects-on-four" => effects(size / 4, 4, false),
        "timers" => on_a_loop(move |here| timers(here, size)),
        "sleeps" => on_a_loop(move |here| sleeps(here, size)),
        "tasks" => on_a_loop(move |here| tasks(here, size)),
        "fan-out" => fan_out(size),
        _ => return None,
    };
    let ended = machine.run(u64::MAX);
    assert!(matches!(ended, Progress::Ended(Ok(_))), "{name} ended in {ended:?}");
    Some(Done {
        steps: machine.steps(),
        now: machine.now(),
    })
}

/// A traced run of so many effects, to go back in. It stands at its end.
///
/// # Panics
/// The run is not written down, a bug.
#[must_use]
pub fn traced(size: u64) -> Timeline {
    let mut machine = effects(size, 1, true);
    machine.run(u64::MAX);
    let now = machine.now();
    let log = std::mem::take(machine.recorder_mut()).finish(now);
    Timeline::new(log.expect("the machine was told to write its run down"))
}

/// Threads that read a counter and write it back with one more, `m = 2`, at the finest grain: what searches are compared by.
#[must_use]
pub fn counter(threads: u8, increments: u8) -> SmallProgram {
    let (cell, register) = (CellIdOfSmall(0), RegisterId(0));
    let all = i32::from(threads) * i32::from(increments);
    let mut code = Vec::new();
    for _ in 0..increments {
        let read = Step::Read { cell, into: register };
        let value = Operand::Register(register, 1);
        code.push(Line::after(Operation::LoopBackEdge, read));
        code.push(Line::after(Operation::BetweenBytecodes, Step::Write { cell, value }));
    }
    SmallProgram {
        threads: (0..threads).map(|_| code.clone()).collect(),
        cells: vec![Variable::within("counter", 0, 0, all)],
        registers: vec![Variable::within("r", 0, 0, all)],
        locks: Vec::new(),
        conditions: Vec::new(),
        semaphores: Vec::new(),
        queues: Vec::new(),
        grain: Grain::Access,
    }
}

/// What a search of [`counter`] came to, in milliseconds by a clock.
#[derive(Clone, Copy, Debug)]
pub struct Searched {
    /// Until every schedule was counted.
    pub counting_ms: f64,
    /// Until each outcome had its schedule with the fewest preemptions besides.
    pub all_ms: f64,
    /// Merged states that were counted.
    pub states: u32,
}

/// Searches [`counter`].
///
/// # Panics
/// It is no program, or not searched completely, a bug.
pub fn search(threads: u8, increments: u8, now_ms: fn() -> f64) -> Searched {
    let system = SmallSystem::<1>::new(counter(threads, increments)).expect("a counter fits into a word");
    let start = now_ms();
    let mut search = Search::new(system, SearchLimits::default());
    while search.progress().phase == SearchPhase::Counting && search.go_on(100_000) {}
    let counting_ms = now_ms() - start;
    search.finish();
    let report = search.report().expect("it is finished");
    assert_eq!(report.coverage, Coverage::Complete, "{threads} × {increments}");
    Searched {
        counting_ms,
        all_ms: now_ms() - start,
        states: report.n_states,
    }
}

/// How long each of many jumps to anywhere in the log takes, by this clock.
pub fn jumps(timeline: &mut Timeline, now_ms: fn() -> f64) -> Vec<f64> {
    let n_events = u64::from(timeline.log().n_events());
    let places = (1..=PLACES).map(|place| u64::from(place).wrapping_mul(0x9e37_79b9_7f4a_7c15) % (n_events + 1));
    places
        .map(|place| {
            let start = now_ms();
            timeline.go_to(u32::try_from(place).unwrap_or(u32::MAX));
            std::hint::black_box(timeline.view().index());
            now_ms() - start
        })
        .collect()
}

fn machine(n_threads: u32, traced: bool) -> Machine {
    Machine::new(MachineSettings {
        cores: n_threads,
        logical_cores: n_threads,
        runtime: Runtime::FreeThreaded,
        costs: Costs::IDEAL,
        traced,
        ..MachineSettings::default()
    })
}

/// Threads that read, compute and write cells of their own.
fn effects(each: u64, n_threads: u32, traced: bool) -> Machine {
    let mut machine = machine(n_threads, traced);
    machine.start(program(&Here::new(), move |here| async move {
        let mut others = Vec::new();
        for thread in 1..n_threads {
            others.push(here.start_thread(move |here| counting(here, thread, each)).await?);
        }
        counting(here.clone(), 0, each).await?;
        for other in others {
            here.join_thread(other, None).await?;
        }
        Ok(Value::None)
    }));
    machine
}

async fn counting(here: Here, cell: u32, n_effects: u64) -> Outcome {
    let cell = CellId(cell);
    for _ in 0..n_effects / 3 {
        let count = here.read(cell).await.int().unwrap_or_default();
        here.compute(Nanoseconds(50)).await;
        here.write(cell, count + 1).await;
    }
    Ok(Value::None)
}

fn on_a_loop<Running>(main: impl FnOnce(Here) -> Running) -> Machine
where
    Running: Future<Output = Outcome> + 'static,
{
    let mut machine = machine(1, false);
    machine.start_loop(program(&Here::new(), main));
    machine
}

/// A callback that asks for the next one after another while, so many times.
struct Again {
    random: u64,
    left: u64,
}

impl Again {
    fn next(&self) -> (Nanoseconds, Box<dyn Program>) {
        let random = next_random(self.random);
        let left = self.left - 1;
        (delay(random), Box::new(Self { random, left }))
    }
}

impl Program for Again {
    fn look_at(&self) {
        std::hint::black_box(self.left);
    }

    fn resume(&mut self, input: Input) -> Effect {
        match input {
            Input::Start if self.left > 0 => {
                let (delay, next) = self.next();
                Effect::Loop(LoopCall::CallLater(delay, next))
            }
            Input::Throw(exception) => Effect::Raise(exception),
            Input::Start | Input::Value(_) => Effect::Return(Value::None),
        }
    }
}

/// Where the random delays of one of many begin.
const fn first_random(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

const fn next_random(random: u64) -> u64 {
    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1)
}

/// Up to 17 ms.
const fn delay(random: u64) -> Nanoseconds {
    Nanoseconds(1 + (random >> 40))
}

/// `call_later` again and again, each time for another while, until so many timers have fired.
async fn timers(here: Here, n_timers: u64) -> Outcome {
    let each = n_timers / PENDING;
    for number in 0..PENDING {
        let first = Again {
            random: first_random(number),
            left: each,
        };
        let (delay, next) = first.next();
        here.call_later(delay, next).await?;
    }
    // All of them have fired by then.
    here.sleep(Nanoseconds(delay(u64::MAX).0 * (each + 1))).await?;
    Ok(Value::None)
}

/// Tasks that sleep again and again, each time for another while, until so many timers have fired.
async fn sleeps(here: Here, n_timers: u64) -> Outcome {
    let each = n_timers / PENDING;
    let mut sleepers = Vec::new();
    for number in 0..PENDING {
        let sleeper = move |here: Here| async move {
            let mut random = first_random(number);
            for _ in 0..each {
                random = next_random(random);
                here.sleep(delay(random)).await?;
            }
            Ok(Value::None)
        };
        sleepers.push(Waitable::Future(here.spawn(sleeper).await?));
    }
    here.gather(sleepers).await
}

/// Tasks that end as soon as they run.
async fn tasks(here: Here, n_tasks: u64) -> Outcome {
    let mut all = Vec::new();
    for _ in 0..n_tasks {
        all.push(Waitable::Future(here.spawn(|_| async { Ok(Value::None) }).await?));
    }
    here.gather(all).await
}

/// So many requests at once to one endpoint.
fn fan_out(n_requests: u64) -> Machine {
    let mut machine = machine(1, false);
    let endpoint = machine.add_endpoint(NewEndpoint {
        latency: Latency::Fixed(Nanoseconds::millis(200)),
        capacity: None,
        backlog: 0,
        failures: Failures::None,
    });
    let main: Box<dyn Program> = program(&Here::new(), move |here| async move {
        let mut all = Vec::new();
        for _ in 0..n_requests {
            let request = here
                .spawn(move |here| async move { here.request_async(endpoint, None).await })
                .await?;
            all.push(Waitable::Future(request));
        }
        here.gather(all).await
    });
    machine.start_loop(main);
    machine
}
