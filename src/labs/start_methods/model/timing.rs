//! The tasks, on a pool that is made for all of them, made before, or made for each.
//!
//! Not here: any number; a task is one computing of so many nanoseconds.

use std::cell::Cell;
use std::rc::Rc;

use super::super::WORKERS;
use super::pool::Server;
use crate::machine::front::{Here, MapOptions, program};
use crate::machine::threads::{Machine, Progress, StartMethod};
use crate::machine::{Exception, Nanoseconds, Note, Program, Value};
use crate::wire::{Row, Sabotage};

/// Longer than the workers of a pool take to start.
const STARTING: Nanoseconds = Nanoseconds::seconds(3);

/// How long a pool lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// There is none: one after another.
    NoPool,
    /// Made and ended within the clock.
    Cold,
    /// Made, and all its workers started, before the clock.
    Warm,
    /// One for each task, as for each request.
    PerTask,
}

/// What a row does.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How processes are started.
    pub method: StartMethod,
    /// How long a pool lives.
    pub keeping: Keeping,
    /// Tasks.
    pub tasks: u32,
    /// Steps a task.
    pub steps: u32,
    /// What a task takes on a core that is alone.
    pub cost: Nanoseconds,
    /// Whether the fork server imports the main module.
    pub server_imports: bool,
}

impl Plan {
    /// With a fault that is the lab's own.
    pub fn spoiled(self, sabotage: Option<Sabotage>) -> Self {
        let keeping = match (sabotage, self.keeping) {
            (Some(Sabotage::PoolThatIsNeverNew), Keeping::PerTask) => Keeping::Warm,
            (_, keeping) => keeping,
        };
        Self { keeping, ..self }
    }
}

/// When its clock was started and stopped.
pub type Seen = Cell<Option<(Nanoseconds, Nanoseconds)>>;

/// The program. Gives how many steps were done.
pub fn main(here: &Here, plan: Plan, seen: &Rc<Seen>) -> Box<dyn Program> {
    let seen = Rc::clone(seen);
    program(here, move |here| async move {
        let work = Work {
            here,
            plan,
            server: Server::default(),
        };
        let (start, steps, end) = match plan.keeping {
            Keeping::NoPool => work.alone().await?,
            Keeping::Cold => work.cold().await?,
            Keeping::Warm => work.warm().await?,
            Keeping::PerTask => work.per_task().await?,
        };
        seen.set(Some((start, end)));
        work.server.ends(&work.here).await?;
        Ok(Value::Int(steps))
    })
}

/// Start, steps done, end.
type Timed = Result<(Nanoseconds, i64, Nanoseconds), Exception>;

struct Work {
    here: Here,
    plan: Plan,
    server: Server,
}

impl Work {
    async fn alone(&self) -> Timed {
        let start = self.here.now().await;
        let mut steps = 0;
        for _ in 0..self.plan.tasks {
            steps += task(&self.here, self.plan).await?.int().unwrap_or_default();
        }
        Ok((start, steps, self.here.now().await))
    }

    async fn cold(&self) -> Timed {
        let start = self.here.now().await;
        let steps = self.in_a_pool(self.plan.tasks).await?;
        Ok((start, steps, self.here.now().await))
    }

    async fn per_task(&self) -> Timed {
        let start = self.here.now().await;
        let mut steps = 0;
        for _ in 0..self.plan.tasks {
            steps += self.in_a_pool(1).await?;
        }
        Ok((start, steps, self.here.now().await))
    }

    async fn warm(&self) -> Timed {
        let (here, plan) = (&self.here, self.plan);
        let pool = self.new_pool().await?;
        // As many calls as there may be workers, each longer than they take to start: nobody takes two.
        let wait = |here: Here| async move {
            here.block(STARTING).await;
            Ok(Value::None)
        };
        let calls = (0..WORKERS).map(|_| program(here, wait)).collect();
        here.map(pool, calls, MapOptions::default()).await?;
        let start = here.now().await;
        let results = here.map(pool, self.tasks(plan.tasks), MapOptions::default()).await?;
        let end = here.now().await;
        here.shut_pool_down(pool, true, false).await?;
        Ok((start, results.iter().filter_map(Value::int).sum(), end))
    }

    /// A pool from its making to its end, for so many tasks.
    async fn in_a_pool(&self, tasks: u32) -> Result<i64, Exception> {
        let here = &self.here;
        let pool = self.new_pool().await?;
        let results = here.map(pool, self.tasks(tasks), MapOptions::default()).await?;
        here.shut_pool_down(pool, true, false).await?;
        Ok(results.iter().filter_map(Value::int).sum())
    }

    async fn new_pool(&self) -> Result<crate::machine::threads::ExecutorId, Exception> {
        let plan = self.plan;
        self.server
            .new_pool(&self.here, plan.method, WORKERS, plan.server_imports)
            .await
    }

    fn tasks(&self, tasks: u32) -> Vec<Box<dyn Program>> {
        let plan = self.plan;
        let one = |_| program(&self.here, move |here| async move { task(&here, plan).await });
        (0..tasks).map(one).collect()
    }
}

async fn task(here: &Here, plan: Plan) -> crate::machine::Outcome {
    here.note(Note::Doing("sum_squares")).await;
    here.compute(plan.cost).await;
    Ok(Value::Int(plan.steps.into()))
}

/// What the program saw by its own clock, and what it did.
pub fn read(machine: &Machine, progress: &Progress, plan: &Plan, seen: &Seen, row: &mut Row) {
    let Some((start, end)) = seen.get() else { return };
    let ms = end.since(start).as_millis();
    row.samples_ms = vec![ms];
    row.median_ms = Some(ms);
    row.computed_ms = Some(machine.used().computed.as_millis());
    row.expected = Some((i64::from(plan.tasks) * i64::from(plan.steps)).to_string());
    if let Progress::Ended(Ok(steps)) = progress {
        row.value = steps.int().map(|steps| steps.to_string());
    }
}
