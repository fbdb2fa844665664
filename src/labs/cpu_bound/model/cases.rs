//! The rows of a modelled run, and what each of them runs.
//!
//! Not here: the machine.

use super::super::HALF_SIZE;
use crate::labs::rows::runtime_id;
use crate::labs::{Asked, Value, presets};
use crate::machine::threads::{StartMethod, Workers};
use crate::measure::Subject;
use crate::wire::{Runtime, Sabotage, Strategy, Workload};

/// The rows on lesson B's machine, where starting is dear: work that is over before it has paid, and work that is not.
pub const VARIANTS: &[&str] = &["short", "short-warm", "short-cold", "long", "long-warm"];

/// Lesson B's two sizes and its four tasks and workers.
const SHORT: u32 = 3_000_000;
const LONG: u32 = 20_000_000;
const FOUR: u32 = 4;

/// One row.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is.
    pub subject: Subject,
    /// The values that its machine is made from.
    pub machine: Asked,
    /// On which build.
    pub runtime: Runtime,
    /// What is computed.
    pub workload: Workload,
    /// Tasks.
    pub tasks: u32,
    /// Steps a task.
    pub steps: u32,
    /// Workers.
    pub workers: u32,
    /// Who computes.
    pub how: How,
    /// Steps that a sabotage leaves out of each task or adds to it.
    wrong_steps: i64,
}

/// Who computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// One thread, one task after the other.
    Alone,
    /// A pool that takes the tasks in order. Warm: it was made and has done one call before the clock starts.
    Pool { workers: Workers, warm: bool },
    /// A pool of threads, all work in equal shares: a curve without steps.
    Shares,
}

impl Case {
    /// Whether it runs on another machine than was asked for.
    pub fn is_apart(&self) -> bool {
        self.subject
            .variant
            .as_deref()
            .is_some_and(|variant| VARIANTS.contains(&variant))
    }

    /// Steps of all tasks, as they should be.
    pub fn expected_steps(&self) -> i64 {
        i64::from(self.tasks) * i64::from(self.steps)
    }

    /// The size of each piece of work.
    pub fn pieces(&self) -> Vec<u32> {
        if self.how != How::Shares {
            let steps = i64::from(self.steps) + self.wrong_steps;
            return vec![u32::try_from(steps).unwrap_or_default(); self.tasks as usize];
        }
        let (all, n) = (
            u64::from(self.tasks) * u64::from(self.steps),
            u64::from(self.workers.max(1)),
        );
        let share = |number: u64| all * (number + 1) / n - all * number / n;
        (0..n)
            .map(|number| u32::try_from(share(number)).unwrap_or(u32::MAX))
            .collect()
    }

    /// Puts a fault in that is the lab's own.
    pub fn spoil(&mut self, sabotage: Option<Sabotage>) {
        let is_half = self.subject.variant.as_deref() == Some(HALF_SIZE);
        match sabotage {
            Some(Sabotage::WrongTotals) if self.how != How::Alone => self.wrong_steps = -1,
            Some(Sabotage::TimeThatIgnoresSize) if is_half => self.wrong_steps = i64::from(self.steps),
            _ => {}
        }
    }
}

/// The rows of a run: one after another always, as all others are compared with it.
pub fn cases(asked: &Asked) -> Vec<Case> {
    let workload = match asked.choice("workload") {
        Some("squares") => Workload::Squares,
        Some("modulo") => Workload::Modulo,
        _ => Workload::Names,
    };
    let maker = Maker {
        asked,
        workload,
        tasks: asked.unsigned("tasks"),
        steps: asked.unsigned("size"),
        workers: asked.unsigned("workers"),
    };
    let runtimes: Vec<Runtime> = match asked.choice("runtime") {
        Some("gil-legacy") => vec![Runtime::GilLegacy],
        _ => vec![Runtime::Gil, Runtime::FreeThreaded],
    };
    let runtimes = runtimes
        .into_iter()
        .filter(|runtime| asked.allows("runtime", runtime_id(*runtime)));
    let runtimes: Vec<Runtime> = runtimes.collect();
    let first = runtimes.first().copied().unwrap_or(Runtime::Gil);

    let mut cases: Vec<Case> = runtimes.iter().map(|runtime| maker.alone(*runtime, None)).collect();
    for baseline in cases.iter_mut().take(1) {
        baseline.subject.baseline = true;
    }
    cases.push(Case {
        steps: (maker.steps / 2).max(1),
        ..maker.alone(first, Some(HALF_SIZE))
    });
    if asked.allows("strategy", "threads") {
        cases.extend(
            runtimes
                .iter()
                .map(|runtime| maker.pool(Workers::Threads, *runtime, None)),
        );
    }
    let warmth = asked.choice("pool");
    // Interpreters with a lock of their own are younger than the old lock.
    if asked.allows("strategy", "interpreters") && first != Runtime::GilLegacy {
        cases.push(maker.pool(Workers::Interpreters, first, warmth));
    }
    if asked.allows("strategy", "processes") {
        cases.push(maker.pool(Workers::Processes(start_method(first)), first, warmth));
    }
    if asked.allows("strategy", "threads") && runtimes.contains(&Runtime::FreeThreaded) {
        cases.extend(points(asked).into_iter().map(|workers| maker.point(workers)));
    }
    let is_b = asked.choice("preset") == Some("lesson-b");
    if asked.allows("strategy", "processes") && (is_b || !asked.was_given("preset")) {
        cases.extend(lesson_b(asked));
    }
    cases
}

/// The default on Linux: since 3.14 a fork server.
fn start_method(runtime: Runtime) -> StartMethod {
    if runtime == Runtime::GilLegacy {
        StartMethod::Fork
    } else {
        StartMethod::ForkServer
    }
}

/// The curve's numbers of workers: as many as there are physical and logical cores, and twice that; every number up to
/// 8 and some beyond where the whole curve was asked for.
fn points(asked: &Asked) -> Vec<u32> {
    let (cores, logical) = (asked.unsigned("cores"), asked.unsigned("logicalCores"));
    let mut points = vec![cores.min(logical), logical, logical * 2];
    if asked.flag("curve") {
        let steps = [10, 12, 16, 20, 24, 32, 40, 48, 56, 64];
        points.extend((1..=8).chain(steps).filter(|point| *point < logical * 2));
    }
    points.sort_unstable();
    points.dedup();
    points
}

struct Maker<'asked> {
    asked: &'asked Asked,
    workload: Workload,
    tasks: u32,
    steps: u32,
    workers: u32,
}

impl Maker<'_> {
    fn case(&self, strategy: Strategy, runtime: Runtime, variant: Option<&str>, workers: u32, how: How) -> Case {
        let subject = Subject {
            variant: variant.map(str::to_owned),
            runtime: Some(runtime),
            workers: Some(workers),
            ..Subject::new(strategy)
        };
        Case {
            subject,
            machine: self.asked.clone(),
            runtime,
            workload: self.workload,
            tasks: self.tasks,
            steps: self.steps,
            workers,
            how,
            wrong_steps: 0,
        }
    }

    fn alone(&self, runtime: Runtime, variant: Option<&str>) -> Case {
        self.case(Strategy::Serial, runtime, variant, 1, How::Alone)
    }

    fn pool(&self, workers: Workers, runtime: Runtime, warmth: Option<&str>) -> Case {
        let strategy = match workers {
            Workers::Threads => Strategy::Threads,
            Workers::Interpreters => Strategy::Interpreters,
            Workers::Processes(_) => Strategy::Processes,
        };
        let how = How::Pool {
            workers,
            warm: warmth.is_some_and(|warmth| warmth.ends_with("warm")),
        };
        self.case(strategy, runtime, warmth, self.workers, how)
    }

    fn point(&self, workers: u32) -> Case {
        let variant = workers.to_string();
        self.case(
            Strategy::Threads,
            Runtime::FreeThreaded,
            Some(&variant),
            workers,
            How::Shares,
        )
    }
}

/// Lesson B's own computing on its own machine, whatever was asked for.
fn lesson_b(asked: &Asked) -> Vec<Case> {
    let mut machine = Asked::default();
    machine.seed = asked.seed;
    machine.tweak = asked.tweak;
    machine.set("preset", Value::Choice("lesson-b"));
    presets::settle(&mut machine);
    let of_size = |steps: u32| Maker {
        asked: &machine,
        workload: Workload::Squares,
        tasks: FOUR,
        steps,
        workers: FOUR,
    };
    let processes = Workers::Processes(StartMethod::ForkServer);
    let (short, long) = (of_size(SHORT), of_size(LONG));
    vec![
        short.alone(Runtime::Gil, Some("short")),
        short.pool(processes, Runtime::Gil, Some("short-warm")),
        short.pool(processes, Runtime::Gil, Some("short-cold")),
        long.alone(Runtime::Gil, Some("long")),
        long.pool(processes, Runtime::Gil, Some("long-warm")),
    ]
}
